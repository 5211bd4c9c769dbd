//! What colours mean, in one place. They are always written; the output stream strips them where
//! they are not wanted (`NO_COLOR`, a pipe), so nothing here knows where it goes.

use anstyle::{AnsiColor, Style};

use crate::model::message::Priority;
use crate::model::status::Status;

/// Ordinary text.
pub const PLAIN: Style = Style::new();
/// Headings of columns.
pub const TITLE: Style = Style::new().dimmed();
/// What matters less: ids, ages, what is done with.
pub const FAINT: Style = Style::new().dimmed();
/// Mail that nobody has looked at.
pub const NEW: Style = Style::new().bold();
/// Names of agents and inboxes.
pub const NAME: Style = AnsiColor::Cyan.on_default();
/// Something went as it should.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Something is odd.
pub const WARNING: Style = AnsiColor::Yellow.on_default();
/// Something failed, or will not wait.
pub const ALARM: Style = AnsiColor::Red.on_default().bold();

/// The colour of a message's line by how far it has come.
pub fn status(status: Status) -> Style {
    match status {
        Status::Unread => NEW,
        Status::Read => PLAIN,
        Status::Actioned | Status::Resolved => FAINT,
    }
}

/// The colour of a priority's mark.
pub fn priority(priority: Priority) -> Style {
    match priority {
        Priority::Urgent => ALARM,
        Priority::High => WARNING,
        Priority::Normal | Priority::Low => FAINT,
    }
}

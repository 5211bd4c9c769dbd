//! The lifecycle of a message: its four words, and the one table of rules for moving between them.
//!
//! The documentation's table is printed from [`rules_table`], so it can't drift.

use std::fmt;

/// How far a message has come. Ordered: later is greater.
///
/// `archived` is not a status: it is where a file lies, never a word written into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Nobody has looked at it.
    Unread,
    /// Seen; it may still need something.
    Read,
    /// What it asked for was done.
    Actioned,
    /// Closed: nothing more will come of it.
    Resolved,
}

impl Status {
    /// All four, in the order of the lifecycle.
    pub const ALL: [Self; 4] = [Self::Unread, Self::Read, Self::Actioned, Self::Resolved];

    /// The word as it is written into a header.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unread => "unread",
            Self::Read => "read",
            Self::Actioned => "actioned",
            Self::Resolved => "resolved",
        }
    }

    /// Whether the message is done with: `actioned` or `resolved`.
    pub fn is_handled(self) -> bool {
        self >= Self::Actioned
    }

    /// Whether a live message with this status is open: seen, not finished.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Read | Self::Actioned)
    }

    /// Reads one of the four words or a synonym of theirs, in any letter case.
    pub fn from_word(word: &str) -> Option<Self> {
        const WORDS: [(&str, Status); 12] = [
            ("unread", Status::Unread),
            ("read", Status::Read),
            ("actioned", Status::Actioned),
            ("resolved", Status::Resolved),
            ("new", Status::Unread),
            ("seen", Status::Read),
            ("ack", Status::Read),
            ("acknowledged", Status::Read),
            ("done", Status::Resolved),
            ("complete", Status::Resolved),
            ("completed", Status::Resolved),
            ("closed", Status::Resolved),
        ];
        let word = word.trim_ascii();
        WORDS.iter().find(|(w, _)| w.eq_ignore_ascii_case(word)).map(|&(_, s)| s)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// Words that other tools write for a status, beside the built-in ones (`[status-words]`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatusWords {
    /// Each word in lower case and as it was spelt.
    extra: Vec<(String, String, Status)>,
}

impl StatusWords {
    /// Adds a word, compared without regard to letter case; a later word wins over an earlier one.
    pub fn add(&mut self, word: &str, means: Status) {
        let word = word.trim();
        self.extra.push((word.to_lowercase(), word.to_owned(), means));
    }

    /// What a word means, or `None` for an unknown one.
    pub fn read(&self, word: &str) -> Option<Status> {
        let extra = || {
            if self.extra.is_empty() {
                return None;
            }
            let word = word.trim_ascii().to_lowercase();
            self.extra.iter().rev().find(|(w, ..)| *w == word).map(|&(.., s)| s)
        };
        extra().or_else(|| Status::from_word(word))
    }

    /// The word to write for a status in place of `present`, as it was spelt: where that is a word of this
    /// dialect, the one configured last for the status of those that `can_write` allows; else our own. What
    /// says one of our words, or nothing, is in a mailbox that speaks ours.
    pub fn write(&self, status: Status, present: Option<&str>, can_write: impl Fn(&str) -> bool) -> &str {
        if !present.is_some_and(|word| self.is_foreign(word)) {
            return status.word();
        }
        let mut words = self.extra.iter().rev().map(|(_, word, _)| word.as_str());
        words.find(|word| self.read(word) == Some(status) && can_write(word)).unwrap_or(status.word())
    }

    /// Whether a word is one of this dialect and none of the four.
    fn is_foreign(&self, word: &str) -> bool {
        let word = word.trim().to_lowercase();
        !Status::ALL.iter().any(|status| status.word() == word) && self.extra.iter().any(|(w, ..)| *w == word)
    }
}

/// A header's status: the spelling found, and what it means. Unknown spellings survive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusField {
    /// The word as written; `None` where the header has none, or none that can be read.
    pub raw: Option<String>,
    /// What it means; `None` for an unknown word or an unreadable one.
    pub known: Option<Status>,
}

impl StatusField {
    /// The status that counts: what can't be read is `unread`, so that no message gets lost.
    pub fn status(&self) -> Status {
        self.known.unwrap_or(Status::Unread)
    }
}

/// Whether forward moves may pass over a status (`lifecycle` in the configuration).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lifecycle {
    /// Forward moves of any length are allowed; the states passed are journalled.
    #[default]
    Free,
    /// One step at a time.
    Strict,
}

/// A legal move from one status to another. Only [`Transition::plan`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    from: Status,
    to: Status,
}

/// Why a move is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// A step back without `--reopen`.
    #[error("it is {from} already, and {to} would be a step back")]
    Backward {
        /// The status it has.
        from: Status,
        /// The status asked for.
        to: Status,
    },
    /// More than one step forward under the strict lifecycle.
    #[error("from {from} to {to} is more than one step, and the lifecycle is strict: mark it {next} first")]
    Skips {
        /// The status it has.
        from: Status,
        /// The status asked for.
        to: Status,
        /// The next status.
        next: Status,
    },
}

impl Transition {
    /// Decides on a move. `Ok(None)` means that nothing is to be done: it is there already.
    ///
    /// # Errors
    /// [`Illegal`] when the rules of the lifecycle forbid the move.
    pub fn plan(from: Status, to: Status, lifecycle: Lifecycle, reopen: bool) -> Result<Option<Self>, Illegal> {
        if from == to {
            return Ok(None);
        }
        if to < from {
            return if reopen { Ok(Some(Self { from, to })) } else { Err(Illegal::Backward { from, to }) };
        }
        match (lifecycle, next(from)) {
            (Lifecycle::Strict, Some(next)) if next != to => Err(Illegal::Skips { from, to, next }),
            _ => Ok(Some(Self { from, to })),
        }
    }

    /// The status before.
    pub fn from(&self) -> Status {
        self.from
    }

    /// The status after.
    pub fn to(&self) -> Status {
        self.to
    }

    /// Whether it is a step back.
    pub fn is_reopening(&self) -> bool {
        self.to < self.from
    }

    /// The states passed on the way, for the journal; empty for single and backward steps.
    pub fn passed(&self) -> Vec<Status> {
        Status::ALL.into_iter().filter(|s| *s > self.from && *s < self.to).collect()
    }
}

fn next(status: Status) -> Option<Status> {
    Status::ALL.into_iter().find(|s| *s > status)
}

/// The table of rules as Markdown, for `docs/lifecycle.md`: one row a status, one column a target.
pub fn rules_table() -> String {
    let mut out = String::from("| from \\ to | unread | read | actioned | resolved | archive |\n|---|---|---|---|---|---|\n");
    for from in Status::ALL {
        out.push_str("| ");
        out.push_str(from.word());
        for to in Status::ALL {
            out.push_str(" | ");
            out.push_str(cell(from, to));
        }
        out.push_str(if from.is_handled() { " | yes |\n" } else { " | with `--force` and a note |\n" });
    }
    out
}

fn cell(from: Status, to: Status) -> &'static str {
    let free = Transition::plan(from, to, Lifecycle::Free, false);
    let strict = Transition::plan(from, to, Lifecycle::Strict, false);
    match (free, strict) {
        (Ok(None), _) => "nothing to do",
        (Ok(Some(_)), Ok(Some(_))) => "yes",
        (Ok(Some(_)), _) => "yes; not if strict",
        (Err(_), _) => "with `--reopen`",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_synonyms_are_read_in_any_case() {
        for (word, status) in [
            ("UNREAD", Status::Unread),
            ("new", Status::Unread),
            ("Read", Status::Read),
            ("ack", Status::Read),
            ("acknowledged", Status::Read),
            ("Seen", Status::Read),
            ("actioned", Status::Actioned),
            ("DONE", Status::Resolved),
            ("complete", Status::Resolved),
            ("Completed", Status::Resolved),
            ("closed", Status::Resolved),
        ] {
            assert_eq!(Status::from_word(word), Some(status), "{word}");
        }
        for word in ["", "wontfix", "archived", "unread?", "[unread]"] {
            assert_eq!(Status::from_word(word), None, "{word}");
        }
    }

    #[test]
    fn a_dialect_adds_words_of_its_own() {
        let mut words = StatusWords::default();
        words.add("INJECTED", Status::Read);
        assert_eq!(words.read("injected"), Some(Status::Read));
        assert_eq!(words.read("done"), Some(Status::Resolved));
        words.add("wip", Status::Actioned);
        let write = |words: &StatusWords, to, present| words.write(to, present, |_| true).to_owned();
        assert_eq!(write(&words, Status::Read, Some("WIP")), "INJECTED");
        assert_eq!(write(&words, Status::Resolved, Some("wip")), "resolved");
        words.add("read", Status::Read);
        assert_eq!((write(&words, Status::Read, Some("wip")).as_str(), words.read("INJECTED")), ("read", Some(Status::Read)));
    }

    #[test]
    fn a_dialect_is_written_only_where_it_is_spoken() {
        let mut words = StatusWords::default();
        words.add("wontfix", Status::Resolved);
        words.add("in progress", Status::Actioned);
        words.add("unread", Status::Unread);
        let no_blank = |word: &str| !word.contains(' ');
        for (present, to, written) in [
            (None, Status::Resolved, "resolved"),
            (Some("actioned"), Status::Resolved, "resolved"),
            (Some("UNREAD"), Status::Resolved, "resolved"),
            (Some("gibberish"), Status::Resolved, "resolved"),
            (Some("In Progress"), Status::Resolved, "wontfix"),
            (Some("wontfix"), Status::Actioned, "actioned"),
            (Some("wontfix"), Status::Read, "read"),
        ] {
            assert_eq!(words.write(to, present, no_blank), written, "{present:?} to {to}");
        }
        // A word that was said twice means what was said last, and is never written for the other.
        words.add("WONTFIX", Status::Read);
        assert_eq!(words.write(Status::Resolved, Some("in progress"), no_blank), "resolved");
    }

    #[test]
    fn forward_moves_are_free_and_tell_what_they_passed() {
        let t = Transition::plan(Status::Unread, Status::Resolved, Lifecycle::Free, false).unwrap().unwrap();
        assert_eq!(t.passed(), [Status::Read, Status::Actioned]);
        assert!(!t.is_reopening());
        assert_eq!(Transition::plan(Status::Read, Status::Read, Lifecycle::Strict, false), Ok(None));
    }

    #[test]
    fn backward_moves_need_a_word() {
        assert_eq!(
            Transition::plan(Status::Actioned, Status::Read, Lifecycle::Free, false),
            Err(Illegal::Backward { from: Status::Actioned, to: Status::Read })
        );
        assert!(Transition::plan(Status::Actioned, Status::Read, Lifecycle::Strict, true).unwrap().unwrap().is_reopening());
    }

    #[test]
    fn the_strict_lifecycle_goes_step_by_step() {
        assert!(matches!(
            Transition::plan(Status::Unread, Status::Actioned, Lifecycle::Strict, false),
            Err(Illegal::Skips { next: Status::Read, .. })
        ));
        assert!(Transition::plan(Status::Unread, Status::Read, Lifecycle::Strict, false).is_ok());
    }
}

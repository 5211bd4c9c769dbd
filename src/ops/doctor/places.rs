//! What is wrong with a place rather than a message: folders, rights, links, leftovers, what git and
//! Soma do there.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::rules::{self, Rule};
use super::{Exam, Finding, Repair};
use crate::host::soma::MARKERS;
use crate::layout;
use crate::model::inbox::Inbox;
use crate::store::atomic::Leftover;
use crate::store::discover::{self, Problem};
use crate::store::rights;

/// What discovery met.
pub(super) fn problems(exam: &mut Exam<'_>, problems: &[&Problem]) {
    for problem in problems {
        let rule = if problem.kind.hides_mail() { &rules::INBOX_UNREADABLE } else { &rules::PLACE_ODD };
        exam.push(Finding::new(rule, "", &problem.path, problem.text.clone()));
    }
}

/// An inbox as a place.
pub(super) fn inbox(exam: &mut Exam<'_>, inbox: &Inbox) {
    let path = &inbox.path;
    let find = |rule, path: &Path, text: &str| Finding::new(rule, &inbox.name, path, text);
    if let Some(folder) = path.parent().filter(|_| inbox.is_somas())
        && !MARKERS.iter().any(|marker| folder.join(marker).exists())
    {
        exam.push(find(&rules::SOMA_MARKER, folder, "Soma takes no notice of it, and of the mail in it"));
    }
    let can = layout::of(inbox.layout).capabilities();
    let rights = rights::of(path);
    if can.mark && !rights.writable {
        exam.push(find(&rules::INBOX_NOT_WRITABLE, path, "this user may not write it"));
    }
    if can.mark && rights.open_to_all {
        exam.push(find(&rules::INBOX_OPEN_TO_ALL, path, "every user of this machine may write it"));
    }
    if discover::ignores_messages_in(path, exam.session.home()) {
        exam.push(find(&rules::INBOX_IGNORED, path, "git ignores the messages in it"));
    }
}

/// Parts of an inbox that could not be looked into.
pub(super) fn closed(exam: &mut Exam<'_>, inbox: &Inbox, problems: &[(PathBuf, io::Error)]) {
    for (path, error) in problems {
        exam.push(Finding::new(&rules::INBOX_UNREADABLE, &inbox.name, path, format!("it can't be looked into: {error}")));
    }
}

/// What lies beside the messages.
pub(super) fn leftovers(exam: &mut Exam<'_>, inbox: &Inbox, leftovers: &[(PathBuf, &'static str)]) {
    for (path, why) in leftovers {
        let name = path.file_name().unwrap_or_default();
        let (rule, text, repair) = match Leftover::of(name) {
            Some(Leftover::Copy) => (
                &rules::UNFINISHED_WRITE,
                "a copy that postroom did not clean up; what it was made for is whole",
                Some(Repair::RemoveCopies),
            ),
            Some(Leftover::New) => {
                (&rules::UNFINISHED_WRITE, "a message that was never delivered; its sender was told so, or never asked", None)
            }
            Some(Leftover::Held) => (
                &rules::UNFINISHED_WRITE,
                "a message, or an older version of one, that was set aside when a run was stopped: if it stands nowhere else, give it back its name",
                None,
            ),
            None => (rule_of(inbox, path, name), *why, None),
        };
        let finding = Finding::new(rule, &inbox.name, path, text);
        exam.push(Finding { repair, ..finding });
    }
}

/// The rule that a leftover falls under, by its name.
fn rule_of(inbox: &Inbox, path: &Path, name: &OsStr) -> &'static Rule {
    let name = name.to_string_lossy().to_lowercase();
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    if name.contains(".sync-conflict-") || name.contains("conflicted copy") {
        &rules::SYNC_CONFLICT
    } else if ends(&[".json"]) && inbox.is_somas() && path.parent() == Some(&inbox.path) {
        &rules::SOMA_JSON
    } else if ends(&[".tmp", ".part", ".partial", ".swp", ".swo", ".crdownload"]) || name.starts_with(".#") {
        &rules::UNFINISHED_WRITE
    } else if ends(&[".md", ".md.read", "~", ".bak", "#", ".icloud"]) || name.contains("archive") {
        &rules::LEFTOVER
    } else {
        &rules::STRAY_FILE
    }
}

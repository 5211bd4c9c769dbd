//! Hooks in hosts' settings that can't do their work. That there is none is no fault.

use super::rules;
use super::{Exam, Finding};
use crate::host::Host;
use crate::ops::setup::{Standing, State};

pub(super) fn judge(exam: &mut Exam<'_>, hosts: &[Standing]) {
    for standing in hosts {
        let title = standing.host.title();
        let find = |rule, text: &str| Finding::new(rule, "", &standing.path, format!("{title}: {text}"));
        match standing.state {
            State::Dead => exam.push(find(&rules::HOOK_BROKEN, "the program that its hook calls is not there")),
            State::Partly => exam.push(find(&rules::HOOK_INCOMPLETE, "the hook is registered for some of its events only")),
            State::Unreadable | State::Already => {
                for note in &standing.notes {
                    exam.push(find(&rules::HOOK_INCOMPLETE, note));
                }
            }
            // That the folder has no marker is told of the inbox in it.
            State::Incomplete if standing.host == Host::Soma => {
                for note in standing.notes.iter().filter(|note| note.contains("has no slot")) {
                    exam.push(find(&rules::SOMA_SLOT, note));
                }
            }
            _ => {}
        }
    }
}

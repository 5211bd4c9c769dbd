//! What a person or a program is told when something can't be done: what, which path, why, and
//! what to do next – and the exit status that goes with it.
//!
//! Each layer has small error enums of its own, beside the code they serve; front ends show
//! [`Report`]s only.

use std::fmt;
use std::path::{Path, PathBuf};

/// How a command ends. Ordered by how bad it is; of several outcomes the worst counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Exit {
    /// Done, or nothing to do.
    #[default]
    Done = 0,
    /// Refused or failed.
    Failed = 1,
    /// The command line is at fault.
    Usage = 2,
    /// No such inbox or message, or more than one.
    NotFound = 3,
    /// Changed underneath: nothing was written, try again.
    Changed = 4,
}

impl Exit {
    /// The process's exit status.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The worse of two outcomes: failures by what the caller can do about them, so that «try
    /// again» never hides a refusal.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        let rank = |e: Self| match e {
            Self::Done => 0,
            Self::Changed => 1,
            Self::NotFound => 2,
            Self::Failed => 3,
            Self::Usage => 4,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

/// How a report ends that says what was left undone.
const UNDONE: [&str; 1] = ["; nothing was sent"];

/// One thing that went wrong, told so that the reader can act on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// A stable word for programs, such as `ambiguous-ref`.
    pub kind: &'static str,
    /// What could not be done and why: lower-case, one or two clauses, no full stop.
    pub message: String,
    /// The path it is about.
    pub path: Option<PathBuf>,
    /// What the reader can do, in words.
    pub hints: Vec<String>,
    /// Commands that can be run as they stand.
    pub next: Vec<String>,
    /// The exit status it leads to.
    pub exit: Exit,
}

impl Report {
    /// A report with a kind, a text and an exit status.
    pub fn new(kind: &'static str, exit: Exit, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), path: None, hints: Vec::new(), next: Vec::new(), exit }
    }

    /// A refusal or failure.
    pub fn failed(kind: &'static str, message: impl Into<String>) -> Self {
        Self::new(kind, Exit::Failed, message)
    }

    /// Several faults of one input as one report, each told once; `None` where there is none.
    ///
    /// What was not done is said once, behind the last of them.
    pub fn together(mut faults: Vec<Self>) -> Option<Self> {
        if faults.len() < 2 {
            return faults.pop();
        }
        let undone = UNDONE.into_iter().find(|undone| faults.iter().any(|f| f.message.ends_with(undone)));
        let mut all = Self::new("several-faults", Exit::Done, "");
        if let [first, rest @ ..] = faults.as_slice()
            && rest.iter().all(|f| f.kind == first.kind)
        {
            all.kind = first.kind;
        }
        let mut messages: Vec<String> = Vec::new();
        for fault in faults {
            let message = UNDONE.into_iter().find_map(|undone| fault.message.strip_suffix(undone)).unwrap_or(&fault.message);
            if !messages.iter().any(|m| m == message) {
                messages.push(message.to_owned());
            }
            all.path = all.path.or(fault.path);
            all.exit = all.exit.worst(fault.exit);
            for (list, more) in [(&mut all.hints, fault.hints), (&mut all.next, fault.next)] {
                for text in more {
                    if !list.contains(&text) {
                        list.push(text);
                    }
                }
            }
        }
        all.message = messages.join("; ");
        all.message.push_str(undone.unwrap_or_default());
        Some(all)
    }

    /// Adds the path it is about.
    #[must_use]
    pub fn at(mut self, path: impl AsRef<Path>) -> Self {
        self.path = Some(path.as_ref().to_path_buf());
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds a command to run next.
    #[must_use]
    pub fn next(mut self, command: impl Into<String>) -> Self {
        self.next.push(command.into());
        self
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Report {}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_together_and_what_was_left_undone_once() {
        let fault = |text: &str| Report::new("x", Exit::NotFound, text).hint("h").next("n");
        let all = Report::together(vec![fault("a; nothing was sent"), fault("b"), fault("a; nothing was sent")]).unwrap();
        assert_eq!(all.message, "a; b; nothing was sent");
        assert_eq!((all.kind, all.exit, all.hints.len(), all.next.len()), ("x", Exit::NotFound, 1, 1));
        let other = Report::new("y", Exit::Usage, "c");
        let all = Report::together(vec![fault("a"), other.clone()]).unwrap();
        assert_eq!((all.kind, all.exit, all.message.as_str()), ("several-faults", Exit::Usage, "a; c"));
        assert_eq!(Report::together(vec![other.clone()]), Some(other));
        assert_eq!(Report::together(Vec::new()), None);
    }

    #[test]
    fn try_again_never_hides_a_refusal() {
        assert_eq!(Exit::Changed.worst(Exit::Failed), Exit::Failed);
        assert_eq!(Exit::Done.worst(Exit::Changed), Exit::Changed);
        assert_eq!(Exit::NotFound.worst(Exit::Done), Exit::NotFound);
        assert_eq!(Exit::Usage.code(), 2);
    }
}

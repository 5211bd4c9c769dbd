//! A configuration that explains a mailbox: every word, key and form of date found in it, with its
//! number; what postroom would not know by itself as settings, guesses marked as such.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{Counted, Found, Means, Survey};
use crate::model::status::Status;
use crate::text::neutral::{self, Target};

/// The configuration as TOML. Paths are relative to `base`, the folder of the file it is meant for.
pub fn of(survey: &Survey, base: &Path) -> String {
    let mut out = String::new();
    let mut line = |text: &str| {
        out.push_str(text);
        out.push('\n');
    };
    let found = [counted(survey.messages, "message", "messages"), counted(survey.inboxes.len(), "inbox", "inboxes")].join(", ");
    line(&format!("# What postroom found in {}: {found}.", comment(&shown(&survey.top, base))));
    if survey.more {
        line("# There is more than was looked at.");
    }
    if survey.unreadable > 0 {
        let without = counted(survey.unreadable, "message has", "messages have");
        line(&format!("# {without} no header that can be read: listed by name, unread."));
    }
    line(&format!(
        "# For {}, or for your own configuration. Check what is marked as a guess.",
        comment(&base.join(".postroom.toml").display().to_string())
    ));
    words(&mut line, survey);
    keys(&mut line, survey);
    dates(&mut line, survey);
    inboxes(&mut line, survey, base);
    out
}

fn words(line: &mut impl FnMut(&str), survey: &Survey) {
    line("\n# Status words:");
    for Counted { text, count, means } in &survey.words {
        let what = match means {
            Means::BuiltIn(status) => format!("{status}"),
            Means::Guess(status) => format!("a guess: {status}"),
            Means::Unknown => "unknown: counts as unread until you say what it means".to_owned(),
        };
        line(&format!("#   {}  ×{count}  {what}", comment(text)));
    }
    if survey.words.is_empty() {
        line("#   none");
    }
    line("[status-words]");
    for status in Status::ALL {
        let mut of: Vec<_> = survey.words.iter().filter(|w| w.means.get() == Some(status)).collect();
        // What needs no saying: the four words themselves, where no other stands beside them.
        if of.iter().all(|w| w.text == status.word()) {
            continue;
        }
        // The last one is what is written in place of another of them, so that it is the one most used.
        of.reverse();
        for word in of {
            let guess = if matches!(word.means, Means::Guess(_)) { "  # a guess" } else { "" };
            line(&format!("{} = \"{status}\"{guess}", key(&word.text)));
        }
    }
    for word in survey.words.iter().filter(|w| w.means == Means::Unknown) {
        line(&format!("# {} = \"…\"  # unread, read, actioned or resolved", key(&comment(&word.text))));
    }
}

fn keys(line: &mut impl FnMut(&str), survey: &Survey) {
    line("\n# Header keys:");
    for Counted { text, count, means } in &survey.keys {
        let what = match means {
            Means::BuiltIn(means) if means.eq_ignore_ascii_case(text) => "of the convention".to_owned(),
            Means::BuiltIn(means) => format!("known as {means}"),
            Means::Guess(means) => format!("a guess: {means}"),
            Means::Unknown => "kept as it is, and not used".to_owned(),
        };
        line(&format!("#   {}  ×{count}  {what}", comment(text)));
    }
    line("[keys]");
    for found in &survey.keys {
        if let Means::Guess(means) = found.means
            && !found.text.contains(|c: char| c == ':' || c.is_whitespace() || c.is_control())
        {
            line(&format!("{} = \"{means}\"  # a guess", key(&found.text.to_lowercase())));
        }
    }
}

fn dates(line: &mut impl FnMut(&str), survey: &Survey) {
    line("\n# Forms of dates:");
    for form in &survey.dates {
        let what = match form.read_as {
            Some(kind) => format!("read as a {kind}").replace("a instant", "an instant"),
            None => "not understood: the date in the file's name counts, or none".to_owned(),
        };
        line(&format!("#   {}  ×{}  {what}", comment(&form.example), form.count));
    }
    if survey.dates.is_empty() {
        line("#   none");
    }
}

fn inboxes(line: &mut impl FnMut(&str), survey: &Survey, base: &Path) {
    let (known, others): (Vec<_>, Vec<_>) = survey.inboxes.iter().partition(|found| at_known_place(found));
    line("\n# Inboxes:");
    for found in &known {
        line(&format!("#   {}  ×{}  found without a setting", comment(&shown(&found.spot.path, base)), found.messages));
    }
    for found in &others {
        line(&format!(
            "#   {}  ×{}  of {}",
            comment(&shown(&found.spot.path, base)),
            found.messages,
            comment(found.spot.owner.as_str())
        ));
    }
    for (path, layout) in patterns(&others, base) {
        line("[[inbox]]");
        line(&format!("path = {}", quoted(&path)));
        line(&format!("layout = \"{layout}\""));
    }
}

/// Whether discovery finds an inbox by itself.
fn at_known_place(found: &Found) -> bool {
    let below = found.spot.path.strip_prefix(&found.spot.project).ok().and_then(|rest| rest.iter().next());
    below.is_some_and(|first| [".soma", ".claude", ".agents", ".workspace", ".team"].iter().any(|place| first == *place))
}

/// As few paths as name the inboxes: those that differ in one folder's name by one pattern.
fn patterns(found: &[&Found], base: &Path) -> Vec<(String, String)> {
    let mut left: Vec<(Vec<String>, String)> =
        found.iter().map(|f| (shown(&f.spot.path, base).split('/').map(str::to_owned).collect(), f.layout.to_string())).collect();
    let mut out = Vec::new();
    while let Some((first, layout)) = left.first().cloned() {
        let alike = |at: usize, other: &(Vec<String>, String)| {
            other.1 == layout
                && other.0.len() == first.len()
                && other.0.iter().zip(&first).enumerate().all(|(i, (a, b))| i == at || a == b)
        };
        let best = (0..first.len()).rev().max_by_key(|&at| left.iter().filter(|other| alike(at, other)).count());
        let at = best.filter(|&at| left.iter().filter(|other| alike(at, other)).count() > 1);
        if let Some(at) = at {
            left.retain(|other| !alike(at, other));
            let parts: Vec<&str> = first.iter().enumerate().map(|(i, p)| if i == at { "*" } else { p.as_str() }).collect();
            out.push((parts.join("/"), layout));
        } else {
            left.remove(0);
            out.push((first.join("/"), layout));
        }
    }
    out
}

/// A path as the file would name it.
fn shown(path: &Path, base: &Path) -> String {
    let rest: PathBuf = path.strip_prefix(base).map_or_else(|_| path.to_owned(), Path::to_owned);
    let text = rest.to_string_lossy().into_owned();
    if text.is_empty() { ".".to_owned() } else { text }
}

/// A number of things.
fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Somebody's text in a comment: one line, nothing hidden in it.
fn comment(text: &str) -> String {
    neutral::field(text, Target::Terminal, 80).text.into_owned()
}

/// A key in TOML: bare where that is possible.
fn key(text: &str) -> String {
    let bare = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if bare { text.to_owned() } else { quoted(text) }
}

/// A basic string in TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => {
                // Writing to a String can't fail.
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

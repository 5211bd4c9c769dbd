//! Soma: nothing is registered. Its boot templates have a slot for the inbox, and it counts a `.soma`
//! folder only with a marker in it; both are looked at, and what is missing is said.

use std::path::{Path, PathBuf};

use super::{Level, Places};
use crate::text::slots::{self, Values};

/// What makes a `.soma` folder one for Soma.
pub const MARKERS: [&str; 7] = ["STATE.md", "SOMA.md", "identity.md", "amps", "memory", "protocols", "settings.json"];

/// The boot templates, as they lie in a `.soma` folder that has its own.
pub const TEMPLATES: [&str; 2] = ["body/_mind.md", "body/_boot.md"];

/// What is to be seen in a `.soma` folder.
#[derive(Debug, Default)]
pub struct Seen<'a> {
    /// Whether one of [`MARKERS`] is there.
    pub marked: bool,
    /// The templates that are there, with their bytes.
    pub templates: Vec<(PathBuf, &'a [u8])>,
}

/// The `.soma` folder.
pub fn folder(level: Level, places: &Places) -> Option<PathBuf> {
    match level {
        Level::Project => Some(places.project.join(".soma")),
        Level::User => Some(places.home.as_ref()?.join(".soma")),
    }
}

/// What to add, in words; empty where Soma shows the inbox already.
pub fn advice(folder: &Path, seen: &Seen<'_>) -> Vec<String> {
    let mut advice = Vec::new();
    if !seen.marked {
        let markers = MARKERS.join(", ");
        advice.push(format!("Soma ignores {} until one of these is in it: {markers}", folder.display()));
    }
    let values = Values { summary: "x", unread: 1, open: 1 };
    let without = seen.templates.iter().filter(|(_, bytes)| slots::render(bytes, &values).slots == 0);
    for (path, _) in without {
        advice.push(format!("{} has no slot: add a line {{{{inbox_summary}}}}, best as its last", path.display()));
    }
    advice
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said() {
        let folder = Path::new("/p/.soma");
        let told = |marked, templates: Vec<(PathBuf, &[u8])>| advice(folder, &Seen { marked, templates });
        assert!(told(true, Vec::new()).is_empty());
        assert!(told(true, vec![("a.md".into(), b"{{x}}\n{{inbox_summary}}\n")]).is_empty());
        let both = told(false, vec![("a.md".into(), b"{{x}}\n"), ("b.md".into(), b"{{#inbox_summary}}{{/inbox_summary}}")]);
        assert_eq!(both.len(), 2, "{both:?}");
        assert!(both[0].contains("STATE.md") && both[1].contains("a.md") && both[1].contains("{{inbox_summary}}"));
    }
}

//! Names for inboxes that were found together: short, never ambiguous, the same for the same set.
//!
//! Each inbox has a ladder of names, from `OWNER@PROJECT` to its whole path; it bears the first one
//! that no other inbox could bear.

use std::collections::BTreeMap;
use std::path::Path;

use crate::model::inbox::{Inbox, Label};

/// Gives each inbox its name.
pub(super) fn assign(inboxes: &mut [Inbox]) {
    let shorts: Vec<String> = inboxes.iter().map(short).collect();
    let mut short_count: BTreeMap<String, usize> = BTreeMap::new();
    for name in &shorts {
        *short_count.entry(name.to_lowercase()).or_default() += 1;
    }
    // The ordinary case: nothing meets. Then no longer names are made.
    if short_count.len() == inboxes.len() {
        for (inbox, name) in inboxes.iter_mut().zip(shorts) {
            inbox.name = name;
        }
        return;
    }
    let ladders: Vec<Vec<String>> = inboxes.iter().map(ladder).collect();
    let mut bearers: BTreeMap<String, usize> = BTreeMap::new();
    for ladder in &ladders {
        let mut own: Vec<String> = ladder.iter().map(|n| n.to_lowercase()).collect();
        own.sort();
        own.dedup();
        for name in own {
            *bearers.entry(name).or_default() += 1;
        }
    }
    for (inbox, ladder) in inboxes.iter_mut().zip(ladders) {
        let alone = ladder.iter().position(|n| bearers.get(&n.to_lowercase()) == Some(&1));
        inbox.name = ladder.into_iter().nth(alone.unwrap_or(usize::MAX)).unwrap_or_default();
    }
    number_the_rest(inboxes);
}

/// Paths that differ only in letter case, or in bytes that are no text, have no name left: they are
/// counted.
fn number_the_rest(inboxes: &mut [Inbox]) {
    let mut order: Vec<usize> = (0..inboxes.len()).filter(|i| inboxes.get(*i).is_some_and(|x| x.name.is_empty())).collect();
    order.sort_by_key(|i| inboxes.get(*i).map(|x| x.path.clone()));
    for (n, i) in order.into_iter().enumerate() {
        if let Some(inbox) = inboxes.get_mut(i) {
            inbox.name = format!("{}@{}#{}", inbox.owner, shown(&inbox.path.to_string_lossy()), n + 1);
        }
    }
}

fn short(inbox: &Inbox) -> String {
    format!("{}@{}", inbox.owner, shown(&inbox.project_name()))
}

/// All names of an inbox, shortest first.
fn ladder(inbox: &Inbox) -> Vec<String> {
    let mut out = vec![short(inbox), format!("{}.{}@{}", inbox.owner, inbox.layout, shown(&inbox.project_name()))];
    if inbox.label != Label::Global {
        for parts in 2..=inbox.project.iter().count() {
            let project = last(&inbox.project, parts);
            out.push(format!("{}@{project}", inbox.owner));
            out.push(format!("{}.{}@{project}", inbox.owner, inbox.layout));
        }
    }
    out.push(format!("{}@{}", inbox.owner, shown(&inbox.path.to_string_lossy())));
    out
}

/// The last parts of a path, joined by `/`.
fn last(path: &Path, parts: usize) -> String {
    let all: Vec<_> = path.iter().filter(|p| *p != "/").map(|p| p.to_string_lossy()).collect();
    let from = all.len().saturating_sub(parts);
    shown(&all.get(from..).unwrap_or_default().join("/"))
}

/// A folder's name as part of an inbox's: one line, whatever the folder is called.
fn shown(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::inbox::LayoutId;
    use crate::model::name::AgentName;

    fn names(inboxes: &[(&str, &str, LayoutId, &str)]) -> Vec<String> {
        let mut made: Vec<Inbox> = inboxes
            .iter()
            .map(|(owner, project, layout, path)| Inbox {
                name: String::new(),
                path: path.into(),
                layout: *layout,
                owner: AgentName::parse(owner).unwrap(),
                aliases: Vec::new(),
                label: if *project == "~" { Label::Global } else { Label::Project },
                project: project.into(),
            })
            .collect();
        assign(&mut made);
        made.into_iter().map(|i| i.name).collect()
    }

    #[test]
    fn short_where_nothing_meets() {
        let all = [
            ("soma", "/a/x", LayoutId::Soma, "/a/x/.soma/inbox"),
            ("claude", "/a/x", LayoutId::Soma, "/a/x/.claude/inbox"),
            ("soma", "~", LayoutId::Soma, "/h/.soma/inbox"),
            ("soma", "/", LayoutId::Soma, "/.soma/inbox"),
        ];
        assert_eq!(names(&all), ["soma@x", "claude@x", "soma@~", "soma@/"]);
    }

    #[test]
    fn more_of_the_path_where_projects_meet() {
        let all = [
            ("soma", "/a/x", LayoutId::Soma, "/a/x/.soma/inbox"),
            ("soma", "/b/x", LayoutId::Soma, "/b/x/.soma/inbox"),
            ("Soma", "/b/X", LayoutId::Soma, "/b/X/.soma/inbox"),
            ("soma", "/c/y", LayoutId::Soma, "/c/y/.soma/inbox"),
        ];
        let found = names(&all);
        assert_eq!((found[0].as_str(), found[3].as_str()), ("soma@a/x", "soma@y"));
        assert!(found[1] != found[2] && !found[1].eq_ignore_ascii_case(&found[2]), "{found:?}");
    }

    #[test]
    fn the_layout_where_one_project_has_both() {
        let all = [
            ("soma", "/a/work", LayoutId::Soma, "/a/work/.soma/inbox"),
            ("soma", "/a/work", LayoutId::Agents, "/a/work/.agents/inbox/soma"),
            ("soma", "/b/work", LayoutId::Soma, "/b/work/.soma/inbox"),
        ];
        assert_eq!(names(&all), ["soma.soma@a/work", "soma.agents@work", "soma@b/work"]);
    }

    #[test]
    fn the_whole_path_where_nothing_else_differs() {
        let all = [
            ("wren", "/a/w", LayoutId::Soma, "/a/w/.soma/inbox"),
            ("wren", "/a/w", LayoutId::Soma, "/a/w/docs/wren"),
            ("x", "~", LayoutId::Soma, "/h/.soma/inbox"),
            ("x", "~", LayoutId::Soma, "/h/.claude/inbox"),
        ];
        assert_eq!(names(&all), ["wren@/a/w/.soma/inbox", "wren@/a/w/docs/wren", "x@/h/.soma/inbox", "x@/h/.claude/inbox"]);
    }

    #[test]
    fn no_name_could_mean_another() {
        // The first one's plain name is what the second would be called with its layout.
        let all = [
            ("soma.agents", "/a/work", LayoutId::Soma, "/a/work/1"),
            ("soma", "/a/work", LayoutId::Agents, "/a/work/2"),
            ("soma", "/a/work", LayoutId::Soma, "/a/work/3"),
        ];
        let found = names(&all);
        assert!(found.iter().filter(|n| *n == "soma.agents@work").count() == 0, "{found:?}");
        let mut once = found.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), found.len());
    }

    #[test]
    fn the_order_does_not_matter() {
        let mut all = vec![
            ("soma", "/a/x", LayoutId::Soma, "/a/x/1"),
            ("soma", "/b/x", LayoutId::Soma, "/b/x/1"),
            ("soma", "/b/x", LayoutId::Json, "/b/x/2"),
        ];
        let forwards = names(&all);
        all.reverse();
        let mut backwards = names(&all);
        backwards.reverse();
        assert_eq!(forwards, backwards);
    }
}

use super::*;
use crate::config::Config;
use crate::model::date::Clock;
use crate::model::inbox::{Label, LayoutId};
use crate::model::name::AgentName;
use crate::ops::session::ProjectRules;
use crate::store::atomic::Disk;
use crate::store::discover::{Found, Ground};
use std::fs;
use std::path::PathBuf;

struct Room {
    _dir: tempfile::TempDir,
    folder: PathBuf,
    session: Session<'static>,
    inbox: Inbox,
}

fn room() -> Room {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(".soma/inbox");
    fs::create_dir_all(folder.join("_archive")).unwrap();
    let now = "2026-05-20T09:00:00Z".parse().unwrap();
    let inbox = Inbox {
        name: "soma@p".to_owned(),
        path: folder.clone(),
        layout: LayoutId::Soma,
        owner: AgentName::parse("soma").unwrap(),
        aliases: Vec::new(),
        label: Label::Project,
        project: dir.path().to_owned(),
    };
    let session = Session {
        config: Config::default(),
        project_rules: ProjectRules::default(),
        clock: Clock::utc(now),
        actor: None,
        ground: Ground::survey(dir.path(), None).unwrap(),
        found: Found::default(),
        state: dir.path().join("state"),
        temp: dir.path().to_owned(),
        disk: Disk::new(),
    };
    Room { _dir: dir, folder, session, inbox }
}

impl Room {
    fn put(&self, name: &str, status: &str, subject: &str) {
        let text = format!("---\nfrom: ava\nto: ben\ndate: 2026-05-20\nstatus: {status}\nsubject: {subject}\n---\nhi\n");
        fs::write(self.folder.join(name), text).unwrap();
    }

    fn look(&self, known: &mut Option<Known>) -> Vec<String> {
        let look = look(&self.session, &[&self.inbox], &Query::default(), known);
        if let Some(known) = known {
            tell(known, &look.new);
        }
        look.new.iter().map(|new| new.message.shown.subject.clone()).collect()
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.folder.join(from), self.folder.join(to)).unwrap();
    }
}

#[test]
fn what_was_there_is_not_new_and_each_new_one_is_told_once() {
    let room = room();
    room.put("a.md", "unread", "A");
    let mut known = None;
    assert_eq!(room.look(&mut known), [""; 0]);
    room.put("b.md", "unread", "B");
    room.put("c.md", "unread", "C");
    room.put("d.md", "resolved", "D");
    assert_eq!(room.look(&mut known), ["B", "C"]);
    assert_eq!(room.look(&mut known), [""; 0]);
}

#[test]
fn renames_marks_and_rewrites_make_nothing_new() {
    let room = room();
    room.put("a.md", "unread", "A");
    room.put("b.md", "unread", "B");
    let mut known = None;
    room.look(&mut known);
    room.rename("a.md", "z.md");
    assert_eq!(room.look(&mut known), [""; 0], "the file is known");
    fs::write(room.folder.join("b.tmp"), fs::read(room.folder.join("b.md")).unwrap()).unwrap();
    room.rename("b.tmp", "b.md");
    assert_eq!(room.look(&mut known), [""; 0], "what it says is known");
    room.put("b.md", "read", "B");
    room.look(&mut known);
    room.put("b.md", "unread", "B");
    assert_eq!(room.look(&mut known), [""; 0]);
    room.rename("z.md", "_archive/z.md");
    room.look(&mut known);
    room.rename("_archive/z.md", "z.md");
    assert_eq!(room.look(&mut known), ["A"], "what comes back unread is news");
}

#[test]
fn another_message_under_an_old_name_is_not_missed() {
    let room = room();
    room.put("a.md", "unread", "A");
    let mut known = None;
    room.look(&mut known);
    room.rename("a.md", "_archive/a.md");
    room.put("a.md", "unread", "other");
    assert_eq!(room.look(&mut known), ["other"]);
    fs::remove_file(room.folder.join("a.md")).unwrap();
    room.put("n.md", "unread", "again"); // may well get the same inode
    assert_eq!(room.look(&mut known), ["again"]);
}

#[test]
fn what_was_not_told_is_told_the_next_time_and_a_cursor_carries_that() {
    let room = room();
    let mut known = None;
    look(&room.session, &[&room.inbox], &Query::default(), &mut known);
    room.put("a.md", "unread", "A");
    room.put("b.md", "unread", "B");
    let seen = look(&room.session, &[&room.inbox], &Query::default(), &mut known);
    let mut known = known.unwrap();
    tell(&mut known, seen.new.iter().take(1));
    let mut again = Some(Known::of(&known.cursor()));
    assert_eq!(again.as_ref(), Some(&known));
    assert_eq!(room.look(&mut again), ["B"]);
}

#[test]
fn mail_for_others_is_neither_told_nor_lost_to_them() {
    let room = room();
    let mut known = None;
    room.look(&mut known);
    room.put("a.md", "unread", "A");
    let for_dora = Query { to: Some("dora".to_owned()), ..Query::default() };
    assert!(look(&room.session, &[&room.inbox], &for_dora, &mut known).new.is_empty());
    assert_eq!(room.look(&mut known), ["A"]);
}

#[test]
fn an_inbox_that_can_not_be_looked_into_forgets_nothing() {
    let room = room();
    room.put("a.md", "unread", "A");
    let mut known = None;
    room.look(&mut known);
    room.rename("", "../away");
    let seen = look(&room.session, &[&room.inbox], &Query::default(), &mut known);
    assert_eq!(seen.unlooked.len(), 1);
    fs::rename(room.folder.with_file_name("away"), &room.folder).unwrap();
    assert_eq!(room.look(&mut known), [""; 0]);
}

#[test]
fn a_message_that_is_still_written_is_held_back() {
    let room = room();
    let mut known = None;
    room.look(&mut known);
    let mut settling = Settling::default();
    let mut step = |room: &Room| {
        let seen = look(&room.session, &[&room.inbox], &Query::default(), &mut known.clone());
        let (whole, waiting) = settling.part(seen.new);
        (whole.len(), waiting)
    };
    fs::write(room.folder.join("a.md"), "---\nfrom: ava\n").unwrap();
    assert_eq!(step(&room), (0, 1));
    assert_eq!(step(&room), (0, 1), "its header is not closed yet");
    room.put("a.md", "unread", "A");
    assert_eq!(step(&room), (0, 1), "it has just changed");
    assert_eq!(step(&room), (1, 0));
    fs::write(room.folder.join("b.md"), "never a header").unwrap();
    let mut looks = 0;
    while step(&room).0 < 2 {
        looks += 1;
        assert!(looks < 20, "what never becomes whole is told all the same");
    }
}

//! Tests of commits where nothing fails: what ends up where, and what is refused. Failing steps
//! are in `tests/store_faults.rs`.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use super::*;
use crate::store::lock::LockPlace;
use crate::store::read;

/// An inbox of its own, with its lock.
struct Room {
    dir: tempfile::TempDir,
    inbox: PathBuf,
    lock: InboxLock,
}

impl Room {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let inbox = dir.path().join("inbox");
        fs::create_dir(&inbox).unwrap();
        let lock = InboxLock::take(&LockPlace::new(dir.path().join("state"), dir.path()), &inbox).unwrap();
        Self { dir, inbox, lock }
    }

    fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.inbox.join(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn run(&self, ops: Vec<FileOp>) -> Result<Vec<Done>, Failed> {
        self.run_on(Disk::new(), ops)
    }

    fn run_on(&self, disk: Disk<'_>, ops: Vec<FileOp>) -> Result<Vec<Done>, Failed> {
        let plan = EditPlan { inbox: self.inbox.clone(), ops };
        disk.carry_out(&self.lock, &plan, Reach::Within(self.dir.path()))
    }

    fn archive(&self, name: &str) -> Result<PathBuf, CommitError> {
        let from = self.inbox.join(name);
        let to = self.inbox.join("_archive").join(name);
        self.run(vec![shift(&from, &to)]).map(|mut done| done.remove(0).path).map_err(|failed| failed.error)
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> = walkdir::WalkDir::new(&self.inbox)
            .min_depth(1)
            .into_iter()
            .map(|e| e.unwrap())
            .filter(|e| !e.file_type().is_dir())
            .map(|e| e.path().strip_prefix(&self.inbox).unwrap().to_str().unwrap().to_owned())
            .collect();
        names.sort();
        names
    }
}

fn shift(from: &Path, to: &Path) -> FileOp {
    FileOp::Move { from: from.to_owned(), to: to.to_owned(), expect: read::stamp(from).unwrap() }
}

fn edit(path: &Path, before: &str, after: &str) -> FileOp {
    FileOp::Replace { path: path.to_owned(), before: Arc::from(before.as_bytes()), after: after.into() }
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn kind(error: &CommitError) -> &'static str {
    match error {
        CommitError::Refused { refusal, .. } => refusal.kind,
        CommitError::Changed { .. } => "changed",
        CommitError::Taken { .. } => "taken",
        CommitError::Read(e) => e.kind(),
        CommitError::Io { .. } => "io",
        CommitError::InBoth { .. } => "in-both",
    }
}

#[test]
fn a_file_that_changed_is_left_alone() {
    let room = Room::new();
    let path = room.put("a.md", "old");
    room.run(vec![edit(&path, "old", "new")]).unwrap();
    assert_eq!(text(&path), "new");
    for stale in ["old", "", "newer"] {
        let failed = room.run(vec![edit(&path, stale, "x")]).unwrap_err();
        assert!(matches!(failed.error, CommitError::Changed { .. }), "{failed}");
    }
    let failed = room.run(vec![edit(&room.inbox.join("none.md"), "old", "x")]).unwrap_err();
    assert_eq!(kind(&failed.error), "changed");
    assert_eq!((text(&path), room.names()), ("new".to_owned(), vec!["a.md".to_owned()]));
}

#[test]
fn an_edit_that_changes_nothing_writes_nothing() {
    let room = Room::new();
    let path = room.put("a.md", "same");
    let before = read::stamp(&path).unwrap();
    let hook = |step: Step, _: &Path| panic!("{step}");
    room.run_on(Disk::with_hook(&hook), vec![edit(&path, "same", "same")]).unwrap();
    assert_eq!(read::stamp(&path).unwrap(), before);
}

#[test]
fn a_plan_of_two_steps_checks_both_first() {
    let room = Room::new();
    let (a, b) = (room.put("a.md", "a"), room.put("b.md", "b"));
    let failed = room.run(vec![edit(&a, "a", "A"), edit(&b, "other", "B")]).unwrap_err();
    assert_eq!((failed.done.len(), kind(&failed.error)), (0, "changed"));
    assert_eq!(text(&a), "a");
}

#[test]
fn a_message_is_marked_and_moved_in_one_plan() {
    let room = Room::new();
    let path = room.put("a.md", "read");
    let to = room.inbox.join("_archive/a.md");
    let done = room.run(vec![edit(&path, "read", "actioned"), shift(&path, &to)]).unwrap();
    assert_eq!((done[1].path.clone(), text(&to)), (to, "actioned".to_owned()));
    assert_eq!(room.names(), ["_archive/a.md"]);
}

#[test]
fn a_plan_may_edit_a_file_twice_and_says_how_far_it_came() {
    let room = Room::new();
    let path = room.put("a.md", "a");
    room.run(vec![edit(&path, "a", "b"), edit(&path, "b", "c")]).unwrap();
    assert_eq!(text(&path), "c");
    let failed = room.run(vec![edit(&path, "c", "d"), edit(&path, "x", "e")]).unwrap_err();
    assert_eq!((failed.done.len(), text(&path)), (1, "d".to_owned()));
    assert!(failed.to_string().ends_with("was done (1 of the plan's steps)"), "{failed}");
}

#[test]
fn a_new_file_never_replaces_one() {
    let room = Room::new();
    room.put("a.md", "first");
    let create = |name: &str| FileOp::Create {
        path: room.inbox.join(name),
        bytes: b"new".to_vec(),
        staging: None,
        if_taken: IfTaken::Number(Vec::new()),
    };
    let plan = EditPlan { inbox: room.inbox.clone(), ops: vec![create("a.md"), create("a.md"), create("b.json.read")] };
    let done = Disk::new().carry_out_unlocked(&plan).unwrap();
    let names: Vec<_> = done.iter().map(|d| d.path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["a-2.md", "a-3.md", "b.json.read"]);
    assert_eq!(text(&room.inbox.join("a.md")), "first");
    assert_eq!(room.names(), ["a-2.md", "a-3.md", "a.md", "b.json.read"]);
    let plan = EditPlan { inbox: room.inbox.clone(), ops: vec![edit(&room.inbox.join("a.md"), "first", "x")] };
    assert_eq!(kind(&Disk::new().carry_out_unlocked(&plan).unwrap_err().error), "not-locked");
    let plan = EditPlan { inbox: room.dir.path().into(), ops: plan.ops };
    let failed = Disk::new().carry_out(&room.lock, &plan, Reach::Anywhere).unwrap_err();
    assert_eq!(kind(&failed.error), "not-locked");
}

#[test]
fn a_new_name_meets_none_in_the_folders_beside_and_is_foreseen() {
    let room = Room::new();
    let archive = room.dir.path().join("archive");
    std::fs::create_dir(&archive).unwrap();
    std::fs::write(archive.join("A.md"), "old").unwrap();
    room.put("a-2.md", "live");
    let create = |beside: Vec<PathBuf>| FileOp::Create {
        path: room.inbox.join("a.md"),
        bytes: b"new".to_vec(),
        staging: None,
        if_taken: IfTaken::Number(beside),
    };
    let missing = room.dir.path().join("missing");
    let op = create(vec![archive, missing]);
    assert_eq!(foreseen(&op, &[]), Some(room.inbox.join("a-3.md")));
    assert_eq!(foreseen(&op, &[room.inbox.join("a-3.md")]), Some(room.inbox.join("a-4.md")));
    let plan = EditPlan { inbox: room.inbox.clone(), ops: vec![op.clone(), op] };
    let done = Disk::new().carry_out_unlocked(&plan).unwrap();
    let names: Vec<_> = done.iter().map(|d| d.path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["a-3.md", "a-4.md"]);
    assert_eq!(foreseen(&create(Vec::new()), &[]), Some(room.inbox.join("a.md")));
}

#[test]
fn a_missing_inbox_is_not_made_by_accident() {
    let room = Room::new();
    let path = room.dir.path().join("none/a.md");
    let plan = EditPlan {
        inbox: room.inbox.clone(),
        ops: vec![FileOp::Create { path, bytes: Vec::new(), staging: None, if_taken: IfTaken::Number(Vec::new()) }],
    };
    assert_eq!(kind(&Disk::new().carry_out_unlocked(&plan).unwrap_err().error), "io");
    assert!(!room.dir.path().join("none").exists());
}

#[test]
fn temporaries_go_to_the_layouts_own_folder() {
    let room = Room::new();
    let staging = room.dir.path().join("tmp");
    fs::create_dir(&staging).unwrap();
    let seen = AtomicBool::new(false);
    let hook = |step: Step, path: &Path| {
        if step == Step::CreateTemp {
            assert_eq!(path, staging);
            seen.store(true, Ordering::SeqCst);
        }
        Ok(())
    };
    let op = FileOp::Create {
        path: room.inbox.join("a.md"),
        bytes: b"x".to_vec(),
        staging: Some(staging.clone()),
        if_taken: IfTaken::Number(Vec::new()),
    };
    let plan = EditPlan { inbox: room.inbox.clone(), ops: vec![op] };
    Disk::with_hook(&hook).carry_out_unlocked(&plan).unwrap();
    assert!(seen.load(Ordering::SeqCst));
    assert_eq!(fs::read_dir(&staging).unwrap().count(), 0);
    fs::remove_dir(&staging).unwrap();
    Disk::new().carry_out_unlocked(&plan).unwrap();
    assert_eq!(room.names(), ["a-2.md", "a.md"]);
}

#[test]
fn nothing_is_delivered_from_a_folder_on_another_file_system() {
    let room = Room::new();
    let staging = room.dir.path().join("tmp");
    fs::create_dir(&staging).unwrap();
    let before = room.names();
    let hook = |step: Step, _: &Path| match step {
        Step::Rename => Err(io::ErrorKind::CrossesDevices.into()),
        _ => Ok(()),
    };
    let path = room.inbox.join("a.md");
    let op = FileOp::Create { path, bytes: b"x".to_vec(), staging: Some(staging.clone()), if_taken: IfTaken::Refuse };
    let plan = EditPlan { inbox: room.inbox.clone(), ops: vec![op] };
    let failed = Disk::with_hook(&hook).carry_out_unlocked(&plan).unwrap_err();
    assert!(matches!(&failed.error, CommitError::Refused { refusal, .. } if refusal.kind == "other-file-system"), "{failed}");
    assert_eq!((room.names(), fs::read_dir(&staging).unwrap().count()), (before, 0));
}

#[test]
fn a_name_that_must_not_change_is_refused_when_taken() {
    let room = Room::new();
    room.put("a.md", "old");
    let op = FileOp::Create { path: room.inbox.join("a.md"), bytes: b"x".to_vec(), staging: None, if_taken: IfTaken::Refuse };
    let plan = EditPlan { inbox: room.inbox.clone(), ops: vec![op] };
    let failed = Disk::new().carry_out_unlocked(&plan).unwrap_err();
    assert!(matches!(failed.error, CommitError::Taken { .. }), "{failed}");
    assert_eq!(room.names(), ["a.md"]);
}

#[test]
fn a_move_avoids_names_that_would_meet() {
    let room = Room::new();
    for name in ["Note.md", "note.md", "cafe\u{301}.md", "caf\u{e9}.md"] {
        room.put(name, name);
        room.archive(name).unwrap();
    }
    let gone = room.put("gone.md", "x");
    let op = shift(&gone, &room.inbox.join("_archive/gone.md"));
    fs::remove_file(&gone).unwrap();
    assert_eq!(kind(&room.run(vec![op]).unwrap_err().error), "changed");
    let names: Vec<_> = room.names();
    assert_eq!(names.len(), 4);
    assert!(names.contains(&"_archive/note (2).md".to_owned()), "{names:?}");
    assert!(names.contains(&"_archive/caf\u{e9} (2).md".to_owned()), "{names:?}");
}

#[test]
fn a_renamed_message_does_not_stand_in_its_own_way() {
    let room = Room::new();
    let path = room.put("a.json", "x");
    let done = room.run(vec![shift(&path, &room.inbox.join("a.json.read"))]).unwrap();
    assert_eq!(done[0].path, room.inbox.join("a.json.read"));
    let done = room.run(vec![shift(&done[0].path, &room.inbox.join("A.json.READ"))]).unwrap();
    assert_eq!(done[0].path, room.inbox.join("A.json.READ"));
    let here = room.inbox.join("A.json.READ");
    assert_eq!(room.run(vec![shift(&here, &here)]).unwrap()[0].path, here);
}

#[test]
fn a_batch_goes_on_where_folders_are_taken_away_and_made_anew() {
    let room = Room::new();
    let archive = room.inbox.join("_archive");
    let mut batch = Disk::new().batch(Reach::Within(&room.inbox));
    let mut swept = |name: &str| {
        let from = room.put(name, name);
        let plan = EditPlan { inbox: room.inbox.clone(), ops: vec![shift(&from, &archive.join(name))] };
        batch.carry_out(&room.lock, &plan).map(|done| done[0].path.clone())
    };
    swept("1.md").unwrap();
    // One that is elsewhere now, and another in its place: nothing is lost, wherever it went.
    fs::rename(&archive, room.dir.path().join("old")).unwrap();
    fs::create_dir(&archive).unwrap();
    swept("2.md").unwrap();
    // One that is gone.
    fs::remove_dir_all(&archive).unwrap();
    fs::rename(room.dir.path().join("old"), &archive).unwrap();
    let kept: Vec<_> = room.names().into_iter().map(|name| (text(&room.inbox.join(&name)), name)).collect();
    fs::remove_dir_all(&archive).unwrap();
    fs::create_dir(&archive).unwrap();
    assert_eq!(swept("3.md").unwrap(), archive.join("3.md"));
    assert_eq!(kept, [("1.md".into(), "_archive/1.md".into()), ("2.md".into(), "_archive/2.md".into())]);
    assert_eq!(room.names(), ["_archive/3.md"]);
    // And one that is not made again: what can't be moved stays.
    fs::remove_dir_all(&archive).unwrap();
    assert!(swept("4.md").is_err());
    assert_eq!(room.names(), ["4.md"]);
}

#[test]
fn a_batch_moves_many_and_syncs_once() {
    let room = Room::new();
    for n in 0..20 {
        room.put(&format!("{n}.md"), "x");
    }
    let syncs = std::sync::atomic::AtomicUsize::new(0);
    let hook = |step: Step, _: &Path| {
        syncs.fetch_add(usize::from(step == Step::SyncFolder), Ordering::SeqCst);
        Ok(())
    };
    let disk = Disk::with_hook(&hook);
    let mut batch = disk.batch(Reach::Within(&room.inbox));
    for n in 0..20 {
        let name = format!("{n}.md");
        let ops = vec![shift(&room.inbox.join(&name), &room.inbox.join("_archive").join(&name))];
        batch.carry_out(&room.lock, &EditPlan { inbox: room.inbox.clone(), ops }).unwrap();
    }
    batch.finish().unwrap();
    assert_eq!(syncs.load(Ordering::SeqCst), 2);
    assert_eq!(room.names().len(), 20);
}

#[test]
fn something_else_where_the_archive_should_be() {
    let room = Room::new();
    room.put("a.md", "x");
    fs::write(room.inbox.join("_archive"), "a file").unwrap();
    assert_eq!(room.archive("a.md").map_err(|e| kind(&e)), Err("not-a-folder"));
    assert_eq!(room.names(), ["_archive", "a.md"]);
}

#[test]
fn what_was_saved_in_the_last_instant_is_not_moved() {
    let room = Room::new();
    let path = room.put("a.md", "old");
    let hook = |step: Step, _: &Path| {
        // An editor saves: a new file takes the name.
        if step == Step::Rename && text(&path) == "old" {
            fs::write(room.inbox.join("new"), "longer than old").unwrap();
            fs::rename(room.inbox.join("new"), &path).unwrap();
        }
        Ok(())
    };
    let failed = room.run_on(Disk::with_hook(&hook), vec![shift(&path, &room.inbox.join("_archive/a.md"))]).unwrap_err();
    assert_eq!(kind(&failed.error), "changed");
    assert_eq!((room.names(), text(&path)), (vec!["a.md".to_owned()], "longer than old".to_owned()));
}

#[test]
fn what_was_saved_while_the_temporary_was_written_is_not_replaced() {
    let room = Room::new();
    let path = room.put("a.md", "old");
    let hook = |step: Step, _: &Path| if step == Step::SyncFile { fs::write(&path, "sav") } else { Ok(()) };
    let failed = room.run_on(Disk::with_hook(&hook), vec![edit(&path, "old", "new")]).unwrap_err();
    assert_eq!((kind(&failed.error), text(&path)), ("changed", "sav".to_owned()));
    assert_eq!(room.names(), ["a.md"]);
}

#[test]
fn what_was_saved_while_the_copy_was_made_is_not_removed() {
    let room = Room::new();
    let path = room.put("a.md", "old");
    for at in [Step::SyncFolder, Step::SetAside] {
        fs::write(&path, "old").unwrap();
        let crossed = AtomicBool::new(false);
        let hook = |step: Step, _: &Path| {
            if step == Step::Rename && !crossed.swap(true, Ordering::SeqCst) {
                return Err(io::ErrorKind::CrossesDevices.into());
            }
            if step == at && text(&path) == "old" {
                fs::write(&path, "saved").unwrap();
            }
            Ok(())
        };
        let failed = room.run_on(Disk::with_hook(&hook), vec![shift(&path, &room.inbox.join("_archive/a.md"))]);
        assert_eq!(kind(&failed.unwrap_err().error), "changed");
        assert_eq!((room.names(), text(&path)), (vec!["a.md".to_owned()], "saved".to_owned()), "{at}");
    }
}

#[test]
fn files_that_are_no_messages_are_written_the_same_way() {
    let room = Room::new();
    let path = room.dir.path().join("AGENTS.md");
    let disk = Disk::new();
    disk.write_file(&path, None, b"one", Reach::Anywhere).unwrap();
    assert_eq!(kind(&disk.write_file(&path, None, b"two", Reach::Anywhere).unwrap_err().error), "taken");
    disk.write_file(&path, Some(b"one"), b"two", Reach::Anywhere).unwrap();
    assert_eq!(kind(&disk.write_file(&path, Some(b"one"), b"x", Reach::Anywhere).unwrap_err().error), "changed");
    assert_eq!(text(&path), "two");
}

#[test]
fn only_old_copies_are_tidied_away() {
    let room = Room::new();
    for name in [".postroom-copy-x.tmp", ".postroom-new-x.tmp", ".postroom-held-x.tmp", ".postroom-copy-x", "a.md"] {
        room.put(name, "x");
    }
    fs::create_dir(room.inbox.join(".postroom-copy-folder.tmp")).unwrap();
    let now = SystemTime::now();
    let disk = Disk::new();
    assert!(disk.tidy(&room.inbox, now).unwrap().is_empty());
    assert!(disk.tidy(&room.inbox, now - Duration::from_hours(9)).unwrap().is_empty());
    let removed = disk.tidy(&room.inbox, now + Duration::from_hours(2)).unwrap();
    assert_eq!(removed, [room.inbox.join(".postroom-copy-x.tmp")]);
    let kinds: Vec<_> = Disk::leftovers(&room.inbox).unwrap().into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(kinds, [Leftover::Copy, Leftover::Held, Leftover::New]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().mode() & 0o7777
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn links_stay_links_and_modes_are_kept() {
        let room = Room::new();
        let real = room.dir.path().join("real.md");
        fs::write(&real, "old").unwrap();
        set_mode(&real, 0o640);
        symlink("../real.md", room.inbox.join("hop.md")).unwrap();
        symlink("hop.md", room.inbox.join("link.md")).unwrap();
        room.run(vec![edit(&room.inbox.join("link.md"), "old", "new")]).unwrap();
        assert_eq!((text(&real), mode(&real)), ("new".to_owned(), 0o640));
        assert!(fs::symlink_metadata(room.inbox.join("link.md")).unwrap().is_symlink());
        assert!(fs::symlink_metadata(room.inbox.join("hop.md")).unwrap().is_symlink());
        assert_eq!(room.archive("link.md").map_err(|e| kind(&e)), Err("symlink"));
        assert_eq!(fs::read_dir(room.dir.path()).unwrap().count(), 3); // inbox, state, real.md
    }

    #[test]
    fn links_out_of_the_project_and_odd_things_are_refused() {
        let room = Room::new();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("a.md"), "old").unwrap();
        symlink(outside.path().join("a.md"), room.inbox.join("out.md")).unwrap();
        symlink("nowhere.md", room.inbox.join("dangling.md")).unwrap();
        fs::create_dir(room.inbox.join("folder.md")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, room.inbox.join("fifo.md"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
            .unwrap();
        for (name, want) in
            [("out.md", "link-outside"), ("dangling.md", "dangling-link"), ("folder.md", "not-a-file"), ("fifo.md", "not-a-file")]
        {
            let failed = room.run(vec![edit(&room.inbox.join(name), "old", "new")]).unwrap_err();
            assert_eq!(kind(&failed.error), want, "{name}");
        }
        assert_eq!(text(&outside.path().join("a.md")), "old");
        let path = room.inbox.join("dangling.md");
        let failed = Disk::new().write_file(&path, None, b"x", Reach::Anywhere).unwrap_err();
        assert_eq!(kind(&failed.error), "taken");
        assert!(!room.inbox.join("nowhere.md").exists());
    }

    #[test]
    fn owner_and_group_are_kept_where_the_system_lets_us() {
        let room = Room::new();
        let path = room.put("a.md", "old");
        if std::os::unix::fs::chown(&path, Some(12_345), Some(23_456)).is_err() {
            return; // only root can set this up
        }
        set_mode(&path, 0o660);
        let done = room.run(vec![edit(&path, "old", "new")]).unwrap();
        let facts = path.metadata().unwrap();
        assert_eq!((facts.uid(), facts.gid(), mode(&path), done[0].warnings.len()), (12_345, 23_456, 0o660, 0));
        let hook = |step: Step, _: &Path| match step {
            Step::CopyOwner => Err(io::ErrorKind::PermissionDenied.into()),
            _ => Ok(()),
        };
        let done = room.run_on(Disk::with_hook(&hook), vec![edit(&path, "new", "newer")]).unwrap();
        assert_eq!((done[0].warnings[0].kind, text(&path)), ("owner-changed", "newer".to_owned()));
    }

    #[test]
    fn a_split_hard_link_is_told() {
        let room = Room::new();
        let path = room.put("a.md", "old");
        fs::hard_link(&path, room.dir.path().join("other")).unwrap();
        let done = room.run(vec![edit(&path, "old", "new")]).unwrap();
        assert_eq!(done[0].warnings[0].kind, "hard-link-split");
        assert_eq!((text(&path), text(&room.dir.path().join("other"))), ("new".to_owned(), "old".to_owned()));
    }

    #[test]
    fn new_files_are_for_others_too_and_folders_like_their_parent() {
        let room = Room::new();
        set_mode(&room.inbox, 0o775);
        let op = FileOp::Create {
            path: room.inbox.join("a.md"),
            bytes: b"x".to_vec(),
            staging: None,
            if_taken: IfTaken::Number(Vec::new()),
        };
        Disk::new().carry_out_unlocked(&EditPlan { inbox: room.inbox.clone(), ops: vec![op] }).unwrap();
        fs::write(room.dir.path().join("plain"), "").unwrap(); // what the umask makes of 666
        assert_eq!(mode(&room.inbox.join("a.md")), mode(&room.dir.path().join("plain")) & 0o666);
        set_mode(&room.inbox.join("a.md"), 0o600);
        let to = room.archive("a.md").unwrap();
        assert_eq!((mode(&room.inbox.join("_archive")), mode(&to)), (0o775, 0o600));
    }

    #[test]
    fn a_linked_archive_is_followed_and_a_dangling_one_refused() {
        let room = Room::new();
        let elsewhere = room.dir.path().join("elsewhere");
        symlink(&elsewhere, room.inbox.join("_archive")).unwrap();
        room.put("a.md", "x");
        assert_eq!(room.archive("a.md").map_err(|e| kind(&e)), Err("dangling-link"));
        fs::create_dir(&elsewhere).unwrap();
        room.archive("a.md").unwrap();
        assert_eq!(text(&elsewhere.join("a.md")), "x");
    }

    #[test]
    fn another_file_system_gets_a_whole_copy_with_mode_and_time() {
        let room = Room::new();
        let Ok(other) = tempfile::tempdir_in("/dev/shm") else { return };
        if other.path().metadata().unwrap().dev() == room.dir.path().metadata().unwrap().dev() {
            return; // no second file system here
        }
        symlink(other.path(), room.inbox.join("_archive")).unwrap();
        let path = room.put("a.md", "x");
        set_mode(&path, 0o640);
        let old = SystemTime::UNIX_EPOCH + Duration::from_millis(1_234_567_890_123);
        fs::File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
        fs::write(other.path().join("a.md"), "somebody else's").unwrap();
        let to = room.archive("a.md").unwrap();
        assert_eq!(to.file_name().unwrap(), "a (2).md");
        assert_eq!((text(&to), mode(&to), to.metadata().unwrap().modified().unwrap()), ("x".into(), 0o640, old));
        assert_eq!((room.names(), fs::read_dir(other.path()).unwrap().count()), (vec!["_archive".to_owned()], 2));
    }

    #[test]
    fn an_interrupted_move_between_file_systems_is_finished() {
        let room = Room::new();
        let path = room.put("a.md", "x");
        fs::create_dir(room.inbox.join("_archive")).unwrap();
        let copy = room.inbox.join("_archive/a.md");
        fs::copy(&path, &copy).unwrap();
        let time = path.metadata().unwrap().modified().unwrap();
        let cross = |step: Step, _: &Path| {
            // Simulated: everything here is on one file system.
            if step == Step::Rename { Err(io::ErrorKind::CrossesDevices.into()) } else { Ok(()) }
        };
        fs::File::options().write(true).open(&copy).unwrap().set_modified(time).unwrap();
        // `a.md` is taken, so the rename is tried with `a (2).md`; the copy is recognised all the same.
        let done = room.run_on(Disk::with_hook(&cross), vec![shift(&path, &copy)]).unwrap();
        assert_eq!((done[0].path.clone(), room.names()), (copy, vec!["_archive/a.md".to_owned()]));
    }

    #[test]
    fn a_file_is_never_taken_for_its_own_copy() {
        let room = Room::new();
        let path = room.put("a.md", "x");
        fs::create_dir(room.inbox.join("_archive")).unwrap();
        let same = room.inbox.join("_archive/a.md");
        fs::hard_link(&path, &same).unwrap();
        let first = AtomicBool::new(true);
        let cross = |step: Step, _: &Path| {
            let fail = step == Step::Rename && first.swap(false, Ordering::SeqCst);
            if fail { Err(io::ErrorKind::CrossesDevices.into()) } else { Ok(()) }
        };
        room.run_on(Disk::with_hook(&cross), vec![shift(&path, &same)]).unwrap();
        assert_eq!(room.names(), ["_archive/a (2).md", "_archive/a.md"]);
    }
}

/// What another program does in the instant between the last check and the change.
type Meddling = (&'static str, fn(&Path));

#[test]
fn what_happens_in_the_last_instant_is_seen_after_the_exchange() {
    type Case<'a> = (Meddling, &'a str, &'a [(&'a str, &'a str)]);
    let meddlings: [Case<'_>; 4] = [
        (("saves in place", |path| fs::write(path, "theirs").unwrap()), "changed", &[("a.md", "theirs")]),
        (
            ("saves by a rename", |path| {
                fs::write(path.with_file_name("x"), "theirs").unwrap();
                fs::rename(path.with_file_name("x"), path).unwrap();
            }),
            "changed",
            &[("a.md", "theirs")],
        ),
        (("renames it", |path| fs::rename(path, path.with_file_name("b.md")).unwrap()), "changed", &[("b.md", "old")]),
        (("removes it", |path| fs::remove_file(path).unwrap()), "changed", &[]),
    ];
    for ((what, meddle), expected, files) in meddlings {
        let room = Room::new();
        let path = room.put("a.md", "old");
        let hook = |step: Step, _: &Path| {
            if step == Step::Exchange {
                meddle(&path);
            }
            Ok(())
        };
        let failed = room.run_on(Disk::with_hook(&hook), vec![edit(&path, "old", "new")]).unwrap_err();
        assert_eq!(kind(&failed.error), expected, "{what}");
        let found: Vec<_> = room.names().into_iter().map(|name| (name.clone(), text(&room.inbox.join(name)))).collect();
        let files: Vec<_> = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        assert_eq!(found, files, "{what}");
    }
}

#[test]
fn of_versions_saved_around_an_exchange_the_newest_has_the_name_and_the_other_is_kept() {
    let room = Room::new();
    let path = room.put("a.md", "old");
    let hook = |step: Step, _: &Path| match step {
        Step::Exchange => fs::write(&path, "first"),
        Step::PutBack if text(&path) == "new" => {
            fs::write(room.inbox.join("x"), "second")?;
            fs::rename(room.inbox.join("x"), &path)
        }
        _ => Ok(()),
    };
    let failed = room.run_on(Disk::with_hook(&hook), vec![edit(&path, "old", "new")]).unwrap_err();
    let CommitError::Io { after: After::SetAside, path: held, .. } = &failed.error else { panic!("{failed}") };
    assert_eq!((text(&path), text(held)), ("second".to_owned(), "first".to_owned()));
    assert_eq!(Leftover::of(held.file_name().unwrap()), Some(Leftover::Held));
}

#[test]
#[cfg(unix)]
fn a_link_that_took_the_name_is_put_back_and_not_read_through() {
    let room = Room::new();
    let path = room.put("a.md", "old");
    fs::write(room.inbox.parent().unwrap().join("same"), "old").unwrap();
    let hook = |step: Step, _: &Path| {
        if step == Step::Exchange {
            fs::remove_file(&path)?;
            std::os::unix::fs::symlink("../same", &path)?;
        }
        Ok(())
    };
    let failed = room.run_on(Disk::with_hook(&hook), vec![edit(&path, "old", "new")]).unwrap_err();
    assert_eq!(kind(&failed.error), "changed");
    assert!(path.is_symlink());
    assert_eq!((text(&path), room.names().len()), ("old".to_owned(), 1));
}

//! What people, programs and disks come up with: each is either handled, or refused with a clear line.
//! What is limited instead is in `docs/guarantees.md`.

use std::fs;
use std::time::{Duration, Instant};

use crate::support::{World, files, letter, snapshot};

fn quickly<T>(what: &str, most: Duration, act: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let out = act();
    assert!(start.elapsed() < most, "{what} took {:?}", start.elapsed());
    out
}

#[test]
fn a_message_of_100_mb_is_listed_by_its_header_and_marked_in_one_place() {
    let world = World::with_inbox();
    let mut text = letter("unread", "2026-05-01", "huge").into_bytes();
    text.resize(100 << 20, b'x');
    let path = world.file(".soma/inbox/2026-05-01-huge.md", &text);
    let ran = quickly("list", Duration::from_secs(5), || world.run(&["list"]).ok());
    assert!(ran.out.contains("huge"), "{ran:?}");
    quickly("mark", Duration::from_mins(1), || world.run(&["mark", "read", "2026-05-01-huge"]).ok());
    let now = fs::read(&path).unwrap();
    let at = text.windows(14).position(|w| w == b"status: unread").unwrap();
    assert!(now[..at] == text[..at] && now[at..at + 12] == *b"status: read" && now[at + 12..] == text[at + 14..]);
    quickly("sweep", Duration::from_secs(20), || world.run(&["sweep"]));
    // More than is ever held in memory: listed, shown as too large to be marked, and left alone.
    fs::File::options().write(true).open(&path).unwrap().set_len(300 << 20).unwrap();
    assert!(world.run(&["list"]).ok().out.contains("huge"));
    let ran = world.run(&["mark", "resolved", "2026-05-01-huge"]);
    assert!(ran.code == 1 && ran.err.contains("too large"), "{ran:?}");
    assert_eq!(fs::metadata(&path).unwrap().len(), 300 << 20);
}

#[test]
fn a_hundred_thousand_files_are_listed_counted_and_swept() {
    // In memory where the system can: the disk is not what is tried here.
    let world = World::with_inbox();
    let Ok(shelf) = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()) else { return };
    fs::remove_dir(world.inbox()).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(shelf.path(), world.inbox()).unwrap();
    #[cfg(not(unix))]
    fs::create_dir(world.inbox()).unwrap();
    let text = letter("unread", "2026-05-01", "one of many");
    let old = letter("resolved", "2026-01-01", "done long ago");
    for n in 0..100_000 {
        let name = format!("2026-05-01-{n:06}.md");
        fs::write(world.inbox().join(name), if n % 1000 == 0 { &old } else { &text }).unwrap();
    }
    let ran = quickly("list", Duration::from_mins(1), || world.run(&["list", "--limit", "5"]).ok());
    assert!(ran.out.contains("one of many"), "{ran:?}");
    let summary = quickly("summary", Duration::from_mins(1), || world.run(&["summary"]).ok());
    assert!(summary.out.contains("99,900") || summary.out.contains("99900"), "{}", summary.out);
    quickly("sweep", Duration::from_mins(1), || world.run(&["sweep"]));
    assert_eq!(files(&world, ".soma/inbox/_archive").len(), 100);
    assert_eq!(fs::read_dir(world.inbox()).unwrap().count(), 99_901);
}

/// A million: too slow for every run. `cargo test --release --test proof -- --ignored million --nocapture`
#[test]
#[ignore = "takes minutes, and a gigabyte or more of memory for the files"]
#[cfg(unix)]
fn a_million_files_are_listed_counted_and_swept() {
    const ALL: usize = 1_000_000;
    let world = World::with_inbox();
    let shelf = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    fs::remove_dir(world.inbox()).unwrap();
    std::os::unix::fs::symlink(shelf.path(), world.inbox()).unwrap();
    let (text, old) = (letter("unread", "2026-05-01", "one of many"), letter("resolved", "2026-01-01", "done long ago"));
    for n in 0..ALL {
        fs::write(world.inbox().join(format!("2026-05-01-{n:07}.md")), if n % 1000 == 0 { &old } else { &text }).unwrap();
    }
    for args in [
        &["list", "--limit", "5"][..],
        &["list", "--all", "--limit", "5", "--unread"],
        &["summary"],
        &["inboxes"],
        &["show", "2026-05-01-0500001"],
        &["mark", "read", "2026-05-01-0500001"],
        &["send", "--from", "a", "--to", "soma", "--subject", "one more", "--body", "b"],
        &["sweep"],
        &["doctor"],
    ] {
        let start = Instant::now();
        let inner = world.command(args);
        // GNU time, where it is there, says how much memory was held at most.
        let mut command = std::process::Command::new("/usr/bin/time");
        command.args(["-f", "%M KiB at most"]).arg(inner.get_program()).args(inner.get_args()).current_dir(world.project());
        command.env_clear().envs(inner.get_envs().filter_map(|(k, v)| Some((k, v?)))).stdout(std::process::Stdio::null());
        let status =
            command.status().unwrap_or_else(|_| world.command(args).stdout(std::process::Stdio::null()).status().unwrap());
        println!("{:>7.2} s  {args:?}", start.elapsed().as_secs_f64());
        assert!(matches!(status.code(), Some(0 | 1)), "{args:?}");
    }
    assert_eq!(files(&world, ".soma/inbox/_archive").len(), 1000);
    assert_eq!(fs::read_dir(world.inbox()).unwrap().count(), ALL - 1000 + 2);
}

#[test]
fn names_of_255_bytes_get_their_suffix_within_the_limit() {
    let world = World::with_inbox();
    let name = format!("2026-04-01-{}.md", "x".repeat(241));
    assert_eq!(name.len(), 255);
    world.message(&name, "actioned", "2026-04-01", "long");
    world.file(&format!(".soma/inbox/_archive/{name}"), "the name is taken");
    world.run(&["mark", "resolved", &name]).ok();
    world.run(&["archive", &name]).ok();
    let archived = files(&world, ".soma/inbox/_archive");
    assert_eq!(archived.len(), 2, "{archived:?}");
    assert!(archived.iter().all(|n| n.len() <= 255));
    world.run(&["send", "--from", "a", "--to", "soma", "--subject", &"y".repeat(400), "--body", "b"]).ok();
    assert_eq!(files(&world, ".soma/inbox").iter().filter(|n| n.contains("yyy")).count(), 1);
}

/// The `json` layout says by a longer name that a message is read.
#[test]
fn a_json_name_that_can_not_grow_is_refused_before_anything_is_written() {
    let world = World::with_inbox();
    let name = format!("{}.json", "x".repeat(250));
    let text = r#"{"id":"long","from":"ava","to":"dora","body":"b"}"#;
    world.file(&format!(".team/agents/dora/inbox/{name}"), text);
    for args in [&["mark", "read", &name[..250]][..], &["archive", "--mark", "resolved", &name[..250]]] {
        let ran = world.run(args);
        assert!(ran.code == 1 && ran.err.contains("shorter"), "{ran:?}");
    }
    assert_eq!(world.read(&format!(".team/agents/dora/inbox/{name}")), text);
    // Short enough for that.
    let name = format!("{}.json", "y".repeat(245));
    world.file(&format!(".team/agents/dora/inbox/{name}"), text);
    world.run(&["archive", "--mark", "resolved", &name[..245]]).ok();
    assert_eq!(files(&world, ".team/agents/dora/inbox/archive"), [format!("{name}.read")]);
}

/// Tags of a person's own and the access list stay with a message that is marked, archived and restored.
#[test]
#[cfg(target_os = "linux")]
fn attributes_and_access_lists_stay() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    let world = World::with_inbox();
    let path = world.message("2026-05-01-one.md", "unread", "2026-05-01", "one");
    if setxattr(&path, "user.tag", b"red", XattrFlags::empty()).is_err() {
        eprintln!("skipped: no attributes on this file system");
        return;
    }
    // Version 2; then tag, rights and number of each entry: a user of number 1234 may read it.
    let none = u32::MAX;
    let entries = [(1_u16, 6_u16, none), (2, 4, 1234), (4, 4, none), (16, 4, none), (32, 0, none)];
    let entries = entries.map(|(tag, may, id)| [&tag.to_le_bytes()[..], &may.to_le_bytes(), &id.to_le_bytes()].concat());
    let list = [2_u32.to_le_bytes().to_vec(), entries.concat()].concat();
    let has_lists = setxattr(&path, "system.posix_acl_access", &list, XattrFlags::empty()).is_ok();
    let get = |path: &std::path::Path, name: &str| {
        let mut buffer = [0; 256];
        getxattr(path, name, &mut buffer[..]).map(|len| buffer[..len].to_vec()).ok()
    };
    let holds = |path: &std::path::Path| {
        assert_eq!(get(path, "user.tag"), Some(b"red".to_vec()));
        assert!(
            !has_lists || get(path, "system.posix_acl_access").as_ref() == Some(&list),
            "{:?}",
            get(path, "system.posix_acl_access")
        );
    };
    let ran = world.run(&["mark", "actioned", "2026-05-01-one"]).ok();
    assert!(!ran.err.contains("could not be kept"), "{ran:?}");
    holds(&path);
    world.run(&["archive", "2026-05-01-one"]).ok();
    holds(&world.inbox().join("_archive/2026-05-01-one.md"));
    world.run(&["restore", "2026-05-01-one"]).ok();
    holds(&path);
    // A list that new files inherit is not given to a message that has none.
    let bare = world.message("2026-05-01-bare.md", "unread", "2026-05-01", "bare");
    if setxattr(world.inbox(), "system.posix_acl_default", &list, XattrFlags::empty()).is_ok() {
        world.run(&["mark", "read", "2026-05-01-bare"]).ok();
        assert_eq!(get(&bare, "system.posix_acl_access"), None);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn names_that_are_no_text_are_listed_marked_and_swept() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::with_inbox();
    let name = std::ffi::OsStr::from_bytes(b"2026-04-01-\xff\xfe.md");
    let path = world.inbox().join(name);
    fs::write(&path, letter("actioned", "2026-04-01", "odd name")).unwrap();
    assert!(world.run(&["list"]).ok().out.contains("odd name"));
    let printed = world.json(&["list", "--json"]);
    let reference = printed["messages"][0]["ref"].as_str().unwrap().to_owned();
    let ran = world.run(&["mark", "resolved", &reference]);
    assert!(ran.code == 0 || fs::read_to_string(&path).unwrap().contains("actioned"), "{ran:?}");
    world.run(&["sweep"]).ok();
    assert!(world.inbox().join("_archive").join(name).exists());
}

#[test]
#[cfg(unix)]
fn loops_pipes_sockets_and_devices_are_told_and_never_opened() {
    use std::os::unix::fs::symlink;
    let world = World::with_inbox();
    let at = |name: &str| world.inbox().join(name);
    symlink("2026-05-01-loop.md", at("2026-05-01-loop.md")).unwrap();
    symlink("2026-05-01-b.md", at("2026-05-01-a.md")).unwrap();
    symlink("2026-05-01-a.md", at("2026-05-01-b.md")).unwrap();
    symlink("/dev/zero", at("2026-05-01-zero.md")).unwrap();
    symlink("..", at("up")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("2026-05-01-socket.md")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(at("2026-05-01-pipe.md")).status().unwrap();
    assert!(made.success());
    world.message("2026-05-01-real.md", "unread", "2026-05-01", "real");
    let before = snapshot(&world.inbox());
    for args in
        [&["list", "--all"][..], &["summary"], &["sweep"], &["search", "real"], &["doctor"], &["hook", "--host", "claude"]]
    {
        let ran = quickly(&format!("{args:?}"), Duration::from_secs(10), || world.run(args));
        assert!(matches!(ran.code, 0 | 1), "{ran:?}");
    }
    assert!(world.run(&["list"]).out.contains("real"));
    for name in ["loop", "a", "zero", "socket", "pipe"] {
        let reference = format!("2026-05-01-{name}.md");
        for args in [&["mark", "read", &reference][..], &["show", &reference], &["archive", "--mark", "resolved", &reference]] {
            let ran = quickly(&format!("{args:?}"), Duration::from_secs(10), || world.run(args));
            assert!(ran.code != 0 && !ran.err.contains("panicked"), "{args:?}: {ran:?}");
        }
    }
    assert_eq!(snapshot(&world.inbox()), before);
}

#[test]
#[cfg(target_os = "linux")]
fn what_may_not_be_read_or_written_is_said_and_left_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::with_inbox();
    world.message("2026-05-01-one.md", "unread", "2026-05-01", "one");
    let closed = world.message("2026-05-01-closed.md", "unread", "2026-05-01", "closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    fs::create_dir_all(world.top().join("state")).unwrap();
    for path in [world.top(), world.top().join("state")] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
    }
    // Read-only for whoever runs this: by its mode for a user, by another user's hands for root.
    fs::set_permissions(world.inbox(), fs::Permissions::from_mode(0o555)).unwrap();
    let run = |args: &[&str]| {
        let inner = world.command(args);
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(inner.get_program()).args(inner.get_args());
        command.current_dir(world.project()).env_clear().envs(inner.get_envs().filter_map(|(k, v)| Some((k, v?))));
        command.output().map(|o| {
            (
                o.status.code().unwrap_or(-1),
                format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr)),
            )
        })
    };
    if run(&["--version"]).map_or(true, |(code, _)| code != 0) {
        eprintln!("skipped: no other user can be had here");
        return;
    }
    let before = snapshot(&world.home());
    let (code, told) = run(&["list"]).unwrap();
    assert!(told.contains("one") && told.contains("closed") && told.contains("permission denied"), "{code} {told}");
    for args in [
        &["mark", "read", "2026-05-01-one"][..],
        &["mark", "read", "2026-05-01-closed"],
        &["archive", "--mark", "resolved", "2026-05-01-one"],
        &["send", "--from", "a", "--to", "soma", "--subject", "s", "--body", "b"],
    ] {
        let (code, told) = run(args).unwrap();
        assert!(code == 1 && (told.to_lowercase().contains("permission denied")), "{args:?}: {code} {told}");
    }
    assert_eq!(snapshot(&world.home()), before);
    fs::set_permissions(world.inbox(), fs::Permissions::from_mode(0o755)).unwrap();
}

/// Somebody may stand in a folder that its path no longer leads to: what lies above is not their project.
#[test]
#[cfg(target_os = "linux")]
fn where_the_way_to_the_working_folder_is_closed_no_other_project_is_taken() {
    use std::os::unix::fs::PermissionsExt as _;
    const OTHER: u32 = 65534;
    let world = World::with_inbox();
    let inner = world.project().join("inner");
    fs::create_dir_all(inner.join(".soma/inbox")).unwrap();
    fs::create_dir_all(inner.join("sub")).unwrap();
    for path in [inner.clone(), inner.join("sub"), world.project(), world.inbox()] {
        let _ = std::os::unix::fs::chown(path, Some(OTHER), Some(OTHER));
    }
    fs::set_permissions(world.top(), fs::Permissions::from_mode(0o755)).unwrap();
    let run = |mode: &str, args: &[&str]| {
        let called = world.command(args);
        let mut command = std::process::Command::new("setpriv");
        command.args([&format!("--reuid={OTHER}"), &format!("--regid={OTHER}"), "--clear-groups", "sh", "-c"]);
        command.arg(format!("cd inner/sub && chmod {mode} .. && \"$@\"; code=$?; chmod 755 ..; exit $code")).arg("sh");
        command.arg(called.get_program()).args(called.get_args()).current_dir(world.project());
        command.env_clear().envs(called.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.output()
    };
    let before = snapshot(&world.home());
    // Another user may also be kept from the program, or from the folder above the place.
    if !run("755", &["inboxes"]).is_ok_and(|out| out.status.success()) {
        eprintln!("skipped: no other user can be had here");
        return;
    }
    let send = ["send", "--from", "a", "--to", "soma", "--subject", "s", "--body", "b"];
    for args in [&send[..], &["init", "--agent", "q"], &["list"]] {
        let out = run("000", args).unwrap();
        let told = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(3) && told.contains("can't start at"), "{args:?}: {out:?}");
    }
    assert_eq!(snapshot(&world.home()), before);
}

#[test]
fn names_that_meet_on_a_case_blind_or_normalising_disk_are_kept_apart() {
    let world = World::with_inbox();
    for (name, taken) in [("2026-04-01-NOTE.md", "2026-04-01-note.md"), ("2026-04-01-e\u{301}.md", "2026-04-01-\u{e9}.md")] {
        world.message(name, "resolved", "2026-04-01", "x");
        world.file(&format!(".soma/inbox/_archive/{taken}"), "taken");
    }
    world.run(&["sweep"]).ok();
    let archived = files(&world, ".soma/inbox/_archive");
    assert_eq!(archived.len(), 4);
    assert_eq!(archived.iter().filter(|n| n.contains(" (2).md")).count(), 2, "{archived:?}");
}

#[test]
fn a_clock_that_jumps_makes_nothing_old_and_nothing_vanish() {
    // A clock far back, far ahead, and at the ends of what can be said.
    for now in ["1970-01-01T00:00:00Z", "2038-01-19T03:14:08Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"] {
        let world = World::with_inbox().at(now);
        world.message("2026-05-01-one.md", "unread", "2026-05-01", "one");
        world.message("2026-05-02-two.md", "resolved", "2026-05-02", "two");
        assert!(world.run(&["list"]).ok().out.contains("one"), "{now}");
        world.run(&["sweep"]);
        let archived = world.inbox().join("_archive").exists();
        assert_eq!(archived, now > "2026", "{now}: a date in the future is never old");
        world.run(&["send", "--from", "a", "--to", "soma", "--subject", "s", "--body", "b"]).ok();
        world.run(&["mark", "read", "2026-05-01-one"]).ok();
        assert!(world.run(&["log"]).ok().out.contains("one"), "{now}");
    }
}

#[test]
fn days_are_calendar_days_across_daylight_saving() {
    // In Berlin clocks went forward on 29 March and go back on 25 October 2026: the days between are
    // 23 and 25 hours long, and 14 days are 14 days all the same.
    for (now, day, swept) in [
        ("2026-04-05T22:30:00Z", "2026-03-22", true),  // 6 April 00:30 there: 15 days
        ("2026-04-05T21:30:00Z", "2026-03-22", false), // 5 April 23:30 there: 14 days
        ("2026-10-31T23:30:00Z", "2026-10-17", true),  // 1 November 00:30 there: 15 days
        ("2026-10-31T22:30:00Z", "2026-10-17", false), // 31 October 23:30 there: 14 days
    ] {
        let world = World::with_inbox().at(now).set("TZ", "CET-1CEST,M3.5.0,M10.5.0/3");
        world.message("a.md", "resolved", day, "x");
        world.run(&["sweep"]).ok();
        assert_eq!(world.inbox().join("_archive").exists(), swept, "{now}");
    }
}

#[test]
fn bombs_depths_and_nuls_are_read_at_once_and_stay_as_they_are() {
    let world = World::with_inbox();
    let bombs: Vec<_> = (1..40).map(|n| format!("k{n}: &a{n} [*a{0}, *a{0}]", n - 1)).collect();
    let bomb = format!("k0: &a0 x\n{}\n", bombs.join("\n"));
    let deep = "[".repeat(50_000);
    for (name, text) in [
        ("bomb", format!("---\n{bomb}status: unread\n---\nx\n")),
        ("deep", format!("---\nx: {deep}\nstatus: unread\n---\nx\n")),
        ("nul", "---\nfrom: a\0b\nstatus: unread\n---\n\0\0\n".to_owned()),
        ("line", format!("---\nsubject: {}\nstatus: unread\n---\nx\n", "y".repeat(1 << 20))),
        ("lines", format!("---\n{}status: unread\n---\nx\n", "k: v\n".repeat(50_000))),
        ("empty", String::new()),
    ] {
        world.file(&format!(".soma/inbox/2026-05-01-{name}.md"), text);
    }
    world.file(".team/agents/dora/inbox/deep.json", deep);
    let ran = quickly("list", Duration::from_secs(10), || world.run(&["list"]));
    for name in ["bomb", "deep", "nul", "line", "lines", "empty"] {
        assert!(ran.out.contains(name) || ran.out.contains("a\u{fffd}b") || ran.out.contains("yyy"), "{name}: {ran:?}");
    }
    let mut before = snapshot(&world.inbox());
    for (name, _) in before.clone() {
        let ran = quickly(&name, Duration::from_secs(10), || world.run(&["mark", "read", &name]));
        let now = snapshot(&world.inbox());
        let same = now.iter().zip(&before).filter(|(new, old)| new == old).count();
        assert!(same + 1 >= before.len() && now.len() == before.len(), "{name}: {ran:?}");
        before = now;
    }
}

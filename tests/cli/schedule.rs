//! `schedule`: what is written, called and taken away again, with stand-ins for the schedulers'
//! programs on the PATH; and the sweep of all known projects that it runs.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{World, letter, snapshot};

/// A stand-in that writes down how it is called, and behaves as far as it is asked.
const SYSTEMCTL: &str = r#"
case "$*" in
  *Version*) echo Version=255 ;;
  *NextElapse*) echo ActiveState=active; echo 'NextElapseUSecRealtime=Thu 2026-05-21 04:30:00 UTC' ;;
  *) echo "systemctl $*" >>"$TOP/calls" ;;
esac"#;
const LOGINCTL: &str = "echo no";
const CRONTAB: &str = r#"
case "$1" in
  -l) if [ -f "$TOP/crontab" ]; then /bin/cat "$TOP/crontab"; else echo "no crontab for ben" >&2; exit 1; fi ;;
  -r) /bin/rm "$TOP/crontab" ;;
  -) /bin/cat >"$TOP/crontab" ;;
esac"#;
const LAUNCHCTL: &str = r#"
case "$1" in
  print) [ -f "$TOP/loaded" ] ;;
  bootstrap) echo "launchctl $*" >>"$TOP/calls"; : >"$TOP/loaded" ;;
  bootout) echo "launchctl $*" >>"$TOP/calls"; /bin/rm "$TOP/loaded" ;;
esac"#;

/// A world in which only the programs given are on the PATH.
fn world(programs: &[(&str, &str)]) -> World {
    let world = World::with_inbox();
    let bin = world.top().join("bin");
    fs::create_dir(&bin).unwrap();
    for (name, script) in programs {
        let path = bin.join(name);
        fs::write(&path, format!("#!/bin/sh\nTOP={}\n{script}\n", world.top().display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = bin.to_string_lossy().into_owned();
    world.set("PATH", &path)
}

fn with_systemd() -> World {
    world(&[("systemctl", SYSTEMCTL), ("loginctl", LOGINCTL)])
}

fn calls(world: &World) -> String {
    fs::read_to_string(world.top().join("calls")).unwrap_or_default()
}

fn units(world: &World) -> PathBuf {
    world.top().join("config/systemd/user")
}

/// All that a schedule may touch.
fn all(world: &World) -> Vec<(String, String)> {
    let top = world.top();
    let mut out = snapshot(&top);
    let own = |name: &str| name.starts_with("calls") || name.starts_with("state/locks");
    out.retain(|(name, _)| !own(name));
    out
}

#[test]
fn a_systemd_timer_is_installed_once_and_taken_away_without_a_trace() {
    let world = with_systemd();
    let before = all(&world);
    let dry = world.run(&["schedule", "install", "--dry-run"]).ok();
    assert_eq!(all(&world), before, "{dry:?}");

    let ran = world.run(&["schedule", "install"]).ok();
    let program = env!("CARGO_BIN_EXE_postroom");
    let told = world.plain(&ran.out).replace(program, "[PROGRAM]");
    insta::assert_snapshot!(told, @r#"
    each day at 04:30: [PROGRAM] sweep --projects
      project [TOP]/home/work (added to your configuration)
    wrote [TOP]/config/systemd/user/postroom-sweep.service
    wrote [TOP]/config/systemd/user/postroom-sweep.timer
    ran systemctl --user daemon-reload
    ran systemctl --user enable --now postroom-sweep.timer
      lingering is off: the timer runs only while you are logged in, and catches up at the next login; `loginctl enable-linger` lets it run at any time
    "#);
    assert_eq!(calls(&world), "systemctl --user daemon-reload\nsystemctl --user enable --now postroom-sweep.timer\n");
    let service = fs::read_to_string(units(&world).join("postroom-sweep.service")).unwrap();
    assert!(service.contains(&format!("ExecStart={program} sweep --projects\n")), "{service}");
    assert!(service.contains("Environment=XDG_CONFIG_HOME=") && service.contains("Environment=XDG_STATE_HOME="), "{service}");
    assert!(fs::read_to_string(units(&world).join("postroom-sweep.timer")).unwrap().contains("\nPersistent=true\n"));
    let config = fs::read_to_string(world.top().join("config/postroom/config.toml")).unwrap();
    assert_eq!(config, format!("projects = [\"{}\"]\n", world.project().display()));

    let installed = all(&world);
    let again = world.run(&["schedule", "install"]).ok();
    assert!(!again.out.contains("wrote"), "{again:?}");
    assert_eq!(all(&world), installed);
    let status = world.json(&["schedule", "status", "--json"]);
    assert_eq!((&status["schedules"][0]["kind"], &status["schedules"][0]["state"]), (&"systemd".into(), &"installed".into()));
    let later = world.run(&["schedule", "status"]).ok();
    assert!(later.out.contains("next run: Thu 2026-05-21 04:30:00 UTC") && later.out.contains("lingering is off"), "{later:?}");
    assert!(world.run(&["schedule", "install", "--at", "03:15"]).ok().out.contains("wrote"));
    let kept = world.run(&["schedule", "install"]).ok();
    assert!(kept.out.starts_with("each day at 03:15") && !kept.out.contains("wrote"), "a time that was chosen stays: {kept:?}");

    world.run(&["schedule", "remove"]).ok();
    assert!(calls(&world).ends_with("systemctl --user disable --now postroom-sweep.timer\nsystemctl --user daemon-reload\n"));
    let mut after = all(&world);
    after.retain(|(name, _)| !name.starts_with("state/"));
    assert_eq!(after, before);
    assert!(!world.top().join("config").exists(), "the folders that were made for it go, too");
    assert!(world.run(&["schedule", "remove"]).ok().out.contains("nothing"));
}

#[test]
fn of_two_schedulers_each_is_told_of_and_the_last_one_takes_the_projects_with_it() {
    let world = world(&[("systemctl", SYSTEMCTL), ("loginctl", LOGINCTL), ("crontab", CRONTAB)]);
    assert!(!world.run(&["schedule", "install"]).ok().out.contains("sweeps, too"));
    let ran = world.run(&["schedule", "install", "--cron", "--at", "05:00"]).ok();
    assert!(ran.out.contains("systemd sweeps, too: `postroom schedule remove --systemd`"), "{ran:?}");
    let doc = world.json(&["schedule", "status", "--json"]);
    let at: Vec<_> = doc["schedules"].as_array().unwrap().iter().map(|row| (&row["kind"], &row["at"])).collect();
    assert_eq!(at, [(&"systemd".into(), &"04:30".into()), (&"cron".into(), &"05:00".into())]);
    let config = world.top().join("config/postroom/config.toml");
    let ran = world.run(&["schedule", "remove", "--systemd"]).ok();
    assert!(ran.out.contains("cron goes on sweeping") && config.exists(), "{ran:?}");
    world.run(&["schedule", "remove", "--cron"]).ok();
    assert!(!config.exists());
    // Without its program, what systemd would read is found all the same.
    world.run(&["schedule", "install", "--systemd"]).ok();
    fs::remove_file(world.top().join("bin/systemctl")).unwrap();
    assert!(world.run(&["schedule", "status"]).ok().out.contains("postroom-sweep.timer (installed)"));
    let doc = world.run(&["schedule", "remove", "-n", "--json"]).document();
    assert_eq!(doc["error"], serde_json::Value::Null);
    let ran = world.run(&["schedule", "remove"]);
    assert!(ran.code == 1 && ran.err.contains("systemctl") && !units(&world).exists(), "{ran:?}");
}

#[test]
fn what_others_wrote_and_what_was_changed_by_hand_is_left_alone() {
    let world = with_systemd();
    fs::create_dir_all(units(&world)).unwrap();
    let unit = units(&world).join("postroom-sweep.timer");
    fs::write(&unit, "[Timer]\nOnCalendar=hourly\n").unwrap();
    let before = all(&world);
    for action in ["install", "remove"] {
        let ran = world.run(&["schedule", action]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains("not of postroom's making"), "{ran:?}");
    }
    assert_eq!(all(&world), before);
    assert_eq!(calls(&world), "");
    fs::remove_file(&unit).unwrap();
    world.run(&["schedule", "install"]).ok();
    let text = fs::read_to_string(&unit).unwrap().replace("04:30", "05:45");
    fs::write(&unit, &text).unwrap();
    for action in ["install", "remove"] {
        let ran = world.run(&["schedule", action]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.err.contains("changed by hand"), "{ran:?}");
        assert_eq!(fs::read_to_string(&unit).unwrap(), text);
    }
    assert_eq!(world.json(&["schedule", "status", "--json"])["schedules"][0]["state"], "edited");
}

#[test]
fn a_scheduler_that_refuses_is_told_and_the_next_try_completes_it() {
    let broken = SYSTEMCTL
        .replace("*) echo \"systemctl", "*enable*) echo 'Failed to connect to bus' >&2; exit 1 ;;\n  *) echo \"systemctl");
    let world = world(&[("systemctl", &broken)]);
    let ran = world.run(&["schedule", "install"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("Failed to connect to bus") && ran.err.contains("run the same command again"), "{ran:?}");
    assert_eq!(world.run(&["schedule", "install"]).code, 1);
}

#[test]
fn a_crontab_keeps_every_other_line() {
    let world = world(&[("crontab", CRONTAB)]);
    let crontab = world.top().join("crontab");
    world.run(&["schedule", "install"]).ok();
    let block = fs::read_to_string(&crontab).unwrap();
    assert!(block.contains(&format!("{} sweep --projects >>", env!("CARGO_BIN_EXE_postroom"))), "{block}");
    world.run(&["schedule", "remove"]).ok();
    assert!(!crontab.exists(), "there was none before");

    let old = "MAILTO=ben\n# mine\n5 5 * * * /usr/bin/postroom sweep\n";
    fs::write(&crontab, old).unwrap();
    let ran = world.run(&["schedule", "install"]).ok();
    assert!(ran.out.contains("another line of your crontab sweeps, too: 5 5 * * *"), "{ran:?}");
    assert_eq!(fs::read_to_string(&crontab).unwrap(), format!("{old}{block}"));
    world.run(&["schedule", "install"]).ok();
    assert_eq!(fs::read_to_string(&crontab).unwrap(), format!("{old}{block}"));
    world.run(&["schedule", "install", "--at", "1:05"]).ok();
    let moved = fs::read_to_string(&crontab).unwrap();
    assert_eq!(world.json(&["schedule", "status", "--json"])["schedules"][0]["state"], "installed");
    assert!(moved.contains("\n5 1 * * * ") && moved.starts_with(old) && moved.matches("BEGIN postroom").count() == 1, "{moved}");
    fs::write(&crontab, moved.replace("5 1 * * *", "6 1 * * *")).unwrap();
    assert_eq!(world.run(&["schedule", "remove"]).code, 1);
    fs::write(&crontab, format!("{moved}0 0 * * * last\n")).unwrap();
    world.run(&["schedule", "remove"]).ok();
    assert_eq!(fs::read_to_string(&crontab).unwrap(), format!("{old}0 0 * * * last\n"));
}

#[test]
fn a_launch_agent_is_loaded_and_taken_away() {
    let world = world(&[("launchctl", LAUNCHCTL)]);
    let before = snapshot(&world.home());
    world.run(&["schedule", "install", "--launchd"]).ok();
    let plist = world.home().join("Library/LaunchAgents/dev.postroom.sweep.plist");
    assert!(plist.is_file() && calls(&world).contains("bootstrap gui/"), "{}", calls(&world));
    if let Ok(output) = Command::new("python3")
        .args(["-c", "import plistlib,sys; print(plistlib.load(open(sys.argv[1],'rb'))['ProgramArguments'][1:])"])
        .arg(&plist)
        .output()
    {
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "['sweep', '--projects']", "{output:?}");
    }
    let before_again = calls(&world);
    world.run(&["schedule", "install", "--launchd"]).ok();
    assert_eq!(calls(&world), before_again);
    world.run(&["schedule", "install", "--launchd", "--at", "05:00"]).ok();
    assert!(calls(&world).contains("bootout gui/"));
    world.run(&["schedule", "remove"]).ok();
    assert_eq!(snapshot(&world.home()), before);
    assert!(!world.top().join("loaded").exists());
}

#[test]
fn the_machine_decides_and_a_machine_without_a_scheduler_is_told() {
    let kind = |world: &World| world.json(&["schedule", "print", "--json"])["schedules"][0]["kind"].clone();
    assert_eq!(kind(&world(&[("systemctl", SYSTEMCTL), ("crontab", CRONTAB)])), "systemd");
    assert_eq!(kind(&world(&[("systemctl", "exit 1"), ("crontab", CRONTAB)])), "cron");
    let none = world(&[]);
    let ran = none.run(&["schedule", "install"]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("no scheduler") && ran.err.contains("print --systemd"), "{ran:?}");
    assert!(none.run(&["schedule", "print", "--cron"]).ok().out.starts_with("# BEGIN postroom schedule"));
    assert!(none.run(&["schedule", "print", "--launchd"]).ok().out.starts_with("<?xml"));
    assert_eq!(none.run(&["schedule", "install", "--at", "25:00"]).code, 2);
    assert!(none.run(&["schedule", "status"]).ok().out.contains("nothing is scheduled"));
}

#[test]
fn units_stand_up_to_systemd_and_a_crontab_line_to_a_shell_whatever_the_path() {
    for name in ["odd %h dir/$HOME & more;", "odd %h dir/it's $HOME & \"more\" \\n"] {
        stands_up(name);
    }
}

fn stands_up(folder: &str) {
    let world = World::with_inbox();
    let odd = world.top().join(folder);
    fs::create_dir_all(&odd).unwrap();
    symlink(env!("CARGO_BIN_EXE_postroom"), odd.join("postroom")).unwrap();
    let world = world.set("PATH", &odd.to_string_lossy());
    let files = world.json(&["schedule", "print", "--systemd", "--json"])["schedules"][0]["files"].clone();
    let folder = world.top().join("units");
    fs::create_dir(&folder).unwrap();
    for file in files.as_array().unwrap() {
        let name = Path::new(file["path"].as_str().unwrap()).file_name().unwrap().to_owned();
        fs::write(folder.join(name), file["text"].as_str().unwrap()).unwrap();
    }
    let verify = Command::new("systemd-analyze")
        .args(["verify", "--user", "--man=no"])
        .args([folder.join("postroom-sweep.service"), folder.join("postroom-sweep.timer")])
        .env("XDG_RUNTIME_DIR", world.top())
        .output();
    if let Ok(output) = verify {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let about_us: Vec<&str> = said.lines().filter(|l| l.contains("postroom")).collect();
        assert!(output.status.success() && about_us.is_empty(), "{said}");
    }

    // What cron hands to the shell: `\%` becomes `%`.
    let block = world.run(&["schedule", "print", "--cron"]).ok().out;
    let line = block.lines().nth(1).unwrap().splitn(6, ' ').nth(5).unwrap().replace("\\%", "%");
    fs::create_dir_all(world.top().join("state/postroom")).unwrap();
    world.message("2026-01-01-old.md", "resolved", "2026-01-01", "old");
    fs::create_dir_all(world.top().join("config/postroom")).unwrap();
    fs::write(world.top().join("config/postroom/config.toml"), format!("projects = [\"{}\"]\n", world.project().display()))
        .unwrap();
    let shell = Command::new("/bin/sh")
        .arg("-c")
        .arg(&line)
        .env_clear()
        .env("HOME", world.home())
        .env("PATH", "/usr/bin:/bin")
        .current_dir("/")
        .output()
        .unwrap();
    let log = fs::read_to_string(world.top().join("state/postroom/sweep.log")).unwrap();
    assert!(shell.status.success() && log.contains("1 archived, 0 kept, 0 failed"), "{shell:?} {log}");
}

#[test]
fn every_known_project_is_swept_once_each_with_its_own_settings() {
    let world = World::with_inbox();
    let home = world.home();
    let put = |path: &str, text: String| {
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for name in ["one", "two", "elsewhere"] {
        put(&format!("{name}/.soma/inbox/2026-04-01-old.md"), letter("resolved", "2026-04-01", name));
        put(&format!("{name}/.soma/inbox/2026-05-10-new.md"), letter("resolved", "2026-05-10", name));
    }
    put(".soma/inbox/2026-04-01-global.md", letter("actioned", "2026-04-01", "global"));
    put("two/.postroom.toml", "[sweep]\nolder_than = \"5d\"\n".to_owned());
    fs::create_dir_all(world.top().join("config/postroom")).unwrap();
    fs::write(world.top().join("config/postroom/config.toml"), "projects = [\"~/one\", \"~/two\", \"~/gone\"]\n").unwrap();
    let ran = world.run(&["sweep", "--projects", "--json"]);
    assert_eq!(ran.code, 1, "a project that is gone is told");
    assert!(ran.err.contains("~/gone was not swept"), "{ran:?}");
    let doc = ran.document();
    let mut swept: Vec<String> = doc["archived"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| world.plain(m["from_path"].as_str().unwrap()).replace("[TOP]/home/", ""))
        .collect();
    swept.sort();
    assert_eq!(
        swept,
        [
            ".soma/inbox/2026-04-01-global.md",
            "one/.soma/inbox/2026-04-01-old.md",
            "two/.soma/inbox/2026-04-01-old.md",
            "two/.soma/inbox/2026-05-10-new.md"
        ]
    );
    assert!(home.join("elsewhere/.soma/inbox/2026-04-01-old.md").exists(), "no project that nobody named");
    assert_eq!(world.run(&["sweep", "--projects", "--inbox", "soma@work"]).code, 2);
}

//! A systemd user timer: two units, and `systemctl --user`.

use super::programs::{self, words};
use super::{Kind, Plan, Run, Text, start};
use crate::error::Report;
use crate::ops::schedule::{Job, Standing, UNIT};

/// Whether this user's systemd can be asked.
pub fn answers() -> bool {
    start::on_path("systemctl").is_some()
        && programs::run(&words(&["systemctl", "--user", "show", "--property=Version"]), None).is_ok()
}

pub fn plan(run: &Run<'_>, job: Job, for_removal: bool) -> Result<Plan, Report> {
    let folder =
        start::config_home(&run.session).ok_or_else(|| Report::failed("no-home", "there is no home folder for units"))?;
    let folder = folder.join("systemd").join("user");
    let texts = vec![
        Text::file(folder.join(format!("{UNIT}.service")), job.service())?,
        Text::file(folder.join(format!("{UNIT}.timer")), job.timer())?,
    ];
    let timer = format!("{UNIT}.timer");
    let reload = words(&["systemctl", "--user", "daemon-reload"]);
    let is_there = texts.iter().any(|text| text.standing != Standing::Missing);
    let mut notes = Vec::new();
    let (commands, afterwards) = if for_removal {
        (vec![words(&["systemctl", "--user", "disable", "--now", &timer])], vec![reload])
    } else {
        notes.extend(next_run(&timer).filter(|_| is_there));
        notes.extend(lingering());
        (vec![reload, words(&["systemctl", "--user", "enable", "--now", &timer])], Vec::new())
    };
    Ok(Plan { kind: Kind::Systemd, job, texts, commands, afterwards, notes })
}

/// What systemd says of the timer.
fn next_run(timer: &str) -> Option<String> {
    let call = words(&["systemctl", "--user", "show", timer, "--property=ActiveState", "--property=NextElapseUSecRealtime"]);
    let said = String::from_utf8(programs::run(&call, None).ok()?).ok()?;
    let value = |key: &str| said.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('=')).filter(|v| !v.is_empty());
    match (value("ActiveState")?, value("NextElapseUSecRealtime")) {
        ("active", Some(next)) => Some(format!("the timer is active; next run: {next}")),
        ("active", None) => Some("the timer is active".to_owned()),
        (state, _) => Some(format!("the timer is {state}: `systemctl --user enable --now {timer}` starts it")),
    }
}

/// What it means that a user's systemd stops at logout.
fn lingering() -> Option<String> {
    let user = start::user_id().to_string();
    let said = programs::run(&words(&["loginctl", "show-user", &user, "--property=Linger", "--value"]), None).ok()?;
    (said.trim_ascii() == b"no").then(|| {
        "lingering is off: the timer runs only while you are logged in, and catches up at the next login; \
         `loginctl enable-linger` lets it run at any time"
            .to_owned()
    })
}

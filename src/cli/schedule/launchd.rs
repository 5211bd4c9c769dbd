//! A launchd agent: one property list, and `launchctl`.

use super::programs::{self, words};
use super::{Kind, Plan, Run, Text, start};
use crate::error::Report;
use crate::ops::schedule::{Job, LABEL, Standing};

pub fn plan(run: &Run<'_>, job: Job, for_removal: bool) -> Result<Plan, Report> {
    let home = run.session.home().ok_or_else(|| Report::failed("no-home", "there is no home folder for launch agents"))?;
    let path = home.join("Library/LaunchAgents").join(format!("{LABEL}.plist"));
    let domain = format!("gui/{}", start::user_id());
    let service = format!("{domain}/{LABEL}");
    let file = path.to_string_lossy().into_owned();
    let text = Text::file(path, job.plist())?;
    let loaded = start::on_path("launchctl").is_some() && programs::run(&words(&["launchctl", "print", &service]), None).is_ok();
    let stop = words(&["launchctl", "bootout", &service]);
    let begin = words(&["launchctl", "bootstrap", &domain, &file]);
    let commands = match (for_removal, loaded, text.standing) {
        (true, true, _) => vec![stop],
        (true, false, _) | (false, true, Standing::Same) => Vec::new(),
        // What runs was made of another text.
        (false, true, _) => vec![stop, begin],
        (false, false, _) => vec![begin],
    };
    let mut notes = Vec::new();
    if !for_removal && text.standing != Standing::Missing {
        notes.push(if loaded { "the agent is loaded".to_owned() } else { "the agent is not loaded".to_owned() });
    }
    if !for_removal {
        notes.push("launchd catches up once after sleep; it misses a run while the machine is off".to_owned());
    }
    Ok(Plan { kind: Kind::Launchd, job, texts: vec![text], commands, afterwards: Vec::new(), notes })
}

//! `schedule`: the nightly sweep, told to systemd, cron or launchd. Texts are made by
//! `ops::schedule`; here the scheduler's own programs are called, as a person would.

use std::io::{self, Write};
use std::path::PathBuf;

use super::args::{ScheduleAction, ScheduleArgs};
use super::out::{Out, Outcome};
use super::{Run, say, start};
use crate::error::{Exit, Report};
use crate::ops::schedule::projects::{self, Became};
use crate::ops::schedule::{At, Job, Standing, cron as block};
use crate::ops::{advance, settings};
use crate::render::schedule::{self as page, Row};

mod cron;
mod launchd;
mod programs;
mod systemd;

/// A way to run something each night.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Systemd,
    Cron,
    Launchd,
}

/// One text that a scheduler reads: a file, or the crontab.
struct Text {
    /// The file; `None` for the crontab.
    path: Option<PathBuf>,
    /// What we would write.
    wanted: String,
    /// What is there, as it was read.
    there: Option<Vec<u8>>,
    standing: Standing,
}

/// A scheduler as it stands, and what has to be done.
struct Plan {
    kind: Kind,
    job: Job,
    texts: Vec<Text>,
    /// What to call once the texts are written, or before they are taken away.
    commands: Vec<Vec<String>>,
    /// What to call once they are taken away.
    afterwards: Vec<Vec<String>>,
    /// What the reader should know.
    notes: Vec<String>,
}

impl Plan {
    /// How the whole stands: the worst of its parts.
    fn standing(&self) -> Standing {
        let order = [Standing::Foreign, Standing::Edited, Standing::Older, Standing::Missing, Standing::Same];
        order.into_iter().find(|standing| self.texts.iter().any(|text| text.standing == *standing)).unwrap_or(Standing::Missing)
    }

    /// Whether anything of it is there.
    fn is_there(&self) -> bool {
        self.texts.iter().any(|text| text.standing != Standing::Missing)
    }
}

impl Text {
    /// A file, and what it holds.
    fn file(path: PathBuf, wanted: String) -> Result<Self, Report> {
        let there = settings::read_if_there(&path)?;
        let standing = match &there {
            // Bytes that are no text are nothing of ours.
            Some(bytes) => std::str::from_utf8(bytes).map_or(Standing::Foreign, |text| Standing::of(Some(text), &wanted)),
            None => Standing::Missing,
        };
        Ok(Self { path: Some(path), wanted, there, standing })
    }
}

pub fn run(run: &Run<'_>, args: &ScheduleArgs, out: &mut Out) -> Outcome {
    let asked = match (args.systemd, args.cron, args.launchd) {
        (true, _, _) => Some(Kind::Systemd),
        (_, true, _) => Some(Kind::Cron),
        (_, _, true) => Some(Kind::Launchd),
        _ => None,
    };
    let one = || asked.map_or_else(suited, Ok);
    match args.action {
        ScheduleAction::Print => print(run, &look(run, one()?, args, false)?, out),
        ScheduleAction::Install => install(run, args, &look(run, one()?, args, false)?, out),
        ScheduleAction::Status => status(run, args, asked, out),
        ScheduleAction::Remove => remove(run, args, asked, out),
    }
}

fn job(run: &Run<'_>, args: &ScheduleArgs) -> Result<Job, Report> {
    let text = |path: PathBuf| {
        let named = path.clone();
        path.into_os_string().into_string().map_err(|_| Report::failed("not-utf8", "its path is not UTF-8").at(named))
    };
    let environment = start::homes().into_iter().map(|(name, path)| Ok((name, text(path)?))).collect::<Result<_, Report>>()?;
    let log = text(run.session.state.join("sweep.log"))?;
    let job = Job { program: text(start::program_path()?)?, at: args.at.unwrap_or(At::NIGHT), environment, log };
    job.check().map_err(|e| Report::failed("unfit", e.to_string()))?;
    Ok(job)
}

/// The scheduler to use where none was named: what the machine has.
fn suited() -> Result<Kind, Report> {
    if cfg!(target_os = "macos") && start::on_path("launchctl").is_some() {
        return Ok(Kind::Launchd);
    }
    if systemd::answers() {
        return Ok(Kind::Systemd);
    }
    if start::on_path("crontab").is_some() {
        return Ok(Kind::Cron);
    }
    let report = Report::failed("no-scheduler", "there is no scheduler here: no systemd for this user, no crontab, no launchd");
    Err(report.hint("`postroom schedule print --systemd` (or --cron, --launchd) prints what to install elsewhere"))
}

/// How the one that was named stands, else each that could be in use: its program is on the PATH, or
/// what it reads is there all the same.
fn standings(run: &Run<'_>, args: &ScheduleArgs, asked: Option<Kind>, for_removal: bool) -> Result<Vec<Plan>, Report> {
    if let Some(kind) = asked {
        return Ok(vec![look(run, kind, args, for_removal)?]);
    }
    let mut plans = Vec::new();
    for kind in [Kind::Systemd, Kind::Cron, Kind::Launchd] {
        let has_program = start::on_path(kind.program()).is_some();
        match look(run, kind, args, for_removal) {
            Ok(plan) if has_program || plan.is_there() => plans.push(plan),
            Err(report) if has_program => return Err(report),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(plans)
}

/// The other schedulers that run the sweep as well.
fn others(run: &Run<'_>, args: &ScheduleArgs, but: &[Kind]) -> Vec<Kind> {
    let plans = standings(run, args, None, false).unwrap_or_default();
    plans.iter().filter(|plan| plan.is_there() && !but.contains(&plan.kind)).map(|plan| plan.kind).collect()
}

fn look(run: &Run<'_>, kind: Kind, args: &ScheduleArgs, for_removal: bool) -> Result<Plan, Report> {
    let plan = |job: Job| match kind {
        Kind::Systemd => systemd::plan(run, job, for_removal),
        Kind::Cron => cron::plan(job),
        Kind::Launchd => launchd::plan(run, job, for_removal),
    };
    let first = plan(job(run, args)?)?;
    // Where no time is named, the one that is installed stays.
    let mut there = first.texts.iter().filter_map(|text| std::str::from_utf8(text.there.as_deref()?).ok());
    match there.find_map(|text| At::installed(kind.own_part(text))).filter(|_| args.at.is_none()) {
        Some(at) if at != first.job.at => plan(Job { at, ..first.job }),
        _ => Ok(first),
    }
}

fn print(run: &Run<'_>, plan: &Plan, out: &mut Out) -> Outcome {
    let job = &plan.job;
    if out.json {
        let files = rows(plan, |text| (text.standing.as_str(), Some(&*text.wanted)));
        let row = Row {
            kind: plan.kind.as_str(),
            state: plan.standing().as_str(),
            at: job.at,
            files: &files,
            commands: &lines(&plan.commands),
            notes: &plan.notes,
        };
        page::document(
            out.data(),
            &[row],
            &page::Common { command: &job.command(), at: Some(job.at), projects: &known(run), dry_run: true, error: None },
        )?;
        return Ok(Exit::Done);
    }
    for text in &plan.texts {
        if let Some(path) = text.path.as_ref().filter(|_| plan.texts.len() > 1) {
            writeln!(out.data(), "# {}", run.session.short(path))?;
        }
        out.data().write_all(text.wanted.as_bytes())?;
        if plan.texts.len() > 1 {
            writeln!(out.data())?;
        }
    }
    out.flush()?;
    for command in lines(&plan.commands) {
        out.remark(format_args!("then: {command}"));
    }
    Ok(Exit::Done)
}

fn install(run: &Run<'_>, args: &ScheduleArgs, plan: &Plan, out: &mut Out) -> Outcome {
    let job = &plan.job;
    let also = |kind: &Kind| format!("{0} sweeps, too: `postroom schedule remove --{0}` takes that away", kind.as_str());
    let twice = others(run, args, &[plan.kind]).iter().map(also).collect::<Vec<_>>();
    let all_notes = [plan.notes.as_slice(), &twice].concat();
    let config = start::config_path(&run.session, false)?;
    for text in &plan.texts {
        refuse(text, "installed")?;
    }
    // First what will run; then it is done.
    let (project, mut warnings) = projects::add(&run.session, &config, true)?;
    if !out.json {
        announce(run, args, job, &project, out)?;
        out.flush()?;
    }
    if !args.dry_run {
        warnings.extend(projects::add(&run.session, &config, false)?.1);
        run.session.disk.private_folder(&run.session.state).map_err(|e| failed("could not make the state folder", &e))?;
    }
    let mut told = Vec::new();
    for text in plan.texts.iter().filter(|text| text.standing != Standing::Same) {
        if !args.dry_run {
            match &text.path {
                Some(path) => {
                    warnings.extend(settings::write(&run.session, path, text.there.as_deref(), text.wanted.as_bytes())?);
                }
                None => cron::write(text.there.as_deref().unwrap_or_default(), &text.wanted, true)?,
            }
        }
        told.push((if args.dry_run { "would write" } else { "wrote" }, place(run, text)));
    }
    let mut failed = None;
    for command in &plan.commands {
        told.push((if args.dry_run { "would run" } else { "ran" }, command.join(" ")));
        if !args.dry_run
            && let Err(report) = programs::run(command, None)
        {
            told.pop();
            failed = Some(report.hint("what was written stays; once that is mended, run the same command again"));
            break;
        }
    }
    say(out, &warnings);
    if out.json {
        let files = rows(plan, |text| {
            (if text.standing == Standing::Same || args.dry_run { text.standing.as_str() } else { "written" }, None)
        });
        let state = if args.dry_run || failed.is_some() { plan.standing() } else { Standing::Same };
        let row = Row {
            kind: plan.kind.as_str(),
            state: state.as_str(),
            at: job.at,
            files: &files,
            commands: &lines(&plan.commands),
            notes: &all_notes,
        };
        let mut all = known(run);
        if project == Became::Added {
            all.push(run.session.ground.project_root.clone());
        }
        let failed = failed.as_ref().map(|report| out.in_context(report));
        let (command, at, error) = (&*job.command(), Some(job.at), failed.as_ref());
        let common = page::Common { command, at, projects: &all, dry_run: args.dry_run, error };
        page::document(out.data(), &[row], &common)?;
    } else {
        for (did, what) in &told {
            writeln!(out.data(), "{did} {what}")?;
        }
        if told.is_empty() {
            writeln!(out.data(), "{} has it already", plan.kind.as_str())?;
        }
        notes(&all_notes, out)?;
        out.flush()?;
        if let Some(report) = &failed {
            out.failure(report);
        }
    }
    Ok(if failed.is_some() { Exit::Failed } else { Exit::Done })
}

/// What will run, when, and where.
fn announce(run: &Run<'_>, args: &ScheduleArgs, job: &Job, project: &Became, out: &mut Out) -> io::Result<()> {
    writeln!(out.data(), "each day at {}: {}", job.at, job.command())?;
    let root = run.session.short(&run.session.ground.project_root);
    let root = if root.is_empty() { run.session.ground.project_root.display().to_string() } else { root };
    for known in known(run) {
        writeln!(out.data(), "  project {}", known.display())?;
    }
    let would = if args.dry_run { "would be " } else { "" };
    match project {
        Became::Added => writeln!(out.data(), "  project {root} ({would}added to your configuration)"),
        Became::Known => Ok(()),
        Became::NotNeeded(why) => writeln!(out.data(), "  (not {root}: {why})"),
    }
}

fn status(run: &Run<'_>, args: &ScheduleArgs, asked: Option<Kind>, out: &mut Out) -> Outcome {
    let job = job(run, args)?;
    let plans = standings(run, args, asked, false)?;
    if out.json {
        let rows: Vec<_> = plans.iter().map(|plan| (plan, rows(plan, |text| (text.standing.as_str(), None)))).collect();
        let rows: Vec<_> = rows
            .iter()
            .map(|(plan, files)| Row {
                kind: plan.kind.as_str(),
                state: plan.standing().as_str(),
                at: plan.job.at,
                files,
                commands: &[],
                notes: &plan.notes,
            })
            .collect();
        page::document(
            out.data(),
            &rows,
            &page::Common { command: &job.command(), at: None, projects: &known(run), dry_run: false, error: None },
        )?;
        return Ok(Exit::Done);
    }
    for plan in plans.iter().filter(|plan| plan.is_there()) {
        for text in &plan.texts {
            let what = match text.standing {
                Standing::Same => "installed",
                Standing::Missing => "missing",
                Standing::Older => "installed, by another version or for another program",
                Standing::Edited => "changed by hand",
                Standing::Foreign => "somebody else's",
            };
            writeln!(out.data(), "{}: {} ({what})", plan.kind.as_str(), place(run, text))?;
        }
        writeln!(out.data(), "  each day at {}: {}", plan.job.at, plan.job.command())?;
        notes(&plan.notes, out)?;
    }
    if !plans.iter().any(Plan::is_there) {
        writeln!(out.data(), "nothing is scheduled")?;
        plans.iter().try_for_each(|plan| if plan.kind == Kind::Cron { notes(&plan.notes, out) } else { Ok(()) })?;
    }
    for project in known(run) {
        writeln!(out.data(), "project {}", project.display())?;
    }
    Ok(Exit::Done)
}

fn remove(run: &Run<'_>, args: &ScheduleArgs, asked: Option<Kind>, out: &mut Out) -> Outcome {
    let job = job(run, args)?;
    let plans = standings(run, args, asked, true)?;
    let kinds: Vec<Kind> = plans.iter().map(|plan| plan.kind).collect();
    // Another scheduler goes on with the projects that are known.
    let left = others(run, args, &kinds);
    let there: Vec<&Plan> = plans.iter().filter(|plan| plan.is_there()).collect();
    for text in there.iter().flat_map(|plan| &plan.texts) {
        refuse(text, "removed")?;
    }
    let (mut failed, mut told) = (Vec::new(), Vec::new());
    let mut call = |commands: &[Vec<String>], told: &mut Vec<(&str, String)>| {
        for command in commands {
            match if args.dry_run { Ok(Vec::new()) } else { programs::run(command, None) } {
                Ok(_) => told.push((if args.dry_run { "would run" } else { "ran" }, command.join(" "))),
                Err(report) => failed.push(report),
            }
        }
    };
    for plan in &there {
        call(&plan.commands, &mut told);
        // The one that was written first brought the folders with it, and goes last.
        for text in plan.texts.iter().rev().filter(|text| text.standing != Standing::Missing) {
            if !args.dry_run {
                let there = text.there.as_deref().unwrap_or_default();
                match &text.path {
                    Some(path) => settings::remove(&run.session, path, there)?,
                    None => cron::write(there, &text.wanted, false)?,
                }
            }
            told.push((if args.dry_run { "would remove" } else { "removed" }, place(run, text)));
        }
        call(&plan.afterwards, &mut told);
    }
    let exit = if failed.is_empty() { Exit::Done } else { Exit::Failed };
    let config = start::config_path(&run.session, false)?;
    let gone = if left.is_empty() { projects::remove(&run.session, &config, args.dry_run)? } else { Vec::new() };
    if out.json {
        let rows: Vec<_> = there
            .iter()
            .map(|plan| (*plan, rows(plan, |_| (if args.dry_run { "installed" } else { "removed" }, None))))
            .collect();
        let rows: Vec<_> = rows
            .iter()
            .map(|(plan, files)| {
                let state = if args.dry_run { plan.standing().as_str() } else { "removed" };
                Row { kind: plan.kind.as_str(), state, at: plan.job.at, files, commands: &[], notes: &[] }
            })
            .collect();
        let mut left = known(run);
        left.retain(|path| !gone.iter().any(|gone| path == std::path::Path::new(gone)));
        let error = Report::together(failed).map(|report| out.in_context(&report));
        let (command, error) = (&*job.command(), error.as_ref());
        page::document(out.data(), &rows, &page::Common { command, at: None, projects: &left, dry_run: args.dry_run, error })?;
        return Ok(exit);
    }
    for (did, what) in &told {
        writeln!(out.data(), "{did} {what}")?;
    }
    for project in &gone {
        let would = if args.dry_run { "would take" } else { "took" };
        writeln!(out.data(), "{would} {project} out of the projects in your configuration")?;
    }
    if told.is_empty() && gone.is_empty() {
        writeln!(out.data(), "nothing is scheduled; there is nothing to remove")?;
    }
    for kind in left {
        writeln!(out.data(), "  {} goes on sweeping", kind.as_str())?;
    }
    out.flush()?;
    for report in &failed {
        out.failure(report);
    }
    Ok(exit)
}

/// What is somebody else's, or was changed by hand, is left alone.
fn refuse(text: &Text, what: &str) -> Result<(), Report> {
    let place = text.path.as_ref().map_or("the block of postroom in your crontab".to_owned(), |path| path.display().to_string());
    let report = match text.standing {
        Standing::Foreign => Report::failed("not-ours", format!("{place} is not of postroom's making; nothing was {what}"))
            .hint("move it away, or keep it and use another scheduler (--systemd, --cron, --launchd)"),
        Standing::Edited => {
            Report::failed("edited", format!("{place} was changed by hand since postroom wrote it; nothing was {what}"))
                .hint("remove it by hand; `postroom schedule install` then writes it anew")
        }
        _ => return Ok(()),
    };
    Err(match &text.path {
        Some(path) => report.at(path),
        None => report,
    })
}

fn known(run: &Run<'_>) -> Vec<PathBuf> {
    run.session.config.projects.clone()
}

fn place(run: &Run<'_>, text: &Text) -> String {
    text.path.as_ref().map_or("a block in the crontab".to_owned(), |path| run.session.short(path))
}

fn lines(commands: &[Vec<String>]) -> Vec<String> {
    let line = |words: &Vec<String>| words.iter().map(|word| advance::quoted(word)).collect::<Vec<_>>().join(" ");
    commands.iter().map(line).collect()
}

fn rows<'p>(plan: &'p Plan, of: impl Fn(&'p Text) -> (&'static str, Option<&'p str>)) -> Vec<page::File<'p>> {
    let row = |text: &'p Text| {
        let (state, shown) = of(text);
        page::File { path: text.path.as_deref(), state, text: shown }
    };
    plan.texts.iter().map(row).collect()
}

fn notes(notes: &[String], out: &mut Out) -> io::Result<()> {
    notes.iter().try_for_each(|note| writeln!(out.data(), "  {note}"))
}

fn failed(what: &str, error: &io::Error) -> Report {
    Report::failed("schedule", format!("{what}: {error}"))
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Systemd => "systemd",
            Self::Cron => "cron",
            Self::Launchd => "launchd",
        }
    }

    /// The part of a text that is ours.
    fn own_part(self, text: &str) -> &str {
        match self {
            Self::Cron => block::find(text).and_then(|span| text.get(span)).unwrap_or_default(),
            Self::Systemd | Self::Launchd => text,
        }
    }

    /// The program that is asked.
    fn program(self) -> &'static str {
        match self {
            Self::Systemd => "systemctl",
            Self::Cron => "crontab",
            Self::Launchd => "launchctl",
        }
    }
}

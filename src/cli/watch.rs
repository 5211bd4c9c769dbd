//! `watch`: waits for new mail and prints it as it lands. Never marks.

use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::Run;
use super::args::WatchArgs;
use super::out::{Fail, Out, Outcome, troubles};
use crate::error::{Exit, Report};
use crate::front::watch::{self, News, Watch};
use crate::model::message::Message;
use crate::ops::advance::quoted;
use crate::ops::find::Unlooked;
use crate::ops::watch::{Known, New};
use crate::render::arrival::{self, Once};
use crate::render::view;
use crate::store::cursors::CursorName;
use crate::store::discover::Scope;

pub fn run(run: &Run<'_>, args: &WatchArgs, out: &mut Out) -> Outcome {
    let deadline = args.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let since = since(run, args, out)?;
    let cursor_lost = since.as_ref().is_some_and(|(_, lost)| *lost);
    let since = since.map(|(known, _)| known);
    if run.inboxes().is_empty() {
        out.remark("there is no inbox here yet; one that is made is watched from then on");
    }
    let (mut watch, unread) = Watch::begin(run.standpoint.clone(), args.to.clone(), since, args.poll)?;
    if unread > 0 {
        out.remark(format!("{unread} unread there already: {} --unread", run.list_command()));
    }
    let (mut exit, mut unlooked) = (Exit::Done, Vec::new());
    loop {
        let news = watch.wait(deadline)?;
        exit = exit.worst(out.unlooked(&news.unlooked));
        unlooked.extend(news.unlooked.iter().cloned());
        if args.once && (news.over || !news.new.is_empty()) {
            return once(run, args, &mut watch, &news, &Told { cursor_lost, unlooked: &unlooked, exit }, out);
        }
        for new in &news.new {
            print(run, &new.message, out)?;
            exit = exit.worst(exec(run, args, &new.message, out)?);
        }
        watch.told(&news.new);
        if news.over {
            out.remark(
                again(run, args, watch.cursor().as_ref(), out.json)
                    .map_or_else(|| NO_CURSOR.to_owned(), |line| format!("go on: {line}")),
            );
            return Ok(exit);
        }
    }
}

const NO_CURSOR: &str = "no cursor can be kept: the state folder can't be written";

/// What was said before the end.
struct Told<'a> {
    cursor_lost: bool,
    unlooked: &'a [Unlooked],
    exit: Exit,
}

/// What an earlier call knew. A cursor that can't be honoured is said to be so, and everything unread
/// is news then: rather twice than never.
fn since(run: &Run<'_>, args: &WatchArgs, out: &Out) -> Result<Option<(Known, bool)>, Report> {
    let Some(text) = &args.since else { return Ok(None) };
    let name = CursorName::parse(text).ok_or_else(|| {
        Report::new("bad-cursor", Exit::Usage, format!("{text:?} is no cursor: 16 hexadecimal digits, as `watch` prints them"))
    })?;
    if let Some(known) = watch::since(run, &name) {
        return Ok(Some((known, false)));
    }
    out.remark(format!("the cursor {name} is not known any more; all that is unread counts as new"));
    Ok(Some((Known::default(), true)))
}

/// One message in a stream.
fn print(run: &Run<'_>, message: &Message, out: &mut Out) -> io::Result<()> {
    if out.json {
        view::message_lines(out.data(), [message])?;
    } else {
        let screen = run.screen();
        arrival::line(out.data(), message, &screen)?;
    }
    out.flush()
}

/// The end of a call that waits once: the mail, bounded, and how to wait again.
fn once(run: &Run<'_>, args: &WatchArgs, watch: &mut Watch, news: &News, told: &Told<'_>, out: &mut Out) -> Outcome {
    let shown: Vec<&New> = news.new.iter().take(args.limit).collect();
    let more = news.new.len() - shown.len();
    watch.told(shown.iter().copied());
    let cursor = watch.cursor();
    let again = again(run, args, cursor.as_ref(), out.json);
    let messages: Vec<&Message> = shown.iter().map(|new| &new.message).collect();
    if out.json {
        let cursor = cursor.map(|cursor| cursor.to_string());
        let once = Once {
            messages: &messages,
            more,
            cursor: cursor.as_deref(),
            cursor_lost: told.cursor_lost,
            timed_out: news.over,
            next: again.as_slice(),
            problems: &troubles(told.unlooked),
        };
        arrival::document(out.data(), &once)?;
    } else {
        let screen = run.screen();
        for message in &messages {
            arrival::line(out.data(), message, &screen)?;
        }
        if news.over {
            writeln!(out.data(), "no new mail")?;
        }
        if more > 0 {
            writeln!(out.data(), "+{more} more; the next call prints them")?;
        }
        if !messages.is_empty() {
            writeln!(out.data(), "read one: postroom read PATH")?;
        }
        match &again {
            Some(line) => writeln!(out.data(), "wait again: {line}")?,
            None => out.remark(NO_CURSOR),
        }
    }
    out.flush()?;
    let mut exit = told.exit;
    for message in messages {
        exit = exit.worst(exec(run, args, message, out)?);
    }
    Ok(exit)
}

/// The command that waits again, as it can be run.
fn again(run: &Run<'_>, args: &WatchArgs, cursor: Option<&CursorName>, json: bool) -> Option<String> {
    let cursor = cursor?;
    let at = &run.standpoint;
    let mut words = vec!["postroom".to_owned()];
    let mut option = |name: &str, value: &str| words.push(format!("{name} {}", quoted(value)));
    if let Some(directory) = &at.directory {
        option("-C", &directory.to_string_lossy());
    }
    at.inbox.iter().for_each(|name| option("--inbox", name));
    at.agent.iter().for_each(|name| option("--agent", name));
    match at.scope {
        Scope::Project => option("--scope", "project"),
        Scope::Global => option("--scope", "global"),
        Scope::All => {}
    }
    if at.teams {
        words.push("--teams".to_owned());
    }
    words.push("watch".to_owned());
    if args.once {
        words.push("--once".to_owned());
    }
    let mut option = |name: &str, value: &str| words.push(format!("{name} {}", quoted(value)));
    option("--since", &cursor.to_string());
    args.to.iter().for_each(|name| option("--for", name));
    if let Some(timeout) = args.timeout {
        option("--timeout", &span(timeout));
    }
    if let Some(poll) = args.poll {
        words.push(format!("--poll={}", span(poll)));
    }
    let mut option = |name: &str, value: &str| words.push(format!("{name} {}", quoted(value)));
    if args.once && args.limit != 20 {
        option("--limit", &args.limit.to_string());
    }
    args.exec.iter().for_each(|command| option("--exec", command));
    if json {
        words.push("--json".to_owned());
    }
    Some(words.join(" "))
}

fn span(span: std::time::Duration) -> String {
    let ms = span.as_millis();
    if ms.is_multiple_of(1_000) { format!("{}s", ms / 1_000) } else { format!("{ms}ms") }
}

/// Runs the command for one message. The message's words never become part of the command: the path is
/// an argument, the rest comes on standard input.
fn exec(run: &Run<'_>, args: &WatchArgs, message: &Message, out: &Out) -> Result<Exit, Fail> {
    let Some(command) = &args.exec else { return Ok(Exit::Done) };
    let failed = |why: String| Report::failed("exec", format!("{command}: {why}; for {}", message.id)).at(&message.path);
    let mut json = Vec::new();
    view::message_lines(&mut json, [message])?;
    let child = Command::new("sh")
        .args(["-c", command, "postroom"])
        .arg(&message.path)
        .current_dir(run.session.dir())
        .env("POSTROOM_REF", message.full_ref())
        .env("POSTROOM_PATH", &message.path)
        .env("POSTROOM_INBOX", &message.inbox)
        .stdin(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            out.failure(&failed(format!("it can't be started: {error}")));
            return Ok(Exit::Failed);
        }
    };
    if let Some(mut stdin) = child.stdin.take() {
        // A command that does not read it closes it early.
        let _ = stdin.write_all(&json);
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(Exit::Done),
        Ok(status) => {
            out.failure(&failed(status.to_string()));
            Ok(Exit::Failed)
        }
        Err(error) => {
            out.failure(&failed(error.to_string()));
            Ok(Exit::Failed)
        }
    }
}

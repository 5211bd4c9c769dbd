//! From options, a file, standard input or an editor to a letter; and telling what became of it.
//! Shared by `send`, `reply` and `broadcast`.

use std::io::{IsTerminal, Read, Write};
use std::process::Command;

use super::args::LetterArgs;
use super::out::{Fail, Out, Outcome, trouble};
use super::{Run, say, start};
use crate::error::{Exit, Report};
use crate::model::letter::Letter;
use crate::model::message::Priority;
use crate::model::name::Recipient;
use crate::ops::compose::{recipients, subject_of};
use crate::ops::deliver::{Delivery, Recipients};
use crate::ops::lint;
use crate::render::view;
use crate::store::read::Reach;
use crate::text::draft::Draft;

/// The longest body that is taken, in bytes.
const BODY_CAP: u64 = 16 << 20;

/// A letter still without recipients' inboxes.
pub struct Composed {
    pub letter: Letter,
    pub to: Recipients,
}

/// What is known before the text is: the options of the three commands.
pub struct Given<'a> {
    pub args: &'a LetterArgs,
    pub to: &'a [String],
    pub cc: &'a [String],
    pub bcc: &'a [String],
    pub subject: Option<&'a str>,
    pub in_reply_to: Option<String>,
    pub kind: &'a str,
    pub thread: Option<String>,
    pub sender: String,
}

/// Makes the letter. Options win over what a draft's header says.
pub fn compose(run: &Run<'_>, given: Given<'_>) -> Result<Composed, Fail> {
    let args = given.args;
    // Names are checked before anything else happens: a wrong one must not cost a text.
    let mut to = Recipients { to: recipients(given.to)?, cc: recipients(given.cc)?, bcc: recipients(given.bcc)? };
    let draft = text(run, &given)?;
    if to.to.is_empty() {
        to.to = listed(&draft, "to")?;
    }
    if to.cc.is_empty() {
        to.cc = listed(&draft, "cc")?;
    }
    let clock = &run.session.clock;
    let or = |option: Option<&str>, key: &str| option.or(draft.get(key)).map(str::to_owned);
    let mut tags = args.tag.clone();
    if tags.is_empty() {
        tags = items(draft.get("tags").unwrap_or_default()).map(str::to_owned).collect();
    }
    let mut subject = or(given.subject, "subject").unwrap_or_default();
    if subject.is_empty() && args.message.is_some() {
        subject = subject_of(&draft.body);
    }
    let letter = Letter {
        from: given.sender.clone(),
        to: to.to.iter().map(ToString::to_string).collect(),
        cc: to.cc.iter().map(ToString::to_string).collect(),
        bcc: None,
        subject,
        day: clock.today().to_string(),
        instant: run.session.stamp(),
        kind: or(args.kind.as_deref(), "type").unwrap_or_else(|| given.kind.to_owned()),
        priority: match draft.get("priority") {
            Some(text) if args.priority == Priority::Normal => Priority::parse(text),
            _ => args.priority,
        },
        tags,
        thread: or(args.thread.as_deref(), "thread").or(given.thread),
        in_reply_to: given.in_reply_to.or_else(|| draft.get("in-reply-to").map(str::to_owned)),
        origin: or(args.origin.as_deref(), "origin"),
        body: draft.body,
    };
    Ok(Composed { letter, to })
}

/// Remarks on the letter; with `--strict` they refuse it.
pub fn lint(letter: &Letter, strict: bool, out: &Out) -> Result<(), Report> {
    let remarks = lint::remarks(letter);
    if strict && let Some(first) = remarks.first() {
        let mut report = Report::failed(first.kind, format!("{}; nothing was sent", first.text));
        report.hints = remarks.iter().skip(1).map(|r| r.text.clone()).collect();
        return Err(report.hint("without --strict it would be sent all the same"));
    }
    say(out, &remarks);
    Ok(())
}

/// Tells what was delivered, and where.
pub fn tell(run: &Run<'_>, delivery: &Delivery, dry_run: bool, out: &mut Out) -> Outcome {
    for remark in &delivery.remarks {
        out.remark(remark);
    }
    let exit = delivery.failed.iter().fold(Exit::Done, |exit, report| exit.worst(report.exit));
    say(out, &delivery.warnings);
    if out.json {
        if delivery.delivered.is_empty()
            && let [report] = delivery.failed.as_slice()
        {
            return Err(report.clone().into());
        }
        let failed: Vec<_> = delivery.failed.iter().map(trouble).collect();
        let messages: Vec<_> = delivery.delivered.iter().map(|d| &d.message).collect();
        view::changed(out.data(), messages, &failed, None)?;
        return Ok(exit);
    }
    for delivered in &delivery.delivered {
        let verb = if dry_run { "would be sent" } else { "sent" };
        let (message, path) = (&delivered.message, run.session.short(&delivered.message.path));
        let shown = &message.shown;
        let thread = message.header.thread.as_deref().map(|t| format!(", thread {t}")).unwrap_or_default();
        let what = format!("{}, {}{thread}", shown.kind, shown.priority.as_str());
        writeln!(out.data(), "{verb} to {}: {} ({what})\n  {path}", delivered.name, message.full_ref())?;
    }
    for report in &delivery.failed {
        out.failure(report);
    }
    Ok(exit)
}

fn listed(draft: &Draft, key: &str) -> Result<Vec<Recipient>, Report> {
    let names: Vec<String> = items(draft.get(key).unwrap_or_default()).map(str::to_owned).collect();
    recipients(&names)
}

fn items(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim().trim_start_matches('[').trim_end_matches(']');
    text.split(',').map(|item| item.trim().trim_matches(['"', '\''])).filter(|item| !item.is_empty())
}

/// The text of the message, with the header of a draft where it has one.
fn text(run: &Run<'_>, given: &Given<'_>) -> Result<Draft, Fail> {
    let args = given.args;
    if let Some(body) = args.message.as_ref().or(args.body.as_ref()) {
        return Ok(Draft { fields: Vec::new(), body: body.clone() });
    }
    if args.edit {
        return edited(run, given);
    }
    let bytes = match &args.file {
        Some(path) if path.as_os_str() != "-" => {
            let path = run.session.dir().join(path);
            let file = std::fs::File::open(&path);
            file.and_then(bounded)
                .map_err(|e| Report::failed("file-unreadable", format!("could not read {}: {e}", path.display())).at(&path))?
        }
        None if std::io::stdin().is_terminal() => {
            let report = Report::new("no-body", Exit::Usage, "the message has no text");
            return Err(report.hint("give it with --body TEXT, --file FILE, --edit, or on standard input").into());
        }
        _ => bounded(std::io::stdin().lock())
            .map_err(|e| Report::failed("stdin-unreadable", format!("could not read standard input: {e}")))?,
    };
    let text = String::from_utf8(bytes).map_err(|_| Report::failed("not-utf8", "the text is not UTF-8; nothing was sent"))?;
    Ok(Draft::read(&text))
}

fn bounded(from: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(BODY_CAP + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > BODY_CAP {
        return Err(std::io::Error::other(format!("more than {BODY_CAP} bytes; send a reference to the file instead")));
    }
    Ok(bytes)
}

/// Opens the editor on a template that explains the convention.
fn edited(run: &Run<'_>, given: &Given<'_>) -> Result<Draft, Fail> {
    let editor = start::variable("VISUAL").or_else(|| start::variable("EDITOR")).ok_or_else(|| {
        Report::new("no-editor", Exit::Usage, "--edit needs VISUAL or EDITOR").hint("or give the text with --body or --file")
    })?;
    let folder = std::env::temp_dir();
    let path = folder.join(format!("postroom-draft-{}.md", std::process::id()));
    let template = format!(
        "---\n\
         # A message is for one topic. Lines that start with # are left out of this header.\n\
         # type: bug-report, note, question, reply, request, review-request\n\
         # priority: low, normal, high, urgent\n\
         to: {}\ncc: {}\nsubject: {}\ntype: {}\npriority: {}\ntags: {}\n\
         ---\n\n",
        given.to.join(", "),
        given.cc.join(", "),
        given.subject.unwrap_or_default(),
        given.args.kind.as_deref().unwrap_or(given.kind),
        given.args.priority.as_str(),
        given.args.tag.join(", "),
    );
    run.session.disk.write_file(&path, None, template.as_bytes(), Reach::Anywhere).map_err(Report::from)?;
    let failed = |why: String| Report::failed("editor", format!("{editor}: {why}; nothing was sent")).at(&path);
    let status = Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(&path).status();
    let status = status.map_err(|e| failed(e.to_string()))?;
    if !status.success() {
        return Err(failed(format!("it ended with {status}; the draft stays in {}", path.display())).into());
    }
    let text = std::fs::read_to_string(&path).map_err(|e| failed(e.to_string()))?;
    let draft = Draft::read(&text);
    if text == template || draft.body.trim().is_empty() && draft.get("subject").is_none() {
        return Err(Report::failed("empty-draft", "the draft is empty; nothing was sent").at(&path).into());
    }
    Ok(draft)
}

//! The messages of one inbox into another, also into one of another form, with nothing lost.
//!
//! All is planned before the first file is made: where each message goes, how it is written there, and
//! that it reads back as the same message. Then the copies are made and read back, and only then their
//! originals archived, never removed: answers before what they answer, so that a run which was stopped
//! is planned once more just as it was, finds the copies that it made, and goes on. References between
//! messages that go together are led to their new places; all others stay as they were written.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::advance;
use super::archive::{self, Way};
use super::find::{self, Part, Query, Unlooked};
use super::refs::Target;
use super::reply;
use super::session::{self, Session};
use super::show;
use super::thread::Index;
use crate::error::{Exit, Report};
use crate::layout::{self, Change, Head, Parcel, RawField, RawValue, adopt};
use crate::model::event::{Event, EventKind};
use crate::model::inbox::{Inbox, LayoutId};
use crate::model::message::{Message, Warning};
use crate::model::name::MessageId;
use crate::model::plan::{EditPlan, FileOp, Refusal, Source};
use crate::store::atomic::Batch;
use crate::store::lock::InboxLock;
use crate::store::read::{self, Reach};

/// How a migration is meant.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Leave the originals as they are.
    pub copy: bool,
    /// Take the archive along.
    pub all: bool,
    /// Only plan.
    pub dry_run: bool,
}

/// A message that went, or would go.
#[derive(Debug, Clone)]
pub struct Gone {
    /// The message as it was.
    pub before: Message,
    /// The message in the new inbox.
    pub after: Message,
    /// Where its original was archived; `None` where it stays, or was archived already.
    pub archived_path: Option<PathBuf>,
    /// How many of its references were led to new places.
    pub references: usize,
    /// What is worth saying about it.
    pub warnings: Vec<Warning>,
}

/// What a migration did, or would do.
#[derive(Debug, Default)]
pub struct Migration {
    /// What went, or would go.
    pub gone: Vec<Gone>,
    /// What did not, with the reason.
    pub failed: Vec<(Message, Report)>,
    /// What could not be looked into.
    pub unlooked: Vec<Unlooked>,
    /// What is worth saying though it is done.
    pub warnings: Vec<Warning>,
}

/// One message's way, planned.
struct Step {
    before: Message,
    after: Message,
    plan: EditPlan,
    /// A run that was stopped made the copy.
    made: bool,
    /// The messages of this migration that it answers.
    parents: Vec<Place>,
    references: usize,
    warnings: Vec<Warning>,
}

/// Takes the messages of one inbox into another. One that fails does not stop the rest.
///
/// # Errors
/// The two are one, or what is to be done can't be done with one of them.
pub fn migrate(session: &Session<'_>, from: &Inbox, to: &Inbox, options: Options) -> Result<Migration, Report> {
    let same = from.path == to.path || from.path.canonicalize().ok() == to.path.canonicalize().ok();
    if same {
        let text = format!("{} is the same inbox; nothing was moved", to.name);
        return Err(Report::new("same-inbox", Exit::Usage, text).at(&to.path));
    }
    let (source, target) = (layout::of(from.layout).capabilities(), layout::of(to.layout).capabilities());
    if !target.send {
        return Err(Report::failed("no-sending", format!("{} takes no messages: {}", to.name, target.why_not)).at(&to.path));
    }
    if !options.copy && !source.archive {
        let text = format!("{} has no archive for the originals: {}", from.name, source.why_not);
        return Err(Report::failed("no-archive", text).at(&from.path).hint("--copy leaves them as they are"));
    }
    let mut out = Migration::default();
    let part = if options.all { Part::All } else { Part::Live };
    let query = Query { part, stamps: true, ..Query::default() };
    let mut messages = Vec::new();
    out.unlooked = find::each(session, &[from], &query, &mut |_, message| messages.push(message));
    let steps = plan(session, from, to, messages, &mut out);
    if options.dry_run {
        out.gone = steps.into_iter().map(|step| foreseen(session, from, step, options)).collect();
        return Ok(out);
    }
    let made: Vec<_> = steps.into_iter().filter_map(|step| copy(session, from, to, step, options, &mut out)).collect();
    if options.copy {
        out.gone = made.into_iter().map(|(gone, _)| gone).collect();
    } else {
        retire_all(session, (from, to), made, &mut out);
    }
    Ok(out)
}

type Place = (PathBuf, MessageId);

fn place(message: &Message) -> Place {
    (message.path.clone(), message.id.clone())
}

/// Plans every message's way, parents before their answers, so that an answer knows where its parent goes.
fn plan(session: &Session<'_>, from: &Inbox, to: &Inbox, messages: Vec<Message>, out: &mut Migration) -> Vec<Step> {
    let index = Index::read(session);
    let links: HashMap<Place, Vec<Option<Place>>> =
        index.links().map(|(message, links)| (place(message), links.into_iter().map(|l| l.map(place)).collect())).collect();
    let mut planned: HashMap<Place, Message> = HashMap::new();
    let (taken, claimed) = (RefCell::new(archive::Taken::default()), RefCell::new(HashSet::new()));
    let mut steps = Vec::new();
    for message in in_order(messages, &links) {
        let no_links = Vec::new();
        let led = links.get(&place(&message)).unwrap_or(&no_links);
        let parents: Vec<Option<&Message>> = led.iter().map(|l| l.as_ref().and_then(|l| planned.get(l))).collect();
        match step(session, from, to, &message, &parents, (&taken, &claimed)) {
            Ok(mut step) => {
                step.parents = led.iter().flatten().filter(|l| planned.contains_key(l)).cloned().collect();
                taken.borrow_mut().add(&step.after.path);
                claimed.borrow_mut().insert(step.after.path.clone());
                planned.insert(place(&message), step.after.clone());
                steps.push(step);
            }
            Err(report) => out.failed.push((message, report)),
        }
    }
    steps
}

/// The messages so that each comes behind those that it answers; circles are cut somewhere.
fn in_order(mut messages: Vec<Message>, links: &HashMap<Place, Vec<Option<Place>>>) -> Vec<Message> {
    messages.sort_by(|a, b| (&a.path, &a.id).cmp(&(&b.path, &b.id)));
    let places: HashMap<Place, usize> = messages.iter().enumerate().map(|(at, m)| (place(m), at)).collect();
    let parents = |at: usize| -> Vec<usize> {
        let led = messages.get(at).and_then(|m| links.get(&place(m)));
        led.into_iter().flatten().flatten().filter_map(|p| places.get(p).copied()).collect()
    };
    let mut order = Vec::with_capacity(messages.len());
    let mut seen = vec![false; messages.len()];
    for start in 0..messages.len() {
        // A walk with a stack of its own: a chain of answers may be as long as the inbox.
        let mut stack = vec![(start, false)];
        while let Some((at, below_done)) = stack.pop() {
            if below_done {
                order.push(at);
            } else if let Some(seen) = seen.get_mut(at)
                && !std::mem::replace(seen, true)
            {
                stack.push((at, true));
                stack.extend(parents(at).into_iter().map(|p| (p, false)));
            }
        }
    }
    let mut messages: Vec<Option<Message>> = messages.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| messages.get_mut(at).and_then(Option::take)).collect()
}

fn step(
    session: &Session<'_>,
    from: &Inbox,
    to: &Inbox,
    message: &Message,
    parents: &[Option<&Message>],
    (taken, claimed): (&RefCell<archive::Taken>, &RefCell<HashSet<PathBuf>>),
) -> Result<Step, Report> {
    let target = Target { inbox: from.clone(), message: message.clone() };
    let source = show::source(&target)?;
    let (old, new) = (layout::of(from.layout), layout::of(to.layout));
    let keeps_form = from.layout == to.layout;
    if !message.readable && !keeps_form {
        let why = message.warnings.first().map_or("its header can't be read", |w| w.text.as_str());
        return Err(Report::failed("unreadable", format!("{} stays: {why}", message.id)).at(&message.path));
    }
    if !keeps_form && matches!(from.layout, LayoutId::Json | LayoutId::Teams) && std::str::from_utf8(&source.bytes).is_err() {
        // It is read with U+FFFD in their place; a copy that holds those for good would be another text.
        let text = format!("{} stays: some of its bytes are not UTF-8, and would be lost in another form", message.id);
        return Err(Report::failed("not-utf8", text).at(&message.path));
    }
    let body = old.body(message, &source.bytes);
    let mut header = message.header.clone();
    let mut references = 0;
    for (reference, parent) in header.in_reply_to.iter_mut().zip(parents) {
        let Some(parent) = parent else { continue };
        let place = Target { inbox: to.clone(), message: (*parent).clone() };
        let text = reply::reference(session, &place, Some(to));
        if text != *reference && !still_means(reference, parent) {
            *reference = text;
            references += 1;
        }
    }
    let mut parcel = Parcel {
        message,
        header,
        whole: keeps_form.then_some(&*source.bytes),
        body: &body,
        extras: extras(old.raw_fields(&session.rules(from).dialect, message, &source.bytes), message, &body),
        taken: &|path| taken.borrow_mut().is_taken(path),
        made: &|path, bytes| is_made(to, path, bytes, claimed),
    };
    let context = session.context(to);
    let mut warnings = Vec::new();
    let plan = match new.plan(&context, &Change::Adopt { parcel: &parcel }) {
        Err(refusal) if refusal.kind == adopt::REFERENCE_KEPT => {
            warnings.push(Warning::new(refusal.kind, refusal.text));
            parcel.header.in_reply_to.clone_from(&message.header.in_reply_to);
            references = 0;
            new.plan(&context, &Change::Adopt { parcel: &parcel })
        }
        other => other,
    }
    .map_err(|refusal| stays(message, &refusal))?;
    let Some(FileOp::Create { path, bytes, .. }) = plan.ops.first() else {
        return Err(Report::failed("no-plan", format!("{} stays: nothing would be made of it", message.id)).at(&message.path));
    };
    let after = reads_back(session, to, path, bytes)
        .ok_or_else(|| stays(message, &Refusal::new("not-the-same", "it could not be read in its new form")))?;
    if let Some(what) = difference(&parcel, &after, &new.body(&after, bytes)) {
        return Err(stays(message, &Refusal::new("not-the-same", format!("its {what} would not be the same in its new form"))));
    }
    let made = (parcel.made)(path, bytes);
    Ok(Step { before: message.clone(), after, plan, made, parents: Vec::new(), references, warnings })
}

fn stays(message: &Message, refusal: &Refusal) -> Report {
    Report::failed(refusal.kind, format!("{} stays: {refusal}", message.id)).at(&message.path)
}

/// Whether a reference that names no place means the message in its new place as well.
fn still_means(reference: &str, parent: &Message) -> bool {
    let name = parent.path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let names = [Some(name.as_str()), Some(parent.id.as_str()), parent.header.id.as_deref()];
    let text = reference.trim();
    !text.contains('/') && names.into_iter().flatten().any(|n| n == text)
}

/// What of a header has no place of its own in another form: keys of nobody's, and second ones of one
/// meaning, whose value would be lost.
fn extras(fields: Vec<RawField>, message: &Message, body: &[u8]) -> Vec<RawField> {
    let header = &message.header;
    let goes_along = |meaning: &str, value: &str| {
        let one = |slot: &Option<String>| slot.as_deref().is_some_and(|v| v.trim() == value.trim());
        match meaning {
            "id" => one(&header.id),
            "from" => one(&header.from),
            "subject" => one(&header.subject),
            "date" => one(&header.date),
            "type" => one(&header.kind),
            "priority" => one(&header.priority),
            "thread" => one(&header.thread),
            "origin" => one(&header.origin),
            // Lists are taken whole; the status is that of the message.
            "to" | "cc" | "tags" | "in-reply-to" | "status" => true,
            _ => false,
        }
    };
    let keep = |field: &RawField| match (field.meaning, &field.value) {
        // The text goes along as such; another key for it is kept.
        (Some("body"), RawValue::Text(text)) => text.trim().as_bytes() != body.trim_ascii(),
        (Some("body"), _) => false,
        (Some(meaning), _) => field.value.as_text().is_some_and(|value| !goes_along(meaning, value)),
        (None, _) => true,
    };
    fields.into_iter().filter(keep).collect()
}

/// The message that bytes at a place would be.
fn reads_back(session: &Session<'_>, to: &Inbox, path: &Path, bytes: &[u8]) -> Option<Message> {
    let layout = layout::of(to.layout);
    let entry = layout.entry(to, path)?;
    let mut messages = Vec::new();
    layout.parse(&session.context(to), &entry, Head { bytes, complete: true }, &mut messages).ok()?;
    messages.pop()
}

/// What of a message would be lost in its new form.
fn difference(parcel: &Parcel<'_>, after: &Message, body: &[u8]) -> Option<&'static str> {
    let (before, old, new) = (parcel.message, &parcel.header, &after.header);
    if parcel.whole.is_some() {
        // All bytes go along; what they say is not in doubt.
        return (new.in_reply_to != old.in_reply_to).then_some("reference");
    }
    let checks = [
        ("sender", old.from == new.from),
        ("recipients", old.to == new.to && old.cc == new.cc),
        ("subject", before.shown.subject.trim() == after.shown.subject.trim()),
        ("type", old.kind == new.kind),
        ("priority", old.priority == new.priority),
        ("thread", old.thread == new.thread),
        ("tags", old.tags == new.tags),
        ("references", old.in_reply_to == new.in_reply_to),
        ("status", before.status == after.status),
        ("date", before.dated() == after.dated()),
        ("text", parcel.body.trim_ascii() == body.trim_ascii()),
    ];
    checks.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
}

fn foreseen(session: &Session<'_>, from: &Inbox, step: Step, options: Options) -> Gone {
    let Step { before, after, references, warnings, .. } = step;
    let archived_path = if options.copy || before.archived {
        None
    } else {
        archive::plan_move(session, from, &before, Way::Out, &mut archive::Taken::default()).ok().map(|(_, path)| path)
    };
    Gone { before, after, archived_path, references, warnings }
}

/// Makes the copy of a message, unless it is there, and tells the journal.
fn copy(
    session: &Session<'_>,
    from: &Inbox,
    to: &Inbox,
    step: Step,
    options: Options,
    out: &mut Migration,
) -> Option<(Gone, Vec<Place>)> {
    let Step { before, after, plan, made, parents, references, mut warnings } = step;
    let path = if made { Ok(after.path.clone()) } else { make(session, to, &plan, &mut warnings) };
    let path = match path {
        Ok(path) => path,
        Err(report) => {
            out.failed.push((before, report));
            return None;
        }
    };
    let mut event = Event::new(EventKind::Migrate, session.stamp(), &from.name, before.id.as_str(), before.path.clone());
    event.to_path = Some(path.clone());
    event.recipient = Some(to.name.clone());
    event.note = Some(if options.copy { "copy" } else { "move" }.to_owned());
    out.warnings.extend(session.record(vec![event]));
    let after = advance::again(session, to, &after, path);
    Some((Gone { before, after, archived_path: None, references, warnings }, parents))
}

/// Archives the originals of the messages whose copies are made, the last one first, in one go.
fn retire_all(session: &Session<'_>, (from, to): (&Inbox, &Inbox), made: Vec<(Gone, Vec<Place>)>, out: &mut Migration) {
    let lock = session.lock(from);
    let mut batch = session.disk.batch(Reach::Within(&from.project));
    // What is answered by a message that stays has to stay with it, or the next run would lead the
    // answer's reference elsewhere and take its copy for another message.
    let mut answered: HashSet<Place> = HashSet::new();
    for (mut gone, parents) in made.into_iter().rev() {
        let may = match &lock {
            Ok(_) if answered.contains(&place(&gone.before)) => {
                let text = format!("{} stays with its answer", gone.before.id);
                Err(Report::failed("answer-stays", text).at(&gone.before.path))
            }
            Ok(lock) => Ok(lock),
            Err(report) => Err(report.clone()),
        };
        if !gone.before.archived && !retire(session, (from, to), &mut gone, may.map(|lock| (&mut batch, lock)), out) {
            answered.extend(parents);
        }
        out.gone.push(gone);
    }
    out.gone.reverse();
    if let Err(error) = batch.finish() {
        out.warnings.push(Warning::new("not-synced", error.to_string()));
    }
}

/// Archives the original of one message, where it may be; gives whether it was.
fn retire(
    session: &Session<'_>,
    (from, to): (&Inbox, &Inbox),
    gone: &mut Gone,
    may: Result<(&mut Batch<'_>, &InboxLock), Report>,
    out: &mut Migration,
) -> bool {
    let note = format!("migrated to {}", to.name);
    let plan = || archive::plan(session, from, &gone.before, Way::Out);
    let moved = may.and_then(|(batch, lock)| session::step(batch, lock, &plan()?));
    match moved {
        Ok(committed) => {
            let path = committed.path().unwrap_or_else(|| gone.before.path.clone());
            let event = archive::event(session, from, &gone.before, Way::Out, &path, Some(note));
            out.warnings.extend(session.record(vec![event]));
            gone.warnings.extend(committed.warnings);
            gone.archived_path = Some(path);
            true
        }
        // Nothing is lost: it lies in both inboxes, and that is said.
        Err(report) => {
            let copy = session.short(&gone.after.path);
            let message = format!("{}; its copy {copy} is made, the original stays", report.message);
            out.failed.push((gone.before.clone(), Report { message, ..report }));
            false
        }
    }
}

/// Whether a file of these bytes lies there, and no message of this migration stands for it.
fn is_made(to: &Inbox, path: &Path, bytes: &[u8], claimed: &RefCell<HashSet<PathBuf>>) -> bool {
    let limit = bytes.len() as u64;
    !claimed.borrow().contains(path)
        && path.symlink_metadata().is_ok_and(|facts| facts.is_file() && facts.len() == limit)
        && read::read_whole(path, Reach::Within(&to.project), limit).is_ok_and(|(there, _)| *there.bytes == *bytes)
}

/// Makes the copy and reads it back.
fn make(session: &Session<'_>, to: &Inbox, plan: &EditPlan, warnings: &mut Vec<Warning>) -> Result<PathBuf, Report> {
    let wanted = plan.ops.iter().find_map(|op| if let FileOp::Create { bytes, .. } = op { Some(bytes.as_slice()) } else { None });
    // An archive that nothing was moved to yet.
    if let Some(folder) = plan.ops.iter().find_map(FileOp::new_path).and_then(Path::parent)
        && !folder.is_dir()
    {
        session.disk.shared_folder(folder)?;
    }
    let done = match session.disk.carry_out_unlocked(plan) {
        Ok(done) => done,
        // It is there, and its original is not going to be removed.
        Err(failed) if !failed.done.is_empty() => {
            warnings.push(Warning::new("not-synced", failed.error.to_string()));
            failed.done
        }
        Err(failed) => return Err(failed.into()),
    };
    let path = done.into_iter().next_back().map(|done| done.path).unwrap_or_default();
    let (Source { bytes: read, .. }, _) = read::read_whole(&path, Reach::Within(&to.project), read::LARGEST)?;
    if Some(&*read) == wanted {
        return Ok(path);
    }
    let text = format!("{} does not read back as it was written; the original stays", session.short(&path));
    Err(Report::failed("not-the-same", text).at(&path))
}

//! Messages as Markdown files with a header: what the `soma` and `agents` layouts share.
//!
//! Turns the header's raw fields (`text::yaml`) into a [`Message`]: which key means what, which
//! fallback stands in for a missing value, and what is odd enough to be warned of (DESIGN §3).

use super::keys::{self, Key, Ranks, key_of, own_key};
use super::{Context, Dialect, Entry, Head, Need, Parcel, RawField, RawValue, bare};
use crate::model::date::When;
use crate::model::letter::Letter;
use crate::model::message::{Header, Message, Warning};
use crate::model::name::MessageId;
use crate::model::plan::{EditPlan, FileOp, Refusal, Source};
use crate::model::status::Status;
use crate::text::compose::{self, Entry as Item};
use crate::text::frontmatter::{self, SplitError};
use crate::text::yaml::{self, Field, Issue, IssueKind, StatusText, Value};
use crate::text::{body, status_edit};

/// What a missing status line means in a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoStatus {
    /// Unread, and odd: every message should have one.
    Warn,
    /// What the place says, and ordinary: the place is the state.
    ByPlace,
}

/// Reads one file's message out of its first bytes.
///
/// # Errors
/// [`Need`] when the header is not closed within the bytes given, but may be within more.
pub fn parse(
    context: &Context<'_>,
    entry: &Entry,
    head: Head<'_>,
    no_status: NoStatus,
    out: &mut Vec<Message>,
) -> Result<(), Need> {
    let split = match frontmatter::split(head.bytes, head.complete) {
        Ok(split) => split,
        Err(SplitError::Incomplete) => return Err(Need::Bytes(frontmatter::HEADER_LIMIT)),
        Err(error) => {
            let mut message = bare::by_name(context, entry, Warning::new(error.as_str(), error.to_string()));
            let is_text = !matches!(error, SplitError::NotUtf8 | SplitError::Empty);
            if let Some(title) = Some(head.bytes).filter(|_| is_text).and_then(body::title_of) {
                message.shown.subject = title;
            }
            out.push(message);
            return Ok(());
        }
    };
    let read = yaml::read(head.bytes, &split);
    let body = head.bytes.get(split.body..).unwrap_or_default();

    let mut warnings: Vec<Warning> = read.issues.iter().map(|i| Warning::new(i.kind.as_str(), told(i))).collect();
    let mut header = Header::default();
    let statuses = fill(&mut header, &read.fields, context.dialect);
    let mut raw_status = None;
    let status = match StatusText::of(statuses) {
        StatusText::Word(word) => {
            let known = context.dialect.words.read(word);
            raw_status = Some(word.to_owned());
            if known.is_none() {
                let text = format!("the status {word:?} is no word that is known; it counts as unread");
                warnings.push(Warning::new("status-unknown", text));
            }
            known.unwrap_or(Status::Unread)
        }
        StatusText::None(IssueKind::StatusMissing) => {
            if no_status == NoStatus::Warn && entry.state.is_none() {
                warnings.push(Warning::new("status-missing", "it has no status line; it counts as unread"));
            }
            entry.state.unwrap_or(Status::Unread)
        }
        StatusText::None(kind) => {
            warnings.push(Warning::new(kind.as_str(), no_word(kind)));
            Status::Unread
        }
    };
    if let Some(line) = body::second_header(body) {
        let text = format!("line {line} of the body starts another header; a file should hold one message");
        warnings.push(Warning::new("several-messages", text));
    }
    let shown = bare::shown(&header, &entry.name.to_string_lossy(), || body::title_of(body), &mut warnings);
    bare::warn_of_hidden(&header, &mut warnings);
    let message = bare::with(context, entry, header, shown);
    out.push(Message { status, raw_status, warnings, readable: true, ..message });
    Ok(())
}

fn told(issue: &Issue) -> String {
    format!("line {}: {}", issue.line, issue.text)
}

/// Why a status counts as unread though there is a line for it.
fn no_word(kind: IssueKind) -> &'static str {
    match kind {
        IssueKind::StatusEmpty => "the status is empty; it counts as unread",
        IssueKind::StatusDuplicate => "it has several status lines; keep one; until then it counts as unread",
        _ => "the status is no single word; it counts as unread",
    }
}

/// The id of a file: its name without `.md`; the whole name where more follows (`x.md.read`), where the
/// ending is written otherwise (`x.MD`), and where what is left would be the name of another file
/// (`x.md.md`) – so that no two files of a folder have one id.
pub fn id_of(name: &str) -> MessageId {
    MessageId::of(stem(name))
}

pub(super) fn stem(name: &str) -> &str {
    name.strip_suffix(".md").filter(|stem| !stem.is_empty() && !is_name(stem)).unwrap_or(name)
}

/// Whether a name ends as those of messages do.
fn is_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    [".md", ".md.read"].iter().any(|end| lower.ends_with(end))
}

/// Whether a header key is that of the status, in the words of a project.
pub fn is_status_key(dialect: &Dialect) -> impl Fn(&str) -> bool {
    |key| key_of(key, dialect) == Some(Key::Status)
}

/// Whether a header key means the same as one of the convention's (`date`, `type`, …), in the words of
/// a project.
pub fn means(key: &str, ours: &str, dialect: &Dialect) -> bool {
    match (key_of(key, dialect), own_key(ours.as_bytes())) {
        (Some(one), Some(other)) => std::mem::discriminant(&one) == std::mem::discriminant(&other),
        _ => false,
    }
}

/// Plans the edit of a status word, which is `present` now: one span of the file changes, or nothing does.
///
/// # Errors
/// [`Refusal`] when the header can't be edited safely; the text says what to do by hand.
pub fn plan_status(context: &Context<'_>, present: Option<&str>, source: &Source, to: Status) -> Result<EditPlan, Refusal> {
    let with = |word: &str| status_edit::edit_status(&source.bytes, word, is_status_key(context.dialect));
    let word = context.dialect.words.write(to, present, status_edit::is_plain_word);
    let edit = match with(word) {
        // A word that YAML takes for something else (`null`) is no reason to refuse the mark.
        Err(_) if word != to.word() => with(to.word()),
        done => done,
    };
    let edit = edit.map_err(|refusal| Refusal::new(refusal.kind.as_str(), refusal.to_string()))?;
    let ops = if edit.is_done(&source.bytes) {
        Vec::new()
    } else {
        let after = edit.apply(&source.bytes);
        vec![FileOp::Replace { path: source.path.clone(), before: source.bytes.clone(), after }]
    };
    Ok(EditPlan { inbox: context.inbox.path.clone(), ops })
}

/// The bytes behind the header; all of them where there is none.
pub fn body_of(bytes: &[u8]) -> &[u8] {
    frontmatter::split(bytes, true).ok().and_then(|split| bytes.get(split.body..)).unwrap_or(bytes)
}

/// The header's keys and values as they stand.
pub(super) fn raw_fields(dialect: &Dialect, bytes: &[u8]) -> Vec<RawField> {
    let Ok(split) = frontmatter::split(bytes, true) else { return Vec::new() };
    let raw = |field: &Field<'_>| {
        let value = match &field.value {
            Value::Absent => RawValue::Absent,
            Value::Text(text) => RawValue::Text(text.to_string()),
            Value::List(items) => RawValue::List(items.iter().map(ToString::to_string).collect()),
            Value::Unreadable(raw) => RawValue::Other(raw.to_string()),
        };
        // The text stands behind a header, never in it.
        let meaning = keys::meaning(&field.key, dialect).filter(|m| *m != "body");
        RawField { key: field.key.to_string(), meaning, value }
    };
    yaml::read(bytes, &split).fields.iter().map(raw).collect()
}

/// Sorts raw fields into the header. Gives the status fields: the first two of them.
fn fill<'f, 'a>(header: &mut Header, fields: &'f [Field<'a>], dialect: &Dialect) -> [Option<&'f Field<'a>>; 2] {
    let mut ranks = Ranks::default();
    let mut statuses = [None; 2];
    for field in fields {
        let Some(key) = key_of(&field.key, dialect) else { continue };
        match key {
            Key::Status => {
                if let Some(free) = statuses.iter_mut().find(|slot| slot.is_none()) {
                    *free = Some(field);
                }
            }
            Key::Id => set(&mut header.id, field),
            Key::From => set(&mut header.from, field),
            Key::To => header.to = texts(field),
            Key::Cc => header.cc = texts(field),
            Key::Bcc => header.bcc = texts(field),
            Key::Subject(rank) if ranks.subject.take(rank, field.unabridged().is_some()) => {
                header.subject = field.unabridged().map(str::to_owned);
            }
            Key::Date(rank) if ranks.date.take(rank, said(field)) => set(&mut header.date, field),
            Key::Type => set(&mut header.kind, field),
            Key::Priority(rank) if ranks.priority.take(rank, said(field)) => set(&mut header.priority, field),
            Key::Thread(rank) if ranks.thread.take(rank, said(field)) => set(&mut header.thread, field),
            Key::Parent(rank) if ranks.parent.take(rank, said(field)) => header.in_reply_to = texts(field),
            Key::ReplyTo => set(&mut header.reply_to, field),
            Key::Origin => set(&mut header.origin, field),
            Key::Tags(rank) if ranks.tags.take(rank, said(field)) => header.tags = texts(field),
            _ => {}
        }
    }
    statuses
}

fn said(field: &Field<'_>) -> bool {
    !matches!(field.value, Value::Absent)
}

fn set(slot: &mut Option<String>, field: &Field<'_>) {
    *slot = match &field.value {
        Value::Text(text) => Some(text.to_string()),
        Value::List(items) => Some(items.join(", ")),
        Value::Unreadable(raw) => Some(raw.to_string()),
        Value::Absent => None,
    };
}

fn texts(field: &Field<'_>) -> Vec<String> {
    match &field.value {
        Value::Text(text) => vec![text.to_string()],
        Value::List(items) => items.iter().map(ToString::to_string).collect(),
        Value::Unreadable(raw) => vec![raw.to_string()],
        Value::Absent => Vec::new(),
    }
}

/// The text of a new message, keys in the convention's order.
pub fn compose(letter: &Letter, date: &str) -> String {
    let mut entries = vec![("from", Item::Text(&letter.from))];
    entries.extend(one_or_list(&letter.to).map(|e| ("to", e)));
    entries.extend(one_or_list(&letter.cc).map(|e| ("cc", e)));
    entries.extend(letter.bcc.as_deref().map(|name| ("bcc", Item::Text(name))));
    entries.push(("date", Item::Date(date)));
    entries.push(("type", Item::Text(&letter.kind)));
    entries.push(("priority", Item::Text(letter.priority.as_str())));
    entries.push(("status", Item::Text(Status::Unread.word())));
    entries.push(("subject", Item::Quoted(&letter.subject)));
    entries.extend(letter.in_reply_to.as_deref().map(|r| ("in-reply-to", Item::Text(r))));
    entries.extend(letter.thread.as_deref().map(|t| ("thread", Item::Text(t))));
    entries.extend(letter.origin.as_deref().map(|o| ("origin", Item::Text(o))));
    if !letter.tags.is_empty() {
        entries.push(("tags", Item::List(&letter.tags)));
    }
    with_body(compose::header(&entries), &letter.body)
}

/// A header with a body behind it.
pub(super) fn with_body(mut text: String, body: &str) -> String {
    if !body.is_empty() {
        text.push('\n');
        text.push_str(body);
        if !body.ends_with('\n') {
            text.push('\n');
        }
    }
    text
}

pub(super) fn one_or_list(names: &[String]) -> Option<Item<'_>> {
    match names {
        [] => None,
        [one] => Some(Item::Text(one)),
        several => Some(Item::List(several)),
    }
}

/// A file name by the convention: `YYYY-MM-DD-topic-subject.md`, at most 100 bytes with room for a
/// number behind it. The topic is the thread, else the first tag; none where the subject starts with it.
pub fn file_name(letter: &Letter) -> String {
    let topic = letter.thread.as_deref().or(letter.tags.first().map(String::as_str));
    name_of(Some(&letter.day()), topic, &letter.subject, &letter.kind)
}

/// The same for a message that comes from elsewhere.
pub(super) fn file_name_for(parcel: &Parcel<'_>) -> String {
    let header = &parcel.header;
    let day = parcel.message.dated().map(|when| match when {
        When::Day(day) => day.to_string(),
        When::Local(time) => time.date().to_string(),
        When::Instant(instant) => instant.date_naive().to_string(),
    });
    let topic = header.thread.as_deref().or(header.tags.first().map(String::as_str));
    name_of(day.as_deref(), topic, &parcel.shown().subject, &parcel.shown().kind)
}

fn name_of(day: Option<&str>, topic: Option<&str>, subject: &str, kind: &str) -> String {
    const ROOM: usize = 100 - "2026-05-02-".len() - "-99999.md".len();
    let topic = compose::slug(topic.unwrap_or_default(), 24);
    let subject = compose::slug(subject, ROOM);
    let both = if topic.is_empty() || subject.starts_with(&topic) { subject } else { format!("{topic}-{subject}") };
    let mut name = compose::slug(&both, ROOM);
    if name.is_empty() {
        name = compose::slug(kind, ROOM);
    }
    let name = if name.is_empty() { "message" } else { &name };
    day.map_or_else(|| format!("{name}.md"), |day| format!("{day}-{name}.md"))
}

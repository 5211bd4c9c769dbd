//! From options and a text to a letter; and telling what became of it.
//! Shared by `send`, `reply` and `broadcast`.

use std::io::{IsTerminal, Write};

use super::args::LetterArgs;
use super::draft::{self, Sent, Text};
use super::out::{Fail, Failed, Out};
use super::{Run, say};
use crate::error::{Exit, Report};
use crate::model::letter::Letter;
use crate::model::message::{Priority, Warning};
use crate::ops::compose::{self, People, subject_of};
use crate::ops::deliver::{Addressed, Delivery};
use crate::ops::lint;
use crate::render::shown::Shower;
use crate::render::view;
use crate::text::draft::Key;
use crate::text::neutral::Target;

/// What the options of the three commands say beside [`LetterArgs`].
#[derive(Default)]
pub struct Given<'a> {
    pub people: People,
    pub subject: Option<&'a str>,
    pub in_reply_to: Option<&'a str>,
    /// The type, where nobody says one.
    pub kind: &'a str,
    pub thread: Option<String>,
}

impl Given<'_> {
    /// What a template shows of it.
    pub fn known(&self, run: &Run<'_>, args: &LetterArgs, usable: &[Key]) -> Vec<(Key, Vec<String>)> {
        let one = |text: Option<&str>| text.filter(|t| !t.is_empty()).map(str::to_owned).into_iter().collect::<Vec<_>>();
        let sender = self.people.from.clone().or_else(|| run.session.actor.as_ref().map(ToString::to_string));
        let thread = args.thread.as_deref().or(self.thread.as_deref());
        let all = [
            (Key::From, one(sender.as_deref()), true),
            (Key::To, self.people.to.clone(), true),
            (Key::Cc, self.people.cc.clone(), true),
            (Key::Bcc, self.people.bcc.clone(), false),
            (Key::Subject, one(self.subject), true),
            (Key::Type, one(Some(args.kind.as_deref().unwrap_or(self.kind))), true),
            (Key::Priority, one(Some(args.priority.unwrap_or(Priority::Normal).as_str())), true),
            (Key::Tags, args.tag.clone(), true),
            (Key::Thread, one(thread), false),
            (Key::InReplyTo, one(self.in_reply_to), false),
            (Key::Origin, one(args.origin.as_deref()), false),
        ];
        let shown = all.into_iter().filter(|(key, values, always)| usable.contains(key) && (*always || !values.is_empty()));
        shown.map(|(key, values, _)| (key, values)).collect()
    }

    /// The people, with those that the text's header names.
    pub fn people(&self, text: &Text) -> People {
        let People { from, to, cc, bcc } = &self.people;
        People {
            from: text.or(from.as_deref(), Key::From),
            to: text.or_all(to, Key::To),
            cc: text.or_all(cc, Key::Cc),
            bcc: text.or_all(bcc, Key::Bcc),
        }
    }

    /// The letter, still without people.
    ///
    /// # Errors
    /// The header names a priority that is none.
    pub fn letter(&self, run: &Run<'_>, args: &LetterArgs, text: &Text) -> Result<Letter, Report> {
        let mut subject = text.or(self.subject, Key::Subject).unwrap_or_default();
        if subject.is_empty() && args.message.is_some() {
            subject = subject_of(&text.draft.body);
        }
        let priority = match text.or(args.priority.map(Priority::as_str), Key::Priority) {
            None => Priority::Normal,
            Some(word) => Priority::from_word(&word).ok_or_else(|| {
                let text = format!("the priority {word:?} is none of low, normal, high, urgent; nothing was sent");
                Report::failed("bad-draft", text)
            })?,
        };
        Ok(Letter {
            from: String::new(),
            to: Vec::new(),
            cc: Vec::new(),
            bcc: None,
            subject,
            sent: run.session.clock,
            kind: text.or(args.kind.as_deref(), Key::Type).unwrap_or_else(|| self.kind.to_owned()),
            priority,
            tags: text.or_all(&args.tag, Key::Tags),
            thread: text.or(args.thread.as_deref(), Key::Thread).or_else(|| self.thread.clone().filter(|_| !text.edited)),
            in_reply_to: text.or(self.in_reply_to, Key::InReplyTo),
            origin: text.or(args.origin.as_deref(), Key::Origin),
            body: text.draft.body.clone(),
        })
    }
}

/// Reads the text, once all is checked that can be checked before: a wrong name must not cost a text,
/// and what is missing is told together.
pub fn text(run: &Run<'_>, args: &LetterArgs, given: &Given<'_>, usable: &[Key]) -> Result<Text, Fail> {
    let asked = args.file.is_none() && !args.edit && !draft::is_given(args);
    if asked && std::io::stdin().is_terminal() {
        // There is no text to wait for, so what else is wrong is told as well.
        let mut faults = Vec::new();
        let text = Text::without(args);
        let mut letter = given.letter(run, args, &text)?;
        if let Err(report) = settle(run, None, &given.people(&text), &mut letter) {
            faults.push(report);
        }
        faults.push(draft::no_text());
        return Err(Report::together(faults).unwrap_or_else(draft::no_text).into());
    }
    compose::check_names(&run.session, &given.people)?;
    Text::read(run, args, usable, &given.known(run, args, usable))
}

/// Names the people of a letter, and finds their inboxes.
///
/// # Errors
/// All that is wrong with it and them.
pub fn settle(
    run: &Run<'_>,
    into: Option<&crate::model::inbox::Inbox>,
    people: &People,
    letter: &mut Letter,
) -> Result<Addressed, Report> {
    compose::settle(&run.session, &run.reachable(), into, people, letter)
}

/// Remarks on the letter; with `--strict` they refuse it.
pub fn lint(letter: &Letter, own: Option<Warning>, strict: bool, out: &Out) -> Result<(), Report> {
    let remarks: Vec<Warning> = own.into_iter().chain(lint::remarks(letter)).collect();
    if strict && let Some(first) = remarks.first() {
        let mut report = Report::failed(first.kind, format!("{}; nothing was sent", first.text));
        report.hints = remarks.iter().skip(1).map(|r| r.text.clone()).collect();
        return Err(report.hint("without --strict it would be sent all the same"));
    }
    say(out, &remarks);
    Ok(())
}

/// Tells what was delivered, and where.
pub fn tell(run: &Run<'_>, delivery: &Delivery, dry_run: bool, out: &mut Out) -> Result<Sent, Fail> {
    for remark in &delivery.remarks {
        out.remark(remark);
    }
    let exit = delivery.failed.iter().fold(Exit::Done, |exit, (_, report)| exit.worst(report.exit));
    say(out, &delivery.warnings);
    let sent = Sent { exit, delivered: !dry_run && delivery.failed.is_empty() };
    if out.json {
        let failed: Vec<_> = delivery.failed.iter().map(|(name, report)| Failed::new(name, report.clone())).collect();
        let failed = Failed::in_context(&failed, out);
        let messages: Vec<_> = delivery.delivered.iter().map(|d| &d.message).collect();
        view::changed(out.data(), messages, &Failed::documents(&failed), None)?;
        return Ok(sent);
    }
    for delivered in &delivery.delivered {
        let verb = if dry_run { "would be sent" } else { "sent" };
        let message = &delivered.message;
        let (path, reference) = (run.screen().path(&message.path), Shower::new(Target::Terminal).reference(message));
        let shown = &message.shown;
        let thread = message.header.thread.as_deref().map(|t| format!(", thread {t}")).unwrap_or_default();
        let what = format!("{}, {}{thread}", shown.kind, shown.priority.as_str());
        writeln!(out.data(), "{verb} to {}: {reference} ({what})\n  {path}", delivered.name)?;
    }
    for (_, report) in &delivery.failed {
        out.failure(report);
    }
    Ok(sent)
}

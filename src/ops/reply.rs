//! Answers: to whom, about what, and how the answer names what it answers.

use std::path::Path;

use super::book::{self, Address};
use super::compose;
use super::deliver::{self, Addressed, Copy, Recipients};
use super::refs::{self, Target, Want};
use super::session::Session;
use super::thread;
use crate::error::{Exit, Report};
use crate::layout;
use crate::model::inbox::Inbox;
use crate::model::message::Warning;
use crate::model::name::{Recipient, same};

/// Whom an answer goes to: the sender; with `all`, everybody else the message was for, too.
///
/// # Errors
/// The message names no sender, or one that can't be a name.
pub fn recipients(
    session: &Session<'_>,
    target: &Target,
    sender: &str,
    all: bool,
) -> Result<(Vec<Recipient>, Vec<Recipient>), Report> {
    let header = &target.message.header;
    let Some(from) = header.from.as_deref().filter(|f| !f.trim().is_empty()) else {
        let text = format!("{} does not say who sent it; nothing was sent", target.message.id);
        return Err(Report::failed("no-sender", text)
            .at(&target.message.path)
            .hint("send an answer with `postroom send --to NAME --in-reply-to REF`"));
    };
    let parse = |name: &str| {
        book::recipient(session, name.trim()).map_err(|error| {
            let text = format!("the sender {name:?} can't be answered: {error}; nothing was sent");
            Report::new("bad-recipient", Exit::Failed, text)
                .at(&target.message.path)
                .hint("name the inbox with --to NAME or --inbox")
        })
    };
    let to = vec![parse(from)?];
    let mut cc = Vec::new();
    if all {
        for name in header.to.iter().chain(&header.cc).flat_map(|value| value.split(',')).filter(|n| !n.trim().is_empty()) {
            let recipient = parse(name)?;
            let known = recipient.name.matches(sender) || to.contains(&recipient) || cc.contains(&recipient);
            if !known && !target.inbox.is_owned_by(recipient.name.as_str()) {
                cc.push(recipient);
            }
        }
    }
    Ok((to, cc))
}

/// The inbox that the message asks its answers to be put into, where it has an address for them.
///
/// # Errors
/// The address is not the sender's, or leads to no inbox that is known: it is the sender's claim, and
/// must not make postroom write anywhere else.
pub fn address<'s>(session: &'s Session<'_>, target: &Target) -> Result<Option<&'s Inbox>, Report> {
    let Target { inbox, message } = target;
    let refused = |kind, text: String| {
        Report::failed(kind, text)
            .at(&message.path)
            .hint("name the inbox of the answer with --to NAME, or --to NAME --inbox INBOX")
    };
    let Some(place) = layout::of(inbox.layout)
        .answer_address(&session.context(inbox), message)
        .map_err(|refusal| refused(refusal.kind, format!("{}: {refusal}", message.id)))?
    else {
        return Ok(None);
    };
    let real = place.canonicalize().ok();
    let is_it =
        |i: &&Inbox| i.layout == inbox.layout && (i.path == place || (real.is_some() && i.path.canonicalize().ok() == real));
    let found = session.found.inboxes.iter().find(is_it);
    let known = found.ok_or_else(|| {
        let text = format!(
            "{}: its reply_to leads to {}, which is no inbox that is known; nothing was sent",
            message.id,
            place.display()
        );
        refused("unknown-reply-address", text).next("postroom inboxes")
    })?;
    Ok(Some(known))
}

/// How an answer is meant, beside its text.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Who sends it, where that is not who acts.
    pub from: Option<String>,
    /// Whom it is for, instead of the sender.
    pub to: Vec<String>,
    /// Who gets a copy, instead of those that follow from the message.
    pub cc: Option<Vec<String>>,
    /// Who gets a copy that the others don't see.
    pub bcc: Vec<String>,
    /// Everybody that the message was for gets it, too.
    pub all: bool,
    /// Another subject than `Re: ` and the old one.
    pub subject: Option<String>,
}

/// An answer, settled but for its text.
#[derive(Debug)]
pub struct Answer {
    /// Who sends it.
    pub sender: String,
    /// Where it goes, and whom it names.
    pub addressed: Addressed,
    /// What it is about.
    pub subject: String,
    /// How it names what it answers.
    pub in_reply_to: String,
    /// The conversation it belongs to.
    pub thread: Option<String>,
}

/// Settles an answer: the owner of the inbox answers, unless somebody else acts; it goes to the
/// sender's inbox among those `reachable`, or to those named, into `into` where that was named.
///
/// The sender is looked for from the inbox that the message lies in: the same name may have an inbox
/// in each of several projects.
///
/// # Errors
/// A name can't be one, or has no inbox, or several; nothing was written.
pub fn prepare(
    session: &Session<'_>,
    reachable: &[&Inbox],
    into: Option<&Inbox>,
    target: &Target,
    wanted: &Wanted,
) -> Result<Answer, Report> {
    let sender = compose::sender(session, wanted.from.as_deref(), Some(target.inbox.owner.as_str()))?;
    let bare = Recipient::parse(&sender).map_or_else(|_| sender.clone(), |r| r.name.to_string());
    let named = !wanted.to.is_empty();
    let (to, mut cc) = if named {
        (compose::recipients(session, &wanted.to)?, Vec::new())
    } else {
        recipients(session, target, &bare, wanted.all)?
    };
    let of_message =
        |one: &Recipient, cc: &[Recipient]| !named && (to.contains(one) || (wanted.cc.is_none() && cc.contains(one)));
    let followed = cc.clone();
    if let Some(names) = &wanted.cc {
        cc = compose::recipients(session, names)?;
    }
    let by_address = if named { None } else { address(session, target)? };
    let people = Recipients { to: to.clone(), cc, bcc: compose::recipients(session, &wanted.bcc)? };
    let addressed = deliver::address_by(&people, &|one| {
        // A ref narrowed to one inbox says where the message lies, not where the answer goes.
        let outright = if named { into } else { by_address.filter(|_| to.contains(one)) };
        match outright {
            Some(inbox) => Ok(Address { name: one.to_string(), inbox: inbox.clone(), remark: None }),
            None if of_message(one, &followed) => book::find_from(session, reachable, one, &target.inbox),
            None => book::find(session, reachable, one),
        }
    })
    .map_err(|report| report.hint("name the inbox of the answer with --to NAME, or --to NAME --inbox INBOX"))?;
    // Who answers as the owner of the inbox does so from there, wherever the command stands.
    let addressed = if target.inbox.is_owned_by(&bare) { addressed.sent_from(&target.inbox) } else { addressed };
    let original = target.message.header.subject.as_deref().unwrap_or(&target.message.shown.subject);
    Ok(Answer {
        subject: wanted.subject.clone().unwrap_or_else(|| subject(original)),
        in_reply_to: reference(session, target, addressed.copies.first().map(Copy::inbox)),
        thread: target.message.header.thread.clone().filter(|thread| !thread.trim().is_empty()),
        sender,
        addressed,
    })
}

/// What a message written anew answers, as the convention names it: by the ref of a message, or by any
/// text that leads to one. What names none is kept as it was written, with a remark.
///
/// # Errors
/// It may mean several messages.
pub fn named(
    session: &Session<'_>,
    inboxes: &[&Inbox],
    text: &str,
    copies: &[Copy],
) -> Result<(String, Option<Warning>), Report> {
    let into = copies.first().map(Copy::inbox);
    let why = match refs::resolve(session, inboxes, text, Want::Live) {
        Ok(target) => return Ok((reference(session, &target, into), None)),
        Err(report) if report.kind == "ambiguous-ref" => return Err(report),
        Err(report) => report,
    };
    // With a remark behind it, or as a link: what threads follow is kept as it was written.
    if thread::readings(text).iter().skip(1).any(|reading| refs::resolve(session, inboxes, reading, Want::Live).is_ok()) {
        return Ok((text.to_owned(), None));
    }
    let text_of = match why.kind {
        "no-such-message" | "not-in-an-inbox" => format!("{text:?} names no message that is known; it is kept as text"),
        _ => format!("{text:?} is kept as text: {}", why.message),
    };
    Ok((text.to_owned(), Some(Warning::new("unknown-parent", text_of))))
}

/// The subject of an answer: `Re: ` once, however often it was answered.
pub fn subject(original: &str) -> String {
    let mut rest = original.trim();
    loop {
        let bare = rest.get(..3).filter(|p| same(p, "re:")).and_then(|_| rest.get(3..)).map(str::trim_start);
        match bare {
            Some(shorter) => rest = shorter,
            None => break,
        }
    }
    format!("Re: {rest}")
}

/// How an answer in `inbox` names a message: relative to the project root where both are of one
/// project, else from `~`, else whole; by id where the layout has ids.
pub fn reference(session: &Session<'_>, target: &Target, inbox: Option<&Inbox>) -> String {
    if let Some(id) = layout::of(target.inbox.layout).reference_id(&target.message) {
        return id.to_owned();
    }
    let path = &target.message.path;
    let text = |p: &Path| p.to_string_lossy().into_owned();
    if let Some(inbox) = inbox
        && inbox.project == target.inbox.project
        && let Ok(rest) = path.strip_prefix(&inbox.project)
    {
        return text(rest);
    }
    if let Some(rest) = session.home().and_then(|home| path.strip_prefix(home).ok()) {
        return format!("~/{}", text(rest));
    }
    text(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_re_once() {
        assert_eq!(subject("Cache"), "Re: Cache");
        assert_eq!(subject("Re: RE:re: Cache"), "Re: Cache");
        assert_eq!(subject("Really?"), "Re: Really?");
        assert_eq!(subject("é"), "Re: é");
    }
}

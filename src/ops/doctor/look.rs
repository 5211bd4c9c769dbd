//! One message in hand: its fields, the first bytes of its file, and where in it things stand.

use std::borrow::Cow;

use crate::config::Rules;
use crate::layout::{self, Head, markdown};
use crate::model::inbox::{Inbox, LayoutId};
use crate::model::message::Message;
use crate::ops::session::Session;
use crate::text::frontmatter::{self, Split};
use crate::text::header::Header;
use crate::text::yaml;

/// A message that is looked at closely.
pub(super) struct Look<'a> {
    pub session: &'a Session<'a>,
    pub inbox: &'a Inbox,
    pub message: &'a Message,
    /// The first bytes of its file; empty where that can't be read.
    pub bytes: &'a [u8],
    /// Whether they are all of it.
    pub complete: bool,
    /// Its header, where the file is Markdown with one.
    pub header: Option<(Split, Header<'a>)>,
}

impl<'a> Look<'a> {
    pub fn new(session: &'a Session<'a>, inbox: &'a Inbox, message: &'a Message, head: Head<'a>) -> Self {
        let split = is_markdown(inbox).then(|| frontmatter::split(head.bytes, true).ok()).flatten();
        let header = split.map(|split| {
            let header = yaml::read(head.bytes, &split);
            (split, header)
        });
        Self { session, inbox, message, bytes: head.bytes, complete: head.complete, header }
    }

    /// What holds in its inbox.
    pub fn rules(&self) -> &'a Rules {
        self.session.rules(self.inbox)
    }

    /// Whether this is an inbox that the running Soma reads itself.
    pub fn is_somas(&self) -> bool {
        self.inbox.is_somas()
    }

    /// The line of a key of the convention, in whatever word it is written.
    pub fn line_of(&self, key: &str) -> Option<usize> {
        let (_, header) = self.header.as_ref()?;
        header.fields.iter().find(|field| markdown::means(&field.key, key, &self.rules().dialect)).map(|field| field.line)
    }

    /// The id that its file's name gives, where it goes by another because several have that one.
    pub fn id_by_name(&self) -> Option<String> {
        let name = self.message.path.file_name().unwrap_or_default().to_string_lossy();
        let id = layout::of(self.inbox.layout).id_of(&name);
        (!self.message.archived && self.is_alone() && id != self.message.id).then(|| id.to_string())
    }

    /// What stands behind the header, as far as it was read.
    pub fn body(&self) -> Cow<'a, [u8]> {
        match &self.header {
            Some((split, _)) => Cow::Borrowed(self.bytes.get(split.body..).unwrap_or_default()),
            None => layout::of(self.inbox.layout).body(self.message, self.bytes),
        }
    }

    /// How long the body is, in bytes: of a file that was not read to its end, by its size.
    pub fn body_len(&self) -> u64 {
        let unread = self.message.stamp.map_or(0, |stamp| stamp.len.saturating_sub(self.bytes.len() as u64));
        self.body().len() as u64 + if self.complete { 0 } else { unread }
    }

    /// A part of a file may be judged by the first message of it alone; `teams` keeps all in one.
    pub fn is_alone(&self) -> bool {
        self.inbox.layout != LayoutId::Teams
    }
}

/// Whether an inbox's messages are Markdown with a header.
fn is_markdown(inbox: &Inbox) -> bool {
    matches!(inbox.layout, LayoutId::Soma | LayoutId::Agents)
}

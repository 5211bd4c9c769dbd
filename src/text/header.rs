//! What a header says: fields, values, and what is wrong with it.
//!
//! The result of the tolerant reader (`yaml.rs`), from which a layout makes a message; the
//! meaning of keys and words is the layout's. Spans and lines are those of the file.

use std::borrow::Cow;
use std::ops::Range;

/// What a header says, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header<'a> {
    /// One for each key line at the header's own level, in the order of the file.
    pub fields: Vec<Field<'a>>,
    /// Faults, in the order they were met. None in a good header.
    pub issues: Vec<Issue>,
    /// Blanks before each key, as in a header that is indented as a whole.
    pub(super) indent: Range<usize>,
    /// The first thing that makes adding a line unsafe: its line, and the reason.
    pub(super) unclean: Option<(usize, &'static str)>,
}

/// One key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field<'a> {
    /// The key as written, without quotes.
    pub key: Cow<'a, str>,
    /// Bytes of the key in the file, with its quotes.
    pub key_span: Range<usize>,
    /// Line in the file, from 1.
    pub line: usize,
    /// The value.
    pub value: Value<'a>,
    /// Bytes of the value in the file, with its quotes, without comment and outer blanks;
    /// empty and right behind the colon where there is no value.
    pub value_span: Range<usize>,
    /// For unquoted values: all that follows the key, comment included, joined to one line. A
    /// subject is this, for ` #12` and `[label]` belong to it. `None` for quotes and blocks.
    pub literal: Option<Cow<'a, str>>,
    /// How the value is written.
    pub form: Form,
    /// Bytes in the file that one other word may replace; `None` where the value is not one
    /// plain or quoted scalar on one line.
    pub(super) splice: Option<Range<usize>>,
}

impl Field<'_> {
    /// The value as text that loses nothing: the literal line, else the text value.
    pub fn unabridged(&self) -> Option<&str> {
        self.literal.as_deref().or(match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        })
    }
}

/// What a value says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value<'a> {
    /// Nothing behind the colon, or a plain `null` or `~`.
    Absent,
    /// Text, quotes undone, never typed.
    Text(Cow<'a, str>),
    /// A flow or block list; its elements are text.
    List(Vec<Cow<'a, str>>),
    /// Anything else (nested keys, for one), as written.
    Unreadable(Cow<'a, str>),
}

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Nothing behind the colon.
    Absent,
    /// Unquoted text.
    Plain,
    /// In quotes.
    Quoted,
    /// `|` or `>`.
    Block,
    /// A list, flow or block.
    List,
    /// Nested keys, flow or block.
    Map,
    /// `&name` before the value, or `*name` instead of it.
    Anchor,
    /// A tag other than that of plain text before the value.
    Tag,
    /// A quote or bracket that does not close cleanly; read as text.
    Broken,
    /// A blank that is none, right behind the colon.
    Malformed,
}

impl Form {
    /// The form in words, to say why a value is not replaced.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Absent => "empty",
            Self::Plain => "text that is not one plain value on one line",
            Self::Quoted => "quoted text over several lines",
            Self::Block => "a block of lines",
            Self::List => "a list",
            Self::Map => "a mapping in braces or of nested keys",
            Self::Anchor => "bound to an anchor that other values may use",
            Self::Tag => "tagged",
            Self::Broken => "a quote or bracket that does not close",
            Self::Malformed => "behind a blank that is no space",
        }
    }
}

/// A fault of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Its kind.
    pub kind: IssueKind,
    /// Line in the file, from 1.
    pub line: usize,
    /// What is wrong, in one clause.
    pub text: Cow<'static, str>,
}

/// The kinds of faults, named as warnings show them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IssueKind {
    /// A strict YAML 1.2 parser refuses the header.
    YamlInvalid,
    /// A key stands twice.
    DuplicateKey,
    /// Lines that are no header lines: prose, or a stray line.
    HeaderNotClean,
    /// Blank lines before the header.
    LeadingBlankLines,
    /// Bytes that are no UTF-8.
    NotUtf8,
    /// Marks of a merge left half done.
    ConflictMarkers,
    /// No status line.
    StatusMissing,
    /// A status line without a value.
    StatusEmpty,
    /// Two status lines.
    StatusDuplicate,
    /// A status that is no text on one line, or is broken.
    StatusUnreadable,
}

impl IssueKind {
    /// The kind's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::YamlInvalid => "yaml-invalid",
            Self::DuplicateKey => "duplicate-key",
            Self::HeaderNotClean => "header-not-clean",
            Self::LeadingBlankLines => "leading-blank-lines",
            Self::NotUtf8 => "not-utf8",
            Self::ConflictMarkers => "conflict-markers",
            Self::StatusMissing => "status-missing",
            Self::StatusEmpty => "status-empty",
            Self::StatusDuplicate => "status-duplicate",
            Self::StatusUnreadable => "status-unreadable",
        }
    }
}

/// What a header says about the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusText<'h> {
    /// The text as written; which status it means is for the caller to say.
    Word(&'h str),
    /// Anything else: why there is no word.
    None(IssueKind),
}

impl Header<'_> {
    /// The fields whose key the caller takes for `is_key`, with their places.
    pub fn all(&self, is_key: impl Fn(&str) -> bool) -> impl Iterator<Item = &Field<'_>> {
        self.fields.iter().filter(move |field| is_key(&field.key))
    }

    /// What the header says about the status.
    pub fn status(&self, is_status_key: impl Fn(&str) -> bool) -> StatusText<'_> {
        let mut found = self.all(is_status_key);
        StatusText::of([found.next(), found.next()])
    }
}

impl<'h> StatusText<'h> {
    /// What the first two status lines of a header say. Two, even equal ones, say nothing: which of
    /// them counts depends on the reader.
    pub fn of(fields: [Option<&'h Field<'_>>; 2]) -> Self {
        match fields {
            [None, _] => Self::None(IssueKind::StatusMissing),
            [_, Some(_)] => Self::None(IssueKind::StatusDuplicate),
            [Some(field), None] => match &field.value {
                _ if matches!(field.form, Form::Broken | Form::Malformed) => Self::None(IssueKind::StatusUnreadable),
                Value::Absent => Self::None(IssueKind::StatusEmpty),
                Value::Text(text) if text.trim_ascii().is_empty() => Self::None(IssueKind::StatusEmpty),
                Value::Text(text) => Self::Word(text.trim_ascii()),
                Value::List(_) | Value::Unreadable(_) => Self::None(IssueKind::StatusUnreadable),
            },
        }
    }
}

//! A JSON text as a light tree that knows where everything stands: what `parse` makes and
//! `edit` walks to find the one place to change. Order, duplicates and spelling are kept.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::parse::{self, Kept};
use super::{Fault, JsonError, position};

/// A parsed text.
#[derive(Debug, Clone)]
pub struct Document<'a> {
    text: &'a str,
    root: Node<'a>,
}

/// A value and the bytes it stands at, without the white space around it.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    /// Byte range in the whole text.
    pub span: Range<usize>,
    /// What it is.
    pub kind: Kind<'a>,
}

/// A value.
#[derive(Debug, Clone)]
pub enum Kind<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// Any number; [`Document::raw`] has its spelling.
    Number,
    /// A string with its escapes undone.
    String(Cow<'a, str>),
    /// Elements in order.
    Array(Vec<Node<'a>>),
    /// Members in the order of the file, duplicates included.
    Object(Vec<Member<'a>>),
}

/// One `"key": value` of an object.
#[derive(Debug, Clone)]
pub struct Member<'a> {
    /// The key with its escapes undone.
    pub key: Cow<'a, str>,
    /// Byte range of the key, quotes included.
    pub key_span: Range<usize>,
    /// The value.
    pub value: Node<'a>,
}

/// A key that an earlier member of the same object has too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// The key.
    pub key: String,
    /// Byte offset of the later one; [`position`] makes a line of it.
    pub at: usize,
}

impl<'a> Document<'a> {
    /// Reads a whole text, which may start with a BOM.
    ///
    /// # Errors
    /// Anything that RFC 8259 does not allow, [`Fault::TooLarge`], [`Fault::TooDeep`].
    pub fn parse(text: &'a str) -> Result<Self, JsonError> {
        parse::read(text, Kept::ALL).map(|root| Self { text, root })
    }

    /// Reads and checks a whole text, but keeps only the first `children` children of each container,
    /// and those of the outermost `levels` of containers: a hostile file must not fill the memory.
    ///
    /// # Errors
    /// As [`Document::parse`].
    pub fn outline(text: &'a str, levels: usize, children: usize) -> Result<Self, JsonError> {
        parse::read(text, Kept { levels, children }).map(|root| Self { text, root })
    }

    /// The whole text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The outermost value.
    pub fn root(&self) -> &Node<'a> {
        &self.root
    }

    /// The value as it is spelt.
    pub fn raw(&self, node: &Node<'_>) -> &'a str {
        self.text.get(node.span.clone()).unwrap_or_default()
    }

    /// The value at a path of keys, if every key is there.
    ///
    /// # Errors
    /// [`Fault::DuplicateKey`] where a key of the path stands twice,
    /// [`Fault::WrongType`] where something on the way is no object.
    pub fn get(&self, path: &[&str]) -> Result<Option<&Node<'a>>, JsonError> {
        let mut node = &self.root;
        for (depth, key) in path.iter().enumerate() {
            let way = path.get(..depth).unwrap_or_default();
            match self.member(node, way, key)? {
                Some(member) => node = &member.value,
                None => return Ok(None),
            }
        }
        Ok(Some(node))
    }

    /// The one member `key` of the object `node`, which stands at `way`.
    pub(super) fn member<'n>(&self, node: &'n Node<'a>, way: &[&str], key: &str) -> Result<Option<&'n Member<'a>>, JsonError> {
        let Kind::Object(members) = &node.kind else {
            return Err(self.wrong_type(node, way, "an object"));
        };
        let mut found = members.iter().filter(|member| member.key == key);
        let first = found.next();
        match found.next() {
            None => Ok(first),
            Some(second) => {
                let fault = Fault::DuplicateKey(key.to_owned());
                Err(JsonError::new(self.text, second.key_span.start, fault))
            }
        }
    }

    pub(super) fn wrong_type(&self, node: &Node<'_>, way: &[&str], wanted: &'static str) -> JsonError {
        let path = path_text(way);
        let found = node.kind.name();
        JsonError::new(self.text, node.span.start, Fault::WrongType { path, found, wanted })
    }

    /// Every key that stands twice in its object, in the order of the file.
    pub fn duplicates(&self) -> Vec<Duplicate> {
        let mut found = Vec::new();
        let mut open = vec![&self.root];
        while let Some(node) = open.pop() {
            open.extend(node.elements());
            let mut seen = HashSet::new();
            for member in node.members() {
                if !seen.insert(member.key.as_ref()) {
                    let key = member.key.clone().into_owned();
                    found.push(Duplicate { key, at: member.key_span.start });
                }
                open.push(&member.value);
            }
        }
        found.sort_by_key(|duplicate| duplicate.at);
        found
    }

    /// Line and column, both from 1, of a byte of this text.
    pub fn position(&self, at: usize) -> (usize, usize) {
        position(self.text, at)
    }
}

pub(super) fn path_text(path: &[&str]) -> String {
    if path.is_empty() { "the document".to_owned() } else { path.join(".") }
}

impl<'a> Node<'a> {
    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements of an array; none for anything else.
    pub fn elements(&self) -> &[Node<'a>] {
        match &self.kind {
            Kind::Array(elements) => elements,
            _ => &[],
        }
    }

    /// The members of an object; none for anything else.
    pub fn members(&self) -> &[Member<'a>] {
        match &self.kind {
            Kind::Object(members) => members,
            _ => &[],
        }
    }

    /// The number of children of an array or object.
    pub(super) fn len(&self) -> usize {
        self.elements().len() + self.members().len()
    }

    /// The bytes of a child, a member from its key on.
    pub(super) fn child(&self, index: usize) -> Option<Range<usize>> {
        match &self.kind {
            Kind::Array(elements) => elements.get(index).map(|element| element.span.clone()),
            Kind::Object(members) => members.get(index).map(|member| member.key_span.start..member.value.span.end),
            _ => None,
        }
    }
}

impl Kind<'_> {
    fn name(&self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Bool(_) => "true or false",
            Kind::Number => "a number",
            Kind::String(_) => "a string",
            Kind::Array(_) => "an array",
            Kind::Object(_) => "an object",
        }
    }
}

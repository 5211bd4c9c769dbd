//! The edits: set a string member, insert an element, take it out again. Each is one
//! splice at a place found by `parse`, written by `style`, and checked afterwards with
//! `serde_json` as a second opinion; what fails the check is not handed out.

use std::ops::Range;

use serde::de::IgnoredAny;

use super::style::{Sketch, Style, indentation, padding};
use super::tree::{Document, Kind, Node, path_text};
use super::{Fault, JsonError, quote};

/// The outcome of [`insert`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inserted {
    /// The whole new text.
    pub text: String,
    /// Where the element stands in its array, from 0.
    pub index: usize,
    /// How many containers on the path had to be made, counted from the array outwards.
    pub made: usize,
}

/// Sets a string member of the outermost object: the value in place, or a new member
/// last, in the style of the others. A value that is `null` counts as not set.
///
/// # Errors
/// Whatever [`Document::parse`] refuses, a document that is no object, `key` standing
/// twice, a value of another type.
pub fn set_string(text: &str, key: &str, value: &str) -> Result<String, JsonError> {
    let document = open(text)?;
    let root = document.root();
    let quoted = quote(value);
    let edited = match document.member(root, &[], key)? {
        Some(member) => match &member.value.kind {
            Kind::String(old) if old == value => return Ok(text.to_owned()),
            Kind::String(_) | Kind::Null => splice(text, member.value.span.clone(), &quoted),
            _ => return Err(document.wrong_type(&member.value, &[key], "a string")),
        },
        None => append(&document, root, Some(key), &Sketch::Scalar(&quoted)),
    };
    let set = |after: &Document<'_>| {
        let found = after.get(&[key]).ok().flatten();
        found.and_then(Node::as_str).is_some_and(|found| found == value)
    };
    checked(text, edited, set)
}

/// Another value for a string that stands in the text.
///
/// # Errors
/// Whatever [`Document::parse`] refuses; `node` is no string of this text.
pub fn replace_string(text: &str, node: &Node<'_>, value: &str) -> Result<String, JsonError> {
    open(text)?;
    let (at, quoted) = (node.span.start, quote(value));
    if !matches!(node.kind, Kind::String(_)) || text.as_bytes().get(at) != Some(&b'"') {
        return Err(JsonError::new(text, at.min(text.len()), Fault::BadResult));
    }
    let behind = text.get(node.span.end..).unwrap_or_default();
    let edited = splice(text, node.span.clone(), &quoted);
    let holds = |after: &Document<'_>| after.text().get(at + quoted.len()..) == Some(behind);
    checked(text, edited, holds)
}

/// Adds `element`, a JSON text, as the last one of the array at `path`. What is missing
/// on the way is made: objects, and the array at the end. [`remove`] undoes it exactly.
///
/// # Errors
/// Whatever [`Document::parse`] refuses in either text; a key of the path that stands
/// twice; something on the path of another type.
pub fn insert(text: &str, path: &[&str], element: &str) -> Result<Inserted, JsonError> {
    let element_document = open(element)?;
    let sketch = Sketch::of(&element_document, element_document.root());
    let document = open(text)?;
    let (edited, index, made) = match walk(&document, path, End::Array)? {
        Walk::Whole(array) => {
            let array = array.last().copied().unwrap_or(document.root());
            (append(&document, array, None, &sketch), array.len(), 0)
        }
        Walk::Missing { object, keys } => {
            let (key, inner) = keys.split_first().map_or(("", keys), |(key, rest)| (*key, rest));
            let value = Sketch::Array(vec![sketch]).under(inner);
            (append(&document, object, Some(key), &value), 0, keys.len())
        }
    };
    let holds = |after: &Document<'_>| {
        let array = after.get(path).ok().flatten();
        array.is_some_and(|array| array.elements().len() == index + 1)
    };
    let text = checked(text, edited, holds)?;
    Ok(Inserted { text, index, made })
}

/// Takes the element `index` of the array at `path` out, with the separator that belongs
/// to it. Of the containers that become empty by that, up to `made` go too, from the
/// array outwards; the outermost object always stays.
///
/// After [`insert`], with the `index` and `made` it gave, the bytes are what they were.
///
/// # Errors
/// As [`insert`]; [`Fault::Missing`] where there is no such element.
pub fn remove(text: &str, path: &[&str], index: usize, made: usize) -> Result<String, JsonError> {
    remove_child(text, path, index, made, End::Array)
}

/// Sets `key` of the object at `path` to `value`, a JSON text, as its last member; objects that are
/// missing on the way are made. [`remove_member`] undoes it exactly.
///
/// # Errors
/// As [`insert`]; and where `key` is there already: nothing is replaced.
pub fn insert_member(text: &str, path: &[&str], key: &str, value: &str) -> Result<Inserted, JsonError> {
    let value_document = open(value)?;
    let sketch = Sketch::of(&value_document, value_document.root());
    let document = open(text)?;
    let (edited, index, made) = match walk(&document, path, End::Object)? {
        Walk::Whole(chain) => {
            let object = chain.last().copied().unwrap_or(document.root());
            if let Some(there) = document.member(object, path, key)? {
                return Err(document.wrong_type(&there.value, &[path, &[key]].concat(), "free"));
            }
            (append(&document, object, Some(key), &sketch), object.len(), 0)
        }
        Walk::Missing { object, keys } => {
            let (first, inner) = keys.split_first().map_or((key, keys), |(first, rest)| (*first, rest));
            let value = sketch.under(&[inner, &[key]].concat());
            (append(&document, object, Some(first), &value), 0, keys.len())
        }
    };
    let whole = [path, &[key]].concat();
    let text = checked(text, edited, |after| after.get(&whole).ok().flatten().is_some())?;
    Ok(Inserted { text, index, made })
}

/// Takes the member `key` of the object at `path` out; of the objects that become empty by that, up to
/// `made` go too. After [`insert_member`], with the `made` it gave, the bytes are what they were.
///
/// # Errors
/// As [`insert`]; [`Fault::Missing`] where there is no such member.
pub fn remove_member(text: &str, path: &[&str], key: &str, made: usize) -> Result<String, JsonError> {
    let document = open(text)?;
    let object = document.get(path)?;
    let index = object.and_then(|object| object.members().iter().position(|member| member.key == key));
    let missing = || JsonError::new(text, 0, Fault::Missing { path: path_text(&[path, &[key]].concat()), index: 0 });
    remove_child(text, path, index.ok_or_else(missing)?, made, End::Object)
}

/// Takes the child `index` of `container`, an array or object of this text, out; the container stays.
///
/// # Errors
/// Whatever [`Document::parse`] refuses; `container` has no such child.
pub fn remove_from(text: &str, container: &Node<'_>, index: usize) -> Result<String, JsonError> {
    open(text)?;
    let missing = || JsonError::new(text, 0, Fault::Missing { path: "the list".to_owned(), index });
    let child = container.child(index).ok_or_else(missing)?;
    checked(text, splice(text, removal(text, container, index, child), ""), |_| true)
}

fn remove_child(text: &str, path: &[&str], index: usize, made: usize, end: End) -> Result<String, JsonError> {
    let document = open(text)?;
    let missing = |at: usize| JsonError::new(text, at, Fault::Missing { path: path_text(path), index });
    let chain = match walk(&document, path, end)? {
        Walk::Whole(chain) => chain,
        Walk::Missing { object, .. } => return Err(missing(object.span.start)),
    };
    let mut inward = chain.iter().rev();
    let mut container = *inward.next().unwrap_or(&document.root());
    let mut child = container.child(index).ok_or_else(|| missing(container.span.start))?;
    let mut child_index = index;
    for parent in inward.take(made) {
        if container.len() > 1 {
            break;
        }
        let Some((place, member)) = parent.members().iter().enumerate().find(|(_, m)| m.value.span == container.span) else {
            break;
        };
        child = member.key_span.start..member.value.span.end;
        (container, child_index) = (parent, place);
    }
    let edited = splice(text, removal(text, container, child_index, child), "");
    checked(text, edited, |_| true)
}

/// How many containers would have been made by an [`insert`] that left the text like this,
/// with the array at `path` holding the one element that was inserted. For a caller
/// without a record of the insertion; see the table in the module's description.
///
/// # Errors
/// As [`insert`].
pub fn made_by_insert(document: &Document<'_>, path: &[&str]) -> Result<usize, JsonError> {
    made(document, path, End::Array)
}

/// The same for [`insert_member`], with the object at `path` holding the one member that was inserted.
///
/// # Errors
/// As [`insert`].
pub fn made_by_insert_member(document: &Document<'_>, path: &[&str]) -> Result<usize, JsonError> {
    made(document, path, End::Object)
}

fn made(document: &Document<'_>, path: &[&str], end: End) -> Result<usize, JsonError> {
    let Walk::Whole(chain) = walk(document, path, end)? else {
        return Ok(0);
    };
    let made = |container: &&&Node<'_>| {
        let (before, behind) = padding(document.text(), container);
        container.len() == 1 && (before.contains('\n') || (before.is_empty() && behind.is_empty()))
    };
    Ok(chain.iter().skip(1).rev().take_while(made).count())
}

/// What of a path is there.
enum Walk<'d, 'a, 'p> {
    /// All of it: the containers from the outermost object to the array.
    Whole(Vec<&'d Node<'a>>),
    /// Up to `object`; `keys` are missing.
    Missing { object: &'d Node<'a>, keys: &'p [&'p str] },
}

/// What stands at the end of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Array,
    Object,
}

fn walk<'d, 'a, 'p>(document: &'d Document<'a>, path: &'p [&'p str], end: End) -> Result<Walk<'d, 'a, 'p>, JsonError> {
    let mut node = document.root();
    let mut chain = vec![node];
    for (depth, key) in path.iter().enumerate() {
        let way = path.get(..depth).unwrap_or_default();
        let Some(member) = document.member(node, way, key)? else {
            let keys = path.get(depth..).unwrap_or_default();
            return Ok(Walk::Missing { object: node, keys });
        };
        node = &member.value;
        chain.push(node);
    }
    match (&node.kind, end) {
        (Kind::Array(_), End::Array) | (Kind::Object(_), End::Object) => Ok(Walk::Whole(chain)),
        (_, End::Array) => Err(document.wrong_type(node, path, "an array")),
        (_, End::Object) => Err(document.wrong_type(node, path, "an object")),
    }
}

/// The text with a new last child in `container`.
fn append(document: &Document<'_>, container: &Node<'_>, key: Option<&str>, value: &Sketch<'_>) -> String {
    let text = document.text();
    let style = Style::around(document, container);
    let (before, _) = padding(text, container);
    let last = container.len().checked_sub(1).and_then(|last| container.child(last));
    let mut new = String::new();
    let write_child = |new: &mut String, indent: Option<&str>| {
        if let Some(key) = key {
            new.push_str(&quote(key));
            new.push_str(&style.colon);
        }
        style.write(new, value, indent);
    };
    let at = match last {
        Some(last) => {
            let earlier = container.len().checked_sub(2).and_then(|i| container.child(i));
            match earlier {
                Some(earlier) => new.push_str(text.get(earlier.end..last.start).unwrap_or(",")),
                None if before.contains('\n') => new.extend([",", before]),
                None => new.push_str(style.comma),
            }
            let indent = indentation(&new).map(str::to_owned);
            write_child(&mut new, indent.as_deref());
            last.end
        }
        None if before.is_empty() && container.span == document.root().span => {
            new.extend([style.newline, &style.unit]);
            write_child(&mut new, Some(&style.unit));
            new.push_str(style.newline);
            container.span.start + 1
        }
        None => {
            let blank = if before.is_empty() { " " } else { "" };
            new.push_str(blank);
            write_child(&mut new, None);
            new.push_str(blank);
            container.span.start + 1
        }
    };
    splice(text, at..at, &new)
}

/// The bytes that go when a child leaves its container, which stays.
fn removal(text: &str, container: &Node<'_>, index: usize, child: Range<usize>) -> Range<usize> {
    let earlier = index.checked_sub(1).and_then(|earlier| container.child(earlier));
    match (earlier, container.child(index + 1)) {
        (Some(earlier), _) => earlier.end..child.end,
        (None, Some(later)) => child.start..later.start,
        // White space that stood in the empty container before is behind the child.
        (None, None) if padding(text, container).0.is_empty() => child,
        (None, None) => container.span.start + 1..container.span.end.saturating_sub(1),
    }
}

fn splice(text: &str, at: Range<usize>, new: &str) -> String {
    let before = text.get(..at.start).unwrap_or_default();
    let behind = text.get(at.end..).unwrap_or_default();
    [before, new, behind].concat()
}

/// Parses a text about to be edited; both readers must take it.
fn open(text: &str) -> Result<Document<'_>, JsonError> {
    let document = Document::parse(text)?;
    if is_strict(text) { Ok(document) } else { Err(JsonError::new(text, 0, Fault::BadResult)) }
}

fn checked(before: &str, after: String, holds: impl FnOnce(&Document<'_>) -> bool) -> Result<String, JsonError> {
    let good = match Document::parse(&after) {
        Ok(document) => is_strict(&after) && holds(&document),
        // Too deep or too large now: the reason is worth telling.
        Err(JsonError { fault: fault @ (Fault::TooDeep | Fault::TooLarge), .. }) => {
            return Err(JsonError::new(before, 0, fault));
        }
        Err(_) => false,
    };
    if good { Ok(after) } else { Err(JsonError::new(before, 0, Fault::BadResult)) }
}

fn is_strict(text: &str) -> bool {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

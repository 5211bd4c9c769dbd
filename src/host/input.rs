//! What a host writes to a hook's stdin: one JSON object, read as far as it came.
//!
//! Hosts leave the pipe open, cut their text off, or write none at all; none of that may stop a
//! hook. So the object is not parsed strictly: its top-level members are walked in order, those of
//! use are taken, and where the text ends or makes no sense, what was read until then counts.

/// How much of the input is read, in bytes. The members of use stand first; what comes late is a
/// prompt or a tool's answer.
pub const MAX_BYTES: usize = 1 << 20;
/// How long input is waited for, in milliseconds.
pub const MAX_MILLIS: u64 = 500;

/// The members that say something about the call. Everything else is the host's own business.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookInput {
    /// `hook_event_name`: what happened.
    pub event: Option<String>,
    /// `session_id`, else `conversation_id`: whose memory counts.
    pub session: Option<String>,
    /// `source` of a session start: `startup`, `resume`, `clear`, `compact`, `fork`.
    pub source: Option<String>,
    /// `cwd`, else the first of `workspace_roots`: where the agent works.
    pub folder: Option<String>,
    /// `stop_hook_active`: a stop is being held up already.
    pub stop_active: bool,
    /// `status` of a stop: `completed`, or how the turn failed.
    pub status: Option<String>,
    /// `agent_id` is there: the call comes from inside a subagent.
    pub in_subagent: bool,
    /// `cursor_version` is there: Cursor is calling, whatever the hook was registered for.
    pub by_cursor: bool,
}

impl HookInput {
    /// Reads the members from what has arrived. Never fails; never slower than the text is long.
    pub fn read(bytes: &[u8]) -> Self {
        let mut input = Self::default();
        let mut conversation = None;
        let mut root = None;
        for (key, value) in Members::new(bytes) {
            match key.as_slice() {
                b"hook_event_name" => input.event = value.text(),
                b"session_id" => input.session = value.text(),
                b"conversation_id" => conversation = value.text(),
                b"source" => input.source = value.text(),
                b"cwd" => input.folder = value.text(),
                b"workspace_roots" => root = value.first_text(),
                b"stop_hook_active" => input.stop_active = value.0 == b"true",
                b"status" => input.status = value.text(),
                b"agent_id" => input.in_subagent = value.text().is_some(),
                b"cursor_version" => input.by_cursor = value.text().is_some(),
                _ => {}
            }
        }
        input.session = input.session.or(conversation);
        input.folder = input.folder.or(root);
        input
    }
}

/// Finds the end of the object while it arrives, so that nobody waits for the end of the input.
#[derive(Debug, Default)]
pub struct Arrival {
    depth: usize,
    in_text: bool,
    escaped: bool,
    begun: bool,
    done: bool,
}

impl Arrival {
    /// Takes the next bytes. True once nothing of use can follow: the object is whole, or it is none.
    pub fn take(&mut self, bytes: &[u8]) -> bool {
        for &byte in bytes {
            if self.done {
                break;
            }
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_text => self.escaped = true,
                b'"' if self.begun => self.in_text = !self.in_text,
                _ if self.in_text => {}
                b'{' | b'[' if self.begun => self.depth += 1,
                b'}' | b']' if self.begun => {
                    self.depth = self.depth.saturating_sub(1);
                    self.done = self.depth == 0;
                }
                b'{' => {
                    self.begun = true;
                    self.depth = 1;
                }
                // Blanks and a byte order mark may stand before it.
                b' ' | b'\t' | b'\r' | b'\n' | 0xef | 0xbb | 0xbf => {}
                _ => self.done = !self.begun,
            }
        }
        self.done
    }
}

/// The raw text of a value.
struct Value<'a>(&'a [u8]);

impl Value<'_> {
    /// A string that is not empty.
    fn text(&self) -> Option<String> {
        serde_json::from_slice::<String>(self.0).ok().filter(|text| !text.is_empty())
    }

    /// The first element of a list of strings.
    fn first_text(&self) -> Option<String> {
        let list = blanks(self.0.strip_prefix(b"[")?);
        Value(list.get(..string(list)?)?).text()
    }
}

/// The members of the outermost object, as far as they are whole.
struct Members<'a> {
    rest: &'a [u8],
}

impl<'a> Members<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let bytes = blanks(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
        Self { rest: bytes.strip_prefix(b"{").unwrap_or_default() }
    }

    fn member(&mut self) -> Option<(Vec<u8>, Value<'a>)> {
        let rest = blanks(self.rest);
        let (key, rest) = rest.split_at_checked(string(rest)?)?;
        let rest = blanks(blanks(rest).strip_prefix(b":")?);
        let (value, rest) = rest.split_at_checked(value(rest)?)?;
        self.rest = blanks(rest).strip_prefix(b",").unwrap_or_default();
        let key = serde_json::from_slice::<String>(key).unwrap_or_default();
        Some((key.into_bytes(), Value(value.trim_ascii_end())))
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (Vec<u8>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let member = self.member();
        if member.is_none() {
            self.rest = &[];
        }
        member
    }
}

fn blanks(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

/// The length of the string that the bytes start with, quotes included; `None` if it does not end.
fn string(bytes: &[u8]) -> Option<usize> {
    let mut escaped = false;
    bytes
        .strip_prefix(b"\"")?
        .iter()
        .position(|&b| {
            let ends = b == b'"' && !escaped;
            escaped = b == b'\\' && !escaped;
            ends
        })
        .map(|at| at + 2)
}

/// The length of the value that the bytes start with; `None` if it does not end. Depth is counted, so
/// that no nesting can exhaust the stack.
fn value(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'"' => at += string(bytes.get(at..)?)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' if depth > 0 => {
                depth -= 1;
                at += 1;
            }
            b',' | b'}' if depth == 0 => return Some(at),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;

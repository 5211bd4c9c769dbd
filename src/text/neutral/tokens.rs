//! Class G: what a model, a host or a template would take for its own syntax, broken so
//! that a person still sees what was written. Runs after `clean`, on text without hidden
//! characters, so that no token is missed because of one inside it.
//!
//! Every rule looks at one place, replaces a few bytes by a fixed text that no rule
//! matches again, and looks ahead only over characters at which no other rule of its kind
//! starts: the whole is linear and doing it twice changes nothing more.

use std::borrow::Cow;

use super::Target;
use super::rewrite::Rewrite;

// Word lists, one blank between two words.

/// Names that stand for roles or wrappers in hosts and chat formats; see [`is_wrapper`]
/// for how they are compared.
const WRAPPERS: &str = "assistant bos channel context critical developer document documents eos human \
     important inboxsummary inst instruction instructions invoke memory message messages \
     override pad parameter prompt reasoning reminder result results rule rules s sep sys \
     system think thinking turn unk user";

/// Beginnings of such names: `system-reminder`, `user-prompt-submit-hook`, `tool_result`…
const WRAPPER_FAMILIES: &str = "antml assistant beginof endheader endof environmentcontext function hook imend \
     imstart localcommand startheader startof system teammate tool userinstr userprompt";

/// Control words in square brackets. These in any letter case …
const BRACKETED: &str = "inst available_tools tool_calls tool_results tool_content system_prompt";
/// … and these, which are ordinary words otherwise, only as the tokenizers spell them.
const BRACKETED_EXACT: &str = "ARGS CALL_ID THINK";

const LINE_START_ROLES: &str = "human assistant system user";

const EVERYWHERE: u8 = 1;
const IN_PROMPTS: u8 = 2;
const IN_MARKDOWN: u8 = 4;

/// The kinds of target in which a rule may start at `byte`.
const fn live(byte: u8) -> u8 {
    match byte {
        // 0xEF: the first byte of the wide forms of `<` and `|`.
        b'<' | b'|' | b'[' | 0xEF => EVERYWHERE,
        b'{' | b'}' | b'%' | b'#' | b'$' | b'!' | b'`' | b'@' | b'-' | b':' => IN_PROMPTS,
        b']' => IN_MARKDOWN,
        _ => 0,
    }
}

const fn live_in(target: Target) -> u8 {
    match target {
        Target::Terminal => EVERYWHERE,
        Target::Prompt => EVERYWHERE | IN_PROMPTS,
        Target::Markdown => EVERYWHERE | IN_PROMPTS | IN_MARKDOWN,
    }
}

/// One replacement: so many bytes, by this text.
type Edit = Option<(usize, &'static str)>;

/// Whether `text` is one line of ASCII that stays as it is for `target`: the common case,
/// told without building anything.
pub(super) fn is_harmless_line(text: &str, target: Target) -> bool {
    let mask = live_in(target);
    let mut before = b' ';
    for &byte in text.as_bytes() {
        if !(0x20..0x7F).contains(&byte) || live(byte) & mask != 0 || (byte == b' ' && before == b' ') {
            return false;
        }
        before = byte;
    }
    text.is_empty() || before != b' '
}

/// Breaks every token that is live in `target`.
pub(super) fn escape(text: &str, target: Target) -> Cow<'_, str> {
    let mask = live_in(target);
    let mut out = Rewrite::new(text);
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        let edit = if live(byte) & mask == 0 { None } else { edit_at(text, at, target) };
        match edit {
            Some((length, with)) => {
                out.replace(at..at + length, with);
                at += length;
            }
            None => at += 1,
        }
    }
    out.finish()
}

fn edit_at(text: &str, at: usize, target: Target) -> Edit {
    // A byte inside a character is no place for a rule.
    let rest = text.get(at..)?;
    let before = text.get(..at)?;
    let first = rest.chars().next()?;
    let always = match first {
        '<' | '\u{FF1C}' | '\u{FE64}' => angle(before, rest, first.len_utf8(), target),
        '|' | '\u{FF5C}' => closing_bar(before, rest, first.len_utf8()),
        '[' => bracketed(rest),
        _ => None,
    };
    if always.is_some() || target == Target::Terminal {
        return always;
    }
    let second = rest.as_bytes().get(1).copied();
    match (first, second) {
        ('{', Some(b'{' | b'%' | b'#')) => Some((1, "{ ")),
        ('}', Some(b'}')) => Some((1, "} ")),
        ('%', Some(b'}')) => Some((1, "% ")),
        ('#', Some(b'}')) => Some((1, "# ")),
        ('$', Some(b'{')) => Some((1, "$ ")),
        ('!', Some(b'`')) => Some((1, "! ")),
        ('!', Some(b'[')) if target == Target::Markdown => Some((1, "! ")),
        // `@` becomes `(at)` here.
        (']', Some(b'(' | b'@')) if target == Target::Markdown => Some((1, "] ")),
        ('`', _) if target == Target::Markdown || in_fence(before, rest) => Some((1, "'")),
        ('@', _) if target == Target::Markdown || is_import(before, rest) => Some((1, "(at)")),
        ('-', _) if rest.starts_with("-->") => Some((2, "-- ")),
        ('-', _) if rest.starts_with("--!>") => Some((3, "--! ")),
        (':', _) => colon(before, rest),
        _ => None,
    }
}

/// `<|`, tags of hosts, slots, comments.
fn angle(before: &str, rest: &str, length: usize, target: Target) -> Edit {
    let inner = rest.get(length..)?;
    if let Some(bar @ ('|' | '\u{FF5C}')) = inner.chars().next() {
        return Some((length + bar.len_utf8(), "<¦"));
    }
    if target != Target::Terminal && (inner.starts_with("!--") || inner.starts_with('%')) {
        return Some((length, "< "));
    }
    is_tag(before, inner).then_some((length, "‹"))
}

/// Whether what stands between `<` and the rest of the text reads as a tag that means
/// something: a slot (`<<name>>`), a known wrapper, or an unknown name of several parts.
/// `a < b`, `Vec<T>`, `Vec<Message>`, `Vec<std::string>`, `<ava@example.org>` and plain
/// HTML do not.
fn is_tag(before: &str, inner: &str) -> bool {
    let name_on = inner.trim_start();
    let closing = name_on.starts_with(['/', '#', '^']);
    let name_on = name_on.trim_start_matches(['/', '#', '^']).trim_start();
    if !name_on.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return false;
    }
    let name_length = name_on.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"_-.:".contains(b)).count();
    let name = name_on.get(..name_length).unwrap_or_default();
    let behind = name_on.get(name_length..).unwrap_or_default();
    let ends = behind.trim_start().starts_with(['>', '/', '\u{FF1E}', '\u{FE65}']);
    if before.ends_with(['<', '\u{FF1C}']) && ends && name_length > 1 {
        return true;
    }
    // `a < system and` is a comparison; `<system and` may be the start of a tag.
    let spaced = inner.starts_with(char::is_whitespace);
    let wrapper = is_wrapper(name);
    let several_parts = name.split(['_', '-', ':']).filter(|part| !part.is_empty()).count() > 1;
    if wrapper && several_parts && !spaced {
        return true;
    }
    let breaks_off = behind.is_empty() || behind.starts_with(|c: char| c.is_whitespace() || c == '…');
    if !ends && (spaced || !breaks_off) {
        return false;
    }
    // Directly behind a word, `<…>` is most likely a type argument.
    let in_code = before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
    let is_type = name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(|c: char| c.is_ascii_lowercase());
    match (wrapper, several_parts) {
        (true, _) => closing || !(in_code && is_type),
        (false, true) => closing || !in_code,
        (false, false) => false,
    }
}

/// Compares without regard to letter case and to what joins the parts of a name:
/// `system-reminder`, `system_reminder`, `SystemReminder`.
fn is_wrapper(name: &str) -> bool {
    let mut letters = [0_u8; 24];
    let mut length = 0;
    let solid = name.bytes().filter(u8::is_ascii_alphanumeric);
    for (slot, byte) in letters.iter_mut().zip(solid) {
        *slot = byte.to_ascii_lowercase();
        length += 1;
    }
    let folded = letters.get(..length).unwrap_or_default();
    WRAPPERS.split(' ').any(|word| word.as_bytes() == folded)
        || WRAPPER_FAMILIES.split(' ').any(|family| folded.starts_with(family.as_bytes()))
}

/// `|>` behind a word closes a token (`im_end|>`, `<turn|>`); after a blank it is an
/// operator of several languages.
fn closing_bar(before: &str, rest: &str, length: usize) -> Edit {
    let closes = rest.get(length..)?.starts_with(['>', '\u{FF1E}', '\u{FE65}']) && before.ends_with(|c: char| !c.is_whitespace());
    closes.then_some((length, "¦"))
}

fn bracketed(rest: &str) -> Edit {
    let inner = rest.get(1..)?;
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let length = inner.bytes().take_while(|b| b.is_ascii_alphabetic() || *b == b'_').count();
    let name = inner.get(..length)?;
    let known =
        BRACKETED.split(' ').any(|word| word.eq_ignore_ascii_case(name)) || BRACKETED_EXACT.split(' ').any(|word| word == name);
    (known && inner.get(length..)?.starts_with(']')).then_some((1, "[ "))
}

/// Whether the backtick at the start of `rest` is one of three or more in a row.
fn in_fence(before: &str, rest: &str) -> bool {
    let ahead = rest.bytes().skip(1).take(2).take_while(|b| *b == b'`').count();
    let behind = before.bytes().rev().take(2).take_while(|b| *b == b'`').count();
    ahead + behind >= 2
}

/// How far a name is looked along, in bytes: systems allow 255 in one part of a path, some of them
/// counted in wider units.
const LONGEST_NAME: usize = 512;

/// Whether a host would read the `@` at the start of `rest` as "insert this file": at the
/// start of a word, and followed by something that looks like a path.
fn is_import(before: &str, rest: &str) -> bool {
    if before.ends_with(char::is_alphanumeric) {
        return false;
    }
    // Another `@` does not end the run: once that one is escaped, what follows it belongs to this one.
    let run = rest.get(1..rest.floor_char_boundary(LONGEST_NAME)).unwrap_or_default();
    let run = run.split(char::is_whitespace).next().unwrap_or_default();
    let has_extension = || {
        let mut parts = run.split('.').skip(1);
        parts.any(|part| part.starts_with(char::is_alphanumeric))
    };
    run.starts_with(['~', '.']) || run.contains(['/', '\\']) || has_extension()
}

/// Our own markers, and a role at the start of a line.
fn colon(before: &str, rest: &str) -> Edit {
    let word = before.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let is_marker = rest.get(1..9).is_some_and(|s| s.eq_ignore_ascii_case("postroom"));
    if is_marker && ends_with_any(before, &["begin", "end"]) {
        return Some((1, ": "));
    }
    let line = before.get(..before.len() - word.len())?.trim_end_matches([' ', '\t']);
    let starts_line = line.is_empty() || line.ends_with('\n');
    let is_role = LINE_START_ROLES.split(' ').any(|role| role.eq_ignore_ascii_case(word));
    (is_role && starts_line).then_some((1, "∶"))
}

fn ends_with_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        let start = text.len().checked_sub(word.len());
        start.and_then(|start| text.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(word))
    })
}

//! Our hook in a host's settings file: put in, found, taken out, with every other byte kept.
//!
//! Pure: text in, text out. Adding and taking out are exact opposites (`text/json` holds that), so
//! that what is taken out leaves the file as it was. What can't be read strictly is refused: a file
//! with comments or a trailing comma can't be kept by guessing.
//!
//! The command is registered as one line for a shell, not as a program with arguments: Claude Code
//! knows both, but an older one that ignores `args` would run `postroom` alone, whose status 2 erases
//! the user's prompt.
//!
//! An entry is ours where it calls `hook` of a program called `postroom`, of the program that is asking,
//! whatever that is called, or where it is to the letter what we write for some program elsewhere: so a
//! renamed copy finds what it registered under its old name.

use std::path::Path;

use super::{Host, line};
use crate::text::json::{self, Document, JsonError, Node};

/// What a settings file says of our hook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// The events it is registered for, in the order of the file.
    pub events: Vec<String>,
    /// The programs that it calls, each once.
    pub programs: Vec<String>,
}

/// What is left once our hook is taken out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removed {
    /// The text.
    pub text: String,
    /// Events for which one line calls us and other programs: such a line is somebody's own work.
    pub left: Vec<String>,
}

/// Why a settings file is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It can't be read strictly, or something on the way is of another type.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// Cursor reads a file of version 1 only.
    #[error("the file does not say \"version\": 1, which Cursor asks for")]
    Version,
}

/// One event that we register for, with its time-out in seconds.
const CLAUDE: [(&str, u32); 3] = [("SessionStart", 10), ("UserPromptSubmit", 5), ("PostToolUse", 5)];
const GEMINI: [(&str, u32); 3] = [("SessionStart", 10), ("BeforeAgent", 5), ("AfterTool", 5)];
const CURSOR: [(&str, u32); 3] = [("sessionStart", 10), ("beforeSubmitPrompt", 5), ("postToolUse", 5)];

/// Cursor's member for the version of its format.
const VERSION: &str = "version";

/// The events that a host is asked to call us for. `stop`: at the end of a turn, too.
pub fn events(host: Host, stop: bool) -> Vec<(&'static str, u32)> {
    let (base, end) = match host {
        Host::Claude | Host::Codex => (&CLAUDE, "Stop"),
        Host::Gemini => (&GEMINI, "AfterAgent"),
        Host::Cursor => (&CURSOR, "stop"),
        Host::OpenCode | Host::Soma | Host::Plain => return Vec::new(),
    };
    base.iter().copied().chain(stop.then_some((end, 5))).collect()
}

/// The program to register, which is also the one that is asking.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// `postroom` where the PATH leads to this one, else its absolute path.
    pub name: &'a str,
    /// The same as a word for a shell.
    pub quoted: &'a str,
}

/// The line that a host runs.
fn command(program: Program<'_>, host: Host) -> String {
    format!("{} {}", program.quoted, words(host).join(" "))
}

/// The words behind the program.
fn words(host: Host) -> [&'static str; 3] {
    ["hook", "--host", host.as_str()]
}

/// A settings file where there was none: what [`add`] starts from, and what is left of its work.
pub fn blank(host: Host) -> &'static str {
    if host == Host::Cursor { "{\n  \"version\": 1\n}\n" } else { "{}\n" }
}

/// The entry of one event.
fn entry(host: Host, command: &str, seconds: u32) -> String {
    let command = json::quote(command);
    match host {
        // Milliseconds; `*` is every source of a start and every tool.
        Host::Gemini => format!(
            r#"{{"matcher":"*","hooks":[{{"name":"postroom","type":"command","command":{command},"timeout":{seconds}000}}]}}"#
        ),
        Host::Cursor => format!(r#"{{"command":{command},"timeout":{seconds}}}"#),
        // No matcher: every source of a start, those of later versions too, and every tool.
        _ => format!(r#"{{"hooks":[{{"type":"command","command":{command},"timeout":{seconds}}}]}}"#),
    }
}

/// The text with our hook registered for each of the events that it is not registered for yet.
///
/// # Errors
/// [`Unfit`]: the file can't be kept.
pub fn add(host: Host, text: &str, program: Program<'_>, stop: bool) -> Result<String, Unfit> {
    let there = standing(host, text, program.name)?.events;
    let command = command(program, host);
    let mut text = text.to_owned();
    if lacks_version(host, &text) {
        text = json::insert_member(&text, &[], VERSION, "1")?.text;
    }
    for (event, seconds) in events(host, stop) {
        if !there.iter().any(|known| known == event) {
            text = json::insert(&text, &["hooks", event], &entry(host, &command, seconds))?.text;
        }
    }
    Ok(text)
}

/// The text with our entries calling this program. `outdated` tells of a program that an entry calls,
/// and of whether the entry is as we write it, if it is to be replaced; everything else of the entry
/// stays.
///
/// # Errors
/// [`Unfit`]: the file can't be kept.
pub fn point(host: Host, text: &str, program: Program<'_>, outdated: &dyn Fn(&str, bool) -> bool) -> Result<String, Unfit> {
    let document = Document::parse(text)?;
    let entries = ours(host, &document, program.name);
    let calls = entries.iter().flat_map(|(_, _, calls)| &calls.ours);
    let mut text = text.to_owned();
    let mut replaced: Vec<_> = calls.filter(|call| outdated(&call.program, call.as_written)).collect();
    // From the end, so that the places before stay what they are.
    replaced.sort_by_key(|call| std::cmp::Reverse(call.node.span.start));
    for call in replaced {
        text = json::replace_string(&text, call.node, &call.with(program))?;
    }
    Ok(text)
}

/// The text without any hook of ours. `own` is the program that is asking.
///
/// What stands beside our hook in an entry stays; so does a line that calls other programs, too.
///
/// # Errors
/// [`Unfit`]: the file can't be kept.
pub fn remove(host: Host, text: &str, own: &str) -> Result<Removed, Unfit> {
    standing(host, text, own)?;
    let mut text = text.to_owned();
    // The last one first, so that each removal finds the file as the matching insertion left it.
    loop {
        let document = Document::parse(&text)?;
        let mut found = ours(host, &document, own);
        let left = found.iter().filter(|(_, _, calls)| calls.ours.iter().any(|call| call.shared));
        let left: Vec<String> = left.map(|(event, ..)| (*event).to_owned()).collect();
        found.retain(|(_, _, calls)| calls.ours.iter().any(|call| !call.shared));
        let Some((event, index, calls)) = found.pop() else { return Ok(Removed { text, left }) };
        let path = ["hooks", event];
        let handler = calls.ours.iter().rev().find(|call| !call.shared).map_or(0, |call| call.handler);
        let others = calls.others.then(|| group(&document, event, index)).flatten();
        text = match others {
            Some(group) => json::remove_from(&text, group, handler)?,
            None => json::remove(&text, &path, index, json::made_by_insert(&document, &path)?)?,
        };
    }
}

/// The handlers of an entry.
fn group<'d>(document: &'d Document<'_>, event: &str, index: usize) -> Option<&'d Node<'d>> {
    let entries = document.get(&["hooks", event]).ok()??;
    value(entries.elements().get(index)?, "hooks")
}

/// Whether a file of Cursor's does not say its version, which is then to be added.
pub fn lacks_version(host: Host, text: &str) -> bool {
    let version = |document: &Document<'_>| document.get(&[VERSION]).ok().map(|found| found.is_none());
    host == Host::Cursor && Document::parse(text).ok().and_then(|document| version(&document)).unwrap_or(false)
}

/// What the file says of our hook. `own` is the program that is asking.
///
/// # Errors
/// [`Unfit`]: it can't be read.
pub fn standing(host: Host, text: &str, own: &str) -> Result<Standing, Unfit> {
    let document = Document::parse(text)?;
    if host == Host::Cursor && document.get(&[VERSION])?.is_some_and(|version| document.raw(version) != "1") {
        return Err(Unfit::Version);
    }
    let mut standing = Standing::default();
    for (event, _, calls) in ours(host, &document, own) {
        if !standing.events.iter().any(|known| known == event) {
            standing.events.push(event.to_owned());
        }
        for call in calls.ours {
            if !standing.programs.contains(&call.program) {
                standing.programs.push(call.program);
            }
        }
    }
    Ok(standing)
}

/// Whether a settings file switches all hooks off, said in words.
pub fn switched_off(host: Host, text: &str) -> Option<&'static str> {
    let document = Document::parse(text).ok()?;
    let is = |path: &[&str], word: &str| document.get(path).ok().flatten().is_some_and(|node| document.raw(node) == word);
    match host {
        Host::Claude if is(&["disableAllHooks"], "true") => Some("hooks are switched off there (disableAllHooks)"),
        Host::Gemini if is(&["hooksConfig", "enabled"], "false") => Some("hooks are switched off there (hooksConfig.enabled)"),
        Host::Gemini => {
            let disabled = document.get(&["hooksConfig", "disabled"]).ok().flatten()?;
            let ours = disabled.elements().iter().filter_map(Node::as_str).any(|name| name == "postroom");
            ours.then_some("the hook is switched off there (hooksConfig.disabled)")
        }
        _ => None,
    }
}

/// What one entry of an event calls.
#[derive(Debug, Default)]
struct Calls<'d> {
    ours: Vec<Call<'d>>,
    /// Whether it calls anything else, in these lines or beside them.
    others: bool,
}

/// A call of ours.
#[derive(Debug)]
struct Call<'d> {
    program: String,
    /// Whether it is to the letter what we write, for this program or another.
    as_written: bool,
    /// The string that names the program: a line, or with `args` the program alone.
    node: &'d Node<'d>,
    /// What of a line stands before and behind the program; `None`: it is no line.
    around: Option<(String, String)>,
    /// Which of its entry's handlers it is.
    handler: usize,
    /// Whether its line calls other programs, too.
    shared: bool,
}

impl Call<'_> {
    /// The string, calling another program.
    fn with(&self, program: Program<'_>) -> String {
        match &self.around {
            Some((before, behind)) => format!("{before}{}{behind}", program.quoted),
            None => program.name.to_owned(),
        }
    }
}

/// The entries that call us: event, index in its list, and what they call; in the order of the file.
/// Whatever is of another shape is somebody else's business.
fn ours<'d>(host: Host, document: &'d Document<'_>, own: &str) -> Vec<(&'d str, usize, Calls<'d>)> {
    let Ok(Some(hooks)) = document.get(&["hooks"]) else { return Vec::new() };
    let mut found = Vec::new();
    for member in hooks.members() {
        let seconds = events(host, true).iter().find(|(event, _)| *event == member.key).map(|(_, seconds)| *seconds);
        for (index, element) in member.value.elements().iter().enumerate() {
            let mut calls = Calls::default();
            let flat = [element];
            let nested = value(element, "hooks").map(Node::elements).unwrap_or_default();
            let handlers: Vec<&Node<'_>> = if host == Host::Cursor { flat.to_vec() } else { nested.iter().collect() };
            for (place, handler) in handlers.into_iter().enumerate() {
                let timely = seconds.is_some_and(|seconds| has_timeout(document, host, handler, seconds));
                let call = call(host, handler, own, timely);
                calls.others |= call.as_ref().is_none_or(|call| call.shared);
                calls.ours.extend(call.map(|call| Call { handler: place, ..call }));
            }
            if !calls.ours.is_empty() {
                found.push((&*member.key, index, calls));
            }
        }
    }
    found
}

fn has_timeout(document: &Document<'_>, host: Host, handler: &Node<'_>, seconds: u32) -> bool {
    let unit = if host == Host::Gemini { "000" } else { "" };
    value(handler, "timeout").is_some_and(|node| document.raw(node) == format!("{seconds}{unit}"))
}

fn value<'n, 'a>(node: &'n Node<'a>, key: &str) -> Option<&'n Node<'a>> {
    node.members().iter().find(|member| member.key == key).map(|member| &member.value)
}

/// The call of ours that a handler makes, as a line or with `args`. `timely`: it has the time-out that
/// we give.
fn call<'d>(host: Host, handler: &'d Node<'d>, own: &str, timely: bool) -> Option<Call<'d>> {
    let (node, text) = value(handler, "command").and_then(|node| Some((node, node.as_str()?)))?;
    if let Some(args) = value(handler, "args").map(Node::elements) {
        let args: Vec<&str> = args.iter().filter_map(Node::as_str).collect();
        let call = Call { program: text.to_owned(), as_written: false, node, around: None, handler: 0, shared: false };
        return (is_known(text, own) && calls_for(host, &args)).then_some(call);
    }
    let called = line::calls(text);
    let is_ours = |called: &line::Called| {
        let to_the_letter = called.words == words(host);
        is_call_for(host, called, own) || to_the_letter && timely && Path::new(&called.program).is_absolute()
    };
    let at = called.iter().position(is_ours)?;
    // `|| true` calls nobody else.
    let shared = called.iter().enumerate().any(|(other, called)| other != at && called.program != "true");
    let called = called.into_iter().nth(at)?;
    let (before, behind) = (text.get(..called.span.start), text.get(called.span.end..));
    let around = Some((before.unwrap_or_default().to_owned(), behind.unwrap_or_default().to_owned()));
    let as_written = called.span.start == 0 && text.ends_with(&words(host).join(" ")) && called.words == words(host);
    Some(Call { program: called.program, as_written, node, around, handler: 0, shared })
}

/// Whether a line calls our hook for a host.
pub(super) fn is_call(host: Host, line: &str, own: &str) -> bool {
    line::calls(line).iter().any(|called| is_call_for(host, called, own))
}

fn is_call_for(host: Host, called: &line::Called, own: &str) -> bool {
    let words: Vec<&str> = called.words.iter().map(String::as_str).collect();
    is_known(&called.program, own) && calls_for(host, &words)
}

/// Whether these words call the hook, and for no other host than this one: another's answers are in a
/// shape that this one may not read. Where none is named, the hook finds out who calls.
fn calls_for(host: Host, words: &[&str]) -> bool {
    let named = words.iter().enumerate().find_map(|(at, word)| match *word {
        "--host" => words.get(at + 1).copied(),
        word => word.strip_prefix("--host="),
    });
    words.contains(&"hook") && named.and_then(Host::parse).is_none_or(|named| named == host)
}

/// Whether a program is postroom, by its name, or the one that is asking.
pub(super) fn is_known(program: &str, own: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    program == own || name == "postroom" || name.eq_ignore_ascii_case("postroom.exe")
}

#[cfg(test)]
#[path = "registration_tests.rs"]
mod tests;

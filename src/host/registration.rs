//! Our hook in a host's settings file: put in, found, taken out, with every other byte kept.
//!
//! Pure: text in, text out. Adding and taking out are exact opposites (`text/json` holds that), so
//! that what is taken out leaves the file as it was. What can't be read strictly is refused: a file
//! with comments or a trailing comma can't be kept by guessing.
//!
//! The command is registered as one line for a shell, not as a program with arguments: Claude Code
//! knows both, but an older one that ignores `args` would run `postroom` alone, whose status 2 erases
//! the user's prompt.

use super::Host;
use crate::text::json::{self, Document, JsonError, Node};

/// What a settings file says of our hook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// The events it is registered for, in the order of the file.
    pub events: Vec<String>,
    /// The programs that it calls, each once.
    pub programs: Vec<String>,
    /// Events whose entry holds hooks of others beside ours.
    pub mixed: Vec<String>,
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
    /// Our hook shares an entry with others, so that taking the entry out would take theirs.
    #[error("the entry of {0} calls other hooks, too; take the line of postroom out by hand")]
    Mixed(String),
}

/// One event that we register for, with its time-out in seconds.
const CLAUDE: [(&str, u32); 3] = [("SessionStart", 10), ("UserPromptSubmit", 5), ("PostToolUse", 5)];
const GEMINI: [(&str, u32); 3] = [("SessionStart", 10), ("BeforeAgent", 5), ("AfterTool", 5)];
const CURSOR: [(&str, u32); 3] = [("sessionStart", 10), ("beforeSubmitPrompt", 5), ("postToolUse", 5)];

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

/// The line that a host runs. `program` is quoted for a shell already.
pub fn command(program: &str, host: Host) -> String {
    format!("{program} hook --host {}", host.as_str())
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
pub fn add(host: Host, text: &str, command: &str, stop: bool) -> Result<String, Unfit> {
    let there = standing(host, text)?.events;
    let mut text = text.to_owned();
    for (event, seconds) in events(host, stop) {
        if !there.iter().any(|known| known == event) {
            text = json::insert(&text, &["hooks", event], &entry(host, command, seconds))?.text;
        }
    }
    Ok(text)
}

/// The text without any hook of ours.
///
/// # Errors
/// [`Unfit`]: the file can't be kept, or an entry is not ours alone.
pub fn remove(host: Host, text: &str) -> Result<String, Unfit> {
    if let Some(event) = standing(host, text)?.mixed.into_iter().next() {
        return Err(Unfit::Mixed(event));
    }
    let mut text = text.to_owned();
    // The last one first, so that each removal finds the file as the matching insertion left it.
    loop {
        let document = Document::parse(&text)?;
        let Some((event, index)) = ours(host, &document).pop().map(|(event, index, _)| (event.to_owned(), index)) else {
            return Ok(text);
        };
        let path = ["hooks", event.as_str()];
        let made = json::made_by_insert(&document, &path)?;
        text = json::remove(&text, &path, index, made)?;
    }
}

/// What the file says of our hook.
///
/// # Errors
/// [`Unfit`]: it can't be read.
pub fn standing(host: Host, text: &str) -> Result<Standing, Unfit> {
    let document = Document::parse(text)?;
    if host == Host::Cursor && document.get(&["version"])?.is_none_or(|version| document.raw(version) != "1") {
        return Err(Unfit::Version);
    }
    let mut standing = Standing::default();
    for (event, _, hooks) in ours(host, &document) {
        if hooks.others > 0 {
            standing.mixed.push(event.to_owned());
        }
        if !standing.events.iter().any(|known| known == event) {
            standing.events.push(event.to_owned());
        }
        for program in hooks.programs {
            if !standing.programs.contains(&program) {
                standing.programs.push(program);
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
struct Calls {
    programs: Vec<String>,
    others: usize,
}

/// The entries that call us: event, index in its list, and what they call; in the order of the file.
/// Whatever is of another shape is somebody else's business.
fn ours<'d>(host: Host, document: &'d Document<'_>) -> Vec<(&'d str, usize, Calls)> {
    let Ok(Some(hooks)) = document.get(&["hooks"]) else { return Vec::new() };
    let mut found = Vec::new();
    for member in hooks.members() {
        for (index, element) in member.value.elements().iter().enumerate() {
            let mut calls = Calls::default();
            let flat = [element];
            let nested = value(element, "hooks").map(Node::elements).unwrap_or_default();
            let handlers: Vec<&Node<'_>> = if host == Host::Cursor { flat.to_vec() } else { nested.iter().collect() };
            for handler in handlers {
                match program(handler) {
                    Some(program) => calls.programs.push(program),
                    None => calls.others += 1,
                }
            }
            if !calls.programs.is_empty() {
                found.push((&*member.key, index, calls));
            }
        }
    }
    found
}

fn value<'n, 'a>(node: &'n Node<'a>, key: &str) -> Option<&'n Node<'a>> {
    node.members().iter().find(|member| member.key == key).map(|member| &member.value)
}

/// The program of a handler that calls `postroom … hook …`, as a line or with `args`.
fn program(handler: &Node<'_>) -> Option<String> {
    let command = value(handler, "command")?.as_str()?;
    match value(handler, "args").map(Node::elements) {
        Some(args) => {
            let calls_hook = args.iter().filter_map(Node::as_str).any(|word| word == "hook");
            (is_us(command) && calls_hook).then(|| command.to_owned())
        }
        None => program_of(command),
    }
}

/// The program of a line that calls `postroom … hook …`.
pub(super) fn program_of(line: &str) -> Option<String> {
    let line = line.trim();
    let (program, rest) = match line.chars().next()? {
        quote @ ('\'' | '"') => line.get(1..)?.split_once(quote)?,
        _ => line.split_once([' ', '\t'])?,
    };
    (is_us(program) && rest.split_whitespace().any(|word| word == "hook")).then(|| program.to_owned())
}

/// Whether a program is postroom, by its name.
pub(super) fn is_us(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name == "postroom" || name.eq_ignore_ascii_case("postroom.exe")
}

#[cfg(test)]
#[path = "registration_tests.rs"]
mod tests;

//! Where the text of a new message comes from: an option, a file, standard input or an editor. What was
//! written in an editor is kept until it is delivered.
//! Shared by `send`, `reply` and `broadcast`.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::args::LetterArgs;
use super::out::{Fail, Out, Outcome};
use super::{Run, start};
use crate::error::{Exit, Report};
use crate::ops::advance::quoted;
use crate::text::draft::{Draft, DraftFault, Key, template};

/// The longest text that is taken, in bytes.
const TEXT_CAP: u64 = 16 << 20;

/// What a template explains.
const REMARKS: [&str; 3] = [
    "A message is for one topic. Lines that start with # are left out of this header.",
    "type: bug-report, note, question, reply, request, review-request",
    "priority: low, normal, high, urgent",
];

/// The text of a new message, and what its header says.
pub struct Text {
    pub draft: Draft,
    /// Whether it was written in an editor: then its header is the last word, also over options.
    pub edited: bool,
    kept: Option<PathBuf>,
}

/// How a command ended, and whether its message was delivered to everybody.
pub struct Sent {
    pub exit: Exit,
    pub delivered: bool,
}

/// Whether the text is there without anything being read.
pub fn is_given(args: &LetterArgs) -> bool {
    args.message.is_some() || args.body.is_some()
}

impl Text {
    /// Reads the text, or opens the editor on a template with what is known already. `usable`: what a
    /// header may say.
    pub fn read(run: &Run<'_>, args: &LetterArgs, usable: &[Key], known: &[(Key, Vec<String>)]) -> Result<Self, Fail> {
        if let Some(body) = args.message.as_ref().or(args.body.as_ref()) {
            return Ok(Self::of(Draft::of_body(body)));
        }
        if args.edit {
            return edited(run, usable, known);
        }
        let (what, bytes) = match &args.file {
            Some(path) if path.as_os_str() != "-" => {
                let path = run.session.dir().join(path);
                let bytes = std::fs::File::open(&path).and_then(bounded).map_err(|e| {
                    let text = format!("could not read {}: {e}; nothing was sent", path.display());
                    Report::failed("file-unreadable", text).at(&path)
                })?;
                (path.display().to_string(), bytes)
            }
            None if std::io::stdin().is_terminal() => return Err(no_text().into()),
            _ => {
                let bytes = bounded(std::io::stdin().lock()).map_err(|e| {
                    Report::failed("stdin-unreadable", format!("could not read standard input: {e}; nothing was sent"))
                })?;
                ("standard input".to_owned(), bytes)
            }
        };
        let text =
            String::from_utf8(bytes).map_err(|_| Report::failed("not-utf8", format!("{what} is not UTF-8; nothing was sent")))?;
        if args.file.is_none() && text.trim().is_empty() {
            // A script's or an agent's standard input is often empty; who means it says --body ''.
            return Err(no_text().into());
        }
        let draft = Draft::read(&text, usable).map_err(|faults| broken(&what, &faults, usable))?;
        Ok(Self::of(draft))
    }

    /// No text but what the options hold.
    pub fn without(args: &LetterArgs) -> Self {
        Self::of(Draft::of_body(args.body.clone().unwrap_or_default()))
    }

    fn of(draft: Draft) -> Self {
        Self { draft, edited: false, kept: None }
    }

    /// The value that holds: the option's, else the header's; what an editor gave back holds in any case.
    pub fn or(&self, option: Option<&str>, key: Key) -> Option<String> {
        let own = self.draft.get(key);
        if self.edited { own } else { option.or(own) }.map(str::to_owned)
    }

    /// The same for keys of several values.
    pub fn or_all(&self, options: &[String], key: Key) -> Vec<String> {
        let own = self.draft.all(key);
        if self.edited || options.is_empty() { own } else { options }.to_vec()
    }

    /// Ends a command: a draft that was delivered is removed; any other stays, and is named, with the
    /// command that sends it.
    pub fn settle(self, command: &str, done: Result<Sent, Fail>, run: &Run<'_>, out: &Out) -> Outcome {
        let Some(path) = self.kept else { return done.map(|sent| sent.exit) };
        let again = format!("postroom {command} --file {}", quoted(&path.to_string_lossy()));
        match done {
            Ok(Sent { exit, delivered: true }) => {
                if let Err(error) = run.session.disk.forget(&path) {
                    out.remark(format!("the draft could not be removed: {}: {error}", path.display()));
                }
                Ok(exit)
            }
            Ok(Sent { exit, .. }) => {
                out.remark(format!("the draft is kept: {again}"));
                Ok(exit)
            }
            Err(Fail::Report(report)) => Err(report.hint(format!("the draft is kept in {}", path.display())).next(again).into()),
            Err(fail) => {
                out.remark(format!("the draft is kept: {again}"));
                Err(fail)
            }
        }
    }
}

/// There is no text, and nobody is asked for one.
pub fn no_text() -> Report {
    Report::new("no-body", Exit::Usage, "the message has no text; nothing was sent")
        .hint("give it with --body TEXT, --file FILE, --edit, or on standard input")
}

fn broken(what: &str, faults: &[DraftFault], usable: &[Key]) -> Report {
    const NAMED: usize = 6;
    let mut all: Vec<_> = faults.iter().take(NAMED).map(ToString::to_string).collect();
    if faults.len() > NAMED {
        all.push(format!("{} more faults", faults.len() - NAMED));
    }
    let known: Vec<_> = usable.iter().map(|key| key.as_str()).collect();
    Report::failed("bad-draft", format!("the header of {what}: {}; nothing was sent", all.join("; ")))
        .hint(format!("a draft may say {}", known.join(", ")))
        .hint("a text that is no header must not start with a line `---`")
}

fn bounded(from: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(TEXT_CAP + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > TEXT_CAP {
        return Err(std::io::Error::other(format!("more than {TEXT_CAP} bytes; send a reference to the file instead")));
    }
    Ok(bytes)
}

/// Opens the editor on a template that explains the convention. The file lies in the state folder, for
/// the user alone.
fn edited(run: &Run<'_>, usable: &[Key], known: &[(Key, Vec<String>)]) -> Result<Text, Fail> {
    let editor = start::variable("VISUAL").or_else(|| start::variable("EDITOR")).ok_or_else(|| {
        Report::new("no-editor", Exit::Usage, "--edit needs VISUAL or EDITOR; nothing was sent")
            .hint("or give the text with --body or --file")
    })?;
    let template = template(&REMARKS, known);
    let path = new_draft(run, &template)?;
    let failed = |why: String| {
        Report::failed("editor", format!("{editor}: {why}; the draft stays in {}; nothing was sent", path.display())).at(&path)
    };
    let status = Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(&path).status();
    let status = status.map_err(|e| failed(e.to_string()))?;
    if !status.success() {
        return Err(failed(format!("it ended with {status}")).into());
    }
    let text = std::fs::read_to_string(&path).map_err(|e| failed(format!("what it wrote can't be read: {e}")))?;
    if text.trim().is_empty() || text == template {
        let _ = run.session.disk.forget(&path);
        return Err(Report::failed("empty-draft", "the draft is empty; nothing was sent").into());
    }
    let what = path.display().to_string();
    let draft = Draft::read(&text, usable).map_err(|faults| broken(&what, &faults, usable).at(&path))?;
    Ok(Text { draft, edited: true, kept: Some(path) })
}

/// A new file for a draft.
fn new_draft(run: &Run<'_>, content: &str) -> Result<PathBuf, Report> {
    let folder = run.session.state.join("drafts");
    let failed = |path: &Path, why: &dyn std::fmt::Display| {
        Report::failed("draft", format!("no draft can be kept in {}: {why}; nothing was sent", path.display())).at(path)
    };
    run.session.disk.private_folder(&folder).map_err(|e| failed(&folder, &e))?;
    let stamp: String = run.session.stamp().chars().filter(char::is_ascii_alphanumeric).collect();
    let name = |n: u32| format!("draft-{stamp}-{}-{n}.md", std::process::id());
    let taken = |path: &PathBuf| path.symlink_metadata().is_ok();
    // Only a process that had the same number in the same second can have left one.
    let path = (1..1000).map(|n| folder.join(name(n))).find(|path| !taken(path)).unwrap_or_else(|| folder.join(name(0)));
    run.session.disk.record(&path, content.as_bytes()).map_err(|e| failed(&path, &e))?;
    Ok(path)
}

//! The templates that summaries are made with: built in, and replaced or added to by a folder.
//!
//! A folder's `default.j2` takes the place of the built-in `default`; any other `NAME.j2` in it is
//! the format NAME. `{% include %}` and `{% extends %}` find the same names, and the built-in ones
//! as `builtin/NAME.j2`. A template reads nothing but what it is given: no files, no environment.

use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value};
use serde::Serialize;

/// The built-in formats, and their templates.
const BUILT_IN: [(&str, &str); 4] = [
    ("default", include_str!("../../templates/default.j2")),
    ("soma", include_str!("../../templates/soma.j2")),
    ("brief", include_str!("../../templates/brief.j2")),
    ("text", include_str!("../../templates/text.j2")),
];

/// The ending of a template's file.
const ENDING: &str = ".j2";
/// A template file larger than this is none.
const MAX_SOURCE: u64 = 256 * 1024;
/// More than this is never put out, in bytes: a loop gone wild ends here.
const MAX_OUTPUT: usize = 4 * 1024 * 1024;
/// Steps of the engine: some twenty thousand items' worth.
const FUEL: u64 = 2_000_000;

/// Why a template gave no text.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// There is no such format.
    #[error("there is no summary format {name:?}; known are {}", known.join(", "))]
    Unknown {
        /// The format asked for.
        name: String,
        /// The formats there are.
        known: Vec<String>,
    },
    /// The template is wrong, or can't be read.
    #[error("template {}{}: {text}", file.display(), line.map(|n| format!(", line {n}")).unwrap_or_default())]
    Faulty {
        /// The template's file; for a built-in one its name.
        file: PathBuf,
        /// The line, counted from 1.
        line: Option<usize>,
        /// What is wrong with it.
        text: String,
    },
}

/// The templates at hand. Made once for a command; the engine is set up, and a template compiled, when
/// it is first used: most summaries and hooks have nothing to tell.
#[derive(Debug)]
pub struct Templates {
    engine: OnceCell<Environment<'static>>,
    folder: Option<PathBuf>,
}

/// What a template gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The text.
    pub text: String,
    /// Whether the template was one of the folder's: its own text is not ours.
    pub foreign: bool,
}

impl Templates {
    /// The built-in templates, and before them those of `folder`.
    pub fn new(folder: Option<&Path>) -> Self {
        Self { engine: OnceCell::new(), folder: folder.map(Path::to_owned) }
    }

    fn engine(&self) -> &Environment<'static> {
        self.engine.get_or_init(|| {
            let mut engine = Environment::new();
            engine.set_undefined_behavior(UndefinedBehavior::Strict);
            engine.set_auto_escape_callback(|_| AutoEscape::None);
            engine.set_fuel(Some(FUEL));
            // Tags on lines of their own leave nothing behind, and no newline of a template gets lost.
            let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
            if let Ok(syntax) = syntax {
                engine.set_syntax(syntax);
            }
            let from = self.folder.clone();
            engine.set_loader(move |name| load(name, from.as_deref()));
            engine
        })
    }

    /// Whether there is a format of this name; for where nothing may be there to render.
    ///
    /// # Errors
    /// [`TemplateError::Unknown`].
    pub fn check(&self, format: &str) -> Result<(), TemplateError> {
        if built_in(format).is_some() || is_name(format) && self.own_file(format).is_some() {
            return Ok(());
        }
        Err(TemplateError::Unknown { name: format.to_owned(), known: self.formats() })
    }

    /// Renders the template of a format.
    ///
    /// # Errors
    /// [`TemplateError`]: no such format, or a fault in its template.
    pub fn render(&self, format: &str, view: &impl Serialize) -> Result<Output, TemplateError> {
        let unknown = || TemplateError::Unknown { name: format.to_owned(), known: self.formats() };
        if !is_name(format) {
            return Err(unknown());
        }
        let text = self.render_file(&format!("{format}{ENDING}"), view);
        let text = text.map_err(|e| e.map_or_else(unknown, |e| self.fault(format, &e)))?;
        Ok(Output { text, foreign: self.own_file(format).is_some() })
    }

    /// Renders the built-in template of a format, whatever the folder holds; of `default` where
    /// there is none of that name.
    ///
    /// # Errors
    /// [`TemplateError`], where even that fails.
    pub fn render_built_in(&self, format: &str, view: &impl Serialize) -> Result<Output, TemplateError> {
        let name = if built_in(format).is_some() { format } else { "default" };
        let unknown = || TemplateError::Unknown { name: name.to_owned(), known: self.formats() };
        let text = self.render_file(&format!("builtin/{name}{ENDING}"), view);
        Ok(Output { text: text.map_err(|e| e.map_or_else(unknown, |e| self.fault(name, &e)))?, foreign: false })
    }

    /// Renders a template that is no format: a whole page of somebody's own. It may include formats.
    ///
    /// # Errors
    /// [`TemplateError::Faulty`].
    pub fn render_page(&self, file: &Path, source: &str, view: &impl Serialize) -> Result<String, TemplateError> {
        let name = file.to_string_lossy();
        let rendered = self.engine().template_from_named_str(&name, source).and_then(|template| {
            let mut out = Bounded(Vec::new());
            template.render_captured_to(Value::from(Serde(view)), &mut out)?;
            Ok(String::from_utf8_lossy(&out.0).into_owned())
        });
        rendered.map_err(|error| match self.fault("", &error) {
            TemplateError::Faulty { file: named, line, text } => {
                // A fault in an included format keeps that one's name.
                let own = named.to_string_lossy().trim_end_matches(ENDING) == name.trim_end_matches(ENDING);
                TemplateError::Faulty { file: if own { file.to_owned() } else { named }, line, text }
            }
            other @ TemplateError::Unknown { .. } => other,
        })
    }

    /// The names of all formats, the built-in ones first.
    pub fn formats(&self) -> Vec<String> {
        let mut names: Vec<String> = BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect();
        let entries = self.folder.as_deref().and_then(|f| std::fs::read_dir(f).ok());
        let mut own: Vec<String> = entries
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|e| Some(e.file_name().to_str()?.strip_suffix(ENDING)?.to_owned()))
            .filter(|name| is_name(name) && !names.contains(name))
            .collect();
        own.sort();
        names.append(&mut own);
        names
    }

    /// `Err(None)`: there is no such template.
    fn render_file(&self, file: &str, view: &impl Serialize) -> Result<String, Option<Error>> {
        let template = self.engine().get_template(file).map_err(|e| match e.kind() {
            ErrorKind::TemplateNotFound => None,
            _ => Some(e),
        })?;
        let mut out = Bounded(Vec::new());
        template.render_captured_to(Value::from(Serde(view)), &mut out).map_err(Some)?;
        Ok(String::from_utf8_lossy(&out.0).into_owned())
    }

    fn fault(&self, format: &str, mut error: &Error) -> TemplateError {
        // What is wrong with an included template is said of that one.
        while let Some(inner) = std::error::Error::source(error).and_then(|e| e.downcast_ref::<Error>()) {
            error = inner;
        }
        let name = error.name().map_or(format, |n| n.strip_suffix(ENDING).unwrap_or(n));
        let file = self.own_file(name).unwrap_or_else(|| PathBuf::from(format!("{name}{ENDING}")));
        let mut text = error.kind().to_string();
        if let Some(detail) = error.detail() {
            text = format!("{text}: {detail}");
        }
        if let Some(cause) = std::error::Error::source(error) {
            text = format!("{text}: {cause}");
        }
        TemplateError::Faulty { file, line: error.line(), text }
    }

    /// The folder's file of a format, where there is one.
    fn own_file(&self, format: &str) -> Option<PathBuf> {
        let path = self.folder.as_deref()?.join(format!("{format}{ENDING}"));
        (is_name(format) && path.exists()).then_some(path)
    }
}

fn built_in(format: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(name, _)| *name == format).map(|&(_, source)| source)
}

/// A template's name is no path: it can't lead out of the folder.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

/// Finds the source of a template: the folder's own, else the built-in one.
fn load(file: &str, folder: Option<&Path>) -> Result<Option<String>, Error> {
    let plain = file.strip_prefix("builtin/");
    let Some(format) = plain.unwrap_or(file).strip_suffix(ENDING).filter(|name| is_name(name)) else {
        return Ok(None);
    };
    if let (None, Some(folder)) = (plain, folder)
        && let Some(source) = read(folder, file).map_err(|text| Error::new(ErrorKind::BadInclude, text))?
    {
        return Ok(Some(source));
    }
    Ok(built_in(format).map(str::to_owned))
}

/// Reads a template's file; `None` if there is none. Never more than [`MAX_SOURCE`], never a FIFO,
/// never by a link out of the folder: a prompt must not hold a file that only a link leads to.
fn read(folder: &Path, file: &str) -> Result<Option<String>, String> {
    let path = &folder.join(file);
    let say = |what: &str| format!("{}: {what}", path.display());
    if let (Ok(real), Ok(folder)) = (path.canonicalize(), folder.canonicalize())
        && !real.starts_with(folder)
    {
        return Err(say("a link out of the folder of templates"));
    }
    let about = match std::fs::metadata(path) {
        Ok(about) => about,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(say(&e.to_string())),
    };
    if !about.is_file() {
        return Err(say("not a file"));
    }
    let mut source = String::new();
    let file = File::open(path).map_err(|e| say(&e.to_string()))?;
    let size = file.take(MAX_SOURCE + 1).read_to_string(&mut source).map_err(|e| say(&e.to_string()))?;
    if size as u64 > MAX_SOURCE {
        return Err(say("larger than a template can be (256 KiB)"));
    }
    Ok(Some(source))
}

/// Takes text up to [`MAX_OUTPUT`].
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_OUTPUT {
            return Err(io::Error::other("the template puts out more than 4 MiB"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;

//! `render`: a template of another tool, its slots for the inbox filled.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Run;
use super::args::RenderArgs;
use super::out::{Out, Outcome};
use super::summary::gather;
use crate::error::{Exit, Report};
use crate::model::message::Warning;
use crate::store::read::{self, LARGEST, Reach};
use crate::text::neutral::Target;
use crate::text::slots::{self, Values};

pub fn run(run: &Run<'_>, args: &RenderArgs, out: &mut Out) -> Outcome {
    let template = template(run, &args.file)?;
    let told;
    let bytes = if args.jinja {
        let source = std::str::from_utf8(&template)
            .map_err(|_| Report::failed("not-utf8", format!("{} is not UTF-8 text", args.file.display())).at(&args.file))?;
        told = gather(run, &args.form, Target::Prompt, Some((&args.file, source)), out)?;
        told.page.clone().unwrap_or_default().into_bytes()
    } else {
        told = gather(run, &args.form, Target::Prompt, None, out)?;
        let values = Values { summary: &told.text, unread: told.summary.unread, open: told.summary.open };
        let rendered = slots::render(&template, &values);
        for warning in &rendered.warnings {
            out.warn_of(args.file.display(), &Warning::new("slot", warning.to_string()));
        }
        if rendered.slots == 0 {
            let text = format!("{} has no slot for the inbox, such as {{{{inbox_summary}}}}", args.file.display());
            out.warn(&Warning::new("no-slot", text));
        }
        rendered.bytes
    };
    match &args.output {
        Some(output) => write(run, output, &args.file, &bytes)?,
        None => out.raw(&bytes)?,
    }
    Ok(out.unlooked(&told.unlooked))
}

fn template(run: &Run<'_>, file: &Path) -> Result<Vec<u8>, Report> {
    if file == Path::new("-") {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().take(LARGEST).read_to_end(&mut bytes);
        read.map_err(|e| Report::failed("input", format!("could not read the template from standard input: {e}")))?;
        return Ok(bytes);
    }
    let path = run.session.dir().join(file);
    if path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Err(Report::failed("no-such-file", format!("there is no template {}", path.display())).at(&path));
    }
    let (source, _) = read::read_whole(&path, Reach::Anywhere, LARGEST)?;
    Ok(source.bytes.to_vec())
}

fn write(run: &Run<'_>, output: &Path, template: &Path, bytes: &[u8]) -> Result<(), Report> {
    let session = &run.session;
    let path: PathBuf = session.dir().join(output);
    let same = path.canonicalize().ok().zip(session.dir().join(template).canonicalize().ok()).is_some_and(|(a, b)| a == b);
    if same {
        let text = format!("{} is the template itself; writing there would use up its slots", output.display());
        return Err(Report::new("same-file", Exit::Usage, text).at(&path));
    }
    let before = match path.symlink_metadata() {
        Ok(_) => Some(read::read_whole(&path, Reach::Anywhere, LARGEST)?.0.bytes),
        Err(_) => None,
    };
    session.disk.write_file(&path, before.as_deref(), bytes, Reach::Anywhere)?;
    Ok(())
}

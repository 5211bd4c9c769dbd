//! `inject`: the managed block in instructions files.

use std::io::Write;

use super::args::InjectArgs;
use super::out::{Failed, Out, Outcome};
use super::summary::gather;
use super::{Run, say};
use crate::ops::inject::{Became, Injected, inject};
use crate::render::boot::{self, FileRow};
use crate::text::neutral::Target;

pub fn run(run: &Run<'_>, args: &InjectArgs, out: &mut Out) -> Outcome {
    let told = if args.remove { None } else { Some(gather(run, &args.form, Target::Markdown, None, out)?) };
    let text = told.as_ref().map(|told| told.text.as_str());
    let mut done = Vec::new();
    let mut failed = Vec::new();
    for file in &args.files {
        match inject(&run.session, file, text, args.dry_run) {
            Ok(injected) => done.push(injected),
            Err(report) => failed.push(Failed::new(&file.to_string_lossy(), report)),
        }
    }
    let mut exit = Failed::exit(&failed);
    for injected in &done {
        say(out, &injected.warnings);
    }
    if out.json {
        if let ([], [one]) = (done.as_slice(), failed.as_slice()) {
            return Err(one.report.clone().into());
        }
        let files: Vec<_> = done.iter().map(|i| FileRow { path: &i.path, word: word(i.became) }).collect();
        let failed = Failed::in_context(&failed, out);
        boot::files(out.data(), &files, &Failed::documents(&failed), args.dry_run)?;
    } else {
        for injected in &done {
            tell(run, injected, args.dry_run, out)?;
        }
        for one in &failed {
            out.failure(&one.report);
        }
    }
    if let Some(told) = told {
        exit = exit.worst(out.unlooked(&told.unlooked));
    }
    Ok(exit)
}

fn tell(run: &Run<'_>, injected: &Injected, dry_run: bool, out: &mut Out) -> std::io::Result<()> {
    let would = if dry_run && injected.became != Became::Unchanged { " (not yet: a dry run)" } else { "" };
    let what = match injected.became {
        Became::Unchanged => "unchanged",
        Became::Made => "made, with the block",
        Became::Added => "block added",
        Became::Updated => "block updated",
        Became::Removed => "block removed",
        Became::FileRemoved => "removed: it held the block only",
    };
    writeln!(out.data(), "{}: {what}{would}", run.session.short(&injected.path))
}

fn word(became: Became) -> &'static str {
    match became {
        Became::Unchanged => "unchanged",
        Became::Made => "made",
        Became::Added => "added",
        Became::Updated => "updated",
        Became::Removed => "removed",
        Became::FileRemoved => "file-removed",
    }
}

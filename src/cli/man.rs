//! `man`: the manual pages, one for each command, made of the same texts as `--help`.

use std::io::Write;

use clap::{Command, CommandFactory};

use super::args::{Cli, ManArgs};
use super::out::{Out, Outcome};
use crate::error::{Exit, Report};
use crate::store::atomic::Disk;
use crate::store::read::{self, LARGEST, Reach};
use crate::text::nearest::likely;

pub fn run(args: &ManArgs, out: &mut Out) -> Outcome {
    let whole = built();
    if let Some(dir) = &args.dir {
        let disk = Disk::new();
        disk.shared_folder(dir).map_err(|e| Report::failed("disk", e.to_string()))?;
        for (name, page) in pages(&whole)? {
            let path = dir.join(format!("{name}.1"));
            let before = read::read_whole(&path, Reach::Anywhere, LARGEST).ok().map(|(source, _)| source.bytes);
            disk.write_file(&path, before.as_deref(), &page, Reach::Anywhere).map_err(Report::from)?;
            writeln!(out.data(), "{}", path.display())?;
        }
        return Ok(Exit::Done);
    }
    let page = match &args.command {
        None => page(&whole)?,
        Some(name) => page(whole.find_subcommand(name).ok_or_else(|| unknown(&whole, name))?)?,
    };
    out.raw(&page)?;
    Ok(Exit::Done)
}

/// The command with the full names of its parts: `postroom-list`.
fn built() -> Command {
    let mut whole = Cli::command().disable_help_subcommand(true);
    whole.build();
    let named = |sub: Command| {
        let name = format!("postroom-{}", sub.get_name());
        sub.display_name(name)
    };
    whole.mut_subcommands(named)
}

fn pages(whole: &Command) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut out = vec![("postroom".to_owned(), page(whole)?)];
    for sub in whole.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        out.push((format!("postroom-{}", sub.get_name()), page(sub)?));
    }
    Ok(out)
}

fn page(command: &Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}

fn unknown(whole: &Command, name: &str) -> Report {
    let mut report = Report::new("no-such-command", Exit::Usage, format!("there is no command {name:?}"));
    for near in likely(name, whole.get_subcommands().map(Command::get_name)).into_iter().take(3) {
        report = report.hint(format!("did you mean {near}?"));
    }
    report.next("postroom --help")
}

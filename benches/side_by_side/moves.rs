//! The physical limit of a sweep: what any program pays that looks at every message of a folder and
//! moves it. It lists the folder, opens each file, reads its first 1,024 bytes and closes it; then it
//! renames each, in the order of their names; at last it syncs both folders. Nothing else.
//!
//! `cargo run --release --example moves FROM TO` prints how many files it moved.
//! `benches/side_by_side/run.py` measures `postroom sweep` against it.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    let mut folders = std::env::args_os().skip(1).map(std::path::PathBuf::from);
    let (Some(from), Some(to)) = (folders.next(), folders.next()) else {
        eprintln!("usage: moves FROM TO");
        return ExitCode::from(2);
    };
    match moves(&from, &to) {
        Ok(files) => {
            println!("{files} files");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", from.display());
            ExitCode::FAILURE
        }
    }
}

#[cfg(unix)]
fn moves(from: &std::path::Path, to: &std::path::Path) -> std::io::Result<usize> {
    use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, fsync, openat, renameat};

    let open = |folder| openat(CWD, folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    let (from, to) = (open(from)?, open(to)?);
    let mut names = Vec::new();
    let mut buffer = [0_u8; 1024];
    for entry in Dir::read_from(&from)? {
        let entry = entry?;
        if entry.file_type() == FileType::Directory {
            continue;
        }
        let file = openat(&from, entry.file_name(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        rustix::io::read(&file, &mut buffer)?;
        names.push(entry.file_name().to_owned());
    }
    names.sort();
    for name in &names {
        renameat(&from, name, &to, name)?;
    }
    fsync(&from)?;
    fsync(&to)?;
    Ok(names.len())
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    eprintln!("only measured on Unix");
    ExitCode::FAILURE
}

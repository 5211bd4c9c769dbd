//! The physical limit: what any program pays that looks at every message of a folder. It lists the
//! folder, and opens each file, reads its first 1,024 bytes and closes it. Nothing else.
//!
//! `cargo run --release --example limit FOLDER` prints how many files and bytes it met; with `--names`
//! before the folder it opens none, and only lists. It is what
//! `benches/side_by_side/run.py` measures postroom against, so it does it as fast as one thread
//! can: names relative to the open folder, one buffer, no `stat`.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1).peekable();
    let only_names = words.next_if(|word| word == "--names").is_some();
    let Some(folder) = words.next() else {
        eprintln!("usage: limit [--names] FOLDER");
        return ExitCode::from(2);
    };
    match walk(std::path::Path::new(&folder), only_names) {
        Ok((files, bytes)) => {
            println!("{files} files, {bytes} bytes");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", std::path::Path::new(&folder).display());
            ExitCode::FAILURE
        }
    }
}

#[cfg(unix)]
fn walk(folder: &std::path::Path, only_names: bool) -> std::io::Result<(usize, usize)> {
    use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, openat};

    let handle = openat(CWD, folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let (mut files, mut bytes) = (0, 0);
    let mut buffer = [0_u8; 1024];
    for entry in Dir::read_from(&handle)? {
        let entry = entry?;
        if entry.file_type() == FileType::Directory {
            continue;
        }
        files += 1;
        if only_names {
            continue;
        }
        let file = openat(&handle, entry.file_name(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        bytes += rustix::io::read(&file, &mut buffer)?;
    }
    Ok((files, bytes))
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    eprintln!("only measured on Unix");
    ExitCode::FAILURE
}

//! The physical limit: what any program pays that looks at every message of a folder. It lists the
//! folder, and opens each file, reads its first 1,024 bytes and closes it. Nothing else.
//!
//! `cargo run --release --example limit FOLDER` prints how many files and bytes it met; with a second
//! folder it also moves each file there, as a sweep has to, and syncs both folders once; with `--names`
//! before the folder it lists and opens nothing. It is what
//! `benches/side_by_side/run.py` measures postroom against, so it does it as fast as one thread
//! can: names relative to the open folder, one buffer, no `stat`.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    let folders: Vec<std::path::PathBuf> = std::env::args_os().skip(1).map(Into::into).collect();
    let (folder, to, names_only) = match folders.as_slice() {
        [folder] => (folder, None, false),
        [flag, folder] if flag.as_os_str() == "--names" => (folder, None, true),
        [folder, to] => (folder, Some(to.as_path()), false),
        _ => {
            eprintln!("usage: limit FOLDER [TO] | --names FOLDER");
            return ExitCode::from(2);
        }
    };
    match walk(folder, to, names_only) {
        Ok((files, bytes)) => {
            println!("{files} files, {bytes} bytes");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}

#[cfg(unix)]
fn walk(folder: &std::path::Path, to: Option<&std::path::Path>, names_only: bool) -> std::io::Result<(usize, usize)> {
    use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, fsync, openat, renameat};

    let open = |folder| openat(CWD, folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    let handle = open(folder)?;
    let to = to.map(open).transpose()?;
    let (mut files, mut bytes) = (0, 0);
    let mut buffer = [0_u8; 1024];
    let mut names = Vec::new();
    for entry in Dir::read_from(&handle)? {
        let entry = entry?;
        if entry.file_type() == FileType::Directory {
            continue;
        }
        files += 1;
        if names_only {
            continue;
        }
        let file = openat(&handle, entry.file_name(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        bytes += rustix::io::read(&file, &mut buffer)?;
        if to.is_some() {
            names.push(entry.file_name().to_owned());
        }
    }
    if let Some(to) = to {
        for name in names {
            renameat(&handle, &name, &to, &name)?;
        }
        fsync(&to)?;
        fsync(&handle)?;
    }
    Ok((files, bytes))
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    eprintln!("only measured on Unix");
    ExitCode::FAILURE
}

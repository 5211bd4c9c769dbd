//! The physical limit: what any program pays that does the same work. It does that and nothing else, as
//! fast as one thread can: names relative to the open folder, one buffer, no `stat`.
//! With `--shared`, as fast as two can.
//!
//! `benches/side_by_side/run.py` measures postroom against it; `cargo run --release --example limit` with
//!
//! - `FOLDER`: lists it, and opens each file, reads its first 1,024 bytes and closes it;
//! - `FOLDER TO`: and then moves each file there, as a sweep has to, and syncs both folders once;
//! - `--shared FOLDER`: lists it, and does the same with two threads, each on a processor of its own if that can be had;
//! - `--names FOLDER`: lists it, and opens nothing;
//! - `--replace FILE`: reads it, and puts a file with the same bytes in its place, synced with its folder;
//! - `--add FOLDER`: puts a new file there, synced with its folder.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    let words: Vec<std::path::PathBuf> = std::env::args_os().skip(1).map(Into::into).collect();
    let work: Vec<&std::path::Path> = words.iter().map(std::path::PathBuf::as_path).collect();
    let option = work.first().and_then(|word| word.to_str()).filter(|word| word.starts_with("--"));
    let done = match (option, work.as_slice()) {
        (None, [folder]) => unix::walk(folder, None, false),
        (None, [folder, to]) => unix::walk(folder, Some(to), false),
        (Some("--shared"), [_, folder]) => unix::shared(folder),
        (Some("--names"), [_, folder]) => unix::walk(folder, None, true),
        (Some("--replace"), [_, file]) => unix::replace(file),
        (Some("--add"), [_, folder]) => unix::add(folder),
        _ => {
            eprintln!("usage: limit FOLDER [TO] | --shared FOLDER | --names FOLDER | --replace FILE | --add FOLDER");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok((files, bytes)) => {
            println!("{files} files, {bytes} bytes");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::ffi::CStr;
    use std::fs::{self, File};
    use std::io::{self, Write as _};
    use std::os::fd::OwnedFd;
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread;

    use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, fsync, openat, renameat};

    /// How many files were met, and how many bytes of them.
    type Done = io::Result<(usize, usize)>;

    fn open(folder: &Path) -> io::Result<OwnedFd> {
        Ok(openat(CWD, folder, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
    }

    /// Opens a file, reads its beginning and closes it; gives how much that was.
    fn beginning(folder: &OwnedFd, name: &CStr, buffer: &mut [u8]) -> io::Result<usize> {
        let file = openat(folder, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(rustix::io::read(&file, buffer)?)
    }

    pub fn walk(folder: &Path, to: Option<&Path>, names_only: bool) -> Done {
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
            bytes += beginning(&handle, entry.file_name(), &mut buffer)?;
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

    pub fn shared(folder: &Path) -> Done {
        const BLOCK: usize = 32;
        let handle = open(folder)?;
        let mut names = Vec::new();
        for entry in Dir::read_from(&handle)? {
            let entry = entry?;
            if entry.file_type() != FileType::Directory {
                names.push(entry.file_name().to_owned());
            }
        }
        let next = AtomicUsize::new(0);
        let read = || {
            let (mut bytes, mut buffer) = (0, [0_u8; 1024]);
            while let Some(block) = names.get(next.fetch_add(BLOCK, Ordering::Relaxed)..).filter(|left| !left.is_empty()) {
                for name in block.iter().take(BLOCK) {
                    bytes += beginning(&handle, name, &mut buffer)?;
                }
            }
            io::Result::Ok(bytes)
        };
        let begun = AtomicBool::new(false);
        let here = processor::current();
        let bytes = thread::scope(|scope| {
            let other = scope.spawn(|| {
                processor::leave(here);
                begun.store(true, Ordering::Relaxed);
                read()
            });
            // Only a thread that runs can move to another processor.
            for _ in 0..64 {
                if begun.load(Ordering::Relaxed) {
                    break;
                }
                thread::yield_now();
            }
            let own = read()?;
            Ok(own + other.join().unwrap_or_else(|_| Err(io::Error::other("a thread failed")))?)
        });
        bytes.map(|bytes: usize| (names.len(), bytes))
    }

    /// Where a thread runs; see `src/store/parallel.rs`.
    #[cfg(target_os = "linux")]
    mod processor {
        use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
        use nix::unistd::Pid;

        pub fn current() -> Option<usize> {
            sched_getcpu().ok()
        }

        pub fn leave(number: Option<usize>) {
            let this = Pid::from_raw(0);
            let set = |set: &CpuSet| sched_setaffinity(this, set);
            if let (Some(number), Ok(allowed)) = (number.filter(|_| current() == number), sched_getaffinity(this)) {
                let mut others = allowed;
                let _ = others.unset(number).and_then(|()| set(&others)).and_then(|()| set(&allowed));
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    mod processor {
        pub fn current() -> Option<usize> {
            None
        }

        pub fn leave(_: Option<usize>) {}
    }

    pub fn replace(path: &Path) -> Done {
        let bytes = fs::read(path)?;
        put(path, &bytes)
    }

    pub fn add(folder: &Path) -> Done {
        let bytes = [b'x'; 700];
        put(&folder.join(format!("limit-{}.md", std::process::id())), &bytes)
    }

    fn put(path: &Path, bytes: &[u8]) -> Done {
        let folder = path.parent().unwrap_or(Path::new("."));
        let draft = folder.join(format!(".limit-{}", std::process::id()));
        let mut file = File::create_new(&draft)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&draft, path)?;
        File::open(folder)?.sync_all()?;
        Ok((1, bytes.len()))
    }
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    eprintln!("only measured on Unix");
    ExitCode::FAILURE
}

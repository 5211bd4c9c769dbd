//! Standard input that may never end: read for as long as it is of use, and no longer.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use crate::host::input::{Arrival, MAX_BYTES, MAX_MILLIS};

/// How much is read at a time, in bytes.
const PIECE: usize = 8 << 10;

/// What has arrived on standard input: until the JSON object is whole, it is clear that there is
/// none, the time is up, or it is too much. A terminal is not read: nobody types a hook's input.
pub fn arrived() -> Vec<u8> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return Vec::new();
    }
    read(system::pieces(stdin), MAX_BYTES, Duration::from_millis(MAX_MILLIS))
}

/// Reads from a source of pieces, each asked for with the time that is left.
fn read(mut next: impl FnMut(Duration) -> Option<Vec<u8>>, most: usize, time: Duration) -> Vec<u8> {
    let started = Instant::now();
    let mut bytes = Vec::new();
    let mut arrival = Arrival::default();
    while bytes.len() < most {
        let Some(piece) = next(time.saturating_sub(started.elapsed())) else { break };
        let whole = arrival.take(&piece);
        bytes.extend_from_slice(&piece);
        if whole {
            break;
        }
    }
    bytes.truncate(most);
    bytes
}

/// What differs from system to system: how to wait for no longer than a time.
#[cfg(unix)]
mod system {
    use std::os::fd::AsFd;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::{Errno, read};

    use super::PIECE;

    /// The pieces of a source as they arrive; none at its end, and when the time is up. No thread is
    /// started for it: that takes longer than all the rest of a hook that has nothing to tell.
    pub fn pieces(source: impl AsFd) -> impl FnMut(Duration) -> Option<Vec<u8>> {
        move |time| {
            let time = Timespec::try_from(time).ok()?;
            loop {
                match poll(&mut [PollFd::new(&source, PollFlags::IN)], Some(&time)) {
                    Ok(0) => return None,
                    Ok(_) => {}
                    Err(Errno::INTR) => continue,
                    Err(_) => return None,
                }
                let mut piece = vec![0; PIECE];
                match read(&source, &mut piece) {
                    Ok(0) => return None,
                    Ok(length) => {
                        piece.truncate(length);
                        return Some(piece);
                    }
                    Err(Errno::INTR | Errno::AGAIN) => {}
                    Err(_) => return None,
                }
            }
        }
    }
}

/// What differs from system to system: how to wait for no longer than a time.
#[cfg(not(unix))]
mod system {
    use std::io::{ErrorKind, Read};
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::PIECE;

    /// The pieces of a source as they arrive; none at its end, and when the time is up. They are read by
    /// a thread, which is left behind if it still waits then; it ends with the process.
    pub fn pieces(mut source: impl Read + Send + 'static) -> impl FnMut(Duration) -> Option<Vec<u8>> {
        // Two pieces ahead at most: what nobody takes is not read either.
        let (sender, pieces) = mpsc::sync_channel::<Vec<u8>>(2);
        let reader = thread::Builder::new().spawn(move || {
            let mut piece = vec![0; PIECE];
            loop {
                match source.read(&mut piece) {
                    Ok(0) => return,
                    Ok(length) => {
                        if sender.send(piece.get(..length).unwrap_or_default().to_vec()).is_err() {
                            return;
                        }
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => return,
                }
            }
        });
        move |time| if reader.is_ok() { pieces.recv_timeout(time).ok() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::thread;

    use super::*;

    /// Writes the pieces into a pipe, which is then kept open for as long as anybody waits, or closed.
    fn arriving(pieces: &[&'static [u8]], open: bool, most: usize, time: Duration) -> Vec<u8> {
        let (source, mut sink) = io::pipe().unwrap();
        let pieces = pieces.to_vec();
        let (ended, wait) = std::sync::mpsc::channel::<()>();
        let writer = thread::spawn(move || {
            for piece in pieces {
                // The reader may have had enough.
                let _ = sink.write_all(piece);
                thread::sleep(Duration::from_millis(5));
            }
            if open {
                let _ = wait.recv_timeout(Duration::from_mins(1));
            }
        });
        let bytes = read(system::pieces(source), most, time);
        drop(ended);
        writer.join().unwrap();
        bytes
    }

    #[test]
    fn a_whole_object_is_enough() {
        let started = Instant::now();
        let bytes = arriving(&[b"{\"a\":", b"\"}\"}"], true, 1000, Duration::from_secs(20));
        assert_eq!(bytes, b"{\"a\":\"}\"}");
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn what_has_come_when_the_time_is_up_counts() {
        let started = Instant::now();
        assert_eq!(arriving(&[b"{\"a\":1"], true, 1000, Duration::from_millis(100)), b"{\"a\":1");
        assert_eq!(arriving(&[], true, 1000, Duration::from_millis(50)), b"");
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn it_ends_with_the_input_with_nonsense_and_with_too_much() {
        assert_eq!(arriving(&[b"{\"a\":1"], false, 1000, Duration::from_secs(20)), b"{\"a\":1");
        assert_eq!(arriving(&[b"hello"], true, 1000, Duration::from_secs(20)), b"hello");
        let endless: &[&[u8]] = &[b"{\"a\":\"", &[b'x'; 1000], &[b'x'; 1000]];
        assert_eq!(arriving(endless, true, 1000, Duration::from_secs(20)).len(), 1000);
    }
}

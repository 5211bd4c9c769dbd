//! Standard input that may never end: read for as long as it is of use, and no longer.

use std::io::{self, IsTerminal, Read};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::host::input::{Arrival, MAX_BYTES, MAX_MILLIS};

/// What has arrived on standard input: until the JSON object is whole, it is clear that there is
/// none, the time is up, or it is too much. A terminal is not read: nobody types a hook's input.
pub fn arrived() -> Vec<u8> {
    let stdin = io::stdin();
    if stdin.is_terminal() { Vec::new() } else { read(stdin, MAX_BYTES, Duration::from_millis(MAX_MILLIS)) }
}

/// Reads from a source that may block. That is done by a thread of its own, which is left behind if
/// it still waits when the time is up; it ends with the process.
fn read(mut source: impl Read + Send + 'static, most: usize, time: Duration) -> Vec<u8> {
    const PIECE: usize = 64 << 10;
    let started = Instant::now();
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
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    });
    let mut bytes = Vec::new();
    let mut arrival = Arrival::default();
    if reader.is_err() {
        return bytes;
    }
    while bytes.len() < most {
        match pieces.recv_timeout(time.saturating_sub(started.elapsed())) {
            Ok(piece) => {
                let whole = arrival.take(&piece);
                bytes.extend_from_slice(&piece);
                if whole {
                    break;
                }
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    bytes.truncate(most);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its pieces, then blocks for as long as anybody waits.
    struct Slow(Vec<&'static [u8]>);

    impl Read for Slow {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                thread::sleep(Duration::from_mins(1));
                return Ok(0);
            }
            let piece = self.0.remove(0);
            out[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn a_whole_object_is_enough() {
        let started = Instant::now();
        let bytes = read(Slow(vec![b"{\"a\":", b"\"}\"}"]), 1000, Duration::from_secs(20));
        assert_eq!(bytes, b"{\"a\":\"}\"}");
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn what_has_come_when_the_time_is_up_counts() {
        let started = Instant::now();
        assert_eq!(read(Slow(vec![b"{\"a\":1"]), 1000, Duration::from_millis(50)), b"{\"a\":1");
        assert_eq!(read(Slow(vec![]), 1000, Duration::from_millis(50)), b"");
        assert!(started.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn it_ends_with_the_input_with_nonsense_and_with_too_much() {
        assert_eq!(read(&b"{\"a\":1"[..], 1000, Duration::from_secs(20)), b"{\"a\":1");
        assert_eq!(read(Slow(vec![b"hello"]), 1000, Duration::from_secs(20)), b"hello");
        let endless = io::repeat(b'x').chain(io::empty());
        let endless = (&b"{\"a\":\""[..]).chain(endless);
        assert_eq!(read(endless, 1000, Duration::from_secs(20)).len(), 1000);
    }
}

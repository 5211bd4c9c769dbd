//! Work on many files with several threads: for the hot path of listings, where half of the time is
//! the system's and any number of readers may be in it at once.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A thread is worth its start only for so many files: it costs as much as reading some thirty.
const LEAST_PER_THREAD: usize = 256;

/// More threads than this only get into each other's way in one folder.
const MOST_THREADS: usize = 8;

/// How many numbers a thread takes at a time.
const BLOCK: usize = 64;

/// How often the caller makes room for threads that have not begun, at most. One that is on a processor of
/// its own begins without that.
const PATIENCE: usize = 64;

/// Shares the numbers `0..count` out among threads, one of them the caller's. Each does `work` once,
/// which asks for its next number until there is none; each number is given out once. Gives what the
/// threads made of it, in no order.
pub(super) fn share<R: Send>(count: usize, work: impl Fn(&mut dyn FnMut() -> Option<usize>) -> R + Sync) -> Vec<R> {
    let threads = threads_for(count);
    if threads == 1 {
        let mut numbers = 0..count;
        return vec![work(&mut || numbers.next())];
    }
    let shared = AtomicUsize::new(0);
    let run = || {
        let mut block = 0..0;
        work(&mut || {
            if block.is_empty() {
                // Only the numbers have to be told apart, nothing else is handed over by them.
                let from = shared.fetch_add(BLOCK, Ordering::Relaxed).min(count);
                block = from..(from + BLOCK).min(count);
            }
            block.next()
        })
    };
    let begun = AtomicUsize::new(0);
    let here = processor::current();
    thread::scope(|scope| {
        let other = || {
            thread::Builder::new().spawn_scoped(scope, || {
                processor::leave(here);
                begun.fetch_add(1, Ordering::Relaxed);
                run()
            })
        };
        // Where no more threads can be had, those that run do all the work.
        let others: Vec<_> = (1..threads).map_while(|_| other().ok()).collect();
        // Only a thread that runs can move, so its maker makes room until then. It does not sleep: who is
        // woken may be put on the processor of the one that wakes it.
        for _ in 0..PATIENCE {
            if begun.load(Ordering::Relaxed) >= others.len() {
                break;
            }
            thread::yield_now();
        }
        let own = run();
        let joined = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        std::iter::once(own).chain(joined).collect()
    })
}

fn threads_for(count: usize) -> usize {
    let useful = (count / LEAST_PER_THREAD).min(MOST_THREADS);
    if useful < 2 {
        return 1; // without asking the system
    }
    useful.min(thread::available_parallelism().map_or(1, NonZero::get))
}

/// Where threads run. A system may put a new thread behind its maker, on the same processor, and leave
/// it there for as long as a thousand files take, while another processor is idle.
#[cfg(target_os = "linux")]
mod processor {
    use nix::sched::{sched_getaffinity, sched_getcpu, sched_setaffinity};
    use nix::unistd::Pid;

    /// The number of the processor that this thread runs on, where the system tells.
    pub(super) fn current() -> Option<usize> {
        sched_getcpu().ok()
    }

    /// Moves this thread off a processor, if it runs there and may run on others. Where it goes from there
    /// is the system's matter again.
    pub(super) fn leave(number: Option<usize>) {
        let this = Pid::from_raw(0);
        let Some(number) = number.filter(|_| current() == number) else { return };
        let Ok(allowed) = sched_getaffinity(this) else { return };
        let mut others = allowed;
        // Where there are no others, the system says no.
        if others.unset(number).is_ok() && sched_setaffinity(this, &others).is_ok() {
            let _ = sched_setaffinity(this, &allowed);
        }
    }
}

/// Where there is no way to say so, the system is left to it.
#[cfg(not(target_os = "linux"))]
mod processor {
    pub(super) fn current() -> Option<usize> {
        None
    }

    pub(super) fn leave(_: Option<usize>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_given_out_once() {
        for count in [0, 1, 63, 64, 65, 255, 2 * LEAST_PER_THREAD, 5_000] {
            let parts = share(count, |next| {
                let mut seen = Vec::new();
                while let Some(number) = next() {
                    seen.push(number);
                }
                assert_eq!(next(), None);
                seen
            });
            assert!(!parts.is_empty());
            let mut all = parts.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..count), "{count}");
        }
    }

    #[test]
    fn few_files_are_one_thread_s_work() {
        assert_eq!(threads_for(0), 1);
        assert_eq!(threads_for(2 * LEAST_PER_THREAD - 1), 1);
        assert!(threads_for(1_000_000) <= MOST_THREADS);
    }

    #[test]
    fn a_panic_is_passed_on() {
        let caught = std::panic::catch_unwind(|| {
            share(10_000, |next| {
                while let Some(number) = next() {
                    assert!(number < 5_000, "on purpose");
                }
            })
        });
        assert!(caught.is_err());
    }
}

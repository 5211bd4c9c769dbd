//! Names for new messages that two senders in the same second don't share: the end of a file's name.
//!
//! Made of what is sent, not of chance, so that a dry run shows the name that the real run takes.
//! The same letter sent twice gets another one: whoever plans it tries the next number until the
//! name is free, and putting the file in place never replaces.

use crate::model::letter::Letter;

/// Digits and letters as `mktemp` uses them.
const SIGNS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A number that hardly any two copies share; `attempt` gives others for the same copy.
pub(super) fn number(letter: &Letter, recipient: &str, attempt: u32) -> u64 {
    let instant = letter.instant();
    let fixed = [&instant, &letter.from, &letter.subject, &letter.body, &letter.kind];
    let optional = [&letter.thread, &letter.in_reply_to, &letter.origin];
    let parts = fixed.into_iter().chain(optional.into_iter().flatten()).map(String::as_bytes);
    of(parts.chain([recipient.as_bytes()]), attempt)
}

/// A number made of some parts.
pub(super) fn of<'a>(parts: impl Iterator<Item = &'a [u8]>, attempt: u32) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        // FNV-1a, with a sign between the parts that no text holds.
        for &byte in bytes.iter().chain(&[0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    parts.for_each(&mut add);
    add(&attempt.to_le_bytes());
    // The last steps of FNV leave the high bits nearly as they were; mix them once more.
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

/// `count` digits and letters of a number.
pub(super) fn letters(mut number: u64, count: usize) -> String {
    let mut out = String::with_capacity(count);
    for _ in 0..count {
        let sign = usize::try_from(number % 62).ok().and_then(|at| SIGNS.get(at));
        out.push(sign.map_or('0', |&b| char::from(b)));
        number /= 62;
    }
    out
}

/// The instant of a letter as names carry it: `20260430T100000Z`.
pub(super) fn stamp(letter: &Letter) -> String {
    letter.instant().chars().filter(char::is_ascii_alphanumeric).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::date::Clock;
    use crate::model::message::Priority;

    /// A letter for tests.
    pub(crate) fn letter() -> Letter {
        Letter {
            from: "ava".to_owned(),
            to: vec!["ben".to_owned()],
            cc: Vec::new(),
            bcc: None,
            subject: "Auth ready".to_owned(),
            sent: Clock::utc("2026-04-30T10:00:00Z".parse().unwrap()),
            kind: "note".to_owned(),
            priority: Priority::Normal,
            tags: Vec::new(),
            thread: None,
            in_reply_to: None,
            origin: None,
            body: "It works.".to_owned(),
        }
    }

    #[test]
    fn a_copy_has_one_number_and_others_if_asked() {
        let letter = letter();
        assert_eq!(number(&letter, "ben", 1), number(&letter, "ben", 1));
        let mut seen: Vec<u64> = (1..2000).map(|attempt| number(&letter, "ben", attempt) & 0xffff).collect();
        seen.sort_unstable();
        seen.dedup();
        assert!(seen.len() > 1900, "{}", seen.len());
        let other = Letter { body: "It works!".to_owned(), ..letter.clone() };
        assert_ne!(number(&letter, "ben", 1), number(&other, "ben", 1));
        assert_ne!(number(&letter, "ben", 1), number(&letter, "cal", 1));
    }

    #[test]
    fn numbers_are_spelt_in_letters_and_digits() {
        assert_eq!(letters(0, 3), "000");
        assert_eq!(letters(61 + 62, 2), "z1");
        assert_eq!(letters(u64::MAX, 6).len(), 6);
        assert_eq!(stamp(&letter()), "20260430T100000Z");
    }
}

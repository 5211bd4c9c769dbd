//! Finding bytes in short texts.
//!
//! The usual search of `memchr` asks the processor at its first use what it can do. In a virtual machine
//! that takes as long as reading ten headers, and nearly all texts here are lines of some thirty bytes: so
//! this is the search that asks nothing, and takes a word of memory at a time.

use memchr::arch::all::memchr::{One, Two};

/// Where a byte stands first.
#[inline]
pub fn first(needle: u8, text: &[u8]) -> Option<usize> {
    One::new(needle).find(text)
}

/// Where one of two bytes stands first.
#[inline]
pub fn first_of(needles: [u8; 2], text: &[u8]) -> Option<usize> {
    let [one, other] = needles;
    Two::new(one, other).find(text)
}

/// How many times a byte stands there.
pub fn count(needle: u8, text: &[u8]) -> usize {
    One::new(needle).iter(text).count()
}

/// Whether a line other than the first begins so.
pub fn has_line_beginning(with: &[u8], text: &[u8]) -> bool {
    One::new(b'\n').iter(text).any(|at| text.get(at + 1..).is_some_and(|line| line.starts_with(with)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_plain_search_finds() {
        let text = b"status: unread\n\nfrom: soma\n--\n---\nand more of it: [x]";
        for end in 0..=text.len() {
            for start in 0..=end {
                let part = &text[start..end];
                for needle in [b'\n', b':', b'-', b'z', 0] {
                    assert_eq!(first(needle, part), part.iter().position(|&b| b == needle));
                    assert_eq!(first_of([needle, b'x'], part), part.iter().position(|&b| b == needle || b == b'x'));
                    assert_eq!(count(needle, part), part.split(|&b| b == needle).count() - 1);
                }
                assert_eq!(has_line_beginning(b"---", part), part.windows(4).any(|w| w == b"\n---"));
            }
        }
    }
}

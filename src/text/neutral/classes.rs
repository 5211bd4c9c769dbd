//! Which characters nobody can see: the code points of classes A–F, and the few scripts
//! and emoji in which a joiner has work to do. Tables only; `clean` acts on them.
//!
//! Convention followed: general categories and `Default_Ignorable_Code_Point` of
//! Unicode 17, written as ranges so that no data crate is needed.

/// What is to be done with a character, whatever stands beside it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Kept.
    Plain,
    /// C0 and C1 controls but for tab and line ends: taken out, maybe with a sequence.
    Control,
    /// Takes up no room or turns the text around: taken out.
    Hidden,
    /// Ends a line somewhere: becomes a blank or a line end.
    Break,
    /// Looks like a blank without being white space: becomes one.
    Blank,
    /// Can't be shown or can't be trusted to look alike everywhere: becomes `�`.
    Foreign,
    /// Joiners and the emoji selectors: depends on the neighbours.
    Joiner,
}

/// The class of `c`. `\r` counts as a control here; `clean` looks at what follows it.
pub(super) fn class(c: char) -> Class {
    match u32::from(c) {
        0x09 | 0x0A | 0x20..=0x7E | 0xA0..=0xAC | 0xAE..=0x2FF => Class::Plain,
        0x0B | 0x0C | 0x85 | 0x2028 | 0x2029 => Class::Break,
        0x00..=0x1F | 0x7F..=0x9F => Class::Control,
        0x200C | 0x200D | 0xFE0E | 0xFE0F => Class::Joiner,
        0x2800 => Class::Blank,
        0xAD
        | 0x034F
        | 0x061C
        | 0x115F
        | 0x1160
        | 0x17B4
        | 0x17B5
        | 0x180B..=0x180F
        | 0x200B
        | 0x200E
        | 0x200F
        | 0x202A..=0x202E
        | 0x2060..=0x206F
        | 0x3164
        | 0xFE00..=0xFE0D
        | 0xFEFF
        | 0xFFA0
        | 0xFFF0..=0xFFFB
        | 0x13430..=0x1343F
        | 0x16FE4
        | 0x1BCA0..=0x1BCA3
        | 0x1D159
        | 0x1D173..=0x1D17A
        | 0xE0000..=0xE0FFF => Class::Hidden,
        // Format characters that can be seen (Arabic number signs and the like).
        0x0600..=0x0605
        | 0x06DD
        | 0x070F
        | 0x0890
        | 0x0891
        | 0x08E2
        | 0x110BD
        | 0x110CD
        // Private use, noncharacters, and planes in which nothing is assigned.
        | 0xE000..=0xF8FF
        | 0xFDD0..=0xFDEF
        // Stands for an object that is not there; many terminals show nothing.
        | 0xFFFC
        | 0x40000.. => Class::Foreign,
        n if n & 0xFFFE == 0xFFFE => Class::Foreign,
        _ => Class::Plain,
    }
}

/// Whether nothing in `text` can need cleaning. ASCII is told without a branch for each
/// byte, since this runs over every header of a listing; other text one look a character.
pub(super) fn is_plain(text: &str) -> bool {
    let is_plain = |b: u8| matches!(b, b' '..=b'~' | b'\n' | b'\t');
    let ascii = text.bytes().fold(true, |plain, b| plain & is_plain(b));
    ascii || text.chars().all(|c| class(c) == Class::Plain && !is_mark(c))
}

/// Whether `c` is a combining mark; nothing below U+0300 is one.
pub(super) fn is_mark(c: char) -> bool {
    c >= '\u{300}' && unicode_normalization::char::is_combining_mark(c)
}

/// Pictures that a joiner or a selector may follow; a superset of the assigned emoji.
/// Regional indicators are left out: they pair up without help.
pub(super) fn is_picture(c: char) -> bool {
    matches!(u32::from(c),
        0xA9 | 0xAE | 0x203C | 0x2049 | 0x2122 | 0x2139 | 0x24C2 | 0x3030 | 0x303D | 0x3297 | 0x3299
        | 0x2190..=0x21FF | 0x2300..=0x23FF | 0x25A0..=0x27BF | 0x2900..=0x297F | 0x2B00..=0x2BFF
        | 0x1F000..=0x1F1E5 | 0x1F200..=0x1FAFF)
}

/// Letters and marks of the scripts of India and their neighbours, in which a joiner
/// chooses between forms of a cluster.
pub(super) fn is_indic(c: char) -> bool {
    matches!(u32::from(c),
        0x0900..=0x0DFF | 0x1000..=0x109F | 0x1780..=0x17D3 | 0x1B00..=0x1B4B | 0xA980..=0xA9C0)
}

/// The sign that takes a consonant's vowel away (canonical combining class 9).
pub(super) fn is_virama(c: char) -> bool {
    matches!(
        u32::from(c),
        0x094D
            | 0x09CD
            | 0x0A4D
            | 0x0ACD
            | 0x0B4D
            | 0x0BCD
            | 0x0C4D
            | 0x0CCD
            | 0x0D4D
            | 0x0DCA
            | 0x1039
            | 0x17D2
            | 0x1B44
            | 0xA9C0
    )
}

/// Letters and marks of scripts whose letters join: Arabic, Syriac, N'Ko, Mongolian.
pub(super) fn is_cursive(c: char) -> bool {
    matches!(u32::from(c),
        0x0610..=0x061A | 0x0620..=0x065F | 0x066E..=0x06D3 | 0x06D5..=0x06DC | 0x06DF..=0x06EF | 0x06FA..=0x06FC
        | 0x0710..=0x074F | 0x0750..=0x077F | 0x07CA..=0x07F3 | 0x0870..=0x088E | 0x08A0..=0x08E1
        | 0x08E3..=0x08FF | 0x1820..=0x18AA | 0xFB50..=0xFBB1 | 0xFBD3..=0xFD3D | 0xFD50..=0xFDC7
        | 0xFE70..=0xFEFC)
}

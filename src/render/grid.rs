//! Columns for a terminal: aligned by display width, cut to fit, never wrapped.
//!
//! Linear in the cells; the cells are measured once. Text comes in already made safe.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use anstyle::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::palette;

/// Blanks between columns.
const GAP: usize = 2;

/// One column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    title: &'static str,
    /// The widest it gets on a terminal.
    most: usize,
    /// The narrowest it is cut to where the terminal is narrow.
    least: usize,
    /// Whether its text stands at the right.
    right: bool,
    /// Whether the end of a text that is cut says more than its start.
    keep_end: bool,
    /// Whether it stays whole in a line that is full.
    kept: bool,
}

impl Column {
    /// A column that is never cut.
    pub(super) const fn whole(title: &'static str) -> Self {
        Self { title, most: usize::MAX, least: usize::MAX, right: false, keep_end: false, kept: false }
    }

    /// A column that is never cut, also where the line grows longer than the terminal is wide: what it
    /// shows is to be typed again.
    pub(super) const fn kept(title: &'static str) -> Self {
        Self { kept: true, ..Self::whole(title) }
    }

    /// A column for numbers and ages, at the right, never cut.
    pub(super) const fn right(title: &'static str) -> Self {
        Self { right: true, ..Self::whole(title) }
    }

    /// A column that gives way down to `least`, and on a terminal is never wider than `most`.
    pub(super) const fn cut(title: &'static str, least: usize, most: usize) -> Self {
        Self { most, least, ..Self::whole(title) }
    }

    /// A column for paths, which are cut at their start: their ends tell them apart.
    pub(super) const fn cut_start(title: &'static str, least: usize) -> Self {
        Self { keep_end: true, ..Self::cut(title, least, usize::MAX) }
    }
}

/// One cell: safe text, how wide it is, how it looks.
#[derive(Debug)]
pub(super) struct Cell<'a> {
    text: Cow<'a, str>,
    width: usize,
    style: Style,
}

impl<'a> Cell<'a> {
    pub(super) fn new(text: impl Into<Cow<'a, str>>, style: Style) -> Self {
        let text = text.into();
        Self { width: width(&text), text, style }
    }
}

/// Prints rows under their headings, within `room` columns where there is such a limit. Columns
/// without any text are left out; no rows print nothing. Where the room is too small for columns that
/// must stay whole beside the others, these get lines of their own; numbers for which
/// there is none are left out.
pub(super) fn print<const N: usize>(
    out: impl Write,
    columns: &[Column; N],
    rows: &[[Cell<'_>; N]],
    room: Option<usize>,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let all = [true; N];
    let mut shown = all;
    let mut widths = widths(columns, rows, room, &shown);
    if room.is_some_and(|room| total(&widths) > room) {
        for (shown, column) in shown.iter_mut().zip(columns) {
            *shown = !column.kept;
        }
        widths = self::widths(columns, rows, room, &shown);
    }
    let mut out = BufWriter::new(out);
    let titles = columns.map(|c| Cell::new(c.title, palette::TITLE));
    print_row(&mut out, columns, &titles, &widths, room.unwrap_or(usize::MAX))?;
    for row in rows {
        print_row(&mut out, columns, row, &widths, room.unwrap_or(usize::MAX))?;
        for (cell, _) in row.iter().zip(shown).filter(|(cell, shown)| !shown && cell.width > 0) {
            let style = cell.style;
            writeln!(out, "{:GAP$}{style}{}{style:#}", "", cell.text)?;
        }
    }
    out.flush()
}

/// How many columns of a terminal a row takes.
fn total<const N: usize>(widths: &[usize; N]) -> usize {
    let shown = widths.iter().filter(|w| **w > 0);
    shown.clone().sum::<usize>() + GAP * shown.count().saturating_sub(1)
}

fn print_row<const N: usize>(
    out: &mut impl Write,
    columns: &[Column; N],
    row: &[Cell<'_>; N],
    widths: &[usize; N],
    mut room: usize,
) -> io::Result<()> {
    // Blanks are written when something follows them: no line ends in blanks.
    let mut blanks = 0;
    for ((column, cell), &width) in columns.iter().zip(row).zip(widths).filter(|(_, width)| **width > 0) {
        let most = if column.kept { width } else { width.min(room.saturating_sub(blanks)) };
        let text = cut(&cell.text, cell.width, most, column.keep_end);
        let used = if matches!(text, Cow::Borrowed(_)) { cell.width } else { self::width(&text) };
        let pad = width.saturating_sub(used);
        let before = if column.right { blanks + pad } else { blanks };
        if used > 0 {
            let style = cell.style;
            write!(out, "{:before$}{style}{text}{style:#}", "")?;
            room = room.saturating_sub(before + used);
            blanks = 0;
        } else {
            blanks = before;
        }
        blanks += GAP + if column.right { 0 } else { pad };
    }
    out.write_all(b"\n")
}

/// How wide each column becomes; 0 for one that is left out.
fn widths<const N: usize>(columns: &[Column; N], rows: &[[Cell<'_>; N]], room: Option<usize>, shown: &[bool; N]) -> [usize; N] {
    let mut widths = [0; N];
    for row in rows {
        for ((width, cell), _) in widths.iter_mut().zip(row).zip(shown).filter(|(_, shown)| **shown) {
            *width = cell.width.max(*width);
        }
    }
    for (width, column) in widths.iter_mut().zip(columns).filter(|(width, _)| **width > 0) {
        *width = (*width).max(self::width(column.title));
    }
    let Some(room) = room else { return widths };
    for (width, column) in widths.iter_mut().zip(columns) {
        *width = (*width).min(column.most);
    }
    // The widest column gives way first, until the next one is as wide; none below its least.
    while let Some(over) = total(&widths).checked_sub(room).filter(|over| *over > 0) {
        let spare = |(i, width): (usize, &usize)| width.saturating_sub(columns.get(i).map_or(usize::MAX, |c| c.least));
        let widest = widths.iter().enumerate().filter(|&(i, w)| spare((i, w)) > 0).max_by_key(|&(_, w)| *w);
        let Some((at, &width)) = widest else { break };
        let next = widths.iter().enumerate().filter(|&(i, w)| i != at && spare((i, w)) > 0).map(|(_, w)| *w).max();
        let give = (width - next.unwrap_or(0).min(width)).max(1).min(over).min(spare((at, &width)));
        if let Some(w) = widths.get_mut(at) {
            *w -= give;
        }
    }
    // A number that is cut is another number: one for which there is no room goes whole.
    let mut end = 0;
    for (width, column) in widths.iter_mut().zip(columns).filter(|(width, _)| **width > 0) {
        let next = end + if end > 0 { GAP } else { 0 } + *width;
        if column.right && next > room {
            *width = 0;
        } else {
            end = next;
        }
    }
    widths
}

/// How many columns of a terminal a text takes.
pub(super) fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// The start (or the end) of a text, in at most `most` columns, with `…` for what is missing.
fn cut(text: &str, width: usize, most: usize, keep_end: bool) -> Cow<'_, str> {
    if width <= most {
        return Cow::Borrowed(text);
    }
    let Some(room) = most.checked_sub(1) else { return Cow::Owned(String::new()) };
    let mut used = 0;
    let mut fits = |grapheme: &&str| {
        used += self::width(grapheme);
        used <= room
    };
    Cow::Owned(if keep_end {
        let kept: usize = text.graphemes(true).rev().take_while(|g| fits(g)).map(str::len).sum();
        format!("…{}", text.get(text.len() - kept..).unwrap_or_default())
    } else {
        let kept: usize = text.graphemes(true).take_while(|g| fits(g)).map(str::len).sum();
        format!("{}…", text.get(..kept).unwrap_or_default().trim_end())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print_plain(rows: &[[&str; 3]], room: Option<usize>) -> String {
        let columns = [Column::right("N"), Column::cut("TEXT", 6, 40), Column::cut_start("ID", 4)];
        let rows: Vec<_> = rows.iter().map(|r| r.map(|t| Cell::new(t, palette::PLAIN))).collect();
        let mut out = Vec::new();
        print(&mut out, &columns, &rows, room).unwrap();
        anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
    }

    #[test]
    fn columns_are_aligned_by_display_width() {
        assert_eq!(
            print_plain(&[["1", "日本語", "a"], ["10", "caf\u{e9} 👩‍🔬", "b"], ["", "x", ""]], None),
            " N  TEXT     ID\n 1  日本語   a\n10  café 👩‍🔬  b\n    x\n"
        );
    }

    #[test]
    fn no_rows_and_empty_columns_are_left_out() {
        assert_eq!(print_plain(&[], None), "");
        assert_eq!(print_plain(&[["", "x", "y"]], None), "TEXT  ID\nx     y\n");
    }

    #[test]
    fn a_narrow_terminal_cuts_the_widest_column_and_never_wraps() {
        let row = ["5", "a subject that is long", "an-id-of-some-length"];
        for room in 0..60 {
            for line in print_plain(&[row, ["5", "日本語日本語日本語日本語", "é👩‍🔬é👩‍🔬é👩‍🔬"]], Some(room)).lines()
            {
                assert!(width(line) <= room, "{room}: {line:?}");
            }
        }
        assert_eq!(print_plain(&[row], Some(30)), "N  TEXT           ID\n5  a subject th…  …some-length\n");
    }

    #[test]
    fn what_must_stay_whole_gets_a_line_of_its_own_where_there_is_no_room() {
        let columns = [Column::right("AGE"), Column::cut("SUBJECT", 6, 40), Column::kept("ID")];
        let printed = |room| {
            let rows = [["1d", "日本語の件名は長い", "2026-05-19-cache-key"], ["10d", "short", "b"]];
            let rows: Vec<_> = rows.iter().map(|r| r.map(|t| Cell::new(t, palette::PLAIN))).collect();
            let mut out = Vec::new();
            print(&mut out, &columns, &rows, Some(room)).unwrap();
            anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string()
        };
        let least = "AGE".len() + GAP + "SUBJECT".len() - 1 + GAP + "2026-05-19-cache-key".len();
        assert_eq!(printed(least).lines().next(), Some("AGE  SUBJE…  ID"));
        assert_eq!(printed(least - 1), "AGE  SUBJECT\n 1d  日本語の件名は長い\n  2026-05-19-cache-key\n10d  short\n  b\n");
        assert_eq!(printed(12), "AGE  SUBJECT\n 1d  日本語…\n  2026-05-19-cache-key\n10d  short\n  b\n");
    }

    #[test]
    fn a_number_is_whole_or_left_out() {
        let columns = [Column::whole("WHERE"), Column::right("LIVE"), Column::right("ARCHIVED"), Column::kept("NAME")];
        let rows = [["project", "12345", "1234567890", "soma@m"], ["global", "1", "2", "b"]];
        for room in 0..60 {
            let rows: Vec<_> = rows.iter().map(|r| r.map(|t| Cell::new(t, palette::PLAIN))).collect();
            let mut out = Vec::new();
            print(&mut out, &columns, &rows, Some(room)).unwrap();
            let text = anstream::adapter::strip_str(std::str::from_utf8(&out).unwrap()).to_string();
            assert!(text.lines().all(|line| width(line) <= room.max("  soma@m".len())), "{room}: {text}");
            let numbers = text.split_whitespace().filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
            for number in numbers {
                assert!(["12345", "1234567890", "1", "2"].contains(&number), "{room}: {text}");
            }
        }
    }

    #[test]
    fn a_cut_text_says_so() {
        for (text, most, start, end) in [
            ("abc", 3, "abc", "abc"),
            ("abcd", 3, "ab…", "…cd"),
            ("日本語", 4, "日…", "…語"),
            ("ab cd", 4, "ab…", "… cd"),
            ("abc", 1, "…", "…"),
            ("abc", 0, "", ""),
        ] {
            assert_eq!(cut(text, width(text), most, false), start);
            assert_eq!(cut(text, width(text), most, true), end);
        }
    }
}

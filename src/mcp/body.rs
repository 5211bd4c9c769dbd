//! A part of a long body: as much as fits, cut between lines where that is possible, and where to go on.

/// The most bytes of a body that one result shows.
const LONGEST: usize = 12_000;

/// A part of a body.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// The text.
    pub text: String,
    /// Where the next part starts, in bytes of the body; none behind the last.
    pub next: Option<usize>,
    /// How long the whole body is, in bytes.
    pub total: usize,
}

impl Part {
    /// The part that starts at `from`, moved back to where a character starts.
    pub fn of(body: &str, from: usize) -> Self {
        Self::bounded(body, from, LONGEST)
    }

    fn bounded(body: &str, from: usize, most: usize) -> Self {
        let start = (0..=from.min(body.len())).rev().find(|at| body.is_char_boundary(*at)).unwrap_or(0);
        let rest = body.get(start..).unwrap_or_default();
        if rest.len() <= most {
            return Self { text: rest.to_owned(), next: None, total: body.len() };
        }
        let cut = (0..=most).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or(0);
        let head = rest.get(..cut).unwrap_or_default();
        // A line end in the second half is worth the few bytes less.
        let end = head.rfind('\n').map(|at| at + 1).filter(|at| *at > cut / 2).unwrap_or(cut);
        Self { text: rest.get(..end).unwrap_or_default().to_owned(), next: Some(start + end), total: body.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_make_the_whole() {
        let body = "é line of text\n".repeat(700) + &"x".repeat(5_000);
        let (mut at, mut whole) = (Some(0), String::new());
        while let Some(from) = at {
            let part = Part::bounded(&body, from, 1_000);
            assert!(part.text.len() <= 1_000 && !part.text.is_empty());
            whole.push_str(&part.text);
            at = part.next;
        }
        assert_eq!(whole, body);
        assert_eq!(Part::of("short", 99), Part { text: String::new(), next: None, total: 5 });
        assert_eq!(Part::of("é", 1).text, "é");
    }
}

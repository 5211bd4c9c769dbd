//! The known name nearest to a mistyped one: what turns "unknown" into something a person can act on.

/// How far apart two words are: the letters to add, drop, change or swap, without regard to letter
/// case. A word that holds the other counts as one step away.
///
/// Only the first 64 letters are looked at, so that no input makes it slow.
pub fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.to_lowercase().chars().take(64).collect();
    let other: Vec<char> = other.to_lowercase().chars().take(64).collect();
    let steps = edits(&one, &other);
    let (short, long) = if one.len() < other.len() { (&one, &other) } else { (&other, &one) };
    let held = short.len() >= 3 && long.windows(short.len()).any(|w| w == short.as_slice());
    if held { steps.min(1) } else { steps }
}

/// The nearest of the known words; the first in order where several are as near.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known.into_iter().min_by_key(|k| distance(wanted, k))
}

/// The known words that somebody may have meant, nearest first; those that nobody can have meant
/// are left out.
pub fn likely<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let near = |k: &'a str| {
        let steps = distance(wanted, k);
        let letters = wanted.chars().count().max(k.chars().count());
        (!wanted.is_empty() && steps <= (letters / 3).max(1)).then_some((steps, k))
    };
    let mut near: Vec<_> = known.into_iter().filter_map(near).collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, k)| k).collect()
}

/// The optimal string alignment distance, row by row.
fn edits(one: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    let mut last_left: Option<char> = None;
    for (i, &left) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        let mut last_right: Option<char> = None;
        for (j, &right) in other.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX - 1);
            let mut best = (at(&above, j + 1) + 1).min(at(&row, j) + 1).min(at(&above, j) + usize::from(left != right));
            if last_left == Some(right) && last_right == Some(left) && j > 0 {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
            last_right = Some(right);
        }
        before = std::mem::replace(&mut above, row);
        last_left = Some(left);
    }
    above.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_hand_are_one_step() {
        for (one, other) in [("agnet", "agent"), ("agen", "agent"), ("agentt", "agent"), ("agemt", "agent")] {
            assert_eq!(distance(one, other), 1, "{one}");
        }
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("Ava", "aVA"), 0);
        assert_eq!(distance("web-app", "web"), 1);
        assert_eq!(distance("ab", "ba"), 1);
    }

    #[test]
    fn the_nearest_word_is_found() {
        assert_eq!(nearest("lifecylce", ["agent", "lifecycle", "teams"]), Some("lifecycle"));
        assert_eq!(nearest("x", []), None);
    }

    #[test]
    fn only_what_may_be_meant_is_likely() {
        assert_eq!(likely("stauts", ["status", "subject", "from"]), ["status"]);
        assert_eq!(likely("API-Review", ["api-review", "quiet"]), ["api-review"]);
        assert!(likely("xyz", ["status"]).is_empty());
    }

    #[test]
    fn long_words_cost_little() {
        let long = "x".repeat(1_000_000);
        assert!(distance(&long, &long) == 0);
    }
}

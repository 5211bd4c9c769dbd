//! Which known word somebody may have meant: for the hint behind «no such name».

/// How many slips of the hand turn one word into the other, without regard to letter case: a letter
/// added, dropped, changed, or swapped with the next. A word that holds the other is one slip away.
/// `None` where it takes so many that nobody meant it.
pub fn distance(one: &str, other: &str) -> Option<usize> {
    const LONGEST: usize = 80;
    let one: Vec<char> = one.to_lowercase().chars().take(LONGEST).collect();
    let other: Vec<char> = other.to_lowercase().chars().take(LONGEST).collect();
    if one.is_empty() || other.is_empty() {
        return None;
    }
    let (short, long) = if one.len() < other.len() { (&one, &other) } else { (&other, &one) };
    if short != long && short.len() >= 3 && long.windows(short.len()).any(|part| part == short.as_slice()) {
        return Some(1);
    }
    let slips = slips(&one, &other);
    (slips <= (long.len() / 3).max(1)).then_some(slips)
}

/// The known words, nearest first; those that nobody can have meant are left out.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut near: Vec<_> = known.into_iter().filter_map(|k| distance(word, k).map(|d| (d, k))).collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, k)| k).collect()
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
    near.sort();
    near.dedup();
    near.into_iter().map(|(_, k)| k).collect()
}

/// The optimal string alignment distance, row by row.
fn slips(one: &[char], other: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=other.len()).collect();
    let mut last_left: Option<char> = None;
    for (i, &left) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        let mut last_right: Option<char> = None;
        for (j, &right) in other.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let mut best = (at(&above, j + 1) + 1).min(at(&row, j) + 1).min(at(&above, j) + usize::from(left != right));
            if j > 0 && last_left == Some(right) && last_right == Some(left) {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
            last_right = Some(right);
        }
        before = std::mem::replace(&mut above, row);
        last_left = Some(left);
    }
    above.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        assert_eq!(nearest("stauts", ["status", "subject", "from"]), ["status"]);
        assert_eq!(nearest("API-Review", ["api-review", "quiet"]), ["api-review"]);
        assert!(nearest("x", ["status"]).is_empty());
        assert_eq!(distance("kitten", "sitting"), None);
        assert_eq!(distance("kitten", "sitten"), Some(1));
    }

    #[test]
    fn slips_of_the_hand_are_one_step() {
        for word in ["agnet", "agen", "agentt", "agemt", "Aegnt", "agents"] {
            assert_eq!(distance(word, "agent"), Some(1), "{word}");
        }
        assert_eq!(distance("ab", "ba"), Some(1));
        assert_eq!(distance("web-app", "web"), Some(1));
        assert_eq!(distance("Ava", "aVA"), Some(0));
        assert_eq!(distance("", ""), None);
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
        assert_eq!(distance(&long, &long), Some(0));
    }
}

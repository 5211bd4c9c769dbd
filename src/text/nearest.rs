//! Which known word somebody may have meant: for the hint behind «no such name».

/// How many single-letter changes turn one word into the other, without regard to letter case;
/// `None` where that is so many that nobody meant it.
pub fn distance(one: &str, other: &str) -> Option<usize> {
    const LONGEST: usize = 80;
    let a: Vec<char> = one.to_lowercase().chars().take(LONGEST).collect();
    let b: Vec<char> = other.to_lowercase().chars().take(LONGEST).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (y, above) in b.iter().zip(row.iter().skip(1)) {
            let here = (diagonal + usize::from(x != y)).min(left + 1).min(above + 1);
            next.push(here);
            diagonal = *above;
            left = here;
        }
        row = next;
    }
    let changes = row.last().copied()?;
    let meant = changes <= (a.len().max(b.len()) / 3).max(1);
    (meant && !a.is_empty()).then_some(changes)
}

/// The known words, nearest first; those that nobody can have meant are left out.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut near: Vec<_> = known.into_iter().filter_map(|k| distance(word, k).map(|d| (d, k))).collect();
    near.sort();
    near.dedup();
    near.into_iter().map(|(_, k)| k).collect()
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
}

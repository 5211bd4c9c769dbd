//! What changes between two texts, line by line, for people to look at before it is done.

/// More comparisons than this are not made: such texts are shown as one piece.
const MOST: usize = 4_000_000;

/// The lines that change, `-` before those that go and `+` before those that come, each stretch of
/// them with one line of its surroundings; empty where nothing changes. Line ends are not shown.
pub fn lines(old: &str, new: &str) -> String {
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let script = script(&old, &new);
    let mut out = String::new();
    let changed = |at: usize| script.get(at).is_some_and(|(sign, _)| *sign != ' ');
    for (at, (sign, line)) in script.iter().enumerate() {
        let near = changed(at) || changed(at + 1) || at.checked_sub(1).is_some_and(changed);
        if near {
            out.push(*sign);
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// All lines with what becomes of each: ' ' stays, '-' goes, '+' comes.
fn script<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (head, old) = old.split_at(same);
    let new = new.get(same..).unwrap_or_default();
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, tail) = old.split_at(old.len() - same);
    let new = new.get(..new.len() - same).unwrap_or_default();
    let mut out: Vec<(char, &str)> = head.iter().map(|line| (' ', *line)).collect();
    if old.len().saturating_mul(new.len()) > MOST {
        out.extend(old.iter().map(|line| ('-', *line)).chain(new.iter().map(|line| ('+', *line))));
    } else {
        middle(old, new, &mut out);
    }
    out.extend(tail.iter().map(|line| (' ', *line)));
    out
}

/// By the longest common subsequence: `common[i][j]` is its length for what follows `i` and `j`.
fn middle<'a>(old: &[&'a str], new: &[&'a str], out: &mut Vec<(char, &'a str)>) {
    let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    let at = |table: &[Vec<u32>], i: usize, j: usize| table.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0);
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            let length = if a == b { at(&common, i + 1, j + 1) + 1 } else { at(&common, i + 1, j).max(at(&common, i, j + 1)) };
            if let Some(cell) = common.get_mut(i).and_then(|row| row.get_mut(j)) {
                *cell = length;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    loop {
        match (old.get(i), new.get(j)) {
            (Some(a), Some(b)) if a == b => {
                out.push((' ', a));
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), Some(_)) if at(&common, i + 1, j) >= at(&common, i, j + 1) => {
                out.push(('-', a));
                i += 1;
            }
            (_, Some(b)) => {
                out.push(('+', b));
                j += 1;
            }
            (Some(a), None) => {
                out.push(('-', a));
                i += 1;
            }
            (None, None) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_is_shown() {
        assert_eq!(lines("a\nb\nc\n", "a\nb\nc\n"), "");
        assert_eq!(lines("", "a\nb\n"), "+a\n+b\n");
        assert_eq!(lines("a\nb\n", ""), "-a\n-b\n");
        assert_eq!(lines("1\n2\n3\n4\n5\n6\n", "1\n2\n3\nx\n4\n5\n6\n"), " 3\n+x\n 4\n");
        assert_eq!(lines("{\n a\n}\n", "{\n a,\n b,\n c\n}\n"), " {\n- a\n+ a,\n+ b,\n+ c\n }\n");
        assert_eq!(lines("a\nx\nb\ny\nc\n", "a\nb\nc\n"), " a\n-x\n b\n-y\n c\n");
    }

    #[test]
    fn long_texts_are_shown_as_one_piece() {
        let text = |letter: &str| (0..3000).map(|n| format!("{letter}{n}")).collect::<Vec<_>>().join("\n");
        let (old, new) = (text("a"), text("b"));
        let shown = lines(&old, &new);
        assert!(shown.starts_with("-a0\n-a1\n") && shown.ends_with("+b2998\n+b2999\n"));
    }
}

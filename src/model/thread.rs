//! The shape of a conversation: who answers whom, made of parent links alone.
//!
//! Pure: links were resolved before (`ops/thread.rs`); here they become a forest in reading order,
//! with cycles cut and said.

/// One place in the forest, in reading order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The index of the message, as it was given.
    pub index: usize,
    /// How deep it stands; roots are 0.
    pub depth: usize,
    /// Whether its link to a parent was cut, because following it would come back to itself.
    pub cut: bool,
}

/// Orders messages as a forest: each parent before its answers, answers and roots in the order given.
///
/// `parents[i]` is the index of the parent of `i`, where it has one. A link that closes a circle is
/// cut at the member given first. Every index comes out exactly once.
pub fn arrange(parents: &[Option<usize>]) -> Vec<Place> {
    let n = parents.len();
    let mut parents: Vec<Option<usize>> = parents.iter().map(|p| p.filter(|&p| p < n)).collect();
    let cut = cut_cycles(&mut parents);

    let mut children = vec![Vec::new(); n];
    for (child, parent) in parents.iter().enumerate() {
        if let Some(list) = parent.and_then(|p| children.get_mut(p)) {
            list.push(child);
        }
    }
    let mut places = Vec::with_capacity(n);
    // An explicit stack: a chain of answers may be longer than the machine's own.
    let mut stack: Vec<(usize, usize)> = (0..n).rev().filter(|&i| parents.get(i) == Some(&None)).map(|i| (i, 0)).collect();
    while let Some((index, depth)) = stack.pop() {
        places.push(Place { index, depth, cut: cut.get(index).copied().unwrap_or(false) });
        stack.extend(children.get(index).into_iter().flatten().rev().map(|&child| (child, depth + 1)));
    }
    places
}

/// Cuts one link of every circle, and tells whose.
fn cut_cycles(parents: &mut [Option<usize>]) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        OnPath(usize),
        Done,
    }
    let n = parents.len();
    let mut marks = vec![Mark::New; n];
    let mut cut = vec![false; n];
    for start in 0..n {
        let mut path = Vec::new();
        let mut at = Some(start);
        while let Some(i) = at {
            match marks.get(i).copied().unwrap_or(Mark::Done) {
                Mark::Done => break,
                Mark::OnPath(from) => {
                    // Members of the circle are the tail of the path; the one given first is its root.
                    let first = path.get(from..).into_iter().flatten().copied().min().unwrap_or(i);
                    if let (Some(parent), Some(flag)) = (parents.get_mut(first), cut.get_mut(first)) {
                        *parent = None;
                        *flag = true;
                    }
                    break;
                }
                Mark::New => {
                    if let Some(mark) = marks.get_mut(i) {
                        *mark = Mark::OnPath(path.len());
                    }
                    path.push(i);
                    at = parents.get(i).copied().flatten();
                }
            }
        }
        for i in path {
            if let Some(mark) = marks.get_mut(i) {
                *mark = Mark::Done;
            }
        }
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(parents: &[Option<usize>]) -> Vec<(usize, usize, bool)> {
        arrange(parents).into_iter().map(|p| (p.index, p.depth, p.cut)).collect()
    }

    #[test]
    fn answers_follow_their_parent() {
        assert_eq!(
            shape(&[None, Some(0), None, Some(1), Some(0)]),
            [(0, 0, false), (1, 1, false), (3, 2, false), (4, 1, false), (2, 0, false)]
        );
    }

    #[test]
    fn circles_are_cut_once_and_nobody_is_lost() {
        assert_eq!(shape(&[Some(1), Some(0)]), [(0, 0, true), (1, 1, false)]);
        assert_eq!(shape(&[Some(0)]), [(0, 0, true)]);
        assert_eq!(shape(&[Some(1), Some(2), Some(1)]), [(1, 0, true), (0, 1, false), (2, 1, false)]);
        assert_eq!(shape(&[Some(9)]), [(0, 0, false)]);
    }

    #[test]
    fn a_long_chain_does_not_exhaust_the_stack() {
        let chain: Vec<_> = (0..200_000).map(|i: usize| i.checked_sub(1)).collect();
        assert_eq!(arrange(&chain).last().map(|p| p.depth), Some(199_999));
    }
}

//! Copy only when something changes: the passes of `neutral` note what to replace, and a
//! text that needs nothing comes back borrowed.

use std::borrow::Cow;
use std::ops::Range;

/// Replacements in `source`, noted from left to right.
pub(super) struct Rewrite<'a> {
    source: &'a str,
    out: Option<String>,
    copied: usize,
}

impl<'a> Rewrite<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self { source, out: None, copied: 0 }
    }

    /// Puts `with` in the place of the bytes `at`, which lie behind all earlier ones and
    /// on character boundaries.
    pub(super) fn replace(&mut self, at: Range<usize>, with: &str) {
        let kept = self.source.get(self.copied..at.start).unwrap_or_default();
        let out = self.out.get_or_insert_with(|| String::with_capacity(self.source.len()));
        out.push_str(kept);
        out.push_str(with);
        self.copied = at.end;
    }

    pub(super) fn finish(self) -> Cow<'a, str> {
        match self.out {
            None => Cow::Borrowed(self.source),
            Some(mut out) => {
                out.push_str(self.source.get(self.copied..).unwrap_or_default());
                Cow::Owned(out)
            }
        }
    }
}

/// The next pass over the result of the last one, keeping an unchanged text as it is.
pub(super) fn then<'a, F>(text: Cow<'a, str>, pass: F) -> Cow<'a, str>
where
    F: for<'b> FnOnce(&'b str) -> Cow<'b, str>,
{
    match text {
        Cow::Borrowed(text) => pass(text),
        Cow::Owned(text) => match pass(&text) {
            Cow::Owned(next) => Cow::Owned(next),
            Cow::Borrowed(same) if same.len() == text.len() => Cow::Owned(text),
            Cow::Borrowed(part) => Cow::Owned(part.to_owned()),
        },
    }
}

//! Code fences of Markdown: what opens and closes one. For all that has to know which lines of a body
//! or of a file are code.

/// An open code fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    sign: u8,
    length: usize,
}

impl Fence {
    /// The fence that a line opens; `text` is the line without the blanks before it.
    pub(super) fn opened_by(text: &[u8]) -> Option<Self> {
        let sign = *text.first().filter(|sign| matches!(sign, b'`' | b'~'))?;
        let length = run(text, sign);
        // Backticks behind backticks are a code span.
        let is_span = sign == b'`' && text.iter().skip(length).any(|&b| b == sign);
        (length >= 3 && !is_span).then_some(Self { sign, length })
    }

    /// Whether a line closes it: signs of its kind, as many or more, and nothing behind them.
    pub(super) fn is_closed_by(self, text: &[u8]) -> bool {
        let length = run(text, self.sign);
        length >= self.length && text.iter().skip(length).all(|b| matches!(b, b' ' | b'\t' | b'\r'))
    }
}

fn run(text: &[u8], sign: u8) -> usize {
    text.iter().take_while(|&&b| b == sign).count()
}

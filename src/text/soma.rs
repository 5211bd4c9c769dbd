//! How the running Soma reads a header, which is stricter than how everybody else does: `doctor`
//! compares the two. Restated from its behaviour; see docs/layouts.md, "Beside Soma".

/// The status that Soma reads; `None` where it reads no header or finds no status in it, which counts
/// as unread there.
///
/// The header is what stands between `---` and LF at the first byte and the next LF and `---`. Each
/// line is split at its first colon; one pair of quotes is taken off; comments stay; the last of
/// several lines counts.
pub fn status(bytes: &[u8]) -> Option<String> {
    value(bytes, "status")
}

/// The value of a key, likewise.
pub fn value(bytes: &[u8], key: &str) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let rest = text.strip_prefix("---\n")?;
    let header = if rest.starts_with("---") { "" } else { rest.split_once("\n---")?.0 };
    let mut values = header.rsplit('\n').filter_map(|line| line.split_once(':'));
    values.find(|(known, _)| known.trim() == key).map(|(_, value)| unquoted(value.trim()).to_owned())
}

/// Whether Soma shows a message with such a status as unread.
pub fn is_unread(status: Option<&str>) -> bool {
    status.is_none_or(|word| word == "unread")
}

/// Whether Soma looks at a file of this name.
pub fn is_listed(name: &str) -> bool {
    name.strip_suffix(".md").is_some() && !name.starts_with('.') && !name.eq_ignore_ascii_case("readme.md")
}

fn unquoted(value: &str) -> &str {
    let inside = |quote| value.strip_prefix(quote).and_then(|v| v.strip_suffix(quote));
    inside('"').or_else(|| inside('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unread_to_soma() {
        for (text, unread) in [
            ("---\nstatus: unread\n---\n", true),
            ("---\nstatus: \"unread\"\n---\n", true),
            ("---\nfrom: a\n---\n", true),
            ("no header", true),
            ("---\r\nstatus: read\r\n---\r\n", true),
            ("\u{feff}---\nstatus: read\n---\n", true),
            ("\n---\nstatus: read\n---\n", true),
            ("---\nstatus: unread   # unread | read\n---\n", false),
            ("---\nstatus: Unread\n---\n", false),
            ("---\nstatus:\n---\n", false),
            ("---\nstatus: [unread]\n---\n", false),
            ("---\nstatus: unread\nstatus: read\n---\n", false),
            ("---\nStatus: read\n---\n", true),
            ("---\nstatus: read\n---", false),
            ("---\n---\nstatus: read\n---\n", true),
        ] {
            assert_eq!(is_unread(status(text.as_bytes()).as_deref()), unread, "{text:?}");
        }
        assert!(is_listed("a.md") && !is_listed("a.MD") && !is_listed("a.md.read") && !is_listed("ReadMe.md"));
    }
}

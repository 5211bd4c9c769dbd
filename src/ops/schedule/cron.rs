//! The block of lines in a crontab: put in, found, taken out, with every other line kept.

use std::fmt::Write as _;

use super::{Job, Standing, WORDS, digest};

const BEGIN: &str = "# BEGIN postroom schedule, digest ";
const END: &str = "# END postroom schedule\n";

impl Job {
    /// The lines for a crontab, between marks.
    pub fn cron_block(&self) -> String {
        let mut line = format!("{} {} * * * ", self.at.minute, self.at.hour);
        for (name, value) in &self.environment {
            let _ = write!(line, "{name}={} ", shell_word(value));
        }
        let _ = writeln!(line, "{} {} >>{} 2>&1", shell_word(&self.program), WORDS.join(" "), shell_word(&self.log));
        format!("{BEGIN}{}; `postroom schedule remove` takes it away\n{line}{END}", digest(&line))
    }
}

/// Our block in a crontab: where it stands, with its line ends.
pub fn find(crontab: &str) -> Option<std::ops::Range<usize>> {
    let start = crontab.match_indices(BEGIN).map(|(at, _)| at).find(|at| *at == 0 || crontab[..*at].ends_with('\n'))?;
    let end = crontab.get(start..)?.find(END)?;
    Some(start..start + end + END.len())
}

/// How the block that is there stands to the one wanted; nothing of a crontab is foreign but what lies
/// outside of it.
pub fn standing(crontab: &str, wanted: &str) -> Standing {
    let Some(there) = find(crontab).and_then(|span| crontab.get(span)) else {
        // A begin without its end: somebody cut into it.
        return if crontab.contains(BEGIN) { Standing::Edited } else { Standing::Missing };
    };
    let lines = there.split_once('\n').and_then(|(_, rest)| rest.strip_suffix(END)).unwrap_or_default();
    let digest_there = there.get(BEGIN.len()..BEGIN.len() + 16).unwrap_or_default();
    if there == wanted {
        Standing::Same
    } else if digest_there == digest(lines) {
        Standing::Older
    } else {
        Standing::Edited
    }
}

/// The crontab with the block: in place of the one that is there, else last.
pub fn with(crontab: &str, block: &str) -> String {
    match find(crontab) {
        Some(span) => {
            format!("{}{block}{}", crontab.get(..span.start).unwrap_or_default(), crontab.get(span.end..).unwrap_or_default())
        }
        None if crontab.is_empty() || crontab.ends_with('\n') => format!("{crontab}{block}"),
        None => format!("{crontab}\n{block}"),
    }
}

/// The crontab without the block.
pub fn without(crontab: &str) -> String {
    match find(crontab) {
        Some(span) => format!("{}{}", crontab.get(..span.start).unwrap_or_default(), crontab.get(span.end..).unwrap_or_default()),
        None => crontab.to_owned(),
    }
}

/// Other lines that sweep, by a person's own hand: worth saying, none of ours.
pub fn others(crontab: &str) -> Vec<String> {
    let rest = without(crontab);
    rest.lines()
        .filter(|l| !l.trim_start().starts_with('#') && l.contains("postroom") && l.contains("sweep"))
        .map(str::to_owned)
        .collect()
}

/// A word for the shell that cron calls. A `%` would end the command, even inside quotes.
fn shell_word(word: &str) -> String {
    crate::ops::advance::quoted(word).replace('%', "\\%")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::schedule::At;

    fn job(program: &str) -> Job {
        Job {
            program: program.to_owned(),
            at: At::NIGHT,
            environment: vec![("XDG_STATE_HOME", "/s t".to_owned())],
            log: "/l/100%.log".to_owned(),
        }
    }

    #[test]
    fn the_line_is_one_that_cron_understands() {
        insta::assert_snapshot!(job("/home/u x/it's/postroom").cron_block(), @r#"
        # BEGIN postroom schedule, digest b58e1e51aedde2a7; `postroom schedule remove` takes it away
        30 4 * * * XDG_STATE_HOME='/s t' '/home/u x/it'\''s/postroom' sweep --projects >>'/l/100\%.log' 2>&1
        # END postroom schedule
        "#);
    }

    #[test]
    fn the_block_comes_and_goes_and_every_other_line_stays() {
        let (block, newer) = (job("/a/postroom").cron_block(), job("/b/postroom").cron_block());
        for old in ["", "MAILTO=me\n0 1 * * * x\n", "# a comment\n\n"] {
            let new = with(old, &block);
            assert_eq!(standing(old, &block), Standing::Missing);
            assert_eq!(standing(&new, &block), Standing::Same);
            assert_eq!(with(&new, &block), new);
            assert_eq!(without(&new), old);
            let more = format!("{new}5 5 * * * later\n");
            assert_eq!(standing(&more, &newer), Standing::Older);
            assert_eq!(without(&with(&more, &newer)), format!("{old}5 5 * * * later\n"));
            assert_eq!(standing(&more.replace("30 4", "30 5"), &block), Standing::Edited);
            assert_eq!(standing(&more.replace(END, ""), &block), Standing::Edited);
        }
        assert!(with("0 1 * * * x", &block).starts_with("0 1 * * * x\n# BEGIN"));
        assert_eq!(others("# postroom sweep\n1 2 * * * postroom sweep\n"), ["1 2 * * * postroom sweep"]);
        assert!(others(&block).is_empty());
        assert_eq!(standing("echo '# BEGIN postroom schedule, digest '", &block), Standing::Edited);
    }
}

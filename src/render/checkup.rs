//! What `doctor` found, as a document for programs and, rule by rule, for people.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use super::fields::{Each, TroubleDoc};
use super::json;
use super::view::{SCHEMA, Trouble};
use crate::ops::doctor::fix::Mending;
use crate::ops::doctor::rules::Severity;
use crate::ops::doctor::{Checkup, Finding};

/// What `doctor` found and did.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// What is still wrong.
    pub checkup: &'a Checkup,
    /// What was, or would be, mended.
    pub fixed: &'a [Mending],
    /// What looked as if it could be mended and was not, with the reason.
    pub failed: &'a [Trouble<'a>],
    /// Whether only a look was asked for, and nothing was mended.
    pub dry_run: bool,
}

/// `doctor`: `{findings, fixed, counts, messages, dry_run}`, and `failed` where something could not be mended.
///
/// # Errors
/// What the writer says.
pub fn document(out: impl Write, report: &Report<'_>) -> io::Result<()> {
    #[derive(Serialize)]
    struct Doc<F, M, T> {
        schema: &'static str,
        findings: F,
        fixed: M,
        counts: Counts,
        messages: usize,
        dry_run: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        failed: Option<T>,
    }
    #[derive(Serialize)]
    struct Counts {
        errors: usize,
        warnings: usize,
        notes: usize,
    }
    let Report { checkup, fixed, failed, dry_run } = *report;
    let doc = Doc {
        schema: SCHEMA,
        findings: Each(&checkup.findings, FindingDoc::of),
        fixed: Each(fixed, MendingDoc::of),
        counts: Counts {
            errors: checkup.count(Severity::Error),
            warnings: checkup.count(Severity::Warning),
            notes: checkup.count(Severity::Note),
        },
        messages: checkup.messages,
        dry_run,
        failed: (!failed.is_empty()).then_some(Each(failed, TroubleDoc::of)),
    };
    json::line(out, &doc)
}

#[derive(Serialize)]
struct FindingDoc<'a> {
    rule: &'static str,
    severity: &'static str,
    inbox: Option<&'a str>,
    path: Cow<'a, str>,
    line: Option<usize>,
    text: &'a str,
    why: &'static str,
    fix: &'static str,
    fixable: bool,
}

impl<'a> FindingDoc<'a> {
    fn of(finding: &'a Finding) -> Self {
        Self {
            rule: finding.rule.id,
            severity: finding.rule.severity.as_str(),
            inbox: Some(finding.inbox.as_str()).filter(|name| !name.is_empty()),
            path: finding.path.to_string_lossy(),
            line: finding.line,
            text: &finding.text,
            why: finding.rule.why,
            fix: finding.rule.fix,
            fixable: finding.repair.is_some(),
        }
    }
}

#[derive(Serialize)]
struct MendingDoc<'a> {
    path: Cow<'a, str>,
    inbox: &'a str,
    rules: &'a [&'static str],
    text: String,
}

impl<'a> MendingDoc<'a> {
    fn of(mending: &'a Mending) -> Self {
        Self { path: mending.path.to_string_lossy(), inbox: &mending.inbox, rules: &mending.rules, text: mending.what.join("; ") }
    }
}

#[cfg(feature = "cli")]
pub use people::{mending, print, rules};

/// What a person at a terminal sees.
#[cfg(feature = "cli")]
mod people {
    use std::io::{self, Write};

    use super::{Checkup, Finding, Mending, Severity};
    use crate::ops::doctor::rules::{ALL, Rule};
    use crate::render::palette;
    use crate::render::shown::{self, Shower};
    use crate::render::table::Screen;
    use crate::text::neutral::Target;

    /// How many findings of a rule are shown unless all were asked for.
    const SHOWN: usize = 10;

    /// The findings, rule by rule: what, why, what to do, and where. `all`: also those beyond the
    /// first few of each rule.
    ///
    /// # Errors
    /// What the writer says.
    pub fn print(out: &mut impl Write, checkup: &Checkup, screen: &Screen<'_>, all: bool) -> io::Result<()> {
        let mut rest = checkup.findings.as_slice();
        while let Some(first) = rest.first() {
            let same = rest.iter().take_while(|f| f.rule == first.rule).count();
            let (group, others) = rest.split_at(same);
            one_rule(out, first.rule, group, screen, if all { usize::MAX } else { SHOWN })?;
            rest = others;
        }
        let mendable = checkup.findings.iter().filter(|f| f.repair.is_some()).count();
        let counts = [Severity::Error, Severity::Warning, Severity::Note].map(|s| (checkup.count(s), s.as_str()));
        let counts: Vec<String> = counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, word)| plural(n, word)).collect();
        let counts = if counts.is_empty() { "nothing wrong".to_owned() } else { counts.join(", ") };
        let messages = plural(checkup.messages, "message");
        let mend = if mendable > 0 { format!("; `postroom doctor --fix` can mend {mendable}") } else { String::new() };
        writeln!(out, "{counts} in {messages}{mend}")
    }

    fn one_rule(out: &mut impl Write, rule: &Rule, group: &[Finding], screen: &Screen<'_>, most: usize) -> io::Result<()> {
        let (style, faint) = (severity(rule.severity), palette::FAINT);
        writeln!(out, "{style}{}{style:#} {}: {}", rule.severity.as_str(), rule.id, rule.title)?;
        writeln!(out, "  {faint}why: {}{faint:#}", rule.why)?;
        let how = if group.iter().any(|f| f.repair.is_some()) { " (--fix does it)" } else { "" };
        writeln!(out, "  {faint}fix: {}{how}{faint:#}", rule.fix)?;
        for finding in group.iter().take(most) {
            let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
            let text = Shower::new(Target::Terminal).field(&finding.text, shown::REMARK).into_owned();
            writeln!(out, "  - {}{line}: {text}", screen.path(&finding.path))?;
        }
        let more = group.len().saturating_sub(most);
        if more > 0 {
            writeln!(out, "  {faint}+{more} more: postroom -v doctor {}{faint:#}", rule.id)?;
        }
        writeln!(out)
    }

    /// One file that is, or would be, mended.
    ///
    /// # Errors
    /// What the writer says.
    pub fn mending(out: &mut impl Write, mending: &Mending, screen: &Screen<'_>, verb: &str) -> io::Result<()> {
        let good = palette::GOOD;
        let (rules, what) = (mending.rules.join(", "), mending.what.join("; "));
        writeln!(out, "{good}{verb}{good:#} {}: {what} ({rules})", screen.path(&mending.path))
    }

    /// Every rule, one a line.
    ///
    /// # Errors
    /// What the writer says.
    pub fn rules(out: &mut impl Write) -> io::Result<()> {
        for rule in ALL {
            let style = severity(rule.severity);
            let how = if rule.fixable { " (--fix)" } else { "" };
            writeln!(out, "{style}{:8}{style:#} {:20} {}{how}", rule.severity.as_str(), rule.id, rule.title)?;
        }
        Ok(())
    }

    fn severity(severity: Severity) -> anstyle::Style {
        match severity {
            Severity::Error => palette::ALARM,
            Severity::Warning => palette::WARNING,
            Severity::Note => palette::FAINT,
        }
    }

    fn plural(n: usize, word: &str) -> String {
        if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
    }
}

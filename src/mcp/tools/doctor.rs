//! `doctor`: what is wrong with the inboxes. Changes nothing; mending is for the command, where a person
//! sees the plan.

use serde::Serialize;
use serde_json::json;

use super::{Call, Hints, SCOPE, Tool};
use crate::error::{Exit, Report};
use crate::mcp::answer::Answer;
use crate::mcp::arguments::{Kind, may};
use crate::mcp::shapes::{flag, list, number, object, text};
use crate::ops::doctor::rules::{self, Rule, Severity};
use crate::ops::doctor::{self, Finding};
use crate::render::agent::{path, remark};
use crate::text::nearest::likely;

/// How many findings are named.
const NAMED: usize = 50;

pub const TOOL: Tool = Tool {
    name: "doctor",
    title: "Examine the inboxes",
    about: "What is wrong, or soon will be, with the inboxes and their messages, errors first: headers that other tools misread, \
            stale mail, secrets, lost threads, and more. Changes nothing; the command `postroom doctor --fix` mends what is safe.",
    params: &[may("rules", Kind::Texts, "only these rules, by the names in results; left out: all"), SCOPE],
    hints: Hints { read_only: true, idempotent: true, open_world: true },
    output: || {
        let finding = object(
            json!({
                "rule": text(), "severity": text(), "inbox": text(), "path": text(), "line": number(), "text": text(),
                "fix": text(), "fixable": flag(),
            }),
            &["rule", "severity", "path", "text", "fix", "fixable"],
        );
        object(
            json!({
                "messages": number(), "errors": number(), "warnings": number(), "notes": number(),
                "findings": list(finding), "more": number(),
            }),
            &["messages", "errors", "warnings", "notes", "findings", "more"],
        )
    },
    run,
};

#[derive(Serialize)]
struct Doc {
    messages: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    findings: Vec<FindingDoc>,
    more: usize,
}

#[derive(Serialize)]
struct FindingDoc {
    rule: &'static str,
    severity: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    inbox: String,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    text: String,
    fix: &'static str,
    fixable: bool,
}

fn run(call: &Call<'_>) -> Result<Answer, Report> {
    let only = call.args.texts("rules").iter().map(|name| rule(name)).collect::<Result<_, _>>()?;
    let found = doctor::examine(&call.run.session, &call.run.examination(only)?);
    let told = |finding: &Finding| FindingDoc {
        rule: finding.rule.id,
        severity: finding.rule.severity.as_str(),
        inbox: remark(&finding.inbox),
        path: path(&finding.path),
        line: finding.line,
        text: remark(&finding.text),
        fix: finding.rule.fix,
        fixable: finding.repair.is_some(),
    };
    Answer::of(&Doc {
        messages: found.messages,
        errors: found.count(Severity::Error),
        warnings: found.count(Severity::Warning),
        notes: found.count(Severity::Note),
        findings: found.findings.iter().take(NAMED).map(told).collect(),
        more: found.findings.len().saturating_sub(NAMED),
    })
}

fn rule(name: &str) -> Result<&'static Rule, Report> {
    rules::named(name).ok_or_else(|| {
        let known: Vec<&str> = rules::ALL.iter().map(|rule| rule.id).collect();
        let near = likely(name, known.iter().copied());
        let hint = near.first().map_or_else(|| format!("known are {}", known.join(", ")), |near| format!("did you mean {near}?"));
        Report::new("no-such-rule", Exit::Usage, format!("no rule is called {name:?}")).hint(hint)
    })
}

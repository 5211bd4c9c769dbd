//! `list_agents` and `list_inboxes`: who can be written to, and what lies where. Change nothing.

use serde::Serialize;
use serde_json::json;

use super::{Call, Hints, SCOPE, Tool};
use crate::error::Report;
use crate::mcp::answer::Answer;
use crate::mcp::arguments::{Kind, may};
use crate::mcp::shapes::{flag, list, maybe_number, number, object, text};
use crate::ops::find::{self, Counts, Unlooked};
use crate::render::agent::{self, InboxDoc, remark};

/// How many inboxes or agents one result lists.
const MOST: usize = 60;

pub const AGENTS: Tool = Tool {
    name: "list_agents",
    title: "List agents",
    about: "The agents that have an inbox in reach: the names that send_message takes and check_inbox knows, nearest first.",
    params: &[SCOPE, may("includeFederated", Kind::Flag, "accepted for MAP clients; there are no agents on other systems")],
    hints: Hints { read_only: true, idempotent: true, open_world: true },
    output: || {
        let agent = object(
            json!({
                "agentId": text(), "name": text(), "scope": text(), "status": text(), "location": {"const": "local"},
                "aliases": list(text()), "inboxes": list(text()), "unread": maybe_number(), "sendable": flag(),
            }),
            &["agentId", "name", "scope", "status", "location", "inboxes", "unread", "sendable"],
        );
        object(
            json!({"count": number(), "agents": list(agent), "more": number(), "problems": list(text())}),
            &["count", "agents", "more"],
        )
    },
    run: agents,
};

pub const INBOXES: Tool = Tool {
    name: "list_inboxes",
    title: "List inboxes",
    about: "The inboxes found from here, with their owners, folders and counts.",
    params: &[SCOPE],
    hints: Hints { read_only: true, idempotent: true, open_world: true },
    output: || {
        let inbox = object(
            json!({
                "name": text(), "owner": text(), "aliases": list(text()), "layout": text(), "label": text(), "path": text(),
                "unread": maybe_number(), "open": maybe_number(), "live": maybe_number(), "archived": maybe_number(),
            }),
            &["name", "owner", "aliases", "layout", "label", "path", "unread", "open", "live", "archived"],
        );
        object(
            json!({"count": number(), "inboxes": list(inbox), "more": number(), "problems": list(text())}),
            &["count", "inboxes", "more"],
        )
    },
    run: inboxes,
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AgentDoc {
    agent_id: String,
    name: String,
    scope: &'static str,
    status: &'static str,
    location: &'static str,
    aliases: Vec<String>,
    inboxes: Vec<String>,
    unread: Option<usize>,
    sendable: bool,
}

#[derive(Serialize)]
struct AgentsDoc {
    count: usize,
    agents: Vec<AgentDoc>,
    more: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

fn agents(call: &Call<'_>) -> Result<Answer, Report> {
    let mut unlooked = call.run.places().0;
    let mut all: Vec<AgentDoc> = Vec::new();
    for inbox in call.run.reachable() {
        let counts = counted(call, inbox, &mut unlooked);
        let unread = counts.live_is_whole.then_some(counts.unread);
        let doc = InboxDoc::of(inbox);
        let sendable = crate::layout::of(inbox.layout).capabilities().send;
        if let Some(known) = all.iter_mut().find(|a| a.agent_id.eq_ignore_ascii_case(&doc.owner)) {
            known.inboxes.push(doc.name);
            known.unread = known.unread.zip(unread).map(|(a, b)| a + b);
            known.sendable |= sendable;
            known.aliases.extend(doc.aliases);
            known.aliases.dedup();
            continue;
        }
        all.push(AgentDoc {
            agent_id: doc.owner.clone(),
            name: doc.owner,
            scope: doc.label,
            // Nobody reports to us; an inbox says nothing of whether its reader runs.
            status: "unknown",
            location: "local",
            aliases: doc.aliases,
            inboxes: vec![doc.name],
            unread,
            sendable,
        });
    }
    let more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    let problems = agent::problems(&crate::mcp::troubles(&unlooked));
    Answer::of(&AgentsDoc { count: all.len(), agents: all, more, problems })
}

#[derive(Serialize)]
struct InboxesDoc {
    count: usize,
    inboxes: Vec<InboxDoc>,
    more: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

fn inboxes(call: &Call<'_>) -> Result<Answer, Report> {
    let mut unlooked = call.run.places().0;
    let all = call.run.inboxes();
    let mut inboxes = Vec::new();
    for inbox in all.iter().take(MOST) {
        let counts = counted(call, inbox, &mut unlooked);
        inboxes.push(InboxDoc {
            unread: counts.live_is_whole.then_some(counts.unread),
            open: counts.live_is_whole.then_some(counts.open),
            live: counts.live_is_whole.then_some(counts.live),
            archived: counts.archive_is_whole.then_some(counts.archived),
            ..InboxDoc::of(inbox)
        });
    }
    let mut problems: Vec<String> = call.run.places().1.iter().take(5).map(|w| remark(&w.text)).collect();
    problems.extend(agent::problems(&crate::mcp::troubles(&unlooked)));
    Answer::of(&InboxesDoc { count: inboxes.len(), more: all.len() - inboxes.len(), inboxes, problems })
}

/// What an inbox holds.
fn counted(call: &Call<'_>, inbox: &crate::model::inbox::Inbox, unlooked: &mut Vec<Unlooked>) -> Counts {
    let (counts, failed) = find::counts(&call.run.session, inbox);
    unlooked.extend(failed);
    counts
}

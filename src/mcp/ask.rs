//! Asking a person before several messages are archived at once, where the client can ask: the question,
//! the form it is asked in, and what counts as a yes.

use std::hash::{DefaultHasher, Hash, Hasher};

use rmcp::model::{
    BooleanSchema, ClientCapabilities, ElicitRequestParams, ElicitationSchema, InputResponses, PrimitiveSchemaDefinition,
};
use serde_json::Value;

use super::answer::Answer;
use super::tools::{Call, Consent};
use crate::model::message::Message;
use crate::render::{agent, shown};

/// From how many messages on a person is asked.
const BULK: usize = 2;
/// How many of them the question names.
const NAMED: usize = 5;
/// The one field of the form.
const FIELD: &str = "archive";
/// The question's name, where a result carries it.
pub const QUESTION: &str = "confirm";

/// The question that stands before archiving these messages, unless it was answered, there are too
/// few of them, or nobody can be asked.
pub fn bulk(call: &Call<'_>, messages: &[&Message]) -> Option<Answer> {
    let mut hasher = DefaultHasher::new();
    for message in messages {
        (&message.path, message.id.as_str()).hash(&mut hasher);
    }
    let state = format!("{:016x}", hasher.finish());
    let answered = matches!(&call.consent, Consent::Yes(asked) if *asked == state);
    if messages.len() < BULK || answered || call.consent == Consent::CantAsk {
        return None;
    }
    let name = |m: &&Message| {
        let from = agent::line(m.header.from.as_deref().unwrap_or("nobody"), shown::NAME);
        format!("- {} (from {from}, {})", agent::line(&m.shown.subject, shown::SUBJECT), m.status)
    };
    let mut lines = vec![format!("Archive {} messages? Nothing is deleted; restore brings each back.", messages.len())];
    lines.extend(messages.iter().take(NAMED).map(name));
    if messages.len() > NAMED {
        lines.push(format!("+{} more", messages.len() - NAMED));
    }
    Some(Answer::Ask { question: lines.join("\n"), state })
}

/// Whether a client can show a form.
pub fn can_ask(client: Option<&ClientCapabilities>) -> bool {
    let elicitation = client.and_then(|c| c.elicitation.as_ref());
    // A client that names no mode has forms only.
    elicitation.is_some_and(|e| e.form.is_some() || e.url.is_none())
}

/// The question as a form with one box to tick.
pub fn form(question: String) -> ElicitRequestParams {
    let field = BooleanSchema::new().title("Archive them").with_default(true);
    let schema = ElicitationSchema::builder().required_property(FIELD, PrimitiveSchemaDefinition::Boolean(field));
    ElicitRequestParams::FormElicitationParams { meta: None, message: question, requested_schema: schema.build_unchecked() }
}

/// Whether an answer is a yes: accepted, and the box not emptied.
pub fn is_yes(action: &str, content: Option<&Value>) -> bool {
    action == "accept" && content.and_then(|c| c.get(FIELD)) != Some(&Value::Bool(false))
}

/// What a client that carried the question to somebody brought back: nothing, a yes, or another answer.
pub fn brought(responses: Option<&InputResponses>) -> Option<bool> {
    let answer = responses?.get(QUESTION)?;
    Some(is_yes(answer.get("action").and_then(Value::as_str).unwrap_or_default(), answer.get("content")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_an_accepted_tick_is_a_yes() {
        assert!(is_yes("accept", Some(&json!({"archive": true}))) && is_yes("accept", None));
        assert!(!is_yes("accept", Some(&json!({"archive": false}))));
        assert!(!is_yes("decline", None) && !is_yes("cancel", Some(&json!({"archive": true}))));
    }

    #[test]
    fn the_form_is_flat() {
        let form = serde_json::to_value(form("Archive 2 messages?".to_owned())).unwrap();
        assert_eq!(form["mode"], "form");
        assert_eq!(form["requestedSchema"]["properties"]["archive"]["type"], "boolean");
        assert_eq!(form["requestedSchema"]["required"], json!(["archive"]));
    }
}

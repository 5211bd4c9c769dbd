//! What a tool takes: one table says it to clients (the input schema), checks what they send, and
//! teaches where that is wrong, all faults together.

use serde_json::{Map, Value, json};

use crate::error::{Exit, Report};
use crate::text::nearest::likely;

/// The form of a parameter.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// One text.
    Text,
    /// One text, or a list of texts.
    Texts,
    /// One of a few words.
    Word(&'static [&'static str]),
    /// One or several of a few words.
    Words(&'static [&'static str]),
    /// Yes or no.
    Flag,
    /// A number from 1 to this.
    Count(usize),
    /// The structured body of the MAP tools: `{"type": "text", "text": …}`, or any other object.
    Content,
}

/// A parameter of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Its form.
    pub kind: Kind,
    /// Whether a call needs it.
    pub required: bool,
    /// What it is for, one line.
    pub about: &'static str,
}

/// A parameter that may be left out.
pub const fn may(name: &'static str, kind: Kind, about: &'static str) -> Param {
    Param { name, kind, required: false, about }
}

/// A parameter that a call needs.
pub const fn must(name: &'static str, kind: Kind, about: &'static str) -> Param {
    Param { name, kind, required: true, about }
}

/// The input schema of a tool.
pub fn schema(params: &[Param]) -> Map<String, Value> {
    let property = |param: &Param| {
        let mut schema = match param.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::Texts => json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
            Kind::Word(words) => json!({"type": "string", "enum": words}),
            Kind::Words(words) => json!({"anyOf": [
                {"type": "string", "enum": words},
                {"type": "array", "items": {"type": "string", "enum": words}},
            ]}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Count(most) => json!({"type": "integer", "minimum": 1, "maximum": most}),
            Kind::Content => json!({"type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"]}),
        };
        if let Some(map) = schema.as_object_mut() {
            map.insert("description".to_owned(), param.about.into());
        }
        (param.name.to_owned(), schema)
    };
    let properties: Map<String, Value> = params.iter().map(property).collect();
    let required: Vec<&str> = params.iter().filter(|p| p.required).map(|p| p.name).collect();
    let mut out = Map::new();
    out.insert("type".to_owned(), "object".into());
    out.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        out.insert("required".to_owned(), required.into());
    }
    out.insert("additionalProperties".to_owned(), false.into());
    out
}

/// Arguments that fit their table. What was null or an empty text counts as left out.
#[derive(Debug, Default)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks what a client sent.
    ///
    /// # Errors
    /// Every fault, in one report that says what is right.
    pub fn check(params: &[Param], given: Option<Map<String, Value>>) -> Result<Self, Report> {
        let mut faults = Vec::new();
        let mut map = Map::new();
        for (name, value) in given.unwrap_or_default() {
            let Some(param) = params.iter().find(|p| p.name == name) else {
                faults.push(unknown(params, &name));
                continue;
            };
            if value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty() && param.name != "body") {
                continue;
            }
            match fitting(param, value) {
                Ok(value) => _ = map.insert(name, value),
                Err(want) => faults.push(format!("{name} must be {want}")),
            }
        }
        for param in params.iter().filter(|p| p.required && !map.contains_key(p.name)) {
            if !faults.iter().any(|fault| fault.starts_with(&format!("{} must be ", param.name))) {
                faults.push(format!("{} is missing: {}", param.name, param.about));
            }
        }
        if faults.is_empty() {
            return Ok(Self(map));
        }
        let names: Vec<String> =
            params.iter().map(|p| if p.required { format!("{} (needed)", p.name) } else { p.name.to_owned() }).collect();
        let known = if names.is_empty() { "it takes no arguments".to_owned() } else { format!("it takes {}", names.join(", ")) };
        Err(Report::new("bad-arguments", Exit::Usage, faults.join("; ")).hint(known))
    }

    /// One text, where it was given.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// The texts given: none, one or several.
    pub fn texts(&self, name: &str) -> Vec<String> {
        match self.0.get(name) {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    }

    /// Yes or no, where it was said.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.0.get(name)?.as_bool()
    }

    /// A number, where it was given.
    pub fn count(&self, name: &str) -> Option<usize> {
        self.0.get(name)?.as_u64().and_then(|n| usize::try_from(n).ok())
    }

    /// An object, where it was given.
    pub fn object(&self, name: &str) -> Option<&Map<String, Value>> {
        self.0.get(name)?.as_object()
    }
}

/// The value as it is kept, or what it should have been.
fn fitting(param: &Param, value: Value) -> Result<Value, String> {
    let is_one = |words: &[&str], value: &Value| value.as_str().is_some_and(|v| words.contains(&v));
    let texts = |value: &Value| value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
    match param.kind {
        Kind::Text if value.is_string() => Ok(value),
        Kind::Text => Err("a string".to_owned()),
        Kind::Texts if value.is_string() || texts(&value) => Ok(value),
        Kind::Texts => Err("a string or a list of strings".to_owned()),
        Kind::Word(words) if is_one(words, &value) => Ok(value),
        Kind::Word(words) => Err(format!("one of {}", words.join(", "))),
        Kind::Words(words) => {
            let all = value.as_array().is_some_and(|list| list.iter().all(|v| is_one(words, v)));
            if all || is_one(words, &value) { Ok(value) } else { Err(format!("one or a list of {}", words.join(", "))) }
        }
        Kind::Flag if value.is_boolean() => Ok(value),
        Kind::Flag => Err("true or false".to_owned()),
        Kind::Count(most) => whole(&value)
            .filter(|n| (1..=most as u64).contains(n))
            .map(Value::from)
            .ok_or_else(|| format!("a whole number from 1 to {most}")),
        // Some clients send the text itself.
        Kind::Content if value.is_object() || value.is_string() => Ok(value),
        Kind::Content => Err(r#"an object such as {"type": "text", "text": "…"}"#.to_owned()),
    }
}

/// A whole number, also where a client writes it as `5.0`.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64().filter(|n| n.fract() == 0.0 && (0.0..1e9).contains(n))?;
        format!("{number:.0}").parse().ok()
    })
}

fn unknown(params: &[Param], name: &str) -> String {
    let near = likely(name, params.iter().map(|p| p.name));
    match near.first() {
        Some(near) => format!("there is no argument {name:?}: did you mean {near}?"),
        None => format!("there is no argument {name:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: &[Param] = &[
        must("to", Kind::Texts, "whom it is for"),
        may("limit", Kind::Count(10), "at most this many"),
        may("importance", Kind::Word(&["low", "high"]), "how urgent"),
        may("dryRun", Kind::Flag, "only look"),
    ];

    #[allow(clippy::needless_pass_by_value)] // Reads best with the JSON written in place.
    fn check(value: Value) -> Result<Arguments, String> {
        Arguments::check(PARAMS, value.as_object().cloned()).map_err(|r| r.message)
    }

    #[test]
    fn good_arguments_pass() {
        let args = check(json!({"to": ["a", "b"], "limit": 5.0, "importance": null, "dryRun": false})).unwrap();
        assert_eq!((args.texts("to"), args.count("limit")), (vec!["a".to_owned(), "b".to_owned()], Some(5)));
        assert_eq!((args.text("importance"), args.flag("dryRun")), (None, Some(false)));
        assert_eq!(check(json!({"to": "a"})).unwrap().texts("to"), ["a"]);
    }

    #[test]
    fn every_fault_is_told_at_once() {
        let text = check(json!({"limit": 0, "importance": "huge", "dryrun": true})).unwrap_err();
        for part in ["limit must be a whole number from 1 to 10", "one of low, high", "did you mean dryRun?", "to is missing"] {
            assert!(text.contains(part), "{part} not in {text}");
        }
        assert_eq!(check(json!({"to": 5})).unwrap_err(), "to must be a string or a list of strings");
        assert!(check(json!({"to": ""})).unwrap_err().contains("to is missing"));
    }

    #[test]
    fn the_schema_is_the_table() {
        let schema = Value::from(schema(PARAMS));
        assert_eq!(schema["required"], json!(["to"]));
        assert_eq!(schema["properties"]["limit"]["maximum"], 10);
        assert_eq!(schema["additionalProperties"], false);
    }
}

//! Our MCP server in a host's settings: put in, found, taken out, with every other byte kept.
//!
//! Pure: text in, text out, as [`super::registration`] does it for hooks. Each host names its servers in
//! one table; ours is called `postroom` there, and an entry of that name that calls something else is
//! somebody else's. `own` is the program that is asking: ours, whatever it is called.

use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::{Host, Level, Places, codex};
use crate::text::json::{self, Document, JsonError, Node};

/// What our server is called in every host.
const NAME: &str = "postroom";

/// Why a settings file is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It can't be read strictly, or something on the way is of another type.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// It is no TOML, or something on the way is of another type.
    #[error("{0}")]
    Toml(String),
    /// There is a server of our name that calls something else.
    #[error("there is a server called \"postroom\" that is not this one")]
    NotOurs,
}

/// The settings file that a server is registered in; `None` where the host keeps none that others may
/// write, or there is no home folder.
pub fn settings(host: Host, level: Level, places: &Places) -> Option<PathBuf> {
    match (host, level) {
        (Host::Claude, Level::Project) => Some(places.project.join(".mcp.json")),
        (Host::Codex, _) => codex::config(level, places),
        // Hooks and servers stand in one file.
        (Host::Gemini, _) => host.settings(level, places),
        (Host::Cursor, _) => Some(host.settings(level, places)?.with_file_name("mcp.json")),
        (Host::OpenCode, Level::Project) => Some(places.project.join("opencode.json")),
        (Host::OpenCode, Level::User) => {
            let config = places.config.clone().or_else(|| Some(places.home.as_ref()?.join(".config")))?;
            Some(config.join("opencode/opencode.json"))
        }
        // Claude Code writes the user's file itself, all the time.
        (Host::Claude, Level::User) | (Host::Soma | Host::Plain, _) => None,
    }
}

/// A settings file where there was none.
pub fn blank(host: Host) -> &'static str {
    if host == Host::Codex { "" } else { "{}\n" }
}

fn table(host: Host) -> &'static str {
    if host == Host::OpenCode { "mcp" } else { "mcpServers" }
}

/// The text with our server registered; as it was, where it is registered already.
///
/// # Errors
/// [`Unfit`]: the file can't be kept.
pub fn add(host: Host, text: &str, program: &str) -> Result<String, Unfit> {
    if standing(host, text, program)?.is_some() {
        return Ok(text.to_owned());
    }
    if host == Host::Codex {
        return codex_add(text, program);
    }
    let program = json::quote(program);
    let entry = match host {
        Host::OpenCode => format!(r#"{{"type":"local","command":[{program},"mcp"],"enabled":true}}"#),
        _ => format!(r#"{{"command":{program},"args":["mcp"]}}"#),
    };
    Ok(json::insert_member(text, &[table(host)], NAME, &entry)?.text)
}

/// The text with our server, which is registered there, being another program; everything else of its
/// entry stays.
///
/// # Errors
/// [`Unfit`]: the file can't be kept, or the server of our name is another.
pub fn point(host: Host, text: &str, program: &str) -> Result<String, Unfit> {
    if host == Host::Codex {
        let mut document = parsed(text)?;
        let servers = document.get_mut("mcp_servers").and_then(Item::as_table_like_mut);
        let entry = servers.and_then(|servers| servers.get_mut(NAME)).and_then(Item::as_table_like_mut);
        let command = entry.and_then(|entry| entry.get_mut("command")).and_then(Item::as_value_mut);
        let Some(command) = command else { return Err(Unfit::NotOurs) };
        let decor = command.decor().clone();
        *command = program.into();
        *command.decor_mut() = decor;
        return Ok(document.to_string());
    }
    let document = Document::parse(text)?;
    let entry = document.get(&[table(host), NAME])?;
    let command = entry.and_then(|entry| entry.members().iter().find(|m| m.key == "command")).map(|m| &m.value);
    let node = if host == Host::OpenCode { command.and_then(|words| words.elements().first()) } else { command };
    Ok(json::replace_string(text, node.ok_or(Unfit::NotOurs)?, program)?)
}

/// The text without our server.
///
/// # Errors
/// [`Unfit`]: the file can't be kept, or the server of our name is another.
pub fn remove(host: Host, text: &str, own: &str) -> Result<String, Unfit> {
    if standing(host, text, own)?.is_none() {
        return Ok(text.to_owned());
    }
    if host == Host::Codex {
        return codex_remove(text);
    }
    let path = [table(host)];
    let made = json::made_by_insert_member(&Document::parse(text)?, &path)?;
    Ok(json::remove_member(text, &path, NAME, made)?)
}

/// The program that our server is registered with, where it is registered.
///
/// # Errors
/// [`Unfit`]: the file can't be read, or the server of our name is another.
pub fn standing(host: Host, text: &str, own: &str) -> Result<Option<String>, Unfit> {
    if host == Host::Codex {
        return codex_standing(text, own);
    }
    let document = Document::parse(text)?;
    let Some(entry) = document.get(&[table(host), NAME])? else { return Ok(None) };
    let member = |key: &str| entry.members().iter().find(|m| m.key == key).map(|m| &m.value);
    let words = |node: Option<&Node<'_>>| -> Vec<String> {
        node.map(Node::elements).unwrap_or_default().iter().filter_map(Node::as_str).map(str::to_owned).collect()
    };
    let (program, arguments) = match host {
        Host::OpenCode => {
            let mut words = words(member("command")).into_iter();
            (words.next(), words.collect())
        }
        _ => (member("command").and_then(Node::as_str).map(str::to_owned), words(member("args"))),
    };
    ours(program, &arguments, own).map(Some)
}

/// The program, if it is we who are called: by its name, or as we write it for a program elsewhere.
fn ours(program: Option<String>, arguments: &[String], own: &str) -> Result<String, Unfit> {
    let is_it = |program: &String| {
        super::registration::is_known(program, own) && arguments.iter().any(|word| word == "mcp")
            || arguments == ["mcp"] && Path::new(program).is_absolute()
    };
    program.filter(is_it).ok_or(Unfit::NotOurs)
}

fn parsed(text: &str) -> Result<DocumentMut, Unfit> {
    text.parse().map_err(|error: toml_edit::TomlError| Unfit::Toml(error.message().to_owned()))
}

fn codex_standing(text: &str, own: &str) -> Result<Option<String>, Unfit> {
    let document = parsed(text)?;
    let servers = document.get("mcp_servers").map(|item| item.as_table_like().ok_or_else(not_a_table)).transpose()?;
    let Some(entry) = servers.and_then(|servers| servers.get(NAME)) else { return Ok(None) };
    let words = |item: &Item| -> Vec<String> {
        item.as_array().into_iter().flatten().filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let arguments = entry.get("args").map(words).unwrap_or_default();
    ours(entry.get("command").and_then(Item::as_str).map(str::to_owned), &arguments, own).map(Some)
}

fn codex_add(text: &str, program: &str) -> Result<String, Unfit> {
    let mut document = parsed(text)?;
    let mut parent = Table::new();
    // Only `[mcp_servers.postroom]` is written, no empty `[mcp_servers]` above it.
    parent.set_implicit(true);
    let servers = document.entry("mcp_servers").or_insert(Item::Table(parent));
    let mut entry = Table::new();
    entry.insert("command", value(program));
    entry.insert("args", value(Array::from_iter(["mcp"])));
    if let Some(table) = servers.as_table_mut() {
        if !text.trim().is_empty() {
            entry.decor_mut().set_prefix("\n");
        }
        table.insert(NAME, Item::Table(entry));
    } else {
        let inline = servers.as_table_like_mut().ok_or_else(not_a_table)?;
        inline.insert(NAME, value(entry.into_inline_table()));
    }
    let after = document.to_string();
    // What was there stays as it was, byte for byte.
    if codex_remove(&after)? == text {
        Ok(after)
    } else {
        Err(Unfit::Toml("it can't be added without changing other lines".to_owned()))
    }
}

fn codex_remove(text: &str) -> Result<String, Unfit> {
    let mut document = parsed(text)?;
    if let Some(servers) = document.get_mut("mcp_servers").and_then(Item::as_table_like_mut) {
        servers.remove(NAME);
    }
    let is_left = |item: &Item| item.as_table().is_some_and(|table| table.is_empty() && table.is_implicit());
    if document.get("mcp_servers").is_some_and(is_left) {
        document.remove("mcp_servers");
    }
    Ok(document.to_string())
}

fn not_a_table() -> Unfit {
    Unfit::Toml("mcp_servers is no table".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON_HOSTS: [Host; 4] = [Host::Claude, Host::Gemini, Host::Cursor, Host::OpenCode];

    #[test]
    fn what_is_put_in_is_taken_out_without_a_trace() {
        let json = [
            "{}\n",
            "{ }",
            "{\n  \"mcpServers\": {}\n}\n",
            "{\n\t\"mcpServers\": {\n\t\t\"other\": {\n\t\t\t\"command\": \"x\"\n\t\t}\n\t},\n\t\"z\": 1\n}",
            "{\"hooks\":{\"A\":[]},\"mcpServers\":{\"a\":{\"command\":\"b\",\"args\":[]}}}",
            "{\n  \"mcp\": {\n    \"x\": {\"type\": \"local\", \"command\": [\"y\"]}\n  }\n}\r\n",
        ];
        for host in JSON_HOSTS {
            for text in json {
                let added = add(host, text, "/opt/post room/postroom").unwrap();
                assert_eq!(standing(host, &added, "postroom").unwrap().as_deref(), Some("/opt/post room/postroom"), "{added}");
                assert_eq!(add(host, &added, "postroom").unwrap(), added);
                assert_eq!(remove(host, &added, "postroom").unwrap(), text, "{added}");
            }
        }
        let toml = [
            "",
            "model = \"o\"\n",
            "# mine\nmodel = \"o\" # this one\n\n[mcp_servers.other]\ncommand = \"x\"\nargs = [ 'y' ]\n\n[tui]\na = 1\n",
            "[mcp_servers]\n# none yet\n\n[tui]\n",
            "mcp_servers = { other = { command = \"x\" } }\n",
        ];
        for text in toml {
            let added = add(Host::Codex, text, "postroom").unwrap();
            assert_eq!(standing(Host::Codex, &added, "postroom").unwrap().as_deref(), Some("postroom"), "{added}");
            assert_eq!(add(Host::Codex, &added, "postroom").unwrap(), added);
            assert_eq!(remove(Host::Codex, &added, "postroom").unwrap(), text, "{added}");
        }
    }

    #[test]
    fn a_server_follows_its_program_and_nothing_else_of_it_changes() {
        let (first, second) = ("/opt/pr 1", "/opt/pr-2");
        for host in JSON_HOSTS.into_iter().chain([Host::Codex]) {
            let old = add(host, blank(host), first).unwrap();
            assert_eq!(standing(host, &old, second).unwrap().as_deref(), Some(first), "{old}");
            assert_eq!(point(host, &old, second).unwrap(), add(host, blank(host), second).unwrap());
        }
        let text = "[mcp_servers.postroom]\ncommand = '/opt/pr' # mine\nargs = [\"mcp\"]\nenv = { A = 'b' }\n";
        let new = point(Host::Codex, text, second).unwrap();
        assert_eq!(new, text.replace("'/opt/pr'", "\"/opt/pr-2\""));
    }

    #[test]
    fn entries_are_in_each_hosts_own_shape() {
        let blank = |host| add(host, blank(host), "postroom").unwrap();
        assert_eq!(blank(Host::Codex), "[mcp_servers.postroom]\ncommand = \"postroom\"\nargs = [\"mcp\"]\n");
        let json = |host| serde_json::from_str::<serde_json::Value>(&blank(host)).unwrap();
        assert_eq!(json(Host::Claude), serde_json::json!({"mcpServers": {"postroom": {"command": "postroom", "args": ["mcp"]}}}));
        let local = serde_json::json!({"type": "local", "command": ["postroom", "mcp"], "enabled": true});
        assert_eq!(json(Host::OpenCode), serde_json::json!({"mcp": {"postroom": local}}));
    }

    #[test]
    fn what_is_not_ours_is_left_alone() {
        let theirs = "{\"mcpServers\":{\"postroom\":{\"command\":\"npx\",\"args\":[\"mcp\"]}}}";
        assert_eq!(add(Host::Claude, theirs, "postroom"), Err(Unfit::NotOurs));
        assert_eq!(remove(Host::Claude, theirs, "postroom"), Err(Unfit::NotOurs));
        for text in
            ["{\"mcpServers\":[]}", "{\"mcpServers\":{},\"mcpServers\":{}}", "// c\n{}", "{\"mcpServers\":{\"postroom\":5}}"]
        {
            assert!(add(Host::Gemini, text, "postroom").is_err(), "{text}");
        }
        for text in ["mcp_servers = 5\n", "= 1", "[mcp_servers.postroom]\nurl = \"http://x\"\n"] {
            assert!(add(Host::Codex, text, "postroom").is_err(), "{text}");
        }
    }
}

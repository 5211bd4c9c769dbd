//! Each host and event against the field lists of its maker: golden outputs.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::*;

fn input(event: &str) -> HookInput {
    HookInput { event: Some(event.to_owned()), ..HookInput::default() }
}

/// The answer to an event, or the reason for silence.
fn said(host: Host, input: &HookInput, block_stop: bool) -> String {
    match host.call(input, block_stop) {
        None => "(silent)".to_owned(),
        Some(call) => call.answer("1 \"new\" <b>\nmessage").unwrap_or_else(|| "(no shape)".to_owned()),
    }
}

#[test]
fn every_event_in_the_shape_of_its_host() {
    let mut all = String::new();
    for host in Host::ALL.into_iter().filter(|host| *host != Host::Soma) {
        for event in [
            "SessionStart",
            "UserPromptSubmit",
            "PostToolUse",
            "Stop",
            "BeforeAgent",
            "AfterTool",
            "AfterAgent",
            "sessionStart",
            "beforeSubmitPrompt",
            "postToolUse",
            "chat.message",
            "tool.execute.after",
            "session.compacted",
        ] {
            let text = said(host, &input(event), false);
            if text != "(silent)" {
                write!(all, "{host:?} {event}: {text}").unwrap();
            }
        }
    }
    insta::assert_snapshot!(all, @r#"
    Claude SessionStart: {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"1 \"new\" <b>\nmessage"}}
    Claude UserPromptSubmit: {"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"1 \"new\" <b>\nmessage"}}
    Claude PostToolUse: {"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"1 \"new\" <b>\nmessage"}}
    Codex SessionStart: {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"1 \"new\" <b>\nmessage"}}
    Codex UserPromptSubmit: {"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"1 \"new\" <b>\nmessage"}}
    Codex PostToolUse: {"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"1 \"new\" <b>\nmessage"}}
    Gemini SessionStart: {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"1 \"new\" <b>\nmessage"}}
    Gemini BeforeAgent: {"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"1 \"new\" <b>\nmessage"}}
    Gemini AfterTool: {"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"1 \"new\" <b>\nmessage"}}
    Cursor SessionStart: {"additional_context":"1 \"new\" <b>\nmessage"}
    Cursor UserPromptSubmit: {"continue":true,"additional_context":"1 \"new\" <b>\nmessage"}
    Cursor PostToolUse: {"additional_context":"1 \"new\" <b>\nmessage"}
    Cursor sessionStart: {"additional_context":"1 \"new\" <b>\nmessage"}
    Cursor beforeSubmitPrompt: {"continue":true,"additional_context":"1 \"new\" <b>\nmessage"}
    Cursor postToolUse: {"additional_context":"1 \"new\" <b>\nmessage"}
    OpenCode chat.message: 1 "new" <b>
    message
    OpenCode tool.execute.after: 1 "new" <b>
    message
    OpenCode session.compacted: 1 "new" <b>
    message
    "#);
    for host in [Host::Soma, Host::Plain] {
        for event in ["SessionStart", "BeforeAgent", "postToolUse"] {
            assert_eq!(said(host, &input(event), false), "1 \"new\" <b>\nmessage\n");
        }
    }
}

#[test]
fn a_stop_is_held_up_only_where_that_is_asked_for() {
    let mut all = String::new();
    for (host, event) in [(Host::Claude, "Stop"), (Host::Codex, "Stop"), (Host::Gemini, "AfterAgent"), (Host::Cursor, "stop")] {
        let mut call = input(event);
        call.status = (host == Host::Cursor).then(|| "completed".to_owned());
        assert_eq!(said(host, &call, false), "(silent)", "{host:?}");
        write!(all, "{host:?}: {}", said(host, &call, true)).unwrap();
        let continuing = HookInput { stop_active: true, ..call.clone() };
        assert_eq!(said(host, &continuing, true), "(silent)", "{host:?} is continuing already");
        let failed = HookInput { status: Some("aborted".to_owned()), ..call };
        assert_eq!(said(host, &failed, true), "(silent)", "{host:?} after a turn that failed");
    }
    assert_eq!(said(Host::Cursor, &input("stop"), true), "(silent)");
    insta::assert_snapshot!(all, @r#"
    Claude: {"decision":"block","reason":"1 \"new\" <b>\nmessage"}
    Codex: {"decision":"block","reason":"1 \"new\" <b>\nmessage"}
    Gemini: {"decision":"deny","reason":"1 \"new\" <b>\nmessage"}
    Cursor: {"followup_message":"1 \"new\" <b>\nmessage"}
    "#);
}

#[test]
fn codex_gets_no_key_that_it_does_not_know() {
    for (event, outer, inner) in [
        ("SessionStart", vec!["hookSpecificOutput"], vec!["additionalContext", "hookEventName"]),
        ("UserPromptSubmit", vec!["hookSpecificOutput"], vec!["additionalContext", "hookEventName"]),
        ("PostToolUse", vec!["hookSpecificOutput"], vec!["additionalContext", "hookEventName"]),
        ("Stop", vec!["decision", "reason"], vec![]),
    ] {
        let doc: serde_json::Value = serde_json::from_str(&said(Host::Codex, &input(event), true)).unwrap();
        let keys =
            |value: &serde_json::Value| value.as_object().map(|o| o.keys().cloned().collect::<BTreeSet<_>>()).unwrap_or_default();
        assert_eq!(keys(&doc), outer.into_iter().map(str::to_owned).collect());
        assert_eq!(keys(&doc["hookSpecificOutput"]), inner.into_iter().map(str::to_owned).collect());
    }
}

#[test]
fn what_needs_no_answer_gets_silence() {
    for host in Host::ALL {
        for event in
            ["PreToolUse", "SessionEnd", "Notification", "SubagentStop", "PreCompact", "", "session start", "SESSIONSTART", "{"]
        {
            assert_eq!(said(host, &input(event), true), "(silent)", "{host:?} {event}");
        }
        for event in host.events() {
            let inside = HookInput { in_subagent: true, ..input(event.0) };
            assert_eq!(said(host, &inside, true), "(silent)", "{host:?} {event:?} in a subagent");
        }
    }
}

#[test]
fn without_an_event_it_is_a_start() {
    for host in Host::ALL.into_iter().chain([Host::Plain]) {
        let call = host.call(&HookInput::default(), false).unwrap();
        assert_eq!((call.host, call.event, call.anew), (host, Event::Start, true));
    }
}

#[test]
fn a_hook_of_claude_run_by_cursor_answers_cursor() {
    let by_cursor = HookInput { by_cursor: true, ..input("UserPromptSubmit") };
    assert_eq!(Host::Claude.call(&by_cursor, false).unwrap().host, Host::Cursor);
    assert_eq!(Host::Codex.call(&by_cursor, false).unwrap().host, Host::Codex);
}

#[test]
fn what_gemini_loses_does_not_count_as_told() {
    let cleared = HookInput { source: Some("clear".to_owned()), ..input("SessionStart") };
    assert!(Host::Gemini.call(&cleared, false).unwrap().may_be_lost);
    assert!(!Host::Claude.call(&cleared, false).unwrap().may_be_lost);
    assert!(!Host::Gemini.call(&input("SessionStart"), false).unwrap().may_be_lost);
}

#[test]
fn hosts_are_named_and_guessed() {
    for host in Host::ALL.into_iter().chain([Host::Plain]) {
        assert_eq!(Host::parse(host.as_str()), Some(host));
    }
    assert_eq!(Host::parse("Claude-Code"), Some(Host::Claude));
    assert_eq!(Host::parse("gemini-cli"), Some(Host::Gemini));
    assert_eq!(Host::parse("emacs"), None);
    let guess = |set: &[&str]| Host::guess(|name| set.contains(&name));
    assert_eq!(guess(&["CLAUDE_PROJECT_DIR"]), Some(Host::Claude));
    assert_eq!(guess(&["CLAUDE_PROJECT_DIR", "GEMINI_SESSION_ID"]), Some(Host::Gemini));
    assert_eq!(guess(&["CURSOR_VERSION", "CLAUDE_PROJECT_DIR"]), Some(Host::Cursor));
    assert_eq!(guess(&[]), None);
}

#[test]
fn settings_lie_where_the_hosts_look() {
    let places = Places { home: Some("/h".into()), project: "/p".into(), ..Places::default() };
    let moved = Places { claude: Some("/c".into()), codex: Some("/x".into()), config: Some("/g".into()), ..places.clone() };
    let at = |host: Host, places: &Places| {
        let path = |level| host.settings(level, places).map(|p| p.display().to_string()).unwrap_or_default();
        format!("{} {}", path(Level::Project), path(Level::User))
    };
    assert_eq!(at(Host::Claude, &places), "/p/.claude/settings.json /h/.claude/settings.json");
    assert_eq!(at(Host::Codex, &places), "/p/.codex/hooks.json /h/.codex/hooks.json");
    assert_eq!(at(Host::Gemini, &places), "/p/.gemini/settings.json /h/.gemini/settings.json");
    assert_eq!(at(Host::Cursor, &places), "/p/.cursor/hooks.json /h/.cursor/hooks.json");
    assert_eq!(at(Host::OpenCode, &places), "/p/.opencode/plugins/postroom.js /h/.config/opencode/plugins/postroom.js");
    assert_eq!(at(Host::Claude, &moved), "/p/.claude/settings.json /c/settings.json");
    assert_eq!(at(Host::Codex, &moved), "/p/.codex/hooks.json /x/hooks.json");
    assert_eq!(at(Host::OpenCode, &moved), "/p/.opencode/plugins/postroom.js /g/opencode/plugins/postroom.js");
    assert_eq!(at(Host::Claude, &Places { project: "/p".into(), ..Places::default() }), "/p/.claude/settings.json ");
}

#[test]
fn the_plugin_is_known_again_whatever_it_calls() {
    for program in ["postroom", "/opt/a b/post\"room", "/home/é/postroom"] {
        assert_eq!(opencode::program(&opencode::plugin(program)).as_deref(), Some(program));
    }
    assert_eq!(opencode::program(&format!("{}// mine\n", opencode::plugin("postroom"))), None);
    assert_eq!(opencode::program(""), None);
}

#[test]
fn what_codex_keeps_in_its_configuration_is_seen() {
    assert!(codex::remark("[features]\nhooks = false # off\n").is_some_and(|r| r.contains("switched off")));
    assert!(codex::remark("features.codex_hooks = false\n").is_some());
    assert!(
        codex::remark("[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"x\"\n")
            .is_some_and(|r| r.contains("both"))
    );
    for quiet in ["", "model = \"x\"\n[features]\nhooks = true\n[hooks.state.\"a:b\"]\ntrusted_hash = \"1\"\n", "no toml ["] {
        assert_eq!(codex::remark(quiet), None, "{quiet}");
        assert!(!codex::is_registered(quiet, "postroom"));
    }
    assert!(codex::is_registered(
        "[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ntype=\"command\"\ncommand=\"/x/postroom hook --host codex\"\n",
        "postroom"
    ));
    assert!(!codex::is_registered(
        "[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ntype=\"command\"\ncommand=\"other hook\"\n",
        "postroom"
    ));
}

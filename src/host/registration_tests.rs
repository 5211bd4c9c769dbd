//! In and out again, in files of every style.

use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use serde_json::Value;

use super::*;

const HOSTS: [Host; 4] = [Host::Claude, Host::Codex, Host::Gemini, Host::Cursor];

const POSTROOM: Program<'static> = Program { name: "postroom", quoted: "postroom" };
const ODD: Program<'static> = Program { name: "/opt/my tools/postroom-nightly", quoted: "'/opt/my tools/postroom-nightly'" };

fn parsed(text: &str) -> Value {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap()
}

/// What is left of a text in which no line is shared.
fn rest(host: Host, text: &str, own: &str) -> String {
    let removed = remove(host, text, own).unwrap();
    assert!(removed.left.is_empty(), "{text}");
    removed.text
}

#[test]
fn what_is_registered_where_there_was_no_file() {
    let all: Vec<String> = HOSTS
        .into_iter()
        .map(|host| {
            let text = add(host, blank(host), POSTROOM, false).unwrap();
            assert_eq!(add(host, &text, POSTROOM, false).unwrap(), text);
            assert_eq!(rest(host, &text, "postroom"), blank(host));
            text
        })
        .collect();
    let blanks_left_out: Vec<String> = all.iter().map(|text| text.replace(['\n', ' '], "")).collect();
    let handler = |host: &str, seconds: u32| {
        format!(r#"[{{"hooks":[{{"type":"command","command":"postroomhook--host{host}","timeout":{seconds}}}]}}]"#)
    };
    for (text, host) in blanks_left_out.iter().zip(["claude", "codex"]) {
        let (first, other) = (handler(host, 10), handler(host, 5));
        let expected = format!(r#"{{"hooks":{{"SessionStart":{first},"UserPromptSubmit":{other},"PostToolUse":{other}}}}}"#);
        assert_eq!(*text, expected);
    }
    assert_eq!(
        all[3],
        r#"{
  "version": 1,
  "hooks": {
    "sessionStart": [
      {
        "command": "postroom hook --host cursor",
        "timeout": 10
      }
    ],
    "beforeSubmitPrompt": [
      {
        "command": "postroom hook --host cursor",
        "timeout": 5
      }
    ],
    "postToolUse": [
      {
        "command": "postroom hook --host cursor",
        "timeout": 5
      }
    ]
  }
}
"#
    );
    let gemini = parsed(&all[2]);
    assert_eq!(
        gemini["hooks"]["BeforeAgent"],
        serde_json::json!([{"matcher": "*", "hooks": [
            {"name": "postroom", "type": "command", "command": "postroom hook --host gemini", "timeout": 5000}
        ]}])
    );
    let events: Vec<&String> = gemini["hooks"].as_object().unwrap().keys().collect();
    assert_eq!(events, ["AfterTool", "BeforeAgent", "SessionStart"]);
}

#[test]
fn others_stay_and_every_style_comes_back() {
    for text in [
        "{\n  \"env\": {\"K\":\"v\"},\n  \"hooks\": {\"SessionStart\":[{\"matcher\":\"compact\",\"hooks\":[{\"type\":\"command\",\"command\":\"other.sh\"}]}],\"Weird\":[1]},\n  \"zz\": 1.0\n}\n",
        "{}",
        "{}\n",
        "{ }",
        "{\n}\n",
        "{\"hooks\":{}}",
        "{\"hooks\": { }}",
        "{\"hooks\":{\"SessionStart\":[]}}",
        "{\"hooks\":{\"Stop\":[ ]}}",
        "{\r\n\t\"hooks\": {\r\n\t\t\"PostToolUse\": [\r\n\t\t\t{\"hooks\": []}\r\n\t\t]\r\n\t}\r\n}",
        "\u{feff}{\"a\":1}",
        "{\"hooks\":{\"disabled\":[\"x\"],\"SessionStart\":[null,5,\"postroom hook\",{\"hooks\":{}},{\"hooks\":[{\"command\":7}]}]}}",
    ] {
        for host in [Host::Claude, Host::Codex, Host::Gemini] {
            let new = add(host, text, ODD, true).unwrap();
            assert_eq!(rest(host, &new, ODD.name), text, "{host:?} {text}");
            assert_eq!(standing(host, &new, ODD.name).unwrap().events.len(), 4, "{new}");
            let (old, new) = (parsed(text), parsed(&new));
            for (key, value) in old.as_object().unwrap() {
                assert!(key == "hooks" || new[key] == *value);
            }
            let lists = old["hooks"].as_object().into_iter().flatten();
            for (event, list) in lists {
                let kept = new["hooks"][event].as_array().unwrap();
                assert_eq!(&kept[..list.as_array().unwrap().len()], list.as_array().unwrap());
            }
        }
    }
}

#[test]
fn what_can_t_be_kept_is_refused() {
    for text in [
        "{ // note\n \"hooks\": {},}\n",
        "{\"hooks\": {\"SessionStart\": [",
        "{\"hooks\": []}\n",
        "{\"hooks\":{\"SessionStart\":{}}}",
        "",
        "[]",
        "null",
        "{\"hooks\":null}",
        "{\"hooks\":{},\"hooks\":{}}",
    ] {
        assert!(add(Host::Claude, text, POSTROOM, false).is_err(), "{text}");
    }
    for text in ["{\"version\":2}", "{\"version\":\"1\",\"hooks\":{}}"] {
        assert_eq!(add(Host::Cursor, text, POSTROOM, false), Err(Unfit::Version), "{text}");
    }
}

#[test]
fn the_version_that_cursor_asks_for_is_added() {
    for text in ["{}", "{\"hooks\":{}}", "{\n  \"hooks\": {\"stop\": [{\"command\": \"x\"}]}\n}\n"] {
        assert!(lacks_version(Host::Cursor, text) && !lacks_version(Host::Claude, text));
        let new = add(Host::Cursor, text, POSTROOM, false).unwrap();
        assert_eq!(parsed(&new)["version"], 1, "{new}");
        assert_eq!(add(Host::Cursor, &new, POSTROOM, false).unwrap(), new);
        let (mut old, mut left) = (parsed(text), parsed(&rest(Host::Cursor, &new, "postroom")));
        left.as_object_mut().unwrap().remove("version");
        old.as_object_mut().unwrap().remove("version");
        assert_eq!(left, old);
        assert_eq!(rest(Host::Cursor, text, "postroom"), text);
    }
}

#[test]
fn our_hook_is_known_in_whatever_form_it_was_registered() {
    let with = |handler: &str| format!("{{\"hooks\":{{\"SessionStart\":[{{\"hooks\":[{handler}]}}]}}}}");
    for (handler, program) in [
        (r#"{"type":"command","command":"postroom","args":["hook","--host","claude"]}"#, "postroom"),
        (r#"{"type":"command","command":"postroom hook --host claude"}"#, "postroom"),
        (r#"{"command":"/a/b/postroom --inbox x hook --host=claude"}"#, "/a/b/postroom"),
        (r#"{"command":"'/a b/postroom' hook"}"#, "/a b/postroom"),
        (r#"{"command":"POSTROOM_AGENT=claude exec postroom hook || true"}"#, "postroom"),
        (r#"{"command":"/opt/pr-2 hook --host claude","timeout":10}"#, "/opt/pr-2"),
        (r#"{"command":"\"C:\\x\\postroom.exe\" hook"}"#, "C:\\x\\postroom.exe"),
    ] {
        let text = with(handler);
        assert_eq!(standing(Host::Claude, &text, "postroom").unwrap().programs, [program], "{handler}");
        assert_eq!(
            parsed(&rest(Host::Claude, &text, "postroom"))["hooks"].as_object().map_or(0, serde_json::Map::len),
            0,
            "{handler}"
        );
    }
    for handler in [
        r#"{"command":"other hook"}"#,
        r#"{"command":"postroom list"}"#,
        r#"{"command":"my-postroom hook"}"#,
        r#"{"command":"echo postroom hook"}"#,
        r#"{"command":"postroom.sh hook"}"#,
        r#"{"command":"pr-2 hook --host claude","timeout":10}"#,
        r#"{"command":"/opt/pr-2 hook --host claude","timeout":11}"#,
        r#"{"command":"/opt/pr-2 hook --host codex","timeout":10}"#,
        r#"{"command":"/opt/pr-2 hook --host claude","args":["hook"],"timeout":10}"#,
        r#"{"command":["postroom","hook"]}"#,
        r#"{"args":["hook"]}"#,
        r#"{"command":""}"#,
    ] {
        assert_eq!(standing(Host::Claude, &with(handler), "postroom").unwrap(), Standing::default(), "{handler}");
    }
}

#[test]
fn a_hook_for_another_host_is_not_this_ones() {
    let with = |words: &str| format!("{{\"hooks\":{{\"SessionStart\":[{{\"hooks\":[{{\"command\":\"postroom {words}\"}}]}}]}}}}");
    for (words, ours) in [
        ("hook", true),
        ("hook --host claude", true),
        ("hook --host=Claude", true),
        ("hook --host", true),
        ("hook --host codex", false),
        ("hook --host=gemini", false),
        ("-C x hook --event Stop --host codex", false),
    ] {
        let text = with(words);
        assert_eq!(!standing(Host::Claude, &text, "postroom").unwrap().events.is_empty(), ours, "{words}");
        assert_eq!(rest(Host::Claude, &text, "postroom") != text, ours, "{words}");
        let new = add(Host::Claude, &text, POSTROOM, false).unwrap();
        let first = parsed(&new)["hooks"]["SessionStart"].as_array().unwrap().len();
        assert_eq!(first, if ours { 1 } else { 2 }, "{words}");
    }
    let args = r#"{"hooks":{"Stop":[{"hooks":[{"command":"postroom","args":["hook","--host","codex"]}]}]}}"#;
    assert_eq!(standing(Host::Claude, args, "postroom").unwrap(), Standing::default());
    assert_eq!(standing(Host::Codex, args, "postroom").unwrap().events, ["Stop"]);
}

#[test]
fn only_our_handler_is_taken_out_of_a_shared_entry() {
    let ours = r#"{"type":"command","command":"postroom hook --host claude","timeout":10}"#;
    let theirs = r#"{ "type": "command", "command": "other.sh" }"#;
    let list = |handlers: &str| {
        format!(
            "{{\n \"hooks\": {{\"SessionStart\":[{{\"matcher\":\"x\",\"hooks\":[{handlers}]}}],\n\"Stop\":[{{\"hooks\":[{ours}]}}]}}, \"z\": 1.0}}"
        )
    };
    for (before, after) in [
        (format!("{ours}, {theirs}"), theirs.to_owned()),
        (format!("{theirs}, {ours}"), theirs.to_owned()),
        (format!("{theirs}, {ours},{theirs}"), format!("{theirs},{theirs}")),
        (format!("\n{ours},\n{theirs},\n{ours}\n"), format!("\n{theirs}\n")),
        (format!("{theirs}, {ours}, 7"), format!("{theirs}, 7")),
    ] {
        let left = rest(Host::Claude, &list(&before), "postroom");
        let expected = list(&after).replace(&format!("{{\"hooks\":[{ours}]}}"), "");
        // The clean entry goes too, with the list that was made for it or not.
        assert_eq!(
            left.replace(",\n\"Stop\":[]", "").replace(",\n\"Stop\":[{}]", ""),
            expected.replace(",\n\"Stop\":[]", ""),
            "{before}"
        );
        assert!(standing(Host::Claude, &left, "postroom").unwrap().events.is_empty());
    }
}

#[test]
fn a_line_that_calls_others_too_is_not_ours_to_take_out() {
    let text = r#"{"hooks":{"Stop":[{"hooks":[{"command":"cd x && postroom hook"}]}]}}"#;
    assert_eq!(standing(Host::Claude, text, "postroom").unwrap().events, ["Stop"]);
    let left = vec!["Stop".to_owned()];
    assert_eq!(remove(Host::Claude, text, "postroom"), Ok(Removed { text: text.to_owned(), left: left.clone() }));
    // All else goes.
    let more = text
        .replace("[{\"command\"", "[{\"command\":\"postroom hook\"},{\"command\"")
        .replace("{\"Stop\"", "{\"SessionStart\":[{\"hooks\":[{\"command\":\"postroom hook\"}]}],\"Stop\"");
    let removed = remove(Host::Claude, &more, "postroom").unwrap();
    assert_eq!((removed.text.matches("postroom").count(), removed.left), (1, left));
}

#[test]
fn an_entry_follows_its_program_and_nothing_else_of_it_changes() {
    let everything = |_: &str, _: bool| true;
    let only_written = |_: &str, as_written: bool| as_written;
    for host in HOSTS {
        let old = add(host, blank(host), POSTROOM, true).unwrap();
        let new = point(host, &old, ODD, &only_written).unwrap();
        assert_eq!(new, add(host, blank(host), ODD, true).unwrap());
        // Who asks next is called otherwise, and finds it all the same.
        let there = standing(host, &new, "/usr/bin/pr").unwrap();
        assert_eq!((there.events.len(), &*there.programs), (4, &[ODD.name.to_owned()][..]), "{new}");
        assert_eq!(rest(host, &new, "/usr/bin/pr"), blank(host));
    }
    let text = r#"{"hooks":{"X":[{"hooks":[
        {"command":"A='é' postroom -C \"/x y\" hook --host claude >>log","timeout":99},
        {"command":"postroom","args":["hook"]}]}]}}"#;
    assert_eq!(point(Host::Claude, text, ODD, &only_written).unwrap(), text);
    let other = point(Host::Claude, text, ODD, &everything).unwrap();
    assert!(other.contains(r#""A='é' '/opt/my tools/postroom-nightly' -C \"/x y\" hook --host claude >>log","timeout":99}"#));
    assert!(other.contains(r#"{"command":"/opt/my tools/postroom-nightly","args":["hook"]}"#), "{other}");
}

#[test]
fn a_switch_that_is_off_is_told() {
    assert!(switched_off(Host::Claude, r#"{"disableAllHooks": true}"#).is_some());
    assert!(switched_off(Host::Claude, r#"{"disableAllHooks": false}"#).is_none());
    assert!(switched_off(Host::Gemini, r#"{"hooksConfig": {"enabled": false}}"#).is_some());
    assert!(switched_off(Host::Gemini, r#"{"hooksConfig": {"disabled": ["x", "postroom"]}}"#).is_some());
    assert!(switched_off(Host::Gemini, r#"{"hooksConfig": {"disabled": ["x"]}}"#).is_none());
    assert!(switched_off(Host::Gemini, "nonsense").is_none());
}

/// Any JSON value whose strings may be commands.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(Value::from),
        prop_oneof![Just("postroom list"), Just("x hook"), Just("é\n\"")].prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop_oneof![Just("hooks"), Just("command"), Just("a")], inner, 0..4).prop_map(|map| map
                .into_iter()
                .map(|(k, v)| (k.to_owned(), v))
                .collect::<serde_json::Map<_, _>>()
                .into()),
        ]
    })
}

proptest! {
    #[test]
    fn taking_out_undoes_putting_in(
        lists in prop::collection::btree_map(prop_oneof![Just("SessionStart"), Just("Stop"), Just("Other")], prop::collection::vec(json_value(), 0..3), 0..3),
        other in json_value(), pretty in any::<bool>(), stop in any::<bool>(),
    ) {
        let doc = serde_json::json!({"a": other, "hooks": lists, "z": 1});
        let text = if pretty { serde_json::to_string_pretty(&doc).unwrap() } else { doc.to_string() };
        for host in [Host::Claude, Host::Gemini] {
            let new = add(host, &text, POSTROOM, stop).unwrap();
            prop_assert_eq!(&add(host, &new, POSTROOM, stop).unwrap(), &new);
            let back = remove(host, &new, "postroom");
            prop_assert!(back.is_ok());
            prop_assert_eq!(back.unwrap().text, text.clone());
        }
    }
}

//! Members are taken from whole, cut and nonsensical input alike.

use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};

use super::*;

#[allow(clippy::unnecessary_wraps)] // As the fields are.
fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn the_members_of_use_are_taken() {
    let input = HookInput::read(
        b"\xef\xbb\xbf {\"session_id\":\"s\\u00e9\\\"1\", \"transcript_path\":null,\n\"cwd\" : \"/w\", \"hook_event_name\":\"Stop\",\
          \"tool_input\":{\"cwd\":\"/evil\",\"a\":[{\"}\":\"]\"}]},\"prompt\":\"} , \\\"cwd\\\":\\\"/evil\\\"\",\"stop_hook_active\": true ,\
          \"status\":\"completed\",\"source\":\"compact\",\"n\":-1.5e3}",
    );
    let expected = HookInput {
        event: text("Stop"),
        session: text("sé\"1"),
        source: text("compact"),
        folder: text("/w"),
        stop_active: true,
        status: text("completed"),
        in_subagent: false,
        by_cursor: false,
    };
    assert_eq!(input, expected);
}

#[test]
fn cursor_has_names_of_its_own() {
    let input =
        HookInput::read(br#"{"conversation_id":"c","workspace_roots":[ "/r","/q"],"cursor_version":"3.2","agent_id":"a"}"#);
    assert_eq!((input.session, input.folder), (text("c"), text("/r")));
    assert!(input.by_cursor && input.in_subagent);
    let input = HookInput::read(br#"{"session_id":"s","conversation_id":"c","workspace_roots":[],"cwd":"/w","agent_id":null}"#);
    assert_eq!((input.session, input.folder), (text("s"), text("/w")));
    assert!(!input.by_cursor && !input.in_subagent);
}

#[test]
fn what_came_before_the_cut_counts() {
    let whole = r#"{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"hi"}"#;
    assert_eq!(HookInput::read(&whole.as_bytes()[..whole.len() - 5]).event, text("UserPromptSubmit"));
    assert_eq!(HookInput::read(&whole.as_bytes()[..30]), HookInput { session: text("s1"), ..HookInput::default() });
    assert_eq!(HookInput::read(&whole.as_bytes()[..15]), HookInput::default());
    let long = format!(r#"{{"hook_event_name":"PostToolUse","tool_response":"{}"#, "x".repeat(MAX_BYTES));
    assert_eq!(HookInput::read(long.as_bytes()).event, text("PostToolUse"));
}

#[test]
fn what_is_no_object_says_nothing() {
    for bytes in [
        &b""[..],
        b"   ",
        b"null",
        b"[{\"cwd\":\"/w\"}]",
        b"\"cwd\"",
        b"hello {\"cwd\":\"/w\"}",
        b"{cwd:\"/w\"}",
        b"{'cwd':'/w'}",
        b"{\"cwd\"}",
        b"{\"cwd\":",
        b"{\"cwd\":5}",
        b"{\"cwd\":\"\"}",
        b"{\"cwd\":[\"/w\"]}",
        b"{\"cwd\":\"\\ud800\"}",
        b"\xff\xfe{\0",
        b"{\"cwd\":\"/\xff\"}",
        b"{,\"cwd\":\"/w\"}",
    ] {
        assert_eq!(HookInput::read(bytes), HookInput::default(), "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn the_end_of_the_object_is_seen_wherever_the_pieces_break() {
    let whole = br#" {"a":"\\\"}","b":[{"c":"]"},[]],"d":1} "#;
    for cut in 0..whole.len() {
        let mut arrival = Arrival::default();
        assert_eq!(arrival.take(&whole[..cut]), cut >= whole.len() - 1, "{cut}");
        assert!(arrival.take(&whole[cut..]));
    }
    for (bytes, done) in
        [(&b""[..], false), (b"  \n", false), (b"\xef\xbb\xbf", false), (b"x", true), (b"[", true), (b"\0", true), (b"{", false)]
    {
        assert_eq!(Arrival::default().take(bytes), done, "{}", String::from_utf8_lossy(bytes));
    }
}

proptest! {
    #[test]
    fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        HookInput::read(&bytes);
        Arrival::default().take(&bytes);
    }

    #[test]
    fn any_honest_object_is_read(event in ".{1,20}", session in ".{1,20}", prompt in ".{0,60}") {
        let doc = serde_json::json!({"a": {"session_id": 1, "x": [prompt]}, "hook_event_name": event, "prompt": prompt, "session_id": session});
        let bytes = serde_json::to_vec_pretty(&doc).unwrap();
        let input = HookInput::read(&bytes);
        prop_assert_eq!(input.event, Some(event));
        prop_assert_eq!(input.session, Some(session));
        let mut arrival = Arrival::default();
        prop_assert!(!arrival.take(&bytes[..bytes.len() - 1]));
        let whole = arrival.take(b"}");
        prop_assert!(whole);
    }
}

use super::*;

/// A hook entry as `setup` would add it.
const ENTRY: &str = r#"{"hooks": [{"type": "command", "command": "postroom", "args": ["hook"], "timeout": 10}]}"#;
const PATH: [&str; 2] = ["hooks", "SessionStart"];

fn added(text: &str) -> String {
    let done = insert(text, &PATH, ENTRY).unwrap();
    let value: serde_json::Value = serde_json::from_str(done.text.trim_start_matches('\u{FEFF}')).unwrap();
    let entry: serde_json::Value = serde_json::from_str(ENTRY).unwrap();
    assert_eq!(value["hooks"]["SessionStart"][done.index], entry);
    let document = Document::parse(&done.text).unwrap();
    let there = document.get(&PATH).unwrap().unwrap().elements().len();
    if there == 1 {
        assert_eq!(made_by_insert(&document, &PATH).unwrap(), done.made, "{}", done.text);
    }
    let undone = remove(&done.text, &PATH, done.index, done.made).unwrap();
    assert_eq!(undone, text, "after {}", done.text);
    done.text
}

fn refused(text: &str) -> String {
    Document::parse(text).unwrap_err().to_string()
}

#[test]
fn a_tree_knows_where_everything_stands() {
    let text = "\u{FEFF}{ \"a\" : [1.0, -0e+5, \"x\\u00e9\\n\"],\r\n\t\"b\":{\"a\":null,\"c\":true} }\n";
    let document = Document::parse(text).unwrap();
    let array = document.get(&["a"]).unwrap().unwrap();
    let spelt: Vec<_> = array.elements().iter().map(|e| document.raw(e)).collect();
    assert_eq!(spelt, ["1.0", "-0e+5", "\"x\\u00e9\\n\""]);
    assert_eq!(array.elements()[2].as_str(), Some("xé\n"));
    assert_eq!(document.raw(document.get(&["b", "c"]).unwrap().unwrap()), "true");
    assert!(document.get(&["b", "x"]).unwrap().is_none());
    assert_eq!(document.position(array.span.start), (1, 9));
    assert_eq!(Document::parse("\"\\ud83d\\ude00\"").unwrap().root().as_str(), Some("😀"));
}

#[test]
fn what_is_not_json_is_refused_with_its_place() {
    for (text, why) in [
        ("", "line 1, column 1: the file is empty"),
        ("\u{FEFF} \n", "line 2, column 1: the file is empty"),
        ("{ // note\n}", "line 1, column 3: comments are not JSON"),
        ("{\"a\": 1 /* x */}", "line 1, column 9: comments are not JSON"),
        ("{}\n# x", "line 2, column 1: comments are not JSON"),
        ("[1,\n 2,\n]", "line 2, column 3: a comma before a closing bracket is not JSON"),
        ("{\"é\": 1,}", "line 1, column 8: a comma before a closing bracket is not JSON"),
        ("[NaN]", "line 1, column 2: NaN and Infinity are not JSON"),
        ("[-Infinity]", "line 1, column 2: NaN and Infinity are not JSON"),
        ("['a']", "line 1, column 2: strings need double quotes"),
        ("{a: 1}", "line 1, column 2: a key needs double quotes"),
        ("{\"a\" 1}", "line 1, column 6: a colon is missing here"),
        ("[1 2]", "line 1, column 4: a comma or the closing bracket is missing here"),
        ("[1", "line 1, column 3: the file ends in the middle"),
        ("{\"hooks\": {\"SessionStart\": [", "line 1, column 29: the file ends in the middle"),
        ("[01]", "line 1, column 2: this is not a JSON number"),
        ("[1.]", "line 1, column 2: this is not a JSON number"),
        ("[0x1]", "line 1, column 2: this is not a JSON number"),
        ("[tru]", "line 1, column 2: no JSON value starts like this"),
        ("{} {}", "line 1, column 4: something follows the end of the JSON value"),
        ("[\"a\nb\"]", "line 1, column 4: a control character inside a string must be escaped"),
        ("[\"\\x\"]", "line 1, column 3: there is no such escape in JSON"),
        ("[\"a", "line 1, column 4: a string is not closed"),
        ("[\"\\", "line 1, column 3: there is no such escape in JSON"),
        ("[,1]", "line 1, column 2: a value is missing here"),
    ] {
        assert_eq!(refused(text), why);
        assert!(serde_json::from_str::<serde_json::Value>(text).is_err(), "{text}");
    }
    for half in ["\\u12", "\\u12g4", "\\u+123", "\\ud83d\\u12"] {
        assert!(refused(&format!("[\"{half}\"]")).contains("four hexadecimal"), "{half}");
    }
}

#[test]
fn depth_and_size_are_bounded() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(Document::parse(&nested(127)).is_ok());
    assert_eq!(refused(&nested(128)), "line 1, column 128: nested deeper than 127 levels");
    assert!(refused(&"[".repeat(1_000_000)).contains("nested deeper"));
    assert!(refused(&" ".repeat(MAX_BYTES + 1)).contains("16 MiB"));
    let deep = format!("{{\"a\":{}}}", nested(126));
    let fault = insert(&deep, &["b"], &nested(126)).unwrap_err().fault;
    assert_eq!(fault, Fault::TooDeep);
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    assert_eq!(text_of("{\"é\"".as_bytes()), Ok("{\"é\""));
    assert_eq!(text_of(b"{\n\"\xff\"}").unwrap_err().to_string(), "line 2, column 2: not UTF-8");
    assert_eq!(text_of(b"{\n\xff\"}").unwrap_err().to_string(), "line 2, column 1: not UTF-8");
}

#[test]
fn duplicate_keys_are_told_and_stop_an_edit() {
    let text = "{\"a\":1,\n\"status\":\"unread\",\"b\":{\"x\":1,\"\\u0078\":2},\n\"status\":\"read\"}";
    let document = Document::parse(text).unwrap();
    let keys: Vec<_> = document.duplicates().into_iter().map(|d| (d.key, position(text, d.at))).collect();
    assert_eq!(keys, [("x".to_owned(), (2, 30)), ("status".to_owned(), (3, 1))]);
    let refusal = set_string(text, "status", "read").unwrap_err().to_string();
    assert_eq!(refusal, "line 3, column 1: the key \"status\" stands here twice");
    assert!(set_string(text, "a2", "x").is_ok());
    assert!(document.get(&["status"]).is_err());
}

#[test]
fn a_string_member_is_set_in_place() {
    for (before, after) in [
        ("{\"status\":\"unread\"}", "{\"status\":\"read\"}"),
        (
            "\u{FEFF}{ \"a\" : 1.0 ,\r\n \"status\" : \"unread\" , \"n\":1e5 }\r\n",
            "\u{FEFF}{ \"a\" : 1.0 ,\r\n \"status\" : \"read\" , \"n\":1e5 }\r\n",
        ),
        ("{\"x\": {\"status\": \"unread\"}, \"status\": null}", "{\"x\": {\"status\": \"unread\"}, \"status\": \"read\"}"),
        ("{\"st\\u0061tus\":\"unread\"}", "{\"st\\u0061tus\":\"read\"}"),
        ("{\"status\":\"re\\u0061d\"}", "{\"status\":\"re\\u0061d\"}"),
        // Absent: added last, as the others stand.
        ("{\"a\":1}", "{\"a\":1,\"status\":\"read\"}"),
        ("{\"a\": 1, \"b\": 2}", "{\"a\": 1, \"b\": 2, \"status\": \"read\"}"),
        ("{ \"a\" : 1 }\n", "{ \"a\" : 1, \"status\" : \"read\" }\n"),
        ("{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"status\": \"read\"\n}\n"),
        ("{\r\n\t\"a\": 1,\r\n\t\"b\": {\r\n\t}\r\n}", "{\r\n\t\"a\": 1,\r\n\t\"b\": {\r\n\t},\r\n\t\"status\": \"read\"\r\n}"),
        ("{ \"a\": 1\n, \"b\": 2\n}", "{ \"a\": 1\n, \"b\": 2\n, \"status\": \"read\"\n}"),
        ("{}\n", "{\n  \"status\": \"read\"\n}\n"),
    ] {
        assert_eq!(set_string(before, "status", "read").unwrap(), after);
        assert_eq!(set_string(after, "status", "read").unwrap(), after);
    }
    for (text, why) in [
        ("[]", "line 1, column 1: the document is an array, not an object"),
        ("{\n\"status\": 1}", "line 2, column 11: status is a number, not a string"),
        ("{\"status\": [\"unread\"]}", "line 1, column 12: status is an array, not a string"),
    ] {
        assert_eq!(set_string(text, "status", "read").unwrap_err().to_string(), why);
    }
    assert_eq!(set_string("{}", "a\"b", "c\u{1}\u{7F}\\\té").unwrap(), "{\n  \"a\\\"b\": \"c\\u0001\u{7F}\\\\\\té\"\n}");
}

#[test]
fn an_entry_beside_the_hook_of_another() {
    let text = "{\n  \"env\": {\"K\":\"v\"},\n  \"hooks\": {\"SessionStart\":[{\"matcher\":\"compact\",\"hooks\":[{\"type\":\"command\",\"command\":\"other.sh\"}]}],\"Weird\":[1]},\n  \"zz\": 1.0\n}\n";
    let ours = "},{\"hooks\":[{\"type\":\"command\",\"command\":\"postroom\",\"args\":[\"hook\"],\"timeout\":10}]}],\"Weird\"";
    assert!(added(text).contains(ours), "{}", added(text));
}

#[test]
fn an_entry_in_the_style_of_the_file() {
    assert_eq!(
        added("{\n    \"a\": 1\n}\n"),
        "{\n    \"a\": 1,\n    \"hooks\": {\n        \"SessionStart\": [\n            {\n                \"hooks\": [\n                    {\n                        \"type\": \"command\",\n                        \"command\": \"postroom\",\n                        \"args\": [\n                            \"hook\"\n                        ],\n                        \"timeout\": 10\n                    }\n                ]\n            }\n        ]\n    }\n}\n"
    );
    assert_eq!(
        added("{\"a\":1}"),
        "{\"a\":1,\"hooks\":{\"SessionStart\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"postroom\",\"args\":[\"hook\"],\"timeout\":10}]}]}}"
    );
    let tabs = added("{\r\n\t\"hooks\": {\r\n\t\t\"Stop\": []\r\n\t}\r\n}");
    assert!(tabs.contains("[],\r\n\t\t\"SessionStart\": [\r\n\t\t\t{\r\n\t\t\t\t\"hooks\""), "{tabs}");
    assert!(added("{}").starts_with("{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n"));
    assert!(added("{\"hooks\": {\"SessionStart\": []}}").contains("[ {\"hooks\": [{"));
}

#[test]
fn every_shape_of_empty_comes_back() {
    for text in [
        "{}",
        "{}\n",
        "{ }",
        "{\n}",
        "{\n}\n",
        "{\r\n}\r\n",
        "{\n\n}",
        "{\t}",
        " {} ",
        "\u{FEFF}{}",
        "{\"hooks\":{}}",
        "{\"hooks\": {}}\n",
        "{\"hooks\": { }}",
        "{\n  \"hooks\": {}\n}\n",
        "{\n  \"hooks\": {\n  }\n}",
        "{\"hooks\":{\"SessionStart\":[]}}",
        "{\n  \"hooks\": {\n    \"SessionStart\": [ ]\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n    ]\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"SessionStart\": []\n  }\n}\n",
        "{ \"hooks\" : { \"SessionStart\" : [ 1 ] } }",
        "{\n\"a\": 1\n}",
        "{\n\"hooks\": {\n}\n}",
        "{\"a\": 1,\n\"b\": 2}",
        "{\n\n  \"a\": 1\n\n}\n\n",
        "{\"a\":1 , \"b\":2 }",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      1\n    ],\n\n    \"X\": 2\n  }\n}",
    ] {
        added(text);
    }
}

#[test]
fn several_entries_come_out_in_any_order() {
    for text in
        ["{}", "{\n  \"a\": 1\n}\n", "{\"a\":1}", "{\"hooks\":{}}", "{\"hooks\": {\"B\": [ ]}}", "{\"hooks\": {\"A\": [\n1\n]}}"]
    {
        let events = ["A", "B", "C"];
        let mut full = text.to_owned();
        let mut made = Vec::new();
        for event in events {
            let done = insert(&full, &["hooks", event], "{\"x\": [1, {}]}").unwrap();
            full = done.text;
            made.push(done.index);
        }
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
            let mut left = full.clone();
            for event in order {
                let path = ["hooks", events[event]];
                let document = Document::parse(&left).unwrap();
                let count = made_by_insert(&document, &path).unwrap();
                left = remove(&left, &path, made[event], count).unwrap();
            }
            assert_eq!(left, text, "{order:?} from {full}");
        }
    }
}

#[test]
fn what_others_added_since_stays() {
    let done = insert("{\n  \"a\": 1\n}\n", &PATH, "{\"ours\": 1}").unwrap();
    let theirs = insert(&done.text, &PATH, "{\"theirs\": 2}").unwrap();
    assert_eq!((theirs.index, theirs.made), (1, 0));
    let left = remove(&theirs.text, &PATH, 0, 2).unwrap();
    assert_eq!(
        left,
        "{\n  \"a\": 1,\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"theirs\": 2\n      }\n    ]\n  }\n}\n"
    );
    // Containers go only when the caller says that they were made.
    let kept = remove(&done.text, &PATH, 0, 0).unwrap();
    assert!(kept.contains("\"SessionStart\": []"), "{kept}");
    let kept = remove(&done.text, &PATH, 0, 1).unwrap();
    assert!(kept.contains("\"hooks\": {}"), "{kept}");
}

#[test]
fn an_insertion_that_has_no_place_is_refused() {
    for (text, why) in [
        ("{\"hooks\": []}\n", "line 1, column 11: hooks is an array, not an object"),
        ("{\"hooks\": {\n\"SessionStart\": {}}}", "line 2, column 17: hooks.SessionStart is an object, not an array"),
        ("{\"hooks\": null}", "line 1, column 11: hooks is null, not an object"),
        ("[]", "line 1, column 1: the document is an array, not an object"),
        ("{\"hooks\": {}, \"hooks\": {}}", "line 1, column 15: the key \"hooks\" stands here twice"),
        ("{ // note\n \"hooks\": {},}\n", "line 1, column 3: comments are not JSON"),
    ] {
        assert_eq!(insert(text, &PATH, ENTRY).unwrap_err().to_string(), why);
    }
    assert!(insert("{}", &PATH, "{").is_err());
    let missing = remove("{\"hooks\": {\"SessionStart\": []}}", &PATH, 0, 0).unwrap_err();
    assert_eq!(missing.to_string(), "line 1, column 28: there is no element 0 in hooks.SessionStart");
    assert!(remove("{}", &PATH, 0, 0).is_err());
}

#[test]
fn large_texts_stay_linear() {
    let many = format!("{{\"a\":[{}]}}", vec!["{\"k\":\"v\",\"n\":[1,2]}"; 100_000].join(","));
    let done = insert(&many, &["a"], "1").unwrap();
    assert_eq!(done.index, 100_000);
    assert_eq!(remove(&done.text, &["a"], done.index, 0).unwrap(), many);
    let keys: Vec<_> = (0..50_000).map(|n| format!("\"k{n}\":\"\\u00e9\"")).collect();
    let wide = format!("{{{}}}", keys.join(",\n"));
    assert!(set_string(&wide, "status", "read").unwrap().ends_with(",\n\"status\":\"read\"}"));
    assert!(Document::parse(&wide).unwrap().duplicates().is_empty());
}

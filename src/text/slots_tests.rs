//! What is filled, and that nothing else is touched.

use super::*;

const MAIL: Values<'static> = Values { summary: "## Inbox (2 unread)\n", unread: 2, open: 1 };
const NONE: Values<'static> = Values { summary: "", unread: 0, open: 0 };

fn with(template: &str, values: &Values<'_>) -> String {
    String::from_utf8(render(template.as_bytes(), values).bytes).unwrap()
}

#[test]
fn the_slots_are_filled_in_all_their_forms() {
    for slot in ["{{inbox_summary}}", "{{ inbox_summary }}", "{{\tinbox_summary  }}", "<<inbox_summary>>", "<< inbox_summary\t>>"]
    {
        assert_eq!(with(&format!("a{slot}b"), &MAIL), "a## Inbox (2 unread)\nb", "{slot}");
        assert_eq!(with(&format!("a{slot}b"), &NONE), "ab", "{slot}");
    }
    assert_eq!(with("{{inbox_unread}} {{ inbox_open }} <<inbox_unread>> <<inbox_open>>", &MAIL), "2 1 2 1");
    assert_eq!(with("{{inbox_unread}}/{{inbox_open}}", &NONE), "0/0");
}

#[test]
fn sections_are_kept_or_dropped_and_their_tags_vanish() {
    let template = "a\n{{#inbox_summary}}\n# Mail\n{{inbox_summary}}({{inbox_unread}})\n{{/inbox_summary}}\nb";
    assert_eq!(with(template, &MAIL), "a\n\n# Mail\n## Inbox (2 unread)\n(2)\n\nb");
    assert_eq!(with(template, &NONE), "a\n\nb");
    assert_eq!(with("{{# inbox_unread }}{{inbox_unread}} new{{/ inbox_unread }}", &MAIL), "2 new");
    assert_eq!(with("{{#inbox_unread}}new{{/inbox_unread}}{{#inbox_open}}open{{/inbox_open}}.", &NONE), ".");
}

#[test]
fn sections_of_ours_nest() {
    let template = "{{#inbox_summary}}A{{#inbox_open}}B{{/inbox_open}}C{{#inbox_summary}}D{{/inbox_summary}}E{{/inbox_summary}}F";
    assert_eq!(with(template, &MAIL), "ABCDEF");
    assert_eq!(with(template, &Values { open: 0, ..MAIL }), "ACDEF");
    assert_eq!(with(template, &NONE), "F");
}

#[test]
fn everything_else_passes() {
    let template = "{{soul}} {{#x}}y{{/x}} {% z %} {{inbox_summaryx}} {{xinbox_summary}} {{Inbox_Summary}} {{inbox-summary}} \
        {{inbox_summary} } {inbox_summary} {{\ninbox_summary}} {{inbox summary}} ${inbox_summary} <<inbox_summary> <inbox_summary>> \
        <<#inbox_summary>> {{parent_inbox}} {{muscle_digests|tldr}} $& $$ \\1 %s \r\n\0 {{";
    let rendered = render(template.as_bytes(), &MAIL);
    assert_eq!(String::from_utf8(rendered.bytes).unwrap(), template);
    assert_eq!((rendered.slots, rendered.warnings), (0, Vec::new()));
    let bytes: Vec<u8> = (0..=255).chain([b'{', b'{', 0xff]).collect();
    assert_eq!(render(&bytes, &MAIL).bytes, bytes);
}

#[test]
fn doubtful_forms_are_read_as_soma_reads_them() {
    assert_eq!(with("\\{{inbox_unread}}", &MAIL), "\\2");
    assert_eq!(with("{{{inbox_unread}}}", &MAIL), "{2}");
    assert_eq!(with("<<<inbox_unread>>>", &MAIL), "<2>");
    assert_eq!(with("<!-- {{inbox_unread}} -->", &MAIL), "<!-- 2 -->");
    assert_eq!(with("{{#x}}{{inbox_unread}}{{/x}}", &MAIL), "{{#x}}2{{/x}}");
    assert_eq!(with("{{#inbox_unread}}{{#x}}y{{/x}}{{/inbox_unread}}", &MAIL), "{{#x}}y{{/x}}");
}

#[test]
fn what_is_inserted_is_not_looked_at_again() {
    let values = Values { summary: "{{inbox_unread}} {{inbox_summary}} {{/inbox_summary}} <<inbox_open>>", unread: 7, open: 8 };
    assert_eq!(with("{{#inbox_summary}}[{{inbox_summary}}]{{/inbox_summary}}", &values), format!("[{}]", values.summary));
    // Nor does it make a slot together with what stands around it.
    let half = Values { summary: "{{inbox_", unread: 7, open: 8 };
    assert_eq!(with("{{inbox_summary}}unread}}", &half), "{{inbox_unread}}");
}

#[test]
fn what_is_no_whole_section_stays_and_is_told() {
    for (template, values, expected, warned) in [
        ("a\n{{#inbox_summary}}b {{inbox_unread}}", MAIL, "a\n{{#inbox_summary}}b 2", vec!["line 2: {{#inbox_summary}}"]),
        ("{{/inbox_summary}}b", MAIL, "{{/inbox_summary}}b", vec!["line 1: {{/inbox_summary}}"]),
        (
            "{{#inbox_open}}{{#inbox_unread}}x{{/inbox_open}}{{/inbox_unread}}",
            MAIL,
            "{{#inbox_unread}}x{{/inbox_unread}}",
            vec!["line 1: {{#inbox_unread}}", "line 1: {{/inbox_unread}}"],
        ),
        (
            "{{^inbox_summary}}no mail{{/inbox_summary}}",
            NONE,
            "{{^inbox_summary}}no mail{{/inbox_summary}}",
            vec!["line 1: {{^inbox_summary}}", "line 1: {{/inbox_summary}}"],
        ),
        ("\n\n{{inbox_summary|tldr}}", MAIL, "\n\n{{inbox_summary|tldr}}", vec!["line 3: {{inbox_summary|tldr}}"]),
    ] {
        let rendered = render(template.as_bytes(), &values);
        assert_eq!(String::from_utf8(rendered.bytes).unwrap(), expected);
        let told: Vec<String> = rendered.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), warned.len(), "{told:?}");
        for (told, start) in told.iter().zip(warned) {
            assert!(told.starts_with(start), "{told}");
        }
    }
}

#[test]
fn a_boot_template_of_soma_keeps_every_other_byte() {
    let before = "---\ntype: template\n---\n{{core_rules}}\n\n{{#voice}}\n## Voice\n{{voice}}\n{{/voice}}\n\n<!-- volatile slots last: \
        {{context_awareness}} -->\n{{#last_session_ref}}\nLast session: `{{last_session_ref}}`.\n{{/last_session_ref}}\n{{muscle_digests|tldr}}\n";
    let after = "\n\n\n\nend\r\n";
    assert_eq!(with(&format!("{before}{{{{inbox_summary}}}}{after}"), &MAIL), format!("{before}{}{after}", MAIL.summary));
}

#[test]
fn hostile_templates_take_linear_time() {
    for piece in
        ["{{#inbox_summary}}", "{{/inbox_unread}}", "{{", "{{ \t", "<<", "{{inbox_summary|", "{{#inbox_open}}{{/inbox_summary}}"]
    {
        let template = piece.repeat(40_000);
        let clock = std::time::Instant::now();
        render(template.as_bytes(), &MAIL);
        assert!(clock.elapsed().as_secs() < 5, "{piece}");
    }
    let template = format!("{}{}", "{{#inbox_open}}".repeat(20_000), "{{/inbox_unread}}".repeat(20_000));
    let clock = std::time::Instant::now();
    render(template.as_bytes(), &MAIL);
    assert!(clock.elapsed().as_secs() < 5);
}

//! What must hold for any text that passes `text::neutral`, whatever a message holds:
//! nothing hidden or live comes out, ordinary text is not touched, twice is once.

use postroom::text::neutral::{Target, body, escape_json, fence, field, file_name, hidden_count, sender};
use proptest::collection::vec;
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

const TARGETS: [Target; 3] = [Target::Terminal, Target::Prompt, Target::Markdown];

/// Category Cf of Unicode 17, but for U+200D; written out here so that the test does not
/// lean on the tables it checks.
const FORMAT: [(u32, u32); 21] = [
    (0xAD, 0xAD),
    (0x600, 0x605),
    (0x61C, 0x61C),
    (0x6DD, 0x6DD),
    (0x70F, 0x70F),
    (0x890, 0x891),
    (0x8E2, 0x8E2),
    (0x180E, 0x180E),
    (0x200B, 0x200C),
    (0x200E, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x2064),
    (0x2066, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
];

fn is_forbidden(c: char) -> bool {
    let n = u32::from(c);
    (c.is_control() && c != '\n' && c != '\t')
        || FORMAT.iter().any(|&(first, last)| (first..=last).contains(&n))
        || matches!(n, 0x2028 | 0x2029 | 0x34F | 0x115F | 0x1160 | 0x2065 | 0x3164 | 0xFFA0 | 0xFE00..=0xFE0D)
        || matches!(n, 0xE000..=0xF8FF | 0xFDD0..=0xFDEF | 0xF0000..)
        || n & 0xFFFE == 0xFFFE
}

fn check_clean(text: &str) -> Result<(), TestCaseError> {
    prop_assert!(!text.chars().any(is_forbidden), "forbidden in {text:?}");
    for selector in ['\u{FE0E}', '\u{FE0F}'] {
        for other in ['\u{FE0E}', '\u{FE0F}'] {
            prop_assert!(!text.contains(&format!("{selector}{other}")), "selectors in {text:?}");
        }
    }
    prop_assert!(!text.contains("\u{200D}\u{200D}"), "joiners in {text:?}");
    Ok(())
}

fn check_tokens(text: &str, target: Target) -> Result<(), TestCaseError> {
    let folded = text.to_lowercase();
    let mut live = vec!["<|", "<｜", "<system-reminder", "<tool_result", "[inst]", "<</sys>>", "<start_of_turn>"];
    if target != Target::Terminal {
        live.extend(["{{", "}}", "{%", "%}", "{#", "${", "<!--", "-->", "```", "!`", "<<inbox_summary>>"]);
        live.extend(["begin:postroom", "end:postroom", " @/", " @~", " @./"]);
    }
    if target == Target::Markdown {
        live.extend(["`", "@", "![", "]("]);
    }
    for token in live {
        prop_assert!(!folded.contains(token), "{token} in {text:?} for {target:?}");
    }
    Ok(())
}

/// Pieces that have a meaning somewhere, so that their neighbourhoods are tried.
fn piece() -> impl Strategy<Value = String> {
    let tokens = prop::sample::select(vec![
        "<",
        ">",
        "|",
        "<|",
        "|>",
        "｜",
        "＜",
        "{",
        "}",
        "{{",
        "}}",
        "%",
        "#",
        "$",
        "!",
        "`",
        "```",
        "@",
        "@~/",
        "@./a",
        "[",
        "]",
        "(",
        ")",
        "INST",
        "/",
        "system-reminder",
        "tool_result",
        "im_start",
        "inbox_summary",
        "s",
        "SYS",
        "start_of_turn",
        "<!--",
        "-->",
        "--",
        "BEGIN",
        "END",
        ":",
        "postroom",
        "Human",
        "System",
        " ",
        "\n",
        "\t",
        "\r",
        "\u{1B}",
        "\u{1B}[",
        "\u{1B}]8;;",
        "\u{7}",
        "\u{9B}",
        "\u{9C}",
        "\u{9D}",
        "31m",
        "\\",
        "\u{200B}",
        "\u{200C}",
        "\u{200D}",
        "\u{FE0E}",
        "\u{FE0F}",
        "\u{20E3}",
        "\u{301}",
        "\u{E0041}",
        "\u{202E}",
        "\u{2028}",
        "\u{85}",
        "\u{AD}",
        "\u{FEFF}",
        "\u{E000}",
        "\u{600}",
        "1",
        "a",
        "Vec",
        "é",
        "👩",
        "🔬",
        "🏽",
        "❤",
        "🇩",
        "क",
        "\u{94D}",
        "र",
        "م",
        "ه",
        "日",
        "а",
        "…",
        "\u{1160}",
        "\u{3000}",
        "\u{2800}",
        "\u{10FFFF}",
        "'",
        "\"",
        "-",
        ".",
        "~",
        ",",
    ]);
    prop_oneof![
        4 => tokens.prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => "[a-z]{1,6}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    vec(piece(), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_field_is_clean_short_and_settled(raw in text(), max in 0_usize..60) {
        for target in TARGETS {
            let once = field(&raw, target, max);
            check_clean(&once.text)?;
            check_tokens(&once.text, target)?;
            prop_assert!(!once.text.contains(['\n', '\t']));
            prop_assert!(once.text.trim() == once.text && !once.text.contains("  "));
            prop_assert!(once.text.graphemes(true).count() <= max);
            prop_assert!(once.text.chars().count() <= max * 16);
            prop_assert_eq!(once.removed, hidden_count(&raw));
            let twice = field(&once.text, target, max);
            prop_assert_eq!(&twice.text, &once.text, "raw {:?}", raw);
            prop_assert_eq!(twice.removed, 0);
        }
    }

    #[test]
    fn a_body_is_clean_and_settled(raw in text()) {
        for target in TARGETS {
            let once = body(&raw, target);
            check_clean(&once.text)?;
            if target != Target::Terminal {
                check_tokens(&once.text, target)?;
            }
            prop_assert_eq!(once.removed, hidden_count(&raw));
            let twice = body(&once.text, target);
            prop_assert_eq!(&twice.text, &once.text, "raw {:?}", raw);
            prop_assert_eq!(twice.removed, 0);
        }
    }

    #[test]
    fn names_are_clean_and_settled(raw in text(), max in 1_usize..60) {
        for target in TARGETS {
            let once = sender(&raw, target, max);
            check_clean(&once.text)?;
            check_tokens(&once.text, target)?;
            prop_assert!(once.text.graphemes(true).count() <= max);
            prop_assert_eq!(&sender(&once.text, target, max).text, &once.text, "raw {:?}", raw);
            let name = file_name(raw.as_bytes(), target);
            check_clean(&name)?;
            check_tokens(&name, target)?;
            prop_assert!(!name.is_empty() && !name.contains(['\n', '\t', '\r']) && !name.starts_with('-'));
        }
    }

    #[test]
    fn any_bytes_make_a_file_name(raw in vec(any::<u8>(), 0..60)) {
        check_clean(&file_name(&raw, Target::Terminal))?;
    }

    #[test]
    fn a_fence_holds_its_nonce_twice(raw in text(), nonce in "[a-f0-9]{8}") {
        let raw = format!("{raw}{nonce}{raw}");
        let fenced = fence(&raw, &nonce).text;
        prop_assert_eq!(fenced.matches(&nonce).count(), 2);
    }

    #[test]
    fn ordinary_text_is_untouched(
        words in vec("[A-Za-z0-9àéîõüßñçøłžĄŒа-яα-ω一-龥あ-んก-ฮא-תا-ي.,;?'\"()*_+=/&~^$%-]{1,9}|👩\u{200D}🔬|🇫🇷|❤\u{FE0F}|👍🏽|e\u{301}", 1..12)
    ) {
        let raw = words.join(" ");
        prop_assume!(!raw.contains("--") && !raw.contains("%}"));
        for target in TARGETS {
            let neutral = field(&raw, target, 1000);
            prop_assert_eq!(&neutral.text, &raw);
            prop_assert_eq!(neutral.removed, 0);
        }
    }

    #[test]
    fn escaped_json_is_the_same_value(raw in text()) {
        let document = serde_json::json!({ "a": [raw] });
        let shown = escape_json(&document.to_string()).into_owned();
        check_clean(&shown)?;
        prop_assert!(!shown.contains("<|"));
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).ok(), Some(document));
    }

    #[test]
    fn any_string_is_taken(raw in any::<String>()) {
        for target in TARGETS {
            check_clean(&field(&raw, target, 80).text)?;
            check_clean(&body(&raw, target).text)?;
        }
    }
}

//! Behaviour of finding hidden and deceptive characters.

use super::*;

fn kinds(text: &str) -> Vec<HiddenKind> {
    hidden(text).into_iter().map(|run| run.kind).collect()
}

#[test]
fn ordinary_writing_hides_nothing() {
    for text in [
        "plain",
        "\u{FEFF}with a mark",
        "family 👨\u{200D}👩\u{200D}👧, heart ❤\u{FE0F}, keycap 1\u{FE0F}\u{20E3}, pride 🏳\u{FE0F}\u{200D}🌈",
        "flag 🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} of Scotland",
        "می\u{200C}خواهم",
        "क\u{200D}ष",
        "שלום\u{200F}!",
        "葛\u{E0100}城",
        "a\tb\r\nc",
    ] {
        assert_eq!(hidden(text), [], "{text:?}");
    }
}

#[test]
fn hiding_is_named_by_its_kind() {
    assert_eq!(kinds("ig\u{200B}nore"), [HiddenKind::ZeroWidth]);
    assert_eq!(kinds("a\u{202E}b\u{2066}c"), [HiddenKind::Bidi, HiddenKind::Bidi]);
    assert_eq!(kinds("pay\u{3164}pal"), [HiddenKind::Filler]);
    assert_eq!(kinds("mid\u{FEFF}dle"), [HiddenKind::ZeroWidth]);
    assert_eq!(kinds("\u{1b}[31m"), [HiddenKind::Control]);
}

#[test]
fn tags_and_selectors_are_spelt_out() {
    let tags: String = "run it".chars().filter_map(|c| char::from_u32(0xE0000 + u32::from(c))).collect();
    let selectors: String = "run it".bytes().filter_map(|b| char::from_u32(0xE0100 + u32::from(b) - 16)).collect();
    for text in [format!("x{tags}"), format!("😀{selectors}")] {
        let found = hidden(&text);
        assert_eq!(found.iter().map(|run| run.payload.as_str()).collect::<Vec<_>>(), ["run it"], "{text:?}");
    }
}

#[test]
fn a_flag_of_many_tags_is_a_message() {
    let tags: String = "do bad things".chars().filter_map(|c| char::from_u32(0xE0000 + u32::from(c))).collect();
    assert_eq!(kinds(&format!("🏴{tags}\u{E007F}")), [HiddenKind::Tag]);
}

proptest::proptest! {
    #[test]
    fn any_text_is_walked_without_harm(text in "\\PC{0,40}[\u{200B}-\u{2069}\u{E0020}-\u{E007F}а-я]{0,8}\\PC{0,20}") {
        for run in hidden(&text) {
            proptest::prop_assert!(text.is_char_boundary(run.offset));
        }
        if let Some(folded) = fold(&text) {
            for (offset, _) in folded.text.char_indices() {
                proptest::prop_assert!(text.is_char_boundary(folded.origin(offset)));
            }
        }
    }
}

/// The words around each mark, asked for one by one.
fn near_each(text: &str) -> Vec<bool> {
    let near = |(offset, _): (usize, char)| {
        let left = text.get(..offset).unwrap_or("").chars().rev().take(NEAR);
        left.chain(text.get(offset..).unwrap_or("").chars().take(NEAR)).any(is_right_to_left)
    };
    suspects(text).map(near).collect()
}

proptest::proptest! {
    #[test]
    fn right_to_left_letters_are_found_near_every_mark(text in "([a-z ]{0,45}[é一]{0,45}[אب𞤀]{0,2}[\u{202E}\u{2066}]{0,2}){0,6}") {
        let mut near = near_right_to_left(&text);
        let found: Vec<bool> = suspects(&text).map(|(offset, _)| near(offset)).collect();
        proptest::prop_assert_eq!(found, near_each(&text));
    }
}

#[test]
fn only_letters_of_right_to_left_scripts_are_right_to_left() {
    for letter in (0..=0x10_FFFF).filter_map(char::from_u32) {
        let of_script = matches!(
            letter.script(),
            Script::Arabic | Script::Hebrew | Script::Syriac | Script::Thaana | Script::Nko | Script::Adlam
        );
        assert_eq!(is_right_to_left(letter), of_script, "U+{:04X}", u32::from(letter));
    }
}

#[test]
fn zero_width_bits_are_read() {
    let bits = |text: &str, zero: char, one: char| -> String {
        text.bytes()
            .flat_map(|byte| (0..8).rev().map(move |bit| if byte >> bit & 1 == 1 { one } else { zero }))
            .collect()
    };
    for (zero, one) in [('\u{200B}', '\u{200C}'), ('\u{200D}', '\u{200B}'), ('\u{2060}', '\u{FEFF}')] {
        let text = format!("A tool.{}", bits("read it", zero, one));
        let found = hidden(&text);
        assert_eq!(found.first().map(|run| run.payload.as_str()), Some("read it"), "{zero:?}");
    }
    assert!(hidden(&format!("a{}", "\u{200B}".repeat(40))).iter().all(|run| run.payload.is_empty()));
}

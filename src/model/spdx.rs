//! SPDX expressions for claimed licences.
//!
//! Nothing is guessed: `BSD`, `GPL` and `Apache` name several licences, and give none. Source: the SPDX specification
//! 3.0, annex B (expressions; identifiers match in any case) and its licence list.

use spdx::identifiers::{EXCEPTIONS, LICENSES};
use spdx::{Expression, License};

/// The longest claim that is read; longer ones are texts of licences.
const MAX_BYTES: usize = 256;

/// Names beside those of the licence list that mean one licence.
const ALIASES: [(&str, &str); 5] = [
    ("apache 2.0", "Apache-2.0"),
    ("apache license, version 2.0", "Apache-2.0"),
    ("apache license version 2.0", "Apache-2.0"),
    ("the mit license", "MIT"),
    ("bsd 3-clause license", "BSD-3-Clause"),
];

/// The expression that a claimed licence means, in the list's spelling; none for anything that is no expression, full name or
/// common spelling of one. The deprecated GNU identifiers get the `-only` and `-or-later` that replaced them.
///
/// ```
/// use capdex_model::spdx::expression;
///
/// assert_eq!(expression("mit/apache-2.0").as_deref(), Some("MIT OR Apache-2.0"));
/// assert_eq!(expression("MIT License").as_deref(), Some("MIT"));
/// assert_eq!(expression("see LICENSE"), None);
/// ```
pub fn expression(claim: &str) -> Option<String> {
    let claim = claim.trim();
    if claim.is_empty() || claim.len() > MAX_BYTES {
        return None;
    }
    // Full names hold spaces and words like `or`, and so come before the parts of an expression.
    if let Some(id) = of_full_name(claim) {
        return Some(current(id));
    }
    let mut words = Vec::new();
    for word in claim.replace('(', " ( ").replace(')', " ) ").replace('/', " / ").split_whitespace() {
        // One word that no expression has makes the whole claim prose.
        words.push(spelled(word)?);
    }
    // The list is spelled as the specification writes expressions: no blank inside a bracket.
    let text = words.join(" ").replace("( ", "(").replace(" )", ")");
    Expression::parse(&text).is_ok().then_some(text)
}

/// The list without its two entries for "nobody says".
fn licences() -> impl Iterator<Item = &'static License> {
    LICENSES.iter().filter(|of| !matches!(of.name, "NONE" | "NOASSERTION"))
}

/// The identifier of the licence whose name this is.
fn of_full_name(text: &str) -> Option<&'static str> {
    let alias = ALIASES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, id)| *id);
    alias.or_else(|| licences().find(|of| of.full_name.eq_ignore_ascii_case(text)).map(|of| of.name))
}

/// A word of an expression in the list's spelling; none for a word that no expression has.
fn spelled(word: &str) -> Option<String> {
    if let Some(operator) = ["AND", "OR", "WITH", "(", ")"].into_iter().find(|known| known.eq_ignore_ascii_case(word)) {
        return Some(operator.to_owned());
    }
    // Manifests write `MIT/Apache-2.0` for a choice.
    if word == "/" {
        return Some("OR".to_owned());
    }
    if word.starts_with("LicenseRef-") || word.starts_with("DocumentRef-") {
        return Some(word.to_owned());
    }
    let (bare, is_or_later) = word.strip_suffix('+').map_or((word, false), |bare| (bare, true));
    if let Some(license) = licences().find(|of| of.name.eq_ignore_ascii_case(bare)) {
        // The GNU licences have identifiers of their own for `+`, which the list prefers.
        return Some(match (is_or_later, spdx::gnu_license_id(license.name, true)) {
            (true, Some(later)) => later.name.to_owned(),
            (true, None) => format!("{}+", license.name),
            (false, _) => current(license.name),
        });
    }
    EXCEPTIONS.iter().find(|of| of.name.eq_ignore_ascii_case(word)).map(|of| of.name.to_owned())
}

/// The identifier that replaced a deprecated GNU one; any other is itself.
fn current(id: &str) -> String {
    // A bare `GPL-3.0` is deprecated and means that version only.
    let replaced = spdx::license_id(id).filter(|id| id.is_deprecated()).and_then(|_| spdx::gnu_license_id(id, false));
    replaced.map_or_else(|| id.to_owned(), |id| id.name.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spellings_of_an_expression_are_one() {
        for (claim, text) in [
            ("MIT", "MIT"),
            (" mit ", "MIT"),
            ("mit license", "MIT"),
            ("Apache 2.0", "Apache-2.0"),
            ("Apache License 2.0", "Apache-2.0"),
            ("Apache License, Version 2.0", "Apache-2.0"),
            ("(MIT OR Apache-2.0)", "(MIT OR Apache-2.0)"),
            ("mit or (apache-2.0 and isc)", "MIT OR (Apache-2.0 AND ISC)"),
            ("MIT/Apache-2.0", "MIT OR Apache-2.0"),
            ("apache-2.0 with llvm-exception", "Apache-2.0 WITH LLVM-exception"),
            ("GPL-3.0", "GPL-3.0-only"),
            ("gpl-2.0+", "GPL-2.0-or-later"),
            ("AGPL-3.0-or-later", "AGPL-3.0-or-later"),
            ("MPL-2.0+", "MPL-2.0+"),
            ("LicenseRef-ours", "LicenseRef-ours"),
        ] {
            assert_eq!(expression(claim).as_deref(), Some(text), "{claim}");
        }
    }

    #[test]
    fn what_does_not_say_which_licence_is_none() {
        for claim in [
            "",
            "unknown",
            "NOASSERTION",
            "NONE",
            "BSD",
            "GPL",
            "Apache",
            "UNLICENSED",
            "SEE LICENSE IN LICENSE",
            "MIT AND",
            "(MIT",
            "MIT)",
            "MIT Apache-2.0",
            "MIT, ISC",
            "MIT\u{202e}",
            "+",
            &"(".repeat(300),
        ] {
            assert_eq!(expression(claim), None, "{claim}");
        }
        let nested = |depth: usize| expression(&format!("{}MIT{}", "(".repeat(depth), ")".repeat(depth)));
        assert!(nested(126).is_some());
        assert!(nested(127).is_none());
    }

    proptest! {
        #[test]
        fn an_expression_is_its_own(claim in "((MIT|gpl-2.0|Apache-2.0|ISC|x|NONE|LicenseRef-a|Classpath-exception-2.0)?[ ()/+]{0,2}(or|AND|with)?){0,5}") {
            if let Some(text) = expression(&claim) {
                prop_assert_eq!(expression(&text), Some(text));
            }
        }

        #[test]
        fn any_text_is_read_without_panic(claim in "\\PC{0,60}") {
            let _ = expression(&claim);
        }
    }
}

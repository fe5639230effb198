//! The sign of an expression: what every match of it holds in one piece.
//!
//! An expression with gaps (`git[^\n]{0,60}push`) stays half matched while a gap lasts, and each place in a gap is a state of
//! its own: it is slow wherever its first words are common. The longest piece between its gaps is looked for at full speed,
//! and where it is missing the expression need not be tried.

use regex_syntax::hir::{Hir, HirKind};

/// More than so many of something are a gap.
const MOST: u32 = 8;
/// Shorter signs stand nearly everywhere.
const LEAST: usize = 3;

/// An expression that matches somewhere in each match of another: of the pieces between its gaps the longest. None where it
/// has no gap, or no piece that is worth it.
pub(super) fn sign_of(parsed: &Hir) -> Option<Hir> {
    let sign = has_gap(parsed).then(|| piece(parsed))?;
    (least(&sign) >= LEAST).then_some(sign)
}

fn piece(of: &Hir) -> Hir {
    match of.kind() {
        HirKind::Alternation(ways) => Hir::alternation(ways.iter().map(piece).collect()),
        HirKind::Capture(inner) => piece(&inner.sub),
        HirKind::Repetition(inner) if has_gap(of) && inner.min > 0 => piece(&inner.sub),
        HirKind::Concat(parts) => {
            // What has a gap ends a piece, and may hold the longest one itself.
            let pieces = parts.split(has_gap).map(|run| Hir::concat(run.to_vec()));
            let inside = parts.iter().filter(|part| has_gap(part)).map(piece);
            pieces.chain(inside).max_by_key(least).unwrap_or_else(Hir::empty)
        }
        _ if has_gap(of) => Hir::empty(),
        _ => of.clone(),
    }
}

fn has_gap(of: &Hir) -> bool {
    match of.kind() {
        HirKind::Repetition(inner) => inner.max.is_none_or(|most| most > MOST) || has_gap(&inner.sub),
        HirKind::Capture(inner) => has_gap(&inner.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(has_gap),
        _ => false,
    }
}

/// The least length of a match, in bytes.
pub(super) fn least(of: &Hir) -> usize {
    of.properties().minimum_len().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use capdex_prefilter::parsed;

    use super::super::expression::compile;
    use super::*;

    fn sign(text: &str) -> Option<String> {
        Some(sign_of(&parsed(text)?)?.to_string())
    }

    #[test]
    fn the_longest_piece_without_a_gap_is_the_sign() {
        for (text, expected) in [
            ("git[^\n]{0,60}push", Some("push")),
            ("(?:rmtree|unlink)[^\n]{0,60}\\.git", Some("(?:rmtree|unlink)")),
            ("(?:abc[^\n]*c|defg)", Some("(?:abc|defg)")),
            ("(?:abc[^\n]*c|de)", None),
            ("a{1,3}bcd", None),
            ("x*", None),
        ] {
            let expected = expected.map(|text| parsed(text).expect("an expression").to_string());
            assert_eq!(sign(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn where_an_expression_matches_its_sign_does(text in "[abc\n]{0,40}", at in 0_usize..6) {
            let expressions = ["a[^\n]*bcbc?", "(?:abc|c[^\n]{0,20}aab)b", "a(?:bac[^\n]*c)+a", "(?:a|b{2,})[^\n]{1,30}cab", "c?a{9,}bab", "\\b(?:ab*c)?bca[^\n]{0,30}"];
            let Some(sign) = sign(expressions[at]) else { panic!("{} has a sign", expressions[at]) };
            let holds = |expression: &str| compile(expression).expect("an expression").is_match(text.as_bytes());
            prop_assert!(!holds(expressions[at]) || holds(&sign), "{sign}");
        }
    }
}

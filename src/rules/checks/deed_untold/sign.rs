//! The sign of an expression: what every match of it holds in one piece.
//!
//! An expression with gaps (`git[^\n]{0,60}push`) stays half matched while a gap lasts, and some forty of them in one search
//! have more states than are kept: each byte works out another. Without gaps the search is over soon after it began.

use regex_syntax::hir::{Hir, HirKind};

/// More than so many of something are a gap.
const MOST: u32 = 8;

/// An expression that matches somewhere in each match of another: of the pieces between its gaps the longest.
pub(super) fn sign_of(text: &str) -> Hir {
    regex_syntax::parse(text).map_or_else(|_| Hir::empty(), |parsed| piece(&parsed))
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

fn least(of: &Hir) -> usize {
    of.properties().minimum_len().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::deeds::DEEDS;
    use super::*;

    #[test]
    fn the_longest_piece_without_a_gap_is_the_sign() {
        for (text, sign) in [
            ("git[^\n]{0,60}push", "push"),
            ("(?:rmtree|unlink)[^\n]{0,60}\\.git", "(?:rmtree|unlink)"),
            ("a{1,3}b", "a{1,3}b"),
            ("(?:ab[^\n]*c|def)", "(?:ab|def)"),
            ("x*", ""),
        ] {
            assert_eq!(sign_of(text), regex_syntax::parse(sign).expect("an expression"), "{text}");
        }
    }

    #[test]
    fn no_deed_is_without_a_sign() {
        for deed in DEEDS.iter() {
            assert!(least(&sign_of(deed.done.as_str())) >= 2, "{}: {}", deed.name, deed.done.as_str());
        }
    }

    proptest! {
        #[test]
        fn where_an_expression_matches_its_sign_does(text in "[abc\n]{0,40}", at in 0_usize..6) {
            let expressions = ["a[^\n]*bc", "(?:ab|c[^\n]{0,20}a)b", "a(?:b[^\n]*c)+a", "(?:a|b{2,})[^\n]{1,30}c", "c?a{9,}b", "(?:ab*c)?b"];
            let expression = capdex_evidence::expression::of(expressions[at]);
            let sign = capdex_evidence::expression::of(&sign_of(expressions[at]).to_string());
            prop_assert!(!expression.is_match(&text) || sign.is_match(&text));
        }
    }
}

//! `Shaped`: the types whose values may stand in a column as lists and structs, each with its form.
//!
//! A key that a type writes and its form lacks is an error of the export, and of the tests that write each of them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use capdex_corpus::campaign::Shared;
use capdex_corpus::drift::{Change, Effect};
use capdex_corpus::identity::IdentityEdge;
use capdex_corpus::typosquat::judge::TyposquatSignal;
use capdex_model::alert::{AlertEvidence, ScoreChange};
use capdex_model::score::{ScorePart, Term};

use super::shape::Shape;
use super::tables::families::{AddedLine, FamilyDifference, FamilyFinding};
use crate::finding::MethodCodes;

/// A type of which a column may hold values.
pub trait Shaped {
    /// The form of its values.
    const SHAPE: Shape;
}

impl<T: Shaped + ?Sized> Shaped for &T {
    const SHAPE: Shape = T::SHAPE;
}

impl<T: Shaped> Shaped for Vec<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);
}

impl<T: Shaped> Shaped for [T] {
    const SHAPE: Shape = Shape::List(&T::SHAPE);
}

impl<T: Shaped> Shaped for BTreeSet<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);
}

macro_rules! texts {
    ($($type:ty),+) => {
        $(impl Shaped for $type {
            const SHAPE: Shape = Shape::Text;
        })+
    };
}

texts! { str, String, Cow<'_, str>, TyposquatSignal }

const TEXTS: Shape = Shape::List(&Shape::Text);

/// Types with names for their values, in alphabetical order.
macro_rules! records {
    ($($type:ty { $($name:ident: $shape:expr),+ })+) => {
        $(impl Shaped for $type {
            const SHAPE: Shape = Shape::Struct(&[$((stringify!($name), $shape)),+]);
        })+

        #[cfg(test)]
        const RECORDS: &[Shape] = &[$(<$type>::SHAPE),+];
    };
}

records! {
    Effect { detail: Shape::Text, kind: Shape::Text, severity: Shape::Text, subject: Shape::Text }
    Change { part: Shape::Text, subject: Shape::Text, what: Shape::Text }
    ScoreChange { after: Shape::Text, before: Shape::Text, rubric: Shape::Text }
    AlertEvidence {
        effect: Shape::Text, line: Shape::Integer, path: Shape::Text, quote: Shape::Text, rule: Shape::Text,
        severity: Shape::Text, subject: Shape::Text
    }
    IdentityEdge { note: Shape::Text, reason: Shape::Text, to: Shape::Text }
    Shared { items: Shape::Integer, quote: Shape::Text, value: Shape::Text, what: Shape::Text }
    AddedLine { file: Shape::Text, text: Shape::Text }
    FamilyDifference {
        binaries: TEXTS, files_added: TEXTS, files_changed: TEXTS, files_removed: TEXTS, hosts: TEXTS,
        lines: <Vec<AddedLine>>::SHAPE, lines_more: Shape::Integer, program_hosts: TEXTS
    }
    FamilyFinding { file: Shape::Text, quote: Shape::Text, rule: Shape::Text, severity: Shape::Text }
    MethodCodes<'_> { agentscore: TEXTS, mcpbundles: TEXTS, saferskills: TEXTS, spiderrating: TEXTS }
    Term { label: Shape::Text, note: Shape::Text, points: Shape::Number, rules: TEXTS }
    ScorePart { coverage: Shape::Integer, name: Shape::Text, note: Shape::Text, value: Shape::Number }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_corpus::clone::Difference;
    use capdex_corpus::drift::EffectKind;
    use capdex_model::fact::Severity;
    use capdex_model::points::Points;
    use capdex_model::score::Coverage;
    use serde::Serialize;

    fn fits<T: Shaped + Serialize>(value: &T) {
        let written = serde_json::to_value(value).expect("JSON");
        let conformed = T::SHAPE.text(&T::SHAPE.conform(written.clone()).expect("conforms"));
        let conformed: serde_json::Value = serde_json::from_str(&conformed).expect("JSON");
        // Nothing of what was written is lost.
        for (name, value) in written.as_object().expect("an object") {
            assert_eq!(conformed[name].to_string(), value.to_string(), "{name}");
        }
    }

    #[test]
    fn names_are_in_alphabetical_order() {
        for record in RECORDS {
            let Shape::Struct(fields) = record else { panic!("{record}") };
            assert!(fields.is_sorted_by_key(|(name, _)| name), "{record}");
        }
    }

    #[test]
    fn values_of_each_type_have_its_form() {
        fits(&Effect::new(EffectKind::Text, Severity::Info, "a", "b"));
        fits(&Change { what: "added".into(), part: "file".into(), subject: "a".into() });
        fits(&ScoreChange { rubric: "a/seed".into(), before: None, after: Some("1".into()) });
        let evidence = AlertEvidence { effect: "finding".into(), line: Some(3), ..AlertEvidence::default() };
        fits(&evidence);
        fits(&Shared { what: "site".into(), value: "a".into(), quote: "b".into(), items: 3 });
        fits(&FamilyDifference::of(Difference {
            lines: vec![("SKILL.md".into(), "a line".into())],
            hosts: vec!["a.example".into()],
            lines_more: 2,
            ..Difference::default()
        }));
        fits(&FamilyFinding { rule: "a".into(), severity: Severity::Low, file: "b".into(), quote: "c".into() });
        fits(&Term { label: "a".into(), points: Points::whole(3), rules: vec!["r".into()].into(), note: "".into() });
        fits(&ScorePart { name: "a".into(), value: None, coverage: Coverage::FULL, note: "".into() });
    }
}

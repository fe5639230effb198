//! `Reads`: which texts a method looks at, code by code, as its numbers file says.
//!
//! A finding elsewhere is none of the method's own, however bad it is.

use serde::Deserialize;

use capdex_model::capability::Kind;
use capdex_model::fact::{Fact, FactSurface};
use capdex_model::wildcard;

/// What a method reads. Of its entries the first that fits a code and a kind tells; a code without one is never found.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Reads(Vec<Reading>);

/// The texts in which some codes are looked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    /// The beginnings of the codes; all codes where there is none.
    #[serde(default)]
    codes: Vec<String>,
    /// The kinds of capability; all where there is none.
    #[serde(default)]
    kinds: Vec<Kind>,
    /// The texts, by what they are.
    #[serde(default)]
    surfaces: Vec<FactSurface>,
    /// The files, by path: `*` stands for any run of letters, also over folders.
    #[serde(default)]
    files: Vec<String>,
}

impl Reads {
    /// True where the method looks for a code in the text in which a fact about such a capability stands. What stands in
    /// no text, such as a missing licence, is looked for wherever the code is.
    pub(super) fn reads(&self, code: &str, kind: Kind, fact: &Fact) -> bool {
        let Some(reading) = self.0.iter().find(|reading| reading.is_for(code, kind)) else { return false };
        let file = fact.place.file.as_str();
        fact.surface == FactSurface::Whole
            || reading.surfaces.contains(&fact.surface)
            || reading.files.iter().any(|glob| fits(glob, file))
    }
}

impl Reading {
    fn is_for(&self, code: &str, kind: Kind) -> bool {
        let begins = || self.codes.iter().any(|beginning| code.starts_with(beginning.as_str()));
        (self.codes.is_empty() || begins()) && (self.kinds.is_empty() || self.kinds.contains(&kind))
    }
}

/// True where a path is of the form of a glob. Without regard to case, as files of that form are found.
fn fits(glob: &str, path: &str) -> bool {
    wildcard::fits(&glob.to_ascii_lowercase(), &path.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fact;
    use capdex_model::fact::{Outcome, Place, Severity};

    #[test]
    fn a_star_stands_for_any_run() {
        for (glob, path, expected) in [
            ("SKILL.md", "SKILL.md", true),
            ("SKILL.md", "a/SKILL.md", false),
            ("*/SKILL.md", "a/b/skill.MD", true),
            ("*.md", "a/b.md", true),
            ("*.md", "a/b.mdx", false),
            ("hooks/*", "hooks/a/b", true),
            ("*/hooks/*.sh", "a/hooks/hooks/b.sh", true),
            ("a*b*b", "ab", false),
            ("*", "", true),
        ] {
            assert_eq!(fits(glob, path), expected, "{glob} {path}");
        }
    }

    #[test]
    fn the_first_entry_that_fits_tells() {
        let text = r#"
            [[reads]]
            codes = ["A-1"]
            surfaces = ["docs"]
            [[reads]]
            kinds = ["skill"]
            surfaces = ["source"]
            files = ["*.md"]
        "#;
        #[derive(Deserialize)]
        struct Numbers {
            reads: Reads,
        }
        let reads = toml::from_str::<Numbers>(text).expect("it parses").reads;
        let at = |surface, file: &str| Fact {
            surface,
            place: Place { file: file.into(), ..Place::default() },
            ..fact("r", Outcome::True, Severity::Low, serde_json::Value::Null)
        };
        let (docs, source) = (at(FactSurface::Docs, "a.md"), at(FactSurface::Source, "a.py"));
        assert!(reads.reads("A-12", Kind::Hook, &docs));
        assert!(!reads.reads("A-12", Kind::Skill, &source));
        assert!(reads.reads("A-2", Kind::Skill, &source));
        assert!(reads.reads("A-2", Kind::Skill, &docs), "by its path");
        assert!(!reads.reads("A-2", Kind::Hook, &source));
        assert!(reads.reads("A-1", Kind::Skill, &at(FactSurface::Whole, "")));
    }
}

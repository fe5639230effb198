//! Variants: copies of one text for several agents, and its translations, are one capability.
//!
//! A publisher who serves ten agents puts the same skill into ten folders. Told ten times it would fill every list; told
//! once, with all of its files, it is read as often and stands once.

use std::collections::BTreeMap;

use capdex_model::bundle::Bundle;
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;

use super::CapabilityAnchor;
use crate::manifest::{folder_of, name_of};

/// Folders of translations, by the codes of languages that such folders have (ISO 639-1).
const LANGUAGES: [&str; 24] = [
    "ar", "bn", "cs", "da", "de", "en", "es", "fa", "fr", "he", "hu", "it", "ja", "ko", "nl", "pl", "pt", "ru", "sv",
    "th", "tr", "uk", "vi", "zh",
];
/// Folders around those.
const AROUND: [&str; 5] = ["i18n", "l10n", "locales", "translations", "lang"];

/// What makes two anchors variants of one thing.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Sameness {
    /// The same bytes.
    Copy(Kind, Digest),
    /// The same name at the same place but for the folder of a language.
    Translation(String, String),
}

/// Joins skills and rules files that are variants of one to the one whose path is the plainest.
pub(super) fn joined(bundle: &Bundle, anchors: Vec<CapabilityAnchor>) -> Vec<CapabilityAnchor> {
    let mut first: BTreeMap<Sameness, usize> = BTreeMap::new();
    let mut of: Vec<usize> = (0..anchors.len()).collect();
    let mut plainest: Vec<usize> = (0..anchors.len()).collect();
    plainest.sort_by_key(|at| anchors.get(*at).map(plainness));
    for at in plainest {
        let Some(anchor) = anchors.get(at).filter(|anchor| matches!(anchor.kind, Kind::Skill | Kind::Rules)) else {
            continue;
        };
        let keys = [copy(bundle, anchor), translation(anchor)];
        let known = keys.iter().flatten().find_map(|key| first.get(key)).copied();
        let main = known.unwrap_or(at);
        if let Some(of) = of.get_mut(at) {
            *of = main;
        }
        for key in keys.into_iter().flatten() {
            first.entry(key).or_insert(main);
        }
    }
    let mut kept: Vec<Option<CapabilityAnchor>> = anchors.into_iter().map(Some).collect();
    for (at, main) in of.into_iter().enumerate() {
        if at == main {
            continue;
        }
        let variant = kept.get_mut(at).and_then(Option::take);
        if let (Some(variant), Some(Some(main))) = (variant, kept.get_mut(main)) {
            main.own.extend(variant.own);
            main.named.extend(variant.named);
            main.kept.extend(variant.folder.into_iter().chain(variant.kept));
        }
    }
    kept.into_iter().flatten().collect()
}

/// Folders of agents and of languages come last, then long paths.
fn plainness(anchor: &CapabilityAnchor) -> (bool, bool, usize, &str) {
    let mut folders = anchor.path.split('/');
    let is_of_agent = folders.clone().any(|folder| folder.starts_with('.'));
    let is_translated = folders.any(is_language);
    (is_of_agent, is_translated, anchor.path.len(), &anchor.path)
}

/// A few words may stand twice by chance, in an empty file above all.
const SHORTEST_COPY: usize = 200;

fn copy(bundle: &Bundle, anchor: &CapabilityAnchor) -> Option<Sameness> {
    let file = bundle.files.get(anchor.own.first()?)?;
    (file.bytes.len() >= SHORTEST_COPY).then_some(Sameness::Copy(anchor.kind, file.digest))
}

fn translation(anchor: &CapabilityAnchor) -> Option<Sameness> {
    if anchor.kind != Kind::Skill {
        return None;
    }
    let own = anchor.own.first()?;
    let plain: Vec<&str> =
        folder_of(own).split('/').filter(|folder| !is_language(folder) && !AROUND.contains(folder)).collect();
    let place = format!("{}/{}", plain.join("/"), name_of(own).to_ascii_lowercase());
    Some(Sameness::Translation(anchor.name.clone(), place))
}

/// `zh`, `zh-CN`, `pt_BR`, `zh-Hans`.
fn is_language(folder: &str) -> bool {
    let (language, region) = folder.split_once(['-', '_']).unwrap_or((folder, ""));
    LANGUAGES.contains(&language)
        && (region.is_empty()
            || (2..=4).contains(&region.len()) && region.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use capdex_model::bundle::BundleFile;

    use super::*;
    use crate::Evidence;
    use crate::decompose::decompose;

    /// The capabilities of a bundle but for the package, each as its path and its variants.
    fn found(files: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), BundleFile::new(text.as_bytes()))).collect();
        let bundle = Bundle::local("folder:input", files);
        let capabilities = decompose(&bundle, &Evidence::gather(&bundle));
        let told = capabilities.iter().filter(|capability| capability.kind != Kind::Package);
        told.map(|capability| (capability.path.clone(), capability.variants().map(str::to_owned).collect())).collect()
    }

    fn skill(name: &str, text: &str) -> String {
        format!("---\nname: {name}\ndescription: Weighs stones.\n---\n{}", text.repeat(20))
    }

    #[test]
    fn copies_for_several_agents_are_one_skill() {
        let (weigh, count) = (skill("weigh", "Weigh the stone. "), skill("count", "Count the stones. "));
        let files = [
            (".claude/skills/weigh/SKILL.md", weigh.as_str()),
            (".claude/skills/weigh/scripts/a.sh", "true"),
            (".cursor/skills/weigh/SKILL.md", &weigh),
            ("skills/count/SKILL.md", &count),
            ("skills/count/fixtures/SKILL.md", "A sample."),
            ("skills/weigh/SKILL.md", &weigh),
        ];
        let copies = [".claude/skills/weigh/SKILL.md", ".cursor/skills/weigh/SKILL.md"].map(str::to_owned).to_vec();
        assert_eq!(found(&files), [("skills/count".to_owned(), vec![]), ("skills/weigh".to_owned(), copies)]);
    }

    #[test]
    fn what_one_copy_has_more_belongs_to_it_too() {
        let weigh = skill("weigh", "Weigh the stone. ");
        let files = [
            (".claude/skills/weigh/SKILL.md", weigh.as_str()),
            (".claude/skills/weigh/scripts/a.sh", "true"),
            ("skills/weigh/SKILL.md", &weigh),
        ];
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), BundleFile::new(text.as_bytes()))).collect();
        let bundle = Bundle::local("folder:input", files);
        let capabilities = decompose(&bundle, &Evidence::gather(&bundle));
        let skill = capabilities.iter().find(|capability| capability.kind == Kind::Skill).expect("a skill");
        assert!(skill.files.contains(&".claude/skills/weigh/scripts/a.sh".to_owned()), "{:?}", skill.files);
    }

    #[test]
    fn translations_are_one_skill_and_other_texts_are_not() {
        let [english, chinese, go] =
            ["Weigh the stone. ", "称石头。", "Weigh in another way. "].map(|text| skill("weigh", text));
        let files = [
            ("skills/go/weigh/SKILL.md", go.as_str()),
            ("skills/weigh/SKILL.md", &english),
            ("skills/zh-CN/weigh/SKILL.md", &chinese),
        ];
        let translated = vec!["skills/zh-CN/weigh/SKILL.md".to_owned()];
        assert_eq!(found(&files), [("skills/go/weigh".to_owned(), vec![]), ("skills/weigh".to_owned(), translated)]);
    }

    #[test]
    fn one_text_under_the_names_of_several_agents_is_one_rules_file() {
        let text = "Use four blanks as indentation. Run the tests before each commit. ".repeat(5);
        let files = [("AGENTS.md", text.as_str()), ("CLAUDE.md", &text), ("GEMINI.md", "Write in French.")];
        let copies = vec!["CLAUDE.md".to_owned()];
        assert_eq!(found(&files), [("AGENTS.md".to_owned(), copies), ("GEMINI.md".to_owned(), vec![])]);
    }
}

//! The places that a manifest takes others' work from, and the addresses at which a card says that it is reached.
//!
//! Sources: Claude Code's docs of marketplaces, the lock files of `skills` 1.7, the A2A specification 1.0, as of 2026-11.

use serde_json::Value;

use super::json::escape;
use super::{MAX_ENTRIES, Manifest, ManifestKind};

/// One plugin or skill that a manifest has fetched from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSource<'a> {
    /// The name of what is fetched.
    pub name: &'a str,
    /// The place: an address, or the repository as its forge names it.
    pub place: &'a str,
    /// True where what is fetched cannot change: a commit, or the exact version of a package.
    pub is_pinned: bool,
    /// The JSON Pointer to what names the place.
    pub pointer: String,
}

/// What a marketplace or a lock file has fetched from elsewhere, in the order of the file. Empty for other manifests.
pub fn named_sources(manifest: &Manifest) -> Vec<NamedSource<'_>> {
    match manifest.kind {
        ManifestKind::MarketplaceJson => {
            let plugins = manifest.value.get("plugins").and_then(Value::as_array).into_iter().flatten().enumerate();
            plugins.take(MAX_ENTRIES).filter_map(|(at, plugin)| of_plugin(at, plugin)).collect()
        }
        ManifestKind::SkillsLock => {
            let skills = manifest.value.get("skills").and_then(Value::as_object).into_iter().flatten();
            skills.take(MAX_ENTRIES).filter_map(|(name, skill)| of_skill(name, skill)).collect()
        }
        _ => Vec::new(),
    }
}

fn of_plugin(at: usize, plugin: &Value) -> Option<NamedSource<'_>> {
    let name = plugin.get("name").and_then(Value::as_str).unwrap_or_default();
    let source = plugin.get("source")?;
    let text = |key: &str| source.get(key).and_then(Value::as_str);
    let (place, key) = ["url", "repo", "package"].into_iter().find_map(|key| Some((text(key)?, key)))?;
    let is_pinned = match key {
        "package" => text("version").is_some_and(is_exact),
        _ => ["sha", "ref", "commit"].into_iter().filter_map(text).any(is_commit),
    };
    Some(NamedSource { name, place, is_pinned, pointer: format!("/plugins/{at}/source/{key}") })
}

fn of_skill<'a>(name: &'a str, skill: &'a Value) -> Option<NamedSource<'a>> {
    let text = |key: &str| skill.get(key).and_then(Value::as_str);
    // A folder of the same machine is no stranger's.
    if matches!(text("sourceType"), Some("local" | "node_modules")) {
        return None;
    }
    let (place, key) = ["sourceUrl", "source"].into_iter().find_map(|key| Some((text(key)?, key)))?;
    let is_pinned = text("ref").is_some_and(is_commit);
    Some(NamedSource { name, place, is_pinned, pointer: format!("/skills/{}/{key}", escape(name)) })
}

/// The addresses at which a card says that its agent or its entries are reached, with their JSON Pointers.
pub fn addresses(manifest: &Manifest) -> Vec<(String, &str)> {
    if manifest.kind != ManifestKind::Card {
        return Vec::new();
    }
    let mut found: Vec<(String, &str)> = manifest.text("url").map(|url| ("/url".to_owned(), url)).into_iter().collect();
    for list in ["supportedInterfaces", "additionalInterfaces", "entries", "skills"] {
        let entries = manifest.value.get(list).and_then(Value::as_array).into_iter().flatten().enumerate();
        found.extend(entries.take(MAX_ENTRIES).filter_map(|(at, entry)| {
            let url = entry.get("url").and_then(Value::as_str)?;
            Some((format!("/{list}/{at}/url"), url))
        }));
    }
    found
}

/// The whole digest of a commit: a branch, a tag or the beginning of a digest may mean another one tomorrow.
fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// One version of a package, and no range of them: npm takes `1` and `1.2` for ranges.
fn is_exact(version: &str) -> bool {
    version.starts_with(|first: char| first.is_ascii_digit())
        && version.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+'))
        && version.split(['-', '+']).next().is_some_and(|numbers| numbers.split('.').count() == 3)
        && !version.split('.').any(|part| matches!(part, "x" | "X"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn named(kind: ManifestKind, value: Value) -> Vec<(String, String, bool, String)> {
        let manifest = Manifest::new("a.json", kind, value);
        let owned = |source: NamedSource<'_>| {
            (source.name.to_owned(), source.place.to_owned(), source.is_pinned, source.pointer)
        };
        named_sources(&manifest).into_iter().map(owned).collect()
    }

    #[test]
    fn a_marketplace_names_where_its_plugins_come_from() {
        let commit = "a".repeat(40);
        let plugins = json!({"plugins": [
            {"name": "own", "source": "./own"},
            {"name": "kept", "source": {"source": "github", "repo": "acme/kept", "sha": commit}},
            {"name": "moves", "source": {"source": "url", "url": "https://git.test/moves.git", "ref": "main"}},
            {"name": "packed", "source": {"source": "npm", "package": "packed", "version": "1.2.3"}},
            {"name": "ranged", "source": {"source": "npm", "package": "ranged", "version": "^1.2.3"}},
            {"name": "short", "source": {"source": "npm", "package": "short", "version": "1.2"}},
        ]});
        let found = named(ManifestKind::MarketplaceJson, plugins);
        let told: Vec<(&str, &str, bool)> =
            found.iter().map(|(name, place, pinned, _)| (&**name, &**place, *pinned)).collect();
        let expected = [
            ("kept", "acme/kept", true),
            ("moves", "https://git.test/moves.git", false),
            ("packed", "packed", true),
            ("ranged", "ranged", false),
            ("short", "short", false),
        ];
        assert_eq!(told, expected);
        assert_eq!(found.get(1).map(|found| found.3.as_str()), Some("/plugins/2/source/url"));
    }

    #[test]
    fn a_lock_names_where_skills_were_taken_from() {
        let lock = json!({"version": 1, "skills": {
            "notes": {"source": "acme/skills", "sourceType": "github", "ref": "main", "computedHash": "00"},
            "mine": {"source": "./mine", "sourceType": "local"},
            "a/b": {"source": "x", "sourceUrl": "https://git.test/x.git", "sourceType": "git", "ref": "b".repeat(40)},
        }});
        let found = named(ManifestKind::SkillsLock, lock);
        let expected = [
            ("a/b".to_owned(), "https://git.test/x.git".to_owned(), true, "/skills/a~1b/sourceUrl".to_owned()),
            ("notes".to_owned(), "acme/skills".to_owned(), false, "/skills/notes/source".to_owned()),
        ];
        assert_eq!(found, expected);
    }
}

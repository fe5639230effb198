//! `capdex-site.json`: what a site was made from, and the digest of every other file in it.
//!
//! By it the next `capdex report` knows which files of a folder are ours.

use std::collections::BTreeMap;

use capdex_dataset::output_folder::{FileDigests, OutputKind};
use capdex_model::digest::Digest;
use capdex_model::time::AsOf;
use serde::{Deserialize, Serialize};

use super::site::Site;

/// The file's name.
pub const NAME: &str = "capdex-site.json";
/// The schema that this version writes. The first one, `capdex.site/1`, named no files.
const SCHEMA: &str = "capdex.site/2";
/// Hex digits of a digest: half of them, because a large site has tens of thousands of files, and nobody can make a file that
/// has the same 128 bits.
const DIGITS: usize = 32;

/// A folder that holds a site.
pub static OUTPUT: OutputKind = OutputKind { what: "a site of capdex", manifest: NAME, named: named_files };

/// The manifest of a site.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SiteManifest {
    schema: String,
    /// The instant that ages were measured against.
    as_of: AsOf,
    /// The rule set under which the facts were found (hex).
    ruleset_sha256: String,
    /// Capabilities, each with a page.
    capabilities: u64,
    /// The first 32 hex digits of the SHA-256 of each file, by its path.
    files: BTreeMap<String, String>,
}

/// The manifest of a site with these files and pages of so many capabilities.
pub(super) fn text(site: &Site, capabilities: u64, files: &FileDigests) -> anyhow::Result<String> {
    let manifest = SiteManifest {
        schema: SCHEMA.to_owned(),
        as_of: site.as_of,
        ruleset_sha256: site.rules.digest().hex(),
        capabilities,
        files: files.clone(),
    };
    Ok(serde_json::to_string(&manifest)? + "\n")
}

/// The digest of a file as the manifest has it.
pub(super) fn digest(text: &str) -> String {
    Digest::of(text.as_bytes()).hex().chars().take(DIGITS).collect()
}

/// The files that a manifest of ours names, by their digests.
fn named_files(bytes: &[u8]) -> Result<FileDigests, String> {
    #[derive(Deserialize)]
    struct AnySchema {
        schema: String,
    }
    let found: AnySchema = serde_json::from_slice(bytes).map_err(|_| "is none of ours".to_owned())?;
    if found.schema != SCHEMA {
        // A site of before is told apart from a stranger's file, or its owner would not know what to do.
        return Err(format!(
            "is of schema {:?}, which does not say which files are ours; this program reads {SCHEMA:?}",
            found.schema
        ));
    }
    let manifest: SiteManifest = serde_json::from_slice(bytes).map_err(|error| format!("is damaged: {error}"))?;
    // Written again and compared: another spacing, or a key that stands twice, is not of our writing.
    let again = serde_json::to_string(&manifest).map_err(|error| format!("is damaged: {error}"))? + "\n";
    if again.as_bytes() != bytes {
        return Err("has other bytes than we write".to_owned());
    }
    Ok(manifest.files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_manifest_of_our_own_form_names_files() {
        let text = |schema: &str| {
            format!(
                "{{\"schema\":\"{schema}\",\"as_of\":\"2026-11-20T01:00:00Z\",\"ruleset_sha256\":\"00\",\"capabilities\":1,\
                 \"files\":{{\"index.html\":\"{}\"}}}}\n",
                digest("x")
            )
        };
        let ours = text(SCHEMA);
        assert_eq!(named_files(ours.as_bytes()).map(|files| files.len()), Ok(1));
        let others = [
            text("capdex.site/1"),
            text("a.product/2"),
            ours.replace(":1,", ": 1,"),
            ours.replace("\"schema\"", "\"x\":1,\"schema\""),
            ours.trim_end().to_owned(),
            "{}".to_owned(),
            "dear".to_owned(),
        ];
        for other in others {
            assert!(named_files(other.as_bytes()).is_err(), "{other}");
        }
    }
}

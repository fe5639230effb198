//! The places inside what was fetched that only its owner can write.
//!
//! A README, a wiki, an issue and a row that a directory lets anyone edit are none.

use std::borrow::Cow;

use capdex_model::appeal::ProofMethod;
use capdex_model::bundle::Bundle;
use capdex_model::ruling::RulingSubject;
use capdex_model::source_role::{Ecosystem, NameProof};
use serde_json::Value;

/// The files that may hold a token, in the root or in the folder of the capability.
pub const FILES: [&str; 2] = [".capdex/appeal.txt", ".well-known/capdex-appeal.txt"];
/// The member of a manifest that may hold one.
pub const MEMBER: &str = "capdexAppeal";

/// One place with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenPlace<'a> {
    /// Where, inside the package.
    pub name: String,
    /// The text.
    pub text: Cow<'a, str>,
}

/// How control of an identity can be proved by what a source fetches; none where only its host can say.
pub fn method(identity: &str) -> Option<ProofMethod> {
    let word = identity.split_once(':').map_or("", |(word, _)| word);
    Some(match Ecosystem::of_word(word) {
        Some(Ecosystem::GitHub | Ecosystem::Git) => ProofMethod::Repository,
        Some(Ecosystem::Mcp) => return None,
        Some(Ecosystem::Npm | Ecosystem::Pypi | Ecosystem::Oci | Ecosystem::Folder) => ProofMethod::Package,
        // A registry whose names prove a namespace takes rows from their publishers alone.
        None if proves_namespaces(word) => ProofMethod::RegistryRow,
        // Directories whose entries their publishers fill: a new version is theirs, or a row of a registry under another name.
        None => ProofMethod::Package,
    })
}

fn proves_namespaces(source: &str) -> bool {
    capdex_crawlers::source(source).is_some_and(|source| source.meta().role.proof == NameProof::Namespace)
}

/// The host of an identity that is an address; none for any other.
pub fn host(identity: &str) -> Option<String> {
    let address = identity.strip_prefix("mcp:")?;
    let url = url::Url::parse(address).ok()?;
    url.host_str().map(str::to_owned)
}

/// The places of a package, each with its text.
pub fn in_bundle<'a>(bundle: &'a Bundle, subject: &RulingSubject) -> Vec<TokenPlace<'a>> {
    let text = |path: &str| bundle.files.get(path).map(|file| String::from_utf8_lossy(&file.bytes));
    let mut places = Vec::new();
    let word = subject.identity.split_once(':').map_or("", |(word, _)| word);
    if Ecosystem::of_word(word).is_none() {
        let row = text("server.json").and_then(|text| serde_json::from_str::<Value>(&text).ok());
        // What a publisher adds stands in a member of its own below `_meta`, whatever that is called.
        let meta = row.as_ref().and_then(|row| row.get("_meta")).and_then(Value::as_object);
        for (name, value) in meta.into_iter().flatten() {
            let token = value.get(MEMBER).and_then(Value::as_str);
            places.extend(token.map(|token| TokenPlace {
                name: format!("_meta/{name}/{MEMBER}"),
                text: Cow::Owned(token.to_owned()),
            }));
        }
    }
    match method(&subject.identity) {
        // A row has no other file that is its publisher's.
        Some(ProofMethod::RegistryRow) | None => {}
        Some(_) => {
            // A token in the folder of one capability proves nothing about the others.
            let own = subject.part.as_ref().map(|(_, path)| path.as_str()).filter(|path| !path.is_empty());
            for folder in std::iter::once(String::new()).chain(own.map(|path| format!("{path}/"))) {
                for file in FILES {
                    let name = format!("{folder}{file}");
                    places.extend(text(&name).map(|text| TokenPlace { name: name.clone(), text }));
                }
            }
            for (file, pointer) in [("package.json", format!("/{MEMBER}")), ("image.json", format!("/labels/{MEMBER}"))]
            {
                let manifest = text(file).and_then(|text| serde_json::from_str::<Value>(&text).ok());
                let token = manifest.as_ref().and_then(|manifest| manifest.pointer(&pointer)).and_then(Value::as_str);
                places.extend(
                    token.map(|token| TokenPlace {
                        name: format!("{file}#{pointer}"),
                        text: Cow::Owned(token.to_owned()),
                    }),
                );
            }
        }
    }
    places
}

/// Where the owner of an identity can put a token, in words for him.
pub fn words(subject: &RulingSubject) -> Vec<String> {
    let identity = &subject.identity;
    let files = FILES.join(" or ");
    match (method(identity), host(identity)) {
        (Some(ProofMethod::Repository), _) => {
            vec![format!("a line of the file {files} on the default branch of {identity}")]
        }
        (Some(ProofMethod::RegistryRow), _) => {
            vec![format!("the member \"{MEMBER}\" in your own part of _meta, in a new version of {identity}")]
        }
        (Some(_), _) => vec![
            format!("a line of the file {files} in a new version of {identity}"),
            format!("the member \"{MEMBER}\" of package.json, or a label {MEMBER} of an image, in a new version"),
        ],
        (None, Some(host)) => vec![
            format!("a line of https://{host}{}", well_known_path()),
            format!("a TXT record of {}", record_name(&host)),
        ],
        (None, None) => Vec::new(),
    }
}

/// The path of a host's own file.
pub fn well_known_path() -> String {
    format!("/{}", FILES[1])
}

/// The name of a host's TXT record.
pub fn record_name(host: &str) -> String {
    format!("_capdex-challenge.{host}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use capdex_model::bundle::BundleFile;

    use super::*;

    fn names(subject: &str, files: &[(&str, &str)]) -> Vec<String> {
        let files: BTreeMap<String, BundleFile> =
            files.iter().map(|(path, text)| ((*path).to_owned(), BundleFile::new(text.as_bytes().to_vec()))).collect();
        let subject: RulingSubject = subject.parse().expect("a subject");
        let bundle = Bundle::local(subject.identity.clone(), files);
        in_bundle(&bundle, &subject).into_iter().map(|place| place.name).collect()
    }

    #[test]
    fn only_places_that_the_owner_alone_can_write_are_looked_at() {
        let token = [
            (".capdex/appeal.txt", "x"),
            ("README.md", "x"),
            ("other/.capdex/appeal.txt", "x"),
            ("a/.capdex/appeal.txt", "x"),
        ];
        assert_eq!(names("npm:n#skill:a", &token), [".capdex/appeal.txt", "a/.capdex/appeal.txt"]);
        assert_eq!(names("npm:n", &token), [".capdex/appeal.txt"], "a component's file is the component's alone");
        assert_eq!(names("github:o/r", &[("package.json", r#"{"capdexAppeal":"x"}"#)]), ["package.json#/capdexAppeal"]);
        assert_eq!(
            names("oci:r/i", &[("image.json", r#"{"labels":{"capdexAppeal":"x"}}"#)]),
            ["image.json#/labels/capdexAppeal"]
        );
        let row = [
            ("server.json", r#"{"_meta":{"org.example/own":{"capdexAppeal":"x"}},"description":"capdexAppeal"}"#),
            (".capdex/appeal.txt", "x"),
        ];
        for registry in ["official-registry", "mcp-registry", "sub-registry"] {
            let found = names(&format!("{registry}:io.example/s#mcp_server:"), &row);
            assert_eq!(found, ["_meta/org.example/own/capdexAppeal"], "{registry}");
        }
        assert_eq!(names("corp:s", &row), ["_meta/org.example/own/capdexAppeal", ".capdex/appeal.txt"]);
        assert_eq!(names("npm:n", &row), [".capdex/appeal.txt"], "a package's server.json is no row");
        assert_eq!(names("mcp:https://h.test/x", &token), [""; 0], "a server's own files prove nothing of its host");
        assert_eq!(host("mcp:https://h.test:8443/x").as_deref(), Some("h.test"));
    }
}

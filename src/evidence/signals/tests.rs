//! Signals from claims and manifests, and what stays unknown.

use std::collections::BTreeMap;

use super::*;
use crate::decompose::decompose;
use crate::file_role::FileRole;
use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::listing::Claims;

/// The signals of the capability of a kind, or of the package.
fn signals_of(kind: Kind, files: &[(&str, &str)], claims: &Claims) -> CapabilitySignals {
    let files: BTreeMap<String, BundleFile> =
        files.iter().map(|(path, text)| ((*path).to_owned(), BundleFile::new(text.as_bytes()))).collect();
    let bundle = Bundle::local("folder:input", files);
    let mut evidence = Evidence::gather(&bundle);
    for document in evidence.documents.values_mut().filter(|document| document.path.contains(".test.")) {
        document.role = FileRole::Test;
    }
    let capabilities = decompose(&bundle, &evidence);
    let capability = capabilities.iter().find(|capability| capability.kind == kind).expect("a capability of the kind");
    CapabilitySignals::clone(&of(&Subject { capability, evidence: &evidence, claims, gaps: &[] }))
}

fn package(files: &[(&str, &str)]) -> CapabilitySignals {
    signals_of(Kind::Package, files, &Claims::default())
}

fn known(text: &str) -> Claim<String> {
    Claim::Known(text.to_owned())
}

#[test]
fn npm_states_its_fields_or_their_absence() {
    let signals = package(&[(
        "package.json",
        r#"{"name": "a", "version": "1.0.0", "description": " x ", "license": {"type": "MIT"},
            "repository": {"type": "git", "url": "git+http://git.test/a"}, "keywords": ["k"],
            "dependencies": {"b": "1", "c": "1"}, "scripts": {"install": "i", "build": "b", "prepare": "p"}}"#,
    )]);
    assert_eq!(signals.name, known("a"));
    assert_eq!(signals.version, known("1.0.0"));
    assert_eq!(signals.description, known("x"));
    assert_eq!(signals.license, known("MIT"));
    assert_eq!(signals.repository, known("git+http://git.test/a"));
    assert_eq!(signals.keywords, Claim::Known(vec!["k".to_owned()]));
    assert_eq!(signals.dependencies, Claim::Known(vec!["b".to_owned(), "c".to_owned()]));
    assert_eq!(signals.install_scripts, [("install".to_owned(), "i".to_owned())]);
    assert_eq!(signals.manifest.as_deref(), Some("package.json"));
    let bare = package(&[("package.json", "{\"description\": \" \"}")]);
    assert_eq!(bare.license, Claim::Absent);
    assert_eq!(bare.repository, Claim::Absent);
    assert_eq!(bare.description, Claim::Absent);
}

#[test]
fn what_no_one_speaks_of_is_unknown() {
    let signals = package(&[("README.md", "x")]);
    assert_eq!(signals.license, Claim::Unknown);
    assert_eq!(signals.dependencies, Claim::Unknown);
    assert_eq!(signals.provenance, Claim::Unknown);
    assert_eq!(signals.manifest, None);
}

#[test]
fn bytes_go_before_claims_and_claims_fill_the_rest() {
    let claims = Claims {
        license: known("ISC"),
        repository: known("http://git.test"),
        provenance: Claim::Known(true),
        install_scripts: Claim::Known(vec![("install".to_owned(), "other".to_owned())]),
        ..Claims::default()
    };
    let manifest = r#"{"license": "MIT", "scripts": {"install": "i"}}"#;
    let signals = signals_of(Kind::Package, &[("package.json", manifest)], &claims);
    assert_eq!(signals.license, known("MIT"));
    assert_eq!(signals.repository, known("http://git.test"));
    assert_eq!(signals.provenance, Claim::Known(true));
    assert_eq!(signals.install_scripts.len(), 2, "what runs may be either");
}

#[test]
fn python_states_the_same_in_three_forms() {
    let pep621 = "[project]\nname = 'a'\ndynamic = ['version', 'dependencies']\nlicense = {text = 'MIT'}\nkeywords = ['k']\n[project.urls]\n'Source Code' = 'http://git.test/a'\n";
    let signals = package(&[("pyproject.toml", pep621)]);
    assert_eq!(signals.license, known("MIT"));
    assert_eq!(signals.repository, known("http://git.test/a"));
    assert_eq!(signals.version, Claim::Unknown, "the build computes them");
    assert_eq!(signals.dependencies, Claim::Unknown, "the build computes them");
    let poetry =
        "[tool.poetry]\nname = 'a'\ndescription = 'd'\n[tool.poetry.dependencies]\npython = '^3'\nrich = '1'\n";
    let signals = package(&[("pyproject.toml", poetry)]);
    assert_eq!(signals.dependencies, Claim::Known(vec!["rich".to_owned()]));
    assert_eq!(signals.license, Claim::Absent);
    let metadata = "Metadata-Version: 2.1\nName: a\nSummary: d\nClassifier: License :: OSI Approved :: MIT License\nClassifier: Development Status :: 7 - Inactive\nProject-URL: Home, http://github.com/a/a\nRequires-Dist: Rich>=1 ; python_version > '3'\nRequires-Dist: pytest ; extra == 'test'\n";
    let signals = package(&[("PKG-INFO", metadata)]);
    assert_eq!(signals.license, known("MIT License"));
    assert_eq!(signals.repository, known("http://github.com/a/a"));
    assert_eq!(signals.dependencies, Claim::Known(vec!["rich".to_owned()]));
    assert_eq!(signals.deprecated, known("7 - Inactive"));
}

#[test]
fn a_skill_speaks_for_itself_and_borrows_the_licence() {
    let files = [
        ("package.json", r#"{"name": "p", "description": "of the package", "license": "MIT"}"#),
        ("skills/a/SKILL.md", "---\nname: a\n---"),
    ];
    let signals = signals_of(Kind::Skill, &files, &Claims::default());
    assert_eq!(signals.name, known("a"));
    assert_eq!(signals.description, Claim::Absent);
    assert_eq!(signals.license, known("MIT"));
    assert_eq!(signals.dependencies, Claim::Unknown);
}

#[test]
fn a_server_in_a_workspace_has_its_own_manifest() {
    let files = [
        ("package.json", r#"{"name": "root", "license": "MIT", "dependencies": {"a": "1"}}"#),
        ("packages/s/package.json", r#"{"name": "s", "mcpName": "io.test/s"}"#),
    ];
    let signals = signals_of(Kind::McpServer, &files, &Claims::default());
    assert_eq!(signals.name, known("s"));
    assert_eq!(signals.dependencies, Claim::Known(Vec::new()));
    assert_eq!(signals.license, Claim::Absent);
}

#[test]
fn documents_count_at_the_capability_and_at_the_input() {
    let files = [
        ("x-1/README.rst", ""),
        ("x-1/docs/SECURITY.md", ""),
        ("x-1/History.md", ""),
        ("x-1/LICENSE-MIT", ""),
        ("x-1/a.test.js", ""),
    ];
    let signals = package(&files);
    assert!(signals.has_readme);
    assert!(signals.has_security_policy);
    assert!(signals.has_changelog);
    assert!(signals.has_license_file);
    assert_eq!(signals.test_files, 1);
    let none = package(&[("src/README.md", ""), ("license.js", ""), ("docs/CHANGELOG.md", ""), ("readmes/x.md", "")]);
    assert!(!(none.has_readme || none.has_license_file || none.has_changelog || none.has_security_policy));
}

#[test]
fn a_wrapper_folder_stands_for_the_root_and_a_meaningful_one_does_not() {
    let root = |paths: &[&str]| {
        let files = paths.iter().map(|path| ((*path).to_owned(), BundleFile::new(b"".as_slice()))).collect();
        root_of(&Evidence::gather(&Bundle::local("folder:input", files))).to_owned()
    };
    assert_eq!(root(&["x-1/a", "x-1/b/c"]), "x-1");
    assert_eq!(root(&["a", "x/b"]), "");
    assert_eq!(root(&["skills/a/SKILL.md"]), "");
    assert_eq!(root(&[]), "");
}

#[test]
fn a_wheel_carries_its_readme_and_licence_in_its_metadata() {
    let metadata = "Metadata-Version: 2.1\nName: a\n\n# A\n\nReads.\n";
    let files = [("a/x.py", ""), ("a-1.dist-info/METADATA", metadata), ("a-1.dist-info/licenses/LICENSE", "")];
    let signals = package(&files);
    assert!(signals.has_readme);
    assert!(signals.has_license_file);
    assert_eq!(signals.name, known("a"));
    assert!(!package(&[("a-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: a\n")]).has_readme);
}

#[test]
fn scripts_of_a_package_that_is_a_plugin_stay_with_it() {
    let scripts = Claim::Known(vec![("install".to_owned(), "i".to_owned())]);
    let claims = Claims { install_scripts: scripts, ..Claims::default() };
    let files = [("package.json", "{}"), (".claude-plugin/plugin.json", "{}")];
    assert_eq!(signals_of(Kind::Plugin, &files, &claims).install_scripts.len(), 1);
    assert_eq!(signals_of(Kind::Package, &files, &claims).install_scripts.len(), 0);
}

//! The text in which a finding stands, told from its place.
//!
//! Published methods read different texts. What a server serves is told apart from the file that holds it: a description
//! in source is the model's, the code around it is not.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use capdex_model::fact::{FactSurface, Place};

use super::Evidence;
use super::document::Document;
use super::file_role::FileRole;
use super::manifest::{self, json};
use super::surfaces::Surface;
use super::voice::surfaces::literals_with;

/// The lines and columns at which surfaces stand, by file.
pub(crate) type ServedPlaces = BTreeMap<String, BTreeSet<(u32, u32)>>;

impl Evidence {
    /// The text in which a place lies.
    pub fn fact_surface(&self, place: &Place) -> FactSurface {
        // A folder that lacks something is no text either.
        let Some(document) = self.documents.get(&place.file) else { return FactSurface::Whole };
        let served = self.served_places.get_or_init(|| places_of(self.surfaces()));
        if let Some(here) = served.get(&place.file) {
            // A finding in a surface has the line and column of the surface, and says by its pointer which part it means.
            let is_surface = here.contains(&(place.line, place.column));
            let held = || document.served.get_or_init(|| self.served_in(document));
            let offset = document.offset_of(place);
            if is_surface || held().iter().any(|range| range.contains(&offset)) {
                return FactSurface::Served;
            }
        }
        if manifest::name_of(&place.file) == "package.json" {
            return of_package(document, place);
        }
        match document.role {
            FileRole::Instruction => FactSurface::Instructions,
            FileRole::Source => FactSurface::Source,
            FileRole::Script => FactSurface::Script,
            FileRole::Manifest | FileRole::Lock => FactSurface::Manifest,
            FileRole::Test => FactSurface::Test,
            FileRole::Docs => FactSurface::Docs,
            FileRole::Data | FileRole::Binary => FactSurface::Data,
        }
    }

    /// The stretches of a document that hold surfaces: whole entries of a list, and the literals of a program.
    fn served_in(&self, document: &Document) -> Vec<Range<usize>> {
        let here = self.surfaces().iter().filter(|surface| surface.place.file == document.path);
        if self.manifests.contains_key(&document.path) {
            return here.map(|surface| json::extent_at(&document.text, document.offset_of(&surface.place))).collect();
        }
        literals_with(document, here.flat_map(|surface| &surface.texts).map(|text| text.raw()))
    }
}

fn places_of(surfaces: &[Surface]) -> ServedPlaces {
    let mut places = ServedPlaces::new();
    for Surface { place, .. } in surfaces {
        places.entry(place.file.clone()).or_default().insert((place.line, place.column));
    }
    places
}

/// The part of a `package.json` in which a place lies.
fn of_package(document: &Document, place: &Place) -> FactSurface {
    let by_pointer = place.pointer.split('/').nth(1).map(Into::into);
    let key = by_pointer.or_else(|| json::outermost_key_at(&document.text, document.offset_of(place)));
    match key.as_deref() {
        Some("scripts") => FactSurface::PackageScripts,
        Some("description" | "keywords") => FactSurface::PackageWords,
        _ => FactSurface::PackageManifest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::bundle::{Bundle, BundleFile};

    /// The surface at the first place of some words in the one file of that path.
    fn at(files: &[(&str, &str)], path: &str, words: &str) -> FactSurface {
        let file = |(path, text): &(&str, &str)| ((*path).to_owned(), BundleFile::new(text.as_bytes().to_vec()));
        let evidence = Evidence::gather(&Bundle::local("folder:a", files.iter().map(file).collect()));
        let document = &evidence.documents[path];
        evidence.fact_surface(&document.place(document.text.find(words).expect("the words are there")))
    }

    #[test]
    fn what_a_tool_says_is_served_wherever_it_is_written() {
        let list = r#"{"note": "beside", "tools": [{"name": "a", "description": "reads \"it\" {all}",
            "inputSchema": {"type": "object", "properties": {"b": {"type": "string", "description": "inner"}}}}], "z": "behind"}"#;
        let in_list = |words| at(&[("tools.json", list)], "tools.json", words);
        assert_eq!(["reads", "inner"].map(in_list), [FactSurface::Served; 2]);
        assert_eq!(["beside", "behind"].map(in_list), [FactSurface::Manifest; 2]);
        let source = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('a')\n\n# a remark of ours\n@mcp.tool()\ndef go(x: str) -> str:\n    \"\"\"Reads one of the notes.\"\"\"\n    return open(x).read()\n";
        let in_source = |words| at(&[("server.py", source)], "server.py", words);
        assert_eq!(in_source("Reads one of"), FactSurface::Served);
        assert_eq!(["a remark", "open(x)"].map(in_source), [FactSurface::Source; 2]);
    }

    #[test]
    fn a_package_manifest_has_three_parts() {
        let text = r#"{"name": "a", "description": "of notes", "scripts": {"build": "tsc", "postinstall": "node i.js"},
            "keywords": ["one", "two"], "dependencies": {"left": "1"}}"#;
        let part = |words| at(&[("package.json", text)], "package.json", words);
        assert_eq!(["of notes", "two"].map(part), [FactSurface::PackageWords; 2]);
        assert_eq!(["tsc", "node i.js", "postinstall"].map(part), [FactSurface::PackageScripts; 3]);
        assert_eq!(["\"a\"", "left"].map(part), [FactSurface::PackageManifest; 2]);
    }

    #[test]
    fn other_texts_go_by_their_role() {
        let files = [
            ("SKILL.md", "---\nname: a\ndescription: b\n---\nwords"),
            ("README.md", "words"),
            ("run.sh", "#!/bin/sh\necho words\n"),
            ("tests/test_a.py", "A = 'words'\n"),
            ("a.csv", "words"),
        ];
        let told = files.map(|(path, _)| at(&files, path, "words"));
        let expected = [
            FactSurface::Instructions,
            FactSurface::Docs,
            FactSurface::Script,
            FactSurface::Test,
            FactSurface::Data,
        ];
        assert_eq!(told, expected);
    }
}

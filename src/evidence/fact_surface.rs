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
use super::zones::ZoneKind;

/// The lines and columns at which surfaces stand, by file.
pub(crate) type ServedPlaces = BTreeMap<String, BTreeSet<(u32, u32)>>;

impl Evidence {
    /// The text in which a place lies.
    pub fn fact_surface(&self, place: &Place) -> FactSurface {
        // A folder that lacks something is no text either.
        let Some(document) = self.documents.get(&place.file) else { return FactSurface::Whole };
        let served = self.served_places.get_or_init(|| places_of(self.surfaces()));
        // A finding in a surface has the line and column of the surface, and says by its pointer which part it means.
        if served.get(&place.file).is_some_and(|here| {
            here.contains(&(place.line, place.column)) || self.is_served(document, document.offset_of(place))
        }) {
            return FactSurface::Served;
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

    /// True where a document in which surfaces stand has one at an offset: an entry of a list, or words of a literal.
    fn is_served(&self, document: &Document, offset: usize) -> bool {
        let here = || self.surfaces().iter().filter(|surface| surface.place.file == document.path);
        if self.manifests.contains_key(&document.path) {
            let entries =
                || here().map(|surface| json::extent_at(&document.text, document.offset_of(&surface.place))).collect();
            let entries: &Vec<Range<usize>> = document.served.get_or_init(entries);
            return entries.iter().any(|entry| entry.contains(&offset));
        }
        let index = document.zones.partition_point(|zone| zone.end <= offset);
        let Some(literal) = document.zones.get(index).filter(|zone| zone.kind == ZoneKind::Literal) else {
            return false;
        };
        let written = document.text.get(literal.start..literal.end).unwrap_or_default();
        // The words at the place and the first words of the literal: either may be cut short by an escape.
        let shown = [piece_at(written, offset - literal.start), first_piece(written)];
        let texts = || here().flat_map(|surface| &surface.texts);
        shown.into_iter().flatten().any(|piece| texts().any(|text| text.raw().contains(piece)))
    }
}

/// The shortest words by which a literal is told, in bytes.
const SHOWN: usize = 8;

/// Where a literal's text may differ from what it stands for.
const CUTS: [char; 7] = ['\n', '\\', '"', '\'', '`', '$', '{'];

/// The words of a literal around an offset in it.
fn piece_at(literal: &str, offset: usize) -> Option<&str> {
    let offset = literal.floor_char_boundary(offset);
    let (before, behind) = literal.split_at_checked(offset)?;
    let start = before.rfind(CUTS).map_or(0, |at| at + 1);
    let end = behind.find(CUTS).map_or(literal.len(), |at| offset + at);
    literal.get(start..end).map(str::trim).filter(|piece| piece.len() >= SHOWN)
}

/// The first words of a literal that are long enough to tell it by.
fn first_piece(literal: &str) -> Option<&str> {
    literal.split(CUTS).map(str::trim).find(|piece| piece.len() >= SHOWN)
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
        let source = "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('a')\n\n# a remark of ours\n@mcp.tool()\ndef go(x: str) -> str:\n    \"\"\"Reads one of the notes.\"\"\"\n    return open(x).read() + 'Reads words of the answer'\n";
        let in_source = |words| at(&[("server.py", source)], "server.py", words);
        assert_eq!(in_source("Reads one of"), FactSurface::Served);
        assert_eq!(["a remark", "open(x)", "of the answer"].map(in_source), [FactSurface::Source; 3]);
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
        let expected =
            [FactSurface::Instructions, FactSurface::Docs, FactSurface::Script, FactSurface::Test, FactSurface::Data];
        assert_eq!(told, expected);
    }
}

//! Tests of surfaces: what of a tools list is read, and where it says that it stands.

use super::*;
use capdex_model::bundle::{Bundle, BundleFile};

fn surfaces_of(list: &str) -> Vec<Surface> {
    let files = [("tools.json".to_owned(), BundleFile::new(list.as_bytes().to_vec()))];
    let evidence = Evidence::gather(&Bundle::local("folder:test", files.into()));
    collect(&evidence)
}

#[test]
fn every_string_that_a_model_reads_is_there() {
    let list = r#"{"instructions": "Be kind.",
        "tools": [{"name": "a", "title": "A", "description": "Adds.", "annotations": {"title": "T"},
            "inputSchema": {"type": "object", "properties": {"x": {"description": "One."}}},
            "_meta": {"k": ["deep text here"]}, "icons": [{"src": "https://host.test/i.png"}]}],
        "prompts": [{"name": "p", "description": "Asks.", "arguments": [{"name": "q", "description": "What."}]}],
        "resources": [{"uri": "file:///r", "name": "r", "description": "Reads."}],
        "resourceTemplates": [{"uriTemplate": "db://{t}", "name": "t", "description": "Tables."}]}"#;
    let found: Vec<(SurfaceKind, String, Vec<String>)> = surfaces_of(list)
        .into_iter()
        .map(|surface| {
            let texts =
                surface.texts.iter().map(|text| format!("{}={}", surface.pointer_to(text), text.raw())).collect();
            (surface.kind, surface.place.pointer, texts)
        })
        .collect();
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let expected = [
        (
            SurfaceKind::Tool,
            "/tools/0".to_owned(),
            texts(&[
                "/description=Adds.",
                "/title=A",
                "/annotations/title=T",
                "/inputSchema/properties/x=x",
                "/inputSchema/properties/x/description=One.",
                "/icons/0/src=https://host.test/i.png",
                "/_meta/k/0=deep text here",
            ]),
        ),
        (
            SurfaceKind::Prompt,
            "/prompts/0".to_owned(),
            texts(&["/description=Asks.", "/arguments/0/name=q", "/arguments/0/description=What."]),
        ),
        (SurfaceKind::Resource, "/resources/0".to_owned(), texts(&["/description=Reads.", "/uri=file:///r"])),
        (
            SurfaceKind::Resource,
            "/resourceTemplates/0".to_owned(),
            texts(&["/description=Tables.", "/uriTemplate=db://{t}"]),
        ),
        (SurfaceKind::Server, String::new(), texts(&["/instructions=Be kind."])),
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_is_not_walked_to_its_end_says_so() {
    let many: Vec<String> = (0..=MAX_META).map(|at| format!("\"k{at}\": \"v\"")).collect();
    let list = format!(r#"{{"tools": [{{"name": "a", "description": "A.", "_meta": {{ {} }} }}]}}"#, many.join(","));
    assert!(surfaces_of(&list).first().is_some_and(|surface| surface.exhausted));
    let messages: Vec<&str> = vec![r#"{"role": "user", "content": "Hello."}"#; MAX_META + 1];
    let list = format!(r#"{{"prompts": [{{"name": "p", "messages": [{}]}}], "tools": []}}"#, messages.join(","));
    assert!(surfaces_of(&list).first().is_some_and(|surface| surface.exhausted));
    let list = r#"{"tools": [{"name": "a", "description": "A.", "inputSchema": {"$ref": "https://host.test/s"}}]}"#;
    let found = surfaces_of(list);
    assert_eq!(found.first().map(|surface| surface.unresolved.clone()), Some(vec!["https://host.test/s".to_owned()]));
}

#[test]
fn the_words_of_a_name_are_parts_of_its_folded_form() {
    for name in ["get_weather", "getWeatherNow", "HTTPServer2Go", "--", "", "Über_Straße-İx", "a.b/c"] {
        let surface = Surface::new(SurfaceKind::Tool, name, Place::default());
        assert_eq!(surface.folded, folded_name(name));
        assert!(surface.name_words().eq(name_words(name)), "{name}");
    }
}

/// The inventory of the server in some files, one text a surface.
fn inventory_of(files: &[(&str, &str)]) -> Vec<String> {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), BundleFile::new(text.as_bytes().to_vec())));
    let bundle = Bundle::local("folder:test", files.collect());
    let evidence = Evidence::gather(&bundle);
    let capabilities = crate::decompose::decompose(&bundle, &evidence);
    let of_one = |capability| {
        let (claims, gaps) = (&bundle.claims, bundle.gaps.as_slice());
        inventory(&crate::subject::Subject { capability, evidence: &evidence, claims, gaps })
    };
    let word = |is_so, word: &str| if is_so { format!(" {word}") } else { String::new() };
    let all = capabilities.iter().flat_map(|capability| of_one(capability).records);
    all.map(|one| {
        let kind = one.kind.as_str();
        let said = [word(one.description, "described"), word(one.schema, "schema"), word(one.complete, "complete")];
        format!("{kind} {} {}:{}{}", one.name, one.file, one.line, said.concat())
    })
    .collect()
}

#[test]
fn the_inventory_lists_each_surface_with_what_was_read_of_it() {
    let list = r#"{"server": {"name": "s", "instructions": "Be kind."},
"tools": [
{"name": "z", "description": "Adds.", "inputSchema": {"type": "object"}},
{"name": "a", "inputSchema": {"$ref": "https://host.test/s"}}],
"prompts": [
{"name": "p", "arguments": [{"name": "q"}]}],
"resources": [
{"uri": "file:///r", "name": "r", "description": "Reads."},
{"uri": "UI://clock/face", "name": "face"}],
"resourceTemplates": [
{"uriTemplate": "db://{t}"}]}"#;
    let found = inventory_of(&[("tools.json", list)]);
    let expected = [
        "tool z tools.json:3 described schema complete",
        "tool a tools.json:4 schema",
        "prompt p tools.json:6 schema complete",
        "resource r tools.json:8 described complete",
        "resource db://{t} tools.json:11 complete",
        "instructions server tools.json:1 described complete",
        "ui face tools.json:9 complete",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_servers_mere_name_is_no_surface() {
    let list =
        r#"{"server": {"name": "s", "description": "A server."}, "tools": [{"name": "a", "description": "A."}]}"#;
    assert_eq!(inventory_of(&[("tools.json", list)]), ["tool a tools.json:1 described complete"]);
    assert!(inventory_of(&[("SKILL.md", "---\nname: a\ndescription: b\n---\n# A\n")]).is_empty());
}

#[test]
fn each_file_has_its_own_copy_and_one_line_has_each_name_once() {
    let tool = r#"{"name": "a", "description": "A."}"#;
    let other = r#"{"name": "a", "description": "B.", "inputSchema": {"type": "object"}}"#;
    let both = format!(r#"{{"tools": [{tool}, {other}, {tool}]}}"#);
    let one = format!(r#"{{"tools": [{tool}]}}"#);
    let found = inventory_of(&[("a/tools.json", &both), ("b/tools.json", &one)]);
    assert_eq!(found, ["tool a a/tools.json:1 described schema complete", "tool a b/tools.json:1 described complete"]);
}

#[test]
fn what_a_program_puts_together_at_run_time_is_not_complete() {
    let source = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n\
        import { z } from 'zod';\n\
        const server = new McpServer({ name: 'diary', version: '1.0.0' });\n\
        server.tool('add', 'Adds an event.', { day: z.string() }, async () => ({ content: [] }));\n\
        server.tool('find', 'Finds events of ' + process.env.OWNER, { day: z.string() }, async () => ({ content: [] }));\n";
    let package = r#"{"name": "diary", "version": "1.0.0", "main": "index.mjs", "dependencies": {"@modelcontextprotocol/sdk": "1.0.0"}}"#;
    let found = inventory_of(&[("index.mjs", source), ("package.json", package)]);
    assert_eq!(found, ["tool add index.mjs:4 described schema complete", "tool find index.mjs:5 described schema"]);
}

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

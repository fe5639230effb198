//! One server of the registry: its `server.yaml` and its `tools.json`.
//!
//! The files are given as bytes; the archive around them is unpacked before.

use std::collections::BTreeMap;

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing, Locator};
use serde_json::{Map, Value, json};

use crate::{claims, forge, images, json, page, references};

/// The most bytes of a `server.yaml`. The largest recorded one has a few thousand.
const MAX_YAML_BYTES: usize = 256 * 1024;

/// The listing of a server, and what its digest is taken of.
///
/// # Errors
/// The fault in the files, in words.
pub(super) fn read(key: &ListingKey, yaml: &[u8], tools: Option<&[u8]>) -> Result<(Listing, Value), String> {
    let server = parse(yaml)?;
    let tools = tools.map(|bytes| json::parse(bytes, |_, _| false)).transpose()?;
    let mut files = BTreeMap::from([("listing.json".to_owned(), page::pretty(&server))]);
    // Most folders that have the file have an empty list in it.
    if let Some(tools) = tools.as_ref().filter(|tools| tools.as_array().is_none_or(|tools| !tools.is_empty())) {
        let text = serde_json::to_string_pretty(tools).expect("what was read as JSON can be written");
        files.insert("tools.json".to_owned(), text);
    }
    let part = |name: &str| server.get(name).and_then(Value::as_object);
    let text = |name: &str, member: &str| part(name).and_then(|part| page::text(part, member));
    let project = text("source", "project");
    let repository = project.and_then(references::of_repository);
    let mut locators = vec![Locator::Inline { identity: key.to_string(), version: None, files }];
    locators.extend(
        repository.as_ref().zip(text("source", "commit")).and_then(|(of, at)| forge::archive::of_commit(key, of, at)),
    );
    let about = |member: &str| claims::text(part("about").and_then(|about| about.get(member)), &Claim::Unknown);
    let claims = Claims {
        description: about("description"),
        repository: project.map_or(Claim::Unknown, claims::of_text),
        keywords: claims::texts(part("meta").and_then(|meta| meta.get("tags"))),
        ..Claims::default()
    };
    let image = page::text(&server, "image").and_then(|image| references::oci(&images::reference(None, image, None).0));
    let endpoint = text("remote", "url").and_then(references::endpoint);
    let references = references::sorted([repository, image, endpoint]);
    let listing = Listing { key: key.clone(), locators, claims, references };
    Ok((listing, json!({"server": server, "tools": tools})))
}

/// YAML from strangers: no aliases to speak of, so that a small text cannot become a large value.
fn parse(yaml: &[u8]) -> Result<Map<String, Value>, String> {
    // The parser's budget counts while it reads; this bound comes first, so that a huge text is not even decoded.
    if yaml.len() > MAX_YAML_BYTES {
        return Err(format!("server.yaml has more than {MAX_YAML_BYTES} bytes"));
    }
    let text = std::str::from_utf8(yaml).map_err(|error| error.to_string())?;
    // Aliases expand: ten levels of ten aliases make ten billion values out of a few hundred bytes.
    let budget = serde_saphyr::budget! {
        max_depth: 32,
        flow_nesting_limit: 32,
        max_nodes: 20_000,
        max_aliases: 16,
        max_anchors: 16,
        max_recorded_anchor_events: 1_000,
        max_documents: 1,
        max_inclusion_depth: 0,
        max_total_scalar_bytes: MAX_YAML_BYTES,
        max_merge_keys: 16,
    };
    // A snippet would carry the stranger's text into gaps and logs.
    let options = serde_saphyr::options! { budget: budget, with_snippet: false };
    match serde_saphyr::from_str_with_options::<Value>(text, options) {
        Ok(Value::Object(server)) => Ok(server),
        Ok(_) => Err("server.yaml is no mapping".to_owned()),
        Err(error) => Err(format!("server.yaml: {error}")),
    }
}

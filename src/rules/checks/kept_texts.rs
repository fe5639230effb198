//! Kept texts: what a server tells clients about a surface without showing it, such as the rights of its user interface.

use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::{Surface, SurfacePart, SurfaceText};

use super::tool_texts::surfaces;

/// The keys of `_meta` under which the rights of a user interface stand: those of MCP Apps (SEP-1865, which nests or
/// spells its key out) and the older ones of OpenAI's kit.
pub(super) const POLICIES: [&str; 4] =
    ["/_meta/ui/csp/", "/_meta/ui~1csp/", "/_meta/io.modelcontextprotocol~1ui/csp/", OLDER];
/// The older ones.
pub(super) const OLDER: &str = "/_meta/openai~1widgetCSP/";

/// Every kept text with its surface and its pointer from there.
pub(super) fn kept_texts<'a>(
    subject: &Subject<'a>,
) -> impl Iterator<Item = (&'a Surface, &'a SurfaceText, String)> + use<'a> {
    surfaces(subject).flat_map(|surface| {
        let kept = surface.texts.iter().filter(|text| text.part == SurfacePart::Meta);
        kept.map(move |text| (surface, text, surface.pointer_to(text)))
    })
}

/// The directive of a policy in which a kept text stands, in one spelling for both kits: `connectdomains`.
pub(super) fn directive(pointer: &str) -> Option<String> {
    let below = POLICIES.iter().find_map(|start| pointer.strip_prefix(start))?;
    let (name, _) = below.split_once('/')?;
    Some(name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect())
}

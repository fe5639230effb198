//! The pages of a server's user interface (MCP Apps): which there are, and what they hold.
//!
//! A client shows them as they are, script and all, so that they are read like the rest of what a server lists.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The beginning of the address of such a page.
const SCHEME: &str = "ui://";
/// The most pages of one endpoint that are asked for: each is a request.
pub(super) const MAX_PAGES: usize = 24;
/// The most bytes of one page.
pub(super) const MAX_PAGE_BYTES: usize = 1 << 20;

/// One page as the endpoint gave it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct UiPage {
    /// Its address.
    pub uri: String,
    /// The page.
    pub text: String,
    /// The rights that it asks for; null where it says nothing of them.
    pub meta: Value,
}

/// The addresses of pages that resources and tools name, each once, in their order.
pub(super) fn named(resources: &[Value], tools: &[Value]) -> Vec<String> {
    const BY_TOOLS: [&str; 4] =
        ["/_meta/ui/resourceUri", "/_meta/ui~1resourceUri", "/_meta/openai~1outputTemplate", "/meta/ui/resourceUri"];
    let listed = resources.iter().filter_map(|resource| resource.get("uri")?.as_str());
    let meant = tools.iter().flat_map(|tool| BY_TOOLS.iter().filter_map(|pointer| tool.pointer(pointer)?.as_str()));
    let mut seen = BTreeSet::new();
    let is_page = |uri: &&str| {
        let scheme = uri.trim_start().get(..SCHEME.len());
        scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME)) && uri.len() <= 2_048
    };
    listed.chain(meant).filter(is_page).filter(|uri| seen.insert(*uri)).map(str::to_owned).collect()
}

/// The page in the answer to `resources/read`: its text, or bytes that are one. None where the answer has no text.
pub(super) fn of_answer(uri: &str, answer: &Value) -> Option<UiPage> {
    let contents = answer.get("contents")?.as_array()?;
    let text = contents.iter().find_map(|part| {
        let text = part.get("text").and_then(Value::as_str).map(str::to_owned);
        text.or_else(|| String::from_utf8(STANDARD.decode(part.get("blob")?.as_str()?).ok()?).ok())
    })?;
    let meta = contents.iter().find_map(|part| part.get("_meta").cloned()).unwrap_or_default();
    Some(UiPage { uri: uri.to_owned(), text, meta })
}

/// The name of the file that holds a page: what of its address fits one, behind its number.
pub(super) fn file_name(number: usize, uri: &str) -> String {
    let kept = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let name: String = uri.get(SCHEME.len()..).unwrap_or_default().chars().take(60).map(kept).collect();
    let name = name.trim_matches('-').trim_end_matches("-html");
    format!("ui/{number:02}-{name}.html")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn pages_are_named_by_resources_and_by_tools_once() {
        let resources = [json!({"uri": "ui://clock/face.html"}), json!({"uri": "file:///a"})];
        let tools = [
            json!({"name": "a", "_meta": {"ui": {"resourceUri": "ui://clock/face.html"}}}),
            json!({"name": "b", "_meta": {"openai/outputTemplate": "UI://clock/month"}}),
        ];
        assert_eq!(named(&resources, &tools), ["ui://clock/face.html", "UI://clock/month"]);
    }

    #[test]
    fn a_page_is_text_or_bytes() {
        let page = |part: Value| of_answer("ui://a", &json!({ "contents": [part] })).map(|page| page.text);
        assert_eq!(page(json!({"text": "<p>a</p>"})).as_deref(), Some("<p>a</p>"));
        assert_eq!(page(json!({"blob": "PHA+YTwvcD4="})).as_deref(), Some("<p>a</p>"));
        assert_eq!(page(json!({"blob": "%"})), None);
        assert_eq!(of_answer("ui://a", &json!({})), None);
    }

    #[test]
    fn a_file_is_named_after_its_page() {
        assert_eq!(file_name(1, "ui://clock/face.html"), "ui/01-clock-face.html");
        assert_eq!(file_name(2, "ui://../../etc"), "ui/02-etc.html");
    }

    proptest! {
        #[test]
        fn any_address_makes_a_plain_name(uri in "ui://.{0,80}") {
            let name = file_name(3, &uri);
            prop_assert!(name.strip_prefix("ui/").is_some_and(|name| !name.contains('/') && name.is_ascii()));
        }
    }
}

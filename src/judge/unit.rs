//! `JudgeUnit`: the tools of one server or the texts of one skill, as much as one request holds, in an order of their own.
//!
//! A unit is what answers are kept by: equal units are asked about once, whoever publishes them. Splits lie between tools, and no
//! text is ever cut.

use capdex_evidence::file_role::FileRole;
use capdex_evidence::manifest::ManifestKind;
use capdex_evidence::schema;
use capdex_evidence::subject::Subject;
use capdex_evidence::tools::Tool;
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::Place;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

/// The number of this form of units: another form makes other units of the same content.
pub const UNIT_FORM: u32 = 1;
/// The most bytes of a unit's texts and names.
pub const MAX_INPUT_BYTES: usize = 24 * 1024;
/// The most tools of a unit: their rows must fit into the longest answer.
pub const MAX_TOOLS: usize = 24;

/// One text of a tool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitField {
    /// The JSON Pointer to it from the tool, such as `/description`.
    pub pointer: String,
    /// The text. Untrusted.
    pub text: String,
}

/// One tool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitTool {
    /// Its name. Untrusted.
    pub name: String,
    /// Its texts.
    pub fields: Vec<UnitField>,
}

impl UnitTool {
    fn of(tool: &Tool) -> Self {
        let mut fields = Vec::new();
        let mut push = |pointer: String, text: &str| {
            if !text.trim().is_empty() {
                fields.push(UnitField { pointer, text: text.to_owned() });
            }
        };
        let annotated = tool.annotations.as_ref().and_then(|hints| hints.get("title")).and_then(Value::as_str);
        let said = [("/title", tool.title.as_deref()), ("/annotations/title", annotated)];
        for (pointer, text) in said.into_iter().chain([("/description", tool.description.as_deref())]) {
            push(pointer.to_owned(), text.unwrap_or_default());
        }
        for (root, schema) in [("/inputSchema", &tool.input_schema), ("/outputSchema", &tool.output_schema)] {
            let Some(schema) = schema else { continue };
            let walk = schema::walk(schema);
            for text in &walk.texts {
                // Names of properties are the pointers of what is in them.
                if text.field != schema::SchemaField::Name {
                    let below = walk.pointers.get(text.pointer.clone()).unwrap_or_default();
                    push(format!("{root}{below}"), text.text);
                }
            }
        }
        Self { name: tool.name.clone(), fields }
    }

    fn bytes(&self) -> usize {
        self.name.len() + self.fields.iter().map(|field| field.pointer.len() + field.text.len()).sum::<usize>()
    }

    /// The text at a pointer; the name under `/name`.
    pub fn text_at(&self, pointer: &str) -> Option<&str> {
        if pointer == "/name" {
            return Some(&self.name);
        }
        self.fields.iter().find(|field| field.pointer == pointer).map(|field| field.text.as_str())
    }
}

/// The kinds of capabilities that a model can be asked about.
pub const KINDS: [Kind; 3] = [Kind::McpServer, Kind::Skill, Kind::Rules];

/// Tools of one server, or texts of one skill or of one file of rules, with what says whose it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeUnit {
    /// The kind, one of [`KINDS`]: it decides what is asked. Left out where it is a server, as it was when nothing else was asked about.
    #[serde(default = "server", skip_serializing_if = "is_server")]
    pub kind: Kind,
    /// The server's name, or of texts that of their package. Untrusted.
    pub server: String,
    /// The host at which it is reached; empty for one that runs on the user's machine.
    pub host: String,
    /// The tools or texts, in the order of their names and contents.
    pub tools: Vec<UnitTool>,
}

const fn server() -> Kind {
    Kind::McpServer
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_server(kind: &Kind) -> bool {
    *kind == Kind::McpServer
}

impl JudgeUnit {
    /// What tells it from any other.
    pub fn digest(&self) -> Digest {
        Digest::of_json(self)
    }

    /// The bytes of its texts.
    pub fn bytes(&self) -> usize {
        self.tools.iter().map(UnitTool::bytes).sum()
    }
}

/// A part of a server: a unit, or a tool that is too long for any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JudgePart {
    /// Tools that fit into one request, each with its place.
    Unit(JudgeUnit, Vec<Place>),
    /// A tool that fits into none.
    TooLong(Place),
}

/// The texts that an agent loads with a capability as instructions, each as one row.
fn texts(subject: &Subject<'_>) -> Vec<(UnitTool, Place)> {
    let loaded = subject.documents().filter(|document| document.role == FileRole::Instruction);
    loaded
        .filter(|document| !document.text.trim().is_empty())
        .map(|document| {
            let field = UnitField { pointer: "/text".to_owned(), text: document.text.clone() };
            let place = Place { file: document.path.clone(), line: 1, ..Place::default() };
            (UnitTool { name: text_name(&document.path, &subject.capability.name), fields: vec![field] }, place)
        })
        .collect()
}

/// The name of a text, as planted ones have one: a path would tell them apart.
fn text_name(path: &str, capability: &str) -> String {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.trim_start_matches('.').split('.').next().unwrap_or_default();
    let name = if stem.eq_ignore_ascii_case("skill") { folder.rsplit('/').next().unwrap_or_default() } else { stem };
    if name.is_empty() { capability.to_owned() } else { name.to_owned() }
}

/// The parts of a capability, in their order; none where it has no tool, or no text that is loaded.
pub fn parts(subject: &Subject<'_>, identity: &str) -> Vec<JudgePart> {
    let kind = subject.capability.kind;
    let mut tools: Vec<(UnitTool, Place)> = match kind {
        Kind::McpServer => subject.tools().map(|tool| (UnitTool::of(tool), tool.place.clone())).collect(),
        _ => texts(subject),
    };
    // An order that no file decides, so that copies of one server are one unit.
    tools.sort_by(|one, other| one.0.cmp(&other.0));
    tools.dedup_by(|one, other| one.0 == other.0);
    let (server, host) = match kind {
        Kind::McpServer => (subject.capability.name.clone(), host(subject, identity)),
        _ => (identity.to_owned(), String::new()),
    };
    let empty = || JudgeUnit { kind, server: server.clone(), host: host.clone(), tools: Vec::new() };
    let (mut parts, mut open, mut places, mut bytes) = (Vec::new(), empty(), Vec::new(), 0);
    for (tool, place) in tools {
        if tool.bytes() > MAX_INPUT_BYTES {
            parts.push(JudgePart::TooLong(place));
            continue;
        }
        if bytes + tool.bytes() > MAX_INPUT_BYTES || open.tools.len() == MAX_TOOLS {
            parts.push(JudgePart::Unit(std::mem::replace(&mut open, empty()), std::mem::take(&mut places)));
            bytes = 0;
        }
        bytes += tool.bytes();
        open.tools.push(tool);
        places.push(place);
    }
    if !open.tools.is_empty() {
        parts.push(JudgePart::Unit(open, places));
    }
    parts
}

/// The host of an endpoint: of one that was asked its address, else the first that a `server.json` names.
fn host(subject: &Subject<'_>, identity: &str) -> String {
    let of_address = |text: &str| Url::parse(text).ok()?.host_str().map(str::to_owned);
    if let Some(host) = identity.strip_prefix("mcp:").and_then(of_address) {
        return host;
    }
    let manifests = subject.capability.files.iter().filter_map(|path| subject.evidence.manifests.get(path));
    let mut remotes = manifests
        .filter(|manifest| manifest.kind == ManifestKind::ServerJson)
        .filter_map(|manifest| manifest.value.get("remotes")?.as_array())
        .flatten()
        .filter_map(|remote| remote.get("url")?.as_str());
    remotes.find_map(of_address).unwrap_or_default()
}

#[cfg(test)]
#[path = "unit_tests.rs"]
mod tests;

//! What the passes saw, as findings: the layer of the published methods that compares listings and nights.
//!
//! Must not look for itself: it reads what a pass stored (`sighting`), and says it under the methods' codes. Of what
//! nobody compared (a local input, a first night) nothing is said: such a question makes no sense of one thing alone.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Place};
use capdex_model::sighting::Sighting;

use super::card_rule::card_rule;
use super::package_subject::describes_no_package;

card_rule!(
    /// Names that look like established ones of the whole corpus.
    SightedLookAlike,
    LOOK_ALIKE,
    |subject, facts| report(subject, facts, |sighting| sighting.pass == "lookalikes" && !is_of_host(sighting))
);

card_rule!(
    /// Hosts that look like established ones.
    SightedLookAlikeHost,
    LOOK_ALIKE_HOST,
    |subject, facts| report(subject, facts, |sighting| sighting.pass == "lookalikes" && is_of_host(sighting))
);

card_rule!(
    /// Tools that wear the name of another server's.
    SightedToolCollision,
    TOOL_COLLISION,
    |subject, facts| report(subject, facts, |sighting| sighting.pass == "collisions")
);

card_rule!(
    /// Definitions that changed to something dangerous.
    SightedDrift,
    DRIFT,
    |subject, facts| report(subject, facts, |sighting| sighting.pass == "drift" && sighting.class != "same_version")
);

card_rule!(
    /// Other bytes under one version, seen by comparing bytes.
    SightedOtherBytes,
    OTHER_BYTES,
    |subject, facts| report(subject, facts, |sighting| sighting.pass == "drift" && sighting.class == "same_version")
);

card_rule!(
    /// Packages and repositories that changed hands.
    SightedOwnerChange,
    OWNER_CHANGE,
    |subject, facts| report(subject, facts, |sighting| sighting.pass == "identity")
);

/// Whether a look-alike is one of hosts: the classes of that pass name it.
fn is_of_host(sighting: &Sighting) -> bool {
    sighting.class.starts_with("host")
}

/// Says what was seen of this capability, or of its package, at these bytes.
fn report(subject: &Subject<'_>, facts: &mut FactSink<'_>, is_meant: impl Fn(&Sighting) -> bool) {
    let Some(sightings) = subject.claims.standing.sightings.known() else { return facts.not_applicable() };
    let is_here = |sighting: &&Sighting| {
        let is_of_it = match sighting.capability {
            Some(capability) => capability == subject.capability.id,
            None => !describes_no_package(subject),
        };
        is_of_it && sighting.content.is_none_or(|content| content == subject.capability.content)
    };
    for sighting in sightings.iter().filter(|sighting| is_meant(sighting)).filter(is_here) {
        facts.found_as(sighting.severity, Confidence::Medium, Place::default(), &sighting.detail);
    }
}

const LOOK_ALIKE: &str = r#"
id = "sighted-look-alike"
version = 1
title = "Its name looks like that of something established"
why = "Over all directories, a name that is almost another's is how people are led to the wrong one. Here something else than the name points the same way."
fix = "Nothing to fix if the name is yours: say in the description what it is not. Users: check publisher and repository before use."
cannot_see = "Names that nobody uses yet, and whether the two publishers are one person. It speaks only of what a night has compared."
severity = "medium"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["SAFE-T1004", "SAFE-T1006", "owasp-mcp:MCP04", "owasp-ast:AST04"]
[codes]
spiderrating = ["TS-W007"]
saferskills = ["SS-MCP-SUPPLY-CHAIN-TYPOSQUAT-01"]

[[examples.fires]]
note = "one letter from an established name, with its description"
files = { "README.md" = "A package." }
claims = { standing = { sightings = { known = [{ pass = "lookalikes", class = "transposition", severity = "medium", detail = "npm:acme-clietn looks like npm:acme-client, and carries its description" }] } } }

[[examples.silent]]
note = "compared, and something else was seen"
files = { "README.md" = "A package." }
claims = { standing = { sightings = { known = [{ pass = "lookalikes", class = "host_combosquat", severity = "medium", detail = "acme-pay.example looks like acme.example" }] } } }

[[examples.silent]]
note = "compared with nothing"
files = { "README.md" = "A package." }
"#;

const LOOK_ALIKE_HOST: &str = r#"
id = "sighted-look-alike-host"
version = 1
title = "Its host looks like that of an established server"
why = "A remote server under almost the name of a known one gets the credentials and the questions that were meant for that one."
fix = "Serve it under your own registrable domain. Users: connect to the vendor's own host."
cannot_see = "Hosts of vendors that list no server; several domains of one vendor that nothing shows to be one. It speaks only of what a night has compared."
severity = "high"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["SAFE-T1004", "owasp-mcp:MCP04"]
codes = { mcpbundles = ["SAFE-T1405"] }

[[examples.fires]]
note = "a brand with a word, and the brand's tools"
files = { "tools.json" = '{"tools": [{"name": "create_invoice", "description": "Creates an invoice."}]}' }
claims = { standing = { sightings = { known = [{ pass = "lookalikes", class = "host_combosquat", severity = "high", detail = "mcp.acme-pay.example looks like mcp.acme.example, and offers its tools" }] } } }

[[examples.silent]]
note = "a look-alike by name only"
files = { "tools.json" = '{"tools": [{"name": "create_invoice", "description": "Creates an invoice."}]}' }
claims = { standing = { sightings = { known = [{ pass = "lookalikes", class = "transposition", severity = "medium", detail = "npm:acme-clietn looks like npm:acme-client" }] } } }
"#;

const TOOL_COLLISION: &str = r#"
id = "sighted-tool-collision"
version = 1
title = "A tool wears the name of an established server's tool"
why = "An agent picks tools by name. One that repeats another's rare name, and takes more or speaks of the other, gets the calls that were meant for it."
fix = "Give the tool a name of its own, with the product in it."
cannot_see = "Names that are shared by agreement; servers that were never listed. It speaks only of what a night has compared."
severity = "high"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["SAFE-T1301", "SAFE-T1008", "owasp-mcp:MCP03"]
codes = { mcpbundles = ["SAFE-T1103"] }

[[examples.fires]]
note = "a rare name with a directive about the other"
files = { "tools.json" = '{"tools": [{"name": "acme_refund_order", "description": "Refunds an order."}]}' }
claims = { standing = { sightings = { known = [{ pass = "collisions", class = "shadow", severity = "high", detail = "acme_refund_order is a tool of npm:@acme/server" }] } } }

[[examples.silent]]
note = "compared, and something else was seen"
files = { "tools.json" = '{"tools": [{"name": "acme_refund_order", "description": "Refunds an order."}]}' }
claims = { standing = { sightings = { known = [{ pass = "drift", class = "D4", severity = "medium", detail = "a parameter was added" }] } } }
"#;

const DRIFT: &str = r#"
id = "sighted-drift"
version = 1
title = "It changed to something dangerous since it was first looked at"
why = "People approve what they see once. A change that adds a directive, a recipient or a right afterwards is how a trusted capability is turned."
fix = "Publish such a change as a new version and say what it is for. Users: read the diff before approving again."
cannot_see = "What was there from the beginning; changes between two looks that were taken back. It speaks only of what a night has compared."
severity = "high"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["SAFE-T1201", "SAFE-T1205", "owasp-mcp:MCP03", "owasp-ast:AST07"]
codes = { mcpbundles = ["SAFE-T1201"] }

[[examples.fires]]
note = "a description gained a concealed order"
files = { "tools.json" = '{"tools": [{"name": "add", "description": "Adds two numbers."}]}' }
claims = { standing = { sightings = { known = [{ pass = "drift", class = "D5", severity = "high", detail = "the description of add gained an order about other tools" }] } } }

[[examples.silent]]
note = "seen of other bytes than these"
files = { "tools.json" = '{"tools": [{"name": "add", "description": "Adds two numbers."}]}' }
claims = { standing = { sightings = { known = [{ pass = "drift", class = "D5", severity = "high", content = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", detail = "the description of add gained an order" }] } } }
"#;

const OTHER_BYTES: &str = r#"
id = "sighted-other-bytes"
version = 1
title = "Other bytes came under the version that was looked at"
why = "Who pinned the version gets bytes that nobody has looked at. Registries keep a version as it is; mirrors, moved tags and swapped files do not."
fix = "Publish changes as a new version, and pin digests."
cannot_see = "What was swapped before the first look. It speaks only of what a night has compared."
severity = "high"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["SAFE-T1201", "owasp-mcp:MCP04", "owasp-ast:AST07", "CWE-345"]
[codes]
spiderrating = ["TS-P002"]
saferskills = ["SS-MCP-SUPPLY-CHAIN-HASH-DRIFT-01"]

[[examples.fires]]
note = "a moved tag"
files = { "README.md" = "A package." }
claims = { standing = { sightings = { known = [{ pass = "drift", class = "same_version", severity = "high", detail = "version 1.2.0 has other bytes than before" }] } } }

[[examples.silent]]
note = "an ordinary change"
files = { "README.md" = "A package." }
claims = { standing = { sightings = { known = [{ pass = "drift", class = "D4", severity = "medium", detail = "a parameter was added" }] } } }
"#;

const OWNER_CHANGE: &str = r#"
id = "sighted-owner-change"
version = 1
title = "It changed hands, or is another thing under its old name"
why = "A name keeps its users' trust when the account or the repository behind it is replaced."
fix = "Tell users of the change. Users: look at the new owner before the next update."
cannot_see = "Accounts that changed hands under their old name; changes before the first look. It speaks only of what a night has compared."
severity = "high"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "rules", "package"]
lifecycle = "stable"
cites = ["SAFE-T1207", "SAFE-T1002", "owasp-mcp:MCP04", "owasp-ast:AST07"]
codes = { saferskills = ["SS-HOOKS-SUPPLY-CHAIN-OWNER-XFER-01"] }

[[examples.fires]]
note = "a repository that was made again"
files = { "README.md" = "A package." }
claims = { standing = { sightings = { known = [{ pass = "identity", class = "recreated", severity = "high", detail = "github:acme/tools is another repository than before" }] } } }

[[examples.silent]]
note = "compared, and something else was seen"
files = { "README.md" = "A package." }
claims = { standing = { sightings = { known = [{ pass = "drift", class = "D4", severity = "medium", detail = "a parameter was added" }] } } }
"#;

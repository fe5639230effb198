//! The manual's cards of the registries.
//!
//! The manual is written from these texts.

use capdex_model::source_role::{NameProof, Rows, SourceRole, Speaker};

use crate::http::RateLimit;
use crate::{KeyMeta, SourceMeta, WalkKind};

const LISTINGS: &str = "\
Each version of a server is a listing, `name@version`. Only the latest one carries the text of its `server.json`, the MCP
bundles that it names (`mcpb`, with `fileSha256` where it is stated) and references: packages of npm and PyPI, images, the
endpoints among its remotes that have no places to fill in, and the repository. Packages of NuGet and Cargo are read in the
text and not followed.

A row is unchanged where the digest of its canonical form is the one of the last visit. That form has the names that the
schema uses since 2025-09-16, images as one reference, and neither `$schema`, empty values, `false` where that is the
default, the registry's own instants and ids, nor a readme. Status, its message and `isLatest` count. Of the operators'
own rewritings in schema migrations none is left in this form: what still changes under a published version is news.

A page that has not the shape of the API is an error and never an empty page, and so is a cursor that leads to itself. A
row with a name that is too long or has control characters fails by itself.";

const STORED: &str = "\
The `server.json` of the latest versions in canonical form, with the forge's numeric id of the repository and what the
publisher put into `_meta`; of every version description, repository, instant of publication, and deprecation with its
message.";

/// The role that every registry of servers has for the passes.
const REGISTRY: SourceRole = SourceRole {
    speaker: Speaker::Publisher,
    proof: NameProof::Namespace,
    rows: Rows::Versions,
    ..SourceRole::UNKNOWN
};

/// The official registry.
pub(super) const OFFICIAL: SourceMeta = SourceMeta {
    id: super::id::ID,
    title: "official MCP registry",
    about: LISTINGS,
    endpoints: "`GET /v0.1/servers?limit=100&cursor=…&include_deleted=true`, and between full walks the same with \
                `updated_since` ten minutes before the newest change of the last walk.",
    limits: "180 requests a minute for an address, three times as many at once, then 429 (its ingress, as of 2025-12-13). \
             Its documentation asks aggregators to come regularly and not often, about once an hour, and to keep a store \
             of their own. capdex asks 150 times a minute at most.",
    stored: STORED,
    terms: "The registry's data is dedicated to the public domain, CC0 1.0 (its terms, section 10, 2025-09-02). Its name \
            is used as the credit of a source only.",
    base_url: Some("https://registry.modelcontextprotocol.io"),
    rate_limits: &[(
        "https://registry.modelcontextprotocol.io",
        RateLimit { per_minute: 150, burst: 20, in_flight: 2 },
    )],
    keys: &[],
    walk: WalkKind::Directory { is_incremental: true },
    role: SourceRole { dates_entries: true, precedence: 6, ..REGISTRY },
};

/// GitHub's curated registry.
pub(super) const GITHUB: SourceMeta = SourceMeta {
    id: "github-registry",
    title: "GitHub's MCP registry",
    about: LISTINGS,
    endpoints: "`GET /v0/servers?limit=100&cursor=…`.",
    limits: "None published. It had 252 servers in 2026-09, so that a walk is a few requests. capdex asks 30 times a \
             minute at most.",
    stored: STORED,
    terms: "Not stated for the listing's data; answered without a key.",
    base_url: Some("https://api.mcp.github.com"),
    rate_limits: &[("https://api.mcp.github.com", RateLimit { per_minute: 30, burst: 5, in_flight: 1 })],
    keys: &[],
    walk: WalkKind::Directory { is_incremental: false },
    role: SourceRole { dates_entries: true, ..REGISTRY },
};

/// PulseMCP.
pub(super) const PULSEMCP: SourceMeta = SourceMeta {
    id: "pulsemcp",
    title: "PulseMCP",
    about: LISTINGS,
    endpoints: "`GET /v0.1/servers?limit=100&cursor=…`, between full walks with `updated_since`. Its older `/v0beta` answers \
                410 since 2026-09 and is not asked.",
    limits: "200 requests a minute, 5,000 an hour, 10,000 a day, with `X-RateLimit-*` headers; its 429 says no time to come \
             back. capdex asks 80 times a minute at most, which keeps to the hour too.",
    stored: STORED,
    terms: "By agreement with PulseMCP, which gives out the two keys by e-mail. Its estimates of visitors are not kept.",
    base_url: Some("https://api.pulsemcp.com"),
    rate_limits: &[("https://api.pulsemcp.com", RateLimit { per_minute: 80, burst: 10, in_flight: 1 })],
    keys: &[
        KeyMeta { variable: "CAPDEX_PULSEMCP_KEY", header: "x-api-key", prefix: "", is_required: true },
        KeyMeta { variable: "CAPDEX_PULSEMCP_TENANT", header: "x-tenant-id", prefix: "", is_required: true },
    ],
    walk: WalkKind::Directory { is_incremental: true },
    role: REGISTRY,
};

/// Any other.
pub(super) const OTHERS: SourceMeta = SourceMeta {
    id: "mcp-registry",
    title: "any other server that speaks the MCP registry's API",
    about: LISTINGS,
    endpoints: "`GET /v0.1/servers?limit=100&cursor=…` below the address that the schedule gives, such as that of a ToolHive \
                registry server. Every walk is a full one: not all such servers know `updated_since`.",
    limits: "Those of whoever runs it; the schedule may say so..",
    stored: STORED,
    terms: "Those of whoever runs it.",
    base_url: None,
    rate_limits: &[],
    keys: &[KeyMeta {
        variable: "CAPDEX_MCP_REGISTRY_KEY",
        header: "authorization",
        prefix: "Bearer ",
        is_required: false,
    }],
    walk: WalkKind::Directory { is_incremental: false },
    role: REGISTRY,
};

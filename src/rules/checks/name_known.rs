//! Names that others imitate, and names that were used for attacks: small lists with where they come from.
//!
//! The rules about names compare with them.

/// Names that others imitate in naming skills: the targets that SpiderRating publishes, in its order.
pub(super) const SKILL_TARGETS: [&str; 14] = [
    "clawhub",
    "openclaw",
    "web-search",
    "google-search",
    "youtube",
    "calculator",
    "calendar",
    "slack",
    "discord",
    "whatsapp",
    "telegram",
    "solana",
    "bitcoin",
    "ethereum",
];

/// Ordinary words and well-known other names that are one edit from a target.
pub(super) const SKILL_NEIGHBOURS: [&str; 14] = [
    "black",
    "stack",
    "snack",
    "slick",
    "shack",
    "smack",
    "flack",
    "lack",
    "slacks",
    "discard",
    "solano",
    "calendars",
    "calculators",
    "openclaws",
];

/// Packages of servers that many people install, without their scope where it is not theirs alone. Taken from the
/// MCP project's reference servers and from the publishers' own documentation, 2026-11.
pub(super) const SERVER_PACKAGES: [&str; 29] = [
    "server-filesystem",
    "server-github",
    "server-postgres",
    "server-puppeteer",
    "server-sequential-thinking",
    "server-memory",
    "server-everything",
    "server-brave-search",
    "server-google-maps",
    "server-gitlab",
    "mcp-server-fetch",
    "mcp-server-git",
    "mcp-server-time",
    "mcp-server-sqlite",
    "context7-mcp",
    "firecrawl-mcp",
    "tavily-mcp",
    "mcp-remote",
    "fastmcp",
    "figma-developer-mcp",
    "notion-mcp-server",
    "mcp-server-supabase",
    "mcp-server-cloudflare",
    "chrome-devtools-mcp",
    "desktop-commander",
    "postmark-mcp",
    "mcp-atlassian",
    "mcp-grafana",
    "playwright-mcp-server",
];

/// Scopes that belong to known publishers of servers.
pub(super) const SCOPES: [&str; 12] = [
    "@modelcontextprotocol",
    "@anthropic-ai",
    "@playwright",
    "@upstash",
    "@notionhq",
    "@supabase",
    "@cloudflare",
    "@stripe",
    "@sentry",
    "@browserbasehq",
    "@smithery",
    "@executeautomation",
];

/// Names of skills that were taken down as attacks, from the list that SpiderRating's engine holds. With a slash: the
/// publisher and the name. Two of its seven stand apart, in [`TAKEN_DOWN_IN_USE`].
pub(super) const TAKEN_DOWN: [&str; 5] =
    ["google-qx4", "net_ninja", "better-polymarket", "cgallic/wake-up", "jeffreyling/devinism"];

/// The two that honest authors choose as well.
pub(super) const TAKEN_DOWN_IN_USE: [&str; 2] = ["security-check", "nanopdf"];

/// Publishers whose hosts are imitated.
pub(super) const PUBLISHER_HOSTS: [&str; 28] = [
    "anthropic",
    "openai",
    "google",
    "googleapis",
    "microsoft",
    "github",
    "gitlab",
    "atlassian",
    "cloudflare",
    "amazonaws",
    "stripe",
    "paypal",
    "notion",
    "linear",
    "slack",
    "discord",
    "telegram",
    "figma",
    "sentry",
    "supabase",
    "vercel",
    "hubspot",
    "salesforce",
    "zapier",
    "modelcontextprotocol",
    "huggingface",
    "coinbase",
    "binance",
];

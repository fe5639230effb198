//! Entries that methods and taxonomies publish, as data, and the rules here that answer each entry.
//!
//! A rule answers an entry by carrying its code or by citing it.

use std::sync::LazyLock;

use serde::Deserialize;

use capdex_model::fact::Severity;
use capdex_model::rule::{Lifecycle, RuleIndex, RuleMeta};

#[cfg(test)]
mod inputs;
#[cfg(test)]
mod tests;

/// The catalogues, in the order of the manual.
const TEXTS: [&str; 9] = [
    include_str!("spiderrating.toml"),
    include_str!("saferskills.toml"),
    include_str!("mcpbundles.toml"),
    include_str!("agentscore.toml"),
    include_str!("mcp_scan.toml"),
    include_str!("safe_mcp.toml"),
    include_str!("owasp_mcp.toml"),
    include_str!("owasp_ast.toml"),
    include_str!("references.toml"),
];

/// The part of a catalogue in this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CatalogueRole {
    /// A method that one of our rubrics follows: rules carry its codes, and every entry is answered.
    Method,
    /// A list of threats or findings that rules cite: every entry is answered, or what would answer it is named.
    Taxonomy,
    /// A work of reference: what rules rest on. Nothing in it has to be answered.
    Reference,
}

/// The place of an entry in its own method's life cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryStatus {
    /// It runs and counts.
    #[default]
    Live,
    /// It runs and is not meant to count.
    Shadow,
    /// It is published as active; the method's own engine can never fire it.
    Dead,
    /// Not meant to count, and never fires.
    DeadShadow,
    /// Earlier generations had it.
    Dropped,
    /// Named in a list, without a page of its own.
    Listed,
    /// The method names the group and not its members: number and content are ours.
    Ours,
}

impl EntryStatus {
    /// The words that the manual prints.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Shadow => "shadow",
            Self::Dead => "published, never fires there",
            Self::DeadShadow => "shadow, never fires there",
            Self::Dropped => "dropped",
            Self::Listed => "listed without a page",
            Self::Ours => "numbered by us",
        }
    }
}

/// The data that an answer needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Needs {
    /// The bytes of one input.
    #[default]
    Bundle,
    /// The statements of one registry about a package.
    Listing,
    /// Facts about the source repository or its owner.
    Repository,
    /// The earlier state of the same capability or package.
    History,
    /// Several listings, or several servers side by side.
    Listings,
    /// A list that the operator keeps.
    Operator,
    /// A running installation.
    Host,
}

impl Needs {
    /// The words that the manual prints.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bundle => "the bytes",
            Self::Listing => "the registry's claims",
            Self::Repository => "facts of the repository",
            Self::History => "what was there before",
            Self::Listings => "several listings or servers",
            Self::Operator => "the operator's list",
            Self::Host => "a running host",
        }
    }
}

/// The part of the program that answers an entry which no rule over one input can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Elsewhere {
    /// The pass that compares snapshots (`drift`).
    Drift,
    /// The pins that are kept of every snapshot: a statement, and no finding.
    Pins,
    /// The ledger of gaps: what could not be read, and why.
    Ledger,
    /// Nothing here: only somebody who runs it can see it.
    Host,
}

impl Elsewhere {
    /// The words that the manual prints.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Drift => "the pass `drift`",
            Self::Pins => "the pins of every revision",
            Self::Ledger => "the ledger of gaps",
            Self::Host => "not asked: seen on a running host only",
        }
    }
}

/// One published code, technique or category.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CatalogueEntry {
    /// The code as published.
    pub code: String,
    /// Its name there, or in our words where it has none.
    pub name: String,
    /// The severity as published; none where none is.
    #[serde(default)]
    pub severity: Option<Severity>,
    /// Its place in its own method's life cycle.
    #[serde(default)]
    pub status: EntryStatus,
    /// The data that an answer needs.
    #[serde(default)]
    pub needs: Needs,
    /// The part that answers it where no rule does, or beside the rules.
    #[serde(default)]
    pub elsewhere: Option<Elsewhere>,
    /// The generations that publish it, a letter each; empty where the catalogue has none.
    #[serde(default)]
    pub generations: String,
    /// The way in which a taxonomy says it can be seen, in that catalogue's own letters.
    #[serde(default)]
    pub marks: String,
    /// The citations of the method itself.
    #[serde(default)]
    pub as_published: Vec<String>,
    /// The entries that fit better, where the cited entry says something else; a rule with the code cites one of these.
    #[serde(default)]
    pub reviewed: Vec<String>,
    /// Anything else that a reader should know.
    #[serde(default)]
    pub note: String,
}

/// All that one publisher lists.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// Its id; for a method that of its family of codes.
    pub id: String,
    /// Its name.
    pub title: String,
    /// Its part in this program.
    pub role: CatalogueRole,
    /// The text before a code in a citation.
    pub cite: String,
    /// The place and version of its publication.
    pub published_at: String,
    /// When that was read.
    pub read: String,
    /// Its entries, in the order of their publisher.
    pub entries: Vec<CatalogueEntry>,
}

static ALL: LazyLock<Vec<Catalogue>> = LazyLock::new(|| {
    TEXTS.iter().map(|text| toml::from_str(text).expect("the compiled-in catalogues parse, as tested")).collect()
});

/// Every catalogue, in the order of the manual.
pub fn all() -> &'static [Catalogue] {
    &ALL
}

impl Catalogue {
    /// The forms in which rules cite an entry: one, or one for each generation.
    pub fn citations(&self, entry: &CatalogueEntry) -> Vec<String> {
        // Generations of one method may give one code different meanings: a rule cites the one that it answers.
        if entry.generations.is_empty() {
            return vec![format!("{}{}", self.cite, entry.code)];
        }
        entry.generations.chars().map(|generation| format!("{}{}@{generation}", self.cite, entry.code)).collect()
    }

    /// Those of some rules that run and answer an entry, sorted by id.
    pub fn rules(&self, entry: &CatalogueEntry, rules: &RuleIndex) -> Vec<&'static RuleMeta> {
        let citations = self.citations(entry);
        let answers = |meta: &&RuleMeta| {
            // Retired rules answer nothing any more: an entry that only they answer is open.
            let carried = meta.codes.get(&self.id).is_some_and(|codes| codes.contains(&entry.code));
            meta.lifecycle != Lifecycle::Retired && (carried || meta.cites.iter().any(|cite| citations.contains(cite)))
        };
        rules.all().iter().copied().filter(answers).collect()
    }

    /// True where its entries have to be answered.
    pub fn asks(&self) -> bool {
        self.role != CatalogueRole::Reference
    }
}

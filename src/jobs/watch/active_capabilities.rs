//! The capabilities that stand now, as the passes see them that compare contents: each with its publishers and since when.
//!
//! Nothing is compared here.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use capdex_corpus::campaign::{TRAITS_VERSION, Traits, UNPROVEN};
use capdex_corpus::clone::{CloneMember, Files, SKETCH_VERSION, Sketch};
use capdex_corpus::corpus::{Corpus, CorpusMember};
use capdex_db::{CurrentCapability, ListingState, Reader, Sketched, SnapshotId, StoreError};
use capdex_model::bundle::BundleFile;
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::facts::SparseFacts;
use capdex_model::ids::{CapabilityId, ListingKey};
use capdex_model::release_line;
use capdex_model::time::{AsOf, Timestamp};

use super::JobContext;
use capdex_dataset::bulk;
use capdex_dataset::export::ranked_capability;

/// Contents sketched between two transactions: bounds memory and what a kill costs.
const BATCH: usize = 256;

/// One capability that stands now: what the comparison of all with all asks of it, and no more, as there are as many as the store holds.
#[derive(Clone, Debug)]
pub(super) struct ActiveCapability {
    pub(super) id: CapabilityId,
    pub(super) slug: String,
    pub(super) kind: Kind,
    /// Its folder in the package.
    pub(super) path: String,
    pub(super) content: Digest,
    pub(super) facts: Digest,
    pub(super) snapshot: SnapshotId,
    /// The listing that speaks for it.
    pub(super) listing: ListingKey,
    pub(super) first_seen: AsOf,
    pub(super) revision_as_of: AsOf,
    /// The owners that prove to answer for it; the thing itself where nobody does.
    pub(super) publishers: BTreeSet<String>,
    /// The thing that it is part of, whichever directory lists it.
    pub(super) entity: String,
    pub(super) popularity: Option<u64>,
    pub(super) created: Option<Timestamp>,
    pub(super) published: Option<Timestamp>,
    names: Vec<String>,
    upstream: Vec<String>,
}

impl ActiveCapability {
    /// The facts that tell when its text came, which nights of ours first saw at `text_since`.
    pub(super) fn seen(&self, text_since: Timestamp) -> CloneMember<'_> {
        CloneMember {
            first_seen: text_since,
            created: self.created,
            published: self.published,
            popularity: self.popularity,
            names: &self.names,
            upstream: &self.upstream,
        }
    }

    /// What the rules found in it.
    ///
    /// # Errors
    /// Errors of the store, or that the facts are missing.
    pub(super) fn found_facts(&self, reader: &Reader) -> anyhow::Result<SparseFacts> {
        ranked_capability::there(reader.found_facts(&self.facts)?, &self.slug)
    }

    /// All answers of the rules.
    ///
    /// # Errors
    /// Errors of the store, or that the facts are missing.
    pub(super) fn all_facts(&self, reader: &Reader) -> anyhow::Result<SparseFacts> {
        ranked_capability::there(reader.facts(&self.facts)?, &self.slug)
    }

    /// Its files.
    ///
    /// # Errors
    /// Errors of the store.
    pub(super) fn files(&self, reader: &Reader) -> anyhow::Result<BTreeMap<String, BundleFile>> {
        let current = reader.current_of(&self.id)?;
        let current = current.ok_or_else(|| anyhow::anyhow!("{} stands no more", self.slug))?;
        Ok(reader.capability_files(self.snapshot, &current.capability)?)
    }

    /// True where one publisher answers for both, or both are one thing.
    pub(super) fn same_publisher(&self, other: &Self) -> bool {
        self.entity == other.entity || !self.publishers.is_disjoint(&other.publishers)
    }
}

/// The active capabilities of a night, read once for all passes that compare them. No pass that does changes what is read here.
#[derive(Default)]
pub(super) struct ActiveCapabilities(OnceCell<Vec<ActiveCapability>>);

impl ActiveCapabilities {
    /// All of them, sorted by (slug, id).
    ///
    /// # Errors
    /// Errors of the store.
    pub(super) fn all(&self, reader: &Reader) -> anyhow::Result<&[ActiveCapability]> {
        if let Some(known) = self.0.get() {
            return Ok(known);
        }
        let found = active_capabilities(reader)?;
        Ok(self.0.get_or_init(|| found))
    }
}

/// Every capability whose listing is there, sorted by (slug, id).
fn active_capabilities(reader: &Reader) -> anyhow::Result<Vec<ActiveCapability>> {
    let corpus = reader.corpus(&capdex_crawlers::roles())?;
    let mut by_identity: BTreeMap<&str, Vec<&CorpusMember>> = BTreeMap::new();
    let mut by_entity: BTreeMap<&str, u64> = BTreeMap::new();
    for member in corpus.members() {
        // A package that several directories list is counted with all of its listings.
        for identity in &member.identities {
            by_identity.entry(identity).or_default().push(member);
        }
        let popularity = by_entity.entry(&member.entity).or_default();
        *popularity = (*popularity).max(member.popularity.unwrap_or(0));
    }
    let mut found = Vec::new();
    reader.each_current(|current| {
        // What is gone neither copies nor is copied any more, though its facts stay. A release line is like its package by nature, and
        // no copy of it.
        let is_package = release_line::package_of_identity(&current.identity) == current.identity;
        if current.listing_state != ListingState::Gone && is_package {
            found.push(active_capability(current, &corpus, &by_identity, &by_entity));
        }
        Ok::<(), StoreError>(())
    })?;
    Ok(found)
}

fn active_capability(
    current: CurrentCapability,
    corpus: &Corpus,
    by_identity: &BTreeMap<&str, Vec<&CorpusMember>>,
    by_entity: &BTreeMap<&str, u64>,
) -> ActiveCapability {
    let speaks = corpus.member(&current.listing);
    let mut members = by_identity.get(current.identity.as_str()).cloned().unwrap_or_default();
    // No listing names the identity: then the one that it was fetched for speaks.
    if members.is_empty() {
        members.extend(speaks);
    }
    let entity = speaks.map_or_else(|| current.listing.to_string(), |member| member.entity.clone());
    let mut publishers: BTreeSet<String> =
        members.iter().flat_map(|member| member.publishers.iter().cloned()).collect();
    if publishers.is_empty() {
        // Marked as unproven, so that two things without an owner are never taken for one publisher's.
        publishers.insert(format!("{UNPROVEN}{entity}"));
    }
    let mut names: Vec<String> = members.iter().map(|member| member.key.to_string()).collect();
    names.push(current.identity.clone());
    let upstream = members.iter().flat_map(|member| member.references.iter().map(ToString::to_string));
    let CurrentCapability { capability, listing, facts, first_seen, revision_as_of, snapshot, .. } = current;
    ActiveCapability {
        id: capability.id,
        slug: capability.slug,
        kind: capability.kind,
        path: capability.path,
        content: capability.content,
        facts,
        snapshot,
        listing,
        first_seen,
        revision_as_of,
        publishers,
        // Zero means that no source counts its users, which is not the same as having none.
        popularity: by_entity.get(entity.as_str()).copied().filter(|count| *count > 0),
        created: members.iter().filter_map(|member| member.created).min(),
        published: speaks.and_then(|member| member.published),
        // A thing that names itself as its source is no copy of anything.
        upstream: upstream.filter(|name| !names.contains(name)).collect(),
        names,
        entity,
    }
}

/// Sketches every content that has no sketch of this version, from its blobs.
///
/// This is done here and not while scanning, because stores of before hold contents that are never scanned again. Besides,
/// one way is less to keep right than two: reading a blob costs a tenth of what judging it did.
pub(super) fn sketch_unseen(context: &JobContext) -> anyhow::Result<u64> {
    // A new version of either makes every content unsketched.
    let version = i64::from(SKETCH_VERSION) * 1000 + i64::from(TRAITS_VERSION);
    let reader = context.store.reader()?;
    let waiting = reader.unsketched(version)?;
    let mut done = 0;
    for batch in waiting.chunks(BATCH) {
        if context.stop.is_asked() {
            break;
        }
        let read = batch
            .iter()
            .map(|(snapshot, capability)| Ok((capability.clone(), reader.capability_files(*snapshot, capability)?)));
        // Read before the pool starts, since a reader belongs to one thread.
        let read: Vec<_> = read.collect::<anyhow::Result<_>>()?;
        let work = |(capability, files): &(capdex_model::capability::Capability, BTreeMap<String, BundleFile>)| {
            let files = files_of(&capability.path, files);
            // A package's text repeats that of its capabilities and would make a family with each of them.
            let sketch = (capability.kind != Kind::Package).then(|| Sketch::of(&files));
            Sketched { content: capability.content, sketch, traits: Traits::of(&files, capdex_rules::mask_secrets) }
        };
        let store = &context.store;
        bulk::ordered(&context.pool, &read, BATCH, work, |_, made| {
            done += made.len() as u64;
            store.write(move |writer| made.iter().try_for_each(|sketched| writer.put_sketch(sketched, version)))?;
            Ok(())
        })?;
    }
    Ok(done)
}

/// The files of a capability by their paths below its folder.
pub(super) fn files_of<'a>(folder: &str, files: &'a BTreeMap<String, BundleFile>) -> Files<'a> {
    let below = |path: &'a str| match folder {
        "" => path,
        folder => path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path),
    };
    // A zero byte means a binary, of which lines cannot be compared.
    let text = |file: &'a BundleFile| std::str::from_utf8(&file.bytes).ok().filter(|text| !text.contains('\0'));
    files.iter().map(|(path, file)| (below(path), (file.digest, text(file)))).collect()
}

/// A short name for a list of digests in any order.
pub(super) fn digest_of<'a>(parts: impl IntoIterator<Item = &'a Digest>) -> Digest {
    let mut parts: Vec<&Digest> = parts.into_iter().collect();
    // Sorted first: a set of members has one name whatever order they come in.
    parts.sort();
    Digest::of_fields(parts.into_iter().map(|part| &part.as_bytes()[..]))
}

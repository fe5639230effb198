//! Finding collisions: facts of no weight for every shared name, and findings where something speaks for one.

use std::collections::{BTreeMap, BTreeSet};

use super::clone::overlaps;
use super::index::CollisionIndex;
use super::names::{COMMON_FROM, folded, folded_listing, skeleton, words};
use super::{BRAND, Collision, CollisionClass, CollisionCorpus, DIRECTIVES, Pair, Server, Widened};
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;

/// Rows of one class between the same two.
const MAX_ROWS: usize = 100;

/// Pairs of one later server that are compared: enough to tell a copy, and no server takes the time of the others.
const PAIRS_OF_SERVER: usize = 8;

/// The pairs of tools whose texts have to be compared: a rare name, the same description, and another schema or other
/// annotations. One entity was there long before the other. At most eight for each later server.
pub fn pairs_to_compare(corpus: &CollisionCorpus) -> BTreeSet<Pair> {
    let mut of_server: BTreeMap<String, usize> = BTreeMap::new();
    let mut pairs = candidates(corpus);
    pairs.retain(|pair| {
        let taken = of_server.entry(pair.slug.clone()).or_default();
        *taken += 1;
        *taken <= PAIRS_OF_SERVER
    });
    pairs
}

fn candidates(corpus: &CollisionCorpus) -> BTreeSet<Pair> {
    let index = CollisionIndex::of(corpus);
    // Tools without a description all have this digest and are no copies of each other.
    let nothing = Digest::of_json(&None::<String>);
    let mut pairs = BTreeSet::new();
    for (name, holders) in index.tools.iter().filter(|(_, holders)| holders.len() > 1) {
        for (server, tool) in holders.iter().filter(|(server, _)| index.is_rare_for(name, &server.entity)) {
            for (target, target_tool) in index.targets(name).filter(|(target, _)| target.entity != server.entity) {
                let (Some(pin), Some(other)) = (server.tools.get(*tool), target.tools.get(target_tool)) else {
                    continue;
                };
                // Pins hold digests only: equal ones prove a copied text without reading any.
                let is_copied = pin.description == other.description && pin.description != nothing;
                let differs = pin.input_schema != other.input_schema || pin.annotations != other.annotations;
                // Texts are in the store; only pairs that could be a finding are worth reading them.
                if is_copied && differs && index.precedes(&target.entity, &server.entity).is_some() {
                    pairs.insert(Pair {
                        slug: server.slug.clone(),
                        tool: (*tool).to_owned(),
                        target_slug: target.slug.clone(),
                        target_tool: target_tool.to_owned(),
                    });
                }
            }
        }
    }
    pairs
}

/// Every collision, sorted by key.
pub fn find(corpus: &CollisionCorpus, widened: &Widened) -> Vec<Collision> {
    let index = CollisionIndex::of(corpus);
    let mut found = Vec::new();
    shared_tools(&index, &mut found);
    shadows(&index, &mut found);
    similar_names(&index, &mut found);
    wider(&index, widened, &mut found);
    let listings = Listings::of(&index);
    listings.shared(&index, &mut found);
    clones(&index, &listings, widened, &mut found);
    found.sort();
    // Two servers of one entity may give the same finding; the key leaves the server out.
    found.dedup_by(|one, other| one.key == other.key);
    bounded(found)
}

/// The first rows of each class between the same two: a server of ten thousand tools says no more than one of a hundred.
/// The last that stays says how many there are.
fn bounded(found: Vec<Collision>) -> Vec<Collision> {
    let pair = |one: &Collision| one.target.clone().map(|target| (one.class, one.entity.clone(), target));
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for pair in found.iter().filter_map(pair) {
        *counts.entry(pair).or_default() += 1;
    }
    let mut kept: BTreeMap<_, usize> = BTreeMap::new();
    let within = found.into_iter().filter_map(|mut one| {
        // Rows without a target are facts: one for each of few holders, or one for a name of many.
        let Some(pair) = pair(&one) else { return Some(one) };
        let all = counts.get(&pair).copied().unwrap_or_default();
        let at = kept.entry(pair).or_default();
        *at += 1;
        // The last row kept says what is missing, for no other place shows the number.
        if *at == MAX_ROWS && all > MAX_ROWS {
            one.reasons.push(format!("{all} names collide in this way, of which {MAX_ROWS} are kept"));
        }
        (*at <= MAX_ROWS).then_some(one)
    });
    within.collect()
}

/// The two that collide, and the name.
struct Between<'a> {
    of: &'static str,
    name: &'a str,
    entity: &'a str,
    holder: &'a str,
    target: &'a str,
}

fn finding(
    index: &CollisionIndex<'_>,
    class: CollisionClass,
    between: &Between<'_>,
    reasons: Vec<String>,
) -> Collision {
    let Between { of, name, entity, holder, target } = between;
    Collision {
        // Neither severity nor reasons are part of the key: the same collision keeps it over nights.
        key: format!("{}:{of}:{name}:{entity}:{target}", class.as_str()),
        of: (*of).to_owned(),
        class,
        severity: class.severity(),
        name: (*name).to_owned(),
        entity: Some((*entity).to_owned()),
        holder: Some((*holder).to_owned()),
        target: Some((*target).to_owned()),
        parties: u64::try_from(index.parties_with(name)).unwrap_or(u64::MAX),
        reasons,
    }
}

/// Facts: a line for each entity that shares a rare name with another party, and one for each name of many.
fn shared_tools(index: &CollisionIndex<'_>, found: &mut Vec<Collision>) {
    for (name, holders) in &index.tools {
        let parties = index.parties_with(name);
        let holders: BTreeMap<&str, &str> =
            holders.iter().map(|(server, _)| (server.entity.as_str(), server.slug.as_str())).collect();
        if parties > 1 {
            facts("tool", name, parties, index.is_rare(name), &holders, found);
        }
    }
}

fn facts(
    of: &str,
    name: &str,
    parties: usize,
    is_rare: bool,
    holders: &BTreeMap<&str, &str>,
    found: &mut Vec<Collision>,
) {
    let row = |class: CollisionClass, who: Option<(&str, &str)>| Collision {
        key: format!("{}:{of}:{name}:{}", class.as_str(), who.map_or("", |(entity, _)| entity)),
        of: of.to_owned(),
        class,
        severity: Severity::Info,
        name: name.to_owned(),
        entity: who.map(|(entity, _)| entity.to_owned()),
        holder: who.map(|(_, holder)| holder.to_owned()),
        target: None,
        parties: u64::try_from(parties).unwrap_or(u64::MAX),
        reasons: Vec::new(),
    };
    if is_rare {
        // A name of many would give a row for each of thousands of holders.
        found.extend(holders.iter().map(|(entity, holder)| row(CollisionClass::Shared, Some((entity, holder)))));
    } else {
        found.push(row(CollisionClass::Generic, None));
    }
}

/// Directives about a tool of an earlier entity, and brands claimed together with a rare name of one.
fn shadows(index: &CollisionIndex<'_>, found: &mut Vec<Collision>) {
    for server in index.corpus.servers.iter().filter(|server| !server.cues.is_empty()) {
        for cue in &server.cues {
            let quote = format!("{}: {}", cue.rule, cue.evidence);
            // A directive alone is another rule's finding; here it counts where it is about somebody's rare tool.
            if DIRECTIVES.contains(&cue.rule.as_str()) && cue.severity >= Severity::Low {
                for (name, target, why) in named_in(index, server, &cue.evidence) {
                    let between = Between { of: "tool", name, entity: &server.entity, holder: &server.slug, target };
                    found.push(finding(index, CollisionClass::Shadow, &between, vec![quote.clone(), why]));
                }
            } else if cue.rule == BRAND {
                // A brand claim names no tool, so that the shared rare name has to say whose brand it is.
                for (name, target, why) in shared_with_earlier(index, server) {
                    let between = Between { of: "tool", name, entity: &server.entity, holder: &server.slug, target };
                    found.push(finding(index, CollisionClass::Brand, &between, vec![quote.clone(), why]));
                }
            }
        }
    }
}

/// The rare tools of earlier entities that a text names: by identifiers of several words, as tools are called.
fn named_in<'a>(index: &'a CollisionIndex<'a>, server: &'a Server, text: &str) -> Vec<(&'a str, &'a str, String)> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let identifiers: BTreeSet<String> =
        // Single words (`search`) stand in every sentence; tools are called by several.
        text.split(|letter: char| !is_part(letter)).filter(|word| words(word).len() > 1).map(folded).collect();
    let own: BTreeSet<String> = server.tools.keys().map(|name| folded(name)).collect();
    let mut named = Vec::new();
    // Who speaks of a name that he has too speaks of his own.
    for identifier in identifiers.difference(&own).filter(|identifier| index.is_rare_for(identifier, &server.entity)) {
        let Some((name, _)) = index.tools.get_key_value(identifier) else { continue };
        let targets: BTreeSet<&str> = index.targets(name).map(|(target, _)| target.entity.as_str()).collect();
        for target in targets {
            named.extend(index.precedes(target, &server.entity).map(|why| (name.as_str(), target, why)));
        }
    }
    named
}

/// The rare names that a server shares with earlier entities.
fn shared_with_earlier<'a>(index: &'a CollisionIndex<'a>, server: &'a Server) -> Vec<(&'a str, &'a str, String)> {
    let mut shared = Vec::new();
    for name in server.tools.keys().map(|name| folded(name)).collect::<BTreeSet<_>>() {
        let known = index.tools.get_key_value(&name);
        let Some((name, _)) = known.filter(|(name, _)| index.is_rare_for(name, &server.entity)) else { continue };
        let targets: BTreeSet<&str> = index.targets(name).map(|(target, _)| target.entity.as_str()).collect();
        for target in targets {
            shared.extend(index.precedes(target, &server.entity).map(|why| (name.as_str(), target, why)));
        }
    }
    shared
}

/// Rare names of earlier entities that another writes with letters that only look the same.
fn similar_names(index: &CollisionIndex<'_>, found: &mut Vec<Collision>) {
    let mut alike: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for name in index.tools.keys() {
        alike.entry(skeleton(name)).or_default().insert(name);
    }
    for names in alike.into_values().filter(|names| names.len() > 1) {
        // What is written in plain letters is looked like; what has others looks like it. Two names that both
        // have foreign letters are nobody's plain name to imitate.
        for target_name in names.iter().filter(|name| name.is_ascii()) {
            for name in names.iter().filter(|name| !name.is_ascii()) {
                let pairs = index.tools.get(*name).into_iter().flatten();
                for (server, spelled) in pairs.filter(|(server, _)| index.is_rare_for(target_name, &server.entity)) {
                    for (target, other) in index.targets(target_name) {
                        let Some(why) = index.precedes(&target.entity, &server.entity) else { continue };
                        let between = Between {
                            of: "tool",
                            name: target_name,
                            entity: &server.entity,
                            holder: &server.slug,
                            target: &target.entity,
                        };
                        let reason = format!("{spelled:?} looks like {other:?} and has other letters");
                        found.push(finding(index, CollisionClass::LookAlike, &between, vec![reason, why]));
                    }
                }
            }
        }
    }
}

fn wider(index: &CollisionIndex<'_>, widened: &Widened, found: &mut Vec<Collision>) {
    let by_slug: BTreeMap<&str, &Server> =
        index.corpus.servers.iter().map(|server| (server.slug.as_str(), server)).collect();
    for (pair, more) in widened.iter().filter(|(_, more)| !more.is_empty()) {
        let (Some(server), Some(target)) = (by_slug.get(pair.slug.as_str()), by_slug.get(pair.target_slug.as_str()))
        else {
            continue;
        };
        // The caller hands the compared pairs in, so that the order of the two is asked for again.
        let Some(why) = index.precedes(&target.entity, &server.entity) else { continue };
        let name = folded(&pair.tool);
        let between =
            Between { of: "tool", name: &name, entity: &server.entity, holder: &server.slug, target: &target.entity };
        let mut reasons = vec!["the same name and description".to_owned()];
        reasons.extend(more.iter().cloned());
        reasons.push(why);
        found.push(finding(index, CollisionClass::Widening, &between, reasons));
    }
}

/// The names of listings, by entity.
struct Listings<'a> {
    names: BTreeMap<String, BTreeMap<&'a str, String>>,
    of_entity: BTreeMap<&'a str, BTreeSet<String>>,
}

impl<'a> Listings<'a> {
    fn of(index: &CollisionIndex<'a>) -> Self {
        let mut listings = Self { names: BTreeMap::new(), of_entity: BTreeMap::new() };
        for (key, entity) in &index.corpus.listings {
            let name = folded_listing(&key.name);
            // A listing whose every word is common has no name left to share.
            if name.is_empty() {
                continue;
            }
            listings.of_entity.entry(entity).or_default().insert(name.clone());
            listings.names.entry(name).or_default().entry(entity).or_insert_with(|| key.to_string());
        }
        listings
    }

    /// Facts about names of listings that several parties have.
    fn shared(&self, index: &CollisionIndex<'_>, found: &mut Vec<Collision>) {
        for (name, holders) in &self.names {
            let parties = holders.keys().map(|entity| index.party(entity)).collect::<BTreeSet<_>>().len();
            if parties > 1 {
                let holders = holders.iter().map(|(entity, holder)| (*entity, holder.as_str())).collect();
                // Listings of one word share it by chance.
                facts("listing", name, parties, parties < COMMON_FROM && name.contains('_'), &holders, found);
            }
        }
    }

    /// A name of several words that both entities are listed under.
    fn common(&self, one: &str, other: &str) -> Option<&String> {
        let (one, other) = (self.of_entity.get(one)?, self.of_entity.get(other)?);
        one.intersection(other).find(|name| name.contains('_'))
    }
}

/// Toolsets that are mostly another's. A clone is one where both publishers are known and nobody says that the two have
/// to do with each other; all else is derived work. A clone weighs more where a second sign speaks against it.
fn clones(index: &CollisionIndex<'_>, listings: &Listings<'_>, widened: &Widened, found: &mut Vec<Collision>) {
    for overlap in overlaps(index) {
        let (entity, target) = (overlap.entity, overlap.target);
        // A fork or port that names its origin is derived work, however much it shares.
        let is_clone = index.are_known_strangers(entity, target) && !index.are_claimed(entity, target);
        let class = if is_clone { CollisionClass::Clone } else { CollisionClass::Derived };
        let servers = || index.corpus.servers.iter().filter(|server| server.entity == entity);
        let holder = servers().next().map_or("", |server| server.slug.as_str());
        let name = listings.common(entity, target);
        let between = Between { of: "toolset", name: name.map_or("", String::as_str), entity, holder, target };
        let (common, tools) = overlap.common;
        let mut reasons = vec![format!("{common} rare names of {tools} tools are also the other's")];
        reasons.extend(name.map(|name| format!("both are listed as {name:?}")));
        let speaks =
            servers().flat_map(|server| &server.cues).next().map(|cue| format!("{}: {}", cue.rule, cue.evidence));
        let is_wider = |pair: &Pair| servers().any(|server| server.slug == pair.slug);
        let wider = widened.iter().find(|(pair, more)| !more.is_empty() && is_wider(pair));
        let sign = speaks.or_else(|| wider.map(|(pair, more)| format!("{}: {}", pair.tool, more.join(", "))));
        // Copying is common; only a second sign makes it more than a fact.
        let severity = if is_clone && sign.is_some() { Severity::Medium } else { class.severity() };
        reasons.extend(sign);
        reasons.push(overlap.why);
        found.push(Collision { parties: 2, severity, ..finding(index, class, &between, reasons) });
    }
}

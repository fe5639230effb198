//! Resolving: from what listings say to what is one thing, strongest evidence first.
//!
//! A listing is joined with what it is *about* by its own word, because that is what people get through it. Everything
//! else that it names is joined only where the other side, or a registry that checks, says the same; else it is a claim.
//! So a listing cannot bridge two artifacts, and an artifact cannot join another by naming it. Names are never compared.

use std::collections::{BTreeMap, BTreeSet};

use super::artifact_id::{RepositoryPath, domain_of_namespace, host_of, is_shared_by_nature};
use super::edge::{IdentityEdge, Reason};
use super::nodes::Nodes;
use super::overrides::Overrides;
use super::statement::{Statement, Voice};
use super::{Proofs, Resolution};
use capdex_model::ids::{ListingKey, pypi_name, split_registry};
use capdex_model::source_role::Ecosystem;
/// Listings of one list that may be about one package, image or endpoint before it says nothing about them. People list
/// a thing again under another name, but not often.
const MAX_ABOUT: usize = 3;

/// Finds what is one thing. The statements must be sorted by key.
pub(super) fn resolve(statements: &[Statement], proofs: &Proofs, overrides: &Overrides) -> Resolution {
    let mut work = IdentityResolver::of(statements, proofs, overrides);
    // Strongest evidence first: later steps see what earlier ones joined.
    work.about();
    work.mirrors();
    work.verified();
    work.domains();
    work.manifests();
    work.owners();
    work.operator(overrides);
    work.claims();
    work.done()
}

struct IdentityResolver<'a> {
    statements: &'a [Statement],
    proofs: &'a Proofs,
    nodes: Nodes,
    edges: Vec<BTreeSet<IdentityEdge>>,
    /// The number of each repository that its forge gave, by name.
    numbers: BTreeMap<&'a str, u64>,
    /// Listings that the operator parts.
    parted: BTreeSet<&'a ListingKey>,
}

impl<'a> IdentityResolver<'a> {
    fn of(statements: &'a [Statement], proofs: &'a Proofs, overrides: &'a Overrides) -> Self {
        // Numbers come from the forge's own listings alone; those that a row states are claims.
        let numbers = statements.iter().filter(|said| said.is_forge());
        let numbers = numbers.filter_map(|said| Some((said.place.as_ref()?.repository.as_str(), said.number?)));
        Self {
            statements,
            proofs,
            nodes: Nodes::of(statements.len()),
            edges: vec![BTreeSet::new(); statements.len()],
            numbers: numbers.collect(),
            parted: overrides.part.iter().flat_map(|decision| &decision.listings).collect(),
        }
    }

    /// Notes an edge, and joins where its reason joins.
    fn edge(&mut self, at: usize, reason: Reason, to: &str) {
        let is_parted = self.statements.get(at).is_some_and(|said| self.parted.contains(&said.member.key));
        // A parted listing keeps the edge, so that people see what it would be joined by.
        let reason = if is_parted && reason.joins() { Reason::OperatorParted } else { reason };
        if let Some(edges) = self.edges.get_mut(at) {
            edges.insert(IdentityEdge::new(reason, to));
        }
        if reason.joins() {
            let node = self.nodes.node(to);
            self.nodes.join(at, node);
        }
    }

    /// Joins packages of one name in several registries that have the same bytes under the same version, by the digest that
    /// each registry publishes: they are one package and its mirrors. The same name alone says nothing.
    fn mirrors(&mut self) {
        let mut first: BTreeMap<&str, &str> = BTreeMap::new();
        let owned = self.statements.iter().filter_map(|said| Some((said.release.as_deref()?, said.own.as_deref()?)));
        for (release, own) in owned {
            let known = first.entry(release).or_insert(own);
            // The ecosystem's own registry has the shortest name.
            *known = own.min(*known);
        }
        for (at, said) in self.statements.iter().enumerate() {
            let (Some(release), Some(own)) = (&said.release, &said.own) else { continue };
            if let Some(of) = first.get(release.as_str()).filter(|of| **of != own.as_str()) {
                self.edge(at, Reason::MirrorOf, of);
            }
        }
    }

    /// True where a listing has an edge to something already.
    fn has(&self, at: usize, to: &str) -> bool {
        self.edges.get(at).is_some_and(|edges| edges.iter().any(|edge| edge.to == to))
    }

    /// The artifact id of a place: by the forge's number, unless the listing states another one. A stated number is a
    /// claim: it parts what has one name, and never joins what has two.
    fn located(&self, place: &RepositoryPath, stated: Option<u64>) -> String {
        match (self.numbers.get(place.repository.as_str()), stated) {
            (Some(number), Some(stated)) if *number != stated => format!("{}~{stated}", place.artifact_id(None)),
            (number, _) => place.artifact_id(number.copied()),
        }
    }

    /// Joins every listing with what it is or is about.
    fn about(&mut self) {
        // All are found before any is joined, since a crowd shows only over the whole list.
        let primaries: Vec<Option<(Reason, String)>> = self.statements.iter().map(|said| self.primary(said)).collect();
        let crowded = crowded(self.statements, &primaries);
        for (at, (said, primary)) in self.statements.iter().zip(primaries).enumerate() {
            if let Some(row) = &said.row {
                self.edge(at, Reason::VersionOf, row);
            }
            let Some((reason, to)) = primary else { continue };
            // The artifact's own listing is not about something that a list could crowd.
            let is_crowded = said.voice != Voice::Artefact && crowded.contains(&(said.catalogue.as_str(), to.clone()));
            let reason = match is_crowded {
                true if to.starts_with("repo:") => Reason::PartOf,
                true => Reason::Shared,
                false => reason,
            };
            self.edge(at, reason, &to);
        }
    }

    /// The things that a listing is or is about, and why.
    fn primary(&self, said: &Statement) -> Option<(Reason, String)> {
        if let Some(own) = &said.own {
            return Some((Reason::IsArtefact, own.clone()));
        }
        if let Some(place) = said.place.as_ref().filter(|_| said.is_forge()) {
            return Some((Reason::IsRepository, self.located(place, None)));
        }
        // A pin names a commit, which nobody else can move: it outweighs names.
        if let Some(place) = &said.pinned {
            return Some((Reason::PinnedArchive, self.located(place, said.stated_number)));
        }
        // Launchers and gateways run other servers, and would join all that use them.
        let first = |of: &[String]| of.iter().find(|named| !is_shared_by_nature(named)).cloned();
        if let Some(package) = first(&said.packages) {
            return Some((Reason::AboutPackage, package));
        }
        if let Some(endpoint) = first(said.one_server()) {
            return Some((Reason::AboutEndpoint, endpoint));
        }
        // Rows that are about a launcher or a gateway are not about the repository that they name besides.
        let is_silent = said.packages.is_empty() && said.endpoints.is_empty();
        let place = said.place.as_ref().filter(|_| said.voice == Voice::Directory && is_silent)?;
        let Some(skill) = &said.skill else {
            return Some((Reason::AboutRepository, self.located(place, said.stated_number)));
        };
        match self.proofs.folder_of_skill(&place.repository, skill) {
            Some(path) => {
                let place = RepositoryPath { path: path.to_owned(), ..place.clone() };
                Some((Reason::NamedSkill, self.located(&place, said.stated_number)))
            }
            None => Some((Reason::PartOf, self.located(place, said.stated_number))),
        }
    }

    /// Joins rows with the packages that name them: where the registry checked that, or where we see it.
    fn verified(&mut self) {
        let named: BTreeMap<&str, &Statement> = self
            .statements
            .iter()
            .filter(|said| said.member.is_active && !said.rows.is_empty())
            .filter_map(|said| Some((said.own.as_deref()?, said)))
            .collect();
        for (at, said) in self.statements.iter().enumerate() {
            let Some(row) = &said.row_of_kind else { continue };
            for package in said.packages.iter().filter(|package| !is_shared_by_nature(package)) {
                let names = named.get(package.as_str()).map(|package| package.rows.contains(row));
                // A package that names other rows denies this one, whatever the registry checked.
                match names {
                    Some(true) => self.edge(at, Reason::NamesEachOther, package),
                    None if said.is_official => self.edge(at, Reason::RegistryVerified, package),
                    _ => {}
                }
            }
        }
    }

    /// Joins rows of a verified domain with endpoints in that domain.
    fn domains(&mut self) {
        let mut rows: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let of_domain = |said: &'a Statement| {
            let row = said.row.as_deref().filter(|_| said.is_official)?;
            let namespace = row.rsplit(':').next()?.split_once('/')?.0;
            Some((row, domain_of_namespace(&namespace.to_lowercase())?))
        };
        let mut pairs = Vec::new();
        for (at, said) in self.statements.iter().enumerate() {
            let Some((row, domain)) = of_domain(said) else { continue };
            for endpoint in said.one_server().iter().filter(|endpoint| !is_shared_by_nature(endpoint)) {
                let host = host_of(endpoint).unwrap_or_default();
                if host == domain || host.strip_suffix(&domain).is_some_and(|before| before.ends_with('.')) {
                    rows.entry(endpoint).or_default().insert(row);
                    pairs.push((at, endpoint));
                }
            }
        }
        for (at, endpoint) in pairs {
            // An endpoint that two rows claim belongs to neither by its domain alone.
            if rows.get(endpoint.as_str()).is_some_and(|rows| rows.len() == 1) {
                self.edge(at, Reason::NamespaceDomain, endpoint);
            }
        }
    }

    /// Joins packages with the folder of the repository that they name and that names them. An account of the
    /// repository's owner's name must publish them too. A manifest alone proves little, because anybody may register a
    /// name that stands in one and was never published.
    fn manifests(&mut self) {
        for (at, said) in self.statements.iter().enumerate() {
            let (Some(own), Some(place)) = (&said.own, &said.place) else { continue };
            let is_alike = said.member.publishers.iter().any(|publisher| is_account(publisher, place.owner()));
            if let Some(path) = self.proofs.folder_of_package(&place.repository, own).filter(|_| is_alike) {
                let place = RepositoryPath { path: path.to_owned(), ..place.clone() };
                let to = self.located(&place, said.stated_number);
                self.edge(at, Reason::Manifest, &to);
            }
        }
    }

    /// Joins what an account publishes with the place in the account's own repository that it names, and what a registry
    /// attests with the place that it was built from. It must be the only thing that names it: a repository of several
    /// things is none of them.
    fn owners(&mut self) {
        let mut claimants: BTreeMap<String, Vec<(usize, bool)>> = BTreeMap::new();
        for (at, said) in self.statements.iter().enumerate() {
            let Some(place) = said.place.as_ref().filter(|_| !said.is_forge()) else { continue };
            // A directory's row names any repository; only registries that prove the publisher count.
            let is_proven = said.is_official || (said.voice == Voice::Artefact && said.own.is_some());
            let is_attested = said.own.is_some() && said.attested.as_ref() == Some(&place.repository);
            if is_attested || (is_proven && said.member.publishers.contains(place.owner())) {
                claimants.entry(self.located(place, said.stated_number)).or_default().push((at, is_attested));
            }
        }
        let packaged = self
            .nodes
            .roots_with(|name| ["npm:", "pypi:", "oci:", "nuget:", "row:"].iter().any(|of| name.starts_with(of)));
        let mut joins = Vec::new();
        for (target, claimants) in claimants {
            let node = self.nodes.node(&target);
            let own = self.nodes.root(node);
            let mut things: BTreeSet<usize> = claimants.iter().map(|(at, _)| self.nodes.root(*at)).collect();
            things.extend(packaged.contains(&own).then_some(own));
            // With several claimants the repository holds several things and is none of them.
            let reason = |is_attested| match (things.len() == 1, is_attested) {
                (true, true) => Reason::Attested,
                (true, false) => Reason::NamespaceOwner,
                (false, true) => Reason::BuiltFrom,
                (false, false) => Reason::PartOf,
            };
            joins.extend(claimants.into_iter().map(|(at, is_attested)| (at, reason(is_attested), target.clone())));
        }
        for (at, reason, target) in joins {
            self.edge(at, reason, &target);
        }
    }

    /// Does what the operator says.
    fn operator(&mut self, overrides: &Overrides) {
        // Parted listings were not joined above, and so may be joined here to each other.
        for decision in overrides.part.iter().chain(&overrides.join) {
            let names = decision.names();
            let members: Vec<usize> = decision.listings.iter().filter_map(|key| self.find(key)).collect();
            for at in &members {
                if let Some(edges) = self.edges.get_mut(*at)
                    && decision.listings.len() > 1
                {
                    let reason = Reason::OperatorJoined;
                    edges.insert(IdentityEdge { reason, to: names.clone(), note: decision.reason.clone() });
                }
            }
            for pair in members.windows(2) {
                if let [one, other] = pair {
                    self.nodes.join(*one, *other);
                }
            }
        }
        for decision in &overrides.part {
            for at in decision.listings.iter().filter_map(|key| self.find(key)).collect::<Vec<_>>() {
                let edges = self.edges.get_mut(at).map(std::mem::take).unwrap_or_default();
                let noted = edges.into_iter().map(|edge| match edge.reason {
                    Reason::OperatorParted => IdentityEdge { note: decision.reason.clone(), ..edge },
                    _ => edge,
                });
                let noted = noted.collect();
                if let Some(slot) = self.edges.get_mut(at) {
                    *slot = noted;
                }
            }
        }
    }

    fn find(&self, key: &ListingKey) -> Option<usize> {
        self.statements.binary_search_by(|said| said.member.key.cmp(key)).ok()
    }

    /// Notes everything else that a listing names, and who proves to publish it.
    fn claims(&mut self) {
        for (at, said) in self.statements.iter().enumerate() {
            let place = said.place.as_ref().map(|place| self.located(place, said.stated_number));
            let named = said.packages.iter().chain(&said.endpoints).chain(&said.rows).cloned().chain(place);
            for to in named.collect::<Vec<_>>() {
                if !self.has(at, &to) {
                    let reason = if is_shared_by_nature(&to) { Reason::Shared } else { Reason::Claims };
                    self.edge(at, reason, &to);
                }
            }
            if let Some((place, parent)) = said.place.as_ref().filter(|_| said.is_forge()).zip(said.member.fork_of) {
                let whole = RepositoryPath { path: String::new(), ..place.clone() };
                self.edge(at, Reason::ForkOf, &whole.artifact_id(Some(parent)));
            }
            for publisher in &said.member.publishers {
                self.edge(at, Reason::Publisher, publisher);
            }
        }
    }

    fn done(mut self) -> Resolution {
        let mut components: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in 0..self.statements.len() {
            components.entry(self.nodes.root(at)).or_default().push(at);
        }
        let edges = self.edges.into_iter().map(|edges| edges.into_iter().collect()).collect();
        Resolution { components: components.into_values().collect(), edges }
    }
}

/// The artifact ids that too many listings of one list are about, by list.
fn crowded<'a>(statements: &'a [Statement], primaries: &[Option<(Reason, String)>]) -> BTreeSet<(&'a str, String)> {
    let mut about: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    for (said, primary) in statements.iter().zip(primaries) {
        if let (Some((_, to)), true, true) = (primary, said.member.is_active, said.voice != Voice::Artefact) {
            // Rows of several versions are one subject, or every server with four versions would be a crowd.
            let subject = said.row.clone().unwrap_or_else(|| said.member.key.to_string());
            about.entry((&said.catalogue, to)).or_default().insert(subject);
        }
    }
    let limit = |to: &str| if to.starts_with("repo:") { 1 } else { MAX_ABOUT };
    let crowded = about.into_iter().filter(|((_, to), subjects)| subjects.len() > limit(to));
    crowded.map(|((catalogue, to), _)| (catalogue, to.to_owned())).collect()
}

/// True where a publisher has the name of a repository's owner: `npm-scope:acme` that of `github:acme`.
fn is_account(publisher: &str, owner: &str) -> bool {
    let name = |text: &str| text.rsplit([':', '/']).next().unwrap_or_default().to_owned();
    name(publisher) == name(owner)
}

impl Proofs {
    /// The folder of a repository whose manifest names a package; none where several do and none is the root.
    fn folder_of_package(&self, repository: &str, package: &str) -> Option<&str> {
        let manifests = self.manifests.get(repository)?;
        // A manifest does not say in which registry it is published.
        let is_named = |ecosystem: &str, name: &str| match split_registry(package).0.split_once(':') {
            Some((of, wanted)) if of == Ecosystem::Pypi.as_str() => ecosystem == of && pypi_name(name) == wanted,
            Some((of, wanted)) => ecosystem == of && name == wanted,
            None => false,
        };
        let folders = manifests.iter().filter(|named| is_named(&named.ecosystem, &named.name));
        one_of(folders.map(|named| named.folder.as_str()))
    }

    /// The folder of a repository that holds a skill by its name.
    fn folder_of_skill(&self, repository: &str, skill: &str) -> Option<&str> {
        let folders = self.skills.get(repository)?.iter().map(String::as_str);
        one_of(folders.filter(|folder| folder.rsplit('/').next() == Some(skill)))
    }
}

/// The only one, or the root.
fn one_of<'a>(folders: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let folders: BTreeSet<&str> = folders.collect();
    // Among several folders the root is meant; the others are mostly examples.
    if folders.len() == 1 || folders.contains("") { folders.into_iter().next() } else { None }
}

//! Candidates: the typosquat candidates that the last night found, and what the store knows about the conduct of a listing.
//!
//! The typosquat candidate pass tells which names are alike.

use std::collections::BTreeSet;

use capdex_corpus::drift::Pins;
use capdex_corpus::typosquat::night::{Conduct, InnerName};
use capdex_corpus::typosquat::{Space, TyposquatCandidate};
use capdex_model::capability::{Capability, Kind};
use capdex_model::fact::Severity;
use capdex_model::facts::SparseFacts;
use capdex_model::ids::{CapabilityId, ListingKey};
use capdex_model::time::AsOf;

use crate::facts::unpack_row;
use crate::packed::pack;
use crate::sql::{Cells, canonical, execute, id_of, rows, seconds};
use crate::{Reader, StoreError, Writer};

impl Writer<'_> {
    /// Puts the candidates of a night, each under its key, in the place of those of the night before; gives the number of
    /// new ones. A candidate that is found again keeps the night that found it first.
    pub fn put_typosquats(&self, candidates: &[(String, TyposquatCandidate)], at: AsOf) -> Result<u64, StoreError> {
        let conn = self.connection();
        // Not deleted: a candidate that comes back keeps the night that found it first.
        execute(conn, "set the candidates aside", "UPDATE typosquats SET is_current = 0 WHERE is_current = 1", ())?;
        let mut new = 0;
        for (key, candidate) in candidates {
            let known = id_of(conn, "look up a candidate", "SELECT id FROM typosquats WHERE name = ?1", (key,))?;
            new += u64::from(known.is_none());
            let sql = "INSERT INTO typosquats (name, at, is_current, body) VALUES (?1, ?2, 1, ?3)
                       ON CONFLICT DO UPDATE SET is_current = 1, body = excluded.body";
            execute(conn, "store a candidate", sql, (key, seconds(at), pack(canonical(candidate)?)?))?;
        }
        Ok(new)
    }
}

impl Reader {
    /// The candidates that stand, each with the night that found it first; worst first.
    pub fn typosquats(&self) -> Result<Vec<(TyposquatCandidate, AsOf)>, StoreError> {
        let sql = "SELECT body, at FROM typosquats WHERE is_current = 1 ORDER BY name";
        let mut candidates: Vec<(TyposquatCandidate, AsOf)> =
            rows(self.connection(), "read the candidates", sql, (), |row| {
                Ok((row.packed(0, "candidate")?, row.as_of(1)?))
            })?;
        // What makes one worse stands in the packed body, where SQL cannot sort by it.
        candidates.sort_by(|one, other| one.0.order(&other.0));
        Ok(candidates)
    }

    /// The names that only the bytes of listings know, of what counts now: skills and the tools of servers. Sorted.
    pub fn inner_names(&self) -> Result<Vec<InnerName>, StoreError> {
        let sql = "SELECT l.source, l.name, d.body, p.body
                   FROM identities i
                   JOIN listings l ON l.id = i.listing
                   JOIN scan_results r ON r.scan = i.scan
                   JOIN capabilities k ON k.id = r.capability
                   JOIN json_documents d ON d.id = r.description
                   JOIN json_documents p ON p.id = r.pins
                   WHERE k.kind IN ('skill', 'mcp_server') ORDER BY l.source, l.name, k.digest";
        let named = rows(self.connection(), "read the names inside listings", sql, (), |row| {
            let listing = ListingKey::new(row.cell::<String>(0)?, row.cell::<String>(1)?);
            let capability: Capability = row.packed(2, "capability")?;
            // A skill is chosen by its own name, a server's tools by theirs.
            if capability.kind == Kind::Skill {
                let (name, capability) = (capability.name, Some(capability.id));
                return Ok(vec![InnerName { listing, space: Space::Skill, name, capability }]);
            }
            let pins: Pins = row.packed(3, "pins")?;
            let tools = pins.tools.into_keys();
            Ok(tools
                .map(|name| InnerName { listing: listing.clone(), space: Space::Tool, name, capability: None })
                .collect())
        })?;
        let mut inner: Vec<InnerName> = named.into_iter().flatten().collect();
        // One listing may speak for several packages that have a tool of one name.
        inner.sort_unstable();
        inner.dedup();
        Ok(inner)
    }

    /// The conduct of the bytes behind listings, taken together: findings at high or above of what counts now, and
    /// scripts that run at installation. Where one capability is meant, its own findings alone.
    pub fn conduct(&self, listings: &[&ListingKey], capability: Option<CapabilityId>) -> Result<Conduct, StoreError> {
        let conn = self.connection();
        let sql = "SELECT f.body, a.digest, a.id FROM listings l
                   JOIN listing_identities e ON e.listing = l.id AND e.named = 1
                   JOIN identities i ON i.id = e.identity
                   JOIN scan_results r ON r.scan = i.scan
                   JOIN facts f ON f.id = r.facts
                   JOIN capabilities k ON k.id = r.capability
                   LEFT JOIN rule_defaults a ON a.id = f.defaults
                   WHERE l.source = ?1 AND l.name = ?2 AND (?3 IS NULL OR k.digest = ?3)";
        let (mut high, mut scripts) = (BTreeSet::new(), BTreeSet::new());
        for key in listings {
            let of_key = (&key.source, &key.name, capability.map(|capability| *capability.0.as_bytes()));
            let facts: Vec<SparseFacts> =
                rows(conn, "read the facts of a listing", sql, of_key, |row| unpack_row(conn, row, self.rules()))?;
            // Without findings that only repeat what a pass saw: it would take its own word for a second signal.
            let findings =
                facts.iter().flat_map(SparseFacts::findings_of_its_own).filter(|fact| fact.severity >= Severity::High);
            high.extend(findings.map(|fact| fact.rule.as_str().to_owned()));
            if capability.is_some() {
                continue;
            }
            let listing = self.listing(key)?.and_then(|stored| stored.listing);
            let claimed = listing.and_then(|listing| listing.claims.install_scripts.known().cloned());
            scripts.extend(claimed.unwrap_or_default().into_iter().map(|(name, _)| name));
        }
        Ok(Conduct { high: high.into_iter().collect(), install_scripts: scripts.into_iter().collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day, key, list, listing, scan_of};
    use capdex_corpus::typosquat::TyposquatKind as LookAlikeKind;
    use capdex_model::listing::Claim;

    fn candidate(name: &str, severity: Severity) -> TyposquatCandidate {
        TyposquatCandidate {
            space: Space::Name,
            name: name.into(),
            target: "express".into(),
            kind: LookAlikeKind::Omission,
            distance: 1,
            severity,
            rank: 1,
            reasons: vec!["a letter left out".into()],
            signals: Vec::new(),
            listing: Some(format!("npm:{name}")),
            capability: None,
            target_listing: None,
            popularity: None,
            target_popularity: Some(7),
            owners: Vec::new(),
            target_owners: Vec::new(),
        }
    }

    #[test]
    fn a_lead_stands_while_nights_find_it_and_keeps_its_first_one() {
        let folder = Folder::new();
        let store = folder.store();
        let put = |candidates: &[(&str, Severity)], night| {
            let candidates: Vec<_> =
                candidates.iter().map(|(name, severity)| ((*name).to_owned(), candidate(name, *severity))).collect();
            store.write(move |writer| writer.put_typosquats(&candidates, day(night))).expect("stored")
        };
        let stand = || {
            let candidates = store.reader().expect("opens").typosquats().expect("reads");
            candidates.into_iter().map(|(candidate, at)| (candidate.name, candidate.severity, at)).collect::<Vec<_>>()
        };
        assert_eq!(put(&[("expres", Severity::Low), ("expess", Severity::Low)], 1), 2);
        assert_eq!(put(&[("expess", Severity::Medium), ("expres", Severity::Low)], 2), 0);
        let both = [("expess".into(), Severity::Medium, day(1)), ("expres".into(), Severity::Low, day(1))];
        assert_eq!(stand(), both);
        assert_eq!(put(&[("expres", Severity::Low)], 3), 0);
        assert_eq!(stand(), [("expres".into(), Severity::Low, day(1))]);
    }

    #[test]
    fn conduct_is_what_findings_and_claims_say() {
        let folder = Folder::new();
        let store = folder.store();
        let mut listed = listing("a", "1");
        listed.claims.install_scripts = Claim::Known(vec![("postinstall".into(), "node x".into())]);
        list(&store, &listed, 1);
        scan_of(&store, "a", "1", 1);
        let reader = store.reader().expect("opens");
        let conduct = reader.conduct(&[&key("a"), &key("unknown")], None).expect("reads");
        assert_eq!(conduct.install_scripts, ["postinstall"]);
        assert_eq!(reader.inner_names().expect("reads"), [], "a package is neither a skill nor a server");
    }
}

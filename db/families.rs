//! Families of clones and campaigns, as the last night saw them.
//!
//! Derived and replaced, unlike the history that they are made from: what was raised about them stays among the alerts.
//! The passes find them.

use std::collections::BTreeMap;

use capdex_corpus::campaign::Campaign;
use capdex_corpus::clone::{Difference, OrderBasis};
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::{CapabilityId, ListingKey};
use capdex_model::time::AsOf;
use serde::{Deserialize, Serialize};

use crate::packed::pack;
use crate::sql::{Cells, canonical, execute, first, rows, seconds};
use crate::{Reader, StoreError, Writer};

/// One member of one family.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FamilyMember {
    /// The member.
    pub capability: CapabilityId,
    /// Its readable name.
    pub slug: String,
    /// Its kind.
    pub kind: Kind,
    /// The listing that speaks for it.
    pub listing: ListingKey,
    /// The publishers that prove to answer for it.
    pub publishers: Vec<String>,
    /// The digest over its files.
    pub content: Digest,
    /// The member that the others were made from, which may be this one.
    pub original: CapabilityId,
    /// Its readable name.
    pub original_slug: String,
    /// The digest over the original's files.
    pub original_content: Digest,
    /// The ground on which the original counts as first.
    pub basis: OrderBasis,
    /// True where one publisher answers for both.
    pub same_publisher: bool,
    /// The number of members of the family.
    pub members: u64,
    /// The parts that it has and the original has not.
    pub difference: Difference,
    /// The severity of what it added; none where nothing speaks against it.
    pub severity: Option<Severity>,
    /// The findings in what it added: rule, severity, file and what was quoted.
    pub findings: Vec<(String, Severity, String, String)>,
}

/// The parts of a member that say where it stands among the others.
#[derive(Deserialize)]
struct OnlyPlace {
    capability: CapabilityId,
    original: CapabilityId,
    slug: String,
}

/// One campaign with what it is shown by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CampaignRow {
    /// The campaign.
    pub campaign: Campaign,
    /// The readable names of its members, in their order.
    pub slugs: Vec<String>,
}

impl Writer<'_> {
    /// Keeps a member of a family, in the place of what was kept of the same capability.
    pub fn put_family_member(&self, member: &FamilyMember, at: AsOf) -> Result<(), StoreError> {
        // `at` stays the night that found the member there first.
        let sql = "INSERT INTO families (name, at, body) VALUES (?1, ?2, ?3)
                   ON CONFLICT (name) DO UPDATE SET body = excluded.body";
        let params = (member.capability.to_string(), seconds(at), pack(canonical(member)?)?);
        execute(self.connection(), "keep a member of a family", sql, params).map(drop)
    }

    /// Forgets that a capability is in a family.
    pub fn drop_family_member(&self, capability: &CapabilityId) -> Result<(), StoreError> {
        let sql = "DELETE FROM families WHERE name = ?1";
        execute(self.connection(), "forget a member of a family", sql, (capability.to_string(),)).map(drop)
    }

    /// Keeps a campaign, in the place of what was kept under its key.
    pub fn put_campaign(&self, row: &CampaignRow, at: AsOf) -> Result<(), StoreError> {
        // `at` stays the night that found the campaign first.
        let sql = "INSERT INTO campaigns (name, at, body) VALUES (?1, ?2, ?3)
                   ON CONFLICT (name) DO UPDATE SET body = excluded.body";
        let params = (&row.campaign.key, seconds(at), pack(canonical(row)?)?);
        execute(self.connection(), "keep a campaign", sql, params).map(drop)
    }

    /// Forgets a campaign.
    pub fn drop_campaign(&self, key: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM campaigns WHERE name = ?1";
        execute(self.connection(), "forget a campaign", sql, (key,)).map(drop)
    }
}

impl Reader {
    /// Every member of every family with the night that found it there, sorted by capability.
    pub fn family_members(&self) -> Result<Vec<(FamilyMember, AsOf)>, StoreError> {
        let sql = "SELECT body, at FROM families ORDER BY name";
        rows(self.connection(), "read the families", sql, (), |row| {
            Ok((row.packed(0, "member of a family")?, row.as_of(1)?))
        })
    }

    /// The original of every member of a family, by member.
    pub fn family_originals(&self) -> Result<BTreeMap<CapabilityId, CapabilityId>, StoreError> {
        let sql = "SELECT body FROM families";
        let places: Vec<OnlyPlace> =
            rows(self.connection(), "read who is in a family", sql, (), |row| row.packed(0, "member of a family"))?;
        Ok(places.into_iter().map(|place| (place.capability, place.original)).collect())
    }

    /// A member of a family; none for a capability that is in none.
    pub fn family_member(&self, capability: &CapabilityId) -> Result<Option<FamilyMember>, StoreError> {
        let sql = "SELECT body FROM families WHERE name = ?1";
        first(self.connection(), "read a member of a family", sql, (capability.to_string(),), |row| {
            row.packed(0, "member of a family")
        })
    }

    /// Every member of every family with the night that found it there, family by family, the original first and then by slug.
    /// One at a time: what all of them added to their originals together is much. An error of `visit` ends it.
    pub fn each_family_member<E: From<StoreError>>(
        &self,
        mut visit: impl FnMut(FamilyMember, AsOf) -> Result<(), E>,
    ) -> Result<(), E> {
        let conn = self.connection();
        let mut order = rows(conn, "read the order of the families", "SELECT id, body FROM families", (), |row| {
            let OnlyPlace { capability, original, slug } = row.packed(1, "member of a family")?;
            // False sorts before true, so the original comes first.
            Ok((original.0, original != capability, slug, capability, row.cell::<i64>(0)?))
        })?;
        order.sort_unstable();
        for (.., id) in order {
            let sql = "SELECT body, at FROM families WHERE id = ?1";
            let member = first(conn, "read a member of a family", sql, (id,), |row| {
                Ok((row.packed(0, "member of a family")?, row.as_of(1)?))
            })?;
            if let Some((member, at)) = member {
                visit(member, at)?;
            }
        }
        Ok(())
    }

    /// Every campaign with the night that found it, sorted by key.
    pub fn campaigns(&self) -> Result<Vec<(CampaignRow, AsOf)>, StoreError> {
        let sql = "SELECT body, at FROM campaigns ORDER BY name";
        rows(self.connection(), "read the campaigns", sql, (), |row| Ok((row.packed(0, "campaign")?, row.as_of(1)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, capability_id, day};
    use capdex_corpus::campaign::Shared;

    fn member(name: &str) -> FamilyMember {
        FamilyMember {
            capability: capability_id(name, ""),
            slug: name.into(),
            kind: Kind::Skill,
            listing: ListingKey::new("npm", name),
            publishers: vec!["npm-scope:a".into()],
            content: Digest::of(name.as_bytes()),
            original: capability_id("npm:o", ""),
            original_slug: "o".into(),
            original_content: Digest::of(b"o"),
            basis: OrderBasis::Seen,
            same_publisher: false,
            members: 2,
            difference: Difference { likeness: 930, hosts: vec!["a.test".into()], ..Difference::default() },
            severity: Some(Severity::High),
            findings: vec![("r".into(), Severity::High, "f".into(), "e".into())],
        }
    }

    #[test]
    fn a_member_is_replaced_and_keeps_its_first_night() {
        let folder = Folder::new();
        let store = folder.store();
        let (one, mut other) = (member("npm:a"), member("npm:b"));
        let put = |member: FamilyMember, night| {
            store.write(move |writer| writer.put_family_member(&member, day(night))).expect("kept");
        };
        put(one.clone(), 1);
        put(other.clone(), 1);
        other.members = 3;
        put(other.clone(), 2);
        let dropped = one.capability;
        store.write(move |writer| writer.drop_family_member(&dropped)).expect("forgotten");
        let reader = store.reader().expect("opens");
        assert_eq!(reader.family_members().expect("reads"), [(other.clone(), day(1))]);
        assert_eq!(reader.family_member(&other.capability).expect("reads"), Some(other.clone()));
        assert_eq!(reader.family_member(&capability_id("none", "")).expect("reads"), None);
        assert_eq!(reader.family_originals().expect("reads"), [(other.capability, other.original)].into());
        let mut visited = Vec::new();
        let visit = |member, at| {
            visited.push((member, at));
            Ok::<_, StoreError>(())
        };
        reader.each_family_member(visit).expect("reads");
        assert_eq!(visited, [(other, day(1))]);
    }

    #[test]
    fn a_campaign_is_replaced_and_forgotten() {
        let folder = Folder::new();
        let store = folder.store();
        let shared = Shared { what: "site".into(), value: "a.test".into(), quote: "q".into(), items: 3 };
        let campaign = Campaign {
            key: "k".into(),
            severity: Severity::Medium,
            members: vec![capability_id("npm:a", "")],
            publishers: 2,
            shared: vec![shared],
            reasons: vec!["r".into()],
        };
        let row = CampaignRow { campaign, slugs: vec!["a".into()] };
        let put = |row: CampaignRow, night| {
            store.write(move |writer| writer.put_campaign(&row, day(night))).expect("kept");
        };
        put(row.clone(), 1);
        put(row.clone(), 2);
        assert_eq!(store.reader().expect("opens").campaigns().expect("reads"), [(row, day(1))]);
        store.write(|writer| writer.drop_campaign("k")).expect("forgotten");
        assert_eq!(store.reader().expect("opens").campaigns().expect("reads"), []);
    }
}

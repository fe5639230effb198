//! A night over small corpora: who is reported, who is told apart, and what a second signal does.

use super::*;
use crate::testing::roles;
use capdex_model::listing::{Claim, Claims, Listing, Locator};
use capdex_model::time::Timestamp;
const DAY: i64 = 86_400;

fn as_of() -> AsOf {
    AsOf(Timestamp::from_unix_seconds(20_000 * DAY))
}

/// A package of npm: name, accounts that may publish it, users, days since it appeared, description, repository.
fn npm(name: &str, by: &[&str], users: Option<u64>, days: i64, description: &str, repository: &str) -> CorpusMember {
    let claims = Claims {
        maintainers: Claim::Known(by.iter().map(|name| (*name).to_owned()).collect()),
        created: Claim::Known(Timestamp::from_unix_seconds((20_000 - days) * DAY)),
        description: Claim::known_or_absent(Some(description.to_owned()).filter(|text| !text.is_empty())),
        ..Claims::default()
    };
    let locator = Locator::NpmPackage {
        registry: None,
        name: name.to_owned(),
        version: "1.0.0".to_owned(),
        url: String::new(),
        integrity: Vec::new(),
    };
    let references = if repository.is_empty() { Vec::new() } else { vec![ListingKey::new("github", repository)] };
    let listing = Listing { key: ListingKey::new("npm", name), locators: vec![locator], claims, references };
    CorpusMember::of(&listing, &roles(), users, as_of().0, true)
}

fn candidates_of(
    members: Vec<CorpusMember>,
    inner: &[InnerName],
    popular: &str,
    conduct: &Conduct,
) -> Vec<TyposquatCandidate> {
    let corpus = Corpus::new(members);
    let night = Night::new(&corpus, inner, super::super::list::read(popular), as_of());
    let suspects = (0..night.newcomers()).flat_map(|number| night.suspects(number));
    let mut candidates: Vec<TyposquatCandidate> = suspects.map(|suspect| Night::candidate(&suspect, conduct)).collect();
    candidates.sort_by(TyposquatCandidate::order);
    candidates
}

fn short(candidates: &[TyposquatCandidate]) -> Vec<(&str, &str, &'static str, Severity)> {
    candidates
        .iter()
        .filter(|candidate| candidate.space == Space::Name)
        .map(|candidate| {
            (candidate.name.as_str(), candidate.target.as_str(), candidate.kind.as_str(), candidate.severity)
        })
        .collect()
}

/// What a night keeps: the rest says why it is no lead.
fn told(candidates: &[TyposquatCandidate]) -> Vec<(&str, &str, &'static str, Severity)> {
    short(candidates).into_iter().filter(|(.., severity)| *severity > Severity::Info).collect()
}

const WORDS: &str = "Sends transactional mail over the acme service with templates and tracking";

fn famous() -> CorpusMember {
    npm("postmark-server", &["wildbit"], Some(900_000), 3_000, WORDS, "wildbit/postmark-server")
}

#[test]
fn a_name_alone_is_low_and_a_copied_description_of_another_owner_is_more() {
    let quiet = npm("postmrak-server", &["mallory"], Some(3), 10, "", "");
    let candidates = candidates_of(vec![famous(), quiet], &[], "", &Conduct::default());
    assert_eq!(short(&candidates), [("postmrak-server", "postmark-server", "transposition", Severity::Low)]);
    let copied = npm("postmrak-server", &["mallory"], Some(3), 10, WORDS, "wildbit/postmark-server");
    let candidates = candidates_of(vec![famous(), copied], &[], "", &Conduct::default());
    assert_eq!(short(&candidates), [("postmrak-server", "postmark-server", "transposition", Severity::High)]);
    assert!(candidates[0].signals.contains(&TyposquatSignal::RepositoryClaim));
    assert!(candidates[0].signals.contains(&TyposquatSignal::CopiedDescription));
}

#[test]
fn what_it_does_is_a_second_signal() {
    let conduct = Conduct { high: vec!["pipe-to-shell".into()], install_scripts: vec!["postinstall".into()] };
    let newcomer = npm("postmark-srver", &["mallory"], Some(3), 10, "", "");
    let candidates = candidates_of(vec![famous(), newcomer], &[], "", &conduct);
    assert_eq!(short(&candidates), [("postmark-srver", "postmark-server", "omission", Severity::Medium)]);
}

#[test]
fn one_owner_one_thing_and_the_older_name_are_silent() {
    let same_owner = npm("postmrak-server", &["Wildbit"], Some(3), 10, WORDS, "");
    let older = npm("postmark-srver", &["mallory"], Some(3), 5_000, "", "");
    let as_used = npm("postmark-serverr", &["mallory"], Some(900_000), 10, "", "");
    let mut mirror = npm("postmark-servr", &["mallory"], Some(3), 10, WORDS, "");
    mirror.entity = "npm:postmark-server".into();
    for silent in [same_owner, older, as_used, mirror] {
        let name = silent.key.name.clone();
        assert_eq!(told(&candidates_of(vec![famous(), silent], &[], "", &Conduct::default())), [], "{name}");
    }
}

#[test]
fn forks_are_told_apart() {
    let fork = npm("@me/postmark-server", &["me"], Some(3), 10, WORDS, "wildbit/postmark-server");
    let mut forked = npm("postmark-serverr", &["me"], Some(3), 10, WORDS, "wildbit/postmark-server");
    forked.fork_of = Some(7);
    let mut known = famous();
    known.repository_id = Some(7);
    let candidates = candidates_of(vec![known, forked], &[], "", &Conduct::default());
    assert_eq!(candidates.iter().map(|candidate| candidate.severity).collect::<Vec<_>>(), [Severity::Info]);
    let candidates = candidates_of(vec![famous(), fork], &[], "", &Conduct::default());
    assert!(candidates.iter().all(|candidate| candidate.severity == Severity::Info), "{candidates:#?}");
    assert!(!candidates.is_empty());
}

#[test]
fn families_are_leads_until_they_do_harm() {
    let harm = Conduct { high: vec!["pipe-to-shell".into()], ..Conduct::default() };
    for name in ["postmark-servers", "postmark-server2", "postmark-server-v2"] {
        let family = npm(name, &["mallory"], Some(3), 10, WORDS, "");
        let severity = |conduct: &Conduct| {
            let candidates = candidates_of(vec![famous(), family.clone()], &[], "", conduct);
            candidates.iter().map(|candidate| candidate.severity).max()
        };
        assert_eq!(severity(&Conduct::default()), Some(Severity::Low), "{name}");
        assert_eq!(severity(&harm), Some(Severity::High), "{name}");
    }
}

#[test]
fn an_old_package_of_its_publisher_excuses_nothing() {
    let old = npm("tidy-notes", &["mallory"], Some(700_000), 3_000, "", "");
    let squat = npm("postmrak-server", &["mallory"], Some(3), 10, WORDS, "wildbit/postmark-server");
    let candidates = candidates_of(vec![famous(), old, squat], &[], "", &Conduct::default());
    assert_eq!(short(&candidates), [("postmrak-server", "postmark-server", "transposition", Severity::High)]);
}

#[test]
fn a_date_that_its_publisher_wrote_excuses_nothing() {
    let mut squat = npm("postmrak-server", &[], Some(3), 5_000, "", "");
    squat.key = ListingKey::new("glama", "postmrak-server");
    squat.role = roles().of_source(&squat.key.source);
    squat.identities.clear();
    squat.entity = squat.key.to_string();
    let candidates = candidates_of(vec![famous(), squat], &[], "", &Conduct::default());
    assert_eq!(short(&candidates), [("postmrak-server", "postmark-server", "transposition", Severity::Low)]);
}

#[test]
fn a_skill_is_compared_with_skills_alone() {
    let famous = npm("mcp-clickhouse", &["clickhouse"], Some(900_000), 3_000, "", "");
    let bundle = npm("many-skills", &["ann"], Some(3), 10, "", "");
    let skills = npm("famous-skills", &["bob"], Some(900_000), 3_000, "", "");
    let skill = |of: &CorpusMember, name: &str| InnerName {
        listing: of.key.clone(),
        space: Space::Skill,
        name: name.into(),
        capability: Some(CapabilityId::of(&of.entity, capdex_model::capability::Kind::Skill, name)),
    };
    let inner = [skill(&bundle, "clickhouse-mcp"), skill(&bundle, "pfd-processing"), skill(&skills, "pdf-processing")];
    let of_skill = inner[1].capability;
    let candidates = candidates_of(vec![famous, bundle, skills], &inner, "", &Conduct::default());
    let found: Vec<_> = candidates.iter().map(|candidate| (candidate.name.as_str(), candidate.capability)).collect();
    assert_eq!(found, [("pfd-processing", of_skill)], "{candidates:#?}");
}

#[test]
fn scopes_of_listed_names_and_verified_namespaces_are_compared() {
    let popular = "name\tdownloads_a_month\n@upstash/context7-mcp\t90000000\n";
    let squat = npm("@upstach/other-thing", &["mallory"], Some(3), 10, "", "");
    let candidates = candidates_of(vec![squat], &[], popular, &Conduct::default());
    assert!(
        candidates.iter().any(|candidate| candidate.space == Space::Publisher && candidate.target == "upstash"),
        "{candidates:#?}"
    );
    let namespaced = |namespace: &str, users, days| {
        let mut member = npm(namespace, &[], users, days, "", "");
        member.publishers = [format!("namespace:{namespace}")].into();
        member
    };
    let members = vec![namespaced("com.stripe", Some(900_000), 3_000), namespaced("com.stripe-pay", Some(3), 10)];
    let candidates = candidates_of(members, &[], "", &Conduct::default());
    let hosts = candidates.iter().filter(|candidate| candidate.space == Space::Host);
    assert_eq!(hosts.map(|candidate| candidate.target.as_str()).collect::<Vec<_>>(), ["stripe.com"]);
}

#[test]
fn claims_prove_nothing_where_no_two_owners_are_proven() {
    let mut on_pypi = npm("x", &[], Some(3), 10, WORDS, "wildbit/postmark-server");
    on_pypi.key = ListingKey::new("pypi", "postmark_server");
    on_pypi.role = roles().of_source(&on_pypi.key.source);
    on_pypi.identities = vec!["pypi:postmark_server".into()];
    on_pypi.publishers.clear();
    let candidates = candidates_of(vec![famous(), on_pypi], &[], "", &Conduct::default());
    assert_eq!(short(&candidates), [("postmark_server", "postmark-server", "delimiter", Severity::Low)]);
}

#[test]
fn lists_of_popular_names_are_targets_too() {
    let newcomer = npm("expres", &["mallory"], Some(3), 10, "", "");
    let candidates =
        candidates_of(vec![newcomer], &[], "name\tdownloads_a_month\nexpress\t90000000\n", &Conduct::default());
    assert_eq!(short(&candidates), [("expres", "express", "omission", Severity::Low)]);
    let itself = npm("express", &["tj"], Some(3), 10, "", "");
    let candidates = candidates_of(vec![itself], &[], "express\t90000000\nexpresss\t5\n", &Conduct::default());
    assert!(candidates.iter().all(|candidate| candidate.severity == Severity::Info), "{candidates:#?}");
}

#[test]
fn a_place_on_a_list_and_a_long_life_excuse_no_harm() {
    let list = "expres\t500\nexpress\t90000000\n@tj/expres\t400\n@tj/express\t80000000\n";
    let harm = Conduct { high: vec!["pipe-to-shell".into()], ..Conduct::default() };
    let worst = |member: &CorpusMember, conduct: &Conduct| {
        let candidates = candidates_of(vec![member.clone()], &[], list, conduct);
        candidates.iter().map(|candidate| candidate.severity).max()
    };
    let listed = npm("expres", &["mallory"], Some(3), 10, "", "");
    let established = npm("exprress", &["mallory"], Some(20_000), 2_000, "", "");
    for member in [&listed, &established] {
        assert_eq!(worst(member, &Conduct::default()), Some(Severity::Info), "{}", member.key);
        assert!(worst(member, &harm) >= Some(Severity::Medium), "{}", member.key);
    }
    // What a rule may have got wrong: a known name that is only loosely like another, and one under the other's scope.
    let loose = npm("express-tools", &["ann"], Some(20_000), 2_000, "", "");
    assert!(worst(&loose, &harm) <= Some(Severity::Low));
    let of_one_scope = npm("@tj/expres", &["tj"], Some(3), 10, "", "");
    let candidates = candidates_of(vec![of_one_scope], &[], list, &harm);
    assert!(candidates.iter().all(|candidate| candidate.target != "@tj/express"), "{candidates:#?}");
}

#[test]
fn publishers_tools_and_hosts_have_their_own_spaces() {
    let scope = npm("@modelcontextprotocol/fetcher", &["mcp"], Some(900_000), 900, "", "");
    let scoped = npm("@modelcontextprotocl/other", &["mallory"], Some(3), 10, "", "");
    let tool = |of: &CorpusMember, name: &str| InnerName {
        listing: of.key.clone(),
        space: Space::Tool,
        name: name.into(),
        capability: None,
    };
    let inner = [tool(&scope, "fetch_remote_page"), tool(&scoped, "fetch_rernote_page")];
    let host = |name: &str, of: &str, users| {
        let mut member = npm(name, &[], users, if users.is_some() { 900 } else { 10 }, "", "");
        member.references = vec![ListingKey::new("mcp", of)];
        member
    };
    let known = host("stripe-official-mcp", "https://mcp.stripe.com/", Some(900_000));
    let other = host("unrelated", "https://xn--strpe-p2e.com/mcp", None);
    let candidates = candidates_of(vec![scope, scoped, known, other], &inner, "", &Conduct::default());
    let spaces: Vec<(Space, &str)> =
        candidates.iter().map(|candidate| (candidate.space, candidate.kind.as_str())).collect();
    assert!(spaces.contains(&(Space::Publisher, "omission")), "{candidates:#?}");
    assert!(spaces.contains(&(Space::Tool, "confusable")), "{candidates:#?}");
    assert!(spaces.iter().any(|(space, kind)| *space == Space::Host && kind.starts_with("host_")), "{candidates:#?}");
}

#[test]
fn young_things_that_many_use_are_compared_all_the_same() {
    let bought = npm("postmrak-server", &["mallory"], Some(20_000), 10, WORDS, "");
    let candidates = candidates_of(vec![famous(), bought], &[], "", &Conduct::default());
    assert_eq!(told(&candidates).len(), 1);
    assert!(candidates[0].severity >= Severity::Medium, "{candidates:#?}");
}

#[test]
fn what_a_publisher_lists_himself_establishes_nothing() {
    let own = |source: &str| {
        let mut member = npm("postmrak-server", &["mallory"], None, 10, "", "");
        member.key = ListingKey::new(source, "postmrak-server");
        member.role = roles().of_source(&member.key.source);
        member.entity = "npm:postmrak-server".into();
        member
    };
    let mut members = vec![famous()];
    members.extend(["npm", "github", "official-registry"].map(own));
    assert_eq!(short(&candidates_of(members, &[], "", &Conduct::default())).len(), 1);
}

#[test]
fn a_name_of_many_proven_owners_is_nobodys_and_listings_of_nobody_hide_nothing() {
    let named = |is_proven| told(&candidates_of(of_many(is_proven), &[], "", &Conduct::default())).len();
    assert_eq!(named(true), 0);
    assert_eq!(named(false), 5);
}

fn of_many(is_proven: bool) -> Vec<CorpusMember> {
    let mut members = vec![famous()];
    for number in 0..5 {
        let owner = format!("owner{number}");
        let by = [owner.as_str()];
        let mut member = npm("x", if is_proven { &by } else { &[] }, Some(3), 10, "", "");
        member.key = ListingKey::new("smithery", format!("owner{number}/postmrak-server"));
        member.role = roles().of_source(&member.key.source);
        member.identities = vec![format!("smithery:owner{number}/postmrak-server")];
        member.entity = member.key.to_string();
        members.push(member);
    }
    members
}

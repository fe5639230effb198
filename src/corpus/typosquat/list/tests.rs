//! Two lists: what is read, what is found, in which direction, and how bad it is.

use super::*;

const POPULAR: &str = "requests\t900000000\tpsf\nlodash\t400000000\tjdalton\n@acme/x\t50000\tacme\nstripe.com\t9000\tstripe\n\
                       squareup\t5000000\tsquare\nsalesforce\t9000000\tsalesforce\nurllib3\t800000000\turllib3\n";

fn candidates(name: &str, popular: &str) -> Vec<(String, &'static str, Severity)> {
    let line = read(name).remove(0);
    let candidates = PopularNames::new(read(popular), false).candidates(&line).expect("can be compared");
    candidates.into_iter().map(|candidate| (candidate.target, candidate.kind.as_str(), candidate.severity)).collect()
}

#[test]
fn lines_and_headers_are_read() {
    let lines = read("\u{FEFF}name\tdownload_rank\r\nboto3\t1\r\n# no\n\npackaging\t2\tpypa\n");
    let expected =
        NameListLine { name: "packaging".into(), rank: Some(2), owner: Some("pypa".into()), ..NameListLine::default() };
    assert_eq!(lines.len(), 2);
    assert_eq!(lines.last(), Some(&expected));
    assert_eq!(read("a\t7\nb").first().and_then(|line| line.popularity), Some(7));
    assert_eq!(read("name\t7\nb\n").len(), 2);
    assert_eq!(read("name\tdownloads_a_month\nsemver\t5\n")[0].popularity, Some(5));
}

#[test]
fn by_name_alone_nothing_is_above_low() {
    for name in ["reqeusts", "1odash", "acme-x", "stripe-pay.com", "lоdash", "salesforge", "requests-darwin-lite"] {
        let found = candidates(name, POPULAR);
        assert!(!found.is_empty(), "{name}: {found:?}");
        assert!(found.iter().all(|candidate| candidate.2 <= Severity::Low), "{name}: {found:?}");
    }
}

#[test]
fn another_owner_with_a_thousandth_of_the_users_is_medium() {
    assert_eq!(candidates("reqeusts\t12\tmallory", POPULAR), [("requests".into(), "transposition", Severity::Medium)]);
    assert_eq!(candidates("acme-x\t1\tmallory", POPULAR), [("@acme/x".into(), "scope", Severity::Low)]);
    assert_eq!(candidates("reqeusts\t12", POPULAR)[0].2, Severity::Low);
    assert_eq!(candidates("reqeusts\t\tmallory", POPULAR)[0].2, Severity::Low);
}

#[test]
fn honest_neighbours_stay_silent_or_low() {
    assert_eq!(candidates("reqeusts\t12\tPSF", POPULAR), []);
    assert_eq!(candidates("requests\t12\tmallory", POPULAR), []);
    for firm in ["squaredup\t90000\tsquaredup", "salesforge\t200000\tsalesforge"] {
        assert!(candidates(firm, POPULAR).iter().all(|candidate| candidate.2 <= Severity::Low), "{firm}");
    }
    assert_eq!(candidates("reqeusts\t900000000\tother", POPULAR), [], "a tie is nobody's newcomer");
    assert_eq!(
        candidates("urllib\t5\tmallory", POPULAR)[0].2,
        Severity::Low,
        "a version of a family is a lead at most"
    );
    let both = format!("{POPULAR}reqeusts\t12\tmallory\n");
    assert_eq!(candidates("reqeusts\t12\tmallory", &both)[0].2, Severity::Info, "popular itself");
}

#[test]
fn ranks_say_who_came_first() {
    let popular = "name\tdownload_rank\nrequests\t5\nrequestz\t9000\n";
    let later = read("name\tdownload_rank\nrequestz\t9000\nrequests\t5\n");
    let popular = PopularNames::new(read(popular), false);
    let counts: Vec<usize> = later.iter().map(|line| popular.candidates(line).expect("compared").len()).collect();
    assert_eq!(counts, [1, 0]);
}

#[test]
fn one_list_is_compared_with_itself_from_the_less_popular_side() {
    let lines = read("express\t900\nexpresss\t3\nunknown-a\nunknown-b\nexpres\n");
    let within = PopularNames::new(lines.clone(), true);
    let candidates = lines.iter().flat_map(|line| within.candidates(line).expect("compared"));
    let pairs: Vec<(String, String)> = candidates.map(|candidate| (candidate.name, candidate.target)).collect();
    let pair = |name: &str, target: &str| (name.to_owned(), target.to_owned());
    let expected = [
        pair("expresss", "express"),
        pair("unknown-b", "unknown-a"),
        pair("expres", "express"),
        pair("expres", "expresss"),
    ];
    assert_eq!(pairs, expected);
}

#[test]
fn hosts_and_scopes_are_compared_as_what_they_are() {
    let found = PopularNames::new(read(POPULAR), false)
        .candidates(&read("https://mcp.stripe-pay.com/sse")[0])
        .expect("compared");
    assert_eq!(found[0].space, Space::Host);
    assert_eq!(found[0].kind, TyposquatKind::HostCombosquat);
    assert_eq!(found[0].target.as_str(), "stripe.com");
    assert_eq!(
        candidates("mcp.stripe.com", POPULAR).iter().filter(|candidate| candidate.1.starts_with("host")).count(),
        0
    );
    let popular = "@modelcontextprotocol/sdk\t90000000\tmcp\n@modelcontextprotocol/inspector\t900000\tmcp\n";
    let first = candidates("@modelcontextprotocl/tools", popular).remove(0);
    assert_eq!(first, ("@modelcontextprotocol".into(), "omission", Severity::Low));
}

#[test]
fn what_cannot_be_compared_is_said() {
    let popular = PopularNames::new(vec![NameListLine { name: "x".repeat(300), ..NameListLine::default() }], false);
    assert_eq!(popular.unread(), 1);
    assert_eq!(popular.candidates(&NameListLine { name: "a".repeat(10_000), ..NameListLine::default() }), None);
}

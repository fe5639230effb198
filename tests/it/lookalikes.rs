//! Look-alike names, with the real binary: how many known squats are leads, how many popular names raise an alarm, how
//! names are disguised, and what a night keeps.
//!
//! Reads real lists where `CAPDEX_DATA` names them (origins in its README). What the classes find there is general: no rule
//! knows a pair of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::nightly::night;
use crate::packages::{self, HOSTILE_SKILL, WEATHER};
use crate::rows::{rows, text};
use crate::support::capdex::Capdex;
use crate::support::registry::Registry;

/// The leads over two lists that stand in the folder.
fn leads(capdex: &Capdex, names: &str, popular: &str) -> Vec<Value> {
    let run = capdex.run(&["lookalikes", "--names", names, "--popular", popular, "--format", "jsonl"]);
    assert_eq!(run.code, Some(0));
    assert_eq!(run.stderr.as_str(), "");
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// The leads of one name against one popular name.
fn one(name: &str, popular: &str) -> Vec<(String, String)> {
    let capdex = Capdex::offline();
    capdex.write("names.tsv", format!("{name}\n")).write("popular.tsv", format!("{popular}\n"));
    let leads = leads(&capdex, "names.tsv", "popular.tsv");
    leads.iter().map(|lead| (text(lead, "kind").to_owned(), text(lead, "severity").to_owned())).collect()
}

fn is_alarm(lead: &Value) -> bool {
    matches!(text(lead, "severity"), "medium" | "high" | "critical")
}

#[test]
fn every_known_squat_is_a_lead_to_its_target() {
    let Ok(data) = std::env::var("CAPDEX_DATA") else { return println!("skipped: no CAPDEX_DATA") };
    let file = std::fs::read_to_string(format!("{data}/typosquats/ecosystems-typosquats.csv")).expect("is there");
    let pairs: Vec<(&str, &str, &str)> = file
        .lines()
        .skip(1)
        .filter_map(|line| {
            let mut cells = line.split(',');
            Some((cells.next()?, cells.next()?, cells.next()?))
        })
        .collect();
    let (mut known, mut missed): (usize, Vec<String>) = (0, Vec::new());
    for registry in ["npm", "pypi"] {
        let of: Vec<_> = pairs.iter().filter(|(_, _, of)| *of == registry).collect();
        let names: BTreeSet<&str> = of.iter().map(|(name, _, _)| *name).collect();
        let popular = std::fs::read_to_string(format!("{data}/popular-names/{registry}.tsv")).expect("is there");
        let targets: BTreeSet<&str> = of.iter().map(|(_, target, _)| *target).collect();
        let targets: String = targets.iter().map(|target| format!("{target}\n")).collect();
        let capdex = Capdex::offline();
        capdex.write("names.tsv", names.into_iter().collect::<Vec<_>>().join("\n"));
        capdex.write("popular.tsv", popular + &targets);
        let leads = leads(&capdex, "names.tsv", "popular.tsv");
        let found: BTreeSet<(&str, &str)> =
            leads.iter().map(|lead| (text(lead, "name"), text(lead, "target"))).collect();
        assert!(!leads.iter().any(is_alarm), "a name alone is never an alarm");
        known += of.len();
        let is_missed = |(name, target, _): &&(&str, &str, &str)| !found.contains(&(*name, *target));
        missed.extend(
            of.into_iter().filter(|pair| is_missed(pair)).map(|(name, target, _)| format!("{name} for {target}")),
        );
    }
    println!("{} of {known} are leads", known - missed.len());
    assert!(known > 60 && missed.is_empty(), "missed of {known}: {missed:?}");
}

/// Twenty famous names of servers, as their registry writes them.
const FAMOUS: [&str; 20] = [
    "@modelcontextprotocol/server-filesystem",
    "@modelcontextprotocol/server-github",
    "@upstash/context7-mcp",
    "@playwright/mcp",
    "@stripe/mcp",
    "@supabase/mcp-server-supabase",
    "@notionhq/notion-mcp-server",
    "@sentry/mcp-server",
    "@cloudflare/mcp-server-cloudflare",
    "firecrawl-mcp",
    "postmark-mcp",
    "tavily-mcp",
    "exa-mcp-server",
    "chrome-devtools-mcp",
    "mcp-server-sqlite",
    "mcp-server-kubernetes",
    "figma-developer-mcp",
    "airtable-mcp-server",
    "desktop-commander",
    "task-master-ai",
];

/// The forms in which somebody else writes a famous name: plural, number, version, letters left out, doubled and in another
/// order, words in another order, with and without what says that it is a server, and its scope written otherwise.
fn forms_of(name: &str) -> Vec<String> {
    let (scope, base) = name.strip_prefix('@').and_then(|rest| rest.split_once('/')).unwrap_or(("", name));
    let at = |base: &str| if scope.is_empty() { base.to_owned() } else { format!("@{scope}/{base}") };
    // What only says that it is a server is read with its scope.
    let flat = if matches!(base, "mcp" | "mcp-server") { format!("{scope}-{base}") } else { base.to_owned() };
    // The longest word is the one that people read.
    let brand = flat.split('-').max_by_key(|word| (word.len(), *word)).expect("a word").to_owned();
    let (head, tail) = brand.split_at(brand.len() / 2);
    let (first, rest) = tail.split_at(1);
    let swapped = format!("{head}{}{first}{}", &rest[..1], &rest[1..]);
    let mut forms = vec![at(&format!("{base}s")), at(&format!("{base}2")), at(&format!("{base}-v2"))];
    for written in [
        format!("{head}{rest}"),
        format!("{head}{first}{first}{rest}"),
        swapped,
        format!("{brand}{}", &brand[brand.len() - 1..]),
    ] {
        forms.push(flat.replacen(&brand, &written, 1));
    }
    if flat.contains('-') {
        forms.push(flat.split('-').rev().collect::<Vec<_>>().join("-"));
        forms.push(flat.replace('-', "_"));
    }
    if flat.contains("mcp") {
        forms.push(flat.replace("mcp", "mpc"));
        forms.push(flat.replace("mcp", "model-context-protocol"));
    }
    forms.extend([format!("{flat}-official"), format!("{flat}-pro"), format!("node-{flat}")]);
    if flat.contains("server") {
        forms.push(format!("mcp-{flat}"));
    }
    if !scope.is_empty() {
        let (head, tail) = scope.split_at(scope.len() / 2);
        for scope in [format!("{scope}s"), format!("{head}-{tail}"), format!("{head}{}", &tail[1..])] {
            forms.push(format!("@{scope}/{base}"));
        }
    }
    // The package itself under its plain name is no form of it.
    forms.retain(|form| form != name);
    forms
}

/// Ten more writings of a famous name, by chance: one edit of its longest word, behind its first letter.
fn chance_forms_of(name: &str, seed: u64) -> Vec<String> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % bound as u64).expect("small")
    };
    let words = name.split(['@', '/', '-']);
    let brand: Vec<char> = words.max_by_key(|word| word.len()).expect("a word").chars().collect();
    let mut forms: Vec<String> = Vec::new();
    while forms.len() < 10 {
        let mut written = brand.clone();
        let at = 1 + below(brand.len() - 2);
        match below(6) {
            0 => drop(written.remove(at)),
            1 => written.insert(at, brand[at]),
            2 => written.swap(at, at + 1),
            3 => written[at] = char::from(b'a' + u8::try_from(below(26)).expect("a letter")),
            4 => written.insert(at, char::from(b'a' + u8::try_from(below(26)).expect("a letter"))),
            // A digit that is drawn like a letter.
            _ => {
                for (letter, digit) in [('o', '0'), ('l', '1'), ('e', '3'), ('a', '4'), ('s', '5'), ('t', '7')] {
                    written.iter_mut().filter(|one| **one == letter).take(1).for_each(|one| *one = digit);
                }
            }
        }
        let form = name.replacen(&brand.iter().collect::<String>(), &written.iter().collect::<String>(), 1);
        if form != name && !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

#[test]
fn every_form_of_a_famous_name_is_told() {
    let forms: Vec<(&str, String)> =
        FAMOUS.iter().flat_map(|name| forms_of(name).into_iter().map(move |form| (*name, form))).collect();
    // And the forms that were missed once, by name.
    let missed = [
        ("@modelcontextprotocol/server-filesystem", "mcp-server-filesystem"),
        ("@upstash/context7-mcp", "contex7-mcp"),
        ("@upstash/context7-mcp", "context77-mcp"),
        ("@upstash/context7-mcp", "@upstach/context7-mcp"),
        ("@modelcontextprotocol/server-github", "@modelcontextprotocols/server-github"),
        ("@playwright/mcp", "playwrite-mcp"),
        ("@playwright/mcp", "@play-wright/mcp"),
    ];
    let by_chance: Vec<(&str, String)> = (1_u64..)
        .zip(FAMOUS)
        .flat_map(|(seed, name)| chance_forms_of(name, seed).into_iter().map(move |form| (name, form)))
        .collect();
    assert_eq!(by_chance.len(), 200);
    let missed = missed.map(|(of, form)| (of, form.to_owned()));
    let forms: Vec<(&str, String)> = forms.into_iter().chain(missed).chain(by_chance).collect();
    assert!(forms.len() > 450, "{}", forms.len());
    let capdex = Capdex::offline();
    capdex.write("popular.tsv", FAMOUS.map(|name| format!("{name}\n")).concat());
    capdex.write("names.tsv", forms.iter().map(|(_, form)| format!("{form}\n")).collect::<String>());
    let leads = leads(&capdex, "names.tsv", "popular.tsv");
    let told: BTreeSet<(&str, &str)> = leads
        .iter()
        .filter(|lead| text(lead, "severity") == "low")
        .map(|lead| (text(lead, "name"), text(lead, "target")))
        .collect();
    assert!(!leads.iter().any(is_alarm), "a name alone is never an alarm");
    let untold: Vec<_> = forms.iter().filter(|(of, form)| !told.contains(&(form.as_str(), *of))).collect();
    println!("{} of {} forms are told", forms.len() - untold.len(), forms.len());
    assert!(untold.is_empty(), "{untold:#?}");
}

#[test]
fn popular_names_raise_no_alarms_among_themselves() {
    let Ok(data) = std::env::var("CAPDEX_DATA") else { return println!("skipped: no CAPDEX_DATA") };
    for registry in ["npm", "pypi"] {
        let file = format!("{data}/popular-names/{registry}.tsv");
        let capdex = Capdex::offline();
        let leads = leads(&capdex, &file, &file);
        let alarmed: BTreeSet<&str> =
            leads.iter().filter(|lead| is_alarm(lead)).map(|lead| text(lead, "name")).collect();
        assert!(leads.len() > 1_000, "{registry}: {} leads: not enough to prove anything", leads.len());
        assert!(alarmed.len() <= 50, "{registry}: {} of 10,000 raise an alarm: {alarmed:?}", alarmed.len());
        // The same where the first half is new to who knows only the second.
        let text = std::fs::read_to_string(&file).expect("is there");
        let (even, odd): (Vec<_>, Vec<_>) = text.lines().skip(1).enumerate().partition(|(at, _)| at % 2 == 0);
        let list =
            |lines: Vec<(usize, &str)>| lines.into_iter().map(|(_, line)| format!("{line}\n")).collect::<String>();
        let header = text.lines().next().expect("a header");
        capdex
            .write("even.tsv", format!("{header}\n{}", list(even)))
            .write("odd.tsv", format!("{header}\n{}", list(odd)));
        let crossed = self::leads(&capdex, "odd.tsv", "even.tsv");
        let alarmed = crossed.iter().filter(|lead| is_alarm(lead)).count();
        assert!(alarmed <= 25, "{registry}: {alarmed} of 5,000");
    }
}

#[test]
fn disguises_are_seen() {
    let kinds: BTreeMap<&str, (&str, &str)> = BTreeMap::from([
        ("еxpress", ("express", "confusable")),
        ("εxρress", ("express", "confusable")),
        ("exp\u{200B}ress", ("express", "confusable")),
        ("ｅｘｐｒｅｓｓ", ("express", "confusable")),
        ("rnongoose", ("mongoose", "confusable")),
        ("l0dash", ("lodash", "confusable")),
        ("1odash", ("lodash", "confusable")),
        ("еxpres", ("express", "confusable")),
        ("acme-x", ("@acme/x", "scope")),
        ("mcp-server-x", ("x-mcp-server", "word_order")),
        ("xn--80ak6aa92e.com", ("apple.com", "host_confusable")),
        ("stripe-pay.com", ("stripe.com", "host_combosquat")),
        ("https://stripe.mcp.evil.example.com/sse", ("https://mcp.stripe.com/", "host_subdomain")),
        ("wait4it", ("waitforit", "homophone")),
    ]);
    for (name, (target, kind)) in kinds {
        let found = one(name, target);
        assert!(found.iter().all(|(_, severity)| matches!(severity.as_str(), "info" | "low")), "{name}: {found:?}");
        assert_eq!(found.first().map(|(kind, _)| kind.as_str()), Some(kind), "{name}");
    }
}

#[test]
fn one_owner_and_honest_firms_are_silent() {
    assert_eq!(one("expresss\t12\tTJ", "express\t90000000\ttj"), []);
    for (firm, other) in
        [("squaredup", "squareup"), ("salesforge", "salesforce"), ("formester", "forrester"), ("bitquery", "bigquery")]
    {
        let found = one(&format!("{firm}\t80000\t{firm}"), &format!("{other}\t9000000\t{other}"));
        assert!(found.iter().all(|(_, severity)| matches!(severity.as_str(), "info" | "low")), "{firm}: {found:?}");
        let hosts = one(&format!("{firm}.com"), &format!("{other}.com"));
        assert!(hosts.iter().all(|(_, severity)| matches!(severity.as_str(), "info" | "low")), "{firm}: {hosts:?}");
    }
    let found = one("expresss\t12\tmallory", "express\t90000000\ttj");
    assert_eq!(found, [("repetition".to_owned(), "medium".to_owned())]);
}

/// Two servers for one product have its name in common, and neither is written like the other.
#[test]
fn the_name_of_a_vendor_is_no_likeness() {
    for (name, popular) in [("clickhouse-io", "mcp-clickhouse"), ("stripe-mcp", "stripe")] {
        let found = one(name, popular);
        assert!(found.iter().all(|(_, severity)| severity == "info"), "{name}: {found:?}");
    }
    let found = one("mcp-clickhuose", "mcp-clickhouse");
    assert_eq!(found.first().map(|(_, severity)| severity.as_str()), Some("low"), "{found:?}");
}

#[test]
fn hostile_lists_are_read_in_bounded_time() {
    let capdex = Capdex::offline();
    let mut names: String = (0..5_000).map(|number| format!("mcp-server-{}{number}\n", "a".repeat(60))).collect();
    names.push_str(&"\n".repeat(1_000_000));
    names.push_str(&"express\n".repeat(20_000));
    names.push_str(&format!("{}\n{}\nexpres\u{1B}\t5\n", "x".repeat(10_000), "é".repeat(10_000)));
    capdex.write("names.tsv", &names).write("popular.tsv", "express\t90000000\nmcp-server-aaaaaaaa\n");
    let run = capdex.run(&["lookalikes", "--names", "names.tsv", "--popular", "popular.tsv"]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.contains("too long to be compared"), "{}", run.stderr);
    assert!(!run.stdout.contains('\u{1B}'), "{}", run.stdout);
    assert!(run.stdout.contains("expres\\u{1b}"), "{}", run.stdout);
    for missing in [["--names", "nowhere.tsv"], ["--popular", "popular.tsv"]] {
        assert_eq!(capdex.run(&[&["lookalikes"][..], &missing].concat()).code, Some(2));
    }
}

#[test]
fn the_same_lists_give_the_same_bytes_on_any_number_of_threads() {
    let capdex = Capdex::offline();
    let names: String = (0..2_000).map(|number| format!("express{}-{}\n", number % 7, number)).collect();
    capdex.write("names.tsv", names).write("popular.tsv", "express\t90000000\nexpress-session\t80000\n");
    let run = |threads: &str| {
        let two = ["--names", "names.tsv", "--popular", "popular.tsv", "--format", "json"];
        capdex.run(&[&["--threads", threads, "lookalikes"][..], &two].concat())
    };
    let first = run("1");
    assert_eq!(first.code, Some(0));
    assert_eq!(first, run("7"));
}

/// A schedule over the packages, with a list of popular names.
fn schedule(npm: &[&str]) -> String {
    packages::schedule(npm, &[]).replace("[sources.npm]", "[lookalikes]\npopular = [\"popular.tsv\"]\n[sources.npm]")
}

#[test]
fn a_night_keeps_leads_and_raises_what_has_a_second_signal_once() {
    let registry = Registry::start();
    let manifest = |name: &str| format!(r#"{{"name":"{name}","version":"1.0.0","license":"MIT"}}"#).into_bytes();
    let (hostile, quiet) = (manifest("postmrak-mcp"), manifest("weahter-mcp"));
    registry.npm_package(
        "postmrak-mcp",
        "1.0.0",
        &[("package.json", &hostile), ("skills/setup/SKILL.md", HOSTILE_SKILL.as_bytes())],
    );
    registry.npm_package("weahter-mcp", "1.0.0", &[("package.json", &quiet)]);
    registry.npm_package("weather-mcp", "1.0.0", WEATHER);
    let capdex = Capdex::with(&registry);
    capdex.write(
        "popular.tsv",
        "name\tdownloads_a_month\towner\npostmark-mcp\t900000\twildbit\nweather-mcp\t800000\tacme\n",
    );
    capdex.write("schedule.toml", schedule(&["postmrak-mcp", "weahter-mcp", "weather-mcp"]));
    for day in ["2026-11-20T01:00:00Z", "2026-11-21T01:00:00Z"] {
        let run = night(&capdex, day);
        assert_eq!(run.code, Some(0), "{}", run.stdout);
        let out = capdex.path().join("out");
        let leads = rows(&out, "typosquats");
        let short: Vec<_> = leads
            .iter()
            .map(|row| ["name", "target", "kind", "severity", "first_seen"].map(|cell| text(row, cell)))
            .collect();
        let expected = [
            ["postmrak-mcp", "postmark-mcp", "transposition", "high", "2026-11-20T01:00:00Z"],
            ["weahter-mcp", "weather-mcp", "transposition", "low", "2026-11-20T01:00:00Z"],
        ];
        assert_eq!(short, expected);
        let mut alerts = rows(&out, "alerts");
        // What stands in the packages is told by itself.
        alerts.retain(|alert| text(alert, "pass") != "verdicts");
        assert_eq!(alerts.len(), 1, "{alerts:?}");
        assert_eq!(text(&alerts[0], "pass"), "lookalikes");
        assert_eq!(text(&alerts[0], "severity"), "high");
        assert_eq!(text(&alerts[0], "raised"), "2026-11-20T01:00:00Z");
    }
    let shown = capdex.run(&["lookalikes", "--format", "json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).expect("JSON");
    assert_eq!(text(&shown, "schema"), "capdex.lookalikes/1");
    assert_eq!(shown["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(text(&shown["items"][0], "listing"), "npm:postmrak-mcp");
}

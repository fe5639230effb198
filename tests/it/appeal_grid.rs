//! Proof of control as a grid: five methods over loopback servers, each against eleven texts that prove nothing, and then proved. The
//! walk of a registry is on tape; the others' tapes are those of `appeal_proofs`.

use std::sync::atomic::{AtomicU64, Ordering};

use capdex::appeals::token::TokenKey;
use serde_json::{Value, json};

use crate::appeal_proofs::{
    AT, NIGHT, Shared, filed, forge, forge_schedule, host, host_schedule, npm, package_store, proves, resolver,
};
use crate::appeals::KEY;
use crate::directory::fake::Fake;
use crate::rows::text;
use crate::support::capdex::{Capdex, Run};
use crate::support::directory::Directory;
use crate::support::registry::Registry;

/// Puts strings where a method looks.
type Put<'a> = Box<dyn FnMut(&[&str]) + 'a>;
/// Looks at an instant, with a key.
type Look<'a> = Box<dyn FnMut(&str, &str) -> Run + 'a>;

/// A method over a store in which an appeal was filed.
struct Method<'a> {
    capdex: &'a Capdex,
    id: String,
    token: String,
    put: Put<'a>,
    look: Look<'a>,
    /// What is far too much, and a word of the answer to it.
    large: (Vec<String>, &'static str),
}

fn with_key(capdex: &Capdex, arguments: &[&str], at: &str, key: &str) -> Run {
    let arguments = [arguments, &["--as-of", at]].concat();
    Run::of(&capdex.command(&arguments).env("CAPDEX_APPEAL_KEY", key).output().expect("starts"))
}

/// A look by `appeal verify`.
fn verify<'a>(capdex: &'a Capdex, id: &str, more: &[&'a str]) -> Look<'a> {
    let (id, more) = (id.to_owned(), more.to_vec());
    Box::new(move |at, key| {
        with_key(capdex, &[&["appeal", "verify", &id, "--config", "schedule.toml"], more.as_slice()].concat(), at, key)
    })
}

/// Every refusal; the token of a second challenge that stands at its place in the end, not looked at yet.
fn refuses_all(method: &mut Method<'_>, [now, late, again]: [&str; 3]) {
    let Method { capdex, id, token, put, look, large } = method;
    let expires = token.rsplit("exp=").next().expect("an end").parse().expect("an instant");
    let key = TokenKey::of_text(KEY).expect("a key");
    let stranger = key.token("npm:stranger", &id.parse().expect("an id"), expires);
    let large_strings: Vec<&str> = large.0.iter().map(String::as_str).collect();
    let (tag, end) = (token.replace("; t=", "; t=A"), token.replace("exp=2026", "exp=2027"));
    let appeal = token.replace(id.as_str(), "A-0123456789abcdef");
    let cases: [(&str, Vec<&str>, &str); 8] = [
        ("nothing", vec![], "no token stands"),
        ("tag", vec![&tag], "forged"),
        ("end", vec![&end], "forged"),
        ("cut", vec![&token[..token.len() - 25]], "cut off"),
        ("two", vec![token, token], "two tokens"),
        ("large", large_strings, large.1),
        ("appeal", vec![&appeal], "another appeal"),
        ("identity", vec![&stranger], "another identity"),
    ];
    for (name, strings, why) in cases {
        put(&strings);
        let looked = look(now, KEY);
        assert_eq!(looked.code, Some(1), "{name}: {}{}", looked.stdout, looked.stderr);
        assert!(looked.stdout.contains(why), "{name}: {}", looked.stdout);
    }
    put(&[token]);
    let other = look(now, "another key of letters");
    assert!(other.code == Some(1) && other.stdout.contains("another key"), "{}{}", other.stdout, other.stderr);
    // Too late: refused by whoever looks, and lapsed where the night looked first.
    put(&[token]);
    let expired = look(late, KEY);
    let said = format!("{}{}", expired.stdout, expired.stderr);
    assert!(expired.code != Some(0) && (said.contains("expired") || said.contains("is lapsed")), "{said}");
    let newer = with_key(capdex, &["appeal", "challenge", id], again, KEY);
    let newer = newer.stdout.lines().next().expect("a token").to_owned();
    assert_ne!(newer, *token);
    put(&[token]);
    let earlier = look(again, KEY);
    assert!(earlier.code == Some(1) && earlier.stdout.contains("an earlier challenge"), "{}", earlier.stdout);
    put(&[&newer]);
}

/// The instants of a method that looks by itself: a look at any time is a look of that time.
const TIMES: [&str; 3] = [AT, "2026-11-28T02:00:00Z", "2026-11-20T03:00:00Z"];

fn megabyte(token: &str) -> (Vec<String>, &'static str) {
    (vec![format!("{token}\n{}", "x".repeat(1 << 20))], "bytes")
}

#[test]
fn a_package_refuses_each_text_that_proves_nothing() {
    let registry = Registry::start();
    let capdex = package_store(&registry);
    let (id, token) = filed(&capdex, "npm:kit#skill:skills/a");
    let mut version = 1;
    let mut method = Method {
        put: Box::new(|strings| {
            version += 1;
            let file = strings.join("\n");
            let files: &[(&str, &[u8])] = match strings {
                [] => &[],
                _ => &[(".capdex/appeal.txt", file.as_bytes())],
            };
            npm(&registry, &format!("1.{version}.0"), &json!({}), files);
        }),
        look: verify(&capdex, &id, &[]),
        large: megabyte(&token),
        capdex: &capdex,
        id: id.clone(),
        token,
    };
    refuses_all(&mut method, TIMES);
    proves((&capdex, &Capdex::with(&registry)), &id, &[], "package");
}

#[test]
fn a_repository_refuses_each_text_that_proves_nothing() {
    let shown = Shared::default();
    let forge = forge(&shown);
    let capdex = Capdex::offline();
    capdex.write("schedule.toml", forge_schedule(&forge));
    crate::appeals::done(&capdex, NIGHT, &["nightly", "--config", "schedule.toml", "--out", "out"]);
    let (id, token) = filed(&capdex, "git:127.0.0.1/acme/kit#skill:");
    let mut method = Method {
        put: Box::new(|strings| match strings {
            [] => shown.set(&[]),
            _ => shown.set(&[&strings.join("\n")]),
        }),
        look: verify(&capdex, &id, &[]),
        large: megabyte(&token),
        capdex: &capdex,
        id: id.clone(),
        token,
    };
    refuses_all(&mut method, TIMES);
    proves((&capdex, &Capdex::offline()), &id, &[], "repository");
}

/// A store over an endpoint whose host answers, with an appeal.
fn endpoint(server: &Directory, resolvers: [&Directory; 2]) -> (Capdex, String, String) {
    let capdex = Capdex::offline();
    let address = format!("{}/mcp", server.url());
    capdex.write("schedule.toml", host_schedule(&address, resolvers));
    crate::appeals::done(&capdex, NIGHT, &["nightly", "--config", "schedule.toml", "--out", "out"]);
    let (id, token) = filed(&capdex, &format!("mcp:{address}"));
    (capdex, id, token)
}

#[test]
fn a_host_refuses_each_text_that_proves_nothing() {
    let (file, nothing) = (Shared::default(), Shared::default());
    let (server, first, second) = (host(&file), resolver(&nothing), resolver(&nothing));
    let (capdex, id, token) = endpoint(&server, [&first, &second]);
    let mut method = Method {
        put: Box::new(|strings| match strings {
            [] => file.set(&[]),
            _ => file.set(&[&strings.join("\n")]),
        }),
        look: verify(&capdex, &id, &["--own-host"]),
        // The client takes no more than a place may hold.
        large: (megabyte(&token).0, ""),
        capdex: &capdex,
        id: id.clone(),
        token,
    };
    refuses_all(&mut method, TIMES);
    proves((&capdex, &Capdex::offline()), &id, &["--own-host"], "well_known");
}

#[test]
fn a_record_refuses_each_text_that_proves_nothing() {
    let (file, record) = (Shared::default(), Shared::default());
    let (server, first, second) = (host(&file), resolver(&record), resolver(&record));
    let (capdex, id, token) = endpoint(&server, [&first, &second]);
    let mut method = Method {
        put: Box::new(|strings| record.set(strings)),
        look: verify(&capdex, &id, &["--own-host"]),
        large: (vec![token.clone(); 40], "40 strings"),
        capdex: &capdex,
        id: id.clone(),
        token,
    };
    refuses_all(&mut method, TIMES);
    proves((&capdex, &Capdex::offline()), &id, &["--own-host"], "dns");
}

/// A registry of one server, whose newest version holds a text in its publisher's own part.
fn registry_of(version: u64, token: Option<&str>) -> impl Fn(&str) -> (u16, String) + Send + Sync + 'static {
    let at = format!("2026-11-20T01:{:02}:00Z", version % 60);
    let facts = json!({ "status": "active", "publishedAt": at, "updatedAt": at, "isLatest": true });
    let mut server =
        json!({ "name": "io.github.ann/notes", "description": "Keeps notes.", "version": format!("1.{version}.0") });
    if let Some(token) = token {
        server["_meta"] = json!({ "io.modelcontextprotocol.registry/publisher-provided": { "capdexAppeal": token } });
    }
    // What stands where anybody's words may stand counts for nothing.
    server["title"] = json!("capdexAppeal");
    let fake = Fake::of([json!({ "server": server, "_meta": { "io.modelcontextprotocol.registry/official": facts } })]);
    move |path: &str| fake.answer(path)
}

#[test]
fn a_row_of_a_registry_refuses_each_text_that_proves_nothing_and_is_proved_on_tape() {
    let directory = Directory::start(registry_of(0, None));
    let capdex = Capdex::offline();
    let schedule = format!(
        "name = \"r\"\n[http]\nmax_tries = 1\nbackoff_ms = 1\n[sources.official-registry]\nbase_url = \"{}\"\nrequests_per_minute = 100000\n\
         [export]\nformats = [\"jsonl\"]\n",
        directory.url()
    );
    capdex.write("schedule.toml", schedule);
    let night = ["nightly", "--config", "schedule.toml", "--out", "out"];
    crate::appeals::done(&capdex, NIGHT, &night);
    let rows = crate::rows::rows(&capdex.path().join("out"), "capabilities");
    let server = rows.iter().find(|row| text(row, "kind") == "mcp_server").expect("the server");
    let (id, token) = filed(&capdex, text(server, "slug"));
    let asked = with_key(&capdex, &["appeal", "verify", &id, "--config", "schedule.toml"], AT, KEY);
    assert!(asked.stdout.contains("read by the nights"), "{}", asked.stdout);
    // Each look is a night of its own minute, and then what it fetched.
    let (version, minute) = (AtomicU64::new(0), AtomicU64::new(0));
    let mut method = Method {
        put: Box::new(|strings| {
            let version = version.fetch_add(1, Ordering::Relaxed) + 1;
            let joined = strings.join("\n");
            directory.change(registry_of(version, (!strings.is_empty()).then_some(joined.as_str())));
        }),
        look: Box::new(|at, key| {
            let at = at.replace(":00:00Z", &format!(":{:02}:30Z", minute.fetch_add(1, Ordering::Relaxed)));
            let run = with_key(&capdex, &night, &at, key);
            assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
            with_key(&capdex, &["appeal", "verify", &id, "--config", "schedule.toml", "--offline"], &at, key)
        }),
        large: megabyte(&token),
        capdex: &capdex,
        id: id.clone(),
        token,
    };
    refuses_all(&mut method, [AT, "2026-11-28T02:00:00Z", "2026-11-28T03:00:00Z"]);
    drop(method);
    // The night that reads it proves it, and so does its tape over a copy of the store.
    let at = "2026-11-28T04:00:00Z";
    crate::appeals::done(&capdex, at, &["backup", "copy.db"]);
    let twin = Capdex::offline();
    twin.write("capdex.db", std::fs::read(capdex.path().join("copy.db")).expect("the store"));
    twin.write("schedule.toml", std::fs::read(capdex.path().join("schedule.toml")).expect("reads"));
    let shown = |of: &Capdex| -> Value {
        serde_json::from_str(&crate::appeals::done(of, at, &["appeal", "show", &id, "--format", "jsonl"]))
            .expect("JSON")
    };
    crate::appeals::done(&capdex, at, &[&night[..], &["--record", "tape.warc.gz"]].concat());
    twin.write("tape.warc.gz", std::fs::read(capdex.path().join("tape.warc.gz")).expect("a tape"));
    crate::appeals::done(&twin, at, &[&night[..], &["--replay", "tape.warc.gz"]].concat());
    let proved = shown(&capdex);
    assert_eq!((text(&proved, "state"), text(&proved["proof"], "method")), ("answered", "registry_row"), "{proved}");
    assert!(text(&proved["proof"], "locator").ends_with("publisher-provided/capdexAppeal"), "{proved}");
    assert_eq!(shown(&twin), proved, "a tape proves the same");
}

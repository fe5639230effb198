//! Proof of control: each method over loopback servers, on tape and played again, and what is refused.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use simple_dns::rdata::{RData, TXT};
use simple_dns::{CLASS, Name, Packet, RCODE, ResourceRecord};

use crate::appeals::{done, run};
use crate::packages::HOSTILE_SKILL;
use crate::rows::text;
use crate::support::archives;
use crate::support::capdex::{Capdex, Run};
use crate::support::directory::Directory;
use crate::support::registry::Registry;

pub(crate) const NIGHT: &str = "2026-11-20T01:00:00Z";
pub(crate) const AT: &str = "2026-11-20T02:00:00Z";

/// A text that a test may change while servers read it.
#[derive(Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Vec<String>>>);

impl Shared {
    pub(crate) fn set(&self, texts: &[&str]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = texts.iter().map(|text| (*text).to_owned()).collect();
    }

    fn get(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Files an appeal against the whole verdict, and gives its token; both.
pub(crate) fn filed(capdex: &Capdex, capability: &str) -> (String, String) {
    capdex.write("reply.md", "It is ours.");
    let told = done(capdex, AT, &["appeal", "file", capability, "--claim", "other", "--text", "reply.md"]);
    let id = told.lines().next().expect("a name").to_owned();
    let token = done(capdex, AT, &["appeal", "challenge", &id]).lines().next().expect("a token").to_owned();
    (id, token)
}

fn verify(capdex: &Capdex, id: &str, more: &[&str]) -> Run {
    run(capdex, AT, &[&["appeal", "verify", id, "--config", "schedule.toml"], more].concat())
}

/// That nothing is proved, and why.
fn says(capdex: &Capdex, id: &str, more: &[&str], why: &str) {
    let looked = verify(capdex, id, more);
    assert_eq!(looked.code, Some(1), "{why}: {}{}", looked.stdout, looked.stderr);
    assert!(looked.stdout.contains(why), "{why}: {}", looked.stdout);
}

/// That control is proved by a method, on tape and when the tape is played over a copy of the store.
pub(crate) fn proves((capdex, twin): (&Capdex, &Capdex), id: &str, more: &[&str], method: &str) {
    // A copy as the program makes one: what was written last may stand beside the store's own file.
    done(capdex, AT, &["backup", "copy.db"]);
    twin.write("capdex.db", std::fs::read(capdex.path().join("copy.db")).expect("the store"));
    twin.write("schedule.toml", std::fs::read(capdex.path().join("schedule.toml")).expect("reads"));
    let recorded = verify(capdex, id, &[more, &["--record", "tape.warc.gz"]].concat());
    assert_eq!(recorded.code, Some(0), "{}{}", recorded.stdout, recorded.stderr);
    assert!(recorded.stdout.contains(&format!("{id} is proven ({method}, ")), "{}", recorded.stdout);
    twin.write("tape.warc.gz", std::fs::read(capdex.path().join("tape.warc.gz")).expect("a tape"));
    let played = verify(twin, id, &[more, &["--replay", "tape.warc.gz"]].concat());
    assert_eq!(played, recorded, "a tape proves the same");
    let shown = |capdex: &Capdex| done(capdex, AT, &["appeal", "show", id, "--format", "jsonl"]);
    assert_eq!(shown(twin), shown(capdex));
    let record: Value = serde_json::from_str(&shown(capdex)).expect("JSON");
    assert_eq!((text(&record, "state"), text(&record["proof"], "method")), ("answered", method));
}

pub(crate) fn npm(registry: &Registry, version: &str, manifest: &Value, files: &[(&str, &[u8])]) {
    let mut whole = json!({ "name": "kit", "version": version, "description": "Prepares machines", "license": "MIT" });
    whole.as_object_mut().expect("an object").extend(manifest.as_object().cloned().unwrap_or_default());
    let text = whole.to_string();
    let own: [(&str, &[u8]); 2] = [("package.json", text.as_bytes()), ("skills/a/SKILL.md", HOSTILE_SKILL.as_bytes())];
    registry.npm_package("kit", version, &[&own, files].concat());
}

pub(crate) fn package_store(registry: &Registry) -> Capdex {
    npm(registry, "1.0.0", &json!({}), &[]);
    let capdex = Capdex::with(registry);
    capdex.write("schedule.toml", "name = \"p\"\n[http]\nrequests_per_second = 1000\nmax_tries = 2\nbackoff_ms = 1\n[sources.npm]\nwatchlist = [\"kit\"]\n");
    done(&capdex, NIGHT, &["nightly", "--config", "schedule.toml", "--out", "out"]);
    capdex
}

#[test]
fn a_package_proves_its_publisher_by_a_file_or_its_manifest_in_a_new_version() {
    for by_manifest in [false, true] {
        let registry = Registry::start();
        let capdex = package_store(&registry);
        let (id, token) = filed(&capdex, "npm:kit#skill:skills/a");
        // Places that others can write, and tokens that are none.
        npm(
            &registry,
            "1.0.1",
            &json!({ "description": token }),
            &[("README.md", token.as_bytes()), ("other/.capdex/appeal.txt", token.as_bytes())],
        );
        says(&capdex, &id, &[], "no token stands at any of its places");
        let cut = &token[..token.len() - 25];
        let large = format!("{token}\n{}", "x".repeat(1 << 20));
        let wrong: [(&str, &str); 6] = [
            (&token.replace("; t=", "; t=A"), "forged"),
            (cut, "cut off"),
            (&format!("{token}\n{token}"), "two tokens"),
            (&large, "bytes"),
            (&token.replace(&id, "A-0123456789abcdef"), "another appeal"),
            (&token.replace("exp=2026", "exp=2027"), "forged"),
        ];
        for (number, (text, why)) in (2..).zip(wrong) {
            npm(&registry, &format!("1.0.{number}"), &json!({}), &[("skills/a/.capdex/appeal.txt", text.as_bytes())]);
            says(&capdex, &id, &[], why);
        }
        // A token of before the newest challenge.
        let newer = run(&capdex, "2026-11-20T03:00:00Z", &["appeal", "challenge", &id]).stdout;
        npm(&registry, "1.1.0", &json!({}), &[(".capdex/appeal.txt", token.as_bytes())]);
        says(&capdex, &id, &[], "an earlier challenge");
        let newer = newer.lines().next().expect("a token");
        if by_manifest {
            npm(&registry, "1.1.1", &json!({ "capdexAppeal": newer }), &[]);
        } else {
            npm(&registry, "1.1.1", &json!({}), &[("skills/a/.well-known/capdex-appeal.txt", newer.as_bytes())]);
        }
        let late = run(&capdex, "2026-11-28T03:00:00Z", &["appeal", "verify", &id, "--config", "schedule.toml"]);
        assert_eq!(late.code, Some(1));
        assert!(late.stdout.contains("expired"), "{}", late.stdout);
        let key = capdex
            .command(&["appeal", "verify", &id, "--config", "schedule.toml", "--as-of", AT])
            .env("CAPDEX_APPEAL_KEY", "another key of letters")
            .output();
        let other = Run::of(&key.expect("starts"));
        assert!(other.stdout.contains("another key"), "{}", other.stdout);
        proves((&capdex, &Capdex::with(&registry)), &id, &[], "package");
    }
}

/// A forge with one repository; the texts are what its files of a proof hold. Another text is another commit.
pub(crate) fn forge(token: &Shared) -> Directory {
    let shown = token.clone();
    Directory::start(move |path: &str| {
        let (path, _) = path.split_once('?').unwrap_or((path, ""));
        let files = shown.get();
        let commit = &capdex_model::digest::Digest::of(files.join(" ").as_bytes()).hex()[..40];
        match path.trim_start_matches("/api/v4/projects/acme%2Fkit") {
            "" => (200, json!({"id": 1, "path_with_namespace": "acme/kit", "visibility": "public", "default_branch": "main",
                "created_at": "2025-01-02T03:04:05Z", "star_count": 1, "forks_count": 0, "archived": false, "topics": [],
                "last_activity_at": "2026-01-02T03:04:05Z", "web_url": "https://forge.test/acme/kit"}).to_string().into_bytes()),
            "/repository/commits" => (200, json!([{"id": commit}]).to_string().into_bytes()),
            "/repository/archive.tar.gz" => {
                let mut tar = archives::Tar::new().file(&format!("kit-{commit}/SKILL.md"), HOSTILE_SKILL.as_bytes());
                for text in &files {
                    tar = tar.file(&format!("kit-{commit}/.capdex/appeal.txt"), text.as_bytes());
                }
                (200, tar.gzipped())
            }
            _ => (404, b"{}".to_vec()),
        }
    })
}

pub(crate) fn forge_schedule(forge: &Directory) -> String {
    let url = forge.url();
    format!(
        "name = \"forge\"\n[sources.git]\nbase_url = \"{url}/api/v4\"\nrequests_per_minute = 60000\nwatchlist = [\"127.0.0.1/acme/kit\"]\n"
    )
}

#[test]
fn a_repository_proves_its_owner_by_a_file_on_its_default_branch() {
    let token = Shared::default();
    let forge = forge(&token);
    let capdex = Capdex::offline();
    capdex.write("schedule.toml", forge_schedule(&forge));
    done(&capdex, NIGHT, &["nightly", "--config", "schedule.toml", "--out", "out"]);
    let (id, given) = filed(&capdex, "git:127.0.0.1/acme/kit#skill:");
    says(&capdex, &id, &[], "no token");
    token.set(&["capdex-appeal=v1; a=A-0123456789abcdef; t=x; exp=2026-12-01T00:00:00Z"]);
    says(&capdex, &id, &[], "another appeal");
    token.set(&[&given]);
    says(&capdex, &id, &["--offline"], "since the token was given out");
    proves((&capdex, &Capdex::offline()), &id, &[], "repository");
}

/// A server of MCP with a file of its host's; the texts are what that file holds, one a server.
pub(crate) fn host(token: &Shared) -> Directory {
    let shown = token.clone();
    Directory::start(move |asked: &str| {
        let (path, body) = asked.split_once(' ').unwrap_or((asked, "null"));
        if path.starts_with("/.well-known/capdex-appeal.txt") {
            return shown.get().first().map_or((404, b"no".to_vec()), |text| (200, text.clone().into_bytes()));
        }
        let message: Value = serde_json::from_str(body).unwrap_or_default();
        let result = match message["method"].as_str() {
            Some("initialize") => {
                json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "tides", "version": "1"}})
            }
            Some("tools/list") => {
                json!({"tools": [{"name": "get_tides", "description": "Gets the tides.", "inputSchema": {"type": "object", "properties": {}}}]})
            }
            Some(method) if method.starts_with("notifications/") => return (202, Vec::new()),
            Some(_) => {
                return (
                    200,
                    json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "unknown"}})
                        .to_string()
                        .into_bytes(),
                );
            }
            None => return (405, Vec::new()),
        };
        (200, json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string().into_bytes())
    })
}

/// A resolver that gives these strings, all in one record; without any it says that there is no such name.
pub(crate) fn resolver(texts: &Shared) -> Directory {
    let shown = texts.clone();
    Directory::start(move |_: &str| {
        let texts = shown.get();
        let mut packet = Packet::new_reply(0);
        if texts.is_empty() {
            *packet.rcode_mut() = RCODE::NameError;
        } else if texts[0] == "loop" {
            *packet.rcode_mut() = RCODE::ServerFailure;
        } else {
            let record =
                texts.iter().fold(TXT::new(), |record, text| record.with_string(text).expect("fits")).into_owned();
            packet.answers.push(ResourceRecord::new(
                Name::new("x.test").expect("a name"),
                CLASS::IN,
                60,
                RData::TXT(record),
            ));
        }
        (200, packet.build_bytes_vec().expect("writes"))
    })
}

pub(crate) fn host_schedule(endpoint: &str, [first, second]: [&Directory; 2]) -> String {
    format!(
        "name = \"endpoints\"\n[http]\nmax_tries = 1\nbackoff_ms = 1\n[appeals]\nresolvers = [\"{}/dns-query\", \"{}/dns-query\"]\n\
         [sources.mcp]\nrequests_per_minute = 60000\nwatchlist = [\"{endpoint}\"]\n",
        first.url(),
        second.url()
    )
}

#[test]
fn a_host_proves_its_owner_by_its_own_file_or_by_a_record_on_which_two_resolvers_agree() {
    let (file, one, two) = (Shared::default(), Shared::default(), Shared::default());
    let (server, first, second) = (host(&file), resolver(&one), resolver(&two));
    for by_name in [false, true] {
        let capdex = Capdex::offline();
        let endpoint = format!("{}/mcp", server.url());
        capdex.write("schedule.toml", host_schedule(&endpoint, [&first, &second]));
        for texts in [&file, &one, &two] {
            texts.set(&[]);
        }
        done(&capdex, NIGHT, &["nightly", "--config", "schedule.toml", "--out", "out"]);
        let (id, token) = filed(&capdex, &format!("mcp:{endpoint}"));
        let own = ["--own-host"];
        says(&capdex, &id, &own, "no token stands");
        file.set(&[&format!("{token}\n{token}")]);
        says(&capdex, &id, &own, "two tokens");
        file.set(&[&format!("{token}{}", "x".repeat(1 << 20))]);
        assert_eq!(verify(&capdex, &id, &own).code, Some(1), "a megabyte is no token");
        file.set(&[]);
        one.set(&[&token]);
        says(&capdex, &id, &own, "the resolvers do not agree");
        two.set(&["loop"]);
        says(&capdex, &id, &own, "in a circle");
        let many = [token.as_str(); 40];
        one.set(&many);
        says(&capdex, &id, &own, "40 strings");
        let (head, tail) = token.split_at(30);
        for texts in [&one, &two] {
            texts.set(&[head, tail]);
        }
        says(&capdex, &id, &own, "cut off");
        for texts in [&one, &two] {
            texts.set(&if by_name { vec!["v=spf1 -all", token.as_str()] } else { Vec::new() });
        }
        file.set(
            if by_name { &[] } else { std::slice::from_ref(&token) }
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .as_slice(),
        );
        proves((&capdex, &Capdex::offline()), &id, &own, if by_name { "dns" } else { "well_known" });
    }
}

#[test]
fn a_host_that_leads_elsewhere_proves_nothing() {
    let (file, listener) = (Shared::default(), TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port"));
    let elsewhere = host(&file);
    let address = format!("http://127.0.0.1:{}", listener.local_addr().expect("bound").port());
    let to = format!("{}/.well-known/capdex-appeal.txt", elsewhere.url());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut asked = [0; 4096];
            let read = stream.read(&mut asked).unwrap_or(0);
            let answer = match asked.get(..read).is_some_and(|asked| asked.starts_with(b"GET /.well-known")) {
                true => {
                    format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                }
                false => "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned(),
            };
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    let capdex = Capdex::offline();
    let server = host(&Shared::default());
    capdex.write("schedule.toml", format!("name = \"e\"\n[http]\nmax_tries = 1\n[sources.mcp]\nrequests_per_minute = 60000\nwatchlist = [\"{}/mcp\"]\n", server.url()));
    done(&capdex, NIGHT, &["nightly", "--config", "schedule.toml", "--out", "out"]);
    // The appeal of a store whose endpoint has moved since: the same record, about the host that leads elsewhere.
    let (id, token) = filed(&capdex, &format!("mcp:{}/mcp", server.url()));
    let mut record: Value =
        serde_json::from_str(&done(&capdex, AT, &["appeal", "show", &id, "--format", "jsonl"])).expect("JSON");
    record["capability"] = json!(text(&record, "capability").replace(&server.url(), &address));
    let moved = Capdex::offline();
    done(&capdex, AT, &["backup", "copy.db"]);
    moved.write("capdex.db", std::fs::read(capdex.path().join("copy.db")).expect("reads"));
    moved.write("schedule.toml", "name = \"e\"\n[http]\nmax_tries = 1\n[sources.folder]\nwatchlist = []\n");
    let new = moved_record(&record);
    moved.write("moved.jsonl", new.to_string());
    done(&moved, AT, &["appeal", "import", "moved.jsonl"]);
    file.set(&[&token]);
    let id = text(&new, "id").to_owned();
    done(&moved, AT, &["appeal", "challenge", &id]);
    says(&moved, &id, &["--own-host"], "is refused: well_known");
}

/// The record of an appeal that was just filed, with another subject.
fn moved_record(record: &Value) -> Value {
    use capdex_model::appeal::{Actor, Appeal, AppealClocks, AppealRecord, ClaimKind, Filing};
    let filing = Filing {
        subject: text(record, "capability").parse().expect("a subject"),
        scope: "verdict".parse().expect("a scope"),
        content: text(record, "content_sha256").parse().expect("a digest"),
        rule: None,
        rule_version: None,
        claim: ClaimKind::Other,
        version: None,
        text: "It is ours.".to_owned(),
    };
    let appeal = Appeal::begin(filing, AT.parse().expect("an instant"), Actor::Vendor, "");
    serde_json::to_value(AppealRecord::of(&appeal, &AppealClocks::default(), |_| None, true)).expect("writes")
}

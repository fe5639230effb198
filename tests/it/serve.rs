//! The service, over real sockets: the same pages as the written site, the API, and strangers who do no harm.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::nightly::{first_night, night};
use crate::packages;
use crate::site::files;
use crate::support::capdex::Capdex;
use crate::support::registry::Registry;
use crate::support::rig::{self, Rig};
use crate::support::service::{Answered, Service};

/// SaferSkills gives each capability a report at `/items/<slug>`: here it leads to the page.
#[test]
fn a_slug_leads_to_the_page_of_its_capability() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let service = Service::start(&capdex, &[]);
    let rows = walked(&service, "/api/v1/capabilities");
    assert!(!rows.is_empty());
    for row in rows {
        let slug = row["slug"].as_str().expect("a slug");
        let answer = service.get(&format!("/items/{slug}"));
        assert_eq!(answer.status, 302, "{slug}");
        let path =
            answer.header("location").and_then(|path| path.strip_prefix("..")).expect("seen from here").to_owned();
        let page = service.get(&path);
        assert_eq!(page.status, 200, "{slug}: {path}");
        assert!(String::from_utf8_lossy(&page.body).contains(slug), "{slug}: {path}");
    }
    for path in ["/items/", "/items/no-such-slug", "/items/a/b", "/items/%2e%2e"] {
        assert_eq!(service.get(path).status, 404, "{path}");
    }
    assert_eq!(service.terminate(), Some(0));
}

#[test]
fn pages_are_those_of_the_written_site() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    assert_eq!(capdex.run(&["report", "site"]).code, Some(0));
    let service = Service::start(&capdex, &[]);
    let written = files(&capdex.path().join("site"));
    for (path, text) in written.iter().filter(|(path, _)| *path != "capdex-site.json") {
        let answer = service.get(&format!("/{path}"));
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.body == text.as_bytes(), "{path}");
        let expected = match path.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("svg") => "image/svg+xml; charset=utf-8",
            Some("txt") => "text/plain; charset=utf-8",
            _ => "application/atom+xml; charset=utf-8",
        };
        assert_eq!(answer.header("content-type"), Some(expected), "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        let policy = answer.header("content-security-policy").unwrap_or_default();
        assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
    }
    let index = service.get("/");
    assert_eq!(index.body, written["index.html"].as_bytes());
    assert!(index.header("content-security-policy").unwrap_or_default().contains("frame-ancestors 'none'"));
    assert_eq!(service.terminate(), Some(0));
}

/// Every item of a list, page by page, two at a time.
fn walked(service: &Service, path: &str) -> Vec<Value> {
    let mut items = Vec::new();
    let mut after = "0".to_owned();
    loop {
        let page =
            service.get(&format!("{path}{}limit=2&after={after}", if path.contains('?') { '&' } else { '?' })).json();
        items.extend(page["items"].as_array().expect("items").clone());
        let Some(next) = page["next"].as_str() else {
            assert_eq!(page["total"].as_u64(), Some(items.len() as u64), "{path}");
            return items;
        };
        assert_ne!(next, after, "{path}");
        after = next.to_owned();
    }
}

#[test]
fn a_whole_name_that_is_searched_for_comes_first_wherever_it_ranks() {
    let registry = Registry::start();
    let skill = "---\nname: other\ndescription: Writes notes. Use when a meeting ends.\n---\n\n# Notes\n\nList what was decided.\n";
    for (name, text) in [("kit", packages::HOSTILE_SKILL), ("kit-extra", skill), ("the-kit", skill)] {
        let manifest = format!(r#"{{"name":"{name}","version":"1.0.0","license":"MIT"}}"#);
        registry.npm_package(name, "1.0.0", &[("package.json", manifest.as_bytes()), ("SKILL.md", text.as_bytes())]);
    }
    let capdex = Capdex::with(&registry);
    capdex.write("schedule.toml", packages::schedule(&["kit", "kit-extra", "the-kit"], &[]));
    night(&capdex, "2026-11-20T01:00:00Z");
    let service = Service::start(&capdex, &[]);
    let packages = |query: &str| -> Vec<String> {
        let rows = walked(&service, &format!("/api/v1/capabilities?{query}"));
        rows.iter().map(|row| row["package"].as_str().expect("a package").to_owned()).collect()
    };
    assert_ne!(packages("kind=skill")[0], "npm:kit", "by rank it is no first");
    for query in ["kind=skill&q=kit", "kind=skill&q=npm:KIT"] {
        let found = packages(query);
        assert_eq!(found[0], "npm:kit", "{query}: {found:?}");
        assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len(), "each once over all pages: {found:?}");
    }
    assert_eq!(packages("kind=skill&q=kit").len(), 3);
    assert_eq!(packages("rule=pipe-to-shell&kind=skill"), ["npm:kit"], "those in which a rule found something");
    let wrong = service.get("/api/v1/capabilities?rule=no-such-rule");
    assert_eq!(wrong.status, 400, "{}", wrong.json());
}

#[test]
fn the_api_gives_what_the_dataset_holds() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let service = Service::start(&capdex, &[]);
    let exported = crate::rows::rows(&capdex.path().join("out"), "capabilities");
    let given = walked(&service, "/api/v1/capabilities");
    assert_eq!(given.len(), exported.len());
    for (given, row) in given.iter().zip(&exported) {
        assert_eq!(given["id"], row["capability"]);
        for column in ["rank", "slug", "kind", "name", "package", "band", "disagreement", "completeness"] {
            assert_eq!(given[column], row[column], "{column} of {}", row["slug"]);
        }
        assert_eq!(given["values"]["saferskills/seed"], row["saferskills_seed"]);
    }
    let skills = walked(&service, "/api/v1/capabilities?kind=skill&q=NOTES");
    assert_eq!(skills.iter().map(|row| row["name"].as_str()).collect::<Vec<_>>(), [Some("notes")]);
    let one = &given[0];
    let (slug, id) = (one["slug"].as_str().expect("a slug"), one["id"].as_str().expect("an id"));
    let whole = service.get(&format!("/api/v1/capabilities/{slug}"));
    assert_eq!(whole.json()["scan"]["schema"], "capdex.scan/1");
    assert_eq!(service.get(&format!("/api/v1/capabilities/{}", &id[..8])).body, whole.body);
    assert_eq!(service.get(&format!("/api/v1/capabilities/{}", &id[..7])).status, 404, "seven digits are too few");
    let scores = service.get(&format!("/api/v1/capabilities/{slug}/scores")).json();
    assert_eq!(scores["items"].as_array().map(Vec::len), Some(capdex_rubrics::RUBRICS.len()));
    let history = service.get(&format!("/api/v1/capabilities/{slug}/history")).json();
    let newest = history["items"].as_array().and_then(|items| items.last()).expect("a scan");
    assert_eq!(newest["band"], one["band"], "{newest}");
    assert_eq!(newest["values"]["saferskills/seed"], one["values"]["saferskills/seed"], "{newest}");
    let packages: BTreeSet<String> = walked(&service, "/api/v1/packages")
        .iter()
        .map(|of| of["package"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(packages, BTreeSet::from(["npm:agent-pack", "npm:weather-mcp", "pypi:fetch-server"].map(str::to_owned)));
    let badge =
        String::from_utf8(service.get(&format!("/badge/{slug}.svg?rubric=saferskills/seed")).body).expect("text");
    let title =
        roxmltree::Document::parse(&badge).expect("XML").root_element().attribute("aria-label").map(str::to_owned);
    assert_eq!(title, Some(format!("saferskills/seed: {} of 100", one["values"]["saferskills/seed"])));
    // Nothing of the operator's own is given away.
    let status = service.get("/api/v1/status").json();
    assert!(status["alerts"].get("sinks").is_none(), "{status}");
    assert!(status["runs"][0].get("command").is_none(), "{status}");
}

/// What a look-up answers.
fn looked_up(service: &Service, body: &str) -> Answered {
    let length = body.len();
    let head = format!(
        "POST /api/v1/lookup HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    );
    service.send(format!("{head}{body}").as_bytes())
}

#[test]
fn packages_are_asked_for_by_name_and_purl_one_by_one_and_together() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let service = Service::start(&capdex, &[]);
    let list = walked(&service, "/api/v1/packages");
    let pack = list.iter().find(|package| package["package"] == "npm:agent-pack").expect("it was scanned");
    let version = pack["versions"][0].as_str().expect("a version");
    let purl = format!("pkg:npm/agent-pack@{version}");
    let parts = walked(&service, "/api/v1/capabilities?package=npm:agent-pack");
    // However its address is written.
    for asked in ["npm:agent-pack".to_owned(), purl.clone(), purl.replace(':', "%3A").replace('/', "%2F")] {
        let one = service.get(&format!("/api/v1/packages/{asked}")).json();
        assert_eq!(one["schema"], "capdex.package/1", "{asked}");
        assert_eq!(one["purl"], "pkg:npm/agent-pack", "{asked}");
        assert_eq!(one["parts"].as_array().map(Vec::len), Some(parts.len()), "{asked}");
        for key in ["band", "reason", "capabilities", "versions", "decided_by", "page"] {
            assert_eq!(one[key], pack[key], "{key} of {asked}");
        }
    }
    // The strictest of its parts, which is said to have decided.
    let decided = parts.iter().find(|part| part["id"] == pack["decided_by"]["id"]).expect("one of its own");
    assert_eq!((&decided["band"], &decided["reason"]), (&pack["band"], &pack["reason"]));
    let bands: BTreeSet<&str> = parts.iter().filter_map(|part| part["band"].as_str()).collect();
    let strictest = ["block", "caution", "unknown", "watch", "ok"].into_iter().find(|band| bands.contains(band));
    assert_eq!(pack["band"].as_str(), strictest);
    let page = service.get(pack["page"].as_str().expect("a page"));
    assert_eq!((page.status, String::from_utf8_lossy(&page.body).contains("<h1>npm:agent-pack</h1>")), (200, true));
    let other = service.get("/api/v1/packages/pkg:npm/agent-pack@99.0.0");
    assert_eq!(other.status, 404);
    assert!(other.json()["detail"].as_str().expect("why").contains(version));
    assert_eq!(service.get("/api/v1/packages/npm:none").status, 404);
    assert_eq!(service.get("/api/v1/packages/pkg:%20").status, 400);

    let body =
        serde_json::json!({ "purls": [purl, "npm:weather-mcp", "pkg:npm/agent-pack@99.0.0", "npm:none", "pkg:"] });
    let answer = looked_up(&service, &body.to_string()).json();
    let items = answer["items"].as_array().expect("items");
    let answers: Vec<&str> = items.iter().filter_map(|item| item["answer"].as_str()).collect();
    assert_eq!(answers, ["known", "known", "other_version", "unknown", "unreadable"]);
    assert_eq!(items[0]["band"], pack["band"]);
    assert!(items[2..].iter().all(|item| item["band"].is_null()), "{items:?}");
    let many = serde_json::json!({ "purls": vec!["npm:agent-pack"; 1_000] }).to_string();
    assert_eq!(looked_up(&service, &many).json()["items"].as_array().map(Vec::len), Some(1_000));
    let more = serde_json::json!({ "purls": vec!["npm:agent-pack"; 1_001] }).to_string();
    for wrong in [more.as_str(), "", "[]", "{\"purls\": [1]}", "{\"purls\": [], \"x\": 1}"] {
        assert_eq!(looked_up(&service, wrong).status, 400, "{wrong:.40}");
    }

    let band = pack["band"].as_str().expect("a band");
    let badge = service.get("/badge/package/npm:agent-pack.svg");
    assert!(String::from_utf8_lossy(&badge.body).contains(&format!("capdex: {band}")));
    assert_eq!(badge.header("cache-control"), Some("public, max-age=3600"));
    let shields = service.get(&format!("/badge/package/{purl}.json")).json();
    assert_eq!((&shields["schemaVersion"], shields["message"].as_str()), (&serde_json::json!(1), Some(band)));
    let slug = decided["slug"].as_str().expect("a slug");
    assert_eq!(service.get(&format!("/badge/{slug}.json?rubric=saferskills/seed")).json()["label"], "saferskills/seed");
    let docs = String::from_utf8(service.get("/docs").body).expect("text");
    assert!(docs.contains("/api/v1/lookup"), "{docs}");
}

#[test]
fn answers_are_compressed_and_read_by_pages_of_others_where_that_is_allowed() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let service = Service::start(&capdex, &["--cors", "https://one.test"]);
    let plain = service.get("/api/v1/rules");
    let zipped = service.ask("GET", "/api/v1/rules", "Accept-Encoding: br, gzip;q=0.8\r\n");
    assert_eq!(zipped.header("content-encoding"), Some("gzip"));
    assert!(zipped.body.len() * 3 < plain.body.len(), "{} of {}", zipped.body.len(), plain.body.len());
    let mut whole = Vec::new();
    #[expect(clippy::disallowed_types, reason = "our own answer is read back")]
    flate2::read::GzDecoder::new(zipped.body.as_slice()).read_to_end(&mut whole).expect("gzip");
    assert_eq!(whole, plain.body);
    // Two forms of one answer, and each is known again.
    let (tag, other) = (plain.header("etag").expect("a tag"), zipped.header("etag").expect("a tag"));
    assert_ne!(tag, other);
    for (tag, accepts) in
        [(tag, ""), (other, ""), (tag, "Accept-Encoding: gzip\r\n"), (other, "Accept-Encoding: gzip\r\n")]
    {
        let known = service.ask("GET", "/api/v1/rules", &format!("If-None-Match: {tag}\r\n{accepts}"));
        assert_eq!((known.status, known.body.len()), (304, 0), "{tag} {accepts}");
    }
    assert_eq!(service.ask("GET", "/api/v1/rules", "Accept-Encoding: gzip;q=0\r\n").header("content-encoding"), None);
    let head = service.ask("HEAD", "/api/v1/rules", "Accept-Encoding: gzip\r\n");
    assert_eq!(head.header("content-length"), Some(zipped.body.len().to_string().as_str()));

    let allowed = |path: &str, origin: &str| {
        let answer = service.ask("GET", path, &format!("Origin: {origin}\r\n"));
        answer.header("access-control-allow-origin").map(str::to_owned)
    };
    assert_eq!(allowed("/api/v1/rules", "https://one.test").as_deref(), Some("https://one.test"));
    assert_eq!(allowed("/api/v1/rules", "https://two.test"), None);
    assert_eq!(allowed("/", "https://one.test"), None, "pages are no API");
    let asked = "Origin: https://one.test\r\nAccess-Control-Request-Method: POST\r\n";
    let preflight = service.ask("OPTIONS", "/api/v1/lookup", asked);
    assert_eq!((preflight.status, preflight.header("access-control-allow-methods")), (204, Some("POST")));
    let rebound = format!("OPTIONS /api/v1/lookup HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n{asked}\r\n");
    assert_eq!(service.send(rebound.as_bytes()).status, 421);
    drop(service);
    let closed = Service::start(&capdex, &[]);
    let answer = closed.ask("GET", "/api/v1/rules", "Origin: https://one.test\r\n");
    assert_eq!(answer.header("access-control-allow-origin"), None);
    assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
}

#[test]
fn who_has_an_answer_is_told_so_until_the_store_changes() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let service = Service::start(&capdex, &[]);
    let first = service.get("/api/v1/capabilities");
    let tag = first.header("etag").expect("a tag").to_owned();
    for given in [tag.clone(), format!("\"x\", W/{tag}"), "*".to_owned()] {
        let known = service.ask("GET", "/api/v1/capabilities", &format!("If-None-Match: {given}\r\n"));
        assert_eq!(known.status, 304, "{given}");
        assert_eq!(known.body.len(), 0, "{given}");
    }
    let head = service.ask("HEAD", "/api/v1/capabilities", "");
    assert_eq!(head.status, 200);
    assert_eq!(head.body.len(), 0);
    assert_eq!(head.header("content-length"), Some(first.body.len().to_string().as_str()));
    assert_eq!(capdex.run(&["backup", "copy.db"]).code, Some(0));
    let run = night(&capdex, "2026-11-21T01:00:00Z");
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    service.wait("the second night", |service| {
        service.get("/api/v1/capabilities").json()["as_of"] == "2026-11-21T01:00:00Z"
    });
    let after = service.ask("GET", "/api/v1/capabilities", &format!("If-None-Match: {tag}\r\n"));
    assert_eq!(after.status, 200);
    let metrics = String::from_utf8(service.get("/metrics").body).expect("text");
    for said in
        ["capdex_ready 1", "capdex_http_requests_total{status=\"2xx\"}", "capdex_cache_hits_total", "le=\"+Inf\""]
    {
        assert!(metrics.contains(said), "{said}: {metrics}");
    }
    let run = capdex.run(&["restore", "copy.db"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    service.wait("the restored store", |service| {
        service.get("/api/v1/capabilities").json()["as_of"] == first.json()["as_of"]
    });
}

#[test]
fn strangers_do_no_harm() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let service = Service::start(&capdex, &["--connections", "8"]);
    let bad_paths = [
        "/../../../../etc/passwd",
        "/..%2f..%2fcapdex.db",
        "/%2e%2e/capdex.db",
        "/capdex.db",
        "//",
        "/c/ab/../../index.html",
        "/c/00/",
        "/data/rows-00.js",
        "/data/rows--1.js",
        "/data/rows-99999999999999999999.js",
        "/drift-1.html",
        "/names/.html",
        "/data/ranks-.js",
        "/data/ranks-00.js",
        "/data/ranks-g.js",
        "/sitemap.xml",
        "/rule/%3Cscript%3E.html",
        "/rule/../index.html",
        "/rubric/.html",
        "/api/v1/capabilities/%00",
        "/index.html/",
        "/%ff",
        "/a%0d%0aSet-Cookie:%20x",
    ];
    for path in bad_paths {
        let answer = service.get(path);
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.head);
        assert!(!String::from_utf8_lossy(&answer.body).contains("script"), "{path}");
        assert!(answer.header("set-cookie").is_none(), "{path}");
    }
    for query in [
        "?limit=0",
        "?limit=501",
        "?limit=x",
        "?after=-1",
        "?kind=x",
        "?band=bad",
        "?source=none",
        "?unknown=1",
        "?q=1&q=2",
        "?q=%ff",
    ] {
        let answer = service.get(&format!("/api/v1/capabilities{query}"));
        assert_eq!(answer.status, 400, "{query}");
        assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{query}");
        assert_eq!(answer.json()["status"], 400, "{query}");
        assert!(!answer.json()["detail"].as_str().expect("why").is_empty(), "{query}");
    }
    let statuses = [
        ("POST", "/", "", 405),
        ("DELETE", "/api/v1/capabilities", "", 405),
        ("GET", "/api/v1/lookup", "", 405),
        ("POST", "/api/v1/lookup", "Content-Length: 600000\r\n", 413),
        ("OPTIONS", "/api/v1/capabilities", "Origin: https://evil.test\r\n", 405),
        ("GET", &format!("/{}", "a".repeat(5_000)), "", 414),
        ("GET", "/", &format!("X: {}\r\n", "a".repeat(40_000)), 431),
        ("GET", "/", &"X: y\r\n".repeat(100), 431),
        ("GET", "/", "Host: twice.test\r\n", 400),
    ];
    for (method, target, headers, status) in statuses {
        assert_eq!(service.ask(method, target, headers).status, status, "{method} {headers:.20}");
    }
    for host in ["evil.test", "127.0.0.1.evil.test", "localhost.evil.test:80"] {
        let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
        assert_eq!(service.send(request.as_bytes()).status, 421, "{host}");
    }
    assert_eq!(service.send(b"GET / HTTP/1.1\r\n\r\n").status, 400, "no Host");
    for garbage in
        [&b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc"[..], b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\0\0\0\0\r\n\r\n"]
    {
        assert!(matches!(service.send(garbage).status, 0 | 400), "{garbage:?}");
    }
    slow_clients_are_cut(&service);
    assert_eq!(service.get("/healthz").status, 200);
}

/// Five of eight places taken, by clients that send a byte now and then and by some that ask and never read: others are answered, and
/// the five are cut.
fn slow_clients_are_cut(service: &Service) {
    let begun = Instant::now();
    let mut slow: Vec<_> = (0..3).map(|_| service.connect()).collect();
    // More answers than the buffers of both ends hold.
    let many = "GET /api/v1/rules HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(200);
    let mut deaf: Vec<_> = (0..2).map(|_| service.connect()).collect();
    for stream in &mut deaf {
        stream.write_all(many.as_bytes()).expect("sends");
    }
    for stream in &mut slow {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").expect("sends");
    }
    while begun.elapsed() < Duration::from_secs(2) {
        for stream in &mut slow {
            stream.write_all(b"a").expect("sends");
        }
        assert_eq!(service.get("/api/v1/rules").status, 200);
        std::thread::park_timeout(Duration::from_millis(300));
    }
    for stream in &mut slow {
        let mut answer = Vec::new();
        // Whether it says why or not: it hangs up.
        let _ = stream.read_to_end(&mut answer);
    }
    let is_alone = || String::from_utf8_lossy(&service.get("/metrics").body).contains("capdex_http_connections 1\n");
    while !is_alone() {
        assert!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());
        std::thread::park_timeout(Duration::from_millis(300));
    }
    drop(deaf);
}

#[test]
fn half_requests_of_one_peer_leave_places_for_others() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let service = Service::start(&capdex, &["--connections", "8"]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let address: std::net::SocketAddr = service.url().trim_start_matches("http://").parse().expect("an address");
    let from = |last: u8| {
        runtime.block_on(async {
            let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
            socket.bind(std::net::SocketAddr::from(([127, 0, 0, last], 0))).expect("an address of loopback's own");
            let stream = socket.connect(address).await.expect("connects").into_std().expect("a stream");
            stream.set_nonblocking(false).expect("blocks");
            stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a deadline");
            stream
        })
    };
    let mut half: Vec<_> = (0..40).map(|_| from(2)).collect();
    for stream in &mut half {
        // Some are hung up on already.
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: loc");
    }
    // At once: half a request is cut after ten seconds, and the deadline is five.
    let mut other = from(3);
    other.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("sends");
    let mut answer = Vec::new();
    other.read_to_end(&mut answer).expect("an answer within the deadline");
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    let six_and_this = |service: &Service| {
        String::from_utf8_lossy(&service.get("/metrics").body).contains("capdex_http_connections 7\n")
    };
    service.wait("six of the one peer and this one", six_and_this);
}

#[test]
fn answers_keep_to_the_description() {
    let Some(command) = rig::needed("CAPDEX_PRISM") else { return };
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let service = Service::start(&capdex, &[]);
    let document = service.get("/api/v1/openapi.json");
    capdex.write("openapi.json", &document.body);
    let prism = Rig::start(&command, capdex.path(), |port| {
        let port = port.to_string();
        ["proxy", "openapi.json", &service.url(), "--errors", "--host", "127.0.0.1", "--port", &port]
            .map(str::to_owned)
            .to_vec()
    });
    let row = walked(&service, "/api/v1/capabilities").remove(0);
    let slug = row["slug"].as_str().expect("a slug");
    capdex.write("reply.md", "It is ours.");
    let file = ["appeal", "file", slug, "--claim", "other", "--text", "reply.md"];
    let filed = crate::appeals::done(&capdex, "2026-11-20T02:00:00Z", &file);
    let appeal = filed.lines().next().expect("a name");
    let paths = document.json()["paths"].as_object().expect("paths").keys().cloned().collect::<Vec<_>>();
    assert!(paths.len() > 15, "{paths:?}");
    for path in paths.iter().filter(|path| *path != "/api/v1/lookup") {
        let asked = path
            .replace("{package}", "npm%3Aweather-mcp")
            .replace("{capability}", slug)
            .replace("{rule}", "pipe-to-shell")
            .replace("{appeal}", appeal);
        let (status, body) = prism.send("GET", &asked, "");
        assert_eq!(status, 200, "{asked}: {body}\n{}", prism.log());
    }
    let (status, body) = prism.send("POST", "/api/v1/lookup", "{\"purls\": [\"npm:weather-mcp\"]}");
    assert_eq!(status, 200, "{body}\n{}", prism.log());
    assert_eq!(prism.send("GET", "/api/v1/rules/none", "").0, 404);
    assert!(!prism.log().contains("Request terminated with error"), "{}", prism.log());
}

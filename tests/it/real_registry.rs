//! A night against verdaccio, a real npm registry, on loopback. `tests/run` installs it and names it in
//! `CAPDEX_VERDACCIO`; without it the test says that it was skipped.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::packages::{PACK, WEATHER, schedule};
use crate::rows::{rows, text};
use crate::support::archives;
use crate::support::capdex::Capdex;

struct Verdaccio {
    child: Child,
    port: u16,
}

impl Drop for Verdaccio {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Verdaccio {
    fn start(command: &str, folder: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port").port();
        let config = format!(
            "storage: ./storage\nauth:\n  htpasswd:\n    file: ./htpasswd\n    max_users: 10\nuplinks: {{}}\n\
             packages:\n  '**':\n    access: $all\n    publish: $all\nlog: {{ type: stdout, format: json, level: warn }}\n\
             listen: 127.0.0.1:{port}\n"
        );
        std::fs::write(folder.join("verdaccio.yaml"), config).expect("writes");
        let mut child = Command::new(command)
            .args(["--config", "verdaccio.yaml"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("verdaccio starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        lines
            .find(|line| line.as_ref().is_ok_and(|line| line.contains("http address")))
            .expect("it says that it listens")
            .expect("text");
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, port }
    }

    /// Publishes as `npm publish` does: a packument with the tarball attached.
    fn publish(&self, name: &str, version: &str, files: &[(&str, &[u8])]) {
        let tarball = archives::npm_tarball(name, version, files);
        let manifest = files.iter().find(|(path, _)| *path == "package.json").expect("a manifest").1;
        let mut manifest: serde_json::Value = serde_json::from_slice(manifest).expect("JSON");
        let file = format!("{name}-{version}.tgz");
        manifest["dist"] = json!({ "tarball": format!("http://127.0.0.1:{}/{name}/-/{file}", self.port) });
        let body = json!({
            "_id": name, "name": name, "dist-tags": { "latest": version },
            "versions": { version: manifest },
            "_attachments": { file: { "content_type": "application/octet-stream",
                                      "data": base64(&tarball), "length": tarball.len() } }
        })
        .to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        write!(
            stream,
            "PUT /{name} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .expect("writes");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answers");
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |word, byte| (word << 8) | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let index = (word >> (18 - 6 * place)) & 63;
            text.push(if place <= chunk.len() { char::from(LETTERS[index as usize]) } else { '=' });
        }
    }
    text
}

#[test]
fn a_night_against_a_real_registry() {
    let Ok(command) = std::env::var("CAPDEX_VERDACCIO") else {
        println!("skipped: no CAPDEX_VERDACCIO");
        return;
    };
    let capdex = Capdex::offline();
    let registry = Verdaccio::start(&command, capdex.path());
    registry.publish("weather-mcp", "1.0.0", WEATHER);
    registry.publish("agent-pack", "2.0.0", PACK);
    let base = format!("[sources.npm]\nbase_url = \"http://127.0.0.1:{}\"", registry.port);
    let written = schedule(&["agent-pack", "nobody", "weather-mcp"], &[]).replace("[sources.npm]", &base);
    capdex.write("schedule.toml", written.split("[sources.pypi]").next().expect("the first part"));
    let night =
        || capdex.run(&["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", "2026-11-20T01:00:00Z"]);
    let first = night();
    assert_eq!(first.code, Some(3), "one name does not exist: {} {}", first.stdout, first.stderr);
    let ranked = rows(&capdex.path().join("out"), "capabilities");
    assert!(ranked.iter().any(|row| text(row, "slug") == "npm-weather-mcp-mcp-server"), "{ranked:?}");
    assert!(ranked.iter().any(|row| text(row, "kind") == "hook"), "{ranked:?}");
    let second = night();
    assert!(second.stdout.contains("nothing fetched, nothing unpacked"), "{}", second.stdout);
    assert!(second.stdout.contains("nothing scanned"), "{}", second.stdout);
}

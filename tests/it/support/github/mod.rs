//! A stateful GitHub on loopback: the emulator `emulate`, behind a proxy that adds what it lacks.
//!
//! `tests/run` installs the emulator and names it in `CAPDEX_EMULATE`. What it lacks, and the proxy adds: `ETag` and 304,
//! the redirect from a name that was left, archives, and the refusal of what lies behind the tenth page of a search. The
//! proxy remembers what it was asked. Must not know who asks.

mod base64;
mod message;
mod proxy;

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

pub(crate) use message::Asked;
use message::Received;

/// The token that the emulator knows.
pub(crate) const TOKEN: &str = "ghp_test_token";

/// How long the emulator may take to listen, in tries of an eighth of a second.
const TRIES: usize = 240;

/// Makes an archive: its top folder, the commit, and the files by path.
pub(crate) type MakeArchive = fn(&str, &str, &[(String, Vec<u8>)]) -> Vec<u8>;

/// The emulator and its proxy. Both end when dropped.
pub(crate) struct GitHub {
    child: Child,
    proxy: proxy::Proxy,
    state: Arc<State>,
}

/// What the proxy knows beside the emulator.
struct State {
    /// Where the emulator listens.
    emulator: u16,
    make_archive: MakeArchive,
    /// Names that were left, and the number of the repository that had them.
    left: Mutex<BTreeMap<String, u64>>,
    asked: Mutex<Vec<Asked>>,
}

impl GitHub {
    /// Starts both, with these repositories, each with a first commit. `folder` is the emulator's own.
    pub(crate) fn start(command: &str, folder: &Path, names: &[(&str, &str)], make_archive: MakeArchive) -> Self {
        let emulator = free_port();
        let repos: Vec<Value> = names
            .iter()
            .map(|(owner, name)| {
                json!({"owner": owner, "name": name, "description": "A server", "topics": ["mcp-server"], "auto_init": true})
            })
            .collect();
        let mut owners: Vec<&str> = names.iter().map(|(owner, _)| *owner).collect();
        owners.sort_unstable();
        owners.dedup();
        let users: Vec<Value> = owners.iter().map(|login| json!({"login": login})).collect();
        let tokens = json!({TOKEN: {"login": owners.first(), "scopes": ["repo", "user", "delete_repo"]}});
        // JSON is YAML.
        let seed = json!({"tokens": tokens, "github": {"users": users, "repos": repos}});
        std::fs::write(folder.join("seed.yaml"), seed.to_string()).expect("writes");
        let child = Command::new(command)
            .args(["start", "--service", "github", "--port", &emulator.to_string(), "--seed", "seed.yaml"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the emulator starts");
        let state = Arc::new(State { emulator, make_archive, left: Mutex::default(), asked: Mutex::default() });
        let github = Self { child, proxy: proxy::Proxy::start(Arc::clone(&state)), state };
        let is_up = (0..TRIES).any(|_| {
            let is_up = TcpStream::connect(("127.0.0.1", emulator)).is_ok();
            if !is_up {
                std::thread::park_timeout(std::time::Duration::from_millis(125));
            }
            is_up
        });
        assert!(is_up, "the emulator listens");
        github
    }

    /// The address of the interface.
    pub(crate) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.proxy.port)
    }

    /// The address that archives are redirected to, another origin.
    pub(crate) fn codeload_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.proxy.codeload_port)
    }

    /// Everything that was asked since the last call.
    pub(crate) fn take_asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *lock(&self.state.asked))
    }

    /// Commits a file to the default branch and gives the commit. Documents of GitHub have whole seconds, so it commits
    /// again until a second has passed since the push before.
    pub(crate) fn commit(&self, name: &str, path: &str, content: &[u8]) -> String {
        let second = || {
            let document = self.tell("GET", &format!("/repos/{name}"), &Value::Null);
            document["pushed_at"].as_str().and_then(|time| time.get(..19)).map(str::to_owned)
        };
        let before = second();
        let mut body = json!({"message": "Add a file", "content": base64::encode(content)});
        loop {
            let answer = self.tell("PUT", &format!("/repos/{name}/contents/{path}"), &body);
            if second() != before {
                return answer["commit"]["sha"].as_str().expect("a commit").to_owned();
            }
            body["sha"] = answer["content"]["sha"].clone();
        }
    }

    /// Gives a repository another name; the old one leads to its number from now on.
    pub(crate) fn rename(&self, name: &str, new: &str) {
        let answer = self.tell("PATCH", &format!("/repos/{name}"), &json!({"name": new}));
        let id = answer["id"].as_u64().expect("a number");
        lock(&self.state.left).insert(name.to_ascii_lowercase(), id);
    }

    /// Deletes a repository.
    pub(crate) fn delete(&self, name: &str) {
        self.tell("DELETE", &format!("/repos/{name}"), &Value::Null);
    }

    /// Tells the emulator something as its owner, past the proxy.
    fn tell(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.state.forward(method, path, Some(&format!("Bearer {TOKEN}")), body.to_string().as_bytes());
        assert!((200..300).contains(&answer.status), "{method} {path}: {}", String::from_utf8_lossy(&answer.body));
        serde_json::from_slice(&answer.body).unwrap_or_default()
    }
}

impl State {
    fn forward(&self, method: &str, path: &str, authorization: Option<&str>, body: &[u8]) -> Received {
        message::ask(self.emulator, method, path, authorization, body).expect("the emulator answers")
    }
}

impl Drop for GitHub {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port").port()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

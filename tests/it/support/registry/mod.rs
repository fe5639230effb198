//! A registry on loopback: npm and the Python index from one catalogue in memory, over real HTTP, with faults on demand.
//!
//! The npm registry is at [`Registry::url`] (`/<name>`, `/<name>/-/<file>.tgz`). The Python index is at
//! [`Registry::index_url`] (`/simple/<project>/` as HTML or JSON, by the `Accept` header), with the project JSON at
//! `/pypi/<project>/json` and the files at `/packages/<file>`. It stops when it is dropped.

mod catalogue;
mod digests;
mod http;
mod npm;
mod pypi;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use catalogue::Catalogue;
pub(crate) use http::Request;
use serde_json::json;

use super::archives;

/// What goes wrong on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// 404.
    NotFound,
    /// 429, with `Retry-After` in seconds.
    TooManyRequests(u64),
    /// 500.
    ServerError,
    /// 200 with bytes that are in no format.
    Garbage,
    /// 200 without a body.
    Empty,
    /// The right answer, cut in the middle, with the length of the whole.
    Truncated,
    /// The connection closes without an answer.
    Closed,
    /// No answer until the client gives up or the registry is dropped.
    Silent,
    /// The right answer with its last byte changed, so that no published digest fits.
    WrongDigest,
    /// A body that never ends.
    Endless,
    /// 304 for everybody who asks with a validator, whichever it is.
    NotModified,
}

/// A running registry.
pub(crate) struct Registry {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    acceptor: Option<JoinHandle<()>>,
}

/// What the connections share.
#[derive(Default)]
struct State {
    catalogue: Catalogue,
    faults: BTreeMap<String, (Fault, u64)>,
    requests: Vec<Request>,
    without_validators: bool,
    html_only: bool,
    open: Vec<TcpStream>,
    stopping: bool,
}

/// The packument of one version, whose archive has these bytes and lies at `url`.
pub(crate) fn packument(name: &str, version: &str, archive: &[u8], url: &str) -> Vec<u8> {
    let dist = json!({"tarball": url, "integrity": digests::sha512_integrity(archive)});
    let published = json!({"name": name, "version": version, "license": "MIT", "dist": dist});
    let whole = json!({"name": name, "dist-tags": {"latest": version}, "versions": {version: published}});
    whole.to_string().into_bytes()
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // A test that failed while it held the lock has said so already.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Registry {
    /// Starts an empty registry on a free port.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = Arc::clone(&state);
        let acceptor = std::thread::spawn(move || http::accept(&listener, address, &shared));
        Self { address, state, acceptor: Some(acceptor) }
    }

    /// The address of the npm registry, without a slash at its end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address of the Python index, as pip takes it.
    pub(crate) fn index_url(&self) -> String {
        format!("{}/simple/", self.url())
    }

    /// Publishes a version of an npm package, which becomes the latest. Paths are without `package/`.
    pub(crate) fn npm_package(&self, name: &str, version: &str, files: &[(&str, &[u8])]) -> &Self {
        self.npm_tarball(name, version, archives::npm_tarball(name, version, files), files)
    }

    /// As [`Registry::npm_package`], with any bytes as the tarball; `files` are where `package.json` is looked up.
    pub(crate) fn npm_tarball(&self, name: &str, version: &str, tarball: Vec<u8>, files: &[(&str, &[u8])]) -> &Self {
        let manifest = files.iter().find(|(path, _)| *path == "package.json").map(|(_, content)| *content);
        lock(&self.state).catalogue.publish_npm(name, version, tarball, manifest);
        self
    }

    /// Lets a dist-tag of an npm package lead to a version from now on.
    pub(crate) fn npm_tag(&self, name: &str, tag: &str, version: &str) -> &Self {
        let tags = &mut lock(&self.state).catalogue.tags;
        tags.entry(name.to_owned()).or_default().insert(tag.to_owned(), version.to_owned());
        self
    }

    /// Says who may publish an npm package from now on.
    pub(crate) fn npm_owners(&self, name: &str, owners: &[&str]) -> &Self {
        let owners = owners.iter().map(|owner| (*owner).to_owned()).collect();
        lock(&self.state).catalogue.owners.insert(name.to_owned(), owners);
        self
    }

    /// Says who may publish an npm package, and when it was made (RFC 3339).
    pub(crate) fn npm_owner(&self, name: &str, owner: &str, created: &str) -> &Self {
        self.npm_owners(name, &[owner]);
        lock(&self.state).catalogue.created.insert(name.to_owned(), created.to_owned());
        self
    }

    /// Says when a version of an npm package was published (RFC 3339).
    pub(crate) fn npm_published(&self, name: &str, version: &str, at: &str) -> &Self {
        lock(&self.state).catalogue.date_npm(name, version, at);
        self
    }

    /// Says that all versions of a package or project are attested as built from a repository on GitHub (`owner/name`).
    pub(crate) fn attested(&self, name: &str, repository: &str) -> &Self {
        lock(&self.state).catalogue.attested.insert(name.to_owned(), repository.to_owned());
        self
    }

    /// Deprecates a version of an npm package with words; its bytes stay as they are.
    pub(crate) fn npm_deprecate(&self, name: &str, version: &str, words: &str) -> &Self {
        lock(&self.state).catalogue.deprecated.insert((name.to_owned(), version.to_owned()), words.to_owned());
        self
    }

    /// Publishes a version of a Python project as a source distribution.
    pub(crate) fn pypi_package(&self, name: &str, version: &str, files: &[(&str, &[u8])]) -> &Self {
        let filename = format!("{}-{version}.tar.gz", name.replace('-', "_"));
        self.pypi_file(name, version, &filename, archives::sdist(name, version, files))
    }

    /// Adds a wheel to a version of a Python project.
    pub(crate) fn pypi_wheel(&self, name: &str, version: &str, files: &[(&str, &[u8])]) -> &Self {
        let filename = format!("{}-{version}-py3-none-any.whl", name.replace('-', "_"));
        self.pypi_file(name, version, &filename, archives::wheel(name, version, files))
    }

    /// Adds any file to a version of a Python project.
    pub(crate) fn pypi_file(&self, name: &str, version: &str, filename: &str, bytes: Vec<u8>) -> &Self {
        lock(&self.state).catalogue.publish_pypi(name, version, filename, bytes);
        self
    }

    /// Takes every package of that name away.
    pub(crate) fn remove(&self, name: &str) -> &Self {
        lock(&self.state).catalogue.remove(name);
        self
    }

    /// Makes every request of `path` (without its query) go wrong, until [`Registry::mend`].
    pub(crate) fn fault(&self, path: &str, fault: Fault) -> &Self {
        self.fault_times(path, fault, u64::MAX)
    }

    /// Makes the next `times` requests of `path` go wrong.
    pub(crate) fn fault_times(&self, path: &str, fault: Fault, times: u64) -> &Self {
        lock(&self.state).faults.insert(path.to_owned(), (fault, times));
        self
    }

    /// Lets requests of `path` go right again.
    pub(crate) fn mend(&self, path: &str) -> &Self {
        lock(&self.state).faults.remove(path);
        self
    }

    /// Sends no `ETag` from now on and answers no conditional request, as caching proxies do.
    pub(crate) fn without_validators(&self) -> &Self {
        lock(&self.state).without_validators = true;
        self
    }

    /// Gives the Python index as HTML only, and no project JSON, as mirrors do.
    pub(crate) fn html_only(&self) -> &Self {
        lock(&self.state).html_only = true;
        self
    }

    /// The path of the tarball of a version of an npm package.
    pub(crate) fn npm_tarball_path(name: &str, version: &str) -> String {
        npm::tarball_path(name, version)
    }

    /// Every request so far, in the order of arrival.
    pub(crate) fn requests(&self) -> Vec<Request> {
        lock(&self.state).requests.clone()
    }

    /// Forgets the requests so far.
    pub(crate) fn clear_requests(&self) {
        lock(&self.state).requests.clear();
    }

    /// The requests for artifacts: tarballs of npm, files of the Python index.
    pub(crate) fn tarball_requests(&self) -> Vec<Request> {
        let is_artifact = |request: &Request| request.path.contains("/-/") || request.path.starts_with("/packages/");
        self.requests().into_iter().filter(is_artifact).collect()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        state.stopping = true;
        for stream in state.open.drain(..) {
            // Wakes the thread that reads from it or writes to it; one that is closed already needs no waking.
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
        drop(state);
        // Wakes the acceptor.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

#[cfg(test)]
mod tests;

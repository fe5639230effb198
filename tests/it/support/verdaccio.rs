//! verdaccio, a real npm registry, on loopback, and the publishing of packages in it.
//!
//! Must not know who asks.

use std::path::Path;

use serde_json::{Value, json};

use super::archives;
use super::rig::Rig;

#[path = "github/base64.rs"]
#[expect(dead_code, reason = "nothing is decoded here")]
mod base64;

/// A running registry.
pub(crate) struct Verdaccio(Rig);

impl Verdaccio {
    /// Starts one without packages, in which anybody may publish.
    pub(crate) fn start(command: &str, folder: &Path) -> Self {
        let config = "storage: ./storage\nauth:\n  htpasswd:\n    file: ./htpasswd\n    max_users: 10\nuplinks: {}\n\
                      max_body_size: 200mb\npackages:\n  '**':\n    access: $all\n    publish: $all\n\
                      log: { type: stdout, format: json, level: warn }\n";
        std::fs::write(folder.join("verdaccio.yaml"), config).expect("writes");
        let arguments =
            |port| ["--config", "verdaccio.yaml", "--listen", &format!("127.0.0.1:{port}")].map(str::to_owned).to_vec();
        Self(Rig::start(command, folder, arguments))
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        self.0.url()
    }

    /// Publishes as `npm publish` does: a packument with the tarball attached.
    pub(crate) fn publish(&self, name: &str, version: &str, files: &[(&str, &[u8])]) {
        let tarball = archives::npm_tarball(name, version, files);
        let manifest = files.iter().find(|(path, _)| *path == "package.json").expect("a manifest").1;
        let mut manifest: Value = serde_json::from_slice(manifest).expect("JSON");
        let file = format!("{name}-{version}.tgz");
        manifest["dist"] = json!({ "tarball": format!("{}/{name}/-/{file}", self.url()) });
        let body = json!({
            "_id": name, "name": name, "dist-tags": { "latest": version },
            "versions": { version: manifest },
            "_attachments": { file: { "content_type": "application/octet-stream",
                                      "data": base64::encode(&tarball), "length": tarball.len() } }
        });
        let (status, answer) = self.0.send("PUT", &format!("/{name}"), &body.to_string());
        assert_eq!(status, 201, "{name}: {answer}");
    }
}

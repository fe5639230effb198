//! A file that names what is installed or started: a lock file or a client's configuration.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use capdex_evidence::document::Document;
use capdex_evidence::formats::{self, FormatRole};
use capdex_evidence::manifest::{self, Manifest, launches};
use capdex_evidence::recorded::ReadingReason;

use super::launch;
use super::lock_file::{self, LockFormat};
use super::target::{self, CheckTarget};

/// The most bytes of such a file. The largest lock files have a tenth of it.
const MAX_BYTES: u64 = 64 << 20;

/// The names under which a configuration is read whose own name says nothing.
const STAND_INS: [(&str, &str); 4] =
    [("json", ".mcp.json"), ("jsonc", ".mcp.json"), ("toml", ".codex/config.toml"), ("yaml", ".continue/config.yaml")];

/// The targets that a file names, in its order; none where it is neither a lock file nor a client's configuration. `shown`
/// stands for the path in what is printed. What cannot be read of it is a target that cannot be judged.
///
/// # Errors
/// A file that cannot be read, and a lock file of a format that is not read.
pub fn read(path: &Path, shown: &str) -> Result<Option<Vec<CheckTarget>>, String> {
    let mut bytes = Vec::new();
    let opened = File::open(path).map_err(|error| error.to_string())?;
    opened.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("it has more than {MAX_BYTES} bytes"));
    }
    of_bytes(path, &bytes, shown)
}

/// The same of bytes that are about to be written to a path.
///
/// # Errors
/// A lock file of a format that is not read.
pub fn of_bytes(path: &Path, bytes: &[u8], shown: &str) -> Result<Option<Vec<CheckTarget>>, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if let Some(format) = LockFormat::of_name(&name) {
        return lock_file::read(format, &String::from_utf8_lossy(bytes), shown).map(Some);
    }
    let own = Reading::of(&whole(path), bytes);
    if own.is_configuration() {
        return Ok(Some(own.targets(shown)));
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let stand_in = STAND_INS.iter().find(|(of, _)| *of == ending).map(|(_, path)| Reading::of(path, bytes));
    let stand_in = stand_in.filter(|reading| reading.manifest.as_ref().is_some_and(|read| !launches(read).is_empty()));
    Ok(stand_in.map(|reading| reading.targets(shown)))
}

/// True where a client of agents reads its servers from a file at this path.
pub fn is_configuration(path: &Path) -> bool {
    formats::of(&whole(path)).is_some_and(|format| format.role == FormatRole::Config)
}

/// The whole path with `/` between components, since formats know their files by the folders above too.
fn whole(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let whole = whole.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    whole.trim_start_matches('/').to_owned()
}

/// A file read as a manifest.
struct Reading {
    path: String,
    manifest: Option<Manifest>,
    /// What of it could not be read.
    gaps: Vec<String>,
}

impl Reading {
    fn of(path: &str, bytes: &[u8]) -> Self {
        let mut gaps = Vec::new();
        let document = Document::read(path, bytes, &mut gaps);
        let manifest = manifest::read(&document, ReadingReason::Named, &mut gaps);
        Self { path: path.to_owned(), manifest, gaps: gaps.into_iter().map(|gap| gap.detail).collect() }
    }

    /// True where a client reads the file for its servers, by its path or by its content.
    fn is_configuration(&self) -> bool {
        let by_path = formats::of(&self.path).is_some_and(|format| format.certain && format.role == FormatRole::Config);
        by_path || self.manifest.as_ref().is_some_and(|read| !launches(read).is_empty())
    }

    fn targets(&self, shown: &str) -> Vec<CheckTarget> {
        let servers = self.manifest.as_ref().map(launches).unwrap_or_default();
        let found = servers.iter().flat_map(|server| launch::targets(server, shown));
        // A key that stands twice may hide a server from this reader and show it to the client.
        found.chain(self.gaps.iter().map(|gap| target::unjudgeable(shown, gap.clone()))).collect()
    }
}

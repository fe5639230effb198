//! `DatasetPlace`: a dataset in a folder, or one that is published at an address and kept in the user's cache.
//!
//! Of a published one the files that answers need are fetched, each against the digest of the manifest. They get their name in the cache
//! only when all are there, so that whoever reads meanwhile reads one dataset. The manifest alone is asked for again, by its
//! validators. What is there answers while the address cannot be reached; a damaged or older dataset takes nothing's place.

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, anyhow, bail, ensure};
use capdex_crawlers::CrawlError;
use capdex_crawlers::http::{AllowedBaseUrl, Http, HttpRequest, HttpResponse, HttpSettings};
use capdex_dataset::export::file::FileRow;
use capdex_dataset::export::lookup::DatasetLookup;
use capdex_dataset::export::manifest::{self, DatasetManifest};
use capdex_dataset::output_folder::scratch::random_name;
use capdex_dataset::signature::{ENDING, MAX_BYTES as MAX_SIGNATURE, SignatureFault, VerifyingKey};
use capdex_model::digest::Digest;
use capdex_model::listing::Validators;
use capdex_model::time::AsOf;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::files;
use crate::jobs::run;
use crate::output;

/// The most bytes of the files that are fetched. Those of 25,000 capabilities have some 10 MB.
const MAX_BYTES: u64 = 1 << 30;
/// Seconds for which `hook` and `mcp` ask nobody again.
const REST_S: i64 = 6 * 3600;
/// What is known of an address; the file beside the datasets of it.
const ORIGIN: &str = "origin.json";
/// The beginning of the names of folders that are being filled.
const FILLING: &str = ".filling-";

/// Where a dataset is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatasetPlace {
    /// A folder.
    Folder(PathBuf),
    /// The address of the folder, with a slash at its end.
    Address(Url),
}

/// When an address is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refresh {
    /// Each time: somebody waits for the newest answer.
    Always,
    /// After some hours, and with little patience: an agent waits.
    Seldom,
    /// Never: only what was fetched before.
    Never,
}

/// What is known of an address.
#[derive(Debug, Serialize, Deserialize)]
struct Origin {
    url: String,
    /// The folder of the dataset that answers.
    dataset: String,
    /// The instant of the dataset.
    as_of: AsOf,
    /// When the address was asked last, in seconds of Unix time.
    asked: i64,
    etag: Option<String>,
    last_modified: Option<String>,
}

impl fmt::Display for DatasetPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(dir) => dir.display().fmt(f),
            Self::Address(url) => url.fmt(f),
        }
    }
}

impl FromStr for DatasetPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !text.starts_with("http://") && !text.starts_with("https://") {
            return Ok(Self::Folder(text.into()));
        }
        let mut url = Url::parse(text).map_err(|error| format!("{text:?} is no address: {error}"))?;
        if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
            return Err("the address of a dataset has no user, no `?` and no `#`".to_owned());
        }
        let path = url.path().trim_end_matches(manifest::NAME).trim_end_matches('/').to_owned();
        url.set_path(&format!("{path}/"));
        Ok(Self::Address(url))
    }
}

impl DatasetPlace {
    /// The folder to read: of an address the one in the cache, fetched or refreshed first.
    ///
    /// # Errors
    /// An address that cannot be reached and of which nothing was fetched before; a dataset that is damaged, older than the one of
    /// before, too large or none, or that the key has not signed.
    pub fn folder(
        &self,
        settings: &HttpSettings,
        refresh: Refresh,
        at: AsOf,
        key: Option<&VerifyingKey>,
    ) -> anyhow::Result<PathBuf> {
        let (dir, shown) = match self {
            Self::Folder(dir) => {
                let shown = dir.display().to_string();
                if !dir.join(manifest::NAME).is_file() {
                    let name = manifest::NAME;
                    bail!(
                        "{shown} is no dataset that can be asked: it is no folder with a {name}; name one that `capdex export` wrote, or \
                         the https:// address of one"
                    );
                }
                (dir.clone(), shown)
            }
            Self::Address(url) => {
                (Cache::of(url, &cache_folder()?, key).folder(settings, refresh, at)?, url.to_string())
            }
        };
        // Before anything of it is read, and also of what was fetched before, whose files may have changed since.
        if let Some(key) = key
            && let Err(fault) = key.check_file(&dir, manifest::NAME, manifest::MAX_BYTES)?
        {
            bail!("the dataset {shown} is not asked: its {} {fault}", manifest::NAME);
        }
        Ok(dir)
    }
}

/// The user's folder for what can be fetched again (XDG Base Directory Specification).
fn cache_folder() -> anyhow::Result<PathBuf> {
    let absolute = |path: PathBuf| Some(path).filter(|path| path.is_absolute());
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).and_then(absolute);
    let home = || std::env::home_dir().and_then(absolute).map(|home| home.join(".cache"));
    let cache = named.or_else(home).context("there is no folder for a fetched dataset: set XDG_CACHE_HOME")?;
    Ok(cache.join("capdex/datasets"))
}

/// The datasets of one address.
struct Cache<'a> {
    url: &'a Url,
    dir: PathBuf,
    /// The key that must have signed the manifest; none where anybody may have written it.
    key: Option<&'a VerifyingKey>,
}

impl<'a> Cache<'a> {
    fn of(url: &'a Url, cache: &Path, key: Option<&'a VerifyingKey>) -> Self {
        let name: String = Digest::of(url.as_str().as_bytes()).hex().chars().take(32).collect();
        Self { url, dir: cache.join(name), key }
    }

    /// What is there; none where nothing is, or where its files are gone.
    fn origin(&self) -> Option<Origin> {
        let text = fs::read(self.dir.join(ORIGIN)).ok()?;
        let origin: Origin = serde_json::from_slice(&text).ok()?;
        let is_plain = origin.dataset.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_there = is_plain && self.dir.join(&origin.dataset).join(manifest::NAME).is_file();
        (is_there && origin.url == self.url.as_str()).then_some(origin)
    }

    fn folder(&self, settings: &HttpSettings, refresh: Refresh, at: AsOf) -> anyhow::Result<PathBuf> {
        let (known, now) = (self.origin(), at.0.unix_seconds());
        let is_signed =
            |known: &Origin| self.key.is_none() || self.dir.join(&known.dataset).join(signature()).is_file();
        let rests = |known: &Origin| refresh == Refresh::Seldom && (0..REST_S).contains(&(now - known.asked));
        match &known {
            Some(known) if refresh == Refresh::Never && !is_signed(known) => {
                bail!("the dataset at {} was fetched without its signature: ask once without --offline", self.url)
            }
            Some(known) if refresh == Refresh::Never || (rests(known) && is_signed(known)) => {
                return Ok(self.dir.join(&known.dataset));
            }
            None if refresh == Refresh::Never => {
                bail!("the dataset at {} was never fetched: ask once without --offline", self.url)
            }
            _ => {}
        }
        let http = self.client(settings, refresh == Refresh::Seldom && known.is_some())?;
        let asked = run::runtime()?.block_on(self.refreshed(&http, known.as_ref(), now));
        match (asked, known) {
            (Ok(origin), _) => {
                self.write(&origin)?;
                self.sweep(&origin);
                Ok(self.dir.join(&origin.dataset))
            }
            // Away, and not wrong: what was fetched before still says what it said.
            (Err(error), Some(mut known)) if is_away(&error) => {
                output::say(format_args!("capdex: the dataset is that of {}, since {error:#}", known.as_of));
                known.asked = now;
                self.write(&known)?;
                Ok(self.dir.join(&known.dataset))
            }
            (Err(error), _) => Err(error.context(format!("failed to fetch the dataset at {}", self.url))),
        }
    }

    fn client(&self, settings: &HttpSettings, is_hurried: bool) -> anyhow::Result<Http> {
        let mut settings = settings.clone();
        // A person wrote the address: it may lie on this machine or network.
        settings.allowed_base_urls.push(AllowedBaseUrl::new("", self.url.as_str()));
        settings.max_tries = if is_hurried { 1 } else { 3 };
        if is_hurried {
            (settings.connect_deadline_ms, settings.total_deadline_ms) = (3_000, 20_000);
        }
        Http::new(settings).context("failed to set up the HTTP client")
    }

    /// Asks for the manifest, and fetches what it names where it is another one.
    async fn refreshed(&self, http: &Http, known: Option<&Origin>, now: i64) -> anyhow::Result<Origin> {
        let validators = known.map(|known| Validators {
            etag: known.etag.clone(),
            last_modified: known.last_modified.clone(),
            digest: None,
        });
        let validators = validators.filter(|known| known.etag.is_some() || known.last_modified.is_some());
        let url = self.url.join(manifest::NAME)?;
        let request = HttpRequest {
            url: url.as_str(),
            validators: validators.as_ref(),
            max_bytes: manifest::MAX_BYTES,
            ..HttpRequest::default()
        };
        let (bytes, Validators { etag, last_modified, .. }) = match (http.send(request).await?, known) {
            (HttpResponse::NotModified, Some(Origin { dataset, as_of, etag, last_modified, .. })) => {
                let (etag, last_modified) = (etag.clone(), last_modified.clone());
                let url = self.url.to_string();
                let folder = self.dir.join(dataset);
                let bytes = fs::read(folder.join(manifest::NAME)).context("failed to read the manifest of before")?;
                self.keep_signature(self.signature(http, &bytes).await?, &folder)?;
                return Ok(Origin { url, dataset: dataset.clone(), as_of: *as_of, asked: now, etag, last_modified });
            }
            (HttpResponse::NotModified, None) => {
                bail!("{url} says that nothing changed, though nothing was fetched before")
            }
            (HttpResponse::Body { bytes, validators, .. }, _) => (bytes, validators),
        };
        // Before the manifest is read: it decides what is fetched.
        let signature = self.signature(http, &bytes).await?;
        let dataset: String = Digest::of(&bytes).hex().chars().take(32).collect();
        let folder = self.dir.join(&dataset);
        let as_of = if folder.join(manifest::NAME).is_file() {
            read_manifest(&folder)?.as_of
        } else {
            self.fetch(http, &bytes, &dataset, known).await?
        };
        self.keep_signature(signature, &folder)?;
        Ok(Origin { url: self.url.to_string(), dataset, as_of, asked: now, etag, last_modified })
    }

    /// Fetches the signature of a manifest, where one is asked for, and accepts it.
    async fn signature(&self, http: &Http, manifest: &[u8]) -> anyhow::Result<Option<Vec<u8>>> {
        let Some(key) = self.key else { return Ok(None) };
        let url = self.url.join(&signature())?;
        let request = HttpRequest { url: url.as_str(), max_bytes: MAX_SIGNATURE, ..HttpRequest::default() };
        let checked = match http.send(request).await {
            Ok(HttpResponse::Body { bytes, .. }) => key.check(manifest, &bytes).map(|_| bytes.to_vec()),
            Ok(HttpResponse::NotModified) | Err(CrawlError::Gone { .. }) => Err(SignatureFault::Missing),
            Err(error) => return Err(error.into()),
        };
        checked.map(Some).map_err(|fault| anyhow!("its {} {fault}", manifest::NAME))
    }

    /// Puts a signature beside the manifest that it is of.
    fn keep_signature(&self, signature_bytes: Option<Vec<u8>>, folder: &Path) -> anyhow::Result<()> {
        let Some(bytes) = signature_bytes else { return Ok(()) };
        files::replace(&folder.join(signature()), &bytes).context("failed to keep the signature")
    }

    /// Fetches the files that a manifest names and answers need.
    async fn fetch(&self, http: &Http, bytes: &[u8], name: &str, known: Option<&Origin>) -> anyhow::Result<AsOf> {
        let filling = Filling::make(&self.dir)?;
        fs::write(filling.0.join(manifest::NAME), bytes).context("failed to keep the manifest")?;
        let manifest = read_manifest(&filling.0)?;
        if let Some(known) = known.filter(|known| manifest.as_of < known.as_of) {
            bail!("it is of {}, older than that of {} which was fetched before", manifest.as_of, known.as_of);
        }
        let files = DatasetLookup::files(&manifest)?;
        let total: u64 = files.iter().map(|file| file.bytes).fold(0, u64::saturating_add);
        ensure!(total <= MAX_BYTES, "its files have {total} bytes, and at most {MAX_BYTES} are fetched");
        for file in files {
            let target = filling.0.join(&file.path);
            let before = known.map(|known| self.dir.join(&known.dataset).join(&file.path));
            // What did not change since is there already.
            let bytes = match before.and_then(|before| fs::read(before).ok()).filter(|bytes| is_of(file, bytes)) {
                Some(bytes) => bytes,
                None => self.fetch_file(http, file).await?,
            };
            fs::write(target, bytes).with_context(|| format!("failed to keep {}", file.path))?;
        }
        filling.finish(&self.dir.join(name))?;
        Ok(manifest.as_of)
    }

    async fn fetch_file(&self, http: &Http, file: &FileRow) -> anyhow::Result<Vec<u8>> {
        let url = self.url.join(&file.path)?;
        let request = HttpRequest { url: url.as_str(), max_bytes: file.bytes, ..HttpRequest::default() };
        match http.send(request).await? {
            HttpResponse::Body { bytes, .. } if is_of(file, &bytes) => Ok(bytes),
            _ => bail!("{} has other bytes than the manifest says", file.path),
        }
    }

    /// Names the dataset that answers, in one step.
    fn write(&self, origin: &Origin) -> anyhow::Result<()> {
        let written = self.dir.join(format!("{FILLING}{}", random_name()));
        let text = serde_json::to_vec_pretty(origin)?;
        let put = fs::write(&written, text).and_then(|()| fs::rename(&written, self.dir.join(ORIGIN)));
        put.with_context(|| format!("failed to write {}", self.dir.join(ORIGIN).display()))
    }

    /// Removes the datasets before the last two: somebody may still read the one of before.
    fn sweep(&self, current: &Origin) {
        let Ok(entries) = fs::read_dir(&self.dir) else { return };
        let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut others: Vec<_> = folders
            .filter(|entry| {
                entry.file_name().to_str().is_some_and(|name| name != current.dataset && !name.starts_with(FILLING))
            })
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        others.sort();
        others.pop();
        for (_, path) in others {
            // What cannot be removed now goes another time.
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// A folder that is filled, and goes where it is not finished.
struct Filling(PathBuf);

impl Filling {
    fn make(dir: &Path) -> anyhow::Result<Self> {
        let path = dir.join(format!("{FILLING}{}", random_name()));
        fs::create_dir_all(&path).with_context(|| format!("failed to make {}", path.display()))?;
        Ok(Self(path))
    }

    fn finish(self, target: &Path) -> anyhow::Result<()> {
        match fs::rename(&self.0, target) {
            // Another process was faster, with the same bytes.
            Err(error) if matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists) => Ok(()),
            renamed => renamed.with_context(|| format!("failed to make {}", target.display())),
        }
    }
}

impl Drop for Filling {
    fn drop(&mut self) {
        // Gone already where it was finished.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The name of the manifest's signature.
fn signature() -> String {
    format!("{}{ENDING}", manifest::NAME)
}

fn read_manifest(dir: &Path) -> anyhow::Result<DatasetManifest> {
    manifest::read(dir)?.map_err(anyhow::Error::msg)
}

fn is_of(file: &FileRow, bytes: &[u8]) -> bool {
    bytes.len() as u64 == file.bytes && Digest::of(bytes).hex() == file.sha256
}

/// True where nobody answered, or not now: nothing is known to be wrong.
fn is_away(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(CrawlError::RetryAt { .. } | CrawlError::Transient { .. } | CrawlError::Unreachable { .. })
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_that_of_a_folder_and_everything_else_is_a_path() {
        let of = |text: &str| text.parse::<DatasetPlace>();
        let address = |text: &str| Ok(DatasetPlace::Address(text.parse().expect("an address")));
        assert_eq!(of("https://a.example/data"), address("https://a.example/data/"));
        assert_eq!(of("https://a.example/data/manifest.json"), address("https://a.example/data/"));
        assert_eq!(of("http://127.0.0.1:8080"), address("http://127.0.0.1:8080/"));
        assert_eq!(of("capdex-export"), Ok(DatasetPlace::Folder("capdex-export".into())));
        for wrong in ["https://user@a.example/data", "https://a.example/data?key=1", "https://"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}

//! `Purl`: package URLs of listings, the names by which other tools know the same packages.
//!
//! Types: `npm`, `pypi`, `oci` and `github`, and `generic` with `vcs_url` for repositories on other forges; `docker` is read
//! too. Directories' own rows have none. Source: ECMA-427 (package URLs) and its definitions of types.

use std::fmt;
use std::str::FromStr;

use packageurl::PackageUrl;

use crate::ids::{ListingKey, package_identity, pypi_name, split_registry};
use crate::image::ImageReference;
use crate::registries;
use crate::release_line;

/// The qualifier that says where an image is, and of a package which registry it is of, where that is not the ecosystem's own.
const REPOSITORY: &str = "repository_url";
/// The qualifier that names a repository with its protocol.
const VCS: &str = "vcs_url";
/// The protocol before a repository's address in [`VCS`].
const GIT: &str = "git+https://";

/// A package URL, and the listing that it names. Its text form is the canonical one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purl {
    text: String,
    key: ListingKey,
    registry: Option<String>,
    version: Option<String>,
    path: Option<String>,
}

impl Purl {
    /// The purl of a listing. None for a listing of a directory, and for a name that
    /// would read back as another: npm's old names in capitals.
    ///
    /// ```
    /// use capdex_model::ids::ListingKey;
    /// use capdex_model::purl::Purl;
    ///
    /// let purl = Purl::of(&ListingKey::new("npm", "@scope/name"), Some("1.2.0")).expect("npm has purls");
    /// assert_eq!(purl.to_string(), "pkg:npm/%40scope/name@1.2.0");
    /// ```
    pub fn of(key: &ListingKey, version: Option<&str>) -> Option<Self> {
        Self::at(key, None, version)
    }

    /// The same of a package of a registry that is not the ecosystem's own.
    fn at(key: &ListingKey, registry: Option<&str>, version: Option<&str>) -> Option<Self> {
        // A release line is its package, at another version.
        if let (true, Some((package, _))) = (release_line::has_lines(&key.source), release_line::of_name(&key.name)) {
            return Self::at(&ListingKey::new(&key.source, package), registry, version);
        }
        let image = (key.source == "oci").then(|| ImageReference::read(&key.name));
        let mut url = match &image {
            Some(image) => of_image(image),
            None => of_package(key),
        }
        .ok()?;
        match version {
            // The version of an image is its digest.
            Some(version) if image.is_none() || version.contains(':') => url.with_version(version).ok()?,
            _ => &mut url,
        };
        if let Some(registry) = registry {
            url.add_qualifier(REPOSITORY, registry).ok()?;
        }
        // The library's text is read back: normal forms of a type may change the name.
        let purl: Self = url.to_string().parse().ok()?;
        let is_same = match image {
            Some(image) => {
                ImageReference { digest: None, ..ImageReference::read(&purl.key.name) }
                    == ImageReference { digest: None, ..image }
            }
            None => purl.key == *key && purl.registry.as_deref() == registry,
        };
        // A purl that names another package would send other tools to the wrong one.
        is_same.then_some(purl)
    }

    /// The purl of a locator's identity.
    pub fn of_identity(identity: &str, version: Option<&str>) -> Option<Self> {
        let (package, registry) = split_registry(identity);
        Self::at(&package.parse().ok()?, registry, version)
    }

    /// The listing that is named, without a version where its source has none in the name.
    pub const fn key(&self) -> &ListingKey {
        &self.key
    }

    /// The registry of a package that is named with one; none for the ecosystem's own.
    pub fn registry(&self) -> Option<&str> {
        self.registry.as_deref()
    }

    /// The version, or the commit of a repository. None for an image, whose key holds tag and digest.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The folder or file inside that is meant.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// The identity that a locator of the package has.
    pub fn identity(&self) -> String {
        match self.key.source.as_str() {
            "oci" => ImageReference::read(&self.key.name).identity(),
            source => package_identity(source, &self.key.name, self.registry.as_deref()),
        }
    }
}

fn of_package(key: &ListingKey) -> packageurl::Result<PackageUrl<'_>> {
    let name = key.name.as_str();
    let (namespace, last) = name.rsplit_once('/').map_or((None, name), |(namespace, last)| (Some(namespace), last));
    if key.source == "git" {
        // The host of a forge has no type of its own; the address in full is what finds it again.
        let mut url = PackageUrl::new("generic", last)?;
        url.add_qualifier(VCS, format!("{GIT}{name}"))?;
        return Ok(url);
    }
    let mut url = PackageUrl::new(key.source.as_str(), last)?;
    if let Some(namespace) = namespace {
        url.with_namespace(namespace)?;
    }
    Ok(url)
}

fn of_image(image: &ImageReference) -> packageurl::Result<PackageUrl<'_>> {
    let mut url = PackageUrl::new("oci", image.repository.rsplit('/').next().unwrap_or_default())?;
    // The specification names an image by the last part alone, and puts the registry into the qualifier.
    url.add_qualifier(REPOSITORY, format!("{}/{}", image.registry, image.repository))?;
    if let Some(tag) = &image.tag {
        url.add_qualifier("tag", tag)?;
    }
    if let Some(digest) = &image.digest {
        url.with_version(digest)?;
    }
    Ok(url)
}

impl fmt::Display for Purl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A text that names no listing as a purl.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParsePurlError {
    /// It is no purl.
    #[error("{text:?} is no package URL: {detail}")]
    Malformed {
        /// The text.
        text: String,
        /// The reason.
        detail: String,
    },
    /// Its type has no listings here.
    #[error("package URLs of type {0:?} name no listing: npm, pypi, oci, docker and github do, and generic with {VCS}")]
    UnknownType(String),
}

impl FromStr for Purl {
    type Err = ParsePurlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = |detail: String| ParsePurlError::Malformed { text: text.to_owned(), detail };
        let written = PackageUrl::from_str(text).map_err(|error| malformed(error.to_string()))?.to_string();
        // Read again in its normal form: parts such as `.` are dropped there, and would else stay in the name as nothing.
        let mut url = PackageUrl::from_str(&written).map_err(|error| malformed(error.to_string()))?;
        // Said in full, the ecosystem's own registry is still the one whose packages have the short name.
        if url.qualifiers().get(REPOSITORY).is_some_and(|registry| registries::is_own(url.ty(), registry)) {
            let others: Vec<_> = url.qualifiers().iter().map(|(name, value)| (name.clone(), value.clone())).collect();
            url.clear_qualifiers();
            for (name, value) in others.into_iter().filter(|(name, _)| name != REPOSITORY) {
                url.add_qualifier(name, value).map_err(|error| malformed(error.to_string()))?;
            }
        }
        let qualifier = |name: &str| url.qualifiers().get(name).map(|value| value.as_ref());
        let name = url.namespace().map_or_else(|| url.name().to_owned(), |of| format!("{of}/{}", url.name()));
        let mut version = url.version().map(str::to_owned);
        let key = match url.ty() {
            "npm" | "github" => ListingKey::new(url.ty(), name),
            "pypi" => ListingKey::new("pypi", pypi_name(&name)),
            "generic" => {
                let address = qualifier(VCS).and_then(|address| address.strip_prefix(GIT));
                let address = address.filter(|address| !address.is_empty());
                ListingKey::new("git", address.ok_or_else(|| malformed(format!("it has no {VCS}={GIT}…")))?)
            }
            "oci" => {
                let repository = qualifier(REPOSITORY).ok_or_else(|| malformed(format!("it has no {REPOSITORY}")))?;
                let mut image = ImageReference::read(repository);
                (image.tag, image.digest) = (qualifier("tag").map(str::to_owned), version.take());
                ListingKey::new("oci", image.to_string())
            }
            "docker" => {
                let mut image = ImageReference::read_at(qualifier(REPOSITORY).unwrap_or_default(), &name);
                // In a `docker` purl the version is a tag or a digest; only a digest has a colon.
                let is_digest = version.as_ref().is_some_and(|version| version.contains(':'));
                *(if is_digest { &mut image.digest } else { &mut image.tag }) = version.take();
                ListingKey::new("oci", image.to_string())
            }
            other => return Err(ParsePurlError::UnknownType(other.to_owned())),
        };
        // Of a package the qualifier names its registry, with or without a scheme.
        let registry = qualifier(REPOSITORY).filter(|_| matches!(url.ty(), "npm" | "pypi"));
        let registry =
            registry.map(|at| at.split_once("://").map_or(at, |(_, rest)| rest).trim_end_matches('/').to_owned());
        Ok(Self { text: url.to_string(), key, registry, version, path: url.subpath().map(str::to_owned) })
    }
}

#[cfg(test)]
mod tests;

//! CAPABILITY on the command line: the one that a person means by what he wrote.
//!
//! A slug, `npm:@scope/name#kind:path` and digits of the id name one exactly. Otherwise the words of the ranked table
//! (`npm:name#path`) and bare names do, if only one thing is called so: nothing is guessed between several. A package URL is
//! the package that it names, at the version that it names.

use capdex_db::{CurrentCapability, CurrentName, Reader};
use capdex_model::capability::Kind;
use capdex_model::ids::{CapabilityId, slug_of, split_registry};
use capdex_model::purl::Purl;

use crate::exit::usage;
use capdex_dataset::escape::escape;

/// Slugs that an error shows to choose from.
const SHOWN: usize = 8;
/// Digits of an id that say which is meant.
const LEAST_DIGITS: usize = 8;

/// Digits that nobody grinds out: with fewer, an id is no better than a name that looks like it.
const SURE_DIGITS: usize = 16;

/// The fit of a name to what was written, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MatchQuality {
    /// It names it exactly.
    Exact,
    /// It is how the ranked table calls it.
    Shown,
    /// It is the package that it is in.
    Whole,
    /// It is the bare name of it or of its package, or the beginning of its id.
    Bare,
    /// It is a part of its slug.
    Part,
}

/// The result of looking for a name.
pub enum NameMatch {
    /// The one that is meant.
    One(Box<CurrentCapability>),
    /// Nothing that stands now is called so; the error shows what is called almost so.
    None(anyhow::Error),
    /// Several are.
    Several(SeveralNames),
}

/// Several capabilities that are called so.
pub struct SeveralNames {
    text: String,
    names: Vec<CurrentName>,
}

impl SeveralNames {
    /// All that stands of one package, where its name is what was written.
    pub fn package(&self) -> Option<&[CurrentName]> {
        is_one_package(&self.names).then_some(self.names.as_slice())
    }
}

impl From<SeveralNames> for anyhow::Error {
    /// Wrong usage: it lists some of them.
    fn from(several: SeveralNames) -> Self {
        let SeveralNames { text, names } = several;
        // Ids are shown where only they tell two equal slugs apart.
        let is_double = |name: &CurrentName| names.iter().filter(|other| other.slug == name.slug).count() > 1;
        let each = |name: &CurrentName| match is_double(name) {
            true => format!("{} ({})", slug(name), name.id),
            false => slug(name),
        };
        usage(format!("{text:?} means {} capabilities: {}; give one of them", names.len(), list(&names, 0, each)))
    }
}

/// Finds the capability that is meant.
///
/// # Errors
/// Wrong usage where none or several are called so: the text shows what is called almost so.
pub fn find(reader: &Reader, text: &str) -> anyhow::Result<CurrentCapability> {
    match search(reader, text)? {
        NameMatch::One(current) => Ok(*current),
        NameMatch::None(error) => Err(error),
        NameMatch::Several(several) => Err(several.into()),
    }
}

/// Everything that a text names: what stands of a package that is written in full, else the one capability that is meant.
///
/// # Errors
/// Those of [`find`].
pub fn all(reader: &Reader, text: &str) -> anyhow::Result<Vec<CapabilityId>> {
    let purl = purl(text)?;
    let package = match &purl {
        Some(purl) if purl.path().is_none() => purl.identity(),
        _ => text.trim().to_owned(),
    };
    let mut parts = Vec::new();
    reader.each_name(|name| {
        if name.identity == package {
            parts.push(name.id);
        }
    })?;
    let Some(first) = parts.first() else { return Ok(vec![find(reader, text)?.capability.id]) };
    let asked = purl.as_ref().and_then(Purl::version);
    let version = reader.current_of(first)?.and_then(|current| current.version);
    match (asked, version) {
        (Some(asked), Some(version)) if asked != version => Err(other_version(&version, &package)),
        _ => Ok(parts),
    }
}

/// The package URL that a text is; none for any other text.
///
/// # Errors
/// Wrong usage for a package URL that names no listing.
pub fn purl(text: &str) -> anyhow::Result<Option<Purl>> {
    let text = text.trim();
    text.starts_with("pkg:").then(|| text.parse().map_err(|error| usage(format!("{error}")))).transpose()
}

/// The same for who has something to say where none is found.
pub fn search(reader: &Reader, text: &str) -> anyhow::Result<NameMatch> {
    let Some(purl) = purl(text)? else { return search_name(reader, text) };
    // The path of a package URL is the part of the package, as the ranked table writes it.
    let inside = purl.path().map(|path| format!("#{path}")).unwrap_or_default();
    let found = search_name(reader, &format!("{}{inside}", purl.identity()))?;
    let NameMatch::One(current) = &found else { return Ok(found) };
    match (purl.version(), &current.version) {
        // Another version has other bytes, and its verdict must not be taken for this one's.
        (Some(asked), Some(version)) if asked != version => {
            Ok(NameMatch::None(other_version(version, &purl.identity())))
        }
        _ => Ok(found),
    }
}

fn other_version(version: &str, identity: &str) -> anyhow::Error {
    usage(format!("the store has version {} of {}", escape(version), escape(identity)))
}

fn search_name(reader: &Reader, text: &str) -> anyhow::Result<NameMatch> {
    let wanted = NameQuery::of(text);
    let (mut best, mut names, mut beyond) = (None, Vec::new(), 0);
    reader.each_name(|name| {
        // Once a better fit is met the worse ones are of no interest, which keeps the list short.
        let Some(fit) = wanted.fit(&name).filter(|fit| best.is_none_or(|best| *fit <= best)) else { return };
        if best != Some(fit) {
            (best, beyond) = (Some(fit), 0);
            names.clear();
        }
        // A part of a slug may be a part of every slug.
        if fit == MatchQuality::Part && names.len() >= SHOWN { beyond += 1 } else { names.push(name) }
    })?;
    let fit = best.unwrap_or(MatchQuality::Part);
    // Who writes the name of a package means what is in it, where that is one thing; `explain` tells of the rest.
    if fit > MatchQuality::Exact && is_one_package(&names) && names.iter().any(|name| name.kind != Kind::Package) {
        names.retain(|name| name.kind != Kind::Package);
    }
    Ok(match (fit, names.as_slice()) {
        (MatchQuality::Part, []) => NameMatch::None(usage(format!(
            "no capability {text:?} in the store; `capdex export DIR` writes a list of all"
        ))),
        // A part of a slug never decides: an attacker could register a name that contains another.
        (MatchQuality::Part, some) => NameMatch::None(usage(format!(
            "no capability {text:?} in the store; there is {}",
            list(some, beyond, slug)
        ))),
        (_, [name]) => match reader.current_of(&name.id)? {
            Some(current) => NameMatch::One(Box::new(current)),
            None => NameMatch::None(usage(format!("{} does not stand any more", slug(name)))),
        },
        _ => NameMatch::Several(SeveralNames { text: text.to_owned(), names }),
    })
}

/// The exact readings of a written name: a slug, and the first digits of an id (empty where it cannot be one).
pub fn exact(text: &str) -> (String, String) {
    let wanted = NameQuery::of(text);
    (wanted.slug, wanted.digits.unwrap_or_default())
}

fn slug(name: &CurrentName) -> String {
    escape(&name.slug).into_owned()
}

fn is_one_package(names: &[CurrentName]) -> bool {
    names.windows(2).all(|pair| matches!(pair, [one, other] if one.identity == other.identity))
}

/// Some to choose from, and how many there are beyond them.
fn list(names: &[CurrentName], beyond: usize, each: impl Fn(&CurrentName) -> String) -> String {
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(each).collect();
    let beyond = beyond + names.len().saturating_sub(SHOWN);
    if beyond > 0 {
        shown.push(format!("and {beyond} more"));
    }
    shown.join(", ")
}

/// The written text, taken apart once.
struct NameQuery<'a> {
    text: &'a str,
    /// Identity, kind and path, where all three were written.
    whole: Option<(&'a str, Kind, &'a str)>,
    slug: String,
    digits: Option<String>,
}

impl<'a> NameQuery<'a> {
    fn of(text: &'a str) -> Self {
        let text = text.trim();
        let whole = text.split_once('#').and_then(|(identity, rest)| {
            let (kind, path) = rest.split_once(':').unwrap_or((rest, ""));
            // A part that is no kind belongs to the path, as in the words of the ranked table.
            Some((identity, kind.parse::<Kind>().ok()?, path))
        });
        let slug = match whole {
            Some((identity, kind, path)) => slug_of(identity, kind, path),
            None => text.to_lowercase(),
        };
        let hex = text.strip_prefix("sha256:").unwrap_or(text).to_ascii_lowercase();
        // Shorter texts may be words, such as `facade`.
        let is_hex = hex.len() >= LEAST_DIGITS && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        Self { text, whole, slug, digits: is_hex.then_some(hex) }
    }

    fn fit(&self, name: &CurrentName) -> Option<MatchQuality> {
        let CurrentName { id, slug, identity, kind, path } = name;
        if let Some(whole) = self.whole {
            // Unlike names may have one slug: who writes all of a name means that name.
            return (whole == (identity.as_str(), *kind, path.as_str())).then_some(MatchQuality::Exact);
        }
        let digits = self.digits.as_ref().filter(|digits| id.0.hex().starts_with(digits.as_str()));
        // Enough digits that nobody can make another id with the same beginning.
        if *slug == self.slug || digits.is_some_and(|digits| digits.len() >= SURE_DIGITS) {
            return Some(MatchQuality::Exact);
        }
        match self.text.split_once('#') {
            Some((of, inside)) => return (of == identity && inside == path).then_some(MatchQuality::Shown),
            None if self.text == identity => return Some(MatchQuality::Whole),
            None => {}
        }
        let (bare, _) = split_registry(identity);
        let package = bare.split_once(':').map_or(bare, |(_, name)| name);
        let last = |text: &str| text.rsplit('/').next() == Some(self.text);
        // Bare names are open to squatting, so they count only where one thing has them.
        if package == self.text || last(package) || last(path) || digits.is_some() {
            return Some(MatchQuality::Bare);
        }
        (!self.slug.is_empty() && slug.contains(&self.slug)).then_some(MatchQuality::Part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(identity: &str, kind: Kind, path: &str) -> CurrentName {
        CurrentName {
            id: CapabilityId::of(identity, kind, path),
            slug: slug_of(identity, kind, path),
            identity: identity.to_owned(),
            kind,
            path: path.to_owned(),
        }
    }

    #[test]
    fn what_people_write_fits_as_well_as_it_says() {
        let skill = name("npm:@acme/kit", Kind::Skill, "skills/notes");
        let id = skill.id.to_string();
        for (text, fit) in [
            ("npm:@acme/kit#skill:skills/notes", Some(MatchQuality::Exact)),
            (skill.slug.as_str(), Some(MatchQuality::Exact)),
            (&id[..20], Some(MatchQuality::Exact)),
            ("npm:@acme/kit#skills/notes", Some(MatchQuality::Shown)),
            ("npm:@acme/kit", Some(MatchQuality::Whole)),
            (&id[..12], Some(MatchQuality::Bare)),
            ("npm:acme-kit#skill:skills/notes", None),
            ("npm:@acme/kit#hook:skills/notes", None),
            ("@acme/kit", Some(MatchQuality::Bare)),
            ("kit", Some(MatchQuality::Bare)),
            ("notes", Some(MatchQuality::Bare)),
            ("note", Some(MatchQuality::Part)),
            ("npm:@acme/kit#skills/other", None),
            ("", None),
        ] {
            assert_eq!(NameQuery::of(text).fit(&skill), fit, "{text}");
        }
    }
}

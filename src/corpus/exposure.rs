//! Exposure: which packages depend on one package, directly and through others.
//!
//! Knows only what listings claim of their run-time dependencies, and so names packages, not capabilities.

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::ids::{package_identity, split_registry};
use capdex_model::listing::{Claim, Listing, Locator};
use capdex_model::release_line;

/// The packages that depend on each other, by locator identity (`npm:<name>`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// The packages that name each package as a dependency.
    dependents: BTreeMap<String, BTreeSet<String>>,
    /// Packages whose dependencies somebody states.
    known: BTreeSet<String>,
    /// Packages of which nobody says what they depend on.
    unknown: BTreeSet<String>,
}

/// A package that depends on the one asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exposed {
    /// Its identity.
    pub package: String,
    /// The shortest way down: the dependency it names itself first, the package asked for last; one entry for a direct
    /// dependency.
    pub through: Vec<String>,
}

impl Dependencies {
    /// The dependencies that listings claim. Both count where two listings of one package name other dependencies.
    pub fn of<'a>(listings: impl IntoIterator<Item = &'a Listing>) -> Self {
        let mut all = Self::default();
        for listing in listings {
            for locator in &listing.locators {
                all.add(locator, &listing.claims.dependencies);
            }
        }
        // One listing that states the dependencies is enough, whatever order the listings come in.
        all.unknown.retain(|package| !all.known.contains(package));
        all
    }

    fn add(&mut self, locator: &Locator, dependencies: &Claim<Vec<String>>) {
        let (identity, ecosystem) = (locator.identity(), locator.ecosystem());
        // Who depends on something in one release line depends on it.
        let package = release_line::package_of_identity(&identity).into_owned();
        match dependencies {
            Claim::Known(names) => {
                let (_, registry) = split_registry(&package);
                for name in names {
                    // Names are looked up in the package's own ecosystem: the same name elsewhere is another package.
                    let mut on = vec![package_identity(&ecosystem, name, None)];
                    // Which of two registries an installer asks is its user's setting, so both count.
                    on.extend(registry.map(|registry| package_identity(&ecosystem, name, Some(registry))));
                    for name in on {
                        self.dependents.entry(name).or_default().insert(package.clone());
                    }
                }
                self.known.insert(package);
            }
            // A source that says "none" has answered, unlike one that is silent.
            Claim::Absent => drop(self.known.insert(package)),
            Claim::Unknown => drop(self.unknown.insert(package)),
        }
    }

    /// The number of packages that state their dependencies, and of those whose dependencies nobody knows.
    pub fn known_and_unknown(&self) -> (usize, usize) {
        (self.known.len(), self.unknown.len())
    }

    /// Every package that depends on `package`, nearest first, then by name. The package itself is not among them, also
    /// where packages depend on each other in a circle.
    pub fn on(&self, package: &str) -> Vec<Exposed> {
        // The package itself counts as seen, or a circle of dependencies would report it as exposed to itself.
        let mut seen: BTreeSet<&str> = BTreeSet::from([package]);
        let mut found: Vec<Exposed> = Vec::new();
        let mut nearest = vec![(package.to_owned(), Vec::new())];
        // Breadth first: the first way that reaches a package is a shortest one.
        while !nearest.is_empty() {
            // Sorted by name, so that the way shown does not depend on the order of the listings.
            let mut further: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for (name, below) in &nearest {
                for dependent in self.dependents.get(name).into_iter().flatten() {
                    // Each package is visited once, which also ends circles.
                    if seen.insert(dependent) {
                        let through = std::iter::once(name.clone()).chain(below.iter().cloned()).collect();
                        further.insert(dependent, through);
                    }
                }
            }
            nearest = further.into_iter().map(|(name, through)| (name.to_owned(), through)).collect();
            let exposed = nearest.iter().cloned();
            found.extend(exposed.map(|(package, through)| Exposed { package, through }));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::ids::ListingKey;
    use capdex_model::listing::Claims;

    fn listing(name: &str, dependencies: Claim<Vec<&str>>) -> Listing {
        let dependencies = match dependencies {
            Claim::Known(names) => Claim::Known(names.into_iter().map(str::to_owned).collect()),
            Claim::Absent => Claim::Absent,
            Claim::Unknown => Claim::Unknown,
        };
        let locator = Locator::NpmPackage {
            registry: None,
            name: name.into(),
            version: "1".into(),
            url: String::new(),
            integrity: Vec::new(),
        };
        Listing {
            key: ListingKey::new("npm", name),
            locators: vec![locator],
            claims: Claims { dependencies, ..Claims::default() },
            references: Vec::new(),
        }
    }

    fn on(package: &str, listings: &[Listing]) -> Vec<(String, usize, String)> {
        let exposed = Dependencies::of(listings).on(package);
        exposed.into_iter().map(|one| (one.package, one.through.len(), one.through.join(" > "))).collect()
    }

    #[test]
    fn direct_and_transitive_dependents_come_nearest_first() {
        let listings = [
            listing("app", Claim::Known(vec!["lib", "other"])),
            listing("lib", Claim::Known(vec!["base"])),
            listing("zed", Claim::Known(vec!["base"])),
            listing("other", Claim::Known(vec![])),
        ];
        let expected = [
            ("npm:lib".to_owned(), 1, "npm:base".to_owned()),
            ("npm:zed".to_owned(), 1, "npm:base".to_owned()),
            ("npm:app".to_owned(), 2, "npm:lib > npm:base".to_owned()),
        ];
        assert_eq!(on("npm:base", &listings), expected);
        assert_eq!(on("pypi:base", &listings), []);
    }

    #[test]
    fn a_circle_ends() {
        let listings = [
            listing("a", Claim::Known(vec!["b"])),
            listing("b", Claim::Known(vec!["c"])),
            listing("c", Claim::Known(vec!["a"])),
        ];
        let expected = [("npm:c".to_owned(), 1, "npm:a".to_owned()), ("npm:b".into(), 2, "npm:c > npm:a".into())];
        assert_eq!(on("npm:a", &listings), expected);
    }

    #[test]
    fn what_nobody_states_is_unknown_and_not_none() {
        let mut twice = listing("a", Claim::Known(vec![]));
        twice.key = ListingKey::new("directory", "a");
        let listings = [listing("a", Claim::Unknown), twice, listing("b", Claim::Unknown), listing("c", Claim::Absent)];
        assert_eq!(Dependencies::of(&listings).known_and_unknown(), (2, 1));
    }
}

//! MCP servers: packages that serve tools, described or bundled servers, recorded tool lists, source that registers
//! tools, and client files that launch servers.
//!
//! A package that merely talks to servers is none. Sources: the SDKs' package names on npm and PyPI, the MCP registry's
//! ownership marks (`mcpName`, `mcp-name:`), as of 2026-07.

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::{self, FormatRole};
use crate::manifest::{Manifest, ManifestKind, around, folder_of, is_foreign, is_within, launches, name_of};
use crate::recorded::part_of;
use crate::surfaces::folded_name;
use capdex_model::capability::{CapabilityRole, Kind};

use super::{AnchorFinderInput, CapabilityAnchor, given_name, hook};

mod inner;
mod package;
#[cfg(test)]
mod tests;

pub(super) use inner::inner_manifests;
pub(super) use package::{folder_of_package, name_in, telling};

/// One anchor for each server; those in folders claim the folder.
pub(super) fn anchors(
    input: &AnchorFinderInput<'_>,
    skills: &[CapabilityAnchor],
    plugins: &[CapabilityAnchor],
) -> Vec<CapabilityAnchor> {
    let bundles = input.own_manifests().filter(|manifest| manifest.kind == ManifestKind::Mcpb);
    let mut finder = Finder {
        input,
        skills: skills.iter().map(|skill| skill.path.as_str()).collect(),
        plugins: plugins.iter().map(|plugin| plugin.path.as_str()).collect(),
        bundles: bundles.map(|manifest| (folder_of(&manifest.path), manifest)).collect(),
        servers: BTreeMap::new(),
    };
    // In this order: each step leaves alone what lies in a server found before.
    finder.find_packages();
    finder.find_sources();
    finder.find_descriptions();
    let mut anchors = finder.find_recordings();
    anchors.extend(finder.find_client_files());
    anchors.extend(finder.servers.iter().map(|(folder, own)| finder.anchor(folder, own)));
    anchors
}

/// True where a file lists servers for a client that looks for it at its path. Other lists are somebody's notes, and
/// settings for hooks list servers beside them.
pub(super) fn configures(manifest: &Manifest) -> bool {
    let is_list = matches!(manifest.kind, ManifestKind::McpJson | ManifestKind::SettingsJson);
    let format = formats::of(&manifest.path).filter(|_| is_list);
    format.is_some_and(|format| format.kind != Kind::Package) && !launches(manifest).is_empty()
}

struct Finder<'a> {
    input: &'a AnchorFinderInput<'a>,
    skills: BTreeSet<&'a str>,
    plugins: BTreeSet<&'a str>,
    /// The manifests of bundles for desktop clients, by their folder.
    bundles: BTreeMap<&'a str, &'a Manifest>,
    /// The manifests that make a server, by the folder that it claims. Empty where source alone does.
    servers: BTreeMap<String, Vec<&'a str>>,
}

impl<'a> Finder<'a> {
    /// Packages that say or show that they are servers. Those in bundles come last: the bundle of a server is no other.
    fn find_packages(&mut self) {
        let registering = package::Registering::of(self.input, &self.skills);
        let (bundled, others): (Vec<&Manifest>, Vec<&Manifest>) =
            self.input.own_manifests().partition(|manifest| self.bundle_around(&manifest.path).is_some());
        for manifest in others.into_iter().chain(bundled) {
            let Some(folder) = package::folder_of_package(self.input, manifest) else { continue };
            let bundle = self.bundle_around(&manifest.path);
            if bundle.is_none_or(|bundle| self.server_of_bundle(bundle).is_none())
                && package::is_server(self.input, &registering, manifest, folder)
            {
                let own = self.servers.entry(folder.to_owned()).or_default();
                // A part of a package speaks for it, and does not name it.
                let is_part = self.input.parts.contains_key(folder_of(&manifest.path));
                let of_whole = || {
                    self.input
                        .own_manifests()
                        .find(|outer| outer.kind == ManifestKind::PackageJson && folder_of(&outer.path) == folder)
                };
                let speaker = if is_part { of_whole().unwrap_or(manifest) } else { manifest };
                if !own.contains(&speaker.path.as_str()) {
                    own.push(&speaker.path);
                }
            }
        }
    }

    /// The folder of the archive for desktop clients that a file lies in.
    fn bundle_around<'p>(&self, path: &'p str) -> Option<&'p str> {
        around(folder_of(path)).find(|folder| folder.ends_with('!') && self.bundles.contains_key(folder))
    }

    /// The folder of the server whose bundle lies in a folder: the nearest around it, where no other bundle lies in that
    /// or where both have one name.
    fn server_of_bundle(&self, bundle: &str) -> Option<String> {
        let server_around = |bundle| around(bundle).skip(1).find(|folder| self.servers.contains_key(*folder));
        let server = server_around(bundle)?;
        let is_only = || self.bundles.keys().filter(|other| server_around(other) == Some(server)).count() == 1;
        let own = self.servers.get(server).into_iter().flatten();
        let names = own.filter_map(|path| name_in(self.input.evidence.manifests.get(*path)?));
        let unscoped = |name: &str| folded_name(name_of(name));
        let name = self.bundles.get(bundle).copied().and_then(name_in).map(|name| unscoped(&name));
        let has_name = || names.into_iter().any(|own| Some(unscoped(&own)) == name);
        (is_only() || has_name()).then(|| server.to_owned())
    }

    /// Source that registers tools and lies in no server: the folder of the project around it, else its own. Source
    /// in a skill belongs to the skill.
    fn find_sources(&mut self) {
        let mut found: BTreeSet<&str> = BTreeSet::new();
        for (path, view) in &self.input.evidence.sources {
            if !view.tools.is_empty() && !is_foreign(path) && !package::is_aside(path) && !self.is_served(path) {
                found.extend(self.project_around(path));
            }
        }
        // Projects inside a project are its parts, and one server claims the whole tree.
        let outermost = found.iter().filter(|folder| !around(folder).skip(1).any(|outer| found.contains(outer)));
        for folder in outermost {
            self.servers.entry((*folder).to_owned()).or_default();
        }
    }

    /// `server.json` and MCPB manifests. A `server.json` that describes a package elsewhere in the input joins it, and a
    /// bundle the server that it is made of.
    fn find_descriptions(&mut self) {
        // Names of the servers found so far: a description of one of them is no server of its own.
        let packages: BTreeMap<String, String> = self
            .servers
            .iter()
            .flat_map(|(folder, own)| own.iter().map(move |path| (folder, path)))
            .filter_map(|(folder, path)| Some((name_in(self.input.evidence.manifests.get(*path)?)?, folder.clone())))
            .collect();
        for manifest in self.input.own_manifests() {
            let folder = match manifest.kind {
                ManifestKind::ServerJson => {
                    let names = package::described_packages(manifest);
                    let known = names.into_iter().find_map(|name| packages.get(name)).cloned();
                    known.unwrap_or_else(|| folder_of(&manifest.path).to_owned())
                }
                ManifestKind::Mcpb => {
                    let folder = folder_of(&manifest.path);
                    let own = self.servers.contains_key(folder).then(|| folder.to_owned());
                    own.or_else(|| self.server_of_bundle(folder)).unwrap_or_else(|| folder.to_owned())
                }
                _ => continue,
            };
            self.servers.entry(folder).or_default().push(&manifest.path);
        }
    }

    /// Recorded lists that lie in no server: the folder around one, or the file alone where the folder says nothing about
    /// it. That is so where the list is all there is, shares the folder with another, or lies in a skill or plugin.
    fn find_recordings(&mut self) -> Vec<CapabilityAnchor> {
        let is_list = |m: &&Manifest| m.kind == ManifestKind::ToolsList && !self.is_served(&m.path);
        let lists: Vec<&Manifest> = self.input.own_manifests().filter(is_list).collect();
        let mut folders: BTreeMap<&str, Vec<&Manifest>> = BTreeMap::new();
        for list in lists {
            folders.entry(folder_of(&list.path)).or_default().push(list);
        }
        let mut files = Vec::new();
        for (folder, mut lists) in folders {
            // The lists of one server, each in a file that is named after its kind, are one recording.
            let are_parts = lists.iter().all(|list| part_of(&list.path).is_some());
            lists.sort_by_key(|list| (part_of(&list.path), list.path.as_str()));
            // A recording of its own, or beside others, is one of some server; its folder says nothing.
            let alone = self.input.paths.len() == lists.len();
            let usual = are_parts || lists.iter().all(|list| list.recorded.speaks_for_folder());
            if (are_parts || lists.len() == 1) && usual && !alone && !self.lies_in_other(folder) {
                let own = self.servers.entry(folder.to_owned()).or_default();
                own.extend(lists.iter().map(|list| list.path.as_str()));
                continue;
            }
            for recording in if are_parts { vec![lists] } else { lists.chunks(1).map(<[_]>::to_vec).collect() } {
                let Some(first) = recording.first() else { continue };
                let name = name_in(first).unwrap_or_else(|| name_of(&first.path).to_owned());
                let own = recording.iter().map(|list| list.path.clone()).collect();
                // The path stays that of the first list, whether or not its server lists anything else.
                files.push(CapabilityAnchor { own, ..CapabilityAnchor::file(Kind::McpServer, &first.path, name) });
            }
        }
        files
    }

    /// Client files that launch servers, where no server is in the same folder, around it or below. Each is a server by
    /// itself, never the files around it.
    fn find_client_files(&self) -> Vec<CapabilityAnchor> {
        let lists = self.input.own_manifests().filter(|manifest| configures(manifest) && !hook::declares(manifest));
        lists.filter_map(|manifest| self.client_file(manifest)).collect()
    }

    fn client_file(&self, manifest: &Manifest) -> Option<CapabilityAnchor> {
        // A client's folder stands for the project around it.
        let format = formats::of(&manifest.path)?;
        let base = format.root_of(&manifest.path);
        let launched = launches(manifest);
        // Paths below a folder follow it in the order of the map, so that the search is short.
        let below = self.servers.range(base.to_owned()..).take_while(|(folder, _)| folder.starts_with(base));
        let served = self.is_served(&manifest.path) || below.into_iter().any(|(folder, _)| is_within(base, folder));
        if served {
            return None;
        }
        // With several servers in the file none of their names is that of the file.
        let only = launched.first().filter(|_| launched.len() == 1).map(|launch| launch.name);
        let name = given_name(only).unwrap_or_else(|| self.input.name_of_folder(base));
        // What a plugin lists is started for everybody who installs it.
        let is_own = format.role == FormatRole::Config && !self.plugins.contains(base);
        let role = if is_own { CapabilityRole::Config } else { CapabilityRole::Offer };
        Some(CapabilityAnchor { role, ..CapabilityAnchor::file(Kind::McpServer, &manifest.path, name) })
    }

    fn anchor(&self, folder: &str, own: &[&str]) -> CapabilityAnchor {
        let mut manifests: Vec<&Manifest> =
            own.iter().filter_map(|path| self.input.evidence.manifests.get(*path)).collect();
        // The most telling manifest names the server; the path decides between equal ones.
        manifests.sort_by_key(|manifest| package::telling(manifest));
        let name = manifests.iter().find_map(|manifest| given_name(name_in(manifest).as_deref()));
        let name = name.unwrap_or_else(|| self.input.name_of_folder(folder));
        let own = own.iter().map(|path| (*path).to_owned()).collect();
        CapabilityAnchor { own, ..CapabilityAnchor::folder(Kind::McpServer, folder, name, "") }
    }

    /// True where a path lies in the folder of a server that was found.
    fn is_served(&self, path: &str) -> bool {
        around(folder_of(path)).any(|folder| self.servers.contains_key(folder))
    }

    fn lies_in_other(&self, folder: &str) -> bool {
        around(folder).any(|folder| self.skills.contains(folder) || self.plugins.contains(folder))
    }

    /// The folder of the project that a source file belongs to: the nearest with a project's file in it, up to the
    /// plugin around it. Otherwise it is the file's own folder, or the one around `src`. None within a skill.
    fn project_around(&self, path: &str) -> Option<&'a str> {
        const MARKS: [&str; 10] = [
            "package.json",
            "pyproject.toml",
            "PKG-INFO",
            "setup.py",
            "setup.cfg",
            "requirements.txt",
            "deno.json",
            "Dockerfile",
            "smithery.yaml",
            "go.mod",
        ];
        let own = *self.input.folders.get(folder_of(path))?;
        for folder in around(own) {
            let is_mark = |mark: &str| {
                self.input.has(folder, mark) && !(mark == "package.json" && self.input.parts.contains_key(folder))
            };
            if MARKS.into_iter().any(is_mark) {
                return Some(folder);
            }
            // Source in a skill belongs to the skill.
            if self.skills.contains(folder) {
                return None;
            }
            if self.plugins.contains(folder) {
                break;
            }
        }
        // Without a project file the folder of the source would be called `src`.
        let inner = ["src", "lib", "dist", "build"].contains(&name_of(own));
        Some(if inner { folder_of(own) } else { own })
    }
}

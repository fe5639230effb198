//! The test for a package that is an MCP server: the claims of its manifest, and the registrations in its source.
//!
//! Each package is asked by itself, by its own folder.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::decompose::AnchorFinderInput;
use crate::manifest::{ASIDE, Manifest, ManifestKind, around, folder_of, is_foreign, is_within, join, name_of};

/// npm packages by which servers are written.
const NPM_KITS: [&str; 20] = [
    "@modelcontextprotocol/sdk",
    "@modelcontextprotocol/server",
    "fastmcp",
    "mcp-framework",
    "xmcp",
    "mcp-handler",
    "@vercel/mcp-adapter",
    "litemcp",
    "mcp-lite",
    "tmcp",
    "muppet",
    "easy-mcp",
    "mcp-use",
    "@hono/mcp",
    "@mastra/mcp",
    "@rekog/mcp-nest",
    "@nestjs-mcp/server",
    "@frontmcp/sdk",
    "@mcp-framework/core",
    "@smithery/sdk",
];

/// PyPI packages by which servers are written, normalised.
const PYTHON_KITS: [&str; 8] = [
    "mcp",
    "fastmcp",
    "fastmcp-slim",
    "fastapi-mcp",
    "mcp-server",
    "django-mcp-server",
    "mcp-agent-server",
    "arcade-mcp",
];

/// The folders of projects whose own source registers tools.
pub(super) struct Registering<'a> {
    folders: BTreeSet<&'a str>,
}

impl<'a> Registering<'a> {
    /// Attributes every source file that registers tools to the nearest folder with a package's manifest. Source in a
    /// skill belongs to no package around the skill.
    pub(super) fn of(input: &AnchorFinderInput<'a>, skills: &BTreeSet<&str>) -> Self {
        let packages: BTreeSet<&str> =
            input.own_manifests().filter_map(|manifest| folder_of_package(input, manifest)).collect();
        let registering =
            input.evidence.sources.iter().filter(|(path, view)| !view.tools.is_empty() && !is_foreign(path));
        let nearest = |path: &'a str| {
            // A skill between the file and the package ends the search: its source is its own.
            let stop = |folder: &&str| packages.contains(folder) || skills.contains(folder);
            let folder = around(folder_of(path)).find(stop).filter(|folder| packages.contains(folder))?;
            // Seen from the package: an example project of its own is no example of itself.
            (!is_aside(path.get(folder.len()..).unwrap_or_default())).then_some(folder)
        };
        Self { folders: registering.filter_map(|(path, _)| nearest(path)).collect() }
    }
}

/// True where a path, seen from its project, leads into examples, tests or documents.
pub(super) fn is_aside(path: &str) -> bool {
    folder_of(path).split('/').any(|folder| ASIDE.contains(&folder))
}

/// The folder whose package a manifest describes; none for other manifests. A `package.json` that is a part of the package
/// around it speaks for that. A wheel's metadata speaks for the folder
/// around it, and so does a build's, where no project file does.
pub(in crate::decompose) fn folder_of_package<'a>(
    input: &AnchorFinderInput<'a>,
    manifest: &'a Manifest,
) -> Option<&'a str> {
    let folder = folder_of(&manifest.path);
    match manifest.kind {
        ManifestKind::PackageJson => Some(input.parts.get(folder).copied().unwrap_or(folder)),
        ManifestKind::PythonProject if name_of(folder).ends_with(".dist-info") => Some(folder_of(folder)),
        // A build writes its metadata beside or below the source, and setuptools does either.
        ManifestKind::PythonProject if name_of(folder).ends_with(".egg-info") => {
            let projects = ["pyproject.toml", "setup.py", "PKG-INFO"];
            let project = around(folder_of(folder)).find(|around| projects.iter().any(|name| input.has(around, name)));
            project.or(Some(folder_of(folder)))
        }
        ManifestKind::PythonProject => Some(folder),
        _ => None,
    }
}

/// True for a package that is a server. It carries the registry's mark, or its own source registers tools. Or it is
/// built with a server kit or named as a server, and can be run.
pub(super) fn is_server(
    input: &AnchorFinderInput<'_>,
    registering: &Registering<'_>,
    manifest: &Manifest,
    folder: &str,
) -> bool {
    let package = Package::of(input, manifest, folder);
    let marked = package.marked || registering.folders.contains(folder);
    let deployed = input.has(folder, "smithery.yaml");
    // A kit alone proves nothing, since clients and agents depend on the same package.
    let kitted = package.kit && (package.worded || deployed || (package.runs && !is_client(input, folder)));
    marked || kitted || (package.runs && package.worded)
}

/// The signs in a manifest that a package is a server.
struct Package {
    /// It carries the registry's ownership mark.
    marked: bool,
    /// It depends on a server kit.
    kit: bool,
    /// It installs a program.
    runs: bool,
    /// Its name and keywords speak of MCP and of a server.
    worded: bool,
}

impl Package {
    fn of(input: &AnchorFinderInput<'_>, manifest: &Manifest, folder: &str) -> Self {
        match manifest.kind {
            ManifestKind::PackageJson => Self::of_npm(manifest),
            _ => Self::of_python(input, manifest, folder),
        }
    }

    fn of_npm(manifest: &Manifest) -> Self {
        // A bundled server lists its kit among the development dependencies.
        let groups = ["dependencies", "peerDependencies", "optionalDependencies", "devDependencies"];
        let depends =
            |kit: &str| groups.iter().any(|group| manifest.value.get(group).and_then(|g| g.get(kit)).is_some());
        Self {
            marked: manifest.text("mcpName").is_some(),
            kit: NPM_KITS.iter().any(|kit| depends(kit)),
            runs: manifest
                .value
                .get("bin")
                .is_some_and(|bin| bin.is_string() || bin.as_object().is_some_and(|o| !o.is_empty())),
            worded: is_worded(manifest.text("name"), manifest.value.get("keywords")),
        }
    }

    fn of_python(input: &AnchorFinderInput<'_>, manifest: &Manifest, folder: &str) -> Self {
        let value = &manifest.value;
        // PEP 621 first, then Poetry's table, then core metadata, which has its keys at the top.
        let project = value.get("project").or_else(|| value.pointer("/tool/poetry")).unwrap_or(value);
        let listed = ["dependencies", "requires-dist"].iter().filter_map(|key| project.get(*key));
        let extras = project.get("optional-dependencies").and_then(Value::as_object);
        let names: BTreeSet<String> =
            listed.chain(extras.into_iter().flat_map(|extras| extras.values())).flat_map(requirement_names).collect();
        let name = project.get("name").and_then(Value::as_str);
        let scripts =
            |key: &str| project.get(key).and_then(Value::as_object).is_some_and(|scripts| !scripts.is_empty());
        Self {
            marked: has_readme_mark(input, manifest, folder),
            kit: PYTHON_KITS.iter().any(|kit| names.contains(*kit)),
            runs: scripts("scripts") || has_entry_points(input, manifest),
            worded: is_worded(name, project.get("keywords")),
        }
    }
}

/// The names of requirements, whether they are listed as PEP 508 texts or as the keys of a table, normalised.
fn requirement_names(requirements: &Value) -> Vec<String> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let normal = |text: &str| {
        let name = text.trim().split(|letter: char| !is_name(letter)).next().unwrap_or_default();
        // PyPI takes `fast_mcp`, `Fast.MCP` and `fast-mcp` for one name.
        name.to_ascii_lowercase().replace(['_', '.'], "-")
    };
    match requirements {
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).map(normal).collect(),
        Value::Object(table) => table.keys().map(|name| normal(name)).collect(),
        _ => Vec::new(),
    }
}

/// True where name and keywords together speak of MCP and of a server.
fn is_worded(name: Option<&str>, keywords: Option<&Value>) -> bool {
    let listed = keywords.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let text: Vec<&str> = name.into_iter().chain(listed).chain(keywords.and_then(Value::as_str)).collect();
    // Name and keywords together: one may say `mcp` and the other `server`.
    let text = text.join(" ").to_ascii_lowercase();
    let words: BTreeSet<&str> = text.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    let speaks = ["mcp", "modelcontextprotocol"].iter().any(|word| words.contains(word))
        || text.contains("model context protocol")
        || text.contains("model-context-protocol");
    words.contains("mcpserver")
        || words.contains("mcpservers")
        || (speaks && (words.contains("server") || words.contains("servers")))
}

/// True where the README carries the registry's mark `mcp-name:`, as PyPI packages prove who owns a server's name.
fn has_readme_mark(input: &AnchorFinderInput<'_>, manifest: &Manifest, folder: &str) -> bool {
    let readmes = ["README.md", "README.rst", "README"].iter().filter_map(|name| join(folder, name));
    let mut texts = readmes.chain([manifest.path.clone()]).filter_map(|path| input.evidence.documents.get(&path));
    texts.any(|document| document.text.contains("mcp-name:"))
}

/// True where a wheel or build installs programs.
fn has_entry_points(input: &AnchorFinderInput<'_>, manifest: &Manifest) -> bool {
    let path = join(folder_of(&manifest.path), "entry_points.txt");
    let entries = path.and_then(|path| input.evidence.documents.get(&path));
    entries.is_some_and(|document| document.text.contains("[console_scripts]"))
}

/// True where the source in a folder uses the client's side of a kit and never the server's.
fn is_client(input: &AnchorFinderInput<'_>, folder: &str) -> bool {
    let imports = || {
        let views = input.evidence.sources.range(folder.to_owned()..).take_while(|(path, _)| path.starts_with(folder));
        let own = views.filter(|(path, _)| is_within(folder, path) && !is_foreign(path));
        own.flat_map(|(_, view)| view.imports.iter())
    };
    let client = |import: &String| {
        import.contains("sdk/client") || import.starts_with("mcp.client") || import == "mcp.ClientSession"
    };
    let serves = |import: &String| {
        // One import of the server's side is enough, since bridges use both.
        let server = import.contains("sdk/server") || import.starts_with("mcp.server") || import.starts_with("fastmcp");
        server || NPM_KITS.iter().skip(1).any(|kit| import.starts_with(kit))
    };
    imports().any(client) && !imports().any(serves)
}

/// The names of the packages that a `server.json` describes.
pub(super) fn described_packages(manifest: &Manifest) -> Vec<&str> {
    let packages = manifest.value.get("packages").and_then(Value::as_array).into_iter().flatten();
    packages.filter_map(|package| package.get("identifier").or_else(|| package.get("name"))?.as_str()).collect()
}

/// The name that a manifest gives its package or server.
pub(in crate::decompose) fn name_in(manifest: &Manifest) -> Option<String> {
    const STEPS: [&[&str]; 8] = [
        &["name"],
        &["project", "name"],
        &["tool", "poetry", "name"],
        &["server", "name"],
        &["serverInfo", "name"],
        &["initialize", "serverInfo", "name"],
        &["result", "serverInfo", "name"],
        &["server"],
    ];
    let at = |steps: &&[&str]| steps.iter().try_fold(&*manifest.value, |value, step| value.get(step));
    // In this order: the first form that holds a text wins.
    let text = STEPS.iter().filter_map(at).find_map(Value::as_str).or_else(|| manifest.recorded.only_server());
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The order in which manifests are asked for a server's name; of equal ones the outermost comes first.
pub(in crate::decompose) fn telling(manifest: &Manifest) -> (u8, usize, &str) {
    let kind = match manifest.kind {
        ManifestKind::PackageJson => 0,
        ManifestKind::PythonProject if name_of(&manifest.path) == "pyproject.toml" => 1,
        ManifestKind::PythonProject => 2,
        ManifestKind::Mcpb => 3,
        ManifestKind::ServerJson => 4,
        _ => 5,
    };
    (kind, manifest.path.matches('/').count(), &manifest.path)
}

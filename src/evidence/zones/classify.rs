//! The role of a file and its language, by its path and its first line.
//!
//! The role is a hint for how loudly a rule may speak; which capability a file belongs to is `decompose`'s to say.

use super::super::file_role::FileRole;
use super::super::formats::{self, Format};
use super::super::language::Language;

/// Files that agents load as standing instructions, whatever folder they lie in; lower case.
const INSTRUCTION_NAMES: &[&str] = &[
    "skill.md",
    "agents.md",
    "agent.md",
    "claude.md",
    "claude.local.md",
    "gemini.md",
    "qwen.md",
    "continue.md",
    "conventions.md",
    "copilot-instructions.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".continuerules",
    ".roorules",
    ".goosehints",
    "rules.md",
    "llms.txt",
];

const LOCK_NAMES: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "cargo.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "pipfile.lock",
    "composer.lock",
    "gemfile.lock",
    "go.sum",
    "deno.lock",
];

/// JSON, YAML and TOML files that describe or configure something; others of these formats are data.
const MANIFEST_STEMS: &[&str] = &[
    "package",
    "pyproject",
    "server",
    "mcp",
    ".mcp",
    "manifest",
    "plugin",
    "marketplace",
    "hooks",
    "settings",
    "config",
    "smithery",
    "docker-compose",
    "compose",
    "tsconfig",
    "cargo",
    "skill",
    "tools",
    "openclaw",
    "deno",
    "extension",
    "gemini-extension",
    ".pre-commit-config",
    "action",
];

/// Files without an ending that a builder runs by their names.
const RECIPES: &[&str] = &[
    "rakefile",
    "gemfile",
    "vagrantfile",
    "guardfile",
    "podfile",
    "fastfile",
    "brewfile",
    "dangerfile",
    "jenkinsfile",
    "tiltfile",
    "snakefile",
    "procfile",
    "cmakelists.txt",
];

const DOCUMENT_STEMS: &[&str] = &[
    "readme",
    "changelog",
    "changes",
    "history",
    "license",
    "licence",
    "copying",
    "notice",
    "contributing",
    "security",
    "code_of_conduct",
    "authors",
    "contributors",
    "upgrading",
    "migration",
    "support",
    "maintainers",
    "news",
];

const TEST_FOLDERS: &[&str] =
    &["test", "tests", "__tests__", "__mocks__", "spec", "specs", "fixtures", "__fixtures__", "testdata", "e2e"];

/// Extensions of formats that are text by definition.
const TEXT_EXTENSIONS: &[&str] = &[
    "md", "mdc", "mdx", "markdown", "txt", "rst", "json", "jsonc", "json5", "jsonl", "ndjson", "yaml", "yml", "toml",
    "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "py", "pyi", "sh", "bash", "zsh", "fish", "ps1", "psm1",
    "bat", "cmd", "go", "rs", "java", "kt", "rb", "php", "c", "h", "cpp", "cs", "swift", "lua", "pl", "html", "htm",
    "xml", "svg", "css", "csv", "tsv", "ini", "cfg", "env", "sql",
];

/// True where the name promises text, so that damaged bytes are worth a gap.
pub(super) fn is_named_as_text(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let name = name_of(&path);
    TEXT_EXTENSIONS.contains(&extension_of(name)) || INSTRUCTION_NAMES.contains(&name) || DOCUMENT_STEMS.contains(&name)
}

/// The role and language of a file, by its path and its first line. Without text it is binary.
pub fn classify(path: &str, text: Option<&str>) -> (FileRole, Language) {
    let Some(text) = text else { return (FileRole::Binary, Language::None) };
    let path = path.replace('\\', "/");
    let lower = path.to_ascii_lowercase();
    let format = formats::of(&path);
    // A few clients give their JSON an ending of its own.
    let language = match format.is_some_and(|format| format.certain && format.reader.is_json()) {
        true => Language::Json,
        false => language_of(name_of(&lower), text),
    };
    (role_of(&path, &lower, language), language)
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn extension_of(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn stem_of(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

fn language_of(name: &str, text: &str) -> Language {
    let by_extension = match extension_of(name) {
        "md" | "mdc" | "mdx" | "markdown" | "cursorrules" | "windsurfrules" | "clinerules" | "continuerules"
        | "roorules" | "goosehints" => Language::Markdown,
        "js" | "mjs" | "cjs" | "jsx" => Language::JavaScript,
        "ts" | "mts" | "cts" | "tsx" => Language::TypeScript,
        "py" | "pyi" | "pyw" => Language::Python,
        "sh" | "bash" | "zsh" | "fish" | "ksh" | "command" | "env" => Language::Shell,
        "ps1" | "psm1" | "psd1" => Language::PowerShell,
        "json" | "jsonc" | "json5" | "jsonl" | "ndjson" => Language::Json,
        "yaml" | "yml" => Language::Yaml,
        "toml" => Language::Toml,
        "go" => Language::Go,
        "rs" => Language::Rust,
        "html" | "htm" | "xml" | "svg" | "xhtml" | "plist" => Language::Markup,
        _ => Language::Plain,
    };
    // A known ending decides; the first line is asked only where there is none.
    if by_extension != Language::Plain {
        return by_extension;
    }
    let is_recipe = matches!(
        name,
        "dockerfile" | "containerfile" | "makefile" | "gnumakefile" | "justfile" | ".justfile" | ".envrc"
    );
    if is_recipe || name.starts_with("dockerfile.") || name.ends_with(".mk") || name.ends_with(".just") {
        return Language::Shell;
    }
    language_of_shebang(text)
}

fn language_of_shebang(text: &str) -> Language {
    let line = text.lines().next().unwrap_or("");
    if !line.starts_with("#!") {
        return Language::Plain;
    }
    if line.contains("python") {
        Language::Python
    } else if ["node", "deno", "bun"].iter().any(|name| line.contains(name)) {
        Language::JavaScript
    } else if line.contains("pwsh") {
        Language::PowerShell
    } else if line.contains("sh") {
        Language::Shell
    } else {
        Language::Plain
    }
}

fn role_of(path: &str, lower: &str, language: Language) -> FileRole {
    let name = name_of(lower);
    // First, because an agent loads `CLAUDE.md` from a folder of tests as well.
    if is_instruction_name(name) {
        return FileRole::Instruction;
    }
    if LOCK_NAMES.contains(&name) {
        return FileRole::Lock;
    }
    if is_test(lower, name) {
        return FileRole::Test;
    }
    if let Some(role) = formats::of(path).and_then(Format::file_role) {
        return role;
    }
    match language {
        Language::Markdown => markdown_role(path, lower),
        Language::Shell | Language::PowerShell => FileRole::Script,
        Language::JavaScript | Language::TypeScript | Language::Python => {
            // An agent's hook is a script; React keeps its hooks in a folder of that name under `src`.
            if has_folder(lower, "hooks") && !matches!(extension_of(name), "jsx" | "tsx") && !has_folder(lower, "src") {
                FileRole::Script
            } else {
                FileRole::Source
            }
        }
        Language::Go | Language::Rust => FileRole::Source,
        Language::Json | Language::Yaml | Language::Toml => {
            if MANIFEST_STEMS.contains(&stem_of(name)) {
                FileRole::Manifest
            } else {
                FileRole::Data
            }
        }
        Language::Markup => FileRole::Data,
        Language::Plain | Language::None => plain_role(lower, name),
    }
}

fn plain_role(lower: &str, name: &str) -> FileRole {
    if DOCUMENT_STEMS.contains(&stem_of(name)) || has_folder(lower, "docs") || extension_of(name) == "rst" {
        return FileRole::Docs;
    }
    if RECIPES.contains(&name) {
        return FileRole::Script;
    }
    match extension_of(name) {
        "bat" | "cmd" | "vbs" | "applescript" | "scpt" | "service" | "crontab" | "hta" | "wsf" | "pth" | "awk" => {
            FileRole::Script
        }
        "java" | "kt" | "rb" | "php" | "c" | "h" | "cc" | "cpp" | "hpp" | "cs" | "swift" | "lua" | "pl" | "scala"
        | "dart" | "ex" | "exs" | "vue" | "svelte" | "r" | "jl" | "pm" | "tcl" | "groovy" | "gradle" | "kts"
        | "rake" | "gemspec" | "clj" | "hs" | "erl" | "zig" | "nim" | "cr" | "fsx" | "csx" | "vb" | "cmake" => {
            FileRole::Source
        }
        "ini" | "cfg" | "conf" | "npmrc" | "properties" => FileRole::Manifest,
        _ => FileRole::Data,
    }
}

/// True for a file that agents load as instructions by its name or its place.
pub(crate) fn is_loaded_by_name(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    is_instruction_name(name_of(&lower))
        || formats::of(path).is_some_and(|format| format.certain && format.file_role() == Some(FileRole::Instruction))
}

fn is_instruction_name(name: &str) -> bool {
    INSTRUCTION_NAMES.contains(&name)
        || [".mdc", ".instructions.md", ".prompt.md", ".agent.md", ".chatmode.md"].iter().any(|end| name.ends_with(end))
}

fn is_test(lower: &str, name: &str) -> bool {
    let folders = lower.rsplit_once('/').map_or("", |(folders, _)| folders);
    let stem = stem_of(name);
    folders.split('/').any(|folder| TEST_FOLDERS.contains(&folder))
        || name.starts_with("test_")
        || name == "conftest.py"
        || [".test", ".spec", "_test", "_spec"].iter().any(|end| stem.ends_with(end))
}

fn has_folder(lower: &str, folder: &str) -> bool {
    lower.rsplit_once('/').is_some_and(|(folders, _)| folders.split('/').any(|part| part == folder))
}

/// The role of Markdown that is not named as instructions. Well-known documents and names in capitals are for people;
/// the rest may be loaded by an agent and is read as instructions.
fn markdown_role(path: &str, lower: &str) -> FileRole {
    // These folders are loaded by agents, whatever the files in them are called.
    if ["commands", "agents", "prompts", "rules", "references", "skills"].iter().any(|folder| has_folder(lower, folder))
        && !DOCUMENT_STEMS.contains(&stem_of(name_of(lower)))
    {
        return FileRole::Instruction;
    }
    let stem = stem_of(name_of(path));
    // `ROADMAP.md` and the like are for people; an agent's own files are listed by name.
    let in_capitals = stem.len() > 2 && !stem.bytes().any(|byte| byte.is_ascii_lowercase());
    let named = DOCUMENT_STEMS.iter().any(|document| stem_of(name_of(lower)).starts_with(document));
    if named || in_capitals || has_folder(lower, "docs") || has_folder(lower, "doc") || has_folder(lower, ".github") {
        FileRole::Docs
    } else {
        FileRole::Instruction
    }
}

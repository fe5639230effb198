//! What a client's configuration starts: the packages, images and addresses behind `npx`, `uvx`, `docker run` and the like.
//!
//! Command lines are read and never run. What no registry hands out is told as what it is, and not judged.

use capdex_crawlers::of_repository;
use capdex_dataset::scan_record::TargetOrigin;
use capdex_evidence::manifest::{ConfiguredServer, words_of};

use super::runner_options::{IMAGE_VALUES, NODE_FLAGS, NODE_VALUES, PYTHON_FLAGS, PYTHON_VALUES, RunnerOptions};
use super::target::{self, CheckSubject, CheckTarget};

/// Variables that send an installer to another registry.
const OTHER_REGISTRY: [&str; 11] = [
    "NPM_CONFIG_REGISTRY",
    "NPM_CONFIG_USERCONFIG",
    "YARN_NPM_REGISTRY_SERVER",
    "UV_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "UV_INDEX",
    "UV_EXTRA_INDEX_URL",
    "UV_FIND_LINKS",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
];

/// Packages that hand everything on to the address that follows.
const BRIDGES: [&str; 3] = ["mcp-remote", "supergateway", "mcp-proxy"];

/// The targets of one server of the configuration `file`: mostly one, several where more packages are fetched for it.
pub fn targets(server: &ConfiguredServer<'_>, file: &str) -> Vec<CheckTarget> {
    let found_in = |started_as: Option<String>| TargetOrigin {
        file: file.to_owned(),
        server: Some(server.name.to_owned()),
        started_as,
    };
    if let Some(url) = server.url {
        // A configuration may be a stranger's, so that no address in it reaches this machine or its network.
        let target = target::address(url, false);
        let target =
            target.unwrap_or_else(|| target::unjudgeable("an address", "this is no address that can be asked"));
        let started_as = Some(target.name.clone());
        return vec![CheckTarget { found_in: Some(found_in(started_as)), ..target }];
    }
    let Some(command) = server.command else {
        let target = target::unjudgeable(server.name, "the entry names neither a command nor an address");
        return vec![CheckTarget { found_in: Some(found_in(None)), ..target }];
    };
    let mut words: Vec<String> = match server.arguments.is_empty() {
        // Some write the whole line into the command.
        true if command.contains(' ') && !command.starts_with(['/', '\\', '.', '~']) => words_of(command),
        _ => vec![command.to_owned()],
    };
    words.extend(server.arguments.iter().map(|argument| (*argument).to_owned()));
    let elsewhere = other_registry(server);
    let launched = Launch::of(&words);
    let started_as = launched.started_as;
    let of_registry = |target: CheckTarget| match (&target.subject, &elsewhere) {
        (CheckSubject::Package { .. }, Some(variable)) => CheckTarget {
            subject: CheckSubject::Unjudgeable(format!("{variable} sends its installer to another registry")),
            ..target
        },
        _ => target,
    };
    let origin = |target: CheckTarget| CheckTarget { found_in: Some(found_in(Some(started_as.clone()))), ..target };
    launched.targets.into_iter().map(of_registry).map(origin).collect()
}

/// The variable of a server's environment that sends its installer to another registry.
fn other_registry(server: &ConfiguredServer<'_>) -> Option<String> {
    let variables = ["env", "environment", "envs"].iter().find_map(|key| server.entry.get(*key)?.as_object())?;
    variables.keys().find(|name| is_other_registry(name)).cloned()
}

/// What a command fetches and starts, for who asks before it runs; none for a command that is no runner. `variables` are the names
/// of those that are set for it.
pub fn of_command(words: &[String], variables: &[String]) -> Option<Launch> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut launched = Launch::of_runner(&words)?;
    if let Some(variable) = variables.iter().find(|name| is_other_registry(name)) {
        launched.targets.iter_mut().for_each(|target| elsewhere(target, variable));
    }
    Some(launched)
}

fn is_other_registry(variable: &str) -> bool {
    OTHER_REGISTRY.contains(&variable.to_ascii_uppercase().as_str())
}

/// A command line, read.
pub struct Launch {
    /// Launcher and target alone: the other arguments may hold secrets.
    pub started_as: String,
    /// What is fetched for it.
    pub targets: Vec<CheckTarget>,
}

impl Launch {
    fn of(words: &[String]) -> Self {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let words = unwrapped(&words);
        let Some(command) = words.first() else { return Self::local("nothing", "the command is empty") };
        let why = "it starts a program of this machine; `capdex scan` reads the folder that it lies in";
        Self::of_runner(&words).unwrap_or_else(|| Self::local(program_of(command), why))
    }

    /// What a program starts that fetches what it starts; none for any other program.
    fn of_runner(words: &[&str]) -> Option<Self> {
        let (command, arguments) = words.split_first()?;
        let program = program_of(command);
        let first = arguments.iter().position(|word| !word.starts_with('-'));
        let (verb, behind) = first.map_or(("", &[][..]), |at| {
            (arguments.get(at).copied().unwrap_or_default(), arguments.get(at + 1..).unwrap_or_default())
        });
        Some(match (program, verb) {
            ("npx" | "bunx" | "pnpx", _) => node(program, arguments),
            ("npm", "exec" | "x") | ("pnpm" | "yarn", "dlx") | ("bun", "x") => {
                node(&format!("{program} {verb}"), behind)
            }
            ("uvx", _) => python(program, arguments),
            ("uv", "tool") if behind.first() == Some(&"run") => {
                python("uv tool run", behind.get(1..).unwrap_or_default())
            }
            ("pipx", "run") => python("pipx run", behind),
            ("docker" | "podman" | "nerdctl", _) => container(program, arguments),
            ("deno", _) if arguments.iter().any(|word| word.starts_with("npm:")) => {
                let package = arguments.iter().find_map(|word| word.strip_prefix("npm:")).unwrap_or_default();
                Self::one(program, package, node_package(package))
            }
            _ => return None,
        })
    }

    fn local(program: &str, why: &str) -> Self {
        Self { started_as: program.to_owned(), targets: vec![target::unjudgeable(program, why)] }
    }

    fn one(program: &str, text: &str, target: CheckTarget) -> Self {
        Self { started_as: format!("{program} {text}"), targets: vec![target] }
    }
}

/// The program that a command names, without its folder and without the endings of Windows.
fn program_of(command: &str) -> &str {
    let name = command.rsplit(['/', '\\']).next().unwrap_or(command);
    [".cmd", ".exe", ".ps1", ".bat"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// A command line without the shell or the `env` around it.
fn unwrapped<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let Some((command, arguments)) = words.split_first() else { return Vec::new() };
    let program = program_of(command);
    let rest = match program {
        "cmd" if arguments.first().is_some_and(|word| word.eq_ignore_ascii_case("/c")) => arguments.get(1..),
        "env" => {
            let from = arguments.iter().position(|word| !word.contains('=') && !word.starts_with('-'));
            from.and_then(|from| arguments.get(from..))
        }
        "sh" | "bash" | "zsh" | "dash" => {
            let script = arguments.iter().position(|word| word.starts_with('-') && word.ends_with('c'));
            let script = script.and_then(|at| arguments.get(at + 1));
            // Of a script with more than one command nobody says here what it starts.
            let is_one = |script: &&&str| !script.contains([';', '|', '&', '$', '`', '\n', '(', '<', '>']);
            return match script.filter(is_one) {
                Some(script) => script.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect(),
                None => words.to_vec(),
            };
        }
        _ => None,
    };
    rest.map_or_else(|| words.to_vec(), <[&str]>::to_vec)
}

/// What `npx` and its kin fetch and start.
fn node(program: &str, arguments: &[&str]) -> Launch {
    let options = RunnerOptions::of(arguments, &NODE_VALUES, &NODE_FLAGS);
    let mut packages = options.all(&["-p", "--package"]);
    // With packages named apart, the first word is a program of one of them.
    packages.extend(options.first.filter(|_| packages.is_empty()));
    let Some(first) = packages.first() else { return Launch::local(program, "the command names no package") };
    let started_as = format!("{program} {}", target_text(first));
    let mut targets: Vec<CheckTarget> = packages.iter().map(|package| node_package(package)).collect();
    if options.has(&["--registry", "--userconfig"]) {
        targets.iter_mut().for_each(|target| elsewhere(target, "an option of the command"));
    }
    ambiguous(&mut targets, &options);
    if BRIDGES.iter().any(|bridge| first.split('@').next() == Some(bridge)) {
        let behind = options.rest.iter().find(|word| word.contains("://"));
        targets.extend(behind.and_then(|url| target::address(url, false)));
    }
    Launch { started_as, targets }
}

/// What `uvx` and `pipx run` fetch and start.
fn python(program: &str, arguments: &[&str]) -> Launch {
    let options = RunnerOptions::of(arguments, &PYTHON_VALUES, &PYTHON_FLAGS);
    let from = options.all(&["--from", "--spec"]);
    let Some(main) = from.first().copied().or(options.first) else {
        return Launch::local(program, "the command names no package");
    };
    let started_as = format!("{program} {}", target_text(main));
    let with = options.all(&["--with", "-w"]);
    let with = with.iter().flat_map(|list| list.split(',')).map(str::trim).filter(|text| !text.is_empty());
    let mut targets: Vec<CheckTarget> = [main].into_iter().chain(with).map(python_package).collect();
    let indexes =
        ["--index-url", "-i", "--index", "--default-index", "--extra-index-url", "--find-links", "-f", "--config-file"];
    if options.has(&indexes) {
        targets.iter_mut().for_each(|target| elsewhere(target, "an option of the command"));
    }
    ambiguous(&mut targets, &options);
    if options.has(&["--with-editable", "--with-requirements", "--pip-args"]) {
        targets.push(target::unjudgeable(program, "it installs more than the command names"));
    }
    Launch { started_as, targets }
}

/// The image that `docker run` starts.
fn container(program: &str, arguments: &[&str]) -> Launch {
    let from = arguments.iter().position(|word| *word == "run").and_then(|at| arguments.get(at + 1..));
    let options = RunnerOptions::of(from.unwrap_or_default(), &IMAGE_VALUES, &[]);
    match options.first {
        Some(image) => Launch::one(&format!("{program} run"), image, target::image(image)),
        None => Launch::local(program, "the command names no image"),
    }
}

/// Takes targets back where nobody knows which word of the command is the package.
fn ambiguous(targets: &mut [CheckTarget], options: &RunnerOptions<'_>) {
    let Some(option) = options.unknown else { return };
    for target in targets {
        let why = format!("the option {option} is not known here, and the word behind it may be its value");
        target.subject = CheckSubject::Unjudgeable(why);
    }
}

fn elsewhere(target: &mut CheckTarget, who: &str) {
    if matches!(target.subject, CheckSubject::Package { .. }) {
        target.subject = CheckSubject::Unjudgeable(format!("{who} sends its installer to another registry"));
    }
}

/// A package's text as it is shown. One with a user or a token in it is not repeated.
fn target_text(text: &str) -> &str {
    if text.contains("://") { "ADDRESS" } else { text }
}

fn node_package(text: &str) -> CheckTarget {
    if let Some(target) = no_registry(text) {
        return target;
    }
    // Two names and nothing else are a repository to npm.
    if text.contains(':') || (!text.starts_with('@') && text.contains('/')) {
        return of_forge(text);
    }
    target::npm(text).unwrap_or_else(|| target::unjudgeable(format!("npm:{text}"), "this is no name of an npm package"))
}

fn python_package(text: &str) -> CheckTarget {
    // `name @ git+https://…`
    let direct = text.split_once('@').map(|(_, behind)| behind.trim()).filter(|behind| behind.contains("://"));
    let text = direct.unwrap_or(text);
    if let Some(target) = no_registry(text) {
        return target;
    }
    if text.contains("://") {
        return of_forge(text);
    }
    target::pypi(text)
        .unwrap_or_else(|| target::unjudgeable(format!("pypi:{text}"), "this is no name of a Python project"))
}

fn of_forge(text: &str) -> CheckTarget {
    let is_forge = of_repository(text.split(['#', '@']).next().unwrap_or(text)).is_some() || text.starts_with("git@");
    let target = target::github(text).filter(|_| is_forge || text.starts_with("github:"));
    let why = "it is fetched from an address, and from no registry that can be asked";
    target.unwrap_or_else(|| target::unjudgeable("an address", why))
}

/// The target of a text that means a path or has places to fill in; none for any other.
fn no_registry(text: &str) -> Option<CheckTarget> {
    if text.contains(['{', '}', '$']) {
        return Some(target::unjudgeable(text, "its name has places to fill in"));
    }
    let is_drive = text.as_bytes().get(1) == Some(&b':')
        && text.len() > 2
        && text.starts_with(|first: char| first.is_ascii_alphabetic());
    let is_path = text.starts_with(['.', '/', '~', '\\']) || text.starts_with("file:") || is_drive;
    is_path.then(|| target::unjudgeable(text, "it lies on this machine; `capdex scan` reads it"))
}

#[cfg(test)]
mod tests {
    use capdex_evidence::manifest::{Manifest, ManifestKind, launches};
    use serde_json::{Value, json};

    use super::*;

    /// The targets of one entry, each as `name: subject`.
    fn read(entry: Value) -> Vec<String> {
        let manifest = Manifest::new(".mcp.json", ManifestKind::McpJson, json!({"mcpServers": {"x": entry}}));
        let found = launches(&manifest).iter().flat_map(|server| targets(server, ".mcp.json")).collect::<Vec<_>>();
        let subject = |target: &CheckTarget| match &target.subject {
            CheckSubject::Package { key, .. } => key.to_string(),
            CheckSubject::Repository { name, commit } => format!("{name}#{}", commit.as_deref().unwrap_or("-")),
            CheckSubject::Endpoint { url, is_own } => format!("{url} own={is_own}"),
            CheckSubject::Unjudgeable(why) => format!("! {} {why}", target.name),
            CheckSubject::Loaded => "loaded".to_owned(),
        };
        found.iter().map(subject).collect()
    }

    fn line(text: &str) -> Vec<String> {
        let words: Vec<&str> = text.split(' ').collect();
        let (command, arguments) = words.split_first().expect("a command");
        read(json!({"command": command, "args": arguments}))
    }

    #[test]
    fn runners_start_the_package_that_they_name() {
        for (text, expected) in [
            ("npx -y @acme/kit@1.0.0 --token abc", "npm:@acme/kit@1.0.0"),
            ("/usr/local/bin/npx --package=@acme/kit -- kit serve", "npm:@acme/kit"),
            ("npx.cmd -y kit", "npm:kit"),
            ("cmd /c npx -y kit@next", "npm:kit@next"),
            ("env A=b npx kit", "npm:kit"),
            ("npm exec -y -- kit", "npm:kit"),
            ("pnpm dlx kit", "npm:kit"),
            ("bun x kit@^1", "npm:kit@^1"),
            ("deno run -A npm:kit@1.0.0", "npm:kit@1.0.0"),
            ("uvx fetch-server==0.3.0", "pypi:fetch-server@0.3.0"),
            ("uvx --python 3.12 fetch-server@latest", "pypi:fetch-server"),
            ("uv tool run --from fetch-server fetch", "pypi:fetch-server"),
            ("pipx run --spec fetch-server==0.3.0 fetch", "pypi:fetch-server@0.3.0"),
            ("npx -y github:acme/kit", "acme/kit#-"),
            ("npx acme/kit", "acme/kit#-"),
            ("uvx --from git+https://github.com/acme/kit fetch", "acme/kit#-"),
        ] {
            assert_eq!(line(text), [expected], "{text}");
        }
        let script = json!({"command": "bash", "args": ["-lc", "npx -y kit@1.0.0"]});
        assert_eq!(read(script), ["npm:kit@1.0.0"]);
        assert_eq!(read(json!({"command": "npx -y kit"})), ["npm:kit"]);
    }

    #[test]
    fn everything_that_is_fetched_is_a_target() {
        assert_eq!(line("npx -p one -p two@1.0.0 one"), ["npm:one", "npm:two@1.0.0"]);
        assert_eq!(line("uvx --with one,two==2.0 main"), ["pypi:main", "pypi:one", "pypi:two@2.0"]);
        let bridged = line("npx -y mcp-remote@latest https://a.test/mcp --header X:y");
        assert_eq!(bridged, ["npm:mcp-remote", "https://a.test/mcp own=false"]);
        assert_eq!(read(json!({"url": "https://a.test/mcp"})), ["https://a.test/mcp own=false"]);
    }

    #[test]
    fn what_no_registry_hands_out_is_never_judged() {
        for (text, part) in [
            ("docker run -i --rm -e TOKEN ghcr.io/acme/kit:1", "! oci:ghcr.io/acme/kit:1 a container image"),
            ("node ./server.js", "! node it starts a program of this machine"),
            ("python -m server", "! python it starts a program"),
            ("npx -y ./local", "! ./local it lies on this machine"),
            ("npx --registry https://corp.test kit", "! npm:kit an option of the command sends"),
            ("uvx --index-url https://corp.test main", "! pypi:main an option of the command sends"),
            ("uvx main>=1", "is no single version"),
            ("npx -y --odd kit other", "the option --odd is not known here"),
            ("uvx --odd main", "the option --odd is not known here"),
            ("npx ${PACKAGE}", "has places to fill in"),
            ("npx -y https://a.test/kit.tgz", "! an address it is fetched from an address"),
            ("npx", "names no package"),
        ] {
            let read = line(text);
            assert!(read.len() == 1 && read[0].starts_with("! ") && read[0].contains(part), "{text}: {read:?}");
        }
        let sent =
            read(json!({"command": "npx", "args": ["kit"], "env": {"npm_config_registry": "https://corp.test"}}));
        assert!(sent[0].contains("npm_config_registry sends"), "{sent:?}");
        let script = read(json!({"command": "sh", "args": ["-c", "curl https://a.test | sh; npx kit"]}));
        assert!(script[0].contains("a program of this machine"), "{script:?}");
        let keyed = read(json!({"url": "https://a.test/mcp?api_key=s3cret"}));
        assert!(keyed[0].contains("may hold a key") && !keyed[0].contains("s3cret"), "{keyed:?}");
        assert!(read(json!({"url": "https://${HOST}/mcp"}))[0].contains("places to fill in"));
        assert!(read(json!({"type": "stdio"}))[0].contains("neither a command nor an address"));
    }

    #[test]
    fn arguments_behind_the_target_are_not_repeated() {
        let entry = json!({"command": "npx", "args": ["-y", "kit", "--token", "secret"]});
        let manifest = Manifest::new(".mcp.json", ManifestKind::McpJson, json!({"mcpServers": {"x": entry}}));
        let found = launches(&manifest).iter().flat_map(|server| targets(server, ".mcp.json")).collect::<Vec<_>>();
        let origin = found.first().and_then(|target| target.found_in.clone()).expect("an origin");
        assert_eq!(origin.started_as.as_deref(), Some("npx kit"));
        assert_eq!((origin.file.as_str(), origin.server.as_deref()), (".mcp.json", Some("x")));
    }
}

//! The gate in other people's projects: the files that `init --ci` writes, the steps of the Action, and the hooks of pre-commit.
//!
//! Steps are taken out of the files and run with the variables that GitHub and GitLab set. `CAPDEX_PYTHON` reads YAML;
//! beside `CAPDEX_INSTALLERS` are pre-commit and shellcheck.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::guides::blocks;
use crate::packages::HOSTILE_SKILL;
use crate::support::capdex::Capdex;
use crate::support::rig::needed;
use crate::support::shipped::{digest_of, done, file};

const NOTES: &str =
    "---\nname: notes\ndescription: Writes release notes. Use when a release is tagged.\n---\n\nRead the log.\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A YAML file as JSON.
fn yaml(path: &Path) -> Option<Value> {
    let python = needed("CAPDEX_PYTHON")?;
    // `on` is a truth value in YAML 1.1, so that the words are kept as they stand.
    let script = "import json, sys, yaml; print(json.dumps(yaml.load(open(sys.argv[1]), yaml.BaseLoader)))";
    let printed = done(Command::new(python).args(["-c", script]).arg(path));
    Some(serde_json::from_str(&printed).expect("JSON"))
}

/// A git repository with one good skill.
fn project() -> Capdex {
    let capdex = Capdex::offline();
    capdex.write("skills/notes/SKILL.md", NOTES).write("temp/.keep", "");
    git(&capdex, &["init", "--quiet"]);
    commit(&capdex);
    capdex
}

fn git(capdex: &Capdex, arguments: &[&str]) {
    let author = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.test", "-c", "commit.gpgsign=false"];
    done(
        Command::new("git")
            .args(author)
            .args(arguments)
            .current_dir(capdex.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null"),
    );
}

fn commit(capdex: &Capdex) {
    git(capdex, &["add", "--all", "--", ".", ":!temp"]);
    git(capdex, &["commit", "--quiet", "--message", "all"]);
}

/// The end of one step of a job.
struct Step {
    code: Option<i32>,
    said: String,
}

/// The runner of a job: its folders outside the project, and the files through which steps speak to it.
struct Runner<'a> {
    capdex: &'a Capdex,
    temp: tempfile::TempDir,
}

impl<'a> Runner<'a> {
    fn new(capdex: &'a Capdex) -> Self {
        Self { capdex, temp: tempfile::TempDir::new().expect("a temporary folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Runs a step as the runner does: bash that ends at the first failure, the PATH with what earlier steps added.
    fn step(&self, script: &str, variables: &[(&str, &str)]) -> Step {
        let (added, outer) = (self.text("path").replace('\n', ":"), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).current_dir(self.capdex.path());
        command.env_clear().env("HOME", self.temp.path()).env("PATH", format!("{added}{outer}"));
        command.env("RUNNER_TEMP", self.temp.path()).env("GITHUB_ACTION_PATH", root());
        for (variable, name) in
            [("GITHUB_PATH", "path"), ("GITHUB_OUTPUT", "output"), ("GITHUB_STEP_SUMMARY", "summary")]
        {
            command.env(variable, self.path(name));
        }
        let output = command.envs(variables.iter().copied()).output().expect("bash starts");
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        Step { code: output.status.code(), said }
    }
}

/// The script of the step of that name.
fn script<'a>(steps: &'a Value, name: &str) -> &'a str {
    let mut steps = steps.as_array().expect("steps").iter();
    let step = steps.find(|step| step["name"] == name).unwrap_or_else(|| panic!("no step {name}"));
    step["run"].as_str().expect("a script")
}

#[test]
fn a_file_that_is_there_is_left_as_it_is() {
    let capdex = Capdex::offline();
    for (system, file) in [
        ("github", ".github/workflows/capdex.yml"),
        ("gitlab", ".gitlab-ci.yml"),
        ("pre-commit", ".pre-commit-config.yaml"),
    ] {
        let printed = capdex.run(&["init", "--ci", system, "--print"]);
        assert!(printed.code == Some(0) && !capdex.path().join(file).exists(), "{printed:?}");
        assert_eq!(capdex.run(&["init", "--ci", system]).code, Some(0));
        let read = || std::fs::read_to_string(capdex.path().join(file)).expect("reads");
        assert_eq!(read(), printed.stdout);
        let again = capdex.run(&["init", "--ci", system]);
        assert!(again.code == Some(0) && again.stderr.contains("as it would be written"), "{again:?}");
        capdex.write(file, "mine: true\n");
        let refused = capdex.run(&["init", "--ci", system]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains(&format!("--ci {system} --print")), "{refused:?}");
        assert_eq!(read(), "mine: true\n");
        assert_eq!(capdex.run(&["init", "--ci", system, "--file", "other/place.yml"]).code, Some(0));
        assert_eq!(std::fs::read_to_string(capdex.path().join("other/place.yml")).expect("reads"), printed.stdout);
        std::fs::remove_dir_all(capdex.path().join("other")).expect("removes");
    }
    assert_eq!(capdex.run(&["init", "--user"]).code, Some(2));
    assert_eq!(capdex.run(&["init", "--ci", "github", "--hook", "claude"]).code, Some(2));
}

#[test]
fn the_workflow_for_github_stops_what_is_new() {
    let project = project();
    project.run(&["init", "--ci", "github"]);
    let Some(workflow) = yaml(&project.path().join(".github/workflows/capdex.yml")) else { return };
    assert_eq!(workflow["permissions"], serde_json::json!({ "contents": "read" }));
    let steps = &workflow["jobs"]["scan"]["steps"];
    let uses = steps[0]["uses"].as_str().expect("an action");
    assert!(uses.split_once('@').is_some_and(|(_, pin)| pin.len() == 40), "{uses} is not pinned");
    commit(&project);
    let runner = Runner::new(&project);
    let archive = file("capdex-", ".tar.gz");
    let (address, digest) = (format!("file://{}", archive.display()), digest_of(&archive));
    let install = script(steps, "Install capdex");
    let wrong = runner.step(install, &[("CAPDEX_ARCHIVE", &address), ("CAPDEX_SHA256", &"0".repeat(64))]);
    assert!(wrong.code != Some(0) && !runner.path("path").exists(), "{}", wrong.said);
    let unset = runner.step(install, &[("CAPDEX_ARCHIVE", ""), ("CAPDEX_SHA256", "")]);
    assert!(unset.said.contains("CAPDEX_ARCHIVE"), "{}", unset.said);
    let installed = runner.step(install, &[("CAPDEX_ARCHIVE", &address), ("CAPDEX_SHA256", &digest)]);
    assert_eq!(installed.code, Some(0), "{}", installed.said);
    let scan = || runner.step(script(steps, "Scan skills, hooks and rules files"), &[]);
    let good = scan();
    assert_eq!(good.code, Some(0), "{}", good.said);
    project.write("skills/setup/SKILL.md", HOSTILE_SKILL);
    let bad = scan();
    assert_eq!(bad.code, Some(1), "{}", bad.said);
    assert!(bad.said.starts_with("::error file=skills/setup/SKILL.md,line="), "{}", bad.said);
    assert!(runner.text("summary").starts_with("## skill `"), "{}", runner.text("summary"));
    assert!(runner.text("capdex.sarif").contains("pipe-to-shell"));
    // What is known passes, also after another file came.
    let accepted = project.run(&["scan", ".", "--write-baseline", ".github/capdex-baseline.json", "--quiet"]);
    assert_eq!(accepted.code, Some(0), "{accepted:?}");
    project.write("README.md", "# A project\n");
    let known = scan();
    assert_eq!(known.code, Some(0), "{}", known.said);
    assert!(known.said.contains("in the baseline"), "{}", known.said);
    // A server that nobody can be asked about is told, and stops nothing; without any nobody is asked.
    let check = || runner.step(script(steps, "Check what configurations of MCP servers start"), &[]);
    assert_eq!(check().code, Some(0));
    project.write(".mcp.json", r#"{"mcpServers":{"db":{"command":"docker","args":["run","ghcr.io/acme/db:1"]}}}"#);
    commit(&project);
    let unknown = check();
    assert!(unknown.code == Some(0) && unknown.said.contains("::warning"), "{}", unknown.said);
}

#[test]
fn the_job_for_gitlab_stops_what_is_new() {
    let project = project();
    project.run(&["init", "--ci", "gitlab"]);
    let Some(job) = yaml(&project.path().join(".gitlab-ci.yml")) else { return };
    let job = &job["capdex"];
    let lines = |part: &str| job[part].as_array().expect("lines").iter().filter_map(Value::as_str).collect::<Vec<_>>();
    commit(&project);
    let runner = Runner::new(&project);
    let archive = file("capdex-", ".tar.gz");
    let variables =
        [("CAPDEX_ARCHIVE", format!("file://{}", archive.display())), ("CAPDEX_SHA256", digest_of(&archive))];
    // GitLab's runner joins the lines into one script. Its folder for files is not shared with other jobs; ours is.
    let all = [lines("before_script"), lines("script")].concat().join("\n");
    let all = all.replace("/tmp/", &format!("{}/", runner.temp.path().display()));
    let run = || runner.step(&all, &variables.each_ref().map(|(name, value)| (*name, value.as_str())));
    let good = run();
    assert_eq!(good.code, Some(0), "{}", good.said);
    project.write("skills/setup/SKILL.md", HOSTILE_SKILL);
    let bad = run();
    assert_eq!(bad.code, Some(1), "{}", bad.said);
    let report = job["artifacts"]["reports"]["junit"].as_str().expect("a report");
    let report = std::fs::read_to_string(project.path().join(report)).expect("a report");
    let document = roxmltree::Document::parse(&report).expect("XML");
    assert_ne!(document.root_element().attribute("failures"), Some("0"));
}

#[test]
fn the_action_installs_scans_and_tells() {
    let Some(action) = yaml(&root().join("action.yml")) else { return };
    let project = project();
    let runner = Runner::new(&project);
    let steps = &action["runs"]["steps"];
    let defaults: Vec<(String, String)> = action["inputs"]
        .as_object()
        .expect("inputs")
        .iter()
        .map(|(name, input)| {
            let variable = format!("INPUT_{}", name.to_uppercase().replace('-', "_"));
            (variable, input["default"].as_str().unwrap_or_default().to_owned())
        })
        .collect();
    // Every input reaches a step as the variable of its name, and no script holds an expression, which a stranger's text could leave.
    for step in steps.as_array().expect("steps") {
        assert!(!step["run"].as_str().expect("a script").contains("${{"), "{step}");
        for (variable, expression) in step["env"].as_object().expect("variables") {
            assert!(defaults.iter().any(|(name, _)| name == variable), "{variable}");
            let input = variable.trim_start_matches("INPUT_").to_lowercase().replace('_', "-");
            assert_eq!(expression.as_str(), Some(format!("${{{{ inputs.{input} }}}}").as_str()));
        }
    }
    let run = |name: &str, inputs: &[(&str, &str)]| {
        let mut all: Vec<(&str, &str)> = defaults.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        all.extend(inputs);
        runner.step(script(steps, name), &all)
    };
    let archive = file("capdex-", ".tar.gz");
    let address = format!("file://{}", archive.display());
    for wrong in ["", "abc", &"0".repeat(64)] {
        let refused = run("Install capdex", &[("INPUT_ARCHIVE", &address), ("INPUT_SHA256", wrong)]);
        assert!(refused.code == Some(2) && refused.said.starts_with("::error"), "{}", refused.said);
    }
    assert_eq!(run("Install capdex", &[("INPUT_BINARY", "nowhere")]).code, Some(2));
    let by_path = run("Install capdex", &[("INPUT_BINARY", env!("CARGO_BIN_EXE_capdex"))]);
    assert_eq!(by_path.code, Some(0), "{}", by_path.said);
    std::fs::remove_dir_all(runner.path("capdex")).expect("removes");
    let installed = run("Install capdex", &[("INPUT_ARCHIVE", &address), ("INPUT_SHA256", &digest_of(&archive))]);
    assert_eq!(installed.code, Some(0), "{}", installed.said);
    assert_eq!(run("Scan", &[]).code, Some(0));
    for at in 0..12 {
        project.write(&format!("skills/setup{at}/SKILL.md"), HOSTILE_SKILL);
    }
    let bad = run("Scan", &[]);
    assert_eq!(bad.code, Some(1), "{}", bad.said);
    assert_eq!(bad.said.matches("::error ").count(), 10, "{}", bad.said);
    assert!(bad.said.contains("::error title=capdex::and "), "{}", bad.said);
    assert!(!bad.said.contains("::notice"), "what is mild is not shown: {}", bad.said);
    assert!(runner.text("summary").contains("# capdex\n\n## "));
    let outputs = runner.text("output");
    assert!(
        outputs.contains("exit-code=0\n")
            && outputs.ends_with(&format!("exit-code=1\nsarif={}\n", runner.path("capdex.sarif").display()))
    );
    let sarif: Value = serde_json::from_str(&runner.text("capdex.sarif")).expect("JSON");
    assert!(sarif["runs"][0]["results"].as_array().is_some_and(|results| results.len() >= 12));
    assert_eq!(run("Scan", &[("INPUT_EXCLUDE", "setup*\nother\n")]).code, Some(0));
    assert_eq!(run("Scan", &[("INPUT_FAIL_ON", "")]).code, Some(0));
    assert_eq!(run("Scan", &[("INPUT_PATHS", "skills/notes\nskills/setup0\n")]).code, Some(1));
    project.run(&["scan", ".", "--write-baseline", "temp/known.json", "--quiet"]);
    assert_eq!(run("Scan", &[("INPUT_BASELINE", "temp/known.json")]).code, Some(0));
    std::fs::remove_dir_all(project.path().join("skills")).expect("removes");
    project.write("skills/broken.json/x.tgz", "no archive").write("broken.tgz", b"\x1f\x8b\x08\x00 no stream");
    let gaps = [("INPUT_PATHS", "broken.tgz\ntemp")];
    assert_eq!(run("Scan", &gaps).code, Some(3));
    assert_eq!(run("Scan", &[gaps[0], ("INPUT_ALLOW_GAPS", "true")]).code, Some(0));
    project.write(".mcp.json", r#"{"mcpServers":{"db":{"command":"docker","args":["run","ghcr.io/acme/db:1"]}}}"#);
    let check = |allow: &str| {
        run("Check what would be installed", &[("INPUT_CHECK", ".mcp.json\n"), ("INPUT_ALLOW_GAPS", allow)]).code
    };
    assert_eq!((check("false"), check("true")), (Some(3), Some(0)));
}

#[test]
fn the_guide_names_inputs_that_the_action_has() {
    let Some(action) = yaml(&root().join("action.yml")) else { return };
    let blocks = blocks("ci.md", "yaml");
    let own = blocks.iter().find(|block| block.contains("OWNER/capdex@REF")).expect("the use of the Action");
    let used = own.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(':')).map(|(name, _)| name);
    for name in used {
        assert!(action["inputs"][name].is_object(), "there is no input {name}");
    }
    assert!(action["outputs"]["sarif"].is_object());
}

#[test]
fn pre_commit_stops_a_commit() {
    let Some(python) = needed("CAPDEX_INSTALLERS") else { return };
    let capdex_at = Path::new(env!("CARGO_BIN_EXE_capdex")).parent().expect("a folder");
    let path = format!("{}:{}", capdex_at.display(), std::env::var("PATH").unwrap_or_default());
    let run = |project: &Capdex| {
        let mut command = Command::new(Path::new(&python).with_file_name("pre-commit"));
        command.args(["run", "--all-files", "--color", "never"]).current_dir(project.path()).env_clear();
        command.env("PATH", &path).env("HOME", project.path().join("temp")).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = command.output().expect("starts");
        (
            output.status.code(),
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat(),
        )
    };
    // The hooks of a repository are those that it has committed.
    let hooks = Capdex::offline();
    hooks.write(".pre-commit-hooks.yaml", std::fs::read(root().join(".pre-commit-hooks.yaml")).expect("reads"));
    hooks.write("temp/.keep", "");
    git(&hooks, &["init", "--quiet"]);
    commit(&hooks);
    git(&hooks, &["tag", "v1"]);
    let named = format!(
        "repos:\n  - repo: file://{}\n    rev: v1\n    hooks:\n      - id: capdex-scan\n",
        hooks.path().display()
    );
    let own = Capdex::offline().run(&["init", "--ci", "pre-commit", "--print"]).stdout;
    for configuration in [own, named] {
        let project = project();
        project.write(".pre-commit-config.yaml", &configuration);
        commit(&project);
        let (code, said) = run(&project);
        assert!(code == Some(0) && said.contains("Passed"), "{said}");
        project.write("skills/setup/SKILL.md", HOSTILE_SKILL);
        commit(&project);
        let (code, said) = run(&project);
        assert!(code == Some(1) && said.contains("pipe-to-shell"), "{said}");
    }
}

#[test]
fn the_scripts_of_a_release_and_of_the_action_are_clean() {
    let Some(python) = needed("CAPDEX_INSTALLERS") else { return };
    let scripts =
        ["release", "action/install", "action/scan", "action/check"].map(|name| root().join("deploy").join(name));
    done(Command::new(Path::new(&python).with_file_name("shellcheck")).args(scripts));
}

#[test]
fn init_alone_writes_a_schedule_that_runs_and_leaves_one_that_is_there() {
    let capdex = Capdex::offline();
    let wrote = capdex.run(&["init"]);
    assert_eq!(wrote.code, Some(0), "{}", wrote.stderr);
    assert!(wrote.stderr.contains("wrote schedules/mine.toml; next: capdex nightly --config"), "{}", wrote.stderr);
    let path = capdex.path().join("schedules/mine.toml");
    let text = std::fs::read_to_string(&path).expect("there");
    assert_eq!(capdex.run(&["init", "--print"]).stdout, text);
    assert!(capdex.run(&["init"]).stderr.contains("is as it would be written"));
    let plan = capdex.run(&["nightly", "--config", "schedules/mine.toml", "--plan"]);
    assert_eq!(plan.code, Some(0), "{}{}", plan.stdout, plan.stderr);
    let timed = capdex.run(&["daemon", "--schedules", "schedules", "--plan"]);
    assert!(timed.stdout.contains("mine"), "{}{}", timed.stdout, timed.stderr);
    capdex.write("schedules/mine.toml", "name = \"theirs\"\n");
    let refused = capdex.run(&["init"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("left as it is"), "{}", refused.stderr);
    assert_eq!(capdex.run(&["init", "--file", "other.toml"]).code, Some(0));
    assert!(capdex.path().join("other.toml").is_file());
}

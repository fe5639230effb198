//! The real binary, in a folder of its own and with nothing of this machine's environment.
//!
//! Must not know any command.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

use super::registry::Registry;

/// An address that nothing answers, for runs without a registry: a test that asks the network fails at once.
const NOWHERE: &str = "http://127.0.0.1:9";

/// A working folder and the registries that runs in it see.
pub(crate) struct Capdex {
    folder: TempDir,
    npm_url: String,
    index_url: String,
}

/// What a finished run left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The exit code; `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Run {
    /// Nothing was said but results, and, where the run counts as incomplete, why.
    pub(crate) fn is_quiet(&self) -> bool {
        let why = self.stderr.strip_prefix("capdex: incomplete: ").and_then(|why| why.strip_suffix('\n'));
        match self.code {
            Some(3) => why.is_some_and(|why| !why.contains('\n')),
            _ => self.stderr.is_empty(),
        }
    }

    /// What a process left that was started by [`Capdex::command`].
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

impl Capdex {
    /// A new folder from which no registry can be reached.
    pub(crate) fn offline() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        Self { folder, npm_url: NOWHERE.to_owned(), index_url: format!("{NOWHERE}/simple/") }
    }

    /// A new folder whose runs use `registry` for npm and Python.
    pub(crate) fn with(registry: &Registry) -> Self {
        Self { npm_url: registry.url(), index_url: registry.index_url(), ..Self::offline() }
    }

    /// The working folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file below the working folder, with the folders above it.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().expect("below the folder")).expect("writes");
        std::fs::write(path, content).expect("writes");
        self
    }

    /// Runs to the end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(&self.command(arguments).output().expect("the binary starts"))
    }

    /// Starts a run that the test may kill.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Running {
        let mut command = self.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running { child: Some(command.spawn().expect("the binary starts")) }
    }

    /// The command before it runs, for tests that set more of its environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_capdex"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path())
            // The files of the whole machine may name a company's certificates.
            .env("PIP_CONFIG_FILE", "/dev/null")
            .env("npm_config_globalconfig", "/dev/null")
            .env("npm_config_registry", &self.npm_url)
            .env("PIP_INDEX_URL", &self.index_url)
            .stdin(Stdio::null());
        command
    }
}

/// A run that has not ended. Dropping it kills it.
pub(crate) struct Running {
    child: Option<Child>,
}

impl Running {
    /// Kills it as the kernel would, and gives what it had written.
    pub(crate) fn kill(mut self) -> Run {
        let mut child = self.child.take().expect("only taken here");
        child.kill().expect("a child of ours can be killed");
        Run::of(&child.wait_with_output().expect("a child of ours can be waited for"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn runs_see_nothing_of_this_machine() {
    let capdex = Capdex::offline();
    let mut names: Vec<_> = capdex.command(&[]).get_envs().map(|(name, _)| name.to_owned()).collect();
    names.sort();
    assert_eq!(names, ["HOME", "PIP_CONFIG_FILE", "PIP_INDEX_URL", "npm_config_globalconfig", "npm_config_registry"]);
    assert!(capdex.write("a/b", "x").path().join("a/b").is_file());
}

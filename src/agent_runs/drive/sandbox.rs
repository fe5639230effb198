//! `Sandbox`: bubblewrap around an agent that is started. It has no network, may write into its own home alone, and sees neither the
//! operator's home nor the sockets of this machine.
//!
//! Two ways lead out: to its mock servers and to its model, over sockets that capdex answers (`sockets.rs`). The transcripts lie
//! outside. Source: bwrap(1).

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;

use crate::exit::usage;

/// The name by which reports know it.
pub const BUBBLEWRAP: &str = "bubblewrap";
/// The program.
const PROGRAM: &str = "bwrap";
/// Everything of its own, a machine that cannot be written, and nothing left when capdex is gone.
const ISOLATED: [&str; 13] = [
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--",
];

/// A sandbox that works on this machine.
#[derive(Clone, Debug)]
pub struct Sandbox {
    bwrap: PathBuf,
    capdex: PathBuf,
}

impl Sandbox {
    /// Looks for one and tries it.
    ///
    /// # Errors
    /// Wrong usage where there is none, or where this machine lets nobody make one.
    pub fn find() -> anyhow::Result<Self> {
        let otherwise = "on a machine that may be lost, --allow-own-tools lets the agent run without one";
        let bwrap = on_path(OsStr::new(PROGRAM))
            .ok_or_else(|| usage(format!("there is no sandbox: install bubblewrap ({PROGRAM}); {otherwise}")))?;
        let tried = Command::new(&bwrap).args(ISOLATED).arg("true").stdin(Stdio::null()).output();
        let tried = tried.with_context(|| format!("failed to start {}", bwrap.display()))?;
        if !tried.status.success() {
            let said = String::from_utf8_lossy(&tried.stderr);
            let said = said.lines().next().unwrap_or("it says nothing").to_owned();
            return Err(usage(format!("this machine lets nobody make a sandbox ({said}); {otherwise}")));
        }
        let capdex = std::env::current_exe().context("failed to find the path of capdex itself")?;
        Ok(Self { bwrap, capdex })
    }

    /// The command that starts a program inside, with what leads out. Environment, working folder and streams are the caller's.
    /// `run` is the folder of the run, which holds the seed of its marks: it is hidden.
    pub(super) fn command(&self, (home, sockets): (&Path, &Path), run: &Path, program: &Path) -> Command {
        let mut command = Command::new(&self.bwrap);
        let (options, _) = ISOLATED.split_at(ISOLATED.len() - 1);
        command.args(options);
        let hidden = hidden();
        for folder in &hidden {
            command.arg("--tmpfs").arg(folder);
        }
        let program = on_path(program.as_os_str()).unwrap_or_else(|| program.to_owned());
        for shown in self.shown(&hidden, &program) {
            command.arg("--ro-bind").args([&shown, &shown]);
        }
        // A system whose programs all lie there; without it there is nothing to show.
        command.args(["--ro-bind-try", "/run/current-system", "/run/current-system"]);
        command.arg("--tmpfs").arg(run);
        command.arg("--bind").args([home, home]).arg("--ro-bind").args([sockets, sockets]);
        command.arg("--").arg(&self.capdex).args(["agent-scan", "inside", "start"]).arg(sockets).arg("--").arg(program);
        command
    }

    /// What of the hidden folders an agent needs to start: capdex itself, and the first folder below one that leads to its program
    /// or to a program of the PATH.
    fn shown(&self, hidden: &[PathBuf], program: &Path) -> BTreeSet<PathBuf> {
        let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
        let path = std::env::var_os("PATH").unwrap_or_default();
        let leads = std::env::split_paths(&path).chain([program.to_owned(), real]);
        let shown = leads.filter_map(|lead| below(hidden, &lead)).filter(|shown| shown.exists());
        let own = below(hidden, &self.capdex).map(|_| self.capdex.clone());
        shown.chain(own).collect()
    }
}

/// The folders that are empty inside: those of what may be lost, of sockets, and of the operator.
fn hidden() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let all = [Some("/tmp".into()), Some("/run".into()), Some("/var/tmp".into()), Some(std::env::temp_dir()), home];
    let is_some = |path: &PathBuf| path.is_absolute() && path.parent().is_some() && path.is_dir();
    let real = all.into_iter().flatten().filter_map(|path| path.canonicalize().ok()).filter(is_some);
    // Outer folders first, so that none is hidden by another that comes later.
    real.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The first folder below a hidden one on the way to a path; none for a path that is not hidden.
fn below(hidden: &[PathBuf], path: &Path) -> Option<PathBuf> {
    let of = hidden.iter().rev().find(|folder| path.starts_with(folder) && *folder != path)?;
    match path.strip_prefix(of).ok()?.components().next()? {
        Component::Normal(first) => Some(of.join(first)),
        _ => None,
    }
}

/// A program by its name, or by its path.
fn on_path(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return path.is_file().then(|| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(path)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_hidden_folder_only_what_leads_to_a_program_is_shown() {
        let hidden = ["/home/ida", "/tmp"].map(PathBuf::from);
        let of = |path: &str| below(&hidden, Path::new(path)).map(|shown| shown.display().to_string());
        assert_eq!(of("/home/ida/.nvm/versions/bin"), Some("/home/ida/.nvm".to_owned()));
        assert_eq!(of("/home/ida"), None, "never all of it");
        assert_eq!(of("/home/idabella/bin"), None, "it is not hidden");
        assert_eq!(of("/usr/bin"), None);
        assert_eq!(of("/tmp/a"), Some("/tmp/a".to_owned()));
    }
}

//! server-unpinned-launch: a server is started as whatever version is newest.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

use super::server_launches::{ServerLaunch, server_launches};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for launch in server_launches(subject) {
        if let Some(package) = unpinned(&launch) {
            let place =
                Place { file: launch.path.to_owned(), pointer: format!("{}/args", launch.pointer), ..Place::default() };
            facts.found(place, &format!("{} {package}", launch.command));
        }
    }
}

/// The package that a launcher would fetch in its newest version.
fn unpinned<'a>(launch: &ServerLaunch<'a>) -> Option<&'a str> {
    let program = launch.command.rsplit(['/', '\\']).next().unwrap_or_default().trim_end_matches(".cmd");
    // Python writes `name==1.2`, and `uvx` takes `name@1.2` as well.
    let python = matches!(program, "uvx" | "pipx");
    if !python && !matches!(program, "npx" | "bunx" | "pnpx") {
        return None;
    }
    let package = launch
        .arguments
        .iter()
        .find(|argument| !argument.starts_with('-') && !matches!(**argument, "run" | "dlx" | "exec"))?;
    let named = package.trim_start_matches('@');
    let version =
        if python { named.rsplit_once("==").or_else(|| named.rsplit_once('@')) } else { named.rsplit_once('@') };
    // A path is what is on the disk: nothing is fetched.
    let local = package.starts_with(['.', '/', '$']);
    // Forty characters are a commit, which names its bytes as an exact version does.
    let pinned = version
        .is_some_and(|(_, version)| version.starts_with(|letter: char| letter.is_ascii_digit()) || version.len() >= 40);
    (!pinned && !local).then_some(package)
}

//! A headless Chromium that reads a site as people do: `tests/site/check.js`.
//!
//! `tests/run` installs it and names the command in `CAPDEX_BROWSER`; without it the test says that it was skipped. With
//! `CAPDEX_SCREENSHOTS=docs/screenshots` the pictures of the README are written as well.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::rig;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/site/check.js");

/// Drives the site in a folder or at an address, or a page that is one file.
pub(crate) fn drive(site: &str) {
    let Some(command) = rig::needed("CAPDEX_BROWSER") else { return };
    let mut run = Command::new(command);
    run.arg(SCRIPT).arg(site);
    if let Some(pictures) = std::env::var_os("CAPDEX_SCREENSHOTS") {
        let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join(pictures);
        std::fs::create_dir_all(&folder).expect("a folder for pictures");
        run.arg(folder);
    }
    let output = run.output().expect("the browser's driver starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

//! Lists the data rules of `cards/<pack>/*.toml` as a Rust slice, so that adding a rule is adding a file.

#![expect(clippy::disallowed_methods, reason = "a build script reads the files that it lists")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("cards");
    writeln!(io::stdout(), "cargo::rerun-if-changed={}", root.display())?;
    let mut list = String::from("&[\n");
    let is_pack = |path: &PathBuf| path.is_dir();
    for pack in sorted(&root)?.into_iter().filter(is_pack) {
        for file in sorted(&pack)?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "toml")) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let path = file.display().to_string();
            list.push_str(&format!("    ({name:?}, include_str!({path:?})),\n"));
        }
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    fs::write(out.join("data_rules.rs"), list)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

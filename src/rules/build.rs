//! Lists the cards of `cards/<pack>/<id>.toml` as Rust slices, so that adding a rule is adding a file: the data rules, the
//! rules that name a check, and the pack of each.

#![expect(clippy::disallowed_methods, reason = "a build script reads the files that it lists")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("cards");
    writeln!(io::stdout(), "cargo::rerun-if-changed={}", root.display())?;
    let (mut data, mut code) = (String::from("&[\n"), String::from("&[\n"));
    let mut packs = Vec::new();
    // In a fixed order: the digest of the rule set must not depend on how a file system lists folders.
    for pack in sorted(&root)?.into_iter().filter(|path| path.is_dir()) {
        for file in sorted(&pack)?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "toml")) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            packs.push((name.to_string(), pack.file_name().unwrap_or_default().to_string_lossy().into_owned()));
            let (path, text) = (file.display().to_string(), fs::read_to_string(&file)?);
            // Read by line and not as TOML, so that the build needs no parser; a test reads every card in full.
            match check_of(&text) {
                Some(check) => {
                    let function = function(check)?;
                    code.push_str(&format!("    ({name:?}, include_str!({path:?}), {function}),\n"));
                }
                None => data.push_str(&format!("    ({name:?}, include_str!({path:?})),\n")),
            }
        }
    }
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    packs.sort();
    fs::write(out.join("packs.rs"), format!("&{packs:?}\n"))?;
    fs::write(out.join("data_rules.rs"), data + "]\n")?;
    fs::write(out.join("code_rules.rs"), code + "]\n")
}

/// The check that a card names, in a line of its own above the first table. A card that names it elsewhere is no data
/// rule either: reading it fails in the walking test.
fn check_of(card: &str) -> Option<&str> {
    let lines = card.lines().take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.strip_prefix("check = \"")?.strip_suffix('"')).next()
}

/// The path of the function: `module::function`, or `check` of a module that serves one rule.
fn function(check: &str) -> io::Result<String> {
    let is_path = check.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_:".contains(&byte));
    // The text goes into generated source: nothing but a path of a function may get there.
    if !is_path {
        return Err(io::Error::other(format!("{check:?} names no function")));
    }
    Ok(if check.contains("::") { check.to_owned() } else { format!("{check}::check") })
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

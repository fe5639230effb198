//! Lists the cards of `cards/<pack>/<id>.toml` as Rust slices, so that adding a rule is adding a file: the data rules, the
//! rules that name a check, and the pack of each. Makes statics of the questions of `questions/<topic>.toml` and of the deeds
//! of `deeds.toml`. Works out the tables of the prefilter for all: reading all expressions takes longer than scanning a skill.

#![expect(clippy::disallowed_methods, reason = "a build script reads the files that it lists")]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use capdex_prefilter::{CardNeeds, DeedFile, PrefilterTables, RequiredLiterals};
use serde::Deserialize;

/// One table of a file of questions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    any: Vec<String>,
    /// True where texts of every language are asked, and not those of skills alone.
    #[serde(default)]
    everywhere: bool,
}

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    let mut texts = Vec::new();
    let mut cards = Vec::new();
    for (name, text) in list_cards(&root.join("cards"), &out)? {
        let card: CardNeeds = toml::from_str(&text).map_err(|error| io::Error::other(format!("{name}: {error}")))?;
        cards.push(card);
        texts.push(text);
    }
    cards.sort_by(|a, b| a.id.cmp(&b.id));
    let questions = list_questions(&root, &out)?;
    let sample: Vec<&str> = texts.iter().map(String::as_str).collect();
    let write = |name: &str, needs: &[RequiredLiterals]| {
        let tables = postcard::to_stdvec(&PrefilterTables::of(needs, &sample)).map_err(io::Error::other)?;
        fs::write(out.join(name), tables)
    };
    write("engine_tables", &CardNeeds::of_engine(&cards, &questions))?;
    write("secret_tables", &CardNeeds::of_secrets(&cards))
}

/// Lists the cards; gives the names and texts of those that have patterns.
fn list_cards(root: &Path, out: &Path) -> io::Result<Vec<(String, String)>> {
    writeln!(io::stdout(), "cargo::rerun-if-changed={}", root.display())?;
    let (mut data, mut code) = (String::from("&[\n"), String::from("&[\n"));
    let (mut packs, mut with_patterns) = (Vec::new(), Vec::new());
    // In a fixed order: the digest of the rule set must not depend on how a file system lists folders.
    for pack in sorted(root)?.into_iter().filter(|path| path.is_dir()) {
        for file in sorted(&pack)?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "toml")) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            packs.push((name.clone(), pack.file_name().unwrap_or_default().to_string_lossy().into_owned()));
            let (path, text) = (file.display().to_string(), fs::read_to_string(&file)?);
            // Read by line and not as TOML: a card that is none fails in the test that reads every card in full.
            match check_of(&text) {
                Some(check) => {
                    let function = function(check)?;
                    code.push_str(&format!("    ({name:?}, include_str!({path:?}), {function}),\n"));
                }
                None => {
                    data.push_str(&format!("    ({name:?}, include_str!({path:?})),\n"));
                    with_patterns.push((name, text));
                }
            }
        }
    }
    packs.sort();
    fs::write(out.join("packs.rs"), format!("&{packs:?}\n"))?;
    fs::write(out.join("data_rules.rs"), data + "]\n")?;
    fs::write(out.join("code_rules.rs"), code + "]\n")?;
    Ok(with_patterns)
}

/// Makes a static of each question, numbered in the order of files and names, those that are asked everywhere first and the
/// deeds, in a list of their own, before all; gives their expressions.
fn list_questions(root: &Path, out: &Path) -> io::Result<Vec<String>> {
    let (folder, deeds) = (root.join("questions"), root.join("deeds.toml"));
    for watched in [&folder, &deeds] {
        writeln!(io::stdout(), "cargo::rerun-if-changed={}", watched.display())?;
    }
    let mut files = String::new();
    let mut read = |file: &Path| {
        files.push_str(&format!("include_str!({:?}), ", file.display().to_string()));
        fs::read_to_string(file)
    };
    let deeds: DeedFile = toml::from_str(&read(&deeds)?).map_err(io::Error::other)?;
    let (mut names, mut texts, mut listed) = (Vec::new(), Vec::new(), String::new());
    for (number, deed) in deeds.deeds().enumerate() {
        listed.push_str(&format!("Question::new({number}, {:?}), ", deed.done()));
        names.push(format!("&DEEDS[{number}]"));
        texts.push(deed.done());
    }
    let mut questions = Vec::new();
    for file in sorted(&folder)? {
        let topic = file.file_stem().unwrap_or_default().to_string_lossy().to_uppercase();
        let asked: BTreeMap<String, Asked> =
            toml::from_str(&read(&file)?).map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?;
        let named = asked.into_iter().map(|(name, asked)| (format!("{topic}_{}", name.to_uppercase()), asked));
        questions.extend(named);
    }
    questions.sort_by_key(|(_, asked)| !asked.everywhere);
    let everywhere = names.len() + questions.iter().take_while(|(_, asked)| asked.everywhere).count();
    let mut statics = format!("pub(crate) static DEEDS: [Question; {}] = [{listed}];\n", names.len());
    for (name, Asked { any, .. }) in questions {
        let text = any.join("|");
        statics.push_str(&format!("pub(crate) static {name}: Question = Question::new({}, {text:?});\n", texts.len()));
        names.push(format!("&{name}"));
        texts.push(text);
    }
    let all = format!("pub(crate) static ALL: [&Question; {}] = [{}];\n", names.len(), names.join(", "));
    let everywhere =
        format!("/// So many of the first are asked everywhere.\npub(crate) const EVERYWHERE: usize = {everywhere};\n");
    let files = format!(
        "/// The files themselves, for the digest of the rule set.\npub(crate) const TEXTS: &[&str] = &[{files}];\n"
    );
    fs::write(
        out.join("questions.rs"),
        format!("{statics}\n/// All of them, by number.\n{all}\n{everywhere}\n{files}"),
    )?;
    Ok(texts)
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

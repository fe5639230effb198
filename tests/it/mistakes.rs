//! Mistakes that people make, over all commands: each answer says what is wrong, where, and what to do.
//!
//! A row has three words for that, in this order; all of them stand on standard error, or on standard output where the answer is
//! a result.

use std::ffi::OsStr;
use std::fs::File;
use std::net::TcpListener;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Stdio;

use crate::support::capdex::{Capdex, Run};

/// What, where, and what to do.
type Told = [&'static str; 3];

const SKILL: &str =
    "---\nname: notes\ndescription: Writes release notes. Use when a release is tagged.\n---\n\nRead the log.\n";

/// A folder in which one night over one skill was run.
fn folder() -> Capdex {
    let capdex = Capdex::offline();
    capdex.write("skills/notes/SKILL.md", SKILL).write("empty/.keep", "").write("words.json", "not JSON");
    capdex.write("mine.toml", "name = \"mine\"\n[sources.folder]\npaths = [\"skills\"]\n");
    let night = capdex.run(&["nightly", "--config", "mine.toml"]);
    assert_eq!(night.code, Some(0), "{} {}", night.stdout, night.stderr);
    capdex
}

fn assert_told(run: &Run, shown: &str, told: &Told) {
    let said = format!("{}{}", run.stdout, run.stderr);
    for (word, about) in told.iter().zip(["what", "where", "what to do"]) {
        assert!(said.contains(word), "{shown} does not say {about}, {word:?}:\n{said}");
    }
    // No reading of internals: panics, debug forms and names of types are no answer.
    for internal in ["panicked", "Some(", "Err(", "StoreError", "serde"] {
        assert!(!said.contains(internal), "{shown} shows {internal}:\n{said}");
    }
}

/// Runs each command line, written with blanks, in one folder.
fn each(capdex: &Capdex, rows: &[(&str, i32, Told)]) {
    for (line, code, told) in rows {
        let arguments: Vec<&str> = line.split(' ').collect();
        let run = capdex.run(&arguments);
        assert_eq!(run.code, Some(*code), "{line}: {}{}", run.stdout, run.stderr);
        assert_told(&run, line, told);
    }
}

const HELP: &str = "For more information, try '--help'";

#[test]
fn a_command_line_that_is_mistyped() {
    each(
        &folder(),
        &[
            ("scna skills", 2, ["unrecognized subcommand", "'scna'", "'scan'"]),
            ("scan skills --failon high", 2, ["unexpected argument", "'--failon'", "'--fail-on'"]),
            ("scan skills --fail-on hihg", 2, ["'hihg'", "--fail-on", "info, low, medium, high, critical"]),
            ("scan skills --format yml", 2, ["'yml'", "--format", "table, json, jsonl"]),
            ("scan skills --threads -1", 2, ["-1 is not in 1..=1024", "--threads", HELP]),
            ("backfill npm --limit -5", 2, ["'-5'", "--limit", HELP]),
            ("prune --keep-days -3", 2, ["'-3'", "--keep-days", HELP]),
            ("scan skills --as-of 26.11.2026", 2, ["26.11.2026", "--as-of", "such as 2026-11-21T00:00:00Z"]),
            ("drift --since 27.11.2026", 2, ["says no time", "27.11.2026", "a date such as 2026-11-21"]),
            ("scan skills --output sarif:x.sarif", 2, ["sarif:x.sarif", "--output", "such as sarif=capdex.sarif"]),
            ("init --hook claude --ci github", 2, ["cannot be used with", "--ci <SYSTEM>", HELP]),
            ("init --hook claud", 2, ["'claud'", "--hook", "'claude'"]),
            ("diff skills", 2, ["required arguments were not provided", "<B>", "Usage:"]),
            ("serve --listen localhost", 2, ["'localhost'", "--listen", "such as 127.0.0.1:8710"]),
            ("serve --cors shop.example", 2, ["no http or https address", "--cors", "write https://shop.example"]),
            (
                "scan skills --rubric saferskills/sed",
                2,
                ["no rubric", "saferskills/sed", "did you mean saferskills/seed?"],
            ),
            ("rules show pipe-to-shel", 2, ["no rule", "pipe-to-shel", "did you mean pipe-to-shell?"]),
            ("export out --format parqet", 2, ["no format", "parqet", "did you mean parquet?"]),
            (
                "rulings give notes acepted --author a --reason b",
                2,
                ["is not one of", "acepted", "accepted, not_affected"],
            ),
            (
                "rulings give folder-skills-skill-notes accepted --author a --reason b --rule covert-pasage",
                2,
                ["no rule", "covert-pasage", "capdex rules list"],
            ),
        ],
    );
}

#[test]
fn a_target_that_is_none() {
    let capdex = folder();
    capdex
        .write(".mcp.json", "{ // none yet\n \"mcpServers\": {} }")
        .write("broken/.mcp.json", "{ \"mcpServers\": ")
        .write("typo/.mcp.json", r#"{"mcpServers": {"a": {"comand": "npx", "args": ["-y", "x"]}}}"#)
        .write("package-lock.json", "{\"name\": \"x\", \"lockfileVersion\":")
        .write("tools.json", "{ // no JSON\n\"tools\": [] }");
    each(
        &capdex,
        &[
            ("scan nosuch", 2, ["there is nothing at", "nosuch", "name a folder, an archive or a file"]),
            ("scan npm:notes", 2, ["scan takes files", "npm:notes", "capdex check npm:notes"]),
            ("scan -", 3, ["nothing came in", "stdin", "pipe a file into it"]),
            ("scan tools.json", 3, ["malformed", "tools.json", "line 1 column 3"]),
            ("check skills/notes", 2, ["is a folder", "skills/notes", "capdex scan skills/notes"]),
            ("check npm:", 2, ["names no npm package", "\"npm:\"", "write npm:NAME"]),
            ("check pkg:cargo/serde", 2, ["name no listing", "cargo", "pkg:npm/NAME@VERSION"]),
            ("check cargo:toml", 2, ["there is nothing at", "cargo:toml", "npm:NAME, pypi:NAME"]),
            ("check mcp.example/mcp", 2, ["may be an address", "mcp.example/mcp", "write https://mcp.example/mcp"]),
            (
                "check ftp://host.example/x",
                2,
                ["no address that can be asked", "ftp://host.example/x", "https://HOST/PATH"],
            ),
            ("check http://", 2, ["no address that can be asked", "\"http://\"", "https://HOST/PATH"]),
            ("check github:owner", 2, ["names no repository", "github:owner", "github:OWNER/NAME"]),
            ("check left-pad", 2, ["may be a package of any registry", "left-pad", "npm:left-pad or pypi:left-pad"]),
            ("check .mcp.json --offline", 0, ["nothing in it to judge", ".mcp.json", "no server and no package"]),
            ("check broken/.mcp.json --offline", 3, ["EOF while parsing", "broken/.mcp.json", "line 1 column 16"]),
            (
                "check typo/.mcp.json --offline",
                3,
                ["unknown", "a in typo/.mcp.json", "neither a command nor an address"],
            ),
            ("check package-lock.json", 2, ["does not parse", "package-lock.json", "line 1 column 32"]),
            ("check npm:x --offline --dataset empty", 4, ["no dataset", "empty", "`capdex export` wrote"]),
            (
                "check npm:x --offline --dataset host.example/data",
                4,
                ["no dataset", "host.example/data", "the https:// address"],
            ),
            ("dependents left-pad", 2, ["no registry before it", "left-pad", "npm:left-pad or pypi:left-pad"]),
            ("explain note", 2, ["no capability", "\"note\"", "folder-skills-skill-notes"]),
            ("verify empty", 2, ["holds no manifest.json", "empty", "not an export, nor a site"]),
            ("verify capdex-export --key nokey", 2, ["no public key of minisign", "--key", "cannot be read"]),
            ("alerts show 12ab34cd", 2, ["no alert", "12ab34cd", "capdex alerts list --all"]),
        ],
    );
}

#[test]
fn a_file_or_folder_that_is_not_what_it_should_be() {
    let capdex = folder();
    capdex.write("words.db", "not a store");
    each(
        &capdex,
        &[
            ("scan skills --baseline none.json", 2, ["cannot read the baseline", "none.json", "check the path"]),
            ("scan skills --baseline words.json", 2, ["is not a baseline", "words.json", "--write-baseline"]),
            ("scan skills --write-baseline /dev/full", 2, ["is not a baseline", "/dev/full", "it is no file"]),
            ("scan skills --output sarif=/dev/full", 4, ["No space left", "/dev/full", "make room there"]),
            ("scan skills --output sarif=none/x.sarif", 4, ["failed to write", "none/x.sarif", "its folder is there"]),
            ("nightly --config none.toml", 2, ["cannot read the schedule", "none.toml", "check the path"]),
            ("nightly --config skills", 2, ["Is a directory", "skills", "name a file"]),
            ("nightly --config mine.toml --out skills", 2, ["is not an export", "skills", "name another folder"]),
            ("report skills", 2, ["is not a site", "skills", "name another folder"]),
            ("daemon --schedules none", 2, ["cannot read the folder of schedules", "none", "check the path"]),
            ("daemon --schedules empty", 2, ["no schedule", "empty", "[daemon] table with a `cron` key"]),
            ("backfill folder", 2, ["nothing to list", "folder", "give --watchlist FILE or --config FILE"]),
            ("backfill npmm", 2, ["no source", "npmm", "did you mean npm?"]),
            ("abuse import none.json", 2, ["cannot read", "none.json", "check the path"]),
            ("backup none/x.db", 4, ["could not make", "none/x.db", "its folder is there"]),
            ("restore none.db", 2, ["no store at", "none.db", "`capdex backup` wrote"]),
            ("status --db none.db", 4, ["no store at", "none.db", "run `capdex nightly` first"]),
            ("status --db words.db", 4, ["is not a capdex store", "words.db", "--db"]),
            (
                "agent-scan run --endpoint host.example --model m --out runs",
                2,
                ["no http or https address", "the endpoint", "write https://host.example"],
            ),
            (
                "backfill official-registry --base-url host.example --plan",
                2,
                ["no http or https address", "--base-url", "write https://host.example"],
            ),
        ],
    );
}

#[test]
fn a_schedule_with_a_slip() {
    let source = "[sources.folder]\npaths = [\"skills\"]\n";
    let capdex = folder();
    let rows: &[(&str, Told)] = &[
        ("[sources.npmm]\n", ["no source \"npmm\"", "t.toml:2:10", "did you mean npm?"]),
        ("[sources.corp]\nkind = \"pypy\"\n", ["no source \"pypy\"", "t.toml:3:8", "did you mean pypi?"]),
        ("[sources.npm]\nwatchlits = []\n", ["unknown key `watchlits`", "t.toml:3:1", "did you mean `watchlist`?"]),
        ("[sources.npm]\npackages = \"a\"\n", ["string \"a\"", "t.toml:3:12", "a list belongs here, in brackets"]),
        ("[sources.npm]\n[sources.npm]\n", ["stands above already", "t.toml:3:10", "make one of the two"]),
        (
            "[sources.npm]\nbase_url = \"npm.example\"\n",
            ["no http or https", "t.toml:3:12", "write https://npm.example"],
        ),
        (
            "[sources.npm]\nbase_url = \"ftp://npm.example\"\n",
            ["no http or https", "t.toml:3:12", "https://npm.example"],
        ),
        ("[sources.\"my corp\"]\nkind = \"npm\"\n", ["no name for a source", "t.toml", "letters, digits and dashes"]),
        ("max_gap_percent = -1\nSOURCE", ["integer `-1`", "t.toml:2:19", "0 or more"]),
        ("max_gap_percent = \"2\"\nSOURCE", ["string \"2\"", "t.toml:2:19", "without quotes"]),
        ("max_gap_percent = 200\nSOURCE", ["200 is no percentage", "t.toml:2:19", "0 to 100"]),
        ("[daemon]\ncron = \"30 2 * *\"\nSOURCE", ["has 4 fields", "t.toml:3:8", "\"30 2 * * *\""]),
        ("[daemon]\ncron = \"61 2 * * *\"\nSOURCE", ["Minutes", "t.toml:3:8", "\"30 2 * * *\""]),
        ("[retention]\nkeep_days = 0\nSOURCE", ["at least a day", "t.toml:3:13", "leave the table out"]),
        ("[export]\nformats = [\"parket\"]\nSOURCE", ["no format", "t.toml:3:11", "did you mean parquet?"]),
        (
            "[verdict]\nvotes = [\"spiderating\"]\nSOURCE",
            ["no method", "t.toml: verdict.votes", "did you mean spiderrating?"],
        ),
        ("[verdict]\nrulings = [\"none.json\"]\nSOURCE", ["cannot read", "none.json", "check the path"]),
        (
            "[alerts]\nsite_url = \"shop.example\"\nSOURCE",
            ["no http or https", "t.toml: alerts: `site_url`", "https://shop.example"],
        ),
        (
            "[[alerts.sinks]]\nname = \"a\"\nkind = \"webhok\"\nSOURCE",
            ["`webhok`", "t.toml:4:8", "did you mean `webhook`?"],
        ),
        (
            "[[alerts.sinks]]\nname = \"a\"\nkind = \"teams\"\nSOURCE",
            ["`teams`", "t.toml:4:8", "docs/guides/alerts.md"],
        ),
        (
            "[[alerts.sinks]]\nname = \"a\"\nkind = \"webhook\"\nSOURCE",
            ["the sink a", "t.toml", "either `url` or `url_env`"],
        ),
        ("[[http]]\nSOURCE", ["a list stands where a table", "t.toml:2:1", "write `[name]`"]),
        ("", ["no source is named", "t.toml", "`[sources.folder]`"]),
    ];
    for (text, told) in rows {
        capdex.write("t.toml", format!("name = \"x\"\n{}", text.replace("SOURCE", source)));
        let run = capdex.run(&["nightly", "--config", "t.toml"]);
        assert_eq!(run.code, Some(2), "{text}: {}", run.stderr);
        assert_told(&run, text, told);
        // What stands at a place in the file is shown with its caret.
        if told[1].starts_with("t.toml:") && !told[1].contains(' ') {
            assert!(run.stderr.ends_with("^\n"), "{text}: {}", run.stderr);
        }
    }
    for (text, told) in [
        (source.as_bytes(), ["it has no name", "t.toml", "name = \"mine\""]),
        (b"{\"name\": \"x\"}", ["it is JSON", "t.toml:1:1", "a schedule is TOML"]),
        (b"\xff\xfen\0a\0", ["cannot read the schedule", "t.toml", "text in UTF-8"]),
    ] {
        capdex.write("t.toml", text);
        let run = capdex.run(&["nightly", "--config", "t.toml"]);
        assert_eq!(run.code, Some(2), "{told:?}: {}", run.stderr);
        assert_told(&run, "a schedule", &told);
    }
}

#[test]
fn a_listing_that_is_not_there_is_named_with_its_reason() {
    let capdex = folder();
    capdex.write("t.toml", "name = \"x\"\n[sources.folder]\npaths = [\"skills\", \"nosuch\"]\n");
    let run = capdex.run(&["nightly", "--config", "t.toml"]);
    assert_eq!(run.code, Some(3), "{} {}", run.stdout, run.stderr);
    assert_told(&run, "a path of nothing", &["not_found", "folder:nosuch", "`capdex status` tells more"]);
}

#[test]
fn a_store_that_cannot_be_used_now() {
    let capdex = folder();
    let store = capdex.path().join("capdex.db");
    let mut bytes = std::fs::read(store).expect("reads");
    capdex.write("cut.db", &bytes[..bytes.len() / 2]);
    // The version of the schema, by the format of SQLite's files.
    bytes[60..64].copy_from_slice(&9999_u32.to_be_bytes());
    capdex.write("newer.db", bytes);
    for command in ["status", "nightly --config mine.toml"] {
        for (store, told) in [
            ("newer.db", ["schema version 9999", "newer.db", "use the program that wrote it"]),
            ("cut.db", ["is damaged", "cut.db", "capdex restore FILE"]),
        ] {
            let line = format!("{command} --db {store}");
            each(&capdex, &[(&line, 4, told)]);
        }
    }
    let lock = File::options().write(true).open(capdex.path().join("capdex.db.lock")).expect("opens");
    lock.lock().expect("free");
    each(
        &capdex,
        &[("nightly --config mine.toml", 4, ["locked", "capdex.db", "wait until it ends, or name another store"])],
    );
}

#[test]
fn a_port_that_is_taken() {
    let capdex = folder();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let run = capdex.run(&["serve", "--listen", &address]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stderr.contains(&address), "{}", run.stderr);
    assert_told(&run, "serve", &["Address already in use", "127.0.0.1:", "name another port with --listen"]);
}

#[test]
fn a_name_that_is_no_text() {
    let capdex = folder();
    let name = OsStr::from_bytes(b"notes\xff.md");
    std::fs::write(capdex.path().join(name), SKILL).expect("written");
    let mut command = capdex.command(&["scan"]);
    let run = Run::of(&command.arg(name).stdout(Stdio::piped()).output().expect("the binary starts"));
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert_told(&run, "scan", &["is not UTF-8", "notes", "give it another name"]);
}

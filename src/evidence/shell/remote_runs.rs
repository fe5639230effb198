//! Remote runs: commands that run or install what an address names, without a download that could be looked at.
//!
//! Which commands, and where in them the address stands, is data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::commands::{name_of, share};
use super::trace::TracedArgument;

/// One row of the data.
struct Row {
    /// The words of the command behind its first.
    words: Vec<&'static str>,
    /// The options that name an address.
    options: Vec<&'static str>,
    operands: bool,
    /// Only the first operand: those behind it belong to the program that it names.
    first: bool,
    images: bool,
    modules: bool,
}

/// The rows by the first word of their command, those of more words first.
static ROWS: LazyLock<BTreeMap<&str, Vec<Row>>> = LazyLock::new(|| {
    let mut rows: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    for line in include_str!("remote_runs.txt").lines().filter(|line| !line.starts_with('#')) {
        let Some((command, places)) = line.split_once('|') else { continue };
        let mut words = command.split_whitespace();
        let Some(first) = words.next() else { continue };
        let has = |place: &str| places.split_whitespace().any(|word| word == place);
        let options = places.split_whitespace().filter(|word| word.starts_with(['-', '/'])).collect();
        let row = Row {
            words: words.collect(),
            options,
            operands: has("operand"),
            first: has("first"),
            images: has("image"),
            modules: has("module"),
        };
        rows.entry(first).or_default().push(row);
    }
    rows.values_mut().for_each(|rows| rows.sort_by_key(|row| std::cmp::Reverse(row.words.len())));
    rows
});

/// True for the first word of a command that may run what an address names.
pub(super) fn may_run(name: &str) -> bool {
    ROWS.contains_key(name)
}

/// The addresses that a command runs or installs from, as addresses of the web.
pub(super) fn addresses(name: &str, words: &[TracedArgument]) -> Vec<String> {
    let Some(rows) = ROWS.get(name_of(name)) else { return Vec::new() };
    let Some((row, behind)) = rows.iter().find_map(|row| Some((row, behind_command(row, words)?))) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut at = behind;
    while let Some(word) = words.get(at) {
        at += 1;
        let text = word.text();
        if let Some(option) = row.options.iter().find(|option| is_option(text, option)) {
            let inline = text.get(option.len() + 1..).filter(|_| text.len() > option.len());
            let value = inline.or_else(|| words.get(at).map(TracedArgument::text)).unwrap_or_default();
            at += usize::from(inline.is_none());
            found.extend(address(value));
        } else if VALUED.contains(&text) || (text == "-f" && matches!(name_of(name), "pip" | "pip3" | "uv")) {
            at += 1;
        } else if text.starts_with('-') {
            continue;
        } else if row.images {
            // Behind the image stands what runs in it.
            found.extend(image(text));
            break;
        } else if row.modules {
            found.extend(module(text));
        } else if row.operands {
            found.extend(address(text));
        } else if row.first {
            found.extend(address(text));
            break;
        }
    }
    found
}

/// Options whose value may be an address, and names a place to look in and nothing to run.
const VALUED: [&str; 14] = [
    "--index-url",
    "-i",
    "--extra-index-url",
    "--index",
    "--default-index",
    "--find-links",
    "--registry",
    "--source",
    "--server",
    "--repository",
    "--proxy",
    "--trusted-host",
    "-e",
    "--env",
];

/// Groups of subcommands that bring data and run none of it.
const GROUPS: [&str; 2] = ["model", "manifest"];

/// How many words stand up to the end of a row's command; none where the words are another command.
fn behind_command(row: &Row, words: &[TracedArgument]) -> Option<usize> {
    let Some(first) = row.words.first() else { return Some(0) };
    // Options of the program, with a value each, may stand before its subcommand.
    let from = words.iter().take(4).position(|word| word.text() == *first)?;
    // `docker model pull` is another command than `docker pull`.
    if words.get(..from)?.iter().any(|word| GROUPS.contains(&word.text())) {
        return None;
    }
    let rest = words.get(from..from + row.words.len())?;
    let fits = rest.iter().zip(&row.words).all(|(word, wanted)| word.text() == *wanted);
    fits.then_some(from + row.words.len())
}

fn is_option(text: &str, option: &str) -> bool {
    text.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', ':']))
}

/// The web address that a word names, however package managers spell it.
fn address(word: &str) -> Option<String> {
    // Windows starts programs from there.
    if let Some(address) = share(word) {
        return Some(address);
    }
    // `name @ https://…`, `name@https://…`, `@scope/name@github:…`.
    let at = ["git+", "https://", "http://", "git@", "ssh://", "git://", "hxxp"]
        .iter()
        .filter_map(|mark| word.find(mark))
        .min();
    if let Some(rest) = at.and_then(|at| word.get(at..)) {
        let rest = rest.trim_start_matches("git+").trim_start_matches("ssh://").trim_start_matches("git://");
        if rest.starts_with("http") || rest.starts_with("hxxp") {
            return Some(rest.replace("hxxp", "http"));
        }
        // `git@host:path`.
        let host = rest.trim_start_matches("git@");
        return host.contains('.').then(|| format!("https://{}", host.replacen(':', "/", 1)));
    }
    for (mark, host) in [
        ("github:", "github.com"),
        ("gitlab:", "gitlab.com"),
        ("bitbucket:", "bitbucket.org"),
        ("gist:", "gist.github.com"),
        ("sourcehut:", "git.sr.ht"),
        ("oci://", ""),
    ] {
        if let Some((_, rest)) = word.split_once(mark) {
            let slash = if host.is_empty() { "" } else { "/" };
            return Some(format!("https://{host}{slash}{rest}"));
        }
    }
    None
}

/// `host.test/name:1`: an image with a host of its own, which a name before the first stroke is where it has a full stop.
fn image(word: &str) -> Option<String> {
    let (host, _) = word.split_once('/')?;
    (host.contains('.') && !host.starts_with('.')).then(|| format!("https://{word}"))
}

/// `host.test/module@version`.
fn module(word: &str) -> Option<String> {
    let (host, _) = word.split_once('/')?;
    let named = host.contains('.') && !host.starts_with('.') && !host.contains("...");
    named.then(|| format!("https://{word}"))
}

#[cfg(test)]
mod tests {
    use super::super::tainted_value::TaintedValue;
    use super::*;

    fn found(line: &str) -> Vec<String> {
        let words: Vec<TracedArgument> =
            line.split(' ').map(|text| TracedArgument { value: TaintedValue::of(text) }).collect();
        addresses(words[0].text(), &words[1..])
    }

    #[test]
    fn what_is_run_from_an_address_is_told() {
        for (line, address) in [
            ("npx -y github:kit/tool", "https://github.com/kit/tool"),
            ("npx --package=https://kit.test/a.tgz tool", "https://kit.test/a.tgz"),
            ("uvx --from git+https://kit.test/a tool", "https://kit.test/a"),
            ("uv run https://kit.test/a.py", "https://kit.test/a.py"),
            ("pip install --quiet kit@https://kit.test/a.whl", "https://kit.test/a.whl"),
            ("python3 -m pip install kit=git+https://kit.test/a", "https://kit.test/a"),
            ("go run kit.test/tool@latest", "https://kit.test/tool@latest"),
            ("cargo install --git https://kit.test/a", "https://kit.test/a"),
            ("docker run --rm kit.test/tool:1 https://other.test", "https://kit.test/tool:1"),
            ("kubectl -n a apply -f https://kit.test/a.yaml", "https://kit.test/a.yaml"),
            ("brew tap kit/tool git@kit.test:a.git", "https://kit.test/a.git"),
            ("regsvr32 /s /n /u /i:https://kit.test/a.sct scrobj.dll", "https://kit.test/a.sct"),
            ("deno run -A https://kit.test/a.ts", "https://kit.test/a.ts"),
        ] {
            assert_eq!(found(line), [address], "{line}");
        }
        for line in [
            "npx -y tool https",
            "npm install",
            "docker run --rm alpine wget https://kit.test",
            "go run ./...",
            "pip install kit==1.0",
            "pip install --index-url https://kit.test/simple kit",
            "npx -y kit https://kit.test/a",
            "uv run python print('https://kit.test')",
            "npm view https://kit.test",
            "uv pip install kit -f https://kit.test/wheels.html",
            "docker model pull kit.test/weights:8",
        ] {
            assert_eq!(found(line), Vec::<String>::new(), "{line}");
        }
    }
}

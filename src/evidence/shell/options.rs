//! The command lines of programs that fetch and send: what they ask for, keep and hand over.
//!
//! The effects of roles turn this into data that is sent and files that are written.

use super::commands::{is_address, is_secret_path, names_the_caller, stays_local};
use super::trace::TracedArgument;

/// The options of a fetching command.
#[derive(Debug, Default)]
pub(super) struct Transfer<'a> {
    /// Its targets: addresses, and hosts without a scheme.
    pub(super) addresses: Vec<&'a TracedArgument>,
    /// The file that it writes; `-` for its output.
    pub(super) output: Option<String>,
    /// True where it writes a file that is called as the address ends.
    pub(super) keeps_name: bool,
    /// The words that it hands over as written.
    pub(super) data: Vec<&'a TracedArgument>,
    /// The files that it hands over; `-` is its input.
    pub(super) uploads: Vec<String>,
}

/// Letters of curl's short options that take a value.
const CURL_LETTERS: &str = "oXHdFTAeuxmwbcKrCYyzEtPQ";
/// Letters of wget's short options that take a value.
const WGET_LETTERS: &str = "OoPaitTwQUeBlADRIX";
/// Long options of both that take a value in the next word.
const LONG_WITH_VALUE: [&str; 37] = [
    "--data",
    "--data-raw",
    "--data-binary",
    "--data-urlencode",
    "--data-ascii",
    "--json",
    "--form",
    "--form-string",
    "--upload-file",
    "--header",
    "--output",
    "--output-document",
    "--output-dir",
    "--request",
    "--user-agent",
    "--referer",
    "--user",
    "--proxy",
    "--max-time",
    "--retry",
    "--retry-delay",
    "--write-out",
    "--cookie",
    "--cookie-jar",
    "--config",
    "--connect-timeout",
    "--range",
    "--cacert",
    "--cert",
    "--key",
    "--url",
    "--resolve",
    "--interface",
    "--post-data",
    "--post-file",
    "--body-data",
    "--body-file",
];

/// Reads the words behind `curl` or `wget`.
pub(super) fn transfer<'a>(words: &'a [TracedArgument], wget: bool) -> Transfer<'a> {
    let mut transfer = Transfer { keeps_name: wget, ..Transfer::default() };
    let letters = if wget { WGET_LETTERS } else { CURL_LETTERS };
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let text = word.text();
        if let Some(long) = text.strip_prefix("--") {
            let (name, inline) = long.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
            let name = if name.starts_with("--") { name.to_owned() } else { format!("--{name}") };
            if let Some(value) = inline {
                transfer.option(&name, value, word, wget);
            } else if LONG_WITH_VALUE.contains(&name.as_str()) {
                if let Some(value) = words.get(at) {
                    transfer.option(&name, value.text(), value, wget);
                    at += 1;
                }
            } else {
                transfer.keeps_name |= matches!(name.as_str(), "--remote-name" | "--remote-name-all");
            }
        } else if let Some(cluster) = text.strip_prefix('-').filter(|cluster| !cluster.is_empty()) {
            // curl's `-O` keeps the name, but an `O` behind `-o`, `-d` or `-H` belongs to their value.
            transfer.keeps_name |= !wget && cluster.split(['o', 'd', 'H']).next().unwrap_or("").contains('O');
            // Short options stand together, and the first that takes a value takes the rest: `-sSLofile`.
            let Some(index) = cluster.find(|letter| letters.contains(letter)) else { continue };
            let letter = cluster.get(index..index + 1).unwrap_or("");
            let rest = cluster.get(index + 1..).unwrap_or("");
            let option = format!("-{letter}");
            if !rest.is_empty() {
                transfer.option(&option, rest, word, wget);
            } else if let Some(value) = words.get(at) {
                transfer.option(&option, value.text(), value, wget);
                at += 1;
            }
        } else {
            transfer.addresses.push(word);
        }
    }
    transfer
}

impl<'a> Transfer<'a> {
    fn option(&mut self, name: &str, value: &str, word: &'a TracedArgument, wget: bool) {
        match (name, wget) {
            ("--url", _) => self.addresses.push(word),
            ("-o" | "--output", false) | ("-O" | "--output-document", true) => self.output = Some(value.to_owned()),
            ("-T" | "--upload-file", false) | ("--post-file" | "--body-file", true) => {
                self.uploads.push(value.to_owned());
            }
            // A key in `Authorization` goes where it is for; any other header can carry data out.
            ("-H" | "--header", _) if !names_the_caller(value) => self.data.push(word),
            ("-d" | "-F", false) | ("--post-data" | "--body-data", true) => self.sent(value, word),
            (name, false) if name.starts_with("--data") || name.starts_with("--form") || name == "--json" => {
                self.sent(value, word);
            }
            (name, _) if stays_local(name) => {}
            // These are free text as well, in which data is carried out unseen.
            ("-A" | "--user-agent" | "--referer", _) => self.data.push(word),
            _ => {}
        }
    }

    /// A value that is sent: `@file`, `name=@file`, `name=<file`, or the text itself.
    fn sent(&mut self, value: &str, word: &'a TracedArgument) {
        let file = value.strip_prefix('@').or_else(|| {
            let (name, file) = value.split_once("=@").or_else(|| value.split_once("=<"))?;
            // The name of a form's field is short; a longer text with `=@` in it is data.
            (name.len() < 60).then_some(file)
        });
        if let Some(file) = file {
            // A form's file may have a type behind it: `@file;type=text/plain`.
            self.uploads.push(file.split(';').next().unwrap_or(file).to_owned());
        }
        self.data.push(word);
    }

    /// The addresses as text.
    pub(super) fn address_texts(&self) -> Vec<String> {
        self.addresses.iter().map(|address| address.text().to_owned()).filter(|text| !text.is_empty()).collect()
    }

    /// The file that is written; none where the answer is printed.
    pub(super) fn file(&self) -> Option<String> {
        match self.output.as_deref() {
            Some("-" | "/dev/stdout") => None,
            Some(file) => Some(file.to_owned()),
            None if self.keeps_name => {
                let address = self.addresses.first()?.text();
                // As curl and wget do: the name is the last part of the path, without the query.
                let path = address.split(['?', '#']).next().unwrap_or(address);
                path.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
            }
            None => None,
        }
    }
}

/// True where a word names another machine: `host:path`, `user@host`, or a bucket.
pub(super) fn is_remote(word: &str) -> bool {
    // These schemes are remote by themselves; a drive letter (`C:`) or a path with a colon is not.
    // rclone names a kind of store and a path in it, and the host in an option.
    let on_the_fly = word.strip_prefix(':').is_some_and(|rest| rest.contains(':'));
    let bucket =
        on_the_fly || ["s3://", "gs://", "rsync://", "sftp://", "ftp://"].iter().any(|start| word.starts_with(start));
    let host = word
        .split_once(':')
        .is_some_and(|(host, _)| host.len() > 1 && !host.contains('/') && !host.starts_with('-') && !is_address(word));
    bucket || host || (word.contains('@') && !word.contains('/') && !word.starts_with('@'))
}

/// The words that are no options or their values.
pub(super) fn operands(words: &[TracedArgument]) -> Vec<&TracedArgument> {
    let mut operands = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        let text = word.text();
        if text.starts_with('-') && text.len() > 1 {
            // The value of such an option is no operand, and would be taken for a file.
            at += usize::from(matches!(
                text,
                "-i" | "-P"
                    | "-F"
                    | "-o"
                    | "-l"
                    | "-J"
                    | "-S"
                    | "-e"
                    | "--rsh"
                    | "--sftp-host"
                    | "--ftp-host"
                    | "--webdav-url"
                    | "--exclude"
                    | "--exclude-from"
            ));
        } else {
            operands.push(word);
        }
    }
    operands
}

/// The first secret path among words.
pub(super) fn secret_among<'a>(words: impl IntoIterator<Item = &'a TracedArgument>) -> Option<String> {
    words.into_iter().map(TracedArgument::text).find(|text| is_secret_path(text)).map(str::to_owned)
}

//! `RunnerOptions`: the options of the programs that fetch and start servers, and which of them have a value of their own.
//!
//! The usual options of npm, Bun, pnpm, uv, pipx and Docker, by their documentation. One that stands in no list here may have the
//! word behind it as its value, so that nobody knows which word is the package.

/// Options of npm's runners with a value of their own.
pub(super) const NODE_VALUES: [&str; 12] = [
    "-p",
    "--package",
    "-c",
    "--call",
    "-w",
    "--workspace",
    "--registry",
    "--userconfig",
    "--prefix",
    "--cache",
    "--shell",
    "--node-options",
];

/// Options of Python's runners with a value of their own.
pub(super) const PYTHON_VALUES: [&str; 28] = [
    "--from",
    "--spec",
    "--with",
    "-w",
    "--with-editable",
    "--with-requirements",
    "--python",
    "-p",
    "--index-url",
    "-i",
    "--index",
    "--default-index",
    "--extra-index-url",
    "--find-links",
    "-f",
    "--env-file",
    "--directory",
    "--project",
    "--cache-dir",
    "--config-file",
    "--refresh-package",
    "--pip-args",
    "-c",
    "--constraints",
    "--overrides",
    "--prerelease",
    "--exclude-newer",
    "--link-mode",
];

/// Options of npm's runners without a value.
pub(super) const NODE_FLAGS: [&str; 18] = [
    "-y",
    "--yes",
    "-n",
    "--no",
    "--no-install",
    "--ignore-existing",
    "-q",
    "--quiet",
    "-s",
    "--silent",
    "--verbose",
    "--offline",
    "--prefer-offline",
    "--prefer-online",
    "-f",
    "--force",
    "--bun",
    "--ignore-scripts",
];

/// Options of Python's runners without a value.
pub(super) const PYTHON_FLAGS: [&str; 21] = [
    "-q",
    "--quiet",
    "-v",
    "--verbose",
    "-n",
    "--no-cache",
    "--refresh",
    "--reinstall",
    "--isolated",
    "--offline",
    "--native-tls",
    "--no-config",
    "--no-progress",
    "--no-build",
    "--no-env-file",
    "--no-index",
    "--managed-python",
    "--no-managed-python",
    "-U",
    "--upgrade",
    "--system-site-packages",
];

/// Options of `docker run` with a value of their own.
pub(super) const IMAGE_VALUES: [&str; 37] = [
    "-e",
    "--env",
    "-v",
    "--volume",
    "-p",
    "--publish",
    "--name",
    "--network",
    "--net",
    "--mount",
    "--env-file",
    "-w",
    "--workdir",
    "-u",
    "--user",
    "--platform",
    "--entrypoint",
    "--add-host",
    "-l",
    "--label",
    "--pull",
    "-m",
    "--memory",
    "--cpus",
    "--gpus",
    "-h",
    "--hostname",
    "--restart",
    "--security-opt",
    "--cap-add",
    "--cap-drop",
    "--tmpfs",
    "--ulimit",
    "--device",
    "--dns",
    "--ipc",
    "--pid",
];

/// The options of a runner up to the first word that is none, and what follows.
pub(super) struct RunnerOptions<'a> {
    /// Options with their values.
    values: Vec<(&'a str, &'a str)>,
    /// The first word that is no option; none where there is none.
    pub(super) first: Option<&'a str>,
    /// The words behind it.
    pub(super) rest: Vec<&'a str>,
    /// The first option that stands in no list; none where all are known.
    pub(super) unknown: Option<&'a str>,
}

impl<'a> RunnerOptions<'a> {
    /// Reads words, of which the options in `with_value` take the next one and those in `flags` do not.
    pub(super) fn of(arguments: &[&'a str], with_value: &[&str], flags: &[&str]) -> Self {
        let mut read = Self { values: Vec::new(), first: None, rest: Vec::new(), unknown: None };
        let mut words = arguments.iter().copied();
        while let Some(word) = words.next() {
            if word == "--" {
                read.first = words.next();
                break;
            }
            match word.split_once('=') {
                Some((option, value)) if word.starts_with('-') => read.values.push((option, value)),
                _ if with_value.contains(&word) => read.values.push((word, words.next().unwrap_or_default())),
                _ if word.starts_with('-') => {
                    read.values.push((word, ""));
                    read.unknown = read.unknown.or(Some(word).filter(|word| !flags.contains(word)));
                }
                _ => {
                    read.first = Some(word);
                    break;
                }
            }
        }
        read.rest = words.collect();
        read
    }

    /// The values of these options.
    pub(super) fn all(&self, options: &[&str]) -> Vec<&'a str> {
        self.values.iter().filter(|(option, _)| options.contains(option)).map(|(_, value)| *value).collect()
    }

    /// True where one of these options is there.
    pub(super) fn has(&self, options: &[&str]) -> bool {
        self.values.iter().any(|(option, _)| options.contains(option))
    }
}

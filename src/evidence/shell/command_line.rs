//! `CommandLine`: the commands that a shell text starts and the files that it writes, for who asks before it runs.
//!
//! The tracer notes them as it follows the text, through `sudo`, `env`, `xargs` and `bash -c`. Variables, aliases and functions are
//! filled in as far as the text sets them. Script files are not read.

use super::trace::{TracedArgument, Tracer};

/// The most commands and files of one text that are noted.
const MOST: usize = 400;

/// The commands that a shell text starts and the files that it writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The commands in the order in which they start, each with its name first. A word of which only the shell knows the
    /// text is written as it stands, such as `$name` or `$(…)`.
    pub commands: Vec<Vec<String>>,
    /// The files that redirections and commands write, as they are named.
    pub written: Vec<String>,
    /// The names of variables that the text sets, sorted; those of `env NAME=… program` included.
    pub variables: Vec<String>,
    /// True where a bound was reached, so that the text may start more.
    pub is_cut: bool,
}

impl CommandLine {
    /// Reads a text as a shell would.
    pub fn of(text: &str) -> Self {
        let mut tracer = Tracer::noting();
        tracer.read(text, 0, None);
        let mut line = tracer.line.take().unwrap_or_default();
        line.variables.extend(tracer.variables.into_keys());
        line.variables.sort();
        line.variables.dedup();
        line.is_cut |= tracer.is_cut;
        line
    }
}

impl Tracer {
    /// Notes a command, where somebody asks for commands.
    pub(super) fn note_command(&mut self, first: &TracedArgument, rest: &[TracedArgument]) {
        let Some(line) = &mut self.line else { return };
        if line.commands.len() >= MOST {
            line.is_cut = true;
            return;
        }
        let words = std::iter::once(first).chain(rest).map(|word| word.text().to_owned());
        line.commands.push(words.collect());
    }

    /// Notes what `env` or `sudo` set before the command behind them.
    pub(super) fn note_variables(&mut self, prefix: &[&str]) {
        let Some(line) = &mut self.line else { return };
        let set = prefix.iter().filter_map(|word| word.split_once('=')).map(|(name, _)| name);
        line.variables.extend(set.filter(|name| !name.starts_with('-')).map(str::to_owned));
    }

    /// Notes a file that is written.
    pub(super) fn note_written(&mut self, path: &str) {
        let Some(line) = &mut self.line else { return };
        if line.written.len() >= MOST {
            line.is_cut = true;
            return;
        }
        line.written.push(path.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(text: &str) -> Vec<String> {
        CommandLine::of(text).commands.into_iter().map(|words| words.join(" ")).collect()
    }

    #[test]
    fn every_way_to_start_a_command_is_followed() {
        for text in [
            "npx -y kit",
            "cd a && npx -y kit",
            "cd a; npx -y kit &",
            "echo y | npx -y kit",
            "if true; then npx -y kit; fi",
            "(npx -y kit)",
            "{ npx -y kit; }",
            "echo \"$(npx -y kit)\"",
            "diff <(npx -y kit) b",
            "bash -c 'npx -y kit'",
            "sudo -u me env A=b timeout 5 npx -y kit",
            "A=b npx -y kit",
            "n''p\"x\" -y kit",
            "X=kit; npx -y $X",
            "P='npx -y'; $P kit",
            "run() { npx -y \"$1\"; }; run kit",
            "alias go='npx -y'; go kit",
            "eval \"npx -y kit\"",
            "find . -name a -exec npx -y kit \\;",
            "sh <<END\nnpx -y kit\nEND\n",
            "for p in kit; do npx -y $p; done",
            "trap 'npx -y kit' EXIT",
        ] {
            assert!(commands(text).contains(&"npx -y kit".to_owned()), "{text}: {:?}", commands(text));
        }
    }

    #[test]
    fn text_that_nobody_runs_starts_nothing() {
        for text in ["echo 'npx -y kit'", "grep -r 'npx -y kit' .", "# npx -y kit", "cat <<END\nnpx -y kit\nEND\n"] {
            assert!(!commands(text).iter().any(|command| command.starts_with("npx")), "{text}");
        }
    }

    #[test]
    fn files_and_variables_are_noted() {
        let line = CommandLine::of(
            "export A=1; env B=2 true; echo x > .claude/skills/a/SKILL.md; cp b ~/c; cat d | tee -a e; curl -o f https://a.test",
        );
        assert_eq!(line.written, [".claude/skills/a/SKILL.md", "~/c", "e", "f"]);
        assert_eq!(line.variables, ["A", "B"]);
        assert!(!line.is_cut);
    }

    #[test]
    fn a_bound_that_is_reached_is_told() {
        let under = "true\n".repeat(MOST);
        assert_eq!((CommandLine::of(&under).commands.len(), CommandLine::of(&under).is_cut), (MOST, false));
        let over = CommandLine::of(&format!("{under}true\n"));
        assert_eq!((over.commands.len(), over.is_cut), (MOST, true));
        assert!(CommandLine::of(&format!("{}npx kit{}", "(".repeat(40), ")".repeat(40))).is_cut);
    }
}

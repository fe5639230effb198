//! Files that an agent obeys or a client runs: what is written there acts later, and nobody asks again.
//!
//! Which files clients read is `evidence/formats.toml`; a skill may lie in any folder, so that folders of skills are known by
//! their name.

use std::path::Path;

use capdex_evidence::formats::{self, FormatReader, FormatRole};

/// The part that a file plays for an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarded {
    /// A part of a skill.
    Skill,
    /// A configuration that starts servers or commands.
    Config,
    /// Code or commands that a client runs on events.
    Hook,
    /// A part of a plugin.
    Plugin,
}

impl Guarded {
    /// The words for a person.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Skill => "a skill",
            Self::Config => "a client's configuration",
            Self::Hook => "a hook",
            Self::Plugin => "a plugin",
        }
    }
}

/// The part that a path plays for an agent; none for any other file. A folder of skills counts as a part of one.
pub fn of(path: &str) -> Option<Guarded> {
    let path = path.replace('\\', "/");
    let components: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    // `.claude/skills`, `.agents/skills`, `~/.codex/skills`: below a client's own folder, which begins with a full stop.
    let is_skills = components.iter().enumerate().any(|(at, part)| {
        *part == "skills"
            && components.get(..at).is_some_and(|above| above.iter().rev().take(2).any(|part| is_client(part)))
    });
    if is_skills || components.last() == Some(&"SKILL.md") {
        return Some(Guarded::Skill);
    }
    let format = formats::of(&components.join("/")).filter(|format| format.certain)?;
    match (format.role, format.reader) {
        (FormatRole::Hooks | FormatRole::Module, _) => Some(Guarded::Hook),
        (FormatRole::Manifest | FormatRole::Marketplace, FormatReader::Plugin | FormatReader::Marketplace) => {
            Some(Guarded::Plugin)
        }
        (FormatRole::Config | FormatRole::Permissions, _) => Some(Guarded::Config),
        _ => None,
    }
}

fn is_client(part: &str) -> bool {
    part.starts_with('.') && part.len() > 1 && part != ".."
}

/// Programs that put files into a folder that one of their words names, with the word that says so where there is one.
const PLACERS: [(&str, &str); 9] = [
    ("git", "clone"),
    ("gh", "clone"),
    ("unzip", ""),
    ("tar", ""),
    ("rsync", ""),
    ("scp", ""),
    ("ln", ""),
    ("sed", "-i"),
    ("degit", ""),
];

/// The guarded place that a command puts files into; none where it puts none there.
pub fn placed(words: &[String]) -> Option<(&str, Guarded)> {
    let (program, arguments) = words.split_first()?;
    let program = program.rsplit('/').next().unwrap_or(program);
    let places = |(name, verb): &(&str, &str)| {
        *name == program && (verb.is_empty() || arguments.iter().any(|word| word.starts_with(verb)))
    };
    if !PLACERS.iter().any(places) {
        return None;
    }
    arguments.iter().find_map(|word| {
        // `-C folder` and `--directory=folder` alike.
        let word = word.rsplit_once('=').map_or(word.as_str(), |(_, value)| value);
        of(word).map(|guarded| (word, guarded))
    })
}

/// The path as it is read: whole, below the folder of the agent.
pub fn whole(path: &str, folder: Option<&Path>) -> std::path::PathBuf {
    folder.map_or_else(|| Path::new(path).to_owned(), |folder| folder.join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_agents_obey_is_guarded_and_a_project_s_own_files_are_not() {
        for (path, expected) in [
            (".claude/skills/kit/SKILL.md", Some(Guarded::Skill)),
            ("/home/me/.claude/skills/kit/run.py", Some(Guarded::Skill)),
            ("~/.agents/skills/kit", Some(Guarded::Skill)),
            ("~/.config/opencode/skills/kit/SKILL.md", Some(Guarded::Skill)),
            ("~/.config/opencode/skills/kit/a.sh", Some(Guarded::Skill)),
            ("notes/SKILL.md", Some(Guarded::Skill)),
            (".mcp.json", Some(Guarded::Config)),
            ("/w/.cursor/mcp.json", Some(Guarded::Config)),
            ("/w/.claude/settings.json", Some(Guarded::Config)),
            ("~/.codex/config.toml", Some(Guarded::Config)),
            (".cursor/hooks.json", Some(Guarded::Hook)),
            (".claude-plugin/plugin.json", Some(Guarded::Plugin)),
            ("src/skills/list.ts", None),
            ("README.md", None),
            ("package.json", None),
            ("CLAUDE.md", None),
            ("../skills/a", None),
        ] {
            assert_eq!(of(path), expected, "{path}");
        }
    }

    #[test]
    fn programs_that_place_files_are_told_from_those_that_read_them() {
        let placed =
            |line: &str| placed(&line.split(' ').map(str::to_owned).collect::<Vec<_>>()).map(|(_, guarded)| guarded);
        for line in [
            "git clone https://a.test/kit .claude/skills/kit",
            "unzip kit.zip -d ~/.claude/skills",
            "tar xf kit.tgz -C .claude/skills/",
            "tar xf kit.tgz --directory=.claude/skills/",
            "sed -i s/a/b/ .claude/skills/a/SKILL.md",
        ] {
            assert_eq!(placed(line), Some(Guarded::Skill), "{line}");
        }
        for line in
            ["git add .claude/skills/kit", "ls .claude/skills", "sed -n 1p .claude/skills/a/SKILL.md", "tar xf a.tgz"]
        {
            assert_eq!(placed(line), None, "{line}");
        }
    }
}

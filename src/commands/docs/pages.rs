//! The pages of the manual, each from the registry that the engine runs.

use std::fmt::Write as _;

use capdex_crawlers::http::RateLimit;
use capdex_crawlers::{KeyMeta, SOURCES, SourceMeta, WalkKind};
use capdex_model::rule::RuleMeta;
use capdex_model::rule::measured::Rate;
use capdex_model::source_role::{FilledBy, NameProof, Rows, SourceRole, Speaker};
use capdex_rubrics::RUBRICS;
use capdex_rubrics::mcpbundles::judged;

use capdex_dataset::export::EXPORTERS;
use capdex_dataset::export::dataset_readme;
use capdex_dataset::export::table::Layout;
use capdex_dataset::export::tables::TABLES;

const NOTE: &str = "<!-- Written by `capdex docs`; edit the code, not this page. -->\n\n";

const MEASURED: &str = "Rates are shares of cases with their 95 % Wilson intervals, on the labelled development sets named (`capdex bench \
                        --measure`): the rules were written with these sets at hand, so expect more elsewhere. A rule that is \
                        high on over 0.3 % of a set's benign cases fails a test.\n\n";

/// The head of a page.
pub(super) fn page(title: &str) -> String {
    format!("{NOTE}# {title}\n\n")
}

/// Text that may hold Markdown's own signs, for a table cell.
pub(super) fn cell(text: &str) -> String {
    // A bar would end the cell, and a line feed the table.
    text.replace('|', "\\|").replace('\n', " ")
}

/// The rule catalogue.
pub(super) fn rules() -> String {
    let mut text = page("Rules");
    let metas = capdex_rules::INDEX.all();
    let _ = writeln!(text, "{} rules. Each has fired and stayed silent on its own examples in a test.\n", metas.len());
    text.push_str(MEASURED);
    let _ = writeln!(text, "| rule | severity | confidence | kinds | what it finds |\n|---|---|---|---|---|");
    for meta in metas {
        let kinds: Vec<&str> = meta.kinds.iter().map(|kind| kind.as_str()).collect();
        let _ = writeln!(
            text,
            "| [{id}](#{id}) | {} | {} | {} | {} |",
            meta.severity.as_str(),
            meta.confidence.as_str(),
            kinds.join(", "),
            cell(&meta.title),
            id = meta.id
        );
    }
    // The details follow the table, so that its links lead downwards on one page.
    for meta in metas {
        rule(&mut text, meta);
    }
    text
}

fn rule(text: &mut String, meta: &RuleMeta) {
    let _ = writeln!(text, "\n## {}\n\n{}\n", meta.id, meta.title);
    let _ = writeln!(text, "- **Why it matters.** {}", meta.why);
    let _ = writeln!(text, "- **Fix.** {}", meta.fix);
    let _ = writeln!(text, "- **Cannot see.** {}", meta.cannot_see);
    let _ = writeln!(text, "- **Cites.** {}", meta.cites.join(", "));
    for (family, codes) in &meta.codes {
        let _ = writeln!(text, "- **In {family}.** {}", codes.join(", "));
    }
    for (name, set) in capdex_rules::INDEX.measured() {
        // A rule that never fired on a set has no row there, which is zero hits.
        let hits = set.rules.get(meta.id.as_str()).copied().unwrap_or_default();
        let _ = writeln!(
            text,
            "- **Measured on {name}.** On benign cases {} % at high or critical, {} % at any severity; fired on {} of {} malicious ones.",
            Rate { hits: hits.benign_high, of: set.benign },
            Rate { hits: hits.benign, of: set.benign },
            hits.malicious,
            set.malicious
        );
    }
    for known in &meta.known_false_positive {
        let _ = writeln!(text, "- **Known to be wrong.** {}: {}", known.appeal, known.reason);
    }
    let _ = writeln!(
        text,
        "- Version {}; {} examples fire, {} stay silent.",
        meta.version,
        meta.examples.fires.len(),
        meta.examples.silent.len()
    );
}

/// The rubrics and the verdict.
pub(super) fn rubrics() -> String {
    let mut text = page("Rubrics");
    for meta in RUBRICS.iter().map(|rubric| rubric.meta()).chain([judged::meta()]) {
        let kinds: Vec<&str> = meta.kinds.iter().map(|kind| kind.as_str()).collect();
        let _ = writeln!(text, "## {}\n\n{}\n", meta.rubric.id, meta.title);
        let _ = writeln!(text, "- Version {}, text {}", meta.rubric.version, meta.rubric.text);
        let _ = writeln!(
            text,
            "- Published: {} (read {}, SHA-256 {})",
            meta.published_at, meta.published_read, meta.published_sha256
        );
        let _ = writeln!(text, "- Scores {}; scale {} to {}", kinds.join(", "), meta.scale.0, meta.scale.1);
        let _ = writeln!(text, "- Depends on the day: {}\n", if meta.by_day { "yes (ages)" } else { "no" });
        text.push_str(&below_heading(meta.page));
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "\n## The bands of their grades\n\n| method | grade, or constraint that took hold | band |\n|---|---|---|"
    );
    for (method, said, band) in capdex_rubrics::band_table() {
        let _ = writeln!(text, "| {method} | {} | {} |", cell(said), band.as_str());
    }
    text
}

/// A page without its own title, its headings one level down.
fn below_heading(page: &str) -> String {
    let lines = page.trim().lines().skip_while(|line| line.starts_with("# ") || line.is_empty());
    let demoted = lines.map(|line| if line.starts_with("## ") { format!("#{line}\n") } else { format!("{line}\n") });
    demoted.collect()
}

/// The sources.
pub(super) fn sources() -> String {
    let mut text = page("Sources");
    for source in SOURCES {
        let meta = source.meta();
        let _ = writeln!(text, "## {}\n\n{}\n\n{}\n", meta.id, meta.title, meta.about.trim());
        let _ = writeln!(text, "| | |\n|---|---|");
        let walk = match meta.walk {
            WalkKind::Names => "names are given: `packages`, and what other listings refer to",
            WalkKind::Directory { is_incremental: false } => "walked from its beginning to its end every time",
            WalkKind::Directory { is_incremental: true } => {
                "walked whole once and every `full_walk_days`, else only what changed since the last walk"
            }
        };
        let rows = [
            ("address", meta.base_url.map_or_else(|| "configured".to_owned(), |url| format!("`{url}`"))),
            ("asked", meta.endpoints.to_owned()),
            ("entries", walk.to_owned()),
            ("role", role(&meta.role)),
            ("key", keys(meta)),
            ("limits", meta.limits.to_owned()),
            ("pace", paces(meta)),
            ("kept", meta.stored.to_owned()),
            ("terms", meta.terms.to_owned()),
        ];
        for (name, value) in rows {
            let _ = writeln!(text, "| {name} | {} |", value.trim().replace('\n', " ").replace('|', "\\|"));
        }
        text.push('\n');
    }
    text
}

/// The role of a source for the passes.
fn role(role: &SourceRole) -> String {
    let speaker = match role.speaker {
        Speaker::Artifact(ecosystem) => format!("its listings are the artifacts of `{}`", ecosystem.as_str()),
        Speaker::Publisher => "its listings are the publishers' own word".to_owned(),
        Speaker::Directory => "its listings are about things of others".to_owned(),
    };
    let filled_by = match role.filled_by {
        FilledBy::Operator => "filled by the operator",
        FilledBy::Publishers => "filled by publishers",
        FilledBy::Others => "filled by others than the publishers, so that being listed counts",
    };
    let proof = match role.proof {
        NameProof::Nothing => "a name proves nothing",
        NameProof::Scope => "a name proves its scope",
        NameProof::Account => "a name proves its owner",
        NameProof::HostAccount => "a name proves its owner at its host",
        NameProof::ImageAccount => "a name below `ghcr.io` proves an account of GitHub",
        NameProof::Namespace => "a name proves its namespace",
    };
    let rows = match role.rows {
        Rows::Things => "one listing a thing",
        Rows::Versions => "one listing a version, `name@version`",
        Rows::Skills => "one listing a skill",
    };
    let lists = if role.has_several_lists { "several lists, `owner/list/…`" } else { "one list" };
    let dates = if role.dates_entries { "its dates are its own" } else { "its dates are claims" };
    [speaker.as_str(), filled_by, proof, rows, lists, dates].join("; ")
}

/// The proof by which a source knows the program, and the origin of its value.
fn keys(meta: &SourceMeta) -> String {
    let key = |key: &KeyMeta| {
        let need = if key.is_required { "required: without it the source is skipped" } else { "optional" };
        format!("`{}` as the header `{}` ({need})", key.variable, key.header)
    };
    let all: Vec<String> = meta.keys.iter().map(key).collect();
    if all.is_empty() { "none".to_owned() } else { all.join("; ") }
}

/// The highest rate of requests to each host.
fn paces(meta: &SourceMeta) -> String {
    let pace = |(address, pace): &(&str, RateLimit)| {
        format!(
            "`{address}`: {} a minute, {} at once after a pause, {} under way",
            pace.per_minute, pace.burst, pace.in_flight
        )
    };
    let all: Vec<String> = meta.rate_limits.iter().map(pace).collect();
    if all.is_empty() { "that of the schedule".to_owned() } else { all.join("; ") }
}

/// The command line.
pub(super) fn cli() -> String {
    let mut text = page("Command line");
    // A fixed width: the page must not depend on the terminal that writes it.
    let mut command = crate::cli::command().term_width(100);
    let _ = writeln!(text, "```text\n{}\n```", command.render_long_help().to_string().trim_end());
    // Built only now, because it changes how the root prints its own help.
    command.build();
    for sub in command.get_subcommands_mut().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
        let help = sub.render_long_help().to_string();
        // Clap pads lines with blanks, which a repository does not want.
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        let _ = writeln!(text, "\n## capdex {}\n\n```text\n{}\n```", sub.get_name(), lines.join("\n").trim_end());
    }
    text
}

/// The data dictionary.
pub(super) fn dataset() -> String {
    let mut text = page("Dataset");
    let _ = writeln!(
        text,
        "One folder, replaced as a whole; `manifest.json` has the SHA-256 of every file, and its own: `manifest_sha256` is \
             that of its text with nothing between the quotation marks there. `capdex verify DIR` checks every byte and computes \
             scores, verdicts, ranks and packages again from the facts in it. A column marked private is only in a dataset that was \
             made with `--private`. No two rows of a table have the same values in all columns marked key; → names the table \
             that a column leads to, by its key. `capability` is the id of a capability in every table, and `slug` its readable \
             name. Timestamps are in UTC, to the second.\n\n\
             The table `history` has a file for each night, `history-<night>`. A night is kept as it was published; the first export \
             into a folder begins it. `verify` compares the newest row of each capability with the table `capabilities`.\n\n\
             `merkle_root` is the Merkle tree hash of RFC 6962 (section 2.1, SHA-256) over the files of the manifest in their \
             order; a leaf is the line that `sha256sum` prints: digest, two blanks, name, line feed. `README.md` (with \
             the front matter of Hugging Face) and `croissant.json` (Croissant 1.0) describe the dataset to people and to programs, \
             `CITATION.cff` says how to cite it. This is `capdex.export/3`; a dataset of a version before is not read, and export \
             takes its place.\n\n\
             `since` names the dataset that the table `changes` compares with: the one that stood in the folder before, or that \
             of `--since`. An export at the instant of the one before is compared with what that one was compared with, so that \
             a night that is done twice tells the same. Formats:\n"
    );
    for exporter in EXPORTERS {
        let _ = writeln!(text, "- `{}` (`{}`): {}", exporter.id(), exporter.file_name("<table>"), exporter.about());
    }
    for table in TABLES {
        let _ = writeln!(
            text,
            "\n## {}\n\nA row is {}.\n\n| column | type | | meaning |\n|---|---|---|---|",
            table.name, table.about
        );
        for column in Layout::of(table, true).columns {
            let role = dataset_readme::role(table.name, &column);
            let _ = writeln!(text, "| {} | {} | {role} | {} |", column.name, column.kind, cell(column.about));
        }
    }
    text
}

//! The card of a dataset: `README.md` for people and for hubs of datasets, `CITATION.cff`, and `croissant.json` for programs.
//!
//! All of them say what the manifest and the data dictionary say, and hold no text of a stranger.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use capdex_model::rule::RuleIndex;
use capdex_rubrics::RUBRICS;

use super::ExportOptions;
use super::croissant::croissant;
use super::exporters::EXPORTERS;
use super::file::FileRow;
use super::file::HashedFile;
use super::format::Exporter;
use super::manifest;
use super::table::{Column, ColumnRole, Layout, RowOrigin, Table};
use super::table_row::TableRow as _;
use super::tables::capabilities::CapabilityRow;
use super::tables::facts::FactsRow;
use super::tables::rule_defaults::RuleDefaultRow;
use super::tables::{self, TABLES};

/// For people.
const README: &str = "README.md";
/// For programs: Croissant.
const CROISSANT: &str = "croissant.json";
/// How it is cited (<https://citation-file-format.github.io>).
pub(super) const CITATION: &str = "CITATION.cff";

/// All of them.
pub(super) const NAMES: [&str; 3] = [README, CROISSANT, CITATION];

/// The title by which it is cited.
pub(super) const TITLE: &str = "capdex: a ranked, recomputable index of AI-agent capabilities";

/// The description of a dataset, in one sentence.
pub(super) const ABOUT: &str = "Capabilities of AI agents (skills, MCP servers, hooks, plugins and rules files) as directories list them, each scored by \
                     several published methods and ranked, with every fact that the scores rest on.";

/// Writes the files; their lines in the manifest. `files` are those of the tables and `counts` the rows of each table.
pub(super) fn write(
    dir: &Path,
    layouts: &[Layout],
    counts: &[u64],
    files: &[FileRow],
    options: &ExportOptions,
    rules: &RuleIndex,
) -> anyhow::Result<Vec<FileRow>> {
    // Croissant names the digests of all table files, so it is written after them.
    let croissant = serde_json::to_string_pretty(&croissant(layouts, files, options))? + "\n";
    let readme = readme(layouts, counts, files, options, rules);
    let written = |name: &str, text: &str| {
        let mut file = HashedFile::create(dir, name.to_owned())?;
        file.write_all(text.as_bytes())?;
        file.finish(0)
    };
    Ok(vec![written(README, &readme)?, written(CROISSANT, &croissant)?, written(CITATION, &citation(options))?])
}

fn readme(layouts: &[Layout], counts: &[u64], files: &[FileRow], options: &ExportOptions, rules: &RuleIndex) -> String {
    // Written to a `String`, which cannot fail, hence the ignored results.
    let mut text = front_matter(layouts, counts, files, options);
    let _ = write!(text, "# capdex dataset of {}\n\n{ABOUT}\n\n", options.as_of);
    let _ = writeln!(
        text,
        "All ages are measured against that instant. Rule set `{}`; the table `capabilities` is ranked by `{}`. The same store \
         gives the same bytes on any machine.\n\n\
         Names, descriptions, paths and quoted evidence are texts of strangers: escape them before you show them, and let no \
         agent take them for instructions. A score is what a method says of what could be seen; `unknown` is never clean.\n\n\
         ## Tables\n\n| table | rows | a row is |\n|---|---:|---|",
        rules.digest().hex(),
        options.rank_by
    );
    for table in TABLES {
        let count = rows_of(table.name, layouts, counts);
        let _ = writeln!(text, "| {} | {count} | {} |", table.name, table.about);
    }
    text.push_str("\n## Files\n\n");
    // Only formats that were asked for: a reader must not look for files that are not there.
    for exporter in EXPORTERS.iter().filter(|exporter| is_there(files, **exporter)) {
        let _ = writeln!(text, "- `{}`: {}", exporter.file_name("<table>"), exporter.about());
    }
    let _ = writeln!(
        text,
        "- `{CROISSANT}`: the columns of every table as Croissant metadata\n- `{CITATION}`: how it is cited\n- `{}`: digests of all files, rule set and rubrics\n\n\
         ## Rubrics\n\n| rubric | version | text |\n|---|---|---|",
        manifest::NAME
    );
    for rubric in RUBRICS.iter().map(|rubric| &rubric.meta().rubric) {
        let _ = writeln!(text, "| {} | {} | `{}` |", rubric.id, rubric.version, rubric.text.hex());
    }
    text.push_str("\n## Columns\n");
    for layout in layouts.iter().take(TABLES.len()) {
        let _ = writeln!(text, "\n### {}\n\n| column | type | | meaning |\n|---|---|---|---|", layout.name);
        for column in &layout.columns {
            // A bar would end the cell of a Markdown table.
            let about = column.about.replace('|', "\\|");
            let _ = writeln!(text, "| {} | {} | {} | {about} |", column.name, column.kind, role(layout.name, column));
        }
    }
    // By the tables' own names: a renamed table shall not leave an old name behind here.
    let (facts, defaults) = (FactsRow::TABLE.name, RuleDefaultRow::TABLE.name);
    let _ = write!(
        text,
        "\n## Checking it\n\n`capdex verify DIR` needs nothing but this folder: it hashes every file and computes every score, \
         verdict, rank and package again from the tables `{facts}` and `{defaults}`. Without capdex, `sha256sum` gives the digests \
         of the manifest, and from the lines that it prints, sorted by name, follows `merkle_root` (RFC 6962, section 2.1).\n\n\
         ## Licence and citation\n\n\
         What this dataset adds (scores, verdicts, ranks, facts and their arrangement) is under {}. Names, descriptions and quoted \
         evidence stay their authors', and are quoted to say where a finding is. `{CITATION}` says how to cite it; name the \
         instant {} too.\n",
        options.license, options.as_of,
    );
    text
}

/// The rows of a table, those of all its nights together.
fn rows_of(table: &str, layouts: &[Layout], counts: &[u64]) -> u64 {
    layouts.iter().zip(counts).filter(|(layout, _)| layout.name == table).map(|(_, rows)| rows).sum()
}

/// The part of a column in its table, in a word or two: of its key, private, or what it leads to.
pub fn role(table: &str, column: &Column) -> String {
    let leads_to =
        tables::key_of(column.name).filter(|other| other.name != table).map(|other| format!("→ {}", other.name));
    let role = match column.role {
        ColumnRole::Key => Some("key".to_owned()),
        ColumnRole::Private => Some("private".to_owned()),
        ColumnRole::Public => None,
    };
    role.into_iter().chain(leads_to).collect::<Vec<_>>().join(" ")
}

/// What hubs of datasets read: licence, size, and the files of each table. `load_dataset(FOLDER, TABLE)` goes by it.
fn front_matter(layouts: &[Layout], counts: &[u64], files: &[FileRow], options: &ExportOptions) -> String {
    let rows: u64 = counts.iter().sum();
    let size = match rows {
        ..1_000 => "n<1K",
        1_000..10_000 => "1K<n<10K",
        10_000..100_000 => "10K<n<100K",
        100_000..1_000_000 => "100K<n<1M",
        1_000_000..10_000_000 => "1M<n<10M",
        _ => "10M<n<100M",
    };
    let mut text = format!(
        "---\npretty_name: capdex dataset\nlicense: {}\nlanguage:\n- en\ntags:\n- ai-agents\n- mcp\n- supply-chain\n- security\n\
         size_categories:\n- {size}\n",
        options.license.to_lowercase()
    );
    // One format for all tables: the first that has a file for each.
    let per_table = |exporter: &&&dyn Exporter| exporter.is_apart() && is_there(files, **exporter);
    if let Some(exporter) = EXPORTERS.iter().find(per_table) {
        text.push_str("configs:\n");
        // A hub cannot load a table without rows.
        let has_rows = |(table, _): &(&Table, &Layout)| rows_of(table.name, layouts, counts) > 0;
        for (table, layout) in TABLES.iter().zip(layouts).filter(has_rows) {
            let is_nightly = matches!(table.rows, RowOrigin::Nightly);
            let name = if is_nightly { format!("{}-*", table.name) } else { layout.file.clone() };
            let _ = writeln!(text, "- config_name: {}\n  data_files: {}", table.name, exporter.file_name(&name));
            if table.name == CapabilityRow::TABLE.name {
                text.push_str("  default: true\n");
            }
        }
    }
    text.push_str("---\n\n");
    text
}

fn citation(options: &ExportOptions) -> String {
    let day: String = options.as_of.to_string().chars().take(10).collect();
    format!(
        "cff-version: 1.2.0\nmessage: If you use this dataset, please cite it as below.\ntype: dataset\ntitle: \"{TITLE}\"\n\
         authors:\n  - name: The capdex maintainers\nversion: \"{}\"\ndate-released: {day}\nlicense: {}\n",
        options.as_of, options.license
    )
}

fn is_there(files: &[FileRow], exporter: &dyn Exporter) -> bool {
    TABLES.first().is_some_and(|table| files.iter().any(|file| file.path == exporter.file_name(table.name)))
}

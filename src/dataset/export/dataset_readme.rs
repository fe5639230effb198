//! The card of a dataset: `README.md` for people, `croissant.json` for programs.
//!
//! Both say what the manifest and the data dictionary say, and hold no text of a stranger.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use capdex_model::rule::RuleIndex;
use capdex_rubrics::RUBRICS;
use serde_json::{Value, json};

use super::ExportOptions;
use super::exporters::EXPORTERS;
use super::file::FileRow;
use super::file::HashedFile;
use super::format::Exporter;
use super::manifest;
use super::table::{ColumnType, Layout};
use super::table_row::TableRow as _;
use super::tables::TABLES;
use super::tables::facts::FactsRow;
use super::tables::rule_defaults::RuleDefaultRow;

/// For people.
const README: &str = "README.md";
/// For programs: Croissant 1.0 (<https://docs.mlcommons.org/croissant/docs/croissant-spec.html>).
const CROISSANT: &str = "croissant.json";

/// Both.
pub(super) const NAMES: [&str; 2] = [README, CROISSANT];

/// The description of a dataset, in one sentence.
const ABOUT: &str = "Capabilities of AI agents (skills, MCP servers, hooks, plugins and rules files) as directories list them, each scored by \
                     several published methods and ranked, with every fact that the scores rest on.";

/// Writes both files; their lines in the manifest. `files` are those of the tables and `counts` the rows of each table.
pub(super) fn write(
    dir: &Path,
    layouts: &[Layout],
    counts: &[u64],
    files: &[FileRow],
    options: &ExportOptions,
    rules: &RuleIndex,
) -> anyhow::Result<Vec<FileRow>> {
    // Croissant names the digests of all table files, so both are written after them.
    let croissant = serde_json::to_string_pretty(&croissant(layouts, files, options))? + "\n";
    let readme = readme(layouts, counts, files, options, rules);
    let written = |name: &str, text: &str| {
        let mut file = HashedFile::create(dir, name.to_owned())?;
        file.write_all(text.as_bytes())?;
        file.finish(0)
    };
    Ok(vec![written(README, &readme)?, written(CROISSANT, &croissant)?])
}

fn readme(layouts: &[Layout], counts: &[u64], files: &[FileRow], options: &ExportOptions, rules: &RuleIndex) -> String {
    // Written to a `String`, which cannot fail, hence the ignored results.
    let mut text = format!("# capdex dataset of {}\n\n{ABOUT}\n\n", options.as_of);
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
    for (table, count) in TABLES.iter().zip(counts) {
        let _ = writeln!(text, "| {} | {count} | {} |", table.name, table.about);
    }
    text.push_str("\n## Files\n\n");
    // Only formats that were asked for: a reader must not look for files that are not there.
    for exporter in EXPORTERS.iter().filter(|exporter| is_there(files, **exporter)) {
        let _ = writeln!(text, "- `{}`: {}", exporter.file_name("<table>"), exporter.about());
    }
    let _ = writeln!(
        text,
        "- `{CROISSANT}`: the columns of every table as Croissant metadata\n- `{}`: digests of all files, rule set and rubrics\n\n\
         ## Rubrics\n\n| rubric | version | text |\n|---|---|---|",
        manifest::NAME
    );
    for rubric in RUBRICS.iter().map(|rubric| &rubric.meta().rubric) {
        let _ = writeln!(text, "| {} | {} | `{}` |", rubric.id, rubric.version, rubric.text.hex());
    }
    text.push_str("\n## Columns\n");
    for layout in layouts {
        let _ = writeln!(text, "\n### {}\n\n| column | type | meaning |\n|---|---|---|", layout.name);
        for column in &layout.columns {
            let kind = format!("{:?}", column.kind).to_lowercase();
            // A bar would end the cell of a Markdown table.
            let _ = writeln!(text, "| {} | {kind} | {} |", column.name, column.about.replace('|', "\\|"));
        }
    }
    // By the tables' own names: a renamed table shall not leave an old name behind here.
    let (facts, defaults) = (FactsRow::TABLE.name, RuleDefaultRow::TABLE.name);
    let _ = write!(
        text,
        "\n## Checking it\n\n`capdex verify DIR` needs nothing but this folder: it hashes every file and computes every score, \
         verdict, rank and package again from the tables `{facts}` and `{defaults}`. Without capdex, `sha256sum` gives the digests \
         of the manifest, and from the lines that it prints, sorted by name, follows `merkle_root` (RFC 6962, section 2.1).\n",
    );
    text
}

fn is_there(files: &[FileRow], exporter: &dyn Exporter) -> bool {
    TABLES.first().is_some_and(|table| files.iter().any(|file| file.path == exporter.file_name(table.name)))
}

fn croissant(layouts: &[Layout], files: &[FileRow], options: &ExportOptions) -> Value {
    // The day from the instant of the run: a card has no clock of its own.
    let day: String = options.as_of.to_string().chars().take(10).collect();
    json!({
        "@context": context(),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "capdex",
        "description": ABOUT,
        // Semantic versions, as Croissant wants them; the day is build metadata.
        "version": format!("1.0.0+{}", day.replace('-', "")),
        "datePublished": day,
        "inLanguage": "en",
        "isLiveDataset": false,
        "keywords": ["AI agents", "MCP", "skills", "supply chain", "trust scores"],
        "distribution": files.iter().map(file_object).collect::<Vec<_>>(),
        "recordSet": layouts.iter().filter_map(|layout| record_set(layout, files)).collect::<Vec<_>>(),
    })
}

fn file_object(file: &FileRow) -> Value {
    json!({
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "contentUrl": file.path,
        "contentSize": format!("{} B", file.bytes),
        "encodingFormat": media_type(&file.path),
        "sha256": file.sha256,
    })
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("parquet") => "application/x-parquet",
        Some("jsonl") => "application/jsonlines",
        Some("csv") => "text/csv",
        _ => "application/vnd.sqlite3",
    }
}

/// The columns of a table, out of the first format that has a file for it alone.
fn record_set(layout: &Layout, files: &[FileRow]) -> Option<Value> {
    let own = |exporter: &&dyn Exporter| {
        let path = exporter.file_name(layout.name);
        // A format with one file for all tables gives the same name for any table, also for none.
        (path != exporter.file_name("") && files.iter().any(|file| file.path == path)).then_some(path)
    };
    let path = EXPORTERS.iter().find_map(own)?;
    let field = |column: &super::table::Column| {
        let id = format!("{}/{}", layout.name, column.name);
        json!({
            "@type": "cr:Field",
            "@id": id,
            "name": column.name,
            "description": column.about,
            "dataType": match column.kind {
                ColumnType::Integer => "sc:Integer",
                ColumnType::Number => "sc:Float",
                // Croissant has no type for JSON, which is text in Parquet too.
                ColumnType::Text | ColumnType::Json => "sc:Text",
            },
            "source": { "fileObject": { "@id": path }, "extract": { "column": column.name } },
        })
    };
    let about = TABLES.iter().find(|table| table.name == layout.name).map_or("", |table| table.about);
    Some(json!({
        "@type": "cr:RecordSet",
        "@id": layout.name,
        "name": layout.name,
        "description": about,
        "field": layout.columns.iter().map(field).collect::<Vec<_>>(),
    }))
}

/// The context that the specification gives (section "Context and namespaces"); offline programs read it as it is.
fn context() -> Value {
    json!({
        "@language": "en",
        "@vocab": "https://schema.org/",
        "citeAs": "cr:citeAs",
        "column": "cr:column",
        "conformsTo": "dct:conformsTo",
        "cr": "http://mlcommons.org/croissant/",
        "data": { "@id": "cr:data", "@type": "@json" },
        "dataType": { "@id": "cr:dataType", "@type": "@vocab" },
        "dct": "http://purl.org/dc/terms/",
        "equivalentProperty": "cr:equivalentProperty",
        "examples": { "@id": "cr:examples", "@type": "@json" },
        "extract": "cr:extract",
        "field": "cr:field",
        "fileObject": "cr:fileObject",
        "fileProperty": "cr:fileProperty",
        "fileSet": "cr:fileSet",
        "format": "cr:format",
        "includes": "cr:includes",
        "isLiveDataset": "cr:isLiveDataset",
        "jsonPath": "cr:jsonPath",
        "key": "cr:key",
        "md5": "cr:md5",
        "parentField": "cr:parentField",
        "path": "cr:path",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "recordSet": "cr:recordSet",
        "references": "cr:references",
        "regex": "cr:regex",
        "repeated": "cr:repeated",
        "replace": "cr:replace",
        "samplingRate": "cr:samplingRate",
        "sc": "https://schema.org/",
        "separator": "cr:separator",
        "source": "cr:source",
        "subField": "cr:subField",
        "transform": "cr:transform",
    })
}

//! `croissant.json`: the columns of every table as metadata of Croissant 1.0
//! (<https://docs.mlcommons.org/croissant/docs/croissant-spec.html>).

use serde_json::{Value, json};

use super::ExportOptions;
use super::dataset_readme::{ABOUT, TITLE};
use super::exporters::EXPORTERS;
use super::file::FileRow;
use super::format::Exporter;
use super::shape::Shape;
use super::table::{Column, ColumnRole, ColumnType, Layout};
use super::tables::{self, TABLES};

/// The metadata. `files` are those of the tables.
pub(super) fn croissant(layouts: &[Layout], files: &[FileRow], options: &ExportOptions) -> Value {
    // The day from the instant of the run: a card has no clock of its own.
    let day: String = options.as_of.to_string().chars().take(10).collect();
    let mut distribution: Vec<Value> = files.iter().map(file_object).collect();
    distribution.extend(layouts.iter().filter(|layout| layout.night.is_some()).filter_map(|layout| {
        let name = exporter_of(layout, files)?.file_name(&format!("{}-*", layout.name));
        Some(json!({
            "@type": "cr:FileSet",
            "@id": layout.name,
            "name": layout.name,
            "description": "a file for each night",
            "encodingFormat": media_type(&name),
            "includes": name,
        }))
    }));
    let version = day.replace('-', "");
    json!({
        "@context": context(),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "capdex",
        "description": ABOUT,
        "license": format!("https://spdx.org/licenses/{}.html", options.license),
        "citeAs": format!("@misc{{capdex_{version}, title = {{{TITLE}}}, author = {{{{The capdex maintainers}}}}, year = {{{}}}, note = {{dataset of {}}}}}", &version.get(..4).unwrap_or_default(), options.as_of),
        "creator": { "@type": "sc:Organization", "name": "The capdex maintainers" },
        // Semantic versions, as Croissant wants them; the day is build metadata.
        "version": format!("3.0.0+{version}"),
        "datePublished": day,
        "inLanguage": "en",
        "isLiveDataset": false,
        "keywords": ["AI agents", "MCP", "skills", "supply chain", "trust scores"],
        "distribution": distribution,
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

/// The first format that has a file for this table alone.
fn exporter_of(layout: &Layout, files: &[FileRow]) -> Option<&'static dyn Exporter> {
    EXPORTERS.iter().copied().find(|exporter| {
        let path = exporter.file_name(&layout.file);
        // A format with one file for all tables gives the same name for any table, also for none.
        path != exporter.file_name("") && files.iter().any(|file| file.path == path)
    })
}

/// The columns of a table.
fn record_set(layout: &Layout, files: &[FileRow]) -> Option<Value> {
    let exporter = exporter_of(layout, files)?;
    let source = if layout.night.is_some() {
        json!({ "fileSet": { "@id": layout.name } })
    } else {
        json!({ "fileObject": { "@id": exporter.file_name(&layout.file) } })
    };
    let key: Vec<Value> = layout
        .columns
        .iter()
        .filter(|column| column.role == ColumnRole::Key)
        .map(|column| json!({ "@id": format!("{}/{}", layout.name, column.name) }))
        .collect();
    let about = TABLES.iter().find(|table| table.name == layout.name).map_or("", |table| table.about);
    let mut set = json!({
        "@type": "cr:RecordSet",
        "@id": format!("{}-rows", layout.name),
        "name": layout.name,
        "description": about,
        "field": layout.columns.iter().map(|column| field(layout, column, &source)).collect::<Vec<_>>(),
    });
    if !key.is_empty() {
        set["key"] = Value::Array(key);
    }
    Some(set)
}

fn field(layout: &Layout, column: &Column, source: &Value) -> Value {
    let mut from = source.clone();
    from["extract"] = json!({ "column": column.name });
    let mut field = json!({
        "@type": "cr:Field",
        "@id": format!("{}/{}", layout.name, column.name),
        "name": column.name,
        "description": column.about,
        "dataType": match column.kind {
            ColumnType::Integer => "sc:Integer",
            ColumnType::Number => "sc:Float",
            ColumnType::Boolean => "sc:Boolean",
            ColumnType::Timestamp => "sc:DateTime",
            // Croissant has no type for JSON, which is text in Parquet too.
            ColumnType::Text | ColumnType::Json | ColumnType::Nested(_) => "sc:Text",
        },
        "source": from,
    });
    if matches!(column.kind, ColumnType::Nested(Shape::List(_))) {
        field["repeated"] = Value::Bool(true);
    }
    if let Some(table) = tables::key_of(column.name).filter(|table| table.name != layout.name) {
        field["references"] = json!({ "field": { "@id": format!("{}/{}", table.name, column.name) } });
    }
    field
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

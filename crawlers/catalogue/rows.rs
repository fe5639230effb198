//! The rows of a list, from CSV or JSON lines.

use serde::{Deserialize, Serialize};

/// One row. Empty text counts as none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct CatalogueRow {
    /// The name of the thing in the marketplace.
    pub(super) id: String,
    /// Where its bytes are: an address or a path.
    pub(super) archive: String,
    /// Its version.
    pub(super) version: Option<String>,
    /// Whose it is.
    pub(super) publisher: Option<String>,
    /// Where it is at home.
    pub(super) url: Option<String>,
}

/// Reads a list.
///
/// # Errors
/// What is wrong with the list, and in which line: text that is neither form, or a row without an id.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<CatalogueRow>, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("it is no UTF-8: {error}"))?;
    let text = text.trim_start_matches('\u{feff}');
    let rows = if text.trim_start().starts_with('{') { json_lines(text) } else { csv(text) }?;
    for (number, row) in rows.iter().enumerate() {
        if row.id.is_empty() {
            return Err(format!("row {} has no id", number + 1));
        }
    }
    Ok(rows)
}

fn json_lines(text: &str) -> Result<Vec<CatalogueRow>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            let row = serde_json::from_str(line).map_err(|error| format!("line {}: {error}", number + 1))?;
            Ok(trimmed(row))
        })
        .collect()
}

fn csv(text: &str) -> Result<Vec<CatalogueRow>, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let columns = reader.headers().map_err(|error| error.to_string())?;
    for needed in ["id", "archive"] {
        if !columns.iter().any(|column| column == needed) {
            return Err(format!("its first row names no column {needed:?}"));
        }
    }
    reader.deserialize().map(|row| row.map(trimmed).map_err(|error| error.to_string())).collect()
}

fn trimmed(row: CatalogueRow) -> CatalogueRow {
    let text = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    CatalogueRow {
        id: row.id.trim().to_owned(),
        archive: row.archive.trim().to_owned(),
        version: text(row.version),
        publisher: text(row.publisher),
        url: text(row.url),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_forms_give_the_same_rows() {
        let csv = "archive, id ,publisher,stars,version,url\n\
                   notes.tgz,ann/notes,Ann,7,1.0,https://ann.example\n\
                   \"a,b.zip\",bob/pack,,,,\n";
        let lines = "{\"id\":\"ann/notes\",\"archive\":\"notes.tgz\",\"publisher\":\"Ann\",\"stars\":7,\
                     \"version\":\"1.0\",\"url\":\"https://ann.example\"}\n\n\
                     {\"id\":\" bob/pack \",\"archive\":\"a,b.zip\",\"publisher\":null,\"url\":\"\"}\n";
        let rows = read(csv.as_bytes()).expect("a list");
        assert_eq!(Ok(&rows), read(lines.as_bytes()).as_ref());
        assert_eq!(rows.len(), 2);
        assert_eq!(rows.first().and_then(|row| row.version.as_deref()), Some("1.0"));
        assert_eq!(read(format!("\u{feff}{csv}").as_bytes()), Ok(rows));
    }

    #[test]
    fn what_is_no_list_is_refused_with_its_place() {
        for (text, part) in [
            ("", "names no column \"id\""),
            ("<!doctype html>\n<title>x</title>", "names no column \"id\""),
            ("id,name\na,b\n", "names no column \"archive\""),
            ("id,archive\na,b\n,c\n", "row 2 has no id"),
            ("id,archive\na\n", "record 1"),
            ("{\"id\":\"a\",\"archive\":\"b\"}\n{\"id\":", "line 2"),
            ("{}", "row 1 has no id"),
            ("null", "names no column"),
        ] {
            let error = read(text.as_bytes()).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(read(b"\xff").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic_and_rows_have_ids(text in "\\PC{0,80}|(id,archive\n)?([a-c\",\n]{0,20})") {
            if let Ok(rows) = read(text.as_bytes()) {
                prop_assert!(rows.iter().all(|row| !row.id.is_empty()));
            }
        }
    }
}

//! The `[export]` table of a schedule: the formats of the dataset that a night writes.

use std::path::PathBuf;

use anyhow::Context as _;
use capdex_dataset::export::{DEFAULT_FORMAT, DEFAULT_LICENSE, EXPORTERS};
use capdex_dataset::signature::SigningKey;
use serde::Deserialize;

use super::keys::keys;
use crate::nearest::did_you_mean;
use crate::signing;

keys! {
    /// The dataset that a night writes.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct ExportSection {
        /// The formats in which every table is written: `parquet`, `jsonl`, `csv`, `sqlite`. Each one more is the whole dataset
        /// once more, every night.
        #[key(default = DEFAULT_FORMAT, example = r#"["parquet", "csv"]"#)]
        pub formats: Option<Vec<String>>,
        /// The licence of what the dataset adds, an SPDX identifier. Quoted texts stay their authors'.
        #[key(default = DEFAULT_LICENSE, example = r#""CC0-1.0""#)]
        pub license: Option<String>,
        /// Also the table `judge_transcripts`: the requests to the judge and its answers as they came. Whoever reads them learns
        /// which tools are planted in requests.
        #[key(default = false, example = "true")]
        pub judge_transcripts: bool,
        /// The secret key that signs the dataset, a file of `capdex keys new` or of minisign. A password of its own is read from
        /// `sign_password_file`, or else from the variable `CAPDEX_KEY_PASSWORD`.
        #[key(default = "none: no signature", example = r#""/etc/capdex/capdex.key""#)]
        pub sign: Option<PathBuf>,
        /// The file that holds the password of that key in its one line.
        #[key(default = "none", example = r#""/etc/capdex/password""#)]
        pub sign_password_file: Option<PathBuf>,
    }
}

impl ExportSection {
    /// The key that signs, opened; none where nothing is signed.
    ///
    /// # Errors
    /// A key that cannot be used.
    pub fn signing_key(&self) -> anyhow::Result<Option<SigningKey>> {
        let open = |path: &PathBuf| signing::signing_key(path, self.sign_password_file.as_deref());
        self.sign.as_ref().map(open).transpose().context("export.sign")
    }

    /// The licence.
    pub fn license(&self) -> String {
        self.license.clone().unwrap_or_else(|| DEFAULT_LICENSE.to_owned())
    }

    /// The formats, checked.
    ///
    /// # Errors
    /// The key and what is wrong with it.
    pub fn formats(&self) -> Result<Vec<String>, String> {
        let formats = self.formats.clone().unwrap_or_else(|| vec![DEFAULT_FORMAT.to_owned()]);
        if formats.is_empty() {
            return Err("export.formats: at least one".to_owned());
        }
        match formats.iter().find(|format| EXPORTERS.iter().all(|exporter| exporter.id() != *format)) {
            Some(format) => {
                let known: Vec<&str> = EXPORTERS.iter().map(|exporter| exporter.id()).collect();
                Err(format!(
                    "export.formats: there is no format {format:?}{}; the formats are {}",
                    did_you_mean(format, known.iter().copied()),
                    known.join(", ")
                ))
            }
            None => Ok(formats),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formats(of: &[&str]) -> Result<Vec<String>, String> {
        ExportSection {
            formats: Some(of.iter().map(|format| (*format).to_owned()).collect()),
            ..ExportSection::default()
        }
        .formats()
    }

    #[test]
    fn parquet_alone_is_written_unless_the_schedule_asks_for_more() {
        assert_eq!(ExportSection::default().formats().as_deref(), Ok(&["parquet".to_owned()][..]));
        assert_eq!(formats(&["csv", "jsonl"]).map(|formats| formats.len()), Ok(2));
    }

    #[test]
    fn no_format_and_an_unknown_one_are_refused_by_the_name_of_the_key() {
        for wrong in [&[][..], &["parquet", "xml"]] {
            assert!(formats(wrong).is_err_and(|why| why.starts_with("export.formats: ")), "{wrong:?}");
        }
    }
}

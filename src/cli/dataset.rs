//! The options of the commands that write and check the dataset, `export` and `verify`.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use capdex_dataset::signature::VerifyingKey;
use clap::Args;

use super::SigningArgs;
use crate::signing;

/// Options of `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Where the dataset goes. Its files of before are replaced; whatever else lies there stays.
    pub dir: PathBuf,
    /// Which formats, separated by commas: parquet, jsonl, csv, sqlite.
    #[arg(long, value_delimiter = ',', default_value = capdex_dataset::export::DEFAULT_FORMAT, value_name = "FORMATS")]
    pub format: Vec<String>,
    /// What ranks within a band: trust, the mean percentile over the methods, or a rubric by its own value.
    #[arg(long, value_name = "RUBRIC", default_value = capdex_rubrics::rank::TRUST)]
    pub rank_by: String,
    /// Also the columns that the data dictionary calls private, for a dataset that you keep for yourself.
    #[arg(long)]
    pub private: bool,
    /// Also the table judge_transcripts: the requests to the judge and its answers as they came. Whoever reads them learns which tools
    /// are planted.
    #[arg(long)]
    pub judge_transcripts: bool,
    /// The licence of what the dataset adds, an SPDX identifier. Quoted texts stay their authors'.
    #[arg(long, default_value = capdex_dataset::export::DEFAULT_LICENSE, value_name = "SPDX")]
    pub license: String,
    /// The dataset that the tables of changes and of history follow; without it, the one that stands in DIR.
    #[arg(long, value_name = "DATASET")]
    pub since: Option<PathBuf>,
    /// The key that signs the manifest.
    #[command(flatten)]
    pub signing: SigningArgs,
}

/// Options of `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// A folder that `export` or `report` wrote, a capability in the store, or with --key a file that `keys sign` signed.
    #[arg(value_name = "DIR|CAPABILITY|FILE")]
    pub target: String,
    /// The public key that must have signed the folder's manifest, or the file: its file, or its text. A folder that it has not signed
    /// is refused before anything else of it is read.
    #[arg(long, value_name = "PUBKEY", value_parser = signing::verifying_key)]
    pub key: Option<VerifyingKey>,
}

//! Fetches a skill whose texts come as one JSON answer, `{"files": [{"path": …, "contents": …}]}`, as skill directories
//! give it.

use serde::Deserialize;

use super::Fetched;
use super::artifact;
use crate::http::Http;
use crate::{CrawlError, json, unpack};

#[derive(Deserialize)]
struct FileListReply {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    path: String,
    contents: String,
}

/// Every path is admitted as those of archives are; what is refused is a gap.
pub(super) async fn fetch(http: &Http, url: &str, limits: &unpack::UnpackLimits) -> Result<Fetched, CrawlError> {
    let bytes = artifact::download(http, url, &[], limits).await?;
    let limits = *limits;
    artifact::take(url, bytes, move |bytes| {
        // The cap of the download does not bound the memory of its values; this reader does.
        let value = json::parse(&bytes, |_, _| false)?;
        let answer: FileListReply = serde_json::from_value(value).map_err(|error| error.to_string())?;
        let files = answer.files.into_iter().map(|file| (file.path, file.contents.into_bytes())).collect();
        Ok(unpack::take_files(files, &limits))
    })
    .await
}

//! `Journal`: the file that lies in an output folder while its files are replaced.
//!
//! It says which files are ours, those of before and those of now, and where the new ones are. Whoever comes after a kill
//! completes the writing from it.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::files_there::{Entry, FilesThere, MAX_MANIFEST_BYTES};
use super::scratch::{self, Scratch};
use super::{FileDigests, OutputKind, refused};

/// Its name.
pub(super) const NAME: &str = ".capdex-unfinished.json";
/// Its schema.
const SCHEMA: &str = "capdex.unfinished/1";

/// A writing that has begun to replace files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Journal {
    schema: String,
    /// The manifest of what is written, which tells an export from a site.
    manifest: String,
    /// The name of the scratch folder.
    pub(super) scratch: String,
    /// Every file of the new writing, its manifest too.
    pub(super) files: FileDigests,
    /// The files of ours that were there before.
    pub(super) before: FileDigests,
}

impl Journal {
    pub(super) fn of(kind: &OutputKind, scratch: &Scratch, files: &FileDigests, there: &FilesThere) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            manifest: kind.manifest.to_owned(),
            scratch: scratch.name(),
            files: files.clone(),
            before: there.digests(),
        }
    }

    /// The journal of a folder; none where nothing was cut short.
    ///
    /// # Errors
    /// [`crate::Refused`] where a file of that name is none of ours.
    pub(super) fn read(dir: &Path, kind: &OutputKind) -> anyhow::Result<Option<Self>> {
        let path = dir.join(NAME);
        let about = match Entry::at(dir, NAME) {
            Entry::Nothing => return Ok(None),
            Entry::File(about) if about.len() <= MAX_MANIFEST_BYTES => about,
            _ => return Err(refused(format!("{} is none of ours; move it away", path.display()))),
        };
        let bytes = fs::read(&path).with_context(|| format!("failed to read {}", path.display()))?;
        let journal: Option<Self> = serde_json::from_slice(&bytes).ok();
        match journal.filter(|journal| journal.schema == SCHEMA && scratch::is_random_name(&journal.scratch)) {
            Some(journal) if journal.manifest == kind.manifest => Ok(Some(journal)),
            Some(journal) => Err(refused(format!(
                "{} is a writing of {} that was cut short, and not {}; name another folder",
                dir.display(),
                journal.manifest,
                kind.what
            ))),
            None => Err(refused(format!("{} ({} bytes) is none of ours; move it away", path.display(), about.len()))),
        }
    }

    /// Puts it into the folder, whole.
    pub(super) fn write(&self, dir: &Path, scratch: &Scratch) -> anyhow::Result<()> {
        let made = scratch.path().join(NAME);
        let failed = || format!("failed to write {}", made.display());
        let mut file = File::create(&made).with_context(failed)?;
        file.write_all(&serde_json::to_vec(self)?).with_context(failed)?;
        // Before the first file is replaced it must be there, also after a power cut.
        file.sync_all().with_context(failed)?;
        let to = dir.join(NAME);
        scratch::move_file(&made, &to).with_context(|| format!("failed to put {} in place", to.display()))
    }

    /// Takes it away: the writing is complete.
    pub(super) fn remove(dir: &Path) -> anyhow::Result<()> {
        let path = dir.join(NAME);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("failed to remove {}", path.display()))
            }
            _ => Ok(()),
        }
    }
}

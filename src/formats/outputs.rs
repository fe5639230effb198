//! `ScanOutputs`: the results of one scan in several formats at once, the first on standard output, the others in files.

use std::path::PathBuf;

use anyhow::Context as _;
use capdex_dataset::escape;

use super::{FORMATS, JudgedCapability, Printer};
use crate::cli::ScanOutput;
use crate::exit::usage;
use crate::output::Out;

/// A print into a file.
struct FileOutput {
    path: PathBuf,
    printer: Box<dyn Printer>,
    out: Out,
}

/// Every print of one scan.
pub struct ScanOutputs {
    printer: Box<dyn Printer>,
    files: Vec<FileOutput>,
}

impl ScanOutputs {
    /// Begins every print, so that a file that cannot be written is told before the scan.
    ///
    /// # Errors
    /// An unknown format, or a file that cannot be made.
    pub fn open(format: &str, files: &[ScanOutput]) -> anyhow::Result<Self> {
        let open = |file: &ScanOutput| {
            let out = Out::file(&file.path).with_context(|| failed(&file.path))?;
            Ok(FileOutput { path: file.path.clone(), printer: printer(&file.format)?, out })
        };
        Ok(Self { printer: printer(format)?, files: files.iter().map(open).collect::<anyhow::Result<_>>()? })
    }

    /// Takes one result.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn add(&mut self, judged: &JudgedCapability, out: &mut Out) -> anyhow::Result<()> {
        for file in &mut self.files {
            file.printer.add(judged, &mut file.out).with_context(|| failed(&file.path))?;
        }
        self.printer.add(judged, out)
    }

    /// Ends every print.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn finish(self, out: &mut Out) -> anyhow::Result<()> {
        for mut file in self.files {
            let ended = file.printer.finish(&mut file.out);
            ended.and_then(|()| Ok(file.out.flush()?)).with_context(|| failed(&file.path))?;
        }
        self.printer.finish(out)
    }
}

fn printer(id: &str) -> anyhow::Result<Box<dyn Printer>> {
    let format = FORMATS.iter().find(|format| format.id() == id);
    format.map(|format| format.printer()).ok_or_else(|| usage(format!("there is no format {id:?}")))
}

fn failed(path: &std::path::Path) -> String {
    format!("failed to write {}", escape::escape(&path.display().to_string()))
}

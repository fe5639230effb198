//! Tar members into files. Reads the headers raw and applies long names and PAX records itself.
//!
//! Readers of tar disagree about contradictory headers, and what one of them takes for a file's content another takes
//! for more members. So a contradiction ends the reading with a gap: nothing after it has one meaning. Sources:
//! POSIX.1-2024 `pax`; GNU tar manual, "Basic Tar Format".

use std::borrow::Cow;
use std::io::{self, Cursor, Read};
use std::rc::Rc;

use capdex_model::snapshot::GapReason;
use tar::{Archive, Entry, EntryType};

use super::UnpackLimits;
use super::capped::{Capped, ReadProgress, Refusal, read_at_most};
use super::format::BLOCK_BYTES;
use super::intake::IntakeScope;
use super::links::LinkTarget;
use super::paths::shown;
use super::pax::Pax;

/// The longest long name or block of PAX records. Honest ones are a few hundred bytes.
const EXTENSION_BYTES: u64 = 64 << 10;

/// The rule on whether an archive must end with a block of zeros.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Without it, nobody can tell whether something is missing.
    Required,
    /// The stream around it has an end of its own that is checked.
    Optional,
}

/// Why the reading of an archive ended early: the refusal and, where it concerns one, the member's name.
struct TarStop {
    member: Option<Vec<u8>>,
    refusal: Refusal,
}

impl TarStop {
    fn malformed(name: &[u8], detail: impl Into<String>) -> Self {
        let refusal = Refusal { reason: GapReason::Malformed, detail: detail.into() };
        Self { member: Some(name.to_vec()), refusal }
    }
}

impl From<Refusal> for TarStop {
    fn from(refusal: Refusal) -> Self {
        Self { member: None, refusal }
    }
}

/// The words of a [`GapReason::FileTooLarge`].
pub(super) fn too_large(limits: &UnpackLimits) -> String {
    format!("more than {} bytes", limits.file_bytes)
}

/// Reads every member into `inside`. Faults are recorded there.
pub(super) fn read(stream: impl Read, ending: Ending, inside: &mut IntakeScope<'_>) {
    let stream = inside.capped(stream);
    let mut members = Members { progress: stream.progress(), pending: Pending::default() };
    if let Err(TarStop { member, refusal }) = members.read_parts(stream, ending, inside) {
        match member {
            Some(name) => inside.member_gap(&name, refusal.reason, refusal.detail),
            None => inside.refuse(refusal),
        }
    }
}

/// The long name and the records that extension headers gave for the member to come.
#[derive(Default)]
struct Pending {
    long_name: Option<Vec<u8>>,
    long_link: Option<Vec<u8>>,
    pax: Option<Pax>,
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.long_name.is_none() && self.long_link.is_none() && self.pax.is_none()
    }

    /// The member's name; two different ones are a contradiction.
    fn name(&self, header: Cow<'_, [u8]>) -> Result<Vec<u8>, TarStop> {
        let pax = self.pax.as_ref().and_then(|pax| pax.path.as_ref());
        match (pax, self.long_name.as_ref()) {
            (Some(one), Some(other)) if one != other => Err(TarStop::malformed(one, "two long names for one member")),
            (Some(name), _) | (None, Some(name)) => Ok(name.clone()),
            (None, None) => Ok(header.into_owned()),
        }
    }
}

/// The state of a walk over the members.
struct Members {
    progress: Rc<ReadProgress>,
    pending: Pending,
}

impl Members {
    fn refusal(&self, error: &io::Error) -> Refusal {
        Refusal::of(error, self.progress.ended())
    }

    /// Reads members up to the end mark of two zero blocks. One alone ends the archive for some readers (Python) and not for
    /// others (npm), so that what follows it is read and recorded.
    fn read_parts<R: Read>(
        &mut self,
        mut stream: Capped<R>,
        ending: Ending,
        inside: &mut IntakeScope<'_>,
    ) -> Result<(), TarStop> {
        let (mut begun, mut base) = (Vec::new(), 0_u64);
        loop {
            let mut archive = Archive::new(Cursor::new(begun).chain(stream));
            let end = base.saturating_add(self.read_all(&mut archive, inside)?);
            (_, stream) = archive.into_inner().into_inner();
            if self.progress.delivered() < end.saturating_add(BLOCK_BYTES as u64) {
                if ending == Ending::Required {
                    let detail = "the end of the archive is missing".to_owned();
                    return Err(Refusal { reason: GapReason::Truncated, detail }.into());
                }
                return Ok(self.read_tail(stream)?);
            }
            base = self.progress.delivered();
            begun = read_some(&mut stream, BLOCK_BYTES).map_err(|error| self.refusal(&error))?;
            if begun.iter().all(|byte| *byte == 0) {
                return Ok(self.read_tail(stream)?);
            }
            inside.gap(GapReason::Malformed, "members behind a block of zeros, at which some readers stop");
        }
    }

    /// Gives the position after the last member.
    fn read_all<R: Read>(&mut self, archive: &mut Archive<R>, inside: &mut IntakeScope<'_>) -> Result<u64, TarStop> {
        let mut end = 0;
        let entries = archive.entries().map_err(|error| self.refusal(&error))?;
        // Raw, because the library would apply long names itself and resolve contradictions without a word.
        for entry in entries.raw(true) {
            let mut entry = entry.map_err(|error| self.refusal(&error))?;
            // Content is padded to whole blocks.
            end = entry.raw_file_position().saturating_add(entry.size().saturating_add(511) / 512 * 512);
            self.read_entry(&mut entry, inside)?;
        }
        if !self.pending.is_empty() {
            let detail = "an extended header without a member after it".to_owned();
            return Err(Refusal { reason: GapReason::Malformed, detail }.into());
        }
        Ok(end)
    }

    fn read_entry<R: Read>(&mut self, entry: &mut Entry<'_, R>, inside: &mut IntakeScope<'_>) -> Result<(), TarStop> {
        let twice = |header: &[u8]| TarStop::malformed(header, "two extended headers for one member");
        let header = entry.header().path_bytes().into_owned();
        match entry.header().entry_type() {
            EntryType::GNULongName => {
                let mut name = self.extension(&header, entry)?;
                // GNU tar ends the name with a zero byte, others do not.
                if name.last() == Some(&0) {
                    name.pop();
                }
                self.pending.long_name.replace(name).map_or(Ok(()), |_| Err(twice(&header)))
            }
            EntryType::GNULongLink => {
                let mut target = self.extension(&header, entry)?;
                if target.last() == Some(&0) {
                    target.pop();
                }
                self.pending.long_link.replace(target).map_or(Ok(()), |_| Err(twice(&header)))
            }
            EntryType::XHeader => {
                let pax =
                    Pax::parse(&self.extension(&header, entry)?).map_err(|why| TarStop::malformed(&header, why))?;
                self.pending.pax.replace(pax).map_or(Ok(()), |_| Err(twice(&header)))
            }
            EntryType::XGlobalHeader => {
                let pax =
                    Pax::parse(&self.extension(&header, entry)?).map_err(|why| TarStop::malformed(&header, why))?;
                let why = "an extended header renames or resizes every member";
                // git writes only a comment there; readers that pass over the header would see other names.
                if pax.is_neutral() { Ok(()) } else { Err(TarStop::malformed(&header, why)) }
            }
            kind => self.member(kind, entry, inside),
        }
    }

    /// The content of an extension header.
    fn extension<R: Read>(&self, header: &[u8], entry: &mut Entry<'_, R>) -> Result<Vec<u8>, TarStop> {
        let size = entry.size();
        if size > EXTENSION_BYTES {
            return Err(TarStop::malformed(header, format!("an extended header of more than {EXTENSION_BYTES} bytes")));
        }
        self.content(header, entry, size)
    }

    /// Exactly `size` bytes of content.
    fn content<R: Read>(&self, name: &[u8], entry: &mut Entry<'_, R>, size: u64) -> Result<Vec<u8>, TarStop> {
        let content = read_at_most(entry, size).map_err(|error| self.refusal(&error))?.unwrap_or_default();
        if content.len() as u64 == size {
            return Ok(content);
        }
        let detail = format!("ends after {} of {size} bytes", content.len());
        Err(TarStop { member: Some(name.to_vec()), refusal: Refusal { reason: GapReason::Truncated, detail } })
    }

    fn member<R: Read>(
        &mut self,
        kind: EntryType,
        entry: &mut Entry<'_, R>,
        inside: &mut IntakeScope<'_>,
    ) -> Result<(), TarStop> {
        inside.budget().count_member()?;
        // Extensions are for the one member that follows.
        let pending = std::mem::take(&mut self.pending);
        let name = pending.name(entry.header().path_bytes())?;
        let pax = pending.pax.unwrap_or_default();
        // The size that a reader believes decides where it looks for the next header.
        if let Some(size) = pax.size.filter(|size| *size != entry.size()) {
            let detail = format!("the header says {} bytes and the extended header {size}", entry.size());
            return Err(TarStop::malformed(&name, detail));
        }
        // The oldest dialect has no type for directories, only a slash at the end of the name.
        let old_directory = kind == EntryType::Regular && name.ends_with(b"/");
        let file = matches!(kind, EntryType::Regular | EntryType::Continuous) && !old_directory;
        if (is_without_content(kind) || old_directory) && entry.size() != 0 {
            // Some readers skip the content that is announced and others read it as the next header.
            return Err(TarStop::malformed(&name, "content is announced for a member that has none"));
        }
        match kind {
            _ if pax.sparse => inside.member_gap(&name, GapReason::SpecialRefused, "a sparse file"),
            _ if file => self.file(&name, entry, inside)?,
            EntryType::Directory | EntryType::Regular => inside.check_directory(&name),
            EntryType::Symlink | EntryType::Link => {
                let long = pax.link.or(pending.long_link);
                let target = long.or_else(|| entry.header().link_name_bytes().map(Cow::into_owned)).unwrap_or_default();
                let (word, target_of): (_, fn(Vec<u8>) -> LinkTarget) = match kind {
                    EntryType::Symlink => ("symbolic", LinkTarget::Symbolic),
                    _ => ("hard", LinkTarget::Hard),
                };
                let detail = format!("a {word} link to {}", shown(&target));
                inside.link(&name, target_of(target), detail);
            }
            _ => inside.member_gap(&name, GapReason::SpecialRefused, special(kind)),
        }
        Ok(())
    }

    fn file<R: Read>(
        &self,
        name: &[u8],
        entry: &mut Entry<'_, R>,
        inside: &mut IntakeScope<'_>,
    ) -> Result<(), TarStop> {
        let size = entry.size();
        let limits = inside.limits();
        let Some(path) = inside.admit(name) else { return Ok(()) };
        if size > limits.file_bytes {
            inside.member_gap(name, GapReason::FileTooLarge, format!("{size} bytes, {}", too_large(&limits)));
            return Ok(());
        }
        let content = self.content(name, entry, size)?;
        inside.keep(path, content);
        Ok(())
    }

    /// Reads what stands after the members, which also lets a compressed stream check its own end.
    fn read_tail<R: Read>(&self, mut stream: Capped<R>) -> Result<(), Refusal> {
        let mut buffer = [0; 16 << 10];
        loop {
            let read = stream.read(&mut buffer).map_err(|error| self.refusal(&error))?;
            if read == 0 {
                return Ok(());
            }
            if buffer.iter().take(read).any(|byte| *byte != 0) {
                // Some readers go on and open another archive here.
                let detail = "data after the end of the archive".to_owned();
                return Err(Refusal { reason: GapReason::Malformed, detail });
            }
        }
    }
}

/// So many bytes, or fewer where the stream ends.
fn read_some(stream: &mut impl Read, bytes: usize) -> io::Result<Vec<u8>> {
    let mut block = Vec::with_capacity(bytes);
    stream.by_ref().take(bytes as u64).read_to_end(&mut block)?;
    Ok(block)
}

/// Returns true if the type leaves no room for content.
fn is_without_content(kind: EntryType) -> bool {
    use EntryType::{Block, Char, Directory, Fifo, Link, Symlink};
    matches!(kind, Link | Symlink | Char | Block | Directory | Fifo)
}

fn special(kind: EntryType) -> String {
    match kind {
        EntryType::Char | EntryType::Block => "a device".to_owned(),
        EntryType::Fifo => "a FIFO".to_owned(),
        EntryType::GNUSparse => "a sparse file".to_owned(),
        _ => format!("a member of type {:?}", char::from(kind.as_byte())),
    }
}

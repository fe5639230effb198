//! Zip members into files. The central directory decides, as it does for installers; where it is missing, the members
//! are read one after the other.
//!
//! Readers that go by the local headers see another archive when the two disagree, so a disagreement is recorded.
//! Sources: PKWARE APPNOTE 6.3.10.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};

use capdex_model::snapshot::GapReason;
use zip::read::read_zipfile_from_stream;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive, ZipReadOptions};

use super::capped::{Refusal, read_at_most};
use super::intake::IntakeScope;
use super::links::{LinkTarget, MAX_TARGET_BYTES};
use super::paths::shown;
use super::tar::too_large;
use super::zip_layout::{self as layout, CENTRAL_HEADER};

const LOCAL_HEADER: &[u8] = b"PK\x03\x04";
const END64: &[u8] = b"PK\x06\x06";
const LOCATOR64: &[u8] = b"PK\x06\x07";
/// The longest comment, the end record and the locator before it.
const TAIL_BYTES: usize = (64 << 10) + 22 + 20;
/// The part of a unix mode that says what a member is, and its values.
const TYPE_MASK: u32 = 0o170_000;
const TYPE_LINK: u32 = 0o120_000;
const TYPE_REGULAR: u32 = 0o100_000;
const TYPE_DIRECTORY: u32 = 0o040_000;

/// Reads every member into `inside`. Faults are recorded there.
pub(super) fn read(bytes: &[u8], inside: &mut IntakeScope<'_>) {
    let declared = declared_members(bytes);
    if declared > inside.budget().members_left() as u64 {
        // The directory is held in memory whole, so it is refused before it is read.
        let detail = format!("{declared} members, more than {} are left", inside.budget().members_left());
        return inside.gap(GapReason::TooManyMembers, detail);
    }
    match ZipArchive::new(Cursor::new(bytes)) {
        Ok(mut archive) => {
            note_structure(bytes, &mut archive, inside);
            read_listed(&mut archive, inside);
        }
        // Readers that stream still see the members of an archive whose directory is missing.
        Err(error) if bytes.starts_with(LOCAL_HEADER) => read_streamed(bytes, &error, inside),
        Err(error) => inside.refuse(refusal(&error, false)),
    }
}

/// An upper bound of the members that a reader of `bytes` would hold in memory. Counted are the central headers that
/// are there, and the number that a 64-bit end record announces.
fn declared_members(bytes: &[u8]) -> u64 {
    let headers = bytes.windows(4).filter(|window| *window == CENTRAL_HEADER).count() as u64;
    let tail = bytes.get(bytes.len().saturating_sub(TAIL_BYTES)..).unwrap_or_default();
    if !tail.windows(4).any(|window| window == LOCATOR64) {
        return headers;
    }
    let ends = bytes.windows(40).filter(|window| window.starts_with(END64));
    let announced = ends.filter_map(|window| Some(u64::from_le_bytes(window.get(32..40)?.try_into().ok()?)));
    // An announcement that cannot be true allocates nothing: the reader holds it against the size of the archive.
    let possible = announced.filter(|count| count.saturating_mul(46) <= bytes.len() as u64);
    possible.max().unwrap_or(0).max(headers)
}

/// Records what makes readers disagree about the archive as a whole.
fn note_structure(bytes: &[u8], archive: &mut ZipArchive<Cursor<&[u8]>>, inside: &mut IntakeScope<'_>) {
    if inside.is_outermost() && archive.offset() > 0 {
        let detail = format!("{} bytes before the first member", archive.offset());
        inside.gap(GapReason::Malformed, detail);
    }
    if archive.has_duplicate_names() {
        read_earlier(bytes, archive.central_directory_start(), archive.offset(), inside);
        inside.gap(GapReason::DuplicatePath, "the directory names members more than once");
        // Overlapping members are how a zip bomb stays below a ratio for each member.
        if archive.has_overlapping_entries().unwrap_or(true) {
            inside.gap(GapReason::Malformed, "members overlap");
        }
    } else if let Err(error) = archive.validate_header_consistency() {
        inside.refuse(refusal(&error, false));
    } else if let Some(hidden) = layout::bytes_outside(bytes, archive.central_directory_start(), archive.offset()) {
        inside.gap(GapReason::Malformed, format!("{hidden} bytes that belong to no member"));
    }
}

/// Reads all but the last member of each name that stands in the directory more than once: the reader of the library, and
/// installers, see only that one.
fn read_earlier(bytes: &[u8], start: u64, offset: u64, inside: &mut IntakeScope<'_>) {
    let headers = layout::central_headers(bytes, start);
    let mut last: BTreeMap<&[u8], usize> = BTreeMap::new();
    let mut repeated = BTreeSet::new();
    for (at, header) in headers.iter().enumerate() {
        if last.insert(header.name, at).is_some() {
            repeated.insert(header.name);
        }
    }
    for (at, header) in headers.iter().enumerate() {
        if !repeated.contains(header.name) || last.get(header.name) == Some(&at) {
            continue;
        }
        let mut stream = Cursor::new(bytes);
        stream.set_position(offset.saturating_add(header.offset));
        if let Err((_, refusal)) = read_next(&mut stream, inside) {
            if refusal.is_cap() {
                return inside.refuse(refusal);
            }
            inside.member_gap(header.name, refusal.reason, refusal.detail);
        }
    }
}

fn read_listed(archive: &mut ZipArchive<Cursor<&[u8]>>, inside: &mut IntakeScope<'_>) {
    for index in 0..archive.len() {
        let member = match archive.by_index_data(index) {
            Ok(entry) => ZipMember {
                name: entry.name_raw().to_vec(),
                mode: entry.unix_mode(),
                size: entry.size(),
                encrypted: entry.encrypted(),
                method: entry.compression(),
            },
            Err(error) => return inside.refuse(refusal(&error, false)),
        };
        if let Err(refusal) = inside.budget().count_member() {
            return inside.refuse(refusal);
        }
        let Some(path) = member.admit(inside) else { continue };
        let outcome = match archive.by_index_with_options(index, ZipReadOptions::new()) {
            Ok(file) => member.read(file, inside),
            Err(error) => Err(refusal(&error, false)),
        };
        match outcome {
            Ok(Some(content)) => member.keep(path, content, inside),
            Ok(None) => {}
            // A spent budget ends the archive; a damaged member costs only itself.
            Err(refusal) if refusal.is_cap() => return inside.refuse(refusal),
            Err(refusal) => inside.member_gap(&member.name, refusal.reason, refusal.detail),
        }
    }
}

/// Reads members in the order of their local headers, up to the first that is damaged. `error` is why the directory
/// could not be read.
fn read_streamed(bytes: &[u8], error: &ZipError, inside: &mut IntakeScope<'_>) {
    let mut stream = Cursor::new(bytes);
    loop {
        let outcome = read_next(&mut stream, inside);
        let ended = stream.position() >= bytes.len() as u64;
        match outcome {
            Ok(true) => {}
            Ok(false) => return inside.refuse(refusal(error, false)),
            Err((name, mut refusal)) => {
                // Damage at the end of the bytes is a cut.
                if ended && !refusal.is_cap() {
                    refusal.reason = GapReason::Truncated;
                }
                return match name {
                    Some(name) => inside.member_gap(&name, refusal.reason, refusal.detail),
                    None => inside.refuse(refusal),
                };
            }
        }
    }
}

/// Reads the member that begins here; `false` when the directory begins instead. An error names the member, once that
/// is known.
fn read_next(stream: &mut Cursor<&[u8]>, inside: &mut IntakeScope<'_>) -> Result<bool, (Option<Vec<u8>>, Refusal)> {
    let next = read_zipfile_from_stream(stream).map_err(|error| (None, refusal(&error, false)))?;
    let Some(file) = next else { return Ok(false) };
    inside.budget().count_member().map_err(|refusal| (None, refusal))?;
    let member = ZipMember {
        name: file.name_raw().to_vec(),
        // Local headers have no mode, so that a link reads as a file with its target as text.
        mode: None,
        size: file.size(),
        encrypted: file.encrypted(),
        method: file.compression(),
    };
    if let Some(path) = member.admit(inside) {
        let content = member.read(file, inside).map_err(|refusal| (Some(member.name.clone()), refusal))?;
        if let Some(content) = content {
            member.keep(path, content, inside);
        }
    }
    Ok(true)
}

/// One member as its headers describe it.
struct ZipMember {
    name: Vec<u8>,
    mode: Option<u32>,
    size: u64,
    encrypted: bool,
    method: CompressionMethod,
}

impl ZipMember {
    /// The path of a file that is to be read; `None` for directories and for what is refused, which is recorded.
    fn admit(&self, inside: &mut IntakeScope<'_>) -> Option<String> {
        if self.name.ends_with(b"/") {
            inside.check_directory(&self.name);
            if self.size != 0 {
                inside.member_gap(&self.name, GapReason::Malformed, "a directory with content");
            }
            return None;
        }
        let limits = inside.limits();
        let refused = match self.mode.unwrap_or(0) & TYPE_MASK {
            TYPE_LINK if self.size > MAX_TARGET_BYTES => {
                Some((GapReason::LinkRefused, "a symbolic link with an endless target".to_owned()))
            }
            TYPE_LINK | 0 | TYPE_REGULAR | TYPE_DIRECTORY => None,
            _ => Some((GapReason::SpecialRefused, "a device, FIFO or socket".to_owned())),
        };
        let refused = refused.or_else(|| self.encrypted.then(|| (GapReason::Unsupported, "encrypted".to_owned())));
        let refused = refused.or_else(|| match self.method {
            CompressionMethod::Stored | CompressionMethod::Deflated => None,
            method => Some((GapReason::Unsupported, format!("compression method {method}"))),
        });
        let too_large = || (GapReason::FileTooLarge, format!("{} bytes, {}", self.size, too_large(&limits)));
        match refused.or_else(|| (self.size > limits.file_bytes).then(too_large)) {
            Some((reason, detail)) => {
                inside.member_gap(&self.name, reason, detail);
                None
            }
            None => inside.admit(&self.name),
        }
    }

    fn is_link(&self) -> bool {
        self.mode.unwrap_or(0) & TYPE_MASK == TYPE_LINK
    }

    /// Takes the content under an admitted path: a file's bytes, or the target of a link.
    fn keep(&self, path: String, content: Vec<u8>, inside: &mut IntakeScope<'_>) {
        if self.is_link() {
            let detail = format!("a symbolic link to {}", shown(&content));
            inside.link(&self.name, LinkTarget::Symbolic(content), detail);
        } else {
            inside.keep(path, content);
        }
    }

    /// The content. `None` when it is larger than allowed, which is recorded.
    fn read(&self, file: impl Read, inside: &mut IntakeScope<'_>) -> Result<Option<Vec<u8>>, Refusal> {
        let limits = inside.limits();
        let capped = inside.capped(file);
        let content = read_at_most(capped, limits.file_bytes).map_err(|error| Refusal::of(&error, false))?;
        match &content {
            None => inside.member_gap(&self.name, GapReason::FileTooLarge, too_large(&limits)),
            Some(content) if content.len() as u64 != self.size => {
                let detail = format!("{} bytes are announced and {} are there", self.size, content.len());
                inside.member_gap(&self.name, GapReason::Malformed, detail);
            }
            Some(_) => {}
        }
        Ok(content)
    }
}

fn refusal(error: &ZipError, ended: bool) -> Refusal {
    let reason = match error {
        ZipError::Io(error) => return Refusal::of(error, ended),
        _ if ended => GapReason::Truncated,
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) | ZipError::InvalidPassword => {
            GapReason::Unsupported
        }
        _ => GapReason::Malformed,
    };
    Refusal { reason, detail: error.to_string() }
}

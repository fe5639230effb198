//! The inventory of a capability: which surfaces stand in its files, and how much of each was read.

use capdex_model::surface::{SurfaceInventory, SurfaceRecord, SurfaceRecordKind};

use super::{Surface, SurfaceKind, SurfacePart};
use crate::subject::Subject;
use crate::tools::{Tool, ToolOrigin};

/// The beginning of the address of a resource that a client shows as a user interface (MCP Apps, SEP-1865).
const UI: &str = "ui://";

/// Lists the surfaces in the files of a capability.
pub fn inventory(subject: &Subject<'_>) -> SurfaceInventory {
    SurfaceInventory::of(records(subject).collect())
}

/// The surfaces in the files of a capability: tools, then the others, each by file.
pub(super) fn records<'a>(subject: &Subject<'a>) -> impl Iterator<Item = SurfaceRecord> + use<'a> {
    let subject = *subject;
    let all = subject.evidence.surfaces();
    let is_tool = |surface: &Surface| surface.tool.is_some();
    let (tools, others) = all.split_at_checked(all.partition_point(is_tool)).unwrap_or((all, &[]));
    // Tools and the rest are each sorted by file. A bundle of a thousand servers asks a thousand times, each for its own.
    let own = move |surfaces: &'a [Surface]| {
        let files = subject.capability.files.iter().filter(|_| !surfaces.is_empty());
        files.flat_map(move |path| {
            let first = surfaces.partition_point(|surface| surface.place.file < *path);
            surfaces.get(first..).into_iter().flatten().take_while(move |surface| surface.place.file == *path)
        })
    };
    own(tools).chain(own(others)).filter_map(move |surface| record(&subject, surface))
}

fn record(subject: &Subject<'_>, surface: &Surface) -> Option<SurfaceRecord> {
    let says = |field: &str| surface.texts.iter().any(|text| text.is(field));
    let has_arguments = || surface.texts.iter().any(|text| matches!(text.part, SurfacePart::Schema(_)));
    let is_read = !surface.exhausted && surface.unresolved.is_empty();
    let (kind, description, schema, complete) = match surface.kind {
        SurfaceKind::Tool => {
            let tool = surface.tool.and_then(|at| subject.evidence.tools.get(at))?;
            let Tool { input_schema, output_schema, unread, .. } = tool;
            let has_schema = input_schema.is_some() || output_schema.is_some() || unread.schema;
            let is_named = tool.origin != ToolOrigin::Source || !tool.name.contains('…');
            let is_told = is_named && !unread.description && !unread.schema;
            (SurfaceRecordKind::Tool, says("/description") || unread.description, has_schema, is_told && is_read)
        }
        SurfaceKind::Prompt => (SurfaceRecordKind::Prompt, says("/description"), has_arguments(), is_read),
        SurfaceKind::Resource => (resource_kind(surface), says("/description"), false, is_read),
        // A server's mere name is not what a model reads as instructions.
        SurfaceKind::Server if says("/instructions") || says("/server/instructions") => {
            (SurfaceRecordKind::Instructions, true, false, is_read)
        }
        SurfaceKind::Server => return None,
        SurfaceKind::Skill => (SurfaceRecordKind::Skill, says("/description"), false, is_read),
    };
    let (name, file, line) = (surface.name.clone(), surface.place.file.clone(), surface.place.line);
    Some(SurfaceRecord { kind, name, file, line, description, schema, complete })
}

/// A user interface by its address, whatever its name is; schemes have no case.
fn resource_kind(surface: &Surface) -> SurfaceRecordKind {
    let is_ui = surface.texts.iter().filter(|text| text.part == SurfacePart::Name).any(|text| {
        let scheme = text.raw().trim_start().get(..UI.len());
        scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(UI))
    });
    if is_ui { SurfaceRecordKind::Ui } else { SurfaceRecordKind::Resource }
}

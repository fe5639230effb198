//! The surfaces of a capability in one line: how many of each kind were read, and how many not to their end.

use capdex_model::surface::{SurfaceInventory, SurfaceRecordKind};

use crate::escape::count;

/// `12 tools, 3 prompts read; 2 not to their end`; none where there is no surface.
pub fn surface_counts(inventory: &SurfaceInventory) -> Option<String> {
    let of_kind = |kind: SurfaceRecordKind| match inventory.count(kind) {
        0 => None,
        number => Some(match kind {
            SurfaceRecordKind::Tool
            | SurfaceRecordKind::Prompt
            | SurfaceRecordKind::Resource
            | SurfaceRecordKind::Skill => count(number, kind.as_str()),
            // One text by its nature, so that only several of them are counted.
            SurfaceRecordKind::Instructions if number == 1 => "instructions".to_owned(),
            SurfaceRecordKind::Instructions => format!("{number} instructions"),
            SurfaceRecordKind::Ui => count(number, "ui resource"),
        }),
    };
    let kinds: Vec<String> = SurfaceRecordKind::ALL.into_iter().filter_map(of_kind).collect();
    if kinds.is_empty() {
        return None;
    }
    let mut line = format!("{} read", kinds.join(", "));
    if inventory.incomplete() > 0 {
        line.push_str(&format!("; {} not to their end", inventory.incomplete()));
    }
    if inventory.beyond > 0 {
        line.push_str(&format!("; {} more are not listed", inventory.beyond));
    }
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::surface::{MAX_SURFACES, SurfaceRecord};

    fn records(kind: SurfaceRecordKind, count: usize, incomplete: usize) -> Vec<SurfaceRecord> {
        let record = |number| SurfaceRecord {
            kind,
            name: format!("n{number}"),
            file: "a.json".into(),
            line: 1,
            description: false,
            schema: false,
            complete: number >= incomplete,
        };
        (0..count).map(record).collect()
    }

    fn line(parts: &[(SurfaceRecordKind, usize, usize)]) -> Option<String> {
        let all = parts.iter().flat_map(|(kind, count, incomplete)| records(*kind, *count, *incomplete));
        surface_counts(&SurfaceInventory::of(all.collect()))
    }

    #[test]
    fn every_kind_is_counted_in_its_words() {
        assert_eq!(line(&[]), None);
        let (tool, prompt) = (SurfaceRecordKind::Tool, SurfaceRecordKind::Prompt);
        assert_eq!(line(&[(tool, 1, 0)]).as_deref(), Some("1 tool read"));
        let line_of_both = line(&[(tool, 12, 2), (prompt, 3, 0)]);
        assert_eq!(line_of_both.as_deref(), Some("12 tools, 3 prompts read; 2 not to their end"));
        let others = line(&[(SurfaceRecordKind::Resource, 1, 0), (SurfaceRecordKind::Ui, 2, 0)]);
        assert_eq!(others.as_deref(), Some("1 resource, 2 ui resources read"));
        assert_eq!(line(&[(SurfaceRecordKind::Instructions, 1, 0)]).as_deref(), Some("instructions read"));
        assert_eq!(line(&[(SurfaceRecordKind::Instructions, 2, 0)]).as_deref(), Some("2 instructions read"));
    }

    #[test]
    fn what_is_not_listed_is_told() {
        let cut = line(&[(SurfaceRecordKind::Tool, MAX_SURFACES + 2, 0)]);
        assert_eq!(cut.as_deref(), Some("5000 tools read; 2 more are not listed"));
    }
}

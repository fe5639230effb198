//! The variants of a capability in one line: copies for other agents, and translations.

use capdex_model::capability::Capability;

use crate::escape::escape;

/// The variants of a capability that are shown; more are counted.
const MAX_VARIANTS: usize = 3;

/// `also as .claude/skills/a/SKILL.md, skills/zh/a/SKILL.md`; none where a capability has no variants.
pub fn variants(capability: &Capability) -> Option<String> {
    let all: Vec<String> = capability.variants().map(|path| escape(path).into_owned()).collect();
    let shown = all.get(..MAX_VARIANTS).unwrap_or(&all).join(", ");
    let more = all.len().saturating_sub(MAX_VARIANTS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!all.is_empty()).then(|| format!("also as {shown}{more}"))
}

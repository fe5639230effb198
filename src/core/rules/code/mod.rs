//! Rules that need structure, one file each, in one slice.

use super::Rule;

mod measure_architecture;
mod measure_deployment;
#[cfg(test)]
pub(crate) mod measure_fixtures;
mod measure_meta;
mod measure_metadata;
mod measure_model;
mod measure_permission_words;
mod measure_skill_description;
mod measure_tool_annotations;
mod measure_tool_descriptions;
mod measure_tool_permissions;
mod measure_words;

/// Every rule that is written in code.
pub const RULES: &[&dyn Rule] = &[
    &measure_architecture::MeasureArchitecture,
    &measure_deployment::MeasureDeployment,
    &measure_metadata::MeasureMetadata,
    &measure_model::MeasureModel,
    &measure_skill_description::MeasureSkillDescription,
    &measure_tool_annotations::MeasureToolAnnotations,
    &measure_tool_descriptions::MeasureToolDescriptions,
    &measure_tool_permissions::MeasureToolPermissions,
];

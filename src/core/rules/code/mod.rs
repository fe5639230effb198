//! Rules that need structure, one file each, in one slice.

use super::Rule;

mod document_missing_changelog;
mod document_missing_licence_file;
mod document_missing_readme;
mod document_missing_security_policy;
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
mod package_deprecated;
mod package_excessive_dependencies;
mod package_install_script;
mod package_install_script_network;
mod package_no_licence;
mod package_no_provenance;
mod package_no_repository;
mod package_poor_description;
mod package_subject;
#[cfg(test)]
mod package_tests;
mod skill_manifest_missing_fields;

/// Every rule that is written in code.
pub const RULES: &[&dyn Rule] = &[
    &document_missing_changelog::DocumentMissingChangelog,
    &document_missing_licence_file::DocumentMissingLicenceFile,
    &document_missing_readme::DocumentMissingReadme,
    &document_missing_security_policy::DocumentMissingSecurityPolicy,
    &measure_architecture::MeasureArchitecture,
    &measure_deployment::MeasureDeployment,
    &measure_metadata::MeasureMetadata,
    &measure_model::MeasureModel,
    &measure_skill_description::MeasureSkillDescription,
    &measure_tool_annotations::MeasureToolAnnotations,
    &measure_tool_descriptions::MeasureToolDescriptions,
    &measure_tool_permissions::MeasureToolPermissions,
    &package_deprecated::PackageDeprecated,
    &package_excessive_dependencies::PackageExcessiveDependencies,
    &package_install_script::PackageInstallScript,
    &package_install_script_network::PackageInstallScriptNetwork,
    &package_no_licence::PackageNoLicence,
    &package_no_provenance::PackageNoProvenance,
    &package_no_repository::PackageNoRepository,
    &package_poor_description::PackagePoorDescription,
    &skill_manifest_missing_fields::SkillManifestMissingFields,
];

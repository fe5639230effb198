//! Rules that need structure, one file each, in one slice.

use super::Rule;

mod capability_destructive_local;
mod capability_destructive_shared;
mod capability_sensitive_data;
mod capability_untrusted_content;
mod capability_workspace_data;
mod document_missing_changelog;
mod document_missing_licence_file;
mod document_missing_readme;
mod document_missing_security_policy;
mod flow_destroy;
mod flow_destroy_tools;
mod flow_leak;
mod flow_leak_tools;
mod flow_legs;
mod hook_auto_approve;
mod hook_commands;
mod hook_remote_command;
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
mod server_launches;
mod server_no_auth_remote;
mod server_plain_http_remote;
mod server_secret_in_config;
mod server_unpinned_launch;
mod skill_manifest_missing_fields;
mod source_calls;
mod source_command_injection;
mod source_credential_read_and_send;
mod source_decode_then_execute;
mod source_download_and_execute;
mod source_obfuscated;
mod source_sql_composed;
mod source_unsafe_deserialization;
mod source_unsafe_eval;
mod text_encoded_blob;
mod text_hidden_unicode;
mod text_obfuscated_payload;
mod text_padding;
mod tool_annotation_contradiction;
mod tool_annotation_incomplete;
mod tool_argument_hijack;
mod tool_brand_claim;
mod tool_capabilities;
mod tool_concealment;
mod tool_consent_bypass;
mod tool_credential_request;
mod tool_cues;
mod tool_description_injection;
mod tool_description_oversized;
mod tool_directives;
mod tool_duplicate_name;
mod tool_duplicate_title;
mod tool_emphatic_wording;
mod tool_false_prerequisite;
mod tool_harvest;
mod tool_hidden_name;
mod tool_hidden_text;
mod tool_languages;
mod tool_name_nonstandard;
mod tool_poison;
#[cfg(test)]
mod tool_poison_tests;
mod tool_schema_injection;
mod tool_schema_unread;
mod tool_secrets;
mod tool_shadowing;
#[cfg(test)]
mod tool_tests;
mod tool_texts;
#[cfg(test)]
mod tool_traps;
mod tool_values;

/// Every rule that is written in code.
pub const RULES: &[&dyn Rule] = &[
    &capability_destructive_local::CapabilityDestructiveLocal,
    &capability_destructive_shared::CapabilityDestructiveShared,
    &capability_sensitive_data::CapabilitySensitiveData,
    &capability_untrusted_content::CapabilityUntrustedContent,
    &capability_workspace_data::CapabilityWorkspaceData,
    &document_missing_changelog::DocumentMissingChangelog,
    &document_missing_licence_file::DocumentMissingLicenceFile,
    &document_missing_readme::DocumentMissingReadme,
    &document_missing_security_policy::DocumentMissingSecurityPolicy,
    &flow_destroy::FlowDestroy,
    &flow_destroy_tools::FlowDestroyTools,
    &flow_leak::FlowLeak,
    &flow_leak_tools::FlowLeakTools,
    &hook_auto_approve::HookAutoApprove,
    &hook_remote_command::HookRemoteCommand,
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
    &server_no_auth_remote::ServerNoAuthRemote,
    &server_plain_http_remote::ServerPlainHttpRemote,
    &server_secret_in_config::ServerSecretInConfig,
    &server_unpinned_launch::ServerUnpinnedLaunch,
    &skill_manifest_missing_fields::SkillManifestMissingFields,
    &source_command_injection::SourceCommandInjection,
    &source_credential_read_and_send::SourceCredentialReadAndSend,
    &source_decode_then_execute::SourceDecodeThenExecute,
    &source_download_and_execute::SourceDownloadAndExecute,
    &source_obfuscated::SourceObfuscated,
    &source_sql_composed::SourceSqlComposed,
    &source_unsafe_deserialization::SourceUnsafeDeserialization,
    &source_unsafe_eval::SourceUnsafeEval,
    &text_encoded_blob::EncodedBlob,
    &text_hidden_unicode::HiddenUnicodeBidi,
    &text_hidden_unicode::HiddenUnicodeTags,
    &text_hidden_unicode::HiddenUnicodeZeroWidth,
    &text_obfuscated_payload::ObfuscatedPayload,
    &text_padding::PaddingEvasion,
    &tool_annotation_contradiction::ToolAnnotationContradiction,
    &tool_annotation_incomplete::ToolAnnotationIncomplete,
    &tool_argument_hijack::ToolArgumentHijack,
    &tool_brand_claim::ToolBrandClaim,
    &tool_consent_bypass::ToolConsentBypass,
    &tool_credential_request::ToolCredentialRequest,
    &tool_description_injection::ToolDescriptionInjection,
    &tool_description_oversized::ToolDescriptionOversized,
    &tool_duplicate_name::ToolDuplicateName,
    &tool_duplicate_title::ToolDuplicateTitle,
    &tool_emphatic_wording::ToolEmphaticWording,
    &tool_false_prerequisite::ToolFalsePrerequisite,
    &tool_harvest::ToolHarvest,
    &tool_hidden_name::ToolHiddenName,
    &tool_hidden_text::ToolHiddenText,
    &tool_name_nonstandard::ToolNameNonstandard,
    &tool_schema_injection::ToolSchemaInjection,
    &tool_schema_unread::ToolSchemaUnread,
    &tool_shadowing::ToolShadowing,
];

//! Rules that need structure, one file each, in one slice.

use super::Rule;

mod capability_destructive_local;
mod capability_destructive_shared;
mod capability_sensitive_data;
mod capability_untrusted_content;
mod capability_workspace_data;
mod hook_auto_approve;
mod hook_commands;
mod hook_remote_command;
mod server_launches;
mod server_no_auth_remote;
mod server_plain_http_remote;
mod server_secret_in_config;
mod server_unpinned_launch;
mod source_calls;
mod source_command_injection;
mod source_credential_read_and_send;
mod source_decode_then_execute;
mod source_download_and_execute;
mod source_obfuscated;
mod source_sql_composed;
mod source_unsafe_deserialization;
mod source_unsafe_eval;
mod tool_annotation_contradiction;
mod tool_annotation_incomplete;
mod tool_argument_hijack;
mod tool_brand_claim;
mod tool_capabilities;
mod tool_consent_bypass;
mod tool_credential_request;
mod tool_cues;
mod tool_description_injection;
mod tool_description_oversized;
mod tool_duplicate_title;
mod tool_emphatic_wording;
mod tool_false_prerequisite;
mod tool_harvest;
mod tool_hidden_name;
mod tool_hidden_text;
mod tool_name_nonstandard;
mod tool_schema_injection;
mod tool_shadowing;
mod tool_texts;

/// Every rule that is written in code.
pub const RULES: &[&dyn Rule] = &[
    &capability_destructive_local::CapabilityDestructiveLocal,
    &capability_destructive_shared::CapabilityDestructiveShared,
    &capability_sensitive_data::CapabilitySensitiveData,
    &capability_untrusted_content::CapabilityUntrustedContent,
    &capability_workspace_data::CapabilityWorkspaceData,
    &hook_auto_approve::HookAutoApprove,
    &hook_remote_command::HookRemoteCommand,
    &server_no_auth_remote::ServerNoAuthRemote,
    &server_plain_http_remote::ServerPlainHttpRemote,
    &server_secret_in_config::ServerSecretInConfig,
    &server_unpinned_launch::ServerUnpinnedLaunch,
    &source_command_injection::SourceCommandInjection,
    &source_credential_read_and_send::SourceCredentialReadAndSend,
    &source_decode_then_execute::SourceDecodeThenExecute,
    &source_download_and_execute::SourceDownloadAndExecute,
    &source_obfuscated::SourceObfuscated,
    &source_sql_composed::SourceSqlComposed,
    &source_unsafe_deserialization::SourceUnsafeDeserialization,
    &source_unsafe_eval::SourceUnsafeEval,
    &tool_annotation_contradiction::ToolAnnotationContradiction,
    &tool_annotation_incomplete::ToolAnnotationIncomplete,
    &tool_argument_hijack::ToolArgumentHijack,
    &tool_brand_claim::ToolBrandClaim,
    &tool_consent_bypass::ToolConsentBypass,
    &tool_credential_request::ToolCredentialRequest,
    &tool_description_injection::ToolDescriptionInjection,
    &tool_description_oversized::ToolDescriptionOversized,
    &tool_duplicate_title::ToolDuplicateTitle,
    &tool_emphatic_wording::ToolEmphaticWording,
    &tool_false_prerequisite::ToolFalsePrerequisite,
    &tool_harvest::ToolHarvest,
    &tool_hidden_name::ToolHiddenName,
    &tool_hidden_text::ToolHiddenText,
    &tool_name_nonstandard::ToolNameNonstandard,
    &tool_schema_injection::ToolSchemaInjection,
    &tool_shadowing::ToolShadowing,
];

#[cfg(test)]
mod tool_tests;

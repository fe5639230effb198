//! Rules that need structure, one file each, in one slice.

use super::Rule;
use super::pattern::Question;

mod agent_config;
mod binary_bytecode;
mod binary_program;
mod capability_destructive_local;
mod capability_destructive_shared;
mod capability_sensitive_data;
mod capability_untrusted_content;
mod capability_workspace_data;
mod card_rule;
mod covert_passage;
mod document_emoji_run;
mod document_look_alike_letters;
mod document_missing_changelog;
mod document_missing_licence_file;
mod document_missing_readme;
mod document_missing_security_policy;
mod file_data_executed;
mod file_masquerade;
mod file_picture_tail;
mod flow_destroy;
mod flow_destroy_tools;
mod flow_leak;
mod flow_leak_tools;
mod flow_legs;
mod history_owner_replaced;
mod history_republished;
mod hook_auto_approve;
mod hook_commands;
mod hook_remote_command;
mod many_secrets_sent;
pub mod measure_architecture;
mod measure_deployment;
#[cfg(test)]
pub(crate) mod measure_fixtures;
mod measure_meta;
mod measure_metadata;
mod measure_model;
mod measure_permission_words;
mod measure_skill_description;
mod measure_skill_name;
mod measure_tool_annotations;
mod measure_tool_descriptions;
mod measure_tool_permissions;
mod measure_words;
mod name_known;
mod name_look_alike;
mod name_not_approved;
mod name_reported;
mod name_taken_down;
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
mod repository_facts;
mod server_debug_open;
mod server_embedded_call;
mod server_launches;
mod server_look_alike_host;
mod server_many_tools;
mod server_name_collision;
mod server_no_auth_remote;
mod server_oauth_weak;
mod server_plain_http_remote;
mod server_privileged_container;
mod server_secret_in_config;
mod server_undeclared_execution;
mod server_unpinned_launch;
mod server_uses_sampling;
mod shell_events;
mod shell_history_wipe;
mod shell_login_key;
mod shell_planted_command;
mod shell_secret_transfer;
mod sighted;
mod skill_fenced_run_order;
mod skill_manifest_missing_fields;
mod skill_missing_manifest;
mod skill_undeclared_interpreter;
mod source_address_swap;
mod source_browser_store_read;
mod source_calls;
mod source_command_injection;
mod source_credential_read_and_send;
mod source_decode_then_execute;
mod source_download_and_execute;
mod source_hidden_powershell;
mod source_home_destroyed;
mod source_host_fingerprint_sent;
mod source_input_reflection;
mod source_no_input_validation;
mod source_obfuscated;
mod source_path_composed;
mod source_planted_command;
mod source_prototype_pollution;
mod source_request_composed;
mod source_reverse_shell;
mod source_secret_comparison;
mod source_secret_in_output;
mod source_setup_code;
mod source_sql_composed;
mod source_unsafe_deserialization;
mod source_unsafe_eval;
mod source_user_watched;
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
mod tool_steering;
mod tool_steering_cues;
mod tool_steering_hush;
mod tool_steering_reach;
mod tool_steering_secrets;
mod tool_steering_story;
mod tool_steering_will;
#[cfg(test)]
mod tool_tests;
mod tool_texts;
#[cfg(test)]
mod tool_traps;
mod tool_values;

/// Every question that rules here ask of the whole text of a skill, always in the same order.
pub(super) fn questions() -> impl Iterator<Item = &'static Question> {
    let signals = measure_skill_description::SIGNALS.iter().map(|(_, question)| question);
    flow_legs::QUESTIONS.into_iter().chain(signals).chain(covert_passage::questions())
}

/// Every rule that is written in code.
pub const RULES: &[&dyn Rule] = &[
    &agent_config::AgentConfigAllTools,
    &agent_config::AgentConfigNoSandbox,
    &agent_config::AgentConfigOpenChannel,
    &agent_config::AgentConfigOpenGateway,
    &agent_config::AgentConfigOpenLog,
    &agent_config::AgentConfigPrivateNetwork,
    &agent_config::AgentConfigUnreadable,
    &agent_config::AgentConfigWeakSecret,
    &binary_bytecode::BinaryBytecode,
    &binary_program::BinaryProgram,
    &capability_destructive_local::CapabilityDestructiveLocal,
    &capability_destructive_shared::CapabilityDestructiveShared,
    &capability_sensitive_data::CapabilitySensitiveData,
    &capability_untrusted_content::CapabilityUntrustedContent,
    &capability_workspace_data::CapabilityWorkspaceData,
    &covert_passage::CovertPassage,
    &document_emoji_run::DocumentEmojiRun,
    &document_look_alike_letters::DocumentLookAlikeLetters,
    &document_missing_changelog::DocumentMissingChangelog,
    &document_missing_licence_file::DocumentMissingLicenceFile,
    &document_missing_readme::DocumentMissingReadme,
    &document_missing_security_policy::DocumentMissingSecurityPolicy,
    &file_data_executed::FileDataExecuted,
    &file_masquerade::FileMasquerade,
    &file_picture_tail::FilePictureTail,
    &flow_destroy::FlowDestroy,
    &flow_destroy_tools::FlowDestroyTools,
    &flow_leak::FlowLeak,
    &flow_leak_tools::FlowLeakTools,
    &history_owner_replaced::HistoryOwnerReplaced,
    &history_republished::HistoryRepublished,
    &hook_auto_approve::HookAutoApprove,
    &hook_remote_command::HookRemoteCommand,
    &measure_architecture::MeasureArchitecture,
    &measure_deployment::MeasureDeployment,
    &measure_metadata::MeasureMetadata,
    &measure_model::MeasureModel,
    &measure_skill_description::MeasureSkillDescription,
    &measure_skill_name::MeasureSkillName,
    &measure_tool_annotations::MeasureToolAnnotations,
    &measure_tool_descriptions::MeasureToolDescriptions,
    &measure_tool_permissions::MeasureToolPermissions,
    &name_look_alike::NameLookAlike,
    &name_not_approved::NameNotApproved,
    &name_reported::NameReported,
    &name_taken_down::NameTakenDown,
    &package_deprecated::PackageDeprecated,
    &package_excessive_dependencies::PackageExcessiveDependencies,
    &package_install_script::PackageInstallScript,
    &package_install_script_network::PackageInstallScriptNetwork,
    &package_no_licence::PackageNoLicence,
    &package_no_provenance::PackageNoProvenance,
    &package_no_repository::PackageNoRepository,
    &package_poor_description::PackagePoorDescription,
    &repository_facts::RepositoryFewForks,
    &repository_facts::RepositoryFewInstalls,
    &repository_facts::RepositoryFewStars,
    &repository_facts::RepositoryListedWidely,
    &repository_facts::RepositoryOneContributor,
    &repository_facts::RepositoryOpenIssues,
    &repository_facts::RepositoryQuiet,
    &repository_facts::RepositorySlowAnswers,
    &repository_facts::RepositoryStale,
    &repository_facts::RepositoryUnlisted,
    &repository_facts::RepositoryUnprotected,
    &repository_facts::RepositoryUnsigned,
    &repository_facts::RepositoryYoungAccount,
    &server_debug_open::ServerDebugOpen,
    &server_embedded_call::ServerEmbeddedCall,
    &server_look_alike_host::ServerLookAlikeHost,
    &server_many_tools::ServerManyTools,
    &server_name_collision::ServerNameCollision,
    &server_no_auth_remote::ServerNoAuthRemote,
    &server_oauth_weak::ServerOauthWeak,
    &server_plain_http_remote::ServerPlainHttpRemote,
    &server_privileged_container::ServerPrivilegedContainer,
    &server_secret_in_config::ServerSecretInConfig,
    &server_undeclared_execution::ServerUndeclaredExecution,
    &server_unpinned_launch::ServerUnpinnedLaunch,
    &server_uses_sampling::ServerUsesSampling,
    &shell_history_wipe::ShellHistoryWipe,
    &shell_login_key::ShellLoginKey,
    &shell_planted_command::ShellPlantedCommand,
    &shell_secret_transfer::ShellSecretTransfer,
    &sighted::SightedDrift,
    &sighted::SightedLookAlike,
    &sighted::SightedLookAlikeHost,
    &sighted::SightedOtherBytes,
    &sighted::SightedOwnerChange,
    &sighted::SightedToolCollision,
    &skill_fenced_run_order::SkillFencedRunOrder,
    &skill_manifest_missing_fields::SkillManifestMissingFields,
    &skill_missing_manifest::SkillMissingManifest,
    &skill_undeclared_interpreter::SkillUndeclaredInterpreter,
    &source_address_swap::SourceAddressSwap,
    &source_browser_store_read::SourceBrowserStoreRead,
    &source_command_injection::SourceCommandInjection,
    &source_credential_read_and_send::SourceCredentialReadAndSend,
    &source_decode_then_execute::SourceDecodeThenExecute,
    &source_download_and_execute::SourceDownloadAndExecute,
    &source_hidden_powershell::SourceHiddenPowershell,
    &source_host_fingerprint_sent::SourceHostFingerprintSent,
    &source_input_reflection::SourceInputReflection,
    &source_no_input_validation::SourceNoInputValidation,
    &source_obfuscated::SourceObfuscated,
    &source_path_composed::SourcePathComposed,
    &source_planted_command::SourcePlantedCommand,
    &source_home_destroyed::SourceHomeDestroyed,
    &many_secrets_sent::ManySecretsSent,
    &source_user_watched::SourceUserWatched,
    &source_prototype_pollution::SourcePrototypePollution,
    &source_request_composed::SourceRequestComposed,
    &source_reverse_shell::SourceReverseShell,
    &source_secret_comparison::SourceSecretComparison,
    &source_secret_in_output::SourceSecretInOutput,
    &source_setup_code::SourceSetupCode,
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
    &tool_steering::ToolSteering,
];

//! Checks: the functions of the rules that need structure, one module each. A card names its check.

use std::sync::LazyLock;

use capdex_evidence::subject::Subject;

use super::{FactSink, RuleMeta};

mod agent_config;
mod agent_settings;
mod argument_in_header;
mod binary_program;
mod bytecode_without_source;
mod capability_destructive_local;
mod capability_destructive_shared;
mod capability_sensitive_data;
mod capability_untrusted_content;
mod capability_workspace_data;
mod corpus_signals;
mod data_file_executed;
mod deed_untold;
mod document_emoji_run;
mod document_look_alike_letters;
mod document_missing_changelog;
mod document_missing_licence_file;
mod document_missing_readme;
mod document_missing_security_policy;
mod encoded_blob;
mod fenced_secret_sent;
mod file_masquerade;
mod file_name_disguised;
mod flow_destroy;
mod flow_destroy_tools;
mod flow_leak;
mod flow_leak_tools;
mod front_matter_not_strict;
mod hidden_unicode;
mod history_owner_replaced;
mod history_republished;
mod hook_auto_approve;
mod hook_remote_command;
mod icon_active;
mod list_kept_long;
mod many_secrets_sent;
mod measure_architecture;
mod measure_deployment;
mod measure_metadata;
mod measure_model;
mod measure_skill_description;
mod measure_skill_name;
mod measure_tool_annotations;
mod measure_tool_descriptions;
mod measure_tool_permissions;
mod name_look_alike;
mod name_not_approved;
mod name_reported;
mod name_taken_down;
mod obfuscated_payload;
mod origin_plain_http;
mod origin_unpinned;
mod package_deprecated;
mod package_excessive_dependencies;
mod package_install_script;
mod package_install_script_network;
mod package_no_licence;
mod package_no_provenance;
mod package_no_repository;
mod package_poor_description;
mod padding_evasion;
mod picture_tail;
mod plugin_manifests_disagree;
mod plugin_moved;
mod repository_facts;
mod repository_pushed_away;
mod secret_store_sent;
mod sending_untold;
mod server_debug_open;
mod server_embedded_call;
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
mod shell_history_wipe;
mod shell_login_key;
mod shell_planted_command;
mod shell_remote_run;
mod shell_secret_transfer;
mod shell_token_sent;
mod skill_fenced_run_order;
mod skill_manifest_missing_fields;
mod skill_missing_manifest;
mod skill_undeclared_interpreter;
mod source_address_swap;
mod source_browser_store_read;
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
mod source_resources_exhausted;
mod source_reverse_shell;
mod source_secret_comparison;
mod source_secret_in_output;
mod source_secrets_hoarded;
mod source_setup_code;
mod source_sql_composed;
mod source_system_file_changed;
mod source_template_injection;
mod source_token_services_probed;
mod source_unsafe_deserialization;
mod source_unsafe_eval;
mod source_user_watched;
mod source_work_sent_aside;
mod takedowns;
mod tool_agent_put_to_work;
mod tool_annotation_contradiction;
mod tool_annotation_incomplete;
mod tool_answers_falsified;
mod tool_argument_hijack;
mod tool_argument_payload;
mod tool_brand_claim;
mod tool_consent_bypass;
mod tool_credential_request;
mod tool_description_injection;
mod tool_description_oversized;
mod tool_duplicate_name;
mod tool_duplicate_title;
mod tool_emphatic_wording;
mod tool_false_prerequisite;
mod tool_harvest;
mod tool_hidden_name;
mod tool_hidden_text;
mod tool_name_nonstandard;
mod tool_schema_injection;
mod tool_schema_unread;
mod tool_sends_aside;
mod tool_shadowing;
mod tool_user_word_set_aside;
mod ui_device_permission;
mod ui_policies_disagree;
mod ui_policy_open;
mod work_handed_over;

mod passages;

pub(crate) use name_not_approved::tell as tell_approved;

// Shared by checks; no card names these.

mod destinations;
mod flow_legs;
mod hook_commands;
mod json_object;
mod kept_texts;
mod measure_permission_words;
mod measure_words;
mod name_known;
mod named_sources;
mod package_subject;
mod server_launches;
mod shell_events;
mod source_calls;
mod tool_capabilities;
mod tool_commands;
mod tool_concealment;
mod tool_cues;
mod tool_directives;
mod tool_frames;
mod tool_grave_calls;
mod tool_languages;
mod tool_orders;
mod tool_poison;
mod tool_pure;
mod tool_secrets;
mod tool_siblings;
mod tool_texts;
mod tool_values;

#[cfg(test)]
pub(crate) mod measure_fixtures;
#[cfg(test)]
mod package_tests;
#[cfg(test)]
mod tool_poison_tests;
#[cfg(test)]
mod tool_tests;
#[cfg(test)]
mod tool_traps;
mod unprotected;

/// A check looks at one capability of a kind that its rule applies to, and reports its findings. No report means that it
/// looked and found nothing.
pub(crate) use measure_tool_permissions::of_agent as permissions_of_agent;

pub(crate) type CheckFunction = fn(&Subject<'_>, &mut FactSink<'_>);

/// A rule that needs structure. Data rules are run together by the engine in `pattern`.
pub(super) struct CodeRule {
    /// The description on its card.
    pub(super) meta: RuleMeta,
    /// The function that the card names.
    pub(super) check: CheckFunction,
}

/// The file names without their ending, and the texts, of all cards that name a check, each with that function.
pub(super) const CARDS: &[(&str, &str, CheckFunction)] = include!(concat!(env!("OUT_DIR"), "/code_rules.rs"));

/// Every rule with a check, in the order of their ids.
pub(super) static RULES: LazyLock<Vec<CodeRule>> = LazyLock::new(|| {
    let read = |(_, text, check): &(&str, &str, CheckFunction)| {
        let meta = toml::from_str(text).expect("a test reads every card");
        CodeRule { meta, check: *check }
    };
    let mut rules: Vec<CodeRule> = CARDS.iter().map(read).collect();
    // Facts are kept in the order of their rules: asking in that order leaves little to sort.
    rules.sort_by(|a, b| a.meta.id.cmp(&b.meta.id));
    rules
});

/// The rule with a check that has an id.
#[cfg(test)]
fn rule(id: &str) -> &'static CodeRule {
    RULES.iter().find(|rule| rule.meta.id.as_str() == id).expect("a card has the id")
}

//! Names of tools and listings: their folded form, and the ones too common to say anything.
//!
//! The same for every holder: who uses a name is the index's.

/// Entities by so many unlike parties that their use of a name is no coincidence worth a look.
pub(super) const COMMON_FROM: usize = 4;

/// Names that everybody takes, folded: verbs of any server, the tools of the reference servers and of the SDKs' samples.
const STOP: [&str; 100] = [
    "search",
    "fetch",
    "query",
    "ping",
    "think",
    "echo",
    "get",
    "list",
    "read_file",
    "list_files",
    "create_issue",
    "list_tables",
    "describe_table",
    "execute_command",
    "generate_image",
    "send_message",
    "read_query",
    "write_query",
    "create_table",
    "append_insight",
    "create_entities",
    "create_relations",
    "add_observations",
    "delete_entities",
    "delete_observations",
    "delete_relations",
    "read_graph",
    "search_nodes",
    "open_nodes",
    "sequential_thinking",
    "sequentialthinking",
    "read_multiple_files",
    "write_file",
    "edit_file",
    "create_directory",
    "list_directory",
    "list_directory_with_sizes",
    "directory_tree",
    "move_file",
    "search_files",
    "get_file_info",
    "list_allowed_directories",
    "read_text_file",
    "read_media_file",
    "git_status",
    "git_diff",
    "git_diff_unstaged",
    "git_diff_staged",
    "git_commit",
    "git_add",
    "git_reset",
    "git_log",
    "git_show",
    "git_branch",
    "git_checkout",
    "get_current_time",
    "convert_time",
    "long_running_operation",
    "print_env",
    "sample_llm",
    "get_tiny_image",
    "annotated_message",
    "get_resource_reference",
    "structured_content",
    "get_forecast",
    "get_alerts",
    "get_weather",
    "get_current_weather",
    "run_query",
    "execute_query",
    "execute_sql",
    "web_search",
    "get_user",
    "get_users",
    "list_users",
    "create_user",
    "delete_user",
    "update_user",
    "get_project",
    "list_projects",
    "create_project",
    "get_issue",
    "list_issues",
    "update_issue",
    "search_issues",
    "create_task",
    "update_task",
    "delete_task",
    "list_tasks",
    "get_task",
    "send_email",
    "read_email",
    "list_databases",
    "get_schema",
    "list_schemas",
    "list_resources",
    "get_resource",
    "browser_navigate",
    "browser_click",
    "take_screenshot",
];

/// The prefixes that generators put before the names that they make of an interface's operations.
const GENERATED: [&str; 5] = ["api_", "http_", "rest_", "openapi_", "operation_"];

/// Words that name what nearly every listing is.
const PLAIN: [&str; 12] =
    ["mcp", "server", "servers", "the", "tool", "tools", "skill", "skills", "agent", "plugin", "js", "py"];

/// The words of a name in lower case: `brave_web_search`, `braveWebSearch` and `Brave-Web-Search` are one.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut before) = (String::new(), ' ');
    for letter in name.chars() {
        // `getHTTPData`: a run of capitals is one word, so that only a capital after a small letter or digit begins one.
        let begins = letter.is_uppercase() && (before.is_lowercase() || before.is_numeric());
        if !letter.is_alphanumeric() || begins {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        // Signs too become `before`: a capital after one begins no second word.
        before = letter;
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// The one form that the spellings of a name share.
pub(super) fn folded(name: &str) -> String {
    words(name).join("_")
}

/// The one form of a listing's name: its last part, without the words that nearly all have.
pub(super) fn folded_listing(name: &str) -> String {
    let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
    // Registries of versions append `@1.2.0` to the name.
    let last = last.rsplit_once('@').map_or(last, |(name, _)| name);
    // `mcp-server-notes` and `notes` are what two directories call the same thing.
    let telling: Vec<String> = words(last).into_iter().filter(|word| !PLAIN.contains(&word.as_str())).collect();
    telling.join("_")
}

/// True where a folded name of a tool says nothing, whoever has it: one word, a name of everybody's, a generated one.
pub(super) fn is_plain(folded: &str) -> bool {
    !folded.contains('_') || STOP.contains(&folded) || GENERATED.iter().any(|prefix| folded.starts_with(prefix))
}

/// The form in which names that look alike are equal (UTS #39).
pub(super) fn skeleton(name: &str) -> String {
    unicode_security::skeleton(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_name_are_one() {
        for name in ["brave_web_search", "braveWebSearch", "Brave-Web-Search", "brave.web.search", "BRAVE_WEB_SEARCH"] {
            assert_eq!(folded(name), "brave_web_search", "{name}");
        }
        assert_eq!(
            (folded("v2Search"), folded("  "), folded("поиск_файлов")),
            ("v2_search".into(), String::new(), "поиск_файлов".into())
        );
        assert_eq!(folded_listing("@acme/brave-search-mcp-server"), "brave_search");
        assert_eq!(folded_listing("io.github.ann/brave-search@1.0.0"), "brave_search");
        assert_eq!(folded_listing("mcp-server"), "");
    }

    #[test]
    fn one_word_and_everybodys_names_are_plain() {
        for name in ["search", "read_file", "api_retrieve_a_page"] {
            assert!(is_plain(name), "{name}");
        }
        assert!(!is_plain("brave_web_search"));
        assert!(STOP.iter().all(|name| folded(name) == *name), "the list is folded");
    }

    #[test]
    fn look_alikes_share_a_skeleton() {
        assert_eq!(skeleton("gmail_sеnd_message"), skeleton("gmail_send_message"), "a Cyrillic letter");
        assert_ne!(skeleton("gmail_send"), skeleton("gmail_sent"));
    }
}

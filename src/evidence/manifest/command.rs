//! Command lines as manifests hold them: their words.
//!
//! Nothing is run or expanded; a shell's grammar is only followed as far as file names need it.

/// The words of a command line: split at white space and at what separates commands, without quotation marks.
/// Variables keep their braces.
pub fn words_of(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in command.chars() {
        // Quotation marks are dropped and not obeyed: a path with blanks is rare, a hidden name is not.
        if matches!(letter, '"' | '\'') {
            continue;
        }
        if letter.is_whitespace() || ";|&<>()`=".contains(letter) {
            words.push(String::new());
        } else if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

//! The file of deeds: what a program may do to its user, and the words that tell of it.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What stands between the words of a command: blanks in a shell, quotation marks and commas in a list of words.
const BETWEEN: &str = r#"["',\s]{1,4}"#;

/// All deeds, as their file has them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeedFile {
    /// Parts of expressions that several deeds have in common, by the names by which these call for them: `<name>`.
    parts: BTreeMap<String, String>,
    deed: Vec<DeedCard>,
}

/// One kind of deed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeedCard {
    /// What it is, for the evidence. Several deeds may share a name.
    pub name: String,
    /// True where it is done only if something is written near.
    #[serde(default)]
    pub written: bool,
    /// True where it names an address, and is told by that address alone.
    #[serde(default)]
    pub addressed: bool,
    /// How a program does it: any of these.
    done: Vec<String>,
    /// The expression for the words by which texts tell of it; nothing tells of it without.
    pub told: Option<String>,
    /// The expression for what stands near it where it is done, and not merely spoken of.
    pub beside: Option<String>,
}

impl DeedFile {
    /// The deeds in their order, with whole expressions.
    pub fn deeds(&self) -> impl Iterator<Item = DeedCard> {
        self.deed.iter().map(|deed| DeedCard {
            done: deed.done.iter().map(|way| plain(&self.whole(way))).collect(),
            told: deed.told.as_deref().map(|told| self.whole(told)),
            beside: deed.beside.as_deref().map(|beside| plain(&self.whole(beside))),
            ..deed.clone()
        })
    }

    fn whole(&self, expression: &str) -> String {
        let parts = self.parts.iter();
        parts.fold(expression.to_owned(), |whole, (name, part)| whole.replace(&format!("<{name}>"), part))
    }
}

impl DeedCard {
    /// The expression for all ways in which a program does it, in either case of letters.
    pub fn done(&self) -> String {
        format!("(?i){}", self.done.join("|"))
    }
}

/// An expression over bytes with `%` written out, in which what may be any letter takes whole letters.
fn plain(expression: &str) -> String {
    let mut written = String::with_capacity(2 * expression.len());
    let mut rest = expression;
    while let Some(sign) = rest.chars().next() {
        let length = match sign {
            // A sign behind a backslash stands for itself.
            '\\' => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
            '[' if rest.starts_with("[^") => rest.find(']').map_or(rest.len(), |end| end + 1),
            _ => sign.len_utf8(),
        };
        let (piece, behind) = rest.split_at(length);
        match piece {
            "%" => written.push_str(BETWEEN),
            r"\S" => written.push_str(r"(?u:\S)"),
            _ if piece.starts_with("[^") => written.push_str(&format!("(?u:{piece})")),
            _ => written.push_str(piece),
        }
        rest = behind;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_written_out() {
        assert_eq!(plain(r"git%push[^\n]{0,9}\S\%\[^x"), r#"git["',\s]{1,4}push(?u:[^\n]){0,9}(?u:\S)\%\[^x"#);
        let file: DeedFile = toml::from_str(
            "[parts]\nend = '[^;]end'\n[[deed]]\nname = 'ends'\ndone = ['a%b<end>', 'c']\ntold = '<end>'\n",
        )
        .expect("a file");
        let deed = file.deeds().next().expect("a deed");
        assert_eq!(deed.done(), r#"(?i)a["',\s]{1,4}b(?u:[^;])end|c"#);
        assert_eq!(deed.told.as_deref(), Some("[^;]end"));
    }
}

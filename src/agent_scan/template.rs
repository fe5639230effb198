//! Texts of a pack with places that a trial fills: `{{payload}}`, `{{canary.slot}}`, and the payload encoded.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::canary::Canaries;

/// The texts that fill the places of one trial.
#[derive(Clone, Debug)]
pub(crate) struct Filling {
    /// The canaries by slot.
    pub(crate) canaries: Canaries,
    /// The payload of the trial, its own places filled.
    pub(crate) payload: String,
}

impl Filling {
    /// Fills the places of a text.
    ///
    /// # Errors
    /// A place that nothing fills, or one that is not closed.
    pub(crate) fn text(&self, text: &str) -> Result<String, String> {
        let (mut filled, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((before, behind)) = rest.split_once("{{") {
            let (place, after) = behind.split_once("}}").ok_or_else(|| "a place is not closed".to_owned())?;
            filled.push_str(before);
            filled.push_str(&self.place(place)?);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// Fills the places of all texts in a value; names stay as they are.
    ///
    /// # Errors
    /// The errors of [`Self::text`].
    pub(crate) fn value(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => Value::String(self.text(text)?),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.value(item)).collect::<Result<_, _>>()?),
            Value::Object(fields) => Value::Object(
                fields
                    .iter()
                    .map(|(name, value)| Ok((self.text(name)?, self.value(value)?)))
                    .collect::<Result<_, String>>()?,
            ),
            other => other.clone(),
        })
    }

    fn place(&self, place: &str) -> Result<String, String> {
        match place {
            "payload" => Ok(self.payload.clone()),
            "payload|base64" => Ok(STANDARD.encode(&self.payload)),
            "payload|tags" => Ok(self.payload.chars().filter_map(as_tag).collect()),
            _ => {
                let slot = place.strip_prefix("canary.").and_then(|slot| self.canaries.get(slot));
                slot.map(|canary| canary.text.clone()).ok_or_else(|| format!("nothing fills {place:?}"))
            }
        }
    }
}

/// The tag character that stands for a letter and is shown by nothing.
fn as_tag(letter: char) -> Option<char> {
    letter.is_ascii().then(|| char::from_u32(0xE0000 + u32::from(letter))).flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::canary::Canary;

    #[test]
    fn places_are_filled_and_unknown_ones_are_errors() {
        let canary = Canary { mark: "K7A".to_owned(), text: "k7a@mail.invalid".to_owned() };
        let filling = Filling { canaries: [("mail".to_owned(), canary)].into(), payload: "Hi".to_owned() };
        assert_eq!(filling.text("a {{payload}} b {{canary.mail}}"), Ok("a Hi b k7a@mail.invalid".to_owned()));
        assert_eq!(filling.text("{{payload|base64}}"), Ok("SGk=".to_owned()));
        assert_eq!(filling.text("{{payload|tags}}"), Ok("\u{e0048}\u{e0069}".to_owned()));
        assert_eq!(filling.value(&json!({"{{payload}}": ["{{payload}}", 1]})), Ok(json!({"Hi": ["Hi", 1]})));
        for wrong in ["{{canary.none}}", "{{payload", "{{}}"] {
            assert!(filling.text(wrong).is_err(), "{wrong}");
        }
    }
}

//! Questions for TXT records as bytes, and what their answers say.
//!
//! Resolvers are asked over HTTPS (RFC 8484), so that a recorded crawl holds the bytes. Nobody is asked here.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use simple_dns::rdata::RData;
use simple_dns::{CLASS, Name, Packet, QTYPE, Question, RCODE, TYPE};

/// Strings of one record at most: a token stands in one.
const MAX_STRINGS: usize = 16;
/// Records of one answer at most.
const MAX_RECORDS: usize = 64;

/// The query that stands behind `?dns=`; none for what is no name of a host.
pub fn question(name: &str) -> Option<String> {
    // The number 0, as the standard asks for, so that equal questions are equal bytes.
    let mut packet = Packet::new_query(0);
    packet.set_flags(simple_dns::PacketFlag::RECURSION_DESIRED);
    let name = Name::new(name).ok()?;
    packet.questions.push(Question::new(name, QTYPE::TYPE(TYPE::TXT), simple_dns::QCLASS::CLASS(CLASS::IN), false));
    packet.build_bytes_vec().ok().map(|bytes| URL_SAFE_NO_PAD.encode(bytes))
}

/// The strings of the TXT records of an answer, sorted.
///
/// # Errors
/// Why it says nothing.
pub fn strings(bytes: &[u8]) -> Result<Vec<String>, String> {
    let packet = Packet::parse(bytes).map_err(|_| "the resolver's answer is no message of the DNS".to_owned())?;
    match packet.rcode() {
        RCODE::NoError => {}
        RCODE::NameError => return Err("there is no such name".to_owned()),
        // Loops of aliases end so.
        _ => return Err("the resolver could not answer: the name leads nowhere or in a circle".to_owned()),
    }
    if packet.answers.len() > MAX_RECORDS {
        return Err(format!("there are more than {MAX_RECORDS} records"));
    }
    let mut found = Vec::new();
    for record in &packet.answers {
        let RData::TXT(text) = &record.rdata else { continue };
        let parts: Vec<String> = text
            .iter_raw()
            .map(|(key, value)| {
                // The reader takes a string apart at its first sign of equality.
                let mut whole = key.to_vec();
                if let Some(value) = value {
                    whole.push(b'=');
                    whole.extend_from_slice(value);
                }
                String::from_utf8_lossy(&whole).into_owned()
            })
            .collect();
        if parts.len() > MAX_STRINGS {
            return Err(format!("a record has {} strings; {MAX_STRINGS} are read at most", parts.len()));
        }
        found.extend(parts);
    }
    if found.is_empty() {
        let is_alias = packet.answers.iter().any(|record| matches!(record.rdata, RData::CNAME(_)));
        return Err(if is_alias {
            "the name is an alias of one without a TXT record"
        } else {
            "there is no TXT record"
        }
        .to_owned());
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use simple_dns::ResourceRecord;
    use simple_dns::rdata::{CNAME, TXT};

    use super::*;

    fn answer(rcode: RCODE, records: Vec<RData<'_>>) -> Vec<u8> {
        let mut packet = Packet::new_reply(0);
        *packet.rcode_mut() = rcode;
        let name = || Name::new("_capdex-challenge.h.test").expect("a name");
        packet.answers.extend(records.into_iter().map(|data| ResourceRecord::new(name(), CLASS::IN, 60, data)));
        packet.build_bytes_vec().expect("writes")
    }

    fn txt<'a>(strings: &[&'a str]) -> RData<'a> {
        RData::TXT(strings.iter().fold(TXT::new(), |text, one| text.with_string(one).expect("fits")))
    }

    #[test]
    fn records_are_read_whole_and_what_is_none_says_why() {
        let token = "capdex-appeal=v1; a=A-1; t=x; exp=2026";
        let read = strings(&answer(RCODE::NoError, vec![txt(&["v=spf1 -all"]), txt(&[token])]));
        assert_eq!(read, Ok(vec![token.to_owned(), "v=spf1 -all".to_owned()]));
        let alias = || RData::CNAME(CNAME(Name::new("other.test").expect("a name")));
        assert_eq!(strings(&answer(RCODE::NoError, vec![alias(), txt(&[token])])).map(|all| all.len()), Ok(1));
        let many = ["x"; 40];
        for (bytes, why) in [
            (answer(RCODE::NoError, vec![txt(&many)]), "40 strings"),
            (answer(RCODE::NoError, vec![alias()]), "alias"),
            (answer(RCODE::NoError, Vec::new()), "no TXT"),
            (answer(RCODE::ServerFailure, Vec::new()), "circle"),
            (answer(RCODE::NameError, Vec::new()), "no such name"),
            (b"<html>".to_vec(), "no message"),
        ] {
            let said = strings(&bytes).expect_err("says nothing");
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn one_question_is_the_same_bytes_each_time() {
        let asked = question("_capdex-challenge.h.test").expect("a question");
        assert_eq!(Some(asked.clone()), question("_capdex-challenge.h.test"));
        let bytes = URL_SAFE_NO_PAD.decode(asked).expect("base64");
        let packet = Packet::parse(&bytes).expect("reads back");
        assert_eq!(packet.questions.len(), 1);
        assert_eq!(question(&"x".repeat(300)), None);
    }
}

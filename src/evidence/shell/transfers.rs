//! The commands that bring bytes from another machine or take them there.

use super::ambient_credentials::answer_of;
use super::commands::{is_address, is_secret_path};
use super::options::{is_remote, operands, secret_among, transfer};
use super::tainted_value::TaintedValue;
use super::trace::{TracedArgument, Tracer};

impl Tracer {
    pub(super) fn transfers(&mut self, wget: bool, words: &[TracedArgument], input: &TaintedValue) -> TaintedValue {
        let transfer = transfer(words, wget);
        let addresses = transfer.address_texts();
        let mut sent = TaintedValue::default();
        transfer.data.iter().for_each(|word| sent.taint(&word.value));
        transfer.addresses.iter().for_each(|word| sent.taint(&word.value));
        for file in &transfer.uploads {
            if matches!(file.as_str(), "-" | "/dev/stdin" | ".") {
                sent.taint(input);
            } else {
                sent.taint(&self.content(file));
            }
        }
        let address = addresses.first().cloned().unwrap_or_default();
        self.send(&sent, &address);
        if addresses.is_empty() {
            return TaintedValue::default();
        }
        let answer = answer_of(addresses);
        match transfer.file() {
            Some(file) => {
                self.write(&file, &answer, false);
                TaintedValue::default()
            }
            None => answer,
        }
    }

    pub(super) fn fetches(&mut self, words: &[TracedArgument], input: &TaintedValue) -> TaintedValue {
        let addresses: Vec<String> =
            words.iter().map(TracedArgument::text).filter(|text| is_address(text)).map(str::to_owned).collect();
        let Some(address) = addresses.first().cloned() else { return TaintedValue::default() };
        self.send(input, &address);
        let answer = TaintedValue::of_network(addresses);
        let named = words.iter().position(|word| {
            matches!(word.text().to_ascii_lowercase().as_str(), "-o" | "--output" | "-outfile" | "--out")
        });
        let file = named.and_then(|at| words.get(at + 1)).or_else(|| {
            // certutil and bitsadmin name the file behind the address.
            words.last().filter(|last| !is_address(last.text()) && !last.text().starts_with('-'))
        });
        if let Some(file) = file {
            let file = file.text().to_owned();
            self.write(&file, &answer, false);
        }
        answer
    }

    pub(super) fn copies_away(&mut self, words: &[TracedArgument]) -> TaintedValue {
        let operands = operands(words);
        let Some(last) = operands.last() else { return TaintedValue::default() };
        let to = last.text().to_owned();
        let remote = operands.iter().skip(1).map(|word| word.text()).find(|word| is_remote(word)).map(str::to_owned);
        let remote = if is_remote(&to) { Some(to) } else { remote };
        let Some(remote) = remote else { return TaintedValue::default() };
        let mut sent = TaintedValue { secret: secret_among(operands.iter().copied()), ..TaintedValue::default() };
        for word in operands.iter().filter(|word| !is_remote(word.text())) {
            let held = self.content(word.text());
            sent.secret = sent.secret.or(held.secret);
            sent.environment |= held.environment;
        }
        self.send(&sent, &remote);
        TaintedValue::default()
    }

    pub(super) fn connects(&mut self, words: &[TracedArgument], input: &TaintedValue) -> TaintedValue {
        let operands = operands(words);
        let Some(host) = operands.iter().find(|word| !is_secret_path(word.text())) else {
            return TaintedValue::default();
        };
        let host = host.text().to_owned();
        let mut sent = input.clone();
        sent.secret = sent.secret.or_else(|| secret_among(words));
        self.send(&sent, &host);
        TaintedValue::of_network(vec![host])
    }
}

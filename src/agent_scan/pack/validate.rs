//! The check of a test before it is played: names, places, and that all that is looked for can be there.

use crate::canary::RunSeed;
use crate::trial::TrialId;
use crate::world::World;

use super::{AgentTest, Scripts, Step, Transport};

/// Checks a test, whose file is `name`.
///
/// # Errors
/// The fault, for whoever writes the pack.
pub(super) fn check(test: &AgentTest, name: &str) -> Result<(), String> {
    if name != format!("{:02}-{}.toml", test.number, test.id) {
        return Err("the file is not named by number and name".to_owned());
    }
    if test.turn.is_empty()
        || test.turn.len() > 6
        || test.turn.windows(2).any(|two| matches!(two, [a, b] if a.session > b.session))
    {
        return Err("a test has one to six turns, whose sessions rise".to_owned());
    }
    if test.transports.is_empty() || test.server.is_empty() {
        return Err("a test needs a transport and a server".to_owned());
    }
    for server in &test.server {
        let is_name = |name: &str| {
            !name.is_empty()
                && name.len() <= 24
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                && !name.contains("__")
        };
        let changed = server.change.iter().flat_map(|change| &change.tool);
        if !is_name(&server.name) || !server.tool.iter().chain(changed).all(|tool| is_name(&tool.name)) {
            return Err(format!("a name of {} is none that every client takes", server.name));
        }
    }
    let seed = RunSeed::new([0; 32]);
    // A world is made of every text, so that one whose place nothing fills is no world.
    for is_twin in [false, true] {
        World::new(test, seed, &TrialId { test: test.id.clone(), number: 1, is_twin })?;
    }
    let slots = [&test.oracle.delivered, &test.oracle.r#unsafe, &test.oracle.useful];
    for slot in slots.iter().flat_map(|predicate| predicate.slots()) {
        if !test.canaries.contains_key(slot) {
            return Err(format!("{slot} is no slot of a canary"));
        }
    }
    let tools: Vec<&str> = test.server.iter().flat_map(|server| &server.tool).map(|tool| tool.name.as_str()).collect();
    for tool in slots.iter().flat_map(|predicate| predicate.tools()) {
        if !tools.contains(&tool) {
            return Err(format!("{tool} is no tool of the test"));
        }
    }
    let Scripts { r#unsafe, safe, twin } = &test.script;
    r#unsafe.iter().chain(safe).chain(twin.iter().flatten()).try_for_each(|step| check_step(test, step))
}

fn check_step(test: &AgentTest, step: &Step) -> Result<(), String> {
    let kinds = [&step.call, &step.say, &step.fill, &step.sample, &step.read];
    let is_of_mcp = step.fill.is_some() || step.sample.is_some() || step.read.is_some();
    if kinds.iter().filter(|kind| kind.is_some()).count() != 1 || step.turn == 0 || step.turn > test.turn.len() {
        return Err("a step does one thing in one of the turns".to_owned());
    }
    if is_of_mcp && test.transports.contains(&Transport::Chat) {
        return Err("forms, questions and resources are of MCP alone".to_owned());
    }
    Ok(())
}

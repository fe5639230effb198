//! capdex: parse, run, map the outcome to an exit code.

use std::process::ExitCode;

use capdex::{advice, cli, commands, exit, output, telemetry};
use capdex_dataset::escape;
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let cli = cli::parse();
    let telemetry = telemetry::start(&cli.global);
    let code = match commands::run(&cli) {
        Ok(exit) => exit.into(),
        Err(error) => {
            let advice = advice::of(&error).map_or_else(String::new, |advice| format!("; {advice}"));
            output::say(format_args!("capdex: {}", escape::escape(&format!("{error:#}{advice}"))));
            // Indented, so that no line of a file reads as a command to who runs us.
            for line in exit::excerpt_of(&error).lines() {
                output::say(format_args!("  {}", escape::escape(line)));
            }
            exit::code_of(&error)
        }
    };
    telemetry.finish();
    code
}

//! Reach: the hosts and permissions of a capability are the same in the dataset and on the site.

use crate::rows::{rows, text};
use crate::support::capdex::Capdex;

const SKILL: &str = "---\nname: parcels\ndescription: Tracks parcels. Use when somebody asks where one is.\nallowed-tools: Read, Bash(node scripts/track.js *)\n---\n\n# parcels\n\nRun the script with the number. The states are explained at https://docs.parcels.test/states.\n";
const SCRIPT: &str = "const { writeFileSync } = require('fs');\nconst key = process.env.PARCELS_KEY;\nfetch('https://api.parcels.test/track', { method: 'POST', body: JSON.stringify({ number: process.argv[2] }), headers: { key } });\nfetch('https://api.parcels.test/states');\nwriteFileSync('states.json', '{}');\n";

#[test]
fn hosts_and_permissions_stand_in_the_dataset_and_on_the_page() {
    let capdex = Capdex::offline();
    capdex.write("parcels/SKILL.md", SKILL).write("parcels/scripts/track.js", SCRIPT);
    capdex.write("schedule.toml", "name = \"x\"\n[sources.folder]\npaths = [\"parcels\"]\n[export]\nformats = [\"parquet\", \"jsonl\", \"csv\", \"sqlite\"]\n");
    let run = capdex.run(&["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", "2026-11-20T01:00:00Z"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let out = capdex.path().join("out");
    let line = |row: &serde_json::Value, keys: &[&str]| {
        let cell = |key: &&str| row[*key].as_str().map_or_else(|| row[*key].to_string(), str::to_owned);
        keys.iter().map(cell).collect::<Vec<_>>().join(" ")
    };
    let skill = rows(&out, "capabilities").into_iter().find(|row| text(row, "kind") == "skill").expect("the skill");
    let of_skill = |table: &str| {
        rows(&out, table).into_iter().filter(|row| row["capability"] == skill["capability"]).collect::<Vec<_>>()
    };
    let hosts: Vec<String> = of_skill("hosts").iter().map(|row| line(row, &["host", "does", "file", "line"])).collect();
    assert_eq!(
        hosts,
        [
            "api.parcels.test sends scripts/track.js 3",
            "api.parcels.test fetches scripts/track.js 4",
            "docs.parcels.test named SKILL.md 9"
        ]
    );
    let keys = ["kind", "value", "origin", "file", "line"];
    let permissions: Vec<String> = of_skill("permissions").iter().map(|row| line(row, &keys)).collect();
    assert_eq!(
        permissions,
        [
            "tool Bash(node scripts/track.js *) declared  0",
            "tool Read declared  0",
            "variable PARCELS_KEY code scripts/track.js 2",
            "write fs.writeFileSync code scripts/track.js 5",
        ]
    );
    assert_eq!(capdex.run(&["verify", "out"]).code, Some(0));
    assert_eq!(capdex.run(&["report", "site", "--quiet"]).code, Some(0));
    let page = crate::site::files(&capdex.path().join("site"))
        .into_iter()
        .find(|(path, page)| path.starts_with("c/") && page.contains("PARCELS_KEY"));
    let (_, page) = page.expect("a page of it");
    for said in
        ["<td>sends to</td><th scope=\"row\"><bdi>api.parcels.test</bdi></th>", "<td>tool allowed</td>", "and 1 more"]
    {
        assert!(page.contains(said), "{said}");
    }
}

//! The examples in the help texts can be run.

use super::program::Workspace;

const COMMANDS: [&str; 8] = ["", "fit", "predict", "threshold", "show", "doctor", "compare", "shard"];

#[test]
fn every_command_has_an_example_in_its_help_and_every_example_runs() {
    let workspace = Workspace::new();
    for command in COMMANDS {
        let help = workspace.run(&format!("{command} --help")).out;
        let examples: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  needlenet ")).collect();
        assert!(!examples.is_empty(), "{command}: {help}");
        for example in examples {
            let done = workspace.run(example);
            assert_eq!(done.code, 0, "{command}: needlenet {example}: {}", done.err);
            assert!(!done.out.is_empty() || example.contains("--out"), "{command}: needlenet {example}");
        }
    }
}

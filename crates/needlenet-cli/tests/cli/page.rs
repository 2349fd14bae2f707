//! `--report`: the page of a fit and of a saved model.

use crate::program::{Workspace, small_table};

const FIT: &str = "fit t.csv --target y --exclude kind --hidden none --draws 200";

fn with_small_table() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("t.csv", &small_table());
    workspace
}

fn embedded(page: &str) -> serde_json::Value {
    let start = page.find("type=\"application/json\">").unwrap() + "type=\"application/json\">".len();
    let json = &page[start..start + page[start..].find("</script>").unwrap()];
    serde_json::from_str(json).unwrap()
}

#[test]
fn the_page_of_a_fit_holds_its_json_and_its_command() {
    let workspace = with_small_table();
    let report = workspace.run(&format!("{FIT} --report page.html --json")).json();
    let page = workspace.read("page.html");
    assert_eq!(embedded(&page), report);
    assert!(page.contains("2 inputs of 4 matter") && page.contains("Left out on request: kind"));
    let command = page.replace("<span class=\"word\">", "").replace("</span>", "");
    assert!(command.contains(&format!("needlenet {FIT} --report page.html --json")));
}

#[test]
fn a_saved_model_has_a_page_without_samples() {
    let workspace = with_small_table();
    assert_eq!(workspace.run(&format!("{FIT} --out m.json")).code, 0);
    let shown = workspace.run("show m.json --report page.html --json").json();
    let page = workspace.read("page.html");
    assert_eq!(embedded(&page), shown);
    assert!(page.contains("The model came without its table"));
}

#[test]
fn a_page_is_written_whole_or_not_at_all() {
    let workspace = with_small_table();
    let done = workspace.run(&format!("{FIT} --report nowhere/page.html"));
    assert_eq!(done.code, 1);
    assert!(done.err.contains("nowhere/page.html"), "{}", done.err);
    workspace.write("page.html", "old");
    assert_eq!(workspace.run("fit t.csv --target nothing --report page.html").code, 1);
    assert_eq!(workspace.read("page.html"), "old");
    assert_eq!(workspace.run(&format!("{FIT} --report page.html")).code, 0);
    assert!(workspace.read("page.html").ends_with("</html>"));
    // no temporary file is left
    let left = std::fs::read_dir(workspace.path(".")).unwrap().count();
    assert_eq!(left, 2);
}

#[test]
fn a_fit_that_did_not_converge_has_a_page_that_says_so_and_exit_code_2() {
    let workspace = with_small_table();
    let line = "fit t.csv --target y --exclude kind --hidden 8 --penalty l1 --draws 200 --max-iterations 1";
    let done = workspace.run(&format!("{line} --report page.html"));
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(workspace.read("page.html").contains("did NOT converge"));
}

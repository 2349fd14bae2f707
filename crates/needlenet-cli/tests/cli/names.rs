//! Names that hold anything: quotes, line breaks, escapes, marks of direction, 10,000 letters. They are whole in CSV and
//! JSON, and harmless and short where a person reads them.

use serde_json::Value;

use crate::program::{Workspace, small_table};

/// Names that must come back as they are.
fn names() -> Vec<String> {
    let long = "n".repeat(10_000);
    [
        "plain",
        "with \"quotes\"",
        "two\nlines",
        "a,comma;and\ttab",
        "\u{1b}[2J\u{1b}]0;title\u{7}",
        "\u{202e}turned\u{2066}",
        "\u{9b}31m",
        "<script>alert(1)</script>&amp;",
        "👩‍🔬 ❤️ größe 年齢 عمر",
        "=cmd|' /C calc'!A0",
        "' OR 1=1 --",
        long.as_str(),
    ]
    .map(str::to_owned)
    .to_vec()
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// The small table, with names for `b` and the large class.
fn renamed(name: &str, class: &str) -> String {
    let table = small_table().replacen("a,b,c", &format!("a,{},c", quoted(name)), 1);
    table.replace("large", &quoted(class))
}

/// Asserts that a text for a person has no character that steers a terminal and no endless line.
fn is_tame(text: &str, what: &str) {
    for line in text.lines() {
        let bad = line.chars().find(|c| c.is_control() || ('\u{202a}'..='\u{2069}').contains(c));
        assert_eq!(bad, None, "{what}: {line:?}");
        assert!(line.chars().count() < 600, "{what}: {} letters", line.chars().count());
    }
}

#[test]
fn any_name_is_whole_in_json_and_csv_and_harmless_in_text() {
    for name in names() {
        let workspace = Workspace::new();
        workspace.write("t.csv", &renamed(&name, &name));
        let fit = "fit t.csv --target kind --exclude y --hidden none --draws 200";
        let done = workspace.run(&format!("{fit} --json --out m.json --report r.html"));
        if name.contains('\u{1b}') {
            // text tables have no such characters in their first lines; other formats may
            done.refuses(&["neither text nor a known format"]);
            is_tame(&done.err, "refusal");
            continue;
        }
        let report = done.json();
        assert_eq!(report["selected"], Value::from(vec![name.clone()]));
        assert!(report["classes"].as_array().unwrap().contains(&Value::from(name.clone())));
        is_tame(&done.err, "notes");

        // a model file and back, as CSV and as JSON
        let predicted = workspace.run("predict m.json t.csv").text();
        let mut reader = csv::Reader::from_reader(predicted.as_bytes());
        let header = reader.headers().unwrap().clone();
        assert!(header.iter().any(|column| column == format!("probability_{name}")), "{name}");
        let classes: Vec<String> = reader.records().map(|row| row.unwrap()[0].to_owned()).collect();
        assert!(classes.contains(&name) && classes.len() == 50, "{name}");
        let predicted = workspace.run("predict m.json t.csv --json").json();
        assert!(predicted["predictions"].as_array().unwrap().contains(&Value::from(name.clone())));

        for line in [fit, "show m.json", "doctor t.csv --target kind --exclude y", "compare m.json m.json"] {
            let done = workspace.run(line);
            assert_eq!(done.code, 0, "{}", done.err);
            is_tame(&done.out, line);
            is_tame(&done.err, line);
        }

        // the page holds no name as markup, and none that turns the text
        let page = workspace.read("r.html");
        assert!(!page.contains("<script>alert") && !page.contains("&amp;amp;amp;"), "{name}");
        let bad =
            page.chars().find(|c| c.is_control() && *c != '\n' || ('\u{202a}'..='\u{2069}').contains(c));
        assert_eq!(bad, None, "{name}");
        assert!(page.len() < 300_000);
    }
}

#[test]
fn any_name_is_harmless_in_an_error() {
    for name in names() {
        let workspace = Workspace::new();
        let name_quoted = quoted(&name);
        workspace.write("text.csv", &format!("{name_quoted},y\nx{name_quoted},1\n2,3\n"));
        workspace.write("cell.csv", &format!("a,y\n{name_quoted},1\n2,3\n"));
        workspace.write("missing.csv", &format!("{name_quoted},y\n,1\n2,3\n"));
        workspace.write("infinite.csv", &format!("{name_quoted},y\ninf,1\n2,3\n"));
        workspace.write("twice.csv", &format!("{name_quoted},{name_quoted},,y\n1,2,3,4\n5,6,7,z\n"));
        workspace.write("mixed.csv", &format!("a,y\n1,1\n2,2\n3,{name_quoted}\n"));
        workspace.write("one.csv", &format!("a,y\n1,{name_quoted}\n2,{name_quoted}\n3,{name_quoted}\n"));
        for table in ["text", "cell", "missing", "infinite", "twice", "mixed", "one"] {
            for target in ["y", "z"] {
                for command in ["fit", "doctor", "threshold"] {
                    let done = workspace.run(&format!("{command} {table}.csv --target {target}"));
                    is_tame(&done.err, table);
                    is_tame(&done.out, table);
                    assert!(done.err.len() < 2000, "{}", done.err.len());
                }
            }
            let done = workspace.run(&format!("fit {table}.csv --target y --missing mean --task regression"));
            is_tame(&done.err, table);
        }
    }
}

#[test]
fn a_name_that_was_typed_is_harmless_too() {
    let workspace = Workspace::new();
    workspace.write("t.csv", &small_table());
    for name in ["\u{1b}[2J", "\u{202e}x", &"n".repeat(10_000)] {
        for line in ["fit t.csv --target", "fit t.csv --target y --exclude", "fit t.csv --target y --weights"]
        {
            let done = workspace.run(&format!("{line} {name}"));
            assert_eq!(done.code, 1);
            is_tame(&done.err, line);
        }
    }
}

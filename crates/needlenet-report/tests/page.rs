//! The page: small, well formed, without requests, safe whatever the names are, and honest when nothing was found.

#![allow(clippy::unwrap_used, reason = "a step that fails fails the test")]

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use needlenet::{Data, Group, GroupKind, Model, Outcome, Settings, SureOptions, fit, sure};
use needlenet_report::{Evidence, Report, Run, Source};

/// The promise of the issue.
const LARGEST_PAGE: usize = 300_000;

/// Values in (-1, 1) from a recurrence.
fn uniform(count: usize) -> Vec<f64> {
    let mut state = 42_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        2.0 * (state >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn names(p: usize) -> Vec<String> {
    (0..p).map(|j| format!("input {j}")).collect()
}

/// The linear fit of an outcome made from the first two inputs; the page with its table.
fn page_of(names: Vec<String>, n: usize, outcome: impl Fn(f64, f64) -> Outcome1, hidden: Vec<usize>) -> Made {
    let x = uniform(n * names.len());
    let each: Vec<Outcome1> = (0..n).map(|i| outcome(x[i], x[n + i])).collect();
    let outcome = match &each[0] {
        Outcome1::Number(_) => Outcome::Regression(each.iter().map(Outcome1::number).collect()),
        Outcome1::Class(_) => Outcome::from_labels(&each.iter().map(Outcome1::class).collect::<Vec<_>>()),
    };
    let data = Data::new(x, names, outcome).unwrap();
    made(data, Settings { hidden, draws: 200, ..Settings::default() })
}

fn made(data: Data, settings: Settings) -> Made {
    let model = fit(data.clone(), &settings).unwrap();
    let report = Report::new(&model, &Run::default());
    let evidence = Evidence::of_data(&model, &report, &data);
    let source = Source {
        name: "table.csv".into(),
        command: Some("needlenet fit table.csv".into()),
        notes: Vec::new(),
    };
    let page = report.page(&model, &evidence, &source);
    Made { model, report, page }
}

enum Outcome1 {
    Number(f64),
    Class(&'static str),
}

impl Outcome1 {
    fn number(&self) -> f64 {
        if let Outcome1::Number(v) = self { *v } else { f64::NAN }
    }

    fn class(&self) -> &'static str {
        if let Outcome1::Class(v) = self { v } else { "" }
    }
}

struct Made {
    model: Model,
    report: Report,
    page: String,
}

type Element = (String, Vec<(String, String)>, String);

/// Every element of a page: its name, its attributes, the text inside it.
fn elements(page: &str) -> Vec<Element> {
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(page);
    assert!(dom.errors.borrow().is_empty(), "{:?}", dom.errors.borrow());
    let mut all = Vec::new();
    walk(&dom.document, &mut all);
    all
}

fn walk(node: &Handle, all: &mut Vec<Element>) {
    if let NodeData::Element { name, attrs, .. } = &node.data {
        let attributes =
            attrs.borrow().iter().map(|a| (a.name.local.to_string(), a.value.to_string())).collect();
        all.push((name.local.to_string(), attributes, text(node)));
    }
    node.children.borrow().iter().for_each(|child| walk(child, all));
}

fn text(node: &Handle) -> String {
    match &node.data {
        NodeData::Text { contents } => contents.borrow().to_string(),
        _ => node.children.borrow().iter().map(text).collect(),
    }
}

/// What must hold for every page.
fn check(made: &Made) {
    let Made { report, page, .. } = made;
    assert!(page.len() < LARGEST_PAGE, "{} bytes", page.len());
    let all = elements(page);
    let count = |name: &str| all.iter().filter(|(tag, ..)| tag == name).count();
    // one title is that of the document
    assert_eq!(count("title"), count("svg") + 1);
    assert_eq!(count("desc"), count("svg"));
    assert!(count("svg") >= 1);
    for (tag, attributes, inside) in &all {
        assert!(
            !["link", "img", "iframe", "object", "embed", "a", "form", "base"].contains(&tag.as_str()),
            "{tag}"
        );
        assert!(
            !attributes.iter().any(|(name, _)| name == "src" || name == "href" || name.starts_with("on"))
        );
        if tag == "script" {
            assert_eq!(attributes[1], ("type".into(), "application/json".into()));
            let embedded: serde_json::Value = serde_json::from_str(inside).unwrap();
            assert_eq!(embedded, serde_json::to_value(report).unwrap());
        }
        if tag == "th" {
            assert!(attributes.iter().any(|(name, _)| name == "scope"), "a header without scope: {inside}");
        }
    }
    assert_eq!(count("script"), 1);
    assert!(!page.contains("@import") && !page.contains("url("));
    assert!(page.contains("default-src 'none'"));
}

fn straight(a: f64, b: f64) -> Outcome1 {
    Outcome1::Number(3.0 * a - 2.0 * b)
}

#[test]
fn a_table_of_numbers_has_its_questions_in_order() {
    let made = page_of(names(6), 120, straight, vec![]);
    check(&made);
    let heads: Vec<String> =
        elements(&made.page).into_iter().filter(|(tag, ..)| tag == "h2").map(|(_, _, text)| text).collect();
    assert_eq!(
        heads,
        [
            "Which inputs matter?",
            "How does each act?",
            "Which act together?",
            "Is it linear?",
            "How sure is it?",
            "How good is the fit?",
            "What was done with the table?",
            "How was it found?"
        ]
    );
    let command = elements(&made.page).into_iter().find(|(tag, ..)| tag == "pre").map(|(_, _, text)| text);
    assert_eq!(command.unwrap().trim_end(), "needlenet fit table.csv");
    assert!(made.page.contains("Observed against fitted"));
}

#[test]
fn two_needles_that_share_a_neuron_have_a_contour() {
    let bent = |a: f64, b: f64| Outcome1::Number(10.0 * (a - b).abs());
    let made = page_of(names(6), 200, bent, vec![8]);
    assert_eq!(made.model.needles.len(), 2);
    check(&made);
    assert!(made.page.contains("together: outcome") && made.page.contains("class=\"level7\""));
}

#[test]
fn classes_of_two_and_three_have_counts_and_curves() {
    let two = |a: f64, b: f64| Outcome1::Class(if a + b > 0.0 { "high" } else { "low" });
    let three = |a: f64, b: f64| {
        Outcome1::Class(["one", "two", "three"][usize::from(a > 0.2) + usize::from(b > 0.2)])
    };
    for made in [page_of(names(6), 150, two, vec![]), page_of(names(6), 240, three, vec![])] {
        assert!(!made.model.needles.is_empty());
        check(&made);
        for words in ["ROC curve", "Calibration", "Samples by observed class"] {
            assert!(made.page.contains(words), "{words}");
        }
    }
}

#[test]
fn a_page_of_20000_inputs_is_small() {
    let made = page_of(names(20_000), 60, straight, vec![]);
    assert_eq!(made.report.n_features, 20_000);
    check(&made);
}

#[test]
fn names_as_long_as_books_leave_the_page_small_without_its_json() {
    let long = (0..4).map(|j| format!("{j}{}", "🧬".repeat(30_000))).collect();
    let made = page_of(long, 100, straight, vec![]);
    assert_eq!(made.report.n_selected, 2);
    assert!(made.page.len() < LARGEST_PAGE, "{} bytes", made.page.len());
    assert!(made.page.contains("too large for this page") && !made.page.contains("<script"));
}

#[test]
fn names_are_text_whatever_they_hold() {
    let hostile = [
        "</script><script>alert(1)</script>",
        "\"><img src=x onerror='alert(1)'>",
        "\u{202e}desrever 🧬 & <b>",
        "plain",
    ];
    let made = page_of(hostile.map(String::from).to_vec(), 100, straight, vec![]);
    check(&made);
    assert!(made.page.contains("&lt;script&gt;alert(1)"));
    let made = page_of(
        vec![hostile[2].into(), hostile[0].into(), "c".into()],
        100,
        |a, b| Outcome1::Class(if a > b { "<i>\u{2028}" } else { "]]>'\"" }),
        vec![],
    );
    check(&made);
    assert_eq!(made.report.n_selected, 2);
    assert!(made.page.contains("🧬") && !made.page.contains('\u{202e}'));
}

#[test]
fn an_empty_answer_says_what_could_have_been_found() {
    let hay = uniform(600);
    let data = Data::new(uniform(100 * 5), names(5), Outcome::Regression(hay[500..].to_vec())).unwrap();
    // a level so strict that chance finds nothing here
    let made = made(data, Settings { hidden: vec![], draws: 2000, alpha: 0.001, ..Settings::default() });
    assert_eq!(made.report.n_selected, 0);
    check(&made);
    assert!(made.page.contains("No input of 5 was found to matter"));
    assert!(
        made.page.contains("What could have been found?") && made.page.contains("the answer cannot be empty")
    );
}

#[test]
fn a_fit_that_did_not_converge_says_so_before_its_answer() {
    let x = uniform(100 * 6);
    let y = (0..100).map(|i| 10.0 * (x[i] - x[100 + i]).abs()).collect();
    let data = Data::new(x, names(6), Outcome::Regression(y)).unwrap();
    let made = made(data, Settings { hidden: vec![8], draws: 200, max_iterations: 1, ..Settings::default() });
    assert!(!made.report.converged);
    check(&made);
    let (warning, answer) = (made.page.find("did NOT converge").unwrap(), made.page.find("<h1>").unwrap());
    assert!(warning < answer);
}

#[test]
fn near_copies_of_needles_are_named() {
    let n = 120;
    let mut x = uniform(n * 4);
    for i in 0..n {
        x[3 * n + i] = -x[i] + 0.05 * x[2 * n + i];
    }
    let y = (0..n).map(|i| 3.0 * x[i] - 2.0 * x[n + i]).collect();
    let data = Data::new(x, names(4), Outcome::Regression(y)).unwrap();
    let made = made(data, Settings { hidden: vec![], draws: 200, ..Settings::default() });
    assert!(made.page.contains("Near copies of needles") && made.page.contains("correlation -1.00"));
}

#[test]
fn page_says_how_sure_each_needle_and_its_copies_are() {
    let n = 80;
    let mut x = uniform(n * 4);
    for i in 0..n {
        x[n + i] = x[i] + 0.1 * x[n + i];
    }
    let y = (0..n).map(|i| x[i] + 0.2 * x[3 * n + i]).collect();
    let names = ["<b>", "copy", "c", "d"].map(String::from).to_vec();
    let data = Data::new(x, names, Outcome::Regression(y)).unwrap();
    let settings = Settings { hidden: Vec::new(), draws: 200, ..Settings::default() };
    let mut model = fit(data.clone(), &settings).unwrap();
    let options = SureOptions { pairs: 2, ..SureOptions::default() };
    model.sure = Some(sure(&data, &model, &options, &()).unwrap());
    let report = Report::new(&model, &Run::default());
    let page = report.page(&model, &Evidence::of_model(&model, &report), &Source::default());
    for words in [
        "it or a copy, adjusted",
        "has near copies",
        "share of 4 halves",
        "Holm's method for all 4 inputs",
        "adjusted p<",
    ] {
        assert!(page.contains(words), "no {words}");
    }
    assert!(!page.contains("<b>"));
    // with the table, the ends of each curve are drawn
    let page = report.page(&model, &Evidence::of_data(&model, &report, &data), &Source::default());
    assert!(
        page.contains("The thin lines are the ends of an interval at each value")
            && page.contains("class=\"guide\"")
    );
}

#[test]
fn what_to_expect_on_new_samples_agrees_with_new_samples() {
    // the law is 10 |a - b| plus noise of standard deviation 1; the new samples are the second half of the same draws
    let (n, p) = (300, 4);
    let x = uniform(2 * n * (p + 3));
    let column = |j: usize| &x[2 * n * j..2 * n * (j + 1)];
    // a sum of three uniform values in (-1, 1) has variance 1
    let y: Vec<f64> = (0..2 * n)
        .map(|i| 10.0 * (column(0)[i] - column(1)[i]).abs() + column(4)[i] + column(5)[i] + column(6)[i])
        .collect();
    let part = |from: usize, to: usize| {
        let inputs = (0..p).flat_map(|j| column(j)[from..to].to_vec()).collect();
        Data::new(inputs, names(p), Outcome::Regression(y[from..to].to_vec())).unwrap()
    };
    let made = made(part(0, n), Settings { hidden: vec![8], draws: 200, ..Settings::default() });
    check(&made);
    let said = made.report.on_new_samples.clone().unwrap();
    assert!(made.page.contains("Expected on new samples"));
    let figure = |before: &str| -> f64 {
        let rest = said.split(before).nth(1).unwrap();
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap();
        rest[..end].trim_end_matches('.').parse().unwrap()
    };
    let new = part(n, 2 * n);
    let columns: Vec<_> = made.model.inputs().map(|input| new.column(input.index)).collect();
    let columns: Vec<&[f64]> = columns.iter().map(AsRef::as_ref).collect();
    let predicted = made.model.predict(n, &columns, needlenet::Fitted::Predictor).unwrap();
    let predicted = match predicted {
        needlenet::Prediction::Numbers(values) => values,
        needlenet::Prediction::Classes { .. } => Vec::new(),
    };
    assert_eq!(predicted.len(), n);
    let y = &y[n..];
    let mean = y.iter().sum::<f64>() / n as f64;
    let left: f64 = y.iter().zip(&predicted).map(|(y, f)| (y - f).powi(2)).sum();
    let total: f64 = y.iter().map(|y| (y - mean).powi(2)).sum();
    let (explained, error) = (1.0 - left / total, (left / n as f64).sqrt());
    // both are estimates from 300 samples: the standard error of a standard deviation is 4%
    assert!((figure("R2 of about ") - explained).abs() < 0.02, "{said}: {explained}");
    assert!((figure("error of about ") / error - 1.0).abs() < 0.15, "{said}: {error}");
}

#[test]
fn a_category_has_a_table_of_its_levels_and_no_curve() {
    let (n, levels) = (200, ["I", "II", "III"]);
    let a = uniform(2 * n);
    let level = |i: usize, k: usize| if (i * 7 + i / 5) % 3 == k { 1.0 } else { 0.0 };
    let columns: Vec<f64> = (0..3).flat_map(|k| (0..n).map(move |i| level(i, k))).collect();
    let y = (0..n).map(|i| 3.0 * level(i, 2) + 2.0 * a[i] + 0.3 * a[n + i]).collect();
    let x = [a[..n].to_vec(), columns].concat();
    let names = ["age", "stage=I", "stage=II", "stage=III"].map(String::from).to_vec();
    let kind = GroupKind::Category { levels: levels.map(String::from).to_vec() };
    let stage = Group { name: "stage".into(), kind, columns: vec![1, 2, 3] };
    let data = Data::new(x, names, Outcome::Regression(y)).unwrap().with_groups(vec![stage]).unwrap();
    let made = made(data, Settings { hidden: vec![], draws: 200, ..Settings::default() });
    assert_eq!(made.report.selected, ["stage", "age"]);
    check(&made);
    assert!(made.page.contains("Levels of stage") && made.page.contains("Effect of age"));
    assert!(!made.page.contains("Effect of stage"));
    assert!(made.page.contains("Inputs of several columns: stage (here stage="), "{}", made.report.text());
}

#[test]
fn the_page_says_which_function_predicts_and_shows_the_stages() {
    let made = page_of(names(6), 200, |a, b| Outcome1::Number(10.0 * (a - b).abs()), vec![8]);
    assert!(made.model.held_out.is_some() && made.model.path.len() > 1);
    assert!(made.page.contains("Predictions come from"));
    assert!(made.page.contains("Inputs in use after each stage"));
}

#[test]
fn where_new_samples_were_not_tried_the_page_says_so() {
    let made = page_of(names(6), 60, straight, vec![8]);
    assert!(made.model.held_out.is_none());
    assert!(made.report.on_new_samples.unwrap().contains("was not estimated"));
}

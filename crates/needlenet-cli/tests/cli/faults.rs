//! Faults from outside: signals at random moments, a full disk, a folder that may not be written to, a reader that goes
//! away, a file that changes while it is read. A model, a page or a row is there whole or not at all.
//!
//! `TRUST=all` does each many more times, and prints the counts: `make trust` keeps them.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{Done, Workspace, program, small_table};

const FIT: &str = "fit t.csv --target y --exclude kind --hidden 4 --draws 500 --threads 1 --quiet";

/// How often something is tried: `few` times in `make test`, `many` times with `TRUST=all`.
fn times(few: usize, many: usize) -> usize {
    if std::env::var("TRUST").is_ok_and(|how| how == "all") { many } else { few }
}

/// The same numbers between 0 and 1 in every run.
fn draws(mut state: u64) -> impl FnMut() -> f64 {
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Sends a signal by its name, unless the program has ended.
fn send(signal: &str, child: &mut Child) {
    if child.try_wait().unwrap().is_none() {
        let sent = Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).output();
        assert!(sent.is_ok(), "there is no program kill");
    }
}

#[allow(clippy::print_stdout, reason = "the counts are the output of `make trust`")]
fn tell(what: &str, tried: usize, more: &str) {
    println!("{what}: tried {tried}, failed 0{more}");
}

/// The files of a folder that a program killed may leave: its temporary ones.
fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".needlenet-"))
}

#[test]
fn a_fit_killed_at_any_moment_leaves_the_old_model_and_page_or_the_new_ones() {
    killed("", times(24, 300));
}

#[test]
fn a_fit_killed_while_it_tests_its_needles_leaves_the_old_model_and_page_or_the_new_ones() {
    killed(" --sure", times(12, 150));
}

/// Ends `fit --out --report` with these words by a signal, so often, and looks at its files.
fn killed(words: &str, tried: usize) {
    let here = Workspace::new();
    here.write("t.csv", &small_table());
    let start = Instant::now();
    let line = format!("{FIT}{words} --out m.json --report r.html");
    here.run(&line).text();
    let mut lasts = start.elapsed().as_secs_f64();
    let new_model = here.read("m.json");
    let mut draw = draws(7);
    let (mut ended, mut kept_old) = (0, 0);
    for round in 0..tried {
        here.write("m.json", "the old model");
        here.write("r.html", "the old page");
        // what a stopped run has tested is kept for the next one, which would then end too soon
        let _ = std::fs::remove_file(here.path("m.json.sure"));
        let mut child = program(here.path("").as_path(), &line).spawn().unwrap();
        // later moments more often: files are written at the end
        std::thread::sleep(Duration::from_secs_f64(1.2 * lasts * draw().sqrt()));
        let signal = ["INT", "TERM", "KILL"][round % 3];
        send(signal, &mut child);
        let status = child.wait().unwrap();
        // Ctrl-C is answered, with the exit code that a shell gives it; the signal may also come before it can be
        let number = [2, 15, 9][round % 3];
        let answered = signal == "INT" && status.code() == Some(130);
        assert!(status.code() == Some(0) || status.signal() == Some(number) || answered, "{status}");
        let in_time = status.code() != Some(0);
        ended += usize::from(!in_time);
        // how long a fit lasts depends on what else the machine does; four of five signals come in time
        lasts *= if in_time { 1.2 } else { 0.5 };
        let (model, page) = (here.read("m.json"), here.read("r.html"));
        assert!(model == "the old model" || model == new_model, "{model}");
        assert!(
            page == "the old page" || page.ends_with("</html>\n") || page.ends_with("</html>"),
            "{round}"
        );
        kept_old += usize::from(model == "the old model");
        if model == new_model {
            assert_eq!(here.run("show m.json --json").code, 0);
        } else {
            assert_ne!(status.code(), Some(0));
        }
    }
    assert!(kept_old > 0, "no signal came in time");
    tell(
        &format!("fit --out --report{words}, signals"),
        tried,
        &format!(", ended before the signal {ended}, kept the old model {kept_old}"),
    );
    let others = std::fs::read_dir(here.path("")).unwrap().map(|entry| entry.unwrap().path());
    let strange: Vec<_> = others
        .filter(|path| !["t.csv", "m.json", "r.html", "m.json.sure"].iter().any(|name| path.ends_with(name)))
        .collect();
    assert!(strange.iter().all(|path| is_temporary(path)), "{strange:?}");
}

#[test]
fn ctrl_c_says_what_is_kept() {
    let here = Workspace::new();
    here.run("lab make nonlinear --s 20 --seed 1 --out t.csv").text();
    // so many draws and replicates that neither ends by itself before the signal comes
    let study = "lab run nonlinear --learners needlenet --points 20 --replicates 9000 --threads 1 --out rows";
    for (line, kept) in [
        ("fit t.csv --target target --threads 1 --draws 10000000 --out m.json", "no file was written"),
        (study, "the finished rows are kept"),
    ] {
        let mut child = program(here.path("").as_path(), line).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(400));
        send("INT", &mut child);
        let done = Done::from(child.wait_with_output().unwrap());
        assert_eq!(done.code, 130, "{line}: {}", done.err);
        assert!(done.err.contains("error: interrupted") && done.err.contains(kept), "{}", done.err);
    }
    assert!(!here.path("m.json").exists());
}

/// The rows of a study without the time, sorted.
fn rows(text: &str) -> Vec<String> {
    let mut rows: Vec<String> =
        text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect();
    rows.sort();
    rows
}

#[test]
fn a_study_ended_by_any_signal_many_times_has_the_rows_of_an_undisturbed_one() {
    let study =
        "lab run mixed --learners sqrt-lasso-qut,linear-harder --points 2,8 --seed 6 --quiet --threads 1";
    let kills = times(6, 50);
    let replicates = if kills > 6 { 60 } else { 10 };
    let here = Workspace::new();
    let start = Instant::now();
    here.run(&format!("{study} --replicates {replicates} --out whole")).text();
    let lasts = start.elapsed().as_secs_f64();
    let mut draw = draws(11);
    let line = format!("{study} --replicates {replicates} --out killed");
    let mut in_time = 0;
    for round in 0..kills {
        let mut child = program(here.path("").as_path(), &line).spawn().unwrap();
        std::thread::sleep(Duration::from_secs_f64(2.0 * draw() * lasts / kills as f64));
        send(["KILL", "INT", "TERM"][round % 3], &mut child);
        in_time += usize::from(child.wait().unwrap().code() != Some(0));
        if let Ok(text) = std::fs::read_to_string(here.path("killed/rows.csv")) {
            assert!(text.is_empty() || text.ends_with('\n'), "a torn row");
        }
    }
    here.run(&line).text();
    assert_eq!(rows(&here.read("killed/rows.csv")), rows(&here.read("whole/rows.csv")));
    assert!(in_time > 0, "no signal came in time");
    tell("lab run, signals", kills, &format!(", of which {in_time} came before the end"));
}

/// Runs the program by way of a shell that sets a limit first.
fn shell(here: &Workspace, before: &str, line: &str) -> Done {
    let program = env!("CARGO_BIN_EXE_needlenet");
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{before}; exec '{program}' {line}")]).current_dir(here.path(""));
    command.stdin(Stdio::null()).output().unwrap().into()
}

#[test]
fn a_full_disk_is_an_error_and_leaves_the_old_files() {
    let here = Workspace::new();
    here.write("t.csv", &small_table());
    here.run(&format!("{FIT} --out m.json")).text();
    let model = here.read("m.json");
    here.write("r.html", "the old page");
    // files of at most a block of 512 bytes; without the signal, as on a full disk, the write itself fails
    let full = "trap '' XFSZ; ulimit -f 1";
    shell(&here, full, &format!("{FIT} --out m.json")).refuses(&["m.json: cannot be written"]);
    shell(&here, full, &format!("{FIT} --report r.html")).refuses(&["r.html: cannot be written"]);
    shell(&here, full, "show m.json --report r.html").refuses(&["r.html: cannot be written"]);
    shell(&here, full, "predict m.json t.csv --out p.csv").refuses(&["p.csv: cannot be written"]);
    shell(&here, full, "lab make nonlinear --out made.csv").refuses(&["made.csv: cannot be written"]);
    assert_eq!((here.read("m.json"), here.read("r.html").as_str()), (model, "the old page"));
    let names = std::fs::read_dir(here.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["m.json", "r.html", "t.csv"]);
    if Path::new("/dev/full").exists() {
        here.run(&format!("{FIT} --out /dev/full")).refuses(&["/dev/full: cannot be written"]);
        let done = shell(&here, "exec >/dev/full", &format!("{FIT} --json"));
        assert_eq!(done.code, 1);
        assert!(done.err.starts_with("error: standard output:"), "{}", done.err);
    }
}

#[test]
fn a_study_on_a_full_disk_ends_with_an_error_and_goes_on_later() {
    let here = Workspace::new();
    let line = "lab run mixed --learners sqrt-lasso-qut --points 2 --replicates 6 --seed 6 --quiet --threads 1 --out rows";
    here.run(&line.replace("--out rows", "--out whole")).text();
    let done = shell(&here, "trap '' XFSZ; ulimit -f 1", line);
    done.refuses(&["rows.csv"]);
    here.run(line).text();
    assert_eq!(rows(&here.read("rows/rows.csv")), rows(&here.read("whole/rows.csv")));
}

/// The words that run a command as a user that is not root, who may write anywhere.
fn as_nobody() -> Option<Vec<&'static str>> {
    let id = Command::new("id").arg("-u").output().ok()?;
    if id.stdout.trim_ascii() != b"0" {
        return Some(Vec::new());
    }
    let words = vec!["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let works = Command::new(words[0]).args(&words[1..]).arg("true").status();
    works.is_ok_and(|status| status.success()).then_some(words)
}

/// A folder with a table and the program that any user may run, and the words that make another user run it.
#[allow(clippy::print_stdout, reason = "says that the test did not run")]
fn for_nobody() -> Option<(Workspace, Vec<&'static str>)> {
    let Some(words) = as_nobody() else {
        println!("skipped: no other user to be had");
        return None;
    };
    let here = Workspace::new();
    here.write("t.csv", &small_table());
    std::fs::copy(env!("CARGO_BIN_EXE_needlenet"), here.path("needlenet")).unwrap();
    for (path, mode) in [("", 0o755), ("t.csv", 0o644), ("needlenet", 0o755)] {
        std::fs::set_permissions(here.path(path), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    Some((here, words))
}

/// Runs the program there, after these words.
fn run_as(words: &[&str], here: &Workspace, line: &str) -> Done {
    let program = here.path("needlenet");
    let mut all = [words, &[program.to_str().unwrap()]].concat();
    all.extend(line.split_whitespace());
    let mut command = Command::new(all[0]);
    command.args(&all[1..]).current_dir(here.path("")).stdin(Stdio::null());
    command.output().unwrap().into()
}

#[test]
#[cfg(target_os = "linux")]
fn a_user_who_may_start_no_thread_is_told_so() {
    let Some((here, mut words)) = for_nobody() else { return };
    words.extend(["prlimit", "--nproc=1"]);
    run_as(&words, &here, FIT).refuses(&["could not start 1 threads", "ask for fewer"]);
}

#[test]
fn a_folder_that_may_not_be_written_to_is_an_error() {
    let Some((here, words)) = for_nobody() else { return };
    std::fs::create_dir(here.path("closed")).unwrap();
    std::fs::set_permissions(here.path("closed"), std::fs::Permissions::from_mode(0o555)).unwrap();
    let run = |line: &str| run_as(&words, &here, line);
    run(&format!("{FIT} --out closed/m.json")).refuses(&["closed/m.json: cannot be written", "denied"]);
    run(&format!("{FIT} --report closed/r.html")).refuses(&["closed/r.html: cannot be written"]);
    run("lab make nonlinear --out closed/t.csv").refuses(&["closed/t.csv: cannot be written"]);
    run("lab run mixed --learners sqrt-lasso-qut --points 2 --replicates 1 --out closed/rows")
        .refuses(&["closed"]);
    std::fs::set_permissions(here.path("t.csv"), std::fs::Permissions::from_mode(0o000)).unwrap();
    run(FIT).refuses(&["t.csv: cannot be opened", "denied"]);
    assert_eq!(std::fs::read_dir(here.path("closed")).unwrap().count(), 0);
    std::fs::set_permissions(here.path("closed"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let here = Workspace::new();
    here.write("t.csv", &small_table());
    here.run(&format!("{FIT} --out m.json")).text();
    let lines = [
        FIT.to_owned(),
        format!("{FIT} --json"),
        "show m.json".into(),
        "predict m.json t.csv".into(),
        "predict m.json t.csv --json".into(),
        "doctor t.csv --target y --exclude kind".into(),
        "compare m.json m.json".into(),
        "threshold t.csv --target y --exclude kind --quiet".into(),
        "lab studies".into(),
        "lab studies --json".into(),
        "completions bash".into(),
        "man".into(),
        "--help".into(),
    ];
    for line in lines {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = program(here.path("").as_path(), &line);
        let done = command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{line}");
        assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{line}");
    }
}

#[test]
fn a_table_that_changes_while_it_is_read_ends_in_a_fit_or_an_error() {
    let here = Workspace::new();
    let whole = small_table();
    here.write("t.csv", &whole);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let tried = times(10, 200);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut draw = draws(3);
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let end = (draw() * whole.len() as f64) as usize;
                std::fs::write(here.path("t.csv"), &whole[..end]).unwrap();
                std::fs::write(here.path("t.csv"), &whole).unwrap();
            }
        });
        for _ in 0..tried {
            let done =
                here.run("threshold t.csv --target y --exclude kind --draws 200 --hidden none --quiet");
            let told = if done.code == 1 { done.err.starts_with("error: ") } else { done.err.is_empty() };
            assert!(matches!(done.code, 0 | 1) && told && !done.err.contains("fault"), "{}", done.err);
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    tell("a table that changes while it is read", tried, "");
}

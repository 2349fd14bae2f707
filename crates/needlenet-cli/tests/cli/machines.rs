//! The needles depend neither on the number of threads nor on the processor.
//!
//! The matrix products and the inner loops choose their instructions when the program runs, so only another processor takes another
//! path: QEMU emulates one with AVX2, and one without AVX and FMA, whose path is the portable one. It cannot emulate AVX-512: a
//! machine that has it compares it with the emulated AVX2. Without the emulator (Debian: apt-get install qemu-user-static; 7.2 or
//! newer for AVX2) these two tests say that they did not run; with `TRUST=all` they fail.
//!
//! `TRUST=all` prints a row for each fit, with the needles, the objective, and whether every bit is that of one thread on this
//! machine: `make trust` keeps them.

use std::process::Command;

use serde_json::Value;

use crate::program::{Done, Workspace, program};

/// A design of `lab make`, its size, and the words of the fit. Numbers, also of a law that bends; two classes and three; counts;
/// survival.
const TABLES: [(&str, &str, &str); 6] = [
    ("linear", "--n 60 --p 300 --s 2", "--target target"),
    ("nonlinear", "--n 150 --p 8 --s 2", "--target target"),
    ("class-mixed", "--n 100 --p 6", "--target target"),
    ("three-mixed", "--n 80 --p 4", "--target target"),
    ("count-linear", "--n 100 --p 10 --s 2", "--target target --task counts"),
    ("survival-linear", "--n 100 --p 10 --s 2", "--time time --event event"),
];

/// How the program is started: the words before it, `--threads`, and the threads of the environment, which alone can be more than
/// the cores.
struct Way<'a> {
    name: &'a str,
    before: &'a [&'a str],
    threads: usize,
    environment: Option<&'a str>,
}

const NATIVE: Way = Way { name: "1 thread", before: &[], threads: 1, environment: None };

/// A model file whose number of threads is that of every other.
fn fit(here: &Workspace, words: &str, way: &Way) -> Value {
    let line =
        format!("fit t.csv {words} --hidden 3 --draws 200 --threads {} --quiet --out m.json", way.threads);
    let native = program(here.path("").as_path(), &line);
    let mut command = match way.before {
        [] => native,
        [emulator, words @ ..] => {
            let mut command = Command::new(emulator);
            command.args(words).arg(native.get_program()).args(native.get_args());
            command.current_dir(here.path(""));
            command
        }
    };
    command.envs(way.environment.map(|threads| ("RAYON_NUM_THREADS", threads)));
    let done = Done::from(command.output().unwrap());
    assert_eq!(done.code, 0, "{words}, {}: {}", way.name, done.err);
    let mut model: Value = serde_json::from_str(&here.read("m.json")).unwrap();
    model["model"]["settings"]["threads"] = 0.into();
    model
}

/// Calls `check` with every table, its folder and the model of one thread on this processor.
fn over_the_tables(check: impl Fn(&str, &str, &Workspace, &Value)) {
    for (design, size, words) in TABLES {
        let here = Workspace::new();
        here.run(&format!("lab make {design} {size} --seed 4 --out t.csv")).text();
        let native = fit(&here, words, &NATIVE);
        assert_ne!(selected(&native), Vec::<&str>::new(), "{design}");
        check(design, words, &here, &native);
    }
}

fn selected(model: &Value) -> Vec<&str> {
    model["model"]["needles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|needle| needle["name"].as_str().unwrap())
        .collect()
}

fn objective(model: &Value) -> f64 {
    model["model"]["certificate"]["objective"].as_f64().unwrap()
}

fn long() -> bool {
    std::env::var("TRUST").is_ok_and(|how| how == "all")
}

#[allow(clippy::print_stdout, reason = "the rows are the output of `make trust`")]
fn tell(design: &str, way: &Way, model: &Value, native: &Value) {
    let same = if model == native { "yes" } else { "no" };
    if long() {
        let needles = selected(model).join(" ");
        println!("| {design} | {} | {needles} | {:?} | {same} |", way.name, objective(model));
    }
}

#[test]
fn one_two_and_eight_threads_give_the_same_bits() {
    over_the_tables(|design, words, here, native| {
        tell(design, &NATIVE, native, native);
        let ways = [
            Way { name: "2 threads", threads: 2, ..NATIVE },
            Way { name: "8 threads", threads: 0, environment: Some("8"), ..NATIVE },
        ];
        for way in ways {
            let model = fit(here, words, &way);
            tell(design, &way, &model, native);
            assert_eq!(&model, native, "{design}, {}", way.name);
        }
    });
}

/// Prints the instruction sets that the program would choose from; the emulated tests run it in the emulator.
#[test]
#[cfg(target_arch = "x86_64")]
#[allow(clippy::print_stdout, reason = "the output is what is tested")]
fn the_processor_has() {
    let has = [
        ("avx", is_x86_feature_detected!("avx")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
    ];
    let names: Vec<&str> = has.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect();
    println!("instructions: [{}]", names.join(" "));
}

/// The words that start a program in an emulated processor, if the emulator has this processor with these instructions alone.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[allow(clippy::explicit_write, reason = "the test harness captures eprintln")]
fn emulated(processor: &'static str, instructions: &str) -> Option<[&'static str; 3]> {
    use std::io::Write;
    let found = ["qemu-x86_64-static", "qemu-x86_64"].map(|name| [name, "-cpu", processor]).into_iter().find(
        |before| {
            let mut itself = Command::new(before[0]);
            itself.args(&before[1..]).arg(std::env::current_exe().unwrap());
            let output = itself.args(["--exact", "machines::the_processor_has", "--nocapture"]).output();
            let has = format!("instructions: [{instructions}]");
            output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(&has))
        },
    );
    if found.is_none() {
        let why = format!(
            "not run: {processor} cannot be emulated here (Debian: apt-get install qemu-user-static)"
        );
        assert!(!long(), "{why}");
        // past the capture of the test harness: who reads the output of `make test` sees it
        writeln!(std::io::stderr(), "{why}").unwrap();
    }
    found
}

/// Calls `check` with every table, its model in an emulated processor with these instructions, and that of this processor.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn over_the_tables_emulated(
    processor: &'static str,
    instructions: &str,
    check: impl Fn(&str, &Value, &Value),
) {
    let Some(before) = emulated(processor, instructions) else { return };
    over_the_tables(|design, words, here, native| {
        let way = Way { name: &format!("{processor}, emulated"), before: &before, ..NATIVE };
        let model = fit(here, words, &way);
        tell(design, &way, &model, native);
        check(design, &model, native);
    });
}

/// A processor with AVX-512 chooses it for the large products only, which sum in the same order for any width.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn a_processor_with_avx2_gives_the_same_bits() {
    over_the_tables_emulated("Haswell", "avx fma avx2", |design, model, native| {
        assert_eq!(model, native, "{design}");
    });
}

/// Without FMA a product and its sum round twice, so the iterates differ from the last digits on, and two solves of one minimum end
/// anywhere within the tolerance. That is a KKT violation of 1e-6 lambda: it moves the objective by at most 1e-6 lambda times the l1
/// distance of the two, which is below 1e-6 of the objective, as this contains lambda times the size of the weights.
#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn a_processor_without_avx_finds_the_same_needles() {
    over_the_tables_emulated("Nehalem", "", |design, model, native| {
        assert_eq!(selected(model), selected(native), "{design}");
        let (emulated, native) = (objective(model), objective(native));
        assert!((emulated - native).abs() <= 1e-6 * native, "{design}: {emulated}, here {native}");
    });
}

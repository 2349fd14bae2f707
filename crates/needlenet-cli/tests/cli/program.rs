//! Runs the program in a folder of its own.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A folder with files, and the program that runs in it.
pub struct Workspace(tempfile::TempDir);

/// What the program did.
pub struct Done {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Workspace {
    pub fn new() -> Self {
        Workspace(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs a line of words separated by blanks.
    pub fn run(&self, line: &str) -> Done {
        self.run_with(line, "")
    }

    /// The same, with a text on standard input.
    pub fn run_with(&self, line: &str, input: &str) -> Done {
        let mut child = program(self.0.path(), line).spawn().unwrap();
        // a program that does not read its input closes the pipe, which is its right
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap().into()
    }
}

pub fn program(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_needlenet"));
    command.current_dir(folder).args(line.split_whitespace());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl From<Output> for Done {
    fn from(output: Output) -> Self {
        Done {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Done {
    /// Standard output of a run that went well.
    pub fn text(self) -> String {
        assert_eq!(self.code, 0, "{}", self.err);
        self.out
    }

    /// The JSON object on standard output of a run that went well.
    pub fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{}", self.err);
        serde_json::from_str(&self.out).unwrap()
    }

    /// Asserts a refusal: exit code 1, nothing on standard output, one line that holds these words.
    pub fn refuses(&self, words: &[&str]) {
        self.refuses_in_lines(1, words);
    }

    /// The same for a message of several lines.
    pub fn refuses_in_lines(&self, lines: usize, words: &[&str]) {
        assert_eq!((self.code, self.out.as_str()), (1, ""), "{}", self.err);
        let found = self.err.trim_end().lines().count();
        assert!(self.err.starts_with("error: ") && found == lines, "{}", self.err);
        for word in words {
            assert!(self.err.contains(word), "no {word} in: {}", self.err);
        }
    }
}

/// 50 rows: `y = 3 b - 2 c` and a little noise, `kind` is whether `b` is large, `d` is hay. Values come from a recurrence.
pub fn small_table() -> String {
    let mut state = 42_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        2.0 * (state >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
    };
    let mut table = String::from("a,b,c,d,kind,y\n");
    for _ in 0..50 {
        let [a, b, c, d, noise] = std::array::from_fn(|_| uniform());
        let kind = if b + 0.1 * noise > 0.0 { "large" } else { "small" };
        table += &format!("{a},{b},{c},{d},{kind},{}\n", 3.0 * b - 2.0 * c + 0.1 * noise);
    }
    table
}

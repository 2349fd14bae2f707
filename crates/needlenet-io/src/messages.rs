//! What is asked of shards and what they answer, as bytes that other machines read. JSON keeps every bit of a number
//! (`float_roundtrip`). Tested in `crates/needlenet/src/tests/shards.rs` and `python/tests/test_shards.py`.

use needlenet::shards::{Answer, Task};

/// A task as bytes.
pub fn task_to_bytes(task: &Task) -> Result<Vec<u8>, String> {
    serde_json::to_vec(task).map_err(|error| error.to_string())
}

/// A task from bytes.
pub fn task_from_bytes(bytes: &[u8]) -> Result<Task, String> {
    serde_json::from_slice(bytes).map_err(|error| mismatch("task", &error))
}

/// An answer as bytes.
pub fn answer_to_bytes(answer: &Answer) -> Result<Vec<u8>, String> {
    serde_json::to_vec(answer).map_err(|error| error.to_string())
}

/// An answer from bytes.
pub fn answer_from_bytes(bytes: &[u8]) -> Result<Answer, String> {
    serde_json::from_slice(bytes).map_err(|error| mismatch("answer", &error))
}

fn mismatch(what: &str, error: &serde_json::Error) -> String {
    format!(
        "the {what} of a shard cannot be read ({error}); use the same version of needlenet on every machine"
    )
}

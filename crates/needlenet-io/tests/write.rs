//! Files are replaced whole.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;

use needlenet_io::{check_outputs, write_atomically};

#[test]
fn a_file_is_made_and_then_replaced_without_leaving_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    write_atomically(&path, b"first, which is longer").unwrap();
    write_atomically(&path, b"second").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"second");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_folder_that_is_not_there_or_a_directory_is_an_error_that_names_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("no").join("model.json");
    assert!(
        write_atomically(&absent, b"x").unwrap_err().to_string().contains("model.json: cannot be written")
    );
    assert!(write_atomically(folder.path(), b"x").unwrap_err().to_string().contains("directory"));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    #[test]
    fn permissions_are_those_of_an_ordinary_file_or_of_the_file_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (ordinary, path) = (folder.path().join("ordinary"), folder.path().join("model.json"));
        fs::write(&ordinary, "").unwrap();
        write_atomically(&path, b"x").unwrap();
        assert_eq!(mode(&path), mode(&ordinary));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write_atomically(&path, b"y").unwrap();
        assert_eq!(mode(&path), 0o640);
    }

    #[test]
    fn a_reader_that_has_the_old_file_open_keeps_the_old_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.json");
        write_atomically(&path, b"old").unwrap();
        let inode = fs::metadata(&path).unwrap().ino();
        let mut old = fs::File::open(&path).unwrap();
        write_atomically(&path, b"new").unwrap();
        assert_ne!(fs::metadata(&path).unwrap().ino(), inode);
        let mut text = String::new();
        std::io::Read::read_to_string(&mut old, &mut text).unwrap();
        assert_eq!(text, "old");
    }

    #[test]
    fn a_link_is_followed_and_a_device_is_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        symlink(&real, &link).unwrap();
        write_atomically(&link, b"new").unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
        write_atomically(std::path::Path::new("/dev/null"), b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}

/// Asserts whether `output` may be written when `input` is read.
fn may_replace(input: &std::path::Path, output: &std::path::Path) -> bool {
    match check_outputs(&[(input, "the table")], &[("--out", Some(output))]) {
        Ok(()) => true,
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with("--out ") && text.contains("would replace the table"), "{text}");
            false
        }
    }
}

#[test]
fn a_result_may_not_replace_what_it_is_made_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("t.csv"), "a\n1\n").unwrap();
    fs::write(path("other.csv"), "a\n1\n").unwrap();
    fs::hard_link(path("t.csv"), path("hard.csv")).unwrap();
    let mut same = vec![path("t.csv"), path("./t.csv"), path("hard.csv")];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("t.csv", path("soft.csv")).unwrap();
        std::os::unix::fs::symlink("soft.csv", path("softer.csv")).unwrap();
        same.extend([path("soft.csv"), path("softer.csv")]);
    }
    for output in &same {
        assert!(!may_replace(&path("t.csv"), output), "{output:?}");
        assert!(!may_replace(output, &path("t.csv")), "{output:?}");
    }
    assert!(may_replace(&path("t.csv"), &path("other.csv")));
    assert!(may_replace(&path("t.csv"), &path("absent.csv")));
}

#[test]
fn two_results_may_not_be_one_file_but_may_be_one_device() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let both = |one: &std::path::Path, other: &std::path::Path| {
        check_outputs(&[], &[("--out", Some(one)), ("--report", Some(other))])
    };
    let error = both(&path("new"), &path("./new")).unwrap_err().to_string();
    assert!(error.starts_with("--report ") && error.contains("another result"), "{error}");
    assert!(both(&path("new"), &path("newer")).is_ok());
    assert!(check_outputs(&[], &[("--out", None), ("--report", None)]).is_ok());
    #[cfg(unix)]
    assert!(both("/dev/null".as_ref(), "/dev/null".as_ref()).is_ok());
}

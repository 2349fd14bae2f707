//! Files are replaced whole.
// the functions that make the files are test code too
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;

use needlenet_io::write_atomically;

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

//! Writes files atomically: a reader sees the old file or the whole new one. Tested in
//! `tests/write.rs`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;

use crate::Error;

/// A file that is read, and what it is.
type Input<'a> = (&'a Path, &'static str);

/// Refuses an output file that is also an input file or another output file, also through a link. The path `-` is
/// standard input. Devices and pipes may be named twice.
///
/// Called before anything is read, so that no table is lost.
pub fn check_outputs(inputs: &[Input], outputs: &[(&'static str, Option<&Path>)]) -> Result<(), Error> {
    let given = || outputs.iter().filter_map(|(option, path)| Some((*option, (*path)?)));
    for (at, (option, path)) in given().enumerate() {
        let replaces = |what| Error::WouldReplace { option, file: path.display().to_string(), what };
        if let Some((_, what)) = inputs.iter().find(|(input, _)| same_file(input, path)) {
            return Err(replaces(what));
        }
        if given().take(at).any(|(_, earlier)| same_file(earlier, path)) {
            return Err(replaces("another result of this command"));
        }
    }
    Ok(())
}

fn same_file(one: &Path, other: &Path) -> bool {
    let handle = |path: &Path| match path.to_str() {
        Some("-") => Handle::stdin(),
        _ => Handle::from_path(path),
    };
    match (handle(one), handle(other)) {
        (Ok(a), Ok(b)) => a == b && a.as_file().metadata().is_ok_and(|file| file.is_file()),
        (Err(_), Err(_)) => place(one).is_some_and(|a| Some(a) == place(other)),
        // a file that can be opened differs from one that cannot
        _ => false,
    }
}

/// The location of a file that does not exist yet.
fn place(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
}

/// Writes `bytes` to a temporary file in the same folder, and then renames it to `path`.
///
/// A link is followed, the permissions of an existing file are kept, and devices and pipes are written to
/// directly.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write(path, bytes).map_err(|source| Error::Write { file: path.display().to_string(), source })
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // replace the target of a link, not the link
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(path).ok();
    if let Some(old) = old.as_ref().filter(|old| !old.is_file()) {
        if old.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory; give a file"));
        }
        return File::options().write(true).open(path)?.write_all(bytes);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut temporary = builder().tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    if let Some(old) = old {
        temporary.as_file().set_permissions(old.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|error| error.error)?;
    // sync the folder, so that the new name is on the disk; not every system can open a folder
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Temporary files are private by default; a result gets the permissions of the umask.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".needlenet-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

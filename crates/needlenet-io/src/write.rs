//! Files out: a reader sees the old file or the whole new one. Tested in `tests/write.rs`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::Error;

/// Writes `bytes` to `path` by way of a temporary file in the same folder, which then takes its place.
///
/// A link is followed, the permissions of an existing file are kept, and devices and pipes are written to
/// directly.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    write(path, bytes).map_err(|source| Error::Write { file: path.display().to_string(), source })
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // of a link, what it points to is replaced, not the link
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
    // the new name must be on the disk too; not every system can open a folder
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Temporary files are private unless told otherwise, while a result is for whom the umask allows.
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

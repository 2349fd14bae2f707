//! Genotypes of PLINK: `.bed` has two bits for each sample, variant after variant; `.bim` names the variants, `.fam` the samples.
//!
//! The value is the number of copies of the first allele of the `.bim` file (A1): 00 is two, 10 one, 11 none. 01 is a missing
//! genotype, which is replaced by the mean of the variant. The format is described at
//! <https://www.cog-genomics.org/plink/1.9/formats#bed>. This reader is our own: it needs a header of three bytes and a table
//! of 256 entries.

use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use needlenet::shards::Columns;

use super::{bad, read_at};
use crate::Error;

/// The signature, and the order variant after variant.
const HEADER: [u8; 3] = [0x6c, 0x1b, 0x01];
/// The placeholder of a missing genotype until its mean is known.
const MISSING: f64 = -1.0;
const COPIES: [f64; 4] = [2.0, MISSING, 1.0, 0.0];
/// The genotypes of every byte.
const OF_BYTE: [[f64; 4]; 256] = {
    let mut all = [[0.0; 4]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut at = 0;
        while at < 4 {
            all[byte][at] = COPIES[byte >> (2 * at) & 3];
            at += 1;
        }
        byte += 1;
    }
    all
};

/// A file of genotypes with the files beside it.
#[derive(Debug)]
pub(super) struct Genotypes {
    pub path: PathBuf,
    /// Of the samples.
    pub ids: Vec<String>,
    /// Of the variants.
    pub names: Vec<String>,
    file: Arc<File>,
}

#[derive(Debug)]
pub(super) struct Variants {
    name: String,
    file: Arc<File>,
    n: usize,
    variants: Range<usize>,
}

impl Genotypes {
    pub fn open(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|source| Error::Open { file: name.clone(), source })?;
        let ids = second_column(&path.with_extension("fam"))?;
        let names = second_column(&path.with_extension("bim"))?;
        let mut header = [0; 3];
        read_at(&file, &mut header, 0).map_err(|source| Error::Read { file: name.clone(), source })?;
        if header != HEADER {
            let reason =
                "this is no PLINK file of variant after variant; make it again with plink --make-bed";
            return Err(bad(&name, reason.into()));
        }
        let (n, p) = (ids.len(), names.len());
        let bytes = file.metadata().map_err(|source| Error::Read { file: name.clone(), source })?.len();
        let expected = 3 + (n.div_ceil(4) * p) as u64;
        if bytes != expected {
            let reason = format!("{bytes} bytes where {n} samples of {p} variants take {expected}");
            return Err(bad(&name, format!("{reason}; the files .bed, .bim and .fam are not of one set")));
        }
        Ok(Genotypes { path: path.to_owned(), ids, names, file: Arc::new(file) })
    }

    /// Some variants, all if none are given, and their names.
    pub fn variants(&self, some: Option<(usize, usize)>) -> Result<(Variants, &[String]), Error> {
        let (name, p) = (self.path.display().to_string(), self.names.len());
        let variants = some.map_or(0..p, |(from, to)| from..to);
        if variants.start >= variants.end || variants.end > p {
            return Err(bad(&name, format!("the variants {variants:?} are not among the {p} of the file")));
        }
        let names = &self.names[variants.clone()];
        Ok((Variants { name, file: self.file.clone(), n: self.ids.len(), variants }, names))
    }
}

/// The second word of every line.
fn second_column(path: &Path) -> Result<Vec<String>, Error> {
    let file = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|source| Error::Open { file: file.clone(), source })?;
    let word = |(at, line): (usize, &str)| {
        let second = line.split_whitespace().nth(1).map(str::to_owned);
        second.ok_or_else(|| bad(&file, format!("line {} has no second word", at + 1)))
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(word).collect()
}

impl Columns for Variants {
    fn name(&self) -> String {
        format!("{}, variants {} to {}", self.name, self.variants.start + 1, self.variants.end)
    }

    fn n_samples(&self) -> usize {
        self.n
    }

    fn n_columns(&self) -> usize {
        self.variants.len()
    }

    fn read(&self, columns: Range<usize>, values: &mut [f64]) -> Result<(), String> {
        let size = self.n.div_ceil(4);
        let mut bytes = vec![0; columns.len() * size];
        let at = 3 + ((self.variants.start + columns.start) * size) as u64;
        read_at(&self.file, &mut bytes, at).map_err(|error| format!("cannot be read: {error}"))?;
        for (column, bytes) in values.chunks_mut(self.n).zip(bytes.chunks(size)) {
            let (fours, rest) = column.as_chunks_mut::<4>();
            fours.iter_mut().zip(bytes).for_each(|(cells, byte)| *cells = OF_BYTE[usize::from(*byte)]);
            if let Some(last) = bytes.last() {
                rest.iter_mut().zip(OF_BYTE[usize::from(*last)]).for_each(|(v, cell)| *v = cell);
            }
            let missing = column.iter().filter(|v| **v == MISSING).count();
            if missing > 0 {
                let known = (self.n - missing) as f64;
                let sum = column.iter().sum::<f64>() - missing as f64 * MISSING;
                let mean = if known > 0.0 { sum / known } else { 0.0 };
                column.iter_mut().filter(|v| **v == MISSING).for_each(|v| *v = mean);
            }
        }
        Ok(())
    }
}

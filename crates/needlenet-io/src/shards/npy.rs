//! A NumPy array of samples x columns in Fortran order, so that a column is contiguous.

use std::fs::File;
use std::io::BufReader;
use std::ops::Range;
use std::path::Path;

use needlenet::shards::Columns;
use npyz::{DType, Endianness, Order, TypeChar};

use super::{bad, read_at};
use crate::npy_array::header;
use crate::{Error, npy_array};

/// Bytes that are read at once: they are in the cache when they become numbers.
const PART: usize = 1 << 18;

#[derive(Debug, Clone, Copy)]
enum Kind {
    F64,
    F32,
    I8,
}

#[derive(Debug)]
pub(super) struct Array {
    name: String,
    file: File,
    n: usize,
    p: usize,
    start: u64,
    kind: Kind,
}

pub(super) fn open(path: &Path, columns: usize) -> Result<Array, Error> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|source| Error::Open { file: name.clone(), source })?;
    let (header, start) = header(BufReader::new(&file)).map_err(|e| npy_array::refused(&name, "npy", &e))?;
    let remedy =
        "give a NumPy array of samples x columns of f8, f4 or i1 in Fortran order (numpy.asfortranarray)";
    let &[n, p] = header.shape() else {
        return Err(bad(&name, format!("the array has the shape {:?}; {remedy}", header.shape())));
    };
    let dtype = header.dtype();
    let kind = match &dtype {
        DType::Plain(of) if of.endianness() != Endianness::Big => match (of.type_char(), of.size_field()) {
            (TypeChar::Float, 8) => Some(Kind::F64),
            (TypeChar::Float, 4) => Some(Kind::F32),
            (TypeChar::Int, 1) => Some(Kind::I8),
            _ => None,
        },
        _ => None,
    };
    let Some(kind) = kind else {
        return Err(bad(&name, format!("the array has the dtype {}; {remedy}", dtype.descr())));
    };
    // with one column or one row, both orders are the same
    if header.order() != Order::Fortran && n > 1 && p > 1 {
        return Err(bad(&name, format!("the array is in C order; {remedy}")));
    }
    let (n, p) = (n as usize, p as usize);
    if p != columns {
        return Err(bad(
            &name,
            format!("{p} columns where shards.json names {columns}; make the folder again"),
        ));
    }
    Ok(Array { name, file, n, p, start, kind })
}

impl Columns for Array {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn n_samples(&self) -> usize {
        self.n
    }

    fn n_columns(&self) -> usize {
        self.p
    }

    fn read(&self, columns: Range<usize>, values: &mut [f64]) -> Result<(), String> {
        let size = match self.kind {
            Kind::F64 => 8,
            Kind::F32 => 4,
            Kind::I8 => 1,
        };
        let mut at = self.start + (columns.start * self.n * size) as u64;
        let mut bytes = vec![0; PART.min(values.len() * size)];
        for values in values.chunks_mut(PART / size) {
            let bytes = &mut bytes[..values.len() * size];
            read_at(&self.file, bytes, at).map_err(|error| format!("cannot be read: {error}"))?;
            at += bytes.len() as u64;
            let cells = values.iter_mut().zip(bytes.chunks_exact(size));
            match self.kind {
                Kind::F64 => cells.for_each(|(v, b)| *v = b.try_into().map_or(f64::NAN, f64::from_le_bytes)),
                Kind::F32 => {
                    cells.for_each(|(v, b)| {
                        *v = b.try_into().map_or(f64::NAN, |b| f32::from_le_bytes(b).into())
                    });
                }
                Kind::I8 => cells.for_each(|(v, b)| *v = f64::from(b[0].cast_signed())),
            }
        }
        Ok(())
    }
}

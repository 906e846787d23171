//! Converts Avro to Parquet with arrow-rs, its defaults and snappy: avro-to-parquet INPUT.avro OUTPUT.parquet THREADS
//!
//! A run of blocks with a million rows becomes a row group. Threads take runs in turn, and the file gets them in order.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Arc};

use arrow_avro::reader::ReaderBuilder;
use parquet::arrow::arrow_writer::{compute_leaves, ArrowColumnChunk, ArrowRowGroupWriterFactory};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

const ROWS: i64 = 1_000_000;
const BATCH: usize = 8192;

fn long(r: &mut impl Read) -> Result<i64> {
    let (mut v, mut shift, mut byte) = (0u64, 0, [0x80u8]);
    while byte[0] & 0x80 != 0 {
        r.read_exact(&mut byte)?;
        v |= u64::from(byte[0] & 0x7f) << shift;
        shift += 7;
    }
    Ok((v >> 1) as i64 ^ -((v & 1) as i64))
}

/// The header's length, and the runs of blocks as offsets and lengths.
fn runs(path: &str) -> Result<(usize, Vec<(u64, u64)>)> {
    let mut r = BufReader::new(File::open(path)?);
    let size = r.get_ref().metadata()?.len();
    r.seek_relative(4)?;
    loop {
        let pairs = long(&mut r)?;
        if pairs == 0 {
            break;
        }
        for _ in 0..2 * pairs {
            let n = long(&mut r)?;
            r.seek_relative(n)?;
        }
    }
    r.seek_relative(16)?;
    let header = r.stream_position()?;
    let (mut all, mut start, mut rows, mut at) = (vec![], header, 0, header);
    while at < size {
        rows += long(&mut r)?;
        let n = long(&mut r)?;
        r.seek_relative(n + 16)?;
        at = r.stream_position()?;
        if rows >= ROWS || at >= size {
            all.push((start, at - start));
            (start, rows) = (at, 0);
        }
    }
    Ok((header as usize, all))
}

fn group(path: &str, header: &[u8], (start, size): (u64, u64), factory: &ArrowRowGroupWriterFactory, i: usize) -> Result<Vec<ArrowColumnChunk>> {
    let mut f = File::open(path)?;
    f.seek(SeekFrom::Start(start))?;
    let part = BufReader::with_capacity(1 << 20, Cursor::new(header).chain(f.take(size)));
    let mut writers = factory.create_column_writers(i)?;
    for batch in ReaderBuilder::new().with_batch_size(BATCH).build(part)? {
        let batch = batch?;
        let mut w = writers.iter_mut();
        for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
            for leaf in compute_leaves(field, column)? {
                w.next().ok_or("too few writers")?.write(&leaf)?;
            }
        }
    }
    writers.into_iter().map(|w| Ok(w.close()?)).collect()
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let (input, output, threads) = (args[1].as_str(), &args[2], args[3].parse::<usize>()?);
    let (length, runs) = runs(input)?;
    let mut header = vec![0; length];
    File::open(input)?.read_exact(&mut header)?;
    let schema = ReaderBuilder::new().build(Cursor::new(&header))?.schema();
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let (mut file, factory) = ArrowWriter::try_new(File::create(output)?, Arc::clone(&schema), Some(properties))?.into_serialized_writer()?;
    let next = AtomicUsize::new(0);
    std::thread::scope(|s| {
        let (send, receive) = mpsc::sync_channel(threads);
        for _ in 0..threads {
            let (send, next, runs, header, factory) = (send.clone(), &next, &runs, &header, &factory);
            s.spawn(move || loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= runs.len() || send.send((i, group(input, header, runs[i], factory, i))).is_err() {
                    return;
                }
            });
        }
        drop(send);
        let mut done = BTreeMap::new();
        let mut written = 0;
        for (i, chunks) in receive {
            done.insert(i, chunks?);
            while let Some(chunks) = done.remove(&written) {
                let mut to = file.next_row_group()?;
                for chunk in chunks {
                    chunk.append_to_row_group(&mut to)?;
                }
                to.close()?;
                written += 1;
            }
        }
        file.close()?;
        Ok(())
    })
}

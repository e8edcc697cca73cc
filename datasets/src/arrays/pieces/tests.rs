//! Tests of files of pieces.

use std::io::{Seek as _, SeekFrom, Write as _};

use super::*;

const ROWS: Array<'static, u32> = Array::new("rows");
const TIMES: Array<'static, f64> = Array::new("times");

fn written(path: &Path, count: usize) -> Pieces {
    let mut out = PiecesWriter::create(path, [ROWS.entry(), TIMES.entry()]).unwrap();
    let rows: Vec<u32> = (0..count as u32).collect();
    for some in rows.chunks(1000) {
        out.push(ROWS, some).unwrap();
        out.push(TIMES, &some.iter().map(|&row| f64::from(row) / 2.0).collect::<Vec<_>>()).unwrap();
    }
    out.finish(&("what it is", count)).unwrap()
}

#[test]
fn ranges_are_read_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pieces");
    for count in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 17] {
        let pieces = written(&path, count);
        assert_eq!(pieces.about(), Some(("what it is".to_owned(), count)));
        assert_eq!((pieces.count(ROWS), pieces.count(TIMES)), (count, count));
        for range in [0..count, count / 3..count / 2, count.saturating_sub(9)..count, count..count] {
            let rows: Vec<u32> = pieces.read(ROWS, range.clone()).unwrap();
            assert_eq!(rows, range.clone().map(|row| row as u32).collect::<Vec<_>>());
            let times: Vec<f64> = pieces.read(TIMES, range.clone()).unwrap();
            assert_eq!(times, range.map(|row| row as f64 / 2.0).collect::<Vec<_>>());
        }
        assert!(pieces.read(ROWS, 0..count + 1).is_err());
        assert!(
            pieces.read(Array::<u64>::new("rows"), 0..count).is_err()
                && pieces.all(Array::<u32>::new("no")).is_err()
        );
    }
}

#[test]
fn damage_is_found_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pieces");
    drop(written(&path, PIECE + 100));
    let whole = fs::read(&path).unwrap();
    assert!(Pieces::open_checked(&path).is_some());
    let index = whole.len() - 900;
    for at in (0..whole.len()).step_by(whole.len() / 40).chain(index..whole.len()) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        fs::write(&path, &flipped).unwrap();
        assert!(Pieces::open_checked(&path).is_none(), "byte {at} of {}", whole.len());
        fs::write(&path, &whole[..at]).unwrap();
        assert!(Pieces::open_checked(&path).is_none(), "cut off at {at}");
    }
    // Damage after the file was opened is reported when the piece is read.
    fs::write(&path, &whole).unwrap();
    let pieces = Pieces::open_checked(&path).unwrap();
    let mut file = File::options().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(40)).unwrap();
    file.write_all(&[255; 8]).unwrap();
    let error = pieces.all(ROWS).unwrap_err().to_string();
    assert!(error.contains("a.pieces") && error.contains("made again"), "{error}");
}

#[test]
fn what_is_not_finished_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut out = PiecesWriter::create(&folder.path().join("a.pieces"), [ROWS.entry()]).unwrap();
    out.push(ROWS, &[1, 2]).unwrap();
    drop(out);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let file = folder.path().join("a.pieces/b.pieces");
    fs::write(folder.path().join("a.pieces"), "").unwrap();
    let refused = PiecesWriter::create(&file, []).err().unwrap().to_string();
    assert!(refused.contains("b.pieces") && refused.contains("name another cache"), "{refused}");
}

#[test]
#[allow(clippy::disallowed_methods)] // several ask, as processes would
fn of_several_that_ask_at_once_one_makes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pieces");
    let made = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let make = |path: &Path| -> Result<_, ReadError> {
                    made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    Ok((written(path, 10), ("what it is".to_owned(), 10)))
                };
                let fits = |pieces: &Pieces, about: &(String, usize)| Some(pieces.count(ROWS) == about.1);
                open_or_make(&path, fits, make).unwrap();
            });
        }
    });
    assert_eq!(made.into_inner(), 1);
}

#[test]
fn of_all_that_have_a_file_open_the_first_alone_reads_it_through() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pieces");
    let count = PIECE + 100;
    let made = std::cell::Cell::new(0);
    let open = || {
        let make = |path: &Path| -> Result<_, ReadError> {
            made.set(made.get() + 1);
            Ok((written(path, count), ("what it is".to_owned(), count)))
        };
        let fits = |pieces: &Pieces, about: &(String, usize)| Some(pieces.count(ROWS) == about.1);
        open_or_make(&path, fits, make).unwrap().0
    };
    let all = (count * (4 + 8)) as u64;
    let (maker, other) = (open(), open());
    assert_eq!([maker.bytes_read(), other.bytes_read()], [0, 0]);
    drop((maker, other));
    let (first, other) = (open(), open());
    assert_eq!([first.bytes_read(), other.bytes_read()], [all, 0]);
    drop(first);
    let next = open();
    assert_eq!((next.bytes_read(), made.get()), (0, 1), "the other has it open still");
    drop(next);
    if cfg!(windows) {
        // What is open there is not replaced.
        return;
    }
    // A process that finds damage unlocks the file, so the next one that opens it reads it all and makes it
    // again.
    let mut file = File::options().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(40)).unwrap();
    file.write_all(&[255; 8]).unwrap();
    assert!(other.all(ROWS).is_err());
    assert_eq!(open().all(ROWS).unwrap(), (0..count as u32).collect::<Vec<_>>());
    assert_eq!(made.get(), 2);
}

//! Every kind of bad input gets an error that names the file, the line, and what is wrong.

use std::io::{Cursor, Write};
use std::path::PathBuf;

use flate2::{Compression, write::GzEncoder};
use raddle_datasets::{Format, Options, ReadError, read, read_any};
use tempfile::TempDir;

fn write(name: &str, content: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn fails(name: &str, content: &[u8], y: Option<&str>) -> ReadError {
    let (_folder, path) = write(name, content);
    let options = |threads| Options { y: y.map(str::to_owned), threads, ..Options::default() };
    let error = read(&path, &options(1)).unwrap_err();
    assert!(error.to_string().starts_with(path.to_str().unwrap()), "{error}");
    assert_eq!(error.to_string(), read(&path, &options(3)).unwrap_err().to_string());
    error
}

/// Checks line and message, of the text as it is and gzipped, with LF and with CR LF.
fn at_line(name: &str, text: &str, line: usize, why: &str, y: Option<&str>) {
    for text in [text.to_owned(), text.replace('\n', "\r\n")] {
        for content in [text.as_bytes(), &gzip(text.as_bytes())] {
            let error = fails(name, content, y);
            assert_eq!(error.line(), Some(line), "{text:?}: {error}");
            assert!(
                error.to_string().contains(&format!(":{line}: ")) && error.to_string().contains(why),
                "{error}"
            );
        }
    }
}

#[test]
fn libsvm() {
    for (text, line, why) in [
        ("1 1:2\nnan 1:2\n", 2, "the response: `nan` is not a number to compute with"),
        ("1 1:2\n# c\n\n-inf 1:2\n", 4, "the response: `-inf` is infinite"),
        ("1 1:2\nx 1:2\n", 2, "the response: `x` is not a number"),
        ("1 1:2\n1 1:NaN\n", 2, "the value of `1:NaN`: `NaN` is not a number"),
        ("1 1:inf 2:1\n", 1, "`inf` is infinite"),
        ("1 1:1e999\n", 1, "too large for a double"),
        ("1 1:2 2:3x 3:1\n", 1, "`3x` is not a number"),
        ("1 1:2 2: 3:1\n", 1, "the value of `2:`: there is no number"),
        ("1 1:2 2:3:4\n", 1, "put a blank between"),
        (
            "1 1:2\n1 0:2\n",
            2,
            "index 0: libsvm indices count from 1; if those of this file count from 0, say so by \
             --zero-based",
        ),
        ("1 1:2\n1 2:2 2:3\n", 2, "index 2 appears twice"),
        ("1 1:2\n1 3:2 2:3 7:1 3:4\n", 2, "index 3 appears twice in this row"),
        ("1 1:2\n1 3:2 2:3 0:1\n", 2, "index 0: libsvm indices count from 1"),
        ("1 1:2\n1 3:2 2:3x\n", 2, "`3x` is not a number"),
        ("1 1:2\n1 -3:2\n", 2, "the index of `-3:2` is not a whole number"),
        ("1:2 2:3\n", 1, "there is no response"),
        ("1,2 1:2 2:3\n", 1, "several responses"),
        ("1 1:2\n1 a:2\n", 2, "the index of `a:2`"),
        ("1 1:2\n1 4294967296:2\n", 2, "index 4294967296 is too large"),
        ("1 1:2\n1 7 8:1\n", 2, "`7` has no colon"),
        ("1 1:2\n1 1:2,2:3\n", 2, "put a blank between"),
    ] {
        at_line("bad.svm", text, line, why, None);
    }
    assert!(fails("bad.svm", b"# nothing\n", None).to_string().contains("the format by --format"));
    let (_folder, path) = write("bad.svm", b"1\n-1\n");
    let options = Options { format: Some(Format::Libsvm), ..Options::default() };
    assert!(read(&path, &options).unwrap_err().to_string().contains("no row has a feature"));
    assert!(fails("bad.svm", b"1 1:2\n", Some("3")).to_string().contains("leave out `y`"));
}

#[test]
fn the_first_bad_line_is_named_in_a_long_file() {
    let mut text = "1 1:2 3:4.5\n".repeat(300_000);
    text.push_str("1 0:1\n");
    text.push_str(&"1 1:2\n".repeat(300_000));
    text.push_str("nan\n");
    at_line("long.svm", &text, 300_001, "index 0", None);
}

#[test]
fn files_as_a_whole() {
    assert!(fails("empty", b"", None).to_string().contains("the file is empty"));
    assert!(fails("empty.gz", &gzip(b""), None).to_string().contains("the file is empty"));
    assert!(fails("stub.gz", &gzip(b"1 1:2\n")[..4], None).to_string().contains("cut off"));
    assert!(fails("picture", b"\x89PNG\r\n\x1a\n\0\0\0", None).to_string().contains("not recognised"));
    let whole = gzip("1 1:2 3:4.5\n".repeat(100_000).as_bytes());
    let error = fails("cut.svm.gz", &whole[..whole.len() / 2], None);
    assert!(error.line() > Some(1) && error.to_string().contains("cut off"), "{error}");
    let mut damaged = whole;
    let middle = damaged.len() / 2;
    damaged[middle..middle + 40].fill(0xff);
    assert!(fails("damaged.svm.gz", &damaged, None).to_string().contains("damaged"));
    for source in ["no/such/file.svm", "nothing"] {
        assert!(read_any(source, &Options::default()).unwrap_err().to_string().contains(source));
    }
    assert!(
        read_any("nothing", &Options::default())
            .unwrap_err()
            .to_string()
            .contains("known sets are diabetes, ")
    );
}

#[test]
fn csv() {
    let y = Some("y");
    for (text, line, why) in [
        ("a,b,y\n1,2,3\n1,2\n", 3, "2 cells divided by `,` where the first line has 3"),
        ("a,b,y\n1,2,3\n\n1,2,3,4\n", 4, "4 cells divided by `,` where the first line has 3"),
        (
            "# made\na,b,y\n1,,3\n1,2,3\n",
            3,
            "column 2 (b) has no value; 1 is missing (b 1): fill them with means by",
        ),
        ("a,b,y\n1,2,3\n,nan,3\n1,NA,3\n", 3, "column 1 (a) has no value; 3 are missing (a 1, b 2)"),
        (
            "a,b,y\n1,2,3\n1,2,null\n",
            3,
            "column 3 (y) has no value; 1 is missing (y 1): leave such rows out by",
        ),
        (
            "a,b,y\n1,2,3\n2,x,3\n",
            3,
            "column 2 (b): `x` is not a number, though one other cell of this column is: mend it",
        ),
        ("a,b,y\n1,2,3\n2,-inf,3\n", 3, "column 2 (b): `-inf` is infinite"),
        ("a,b,y\n1,2,3\n2,1e999,3\n", 3, "column 2 (b): `1e999` is too large for a double"),
        (
            "a;b;y\n1;1,5;3\n1;2;3.5\n",
            2,
            "column 2 (b): `1,5` is not a number as numbers are read here: say how numbers are written, by \
             --decimal ,",
        ),
        ("a;b;y\n1;1;3\n1;\"1,000\";3\n", 3, "by --decimal , if it is 1, or --thousands , if it is 1000"),
        (
            "a,b,y\n1,2,yes\n2,2,no\n",
            2,
            "column 3 (y), the response: `yes` is not a number: mend it, or, if these are classes",
        ),
        ("a,b,y\n1,\"2,3\n4,5,6\n", 2, "a quote is not closed"),
        ("a,b,y\n1,2,3\n1,\"2\"3,4\n", 3, "`3` follows a closing quote"),
        ("a,\"b,y\n1,2,3\n", 1, "a quote is not closed"),
    ] {
        at_line("bad.csv", text, line, why, y);
    }
    let latin = b"name,x,y\ncaf\xe9,1,2\n";
    let error = fails("bad.csv", latin, y);
    assert!(error.line() == Some(2) && error.to_string().contains("--encoding windows-1252"), "{error}");
    let error = fails("bad.csv", b"x,y,x\n1,2,3\n2,3,4\n", y).to_string();
    assert!(
        error.contains("two columns are called `x`, the 1st and the 3rd") && error.contains("--drop 3"),
        "{error}"
    );
    let text = b"a,b\n1,2\n3,4\n";
    for (y, why) in [
        (None, "choose the response by `y` (--y): a name (a, b), an index (1 to 2; -1 is the last column)"),
        (Some("c"), "`c` is neither a column nor a file"),
        (Some("3"), "there is no column 3"),
        (Some("0"), "there is no column 0"),
        (Some("-3"), "there is no column -3"),
    ] {
        let error = fails("bad.csv", text, y).to_string();
        assert!(error.contains(why), "{error}");
    }
    assert!(fails("bad.csv", b"a,y\n", y).to_string().contains("no rows of numbers"));
    assert!(fails("bad.csv", b"a,y\nb,1\nb,2\n", y).to_string().contains("left out: a (it has one value)"));
    let (_folder, short) = write("short.txt", b"1\n");
    let error = fails("bad.csv", text, short.to_str()).to_string();
    assert!(error.contains("2 rows, but 1 values of the response"), "{error}");
}

#[test]
fn matrix_market() {
    let head = "%%MatrixMarket matrix coordinate real general\n% c\n";
    for (rest, line, why) in [
        ("2 2\n", 3, "the size line must be three whole numbers"),
        ("2 2 1\n3 1 1\n", 4, "the row 3 lies outside of 1 to 2"),
        ("2 2 1\n1 0 1\n", 4, "the column 0 lies outside of 1 to 2: indices count from 1"),
        ("2 2 1\n1 x 1\n", 4, "the column `x` is not a whole number"),
        ("2 2 1\n1 1\n", 4, "the value: there is no number"),
        ("2 2 1\n1 1 inf\n", 4, "`inf` is infinite"),
        ("2 2 1\n1 1 1 1\n", 4, "one entry a line"),
    ] {
        at_line("bad.mtx", &format!("{head}{rest}"), line, why, Some("1"));
    }
    at_line("bad.mtx", "%%MatrixMarket matrix coordinate complex general\n", 1, "`complex` values", None);
    let error = fails("bad.mtx", format!("{head}2 2 2\n1 1 1\n").as_bytes(), None).to_string();
    assert!(error.contains("1 entries, but the size line says 2"), "{error}");
}

#[test]
fn numpy() {
    let npy = |kind: &str, shape: &str, data: &[u8]| {
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()
    };
    let nan = [1.0_f32, 2.0, 3.0, f32::NAN].map(f32::to_le_bytes).concat();
    for (content, why) in [
        (npy("<f8", "(2, 2)", &[0; 24]), "24 bytes of values do not fill the shape [2, 2]"),
        (npy("<f4", "(2, 2)", &nan), "row 2, column 2: the value is NaN"),
        (npy("|O", "(2, 2)", &[0; 32]), "kind `|O`"),
        (npy("<f8", "(1, 1, 2)", &[0; 16]), "3 axes"),
        (npy("<f8", "(0, 2)", &[]), "the array is empty"),
        (b"\x93NUMPY\x01\x00".to_vec(), "the npy header is damaged"),
        (b"PK\x03\x04 and no more".to_vec(), "the npz file is damaged"),
        (gzip(b"PK\x03\x04 and no more"), "npz inside another archive"),
    ] {
        let error = fails("bad.npy", &content, Some("-1")).to_string();
        assert!(error.contains(why), "{error}");
    }
}

/// Sizes that a file cannot hold are refused before memory is set aside for them.
#[test]
fn claims_are_believed_as_far_as_the_file_can_hold_them() {
    let head = "%%MatrixMarket matrix coordinate real general\n";
    for (sizes, what) in [
        ("4000000000 3 1", "4000000000 rows are claimed, but there are only 1 values"),
        ("3 5000000000 1", "3 rows and 5000000000 columns: at most 4294967295 of each fit"),
        ("18446744073709551615 3 1", "18446744073709551615 rows are claimed"),
    ] {
        let error = fails("bad.mtx", format!("{head}{sizes}\n1 1 1\n").as_bytes(), Some("1")).to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn files_of_other_formats_are_named() {
    for (content, what) in [
        (&b"BZh91AY"[..], "compressed by bzip2: unpack it with bunzip2"),
        (b"\xfd7zXZ\0\0", "compressed by xz"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Excel workbook (xls): save it as CSV"),
        (b"@relation iris\n@attribute x numeric\n@data\n1\n", "ARFF (Weka): save it as CSV"),
        (b"{\"x\": 1, \"y\": 2}\n", "write the table as CSV, with pandas.read_json(..., lines=True)"),
        (b"[[1, 2], [3, 4]]", "JSON"),
        (b"<!DOCTYPE html><html>", "web page"),
        (b"<table><tr><td>1</td><td>2</td></tr></table>\n", "web page"),
        (b"x y z\na b\n", "name the separator by --separator"),
        (b"x\0,\0y\0\n\0a\0,\0b\0\n\0c\0,\0d\0\n\0", "UTF-16 without a mark: name it by --encoding utf-16le"),
    ] {
        let error = fails("foreign", content, Some("1")).to_string();
        assert!(error.contains(what), "{error}");
    }
}

/// Set for the child that reads the file under a limit.
const BOMB: &str = "RADDLE_TEST_BOMB";

/// Small archives of much are given up before memory is: the test runs itself again, with little address
/// space.
#[test]
#[cfg(target_os = "linux")]
fn archives_that_inflate_beyond_memory_are_given_up() {
    if let Ok(path) = std::env::var(BOMB) {
        let error =
            read(&path, &Options { y: Some("-1".into()), ..Options::default() }).unwrap_err().to_string();
        assert!(error.contains("bomb") && error.contains("GB"), "{error}");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let zeros = vec![0; 1 << 20];
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let deflated =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    zip.start_file("X.npy", deflated).unwrap();
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    zip.write_all(b"\x93NUMPY\x01\x00").unwrap();
    gz.write_all(b"\x93NUMPY\x01\x00").unwrap();
    for _ in 0..400 {
        zip.write_all(&zeros).unwrap();
        gz.write_all(&zeros).unwrap();
    }
    let files = [("bomb.npz", zip.finish().unwrap().into_inner()), ("bomb.npy.gz", gz.finish().unwrap())];
    for (name, content) in files {
        assert!(content.len() < 4 << 20, "{name}: {} bytes", content.len());
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let mut child = std::process::Command::new("sh");
        child.args(["-c", "ulimit -v 1000000; exec \"$0\" \"$@\""]).arg(std::env::current_exe().unwrap());
        child.args([
            "--exact",
            "bad_input::archives_that_inflate_beyond_memory_are_given_up",
            "--test-threads=1",
        ]);
        let ended = child.env(BOMB, &path).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success() && said.contains("1 passed"), "{name}: {said}");
    }
}

/// A device that never ends is given up with a sentence.
#[test]
#[cfg(unix)]
fn endless_input_is_given_up() {
    let error = read("/dev/zero", &Options::default()).unwrap_err().to_string();
    assert!(error.contains("/dev/zero: there are only zeros"), "{error}");
}

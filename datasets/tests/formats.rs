//! Written files are read back unchanged, in every format and for any number of threads.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::path::Path;

use flate2::{Compression, write::GzEncoder};
use ndarray::{Array2, array};
use proptest::prelude::*;
use raddle_datasets::{ColumnOptions, Matrix, Missing, Options, Table, embedded, generate, libsvm, read};

fn number() -> impl Strategy<Value = f64> {
    let any = any::<f64>().prop_filter("finite", |value| value.is_finite());
    prop_oneof![Just(0.0), any, (-9999..9999_i32).prop_map(|whole| f64::from(whole) / 100.0)]
}

/// A matrix whose last column is not all zero, and a response.
fn table() -> impl Strategy<Value = (Array2<f64>, Vec<f64>)> {
    (1..20_usize, 1..12_usize).prop_flat_map(|(n, p)| {
        let x = proptest::collection::vec(number(), n * p).prop_map(move |values| {
            let mut x = Array2::from_shape_vec((n, p), values).unwrap();
            x[(0, p - 1)] = 1.0;
            x
        });
        (x, proptest::collection::vec(number(), n))
    })
}

fn to_libsvm(x: &Array2<f64>, y: &[f64]) -> String {
    let mut text = String::new();
    for (row, y) in x.rows().into_iter().zip(y) {
        write!(text, "{y}").unwrap();
        row.iter()
            .enumerate()
            .filter(|(_, x)| **x != 0.0)
            .for_each(|(j, x)| write!(text, " {}:{x:e}", j + 1).unwrap());
        text.push('\n');
    }
    text
}

fn to_csv(x: &Array2<f64>, y: &[f64]) -> String {
    let names: Vec<String> = (1..=x.ncols()).map(|j| format!("\"x, {j}\"")).collect();
    let mut text = format!("y,{}\n", names.join(","));
    for (row, y) in x.rows().into_iter().zip(y) {
        let cells: Vec<String> = row.iter().map(f64::to_string).collect();
        writeln!(text, "{y},{}", cells.join(",")).unwrap();
    }
    text
}

fn to_matrix_market(x: &Array2<f64>) -> String {
    let entries: Vec<_> = x.indexed_iter().filter(|(_, x)| **x != 0.0).collect();
    let mut text = "%%MatrixMarket matrix coordinate real general\n".to_owned();
    writeln!(text, "{} {} {}", x.nrows(), x.ncols(), entries.len()).unwrap();
    entries.iter().for_each(|((i, j), x)| writeln!(text, "{} {} {x}", i + 1, j + 1).unwrap());
    text
}

fn to_npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, array) in arrays {
        archive.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(array).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn to_npy(shape: &str, values: impl Iterator<Item = f64>) -> Vec<u8> {
    let header = format!("{{'descr': '>f8', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = [b"\x93NUMPY\x01\x00", &u16::try_from(header.len()).unwrap().to_le_bytes()[..]].concat();
    bytes.extend(header.as_bytes());
    values.for_each(|value| bytes.extend(value.to_be_bytes()));
    bytes
}

/// Reads the file plain and as two gzip members, with 1, 2, 3 and 7 threads: all results must be equal.
fn read_every_way(folder: &Path, name: &str, content: &[u8], y: Option<&str>) -> Table {
    let halves = content.split_at(content.len() / 2);
    let gzip = [halves.0, halves.1].map(|half| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(half).unwrap();
        encoder.finish().unwrap()
    });
    let mut tables = Vec::new();
    for (name, content) in [(name, content), (&*format!("{name}.gz"), &gzip.concat())] {
        std::fs::write(folder.join(name), content).unwrap();
        for threads in [1, 2, 3, 7] {
            let options = Options { y: y.map(str::to_owned), threads, ..Options::default() };
            tables.push(read(folder.join(name), &options).unwrap());
        }
    }
    let first = tables.swap_remove(0);
    assert!(tables.iter().all(|table| (&table.x, &table.y) == (&first.x, &first.y)), "{name}");
    first
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn written_is_read((x, y) in table()) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("y.npy");
        std::fs::write(&file, to_npy(&format!("({},)", y.len()), y.iter().copied())).unwrap();
        let file = file.to_str();
        let shape = format!("{:?}", x.dim());
        for (name, content, from) in [
            ("t.svm", to_libsvm(&x, &y).into_bytes(), None),
            ("t.csv", to_csv(&x, &y).into_bytes(), None),
            ("t.csv", to_csv(&x, &y).into_bytes(), Some("1")),
            ("t.mtx", to_matrix_market(&x).into_bytes(), file),
            ("t.npy", to_npy(&shape, x.iter().copied()), file),
        ] {
            let table = read_every_way(folder.path(), name, &content, from);
            prop_assert_eq!(&table.x.to_dense(), &x, "{}", name);
            prop_assert_eq!(&table.y, &y, "{}", name);
            prop_assert_eq!(table.name, "t");
        }
    }
}

#[test]
fn a_file_of_many_blocks_is_the_same_for_any_number_of_threads() {
    let source = generate::table("synth:strads:n=3000,p=20000,k=20,s=5").unwrap();
    let (x, y) = (source.x.to_dense(), source.y);
    let folder = tempfile::tempdir().unwrap();
    let table = read_every_way(folder.path(), "long.svm", to_libsvm(&x, &y).as_bytes(), None);
    assert!(table.x == source.x && table.y == y);
}

#[test]
fn libsvm_in_all_its_spellings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.name.svm");
    std::fs::write(&path, "# head\r\n\r\n+1 qid:3 1:.5\t3:1e2 # c\r\n  -1  2:0 4:0\r\n2 # none\n3 2:-7")
        .unwrap();
    let table = libsvm::read(&path, 1).unwrap();
    let x = array![[0.5, 0.0, 100.0, 0.0], [0.0; 4], [0.0; 4], [0.0, -7.0, 0.0, 0.0]];
    assert_eq!((table.x.to_dense(), table.x.nonzeros()), (x, 3));
    assert_eq!((&*table.y, &*table.name), (&[1.0, -1.0, 2.0, 3.0][..], "odd"));
    assert_eq!(table.path, Some(path));
}

#[test]
fn csv_responses_by_name_index_and_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("weights.txt");
    std::fs::write(&file, "weight\n1.5\n2.5\n").unwrap();
    let text = "\u{feff}\"a b\";2;c\r\n1;2;3\r\n\r\n4;\"5\";6\r\n";
    for (wanted, y, names) in [
        ("a b", [1.0, 4.0], vec!["2", "c"]),
        ("2", [2.0, 5.0], vec!["a b", "c"]),
        ("-1", [3.0, 6.0], vec!["a b", "2"]),
        (file.to_str().unwrap(), [1.5, 2.5], vec!["a b", "2", "c"]),
    ] {
        let table = read_every_way(folder.path(), "t.csv", text.as_bytes(), Some(wanted));
        assert_eq!((&*table.y, table.x.cols()), (&y[..], names.len()));
        assert_eq!(table.feature_names.unwrap(), names);
    }
}

#[test]
fn arrays_by_name_and_scipys_sparse_matrices() {
    let folder = tempfile::tempdir().unwrap();
    let npy = |values: &[f64]| to_npy(&format!("({},)", values.len()), values.iter().copied());
    let word =
        |word: &str| to_npy("()", std::iter::empty()).into_iter().chain(word.bytes()).collect::<Vec<u8>>();
    let x = array![[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]];
    let plain = [("X", to_npy("(2, 3)", x.iter().copied())), ("y", npy(&[5.0, 6.0]))];
    let sparse = |format, indptr: &[f64], indices: &[f64], data: &[f64]| {
        let [indptr, indices, data] = [indptr, indices, data].map(npy);
        let [shape, y] = [npy(&[2.0, 3.0]), npy(&[5.0, 6.0])];
        let arrays = [("indptr", indptr), ("indices", indices), ("data", data), ("shape", shape), ("y", y)];
        to_npz(&[&arrays[..], &[("format", word(format))]].concat())
    };
    for (content, is_sparse) in [
        (to_npz(&plain), false),
        (sparse("csr", &[0.0, 2.0, 3.0], &[2.0, 0.0, 2.0], &[2.0, 1.0, 3.0]), true),
        (sparse("csc", &[0.0, 1.0, 1.0, 3.0], &[0.0, 0.0, 1.0], &[1.0, 2.0, 3.0]), true),
    ] {
        let path = folder.path().join("t.npz");
        std::fs::write(&path, content).unwrap();
        let table = read(&path, &Options::default()).unwrap();
        assert_eq!(
            (table.x.to_dense(), table.x.is_sparse(), table.y),
            (x.clone(), is_sparse, vec![5.0, 6.0])
        );
    }
    // Repeated entries add up; a diagonal is stored by columns, starting at its offset.
    let list = |values: &[f64]| npy(values);
    let scipys = |format, arrays: &[(&'static str, Vec<u8>)]| {
        let shape = [("shape", list(&[2.0, 3.0])), ("y", list(&[5.0, 6.0])), ("format", word(format))];
        to_npz(&[arrays, &shape[..]].concat())
    };
    let coordinates = scipys(
        "coo",
        &[
            ("row", list(&[1.0, 0.0, 0.0, 1.0])),
            ("col", list(&[2.0, 2.0, 0.0, 2.0])),
            ("data", list(&[1.0, 2.0, 1.0, 2.0])),
        ],
    );
    let banded = array![[1.0, 0.0, 2.0], [7.0, 9.0, 0.0]];
    let diagonals = |fortran: bool| {
        // Offsets 2, 0 and -1: what lies outside of the matrix is not looked at.
        let data = array![[8.0, 8.0, 2.0], [1.0, 9.0, 8.0], [7.0, 8.0, 8.0]];
        let values: Vec<f64> =
            if fortran { data.t().iter().copied().collect() } else { data.iter().copied().collect() };
        let mut array = to_npy("(3, 3)", values.into_iter());
        if fortran {
            let at = array.windows(5).position(|bytes| bytes == b"False").unwrap();
            array.splice(at..at + 5, *b"True ");
        }
        scipys("dia", &[("offsets", list(&[2.0, 0.0, -1.0])), ("data", array)])
    };
    for (content, expected) in
        [(coordinates, x.clone()), (diagonals(false), banded.clone()), (diagonals(true), banded)]
    {
        let path = folder.path().join("t.npz");
        std::fs::write(&path, content).unwrap();
        let table = read(&path, &Options::default()).unwrap();
        assert_eq!((table.x.to_dense(), table.y), (expected, vec![5.0, 6.0]));
    }
    let outside = sparse("csc", &[0.0, 1.0, 1.0, 2.0], &[0.0, 2.0], &[1.0, 2.0]);
    std::fs::write(folder.path().join("t.npz"), outside).unwrap();
    let error = read(folder.path().join("t.npz"), &Options::default()).unwrap_err().to_string();
    assert!(
        error.contains("t.npz: an entry at (2, 2), counted from 0, lies outside of the 2 x 3 matrix"),
        "{error}"
    );
}

#[test]
fn symmetric_and_array_matrices() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n";
    let table = read_every_way(folder.path(), "t.mtx", text, Some("3"));
    assert_eq!(
        (table.x.to_dense(), table.y),
        (array![[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]], vec![0.0, 0.0, 1.0])
    );
    let text = b"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n";
    let table = read_every_way(folder.path(), "t.mtx", text, Some("-1"));
    assert_eq!((table.x.to_dense(), table.y), (array![[1.0], [2.0]], vec![3.0, 4.0]));
}

#[test]
fn the_embedded_sample_is_the_registered_set() {
    let embedded = embedded::diabetes();
    let Matrix::Dense(x) = &embedded.x else { panic!("dense") };
    assert!(x.t().is_standard_layout(), "column after column");
    let names = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"];
    assert_eq!(embedded.feature_names.as_deref().unwrap(), names);
    if let Some(table) = raddle_datasets::registry::real("diabetes") {
        assert!(table.x.to_dense() == x && table.y == embedded.y);
    }
}

#[test]
fn samples_need_no_response_and_have_one_where_it_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, content: &[u8], y: Option<&str>| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let options = Options { y: y.map(str::to_owned), ..Options::default() };
        raddle_datasets::read_samples(&path.to_string_lossy(), &options)
    };
    let csv: &[u8] = b"a,y\n1,2\n3,4\n";
    // All columns are features unless one is named.
    let all = read("d.csv", csv, None).unwrap();
    assert_eq!((all.x.cols(), all.y, all.is_open_ended), (2, None, false));
    let named = read("d.csv", csv, Some("y")).unwrap();
    assert_eq!((named.x.cols(), named.y), (1, Some(vec![2.0, 4.0])));
    assert_eq!(named.feature_names, Some(vec!["a".to_owned()]));
    let mtx = read("d.mtx", b"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 5\n", None).unwrap();
    assert_eq!((mtx.x.cols(), mtx.y, mtx.is_open_ended), (3, None, false));
    // npz keeps one apart, or has none.
    let arrays =
        [("X", to_npy("(2, 1)", [5.0, 6.0].into_iter())), ("y", to_npy("(2,)", [1.0, 2.0].into_iter()))];
    let apart = read("d.npz", &to_npz(&arrays), None).unwrap();
    assert_eq!((apart.x.cols(), apart.y), (1, Some(vec![1.0, 2.0])));
    assert_eq!(read("d.npz", &to_npz(&arrays[..1]), None).unwrap().y, None);
    // libsvm text has one, and no width.
    let svm = read("d.svm", b"7 1:2\n8 2:1\n", None).unwrap();
    assert_eq!((svm.x.cols(), svm.y, svm.is_open_ended), (2, Some(vec![7.0, 8.0]), true));
    // A name that is given must be there.
    assert!(
        read("d.csv", csv, Some("z")).unwrap_err().to_string().contains("`z` is neither a column nor a file")
    );
    std::fs::write(folder.path().join("short.csv"), "y\n1\n").unwrap();
    let short = folder.path().join("short.csv");
    let error = read("d.csv", csv, Some(&short.to_string_lossy())).unwrap_err().to_string();
    assert!(error.contains("2 rows, but 1 values"), "{error}");
}

/// `nan` in a format without names is the empty cell of a table: filled by the same mean, or left out with
/// the same row.
#[test]
fn missing_numbers_are_treated_alike_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let (rows, cols) = (12, 4);
    let x = Array2::from_shape_fn((rows, cols), |(i, j)| match (i * 5 + j * 7) % 11 {
        0 | 4 if i > 0 => f64::NAN,
        value => value as f64 - 5.0,
    });
    let mut y: Vec<f64> = (0..rows).map(|row| row as f64 / 2.0).collect();
    y[7] = f64::NAN;
    let all = |i: usize| x.row(i).iter().copied().chain([y[i]]).collect::<Vec<f64>>();
    let values = || (0..rows).flat_map(all);
    let cell = |value: f64| if value.is_nan() { String::new() } else { value.to_string() };
    let line = |i: usize| all(i).into_iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
    let csv = "a,b,c,d,y\n".to_owned() + &(0..rows).map(line).collect::<String>();
    let pair = |(j, value): (usize, &f64)| (*value != 0.0).then(|| format!(" {}:{value}", j + 1));
    let svm =
        |i: usize| format!("{}{}\n", y[i], x.row(i).iter().enumerate().filter_map(pair).collect::<String>());
    let by_columns = (0..=cols).flat_map(|j| (0..rows).map(move |i| (i, j)));
    let mtx: String = by_columns.map(|(i, j)| format!("{}\n", all(i)[j])).collect();
    let arrays = [
        ("X", to_npy(&format!("({rows}, {cols})"), x.iter().copied())),
        ("y", to_npy(&format!("({rows},)"), y.iter().copied())),
    ];
    let files = [
        ("t.csv", csv.into_bytes(), Some("y")),
        ("t.npy", to_npy(&format!("({rows}, {})", cols + 1), values()), Some("-1")),
        ("t.npz", to_npz(&arrays), None),
        ("t.svm", (0..rows).map(svm).collect::<String>().into_bytes(), None),
        (
            "t.mtx",
            format!("%%MatrixMarket matrix array real general\n{rows} 5\n{mtx}").into_bytes(),
            Some("-1"),
        ),
    ];
    for missing in [Missing::Mean, Missing::Drop] {
        let (mut expected, mut predicted) = (None, None);
        for (name, content, y) in &files {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            let refused =
                read(&path, &Options { y: y.map(str::to_owned), ..Options::default() }).unwrap_err();
            assert!(refused.to_string().contains("--missing mean"), "{refused}");
            let mut options = Options { y: y.map(str::to_owned), ..Options::default() };
            options.columns.missing = missing;
            options.cache = Some(folder.path().join("cache"));
            for _ in 0..2 {
                let table = read(&path, &options).unwrap();
                let got = (table.x.to_dense(), table.y, table.filled, table.records);
                assert_eq!(expected.get_or_insert_with(|| got.clone()), &got, "{name} {missing}");
            }
            let encoding = read(&path, &options).unwrap().encoding;
            let reading = Options { repeat: encoding, cache: None, ..options };
            let samples = raddle_datasets::read_samples(&path.to_string_lossy(), &reading).unwrap();
            let got = (samples.x.to_dense().mapv(|value| value.to_bits()), samples.without_response);
            assert_eq!(predicted.get_or_insert_with(|| got.clone()), &got, "{name} {missing}");
        }
        assert!(expected.is_some_and(|(x, ..)| x.iter().all(|value| value.is_finite())));
    }
    let options = Options {
        columns: ColumnOptions { missing: Missing::Mean, ..Default::default() },
        ..Default::default()
    };
    for (text, why) in [
        ("1 1:nan\n2 1:nan\n", "column 1 has no value in any row"),
        ("1 1:inf\n", "is infinite"),
        ("1 1:nano\n", "is not a number"),
        ("nan 1:2\n", "no row has a response"),
    ] {
        std::fs::write(folder.path().join("t.svm"), text).unwrap();
        let refused = read(folder.path().join("t.svm"), &options).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
}

#[test]
fn indices_from_zero_and_beyond_the_width() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("zero.svm");
    std::fs::write(&path, "1 0:5 2:7 4:9\n2 1:3\n").unwrap();
    let options = Options { zero_based: true, ..Options::default() };
    let whole = read(&path, &options).unwrap();
    let x = array![[5.0, 0.0, 7.0, 0.0, 9.0], [0.0, 3.0, 0.0, 0.0, 0.0]];
    assert_eq!(whole.x.to_dense(), x);
    let error = read(&path, &Options::default()).unwrap_err();
    assert!(error.line() == Some(1) && error.to_string().contains("--zero-based"), "{error}");
    // As a model of two columns sees them, in any order.
    let name = path.to_string_lossy();
    let narrow = Options { width: Some(2), ..options };
    let samples = raddle_datasets::read_samples(&name, &narrow).unwrap();
    assert_eq!((samples.x.to_dense(), samples.beyond), (array![[5.0, 0.0], [0.0, 3.0]], 2));
    assert_eq!(samples.y, Some(vec![1.0, 2.0]));
    std::fs::write(&path, "1 0:5 4:9 2:7\n2 4:9 0:1 3:1 1:6\n").unwrap();
    let samples = raddle_datasets::read_samples(&name, &narrow).unwrap();
    assert_eq!((samples.x.to_dense(), samples.beyond), (array![[5.0, 0.0], [1.0, 6.0]], 4));
    std::fs::write(&path, "1 0:5 4:9 2:7 4:1\n").unwrap();
    let error = raddle_datasets::read_samples(&name, &narrow).unwrap_err();
    assert!(error.to_string().contains("index 4 appears twice"), "{error}");
    std::fs::write(&path, "1 4294967295:1\n").unwrap();
    let error = read(&path, &narrow).unwrap_err();
    assert!(error.to_string().contains("index 4294967295 is too large"), "{error}");
}

/// A table kept from indices that count from 0 is not that of the same text read otherwise.
#[test]
fn the_cache_tells_indices_from_zero_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.svm");
    std::fs::write(&path, "1 1:5\n2 2:3\n").unwrap();
    let cache = Some(folder.path().join("cache"));
    for (zero_based, columns) in [(false, 2), (true, 3), (false, 2), (true, 3)] {
        let options = Options { zero_based, cache: cache.clone(), ..Options::default() };
        assert_eq!(read(&path, &options).unwrap().x.cols(), columns);
    }
}

/// Columns of zeros of a wide table take no memory in any format that states or implies a width, whatever the
/// order in a row, and columns keep their numbers. The oracle is the list of entries that was written.
#[test]
fn wide_tables_have_the_columns_that_occur() {
    let width = 3_000_000_000_u32;
    let entries =
        [(0_u32, 4_u32, 1.5), (0, width - 1, 2.0), (2, 134_217_727, 4.0), (2, 4, -1.0), (2, 2, 8.0)];
    let folder = tempfile::tempdir().unwrap();
    let text = |row: u32| {
        let of_row = entries.iter().filter(|entry| entry.0 == row);
        of_row.fold(format!("{row}"), |line, (_, column, value)| format!("{line} {}:{value}", column + 1))
    };
    let svm = (0..3).map(text).collect::<Vec<_>>().join("\n");
    let lines: String = entries.iter().map(|(i, j, x)| format!("{} {} {x}\n", i + 1, j + 1)).collect();
    let market = format!("%%MatrixMarket matrix coordinate real general\n3 {width} 5\n{lines}");
    let list = |values: &[f64]| to_npy(&format!("({},)", values.len()), values.iter().copied());
    let of = |part: fn(&(u32, u32, f64)) -> f64| list(&entries.iter().map(part).collect::<Vec<_>>());
    let word = |word: &str| {
        let header = "{'descr': '|S3', 'fortran_order': False, 'shape': (), }\n";
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), word.as_bytes()].concat()
    };
    let (shape, values) = (list(&[3.0, f64::from(width)]), of(|entry| entry.2));
    let common = [("shape", shape), ("data", values), ("y", list(&[0.0, 1.0, 2.0]))];
    let csr = [
        ("format", word("csr")),
        ("indptr", list(&[0.0, 2.0, 2.0, 5.0])),
        ("indices", of(|entry| entry.1.into())),
    ];
    let coo =
        [("format", word("coo")), ("row", of(|entry| entry.0.into())), ("col", of(|entry| entry.1.into()))];
    let y = folder.path().join("y.npy");
    std::fs::write(&y, list(&[0.0, 1.0, 2.0])).unwrap();
    for (name, content, y) in [
        ("t.svm", svm.into_bytes(), None),
        ("t.mtx", market.clone().into_bytes(), y.to_str()),
        ("csr.npz", to_npz(&[&common[..], &csr].concat()), None),
        ("coo.npz", to_npz(&[&common[..], &coo].concat()), None),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        for cache in [None, Some(folder.path().join("cache")), Some(folder.path().join("cache"))] {
            let options = Options { y: y.map(str::to_owned), cache, threads: 2, ..Options::default() };
            let table = read(&path, &options).unwrap();
            let occurring = table.occurring.as_ref().unwrap();
            assert_eq!(
                (table.width(), table.x.cols(), &table.y[..]),
                (3_000_000_000, 4, &[0.0, 1.0, 2.0][..])
            );
            assert_eq!(occurring.numbers(), [2, 4, 134_217_727, width - 1], "{name}");
            let Matrix::Sparse(x) = &table.x else { panic!("{name} is sparse") };
            assert_eq!(x.nnz(), entries.len());
            for (row, column, value) in entries {
                let place = occurring.place(column).unwrap();
                assert_eq!(x.get(row as usize, place as usize), Some(&value), "{name}");
            }
        }
    }
    // The response is a column of the file, by its number there: with values, or of zeros.
    let path = folder.path().join("t.mtx");
    for (y, expected, numbers) in [
        ("5", [1.5, 0.0, -1.0], vec![2, 134_217_726, width - 2]),
        ("-1", [2.0, 0.0, 0.0], vec![2, 4, 134_217_727]),
        ("134217727", [0.0; 3], vec![2, 4, 134_217_726, width - 2]),
    ] {
        let table = read(&path, &Options { y: Some(y.into()), ..Options::default() }).unwrap();
        assert_eq!((&table.y[..], table.width()), (&expected[..], width as usize - 1));
        assert_eq!(table.occurring.unwrap().numbers(), numbers);
    }
}

/// Rows whose indices stand in no order are those of the same rows sorted; the oracle sorts the text.
#[test]
fn rows_in_any_order_are_sorted_as_they_are_read() {
    let source = generate::table("synth:strads:n=300,p=500,k=9,s=5").unwrap();
    let sorted = to_libsvm(&source.x.to_dense(), &source.y);
    let mut mixed = String::new();
    for (number, line) in sorted.lines().enumerate() {
        let (y, pairs) = line.split_once(' ').unwrap_or((line, ""));
        let mut pairs: Vec<&str> = pairs.split(' ').collect();
        match number % 4 {
            0 => pairs.reverse(),
            1 => pairs[1..].reverse(),
            2 => pairs.insert(pairs.len() / 2, "qid:7"),
            _ => {}
        }
        writeln!(mixed, "{y} {} # as it comes", pairs.join("  ")).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let expected = read_every_way(folder.path(), "sorted.svm", sorted.as_bytes(), None);
    let found = read_every_way(folder.path(), "mixed.svm", mixed.as_bytes(), None);
    assert!(mixed != sorted && (found.x, found.y) == (expected.x, expected.y));
}

//! A file of pieces has the content that the readers would hold in memory.

use std::fs;
use std::path::PathBuf;

use super::StoredTable;
use crate::arrays::pieces::PIECE;
use crate::dialect::Dialect;
use crate::named::read_any;
use crate::table::{Beside, Classes, ColumnOptions, Format, Matrix, Missing, Options, Table};

/// Returns a range of columns, cut from the matrix in memory.
fn cut(x: &Matrix, range: std::ops::Range<usize>) -> Matrix {
    match x {
        Matrix::Dense(x) => Matrix::Dense(x.slice(ndarray::s![.., range]).to_owned()),
        Matrix::Sparse(x) => {
            let starts = x.indptr().raw_storage()[range.start..=range.end].to_vec();
            let (stored, shape) = (starts[0]..starts[range.len()], (x.rows(), range.len()));
            let starts = starts.iter().map(|start| start - stored.start).collect();
            let indices = x.indices()[stored.clone()].to_vec();
            Matrix::Sparse(crate::Csc::new_csc(shape, starts, indices, x.data()[stored].to_vec()))
        }
    }
}

fn same(source: &str, options: &Options) {
    let folder = tempfile::tempdir().unwrap();
    let whole = read_any(source, options).unwrap();
    // Made first, then found.
    for _ in 0..2 {
        let stored = StoredTable::open(source, options, folder.path()).unwrap();
        let (p, empty) = (stored.cols(), Matrix::Dense(ndarray::Array2::zeros((0, 0))));
        assert_eq!((stored.rows(), p), (whole.x.rows(), whole.x.cols()), "{source}");
        assert_eq!((stored.nonzeros(), stored.is_sparse()), (whole.x.nonzeros(), whole.x.is_sparse()));
        assert!(*stored.described() == Table { x: empty, ..whole.clone() }, "{source} {options:?}");
        for range in [0..p, 0..0, 0..1, p / 3..p / 2, p - 1..p] {
            let read = stored.columns(range.clone()).unwrap();
            assert!(read == cut(&whole.x, range.clone()), "{source} {options:?} {range:?}");
        }
        assert!(stored.columns(0..p + 1).is_err());
        let Matrix::Sparse(x) = &whole.x else { continue };
        let places: Vec<usize> = (0..x.nnz()).step_by(3).collect();
        let rows: Vec<u32> = places.iter().map(|&place| x.indices()[place]).collect();
        assert!(stored.rows_at(&places).unwrap() == rows, "{source}");
        assert!(stored.rows_at(&[x.nnz()]).is_err());
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "one file and its lock: {left:?}");
}

#[test]
fn a_file_has_what_the_readers_have() {
    let folder = tempfile::tempdir().unwrap();
    let text = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let options = Options::default;
    same("diabetes", &options());
    // More than one piece of values, of each kind.
    same("synth:groups:n=300,p=700,g=7,s=9", &options());
    same("synth:ar1:n=40,p=50,s=3,rho=0.5", &options());
    same("synth:strads:n=500,p=4000,s=9", &options());
    same("synth:strads:n=90,p=70,s=4,c=0.5,k=9,seed=5", &options());
    let svm: String = (0..200_u32)
        .map(|row| format!("{} {}:{}.5 {}:-1e-3 900:{row}\n", row % 7, row % 30 + 1, row, row % 50 + 40))
        .collect();
    same(&text("a.svm", &svm), &options());
    same(&text("b.svm", &svm.replace("900:", "800:")), &Options { zero_based: true, ..options() });
    // Many tiles, of which the last has columns that do not occur in the first rows, and enough blocks for
    // several batches.
    let wide: String = (0..30_000_u32)
        .map(|row| {
            format!("{row}.25 {}:1.5 {}:{}\n", row * 7 % 400 + 1, row * 13 % 500 + 400 + row / 40, row % 5)
        })
        .collect();
    same(&text("wide.svm", &wide), &Options { threads: 2, ..options() });
    // One index far beyond the others, and unsorted rows, over several tiles.
    let far: String = (0..30_000_u32)
        .map(|row| {
            let first = 1 + row.wrapping_mul(2_654_435_761) % 2_000_000_000;
            format!("{row} {}:2 {}:{row}.5\n", if row == 77 { u32::MAX } else { first + 1000 }, row % 900 + 1)
        })
        .collect();
    same(&text("far.svm", &far), &Options { threads: 2, ..options() });
    same(&text("none.svm", "1 4000000000:0\n2 7:0\n"), &options());
    let market =
        "%%MatrixMarket matrix coordinate real general\n2 4000000000 3\n1 7 1\n1 9 2\n2 4000000000 5\n";
    same(&text("far.mtx", market), &Options { y: Some("9".into()), ..options() });
    let csv: String = (0..60_u32)
        .map(|row| {
            let missing = if row % 9 == 4 { String::new() } else { format!("{}.25", row * 3 % 17) };
            format!(
                "{missing},{},{},{row}.5,{}\n",
                ["red", "blue", "green"][row as usize % 3],
                row % 5,
                row % 2
            )
        })
        .collect();
    let csv = text("a.csv", &format!("size,colour,code,weight,y\n{csv}"));
    let columns = ColumnOptions {
        missing: Missing::Mean,
        categorical: vec!["code".into()],
        ..ColumnOptions::default()
    };
    let weights = vec![Beside { option: "--weights", name: "weight".into() }];
    let filled = Options { columns: columns.clone(), beside: weights, ..options() };
    same(&csv, &filled);
    let classes = Options { columns, y: Some("colour".into()), classes: Classes::Any, ..options() };
    same(&csv, &classes);
    // By rows and by columns, of several types, with the response in a column and in a file.
    let array = |name: &str, kind: &str, by_columns: &str, shape: (usize, usize), values: &[u8]| {
        let path = folder.path().join(name);
        let header = format!("{{'descr': '{kind}', 'fortran_order': {by_columns}, 'shape': {shape:?}, }}\n");
        let length = (header.len() as u16).to_le_bytes();
        fs::write(&path, [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), values].concat()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let of_60: String = (0..60).map(|row| format!("{}.5\n", row * 7 % 11)).collect();
    let of_60 = text("of_60.txt", &of_60);
    let doubles: Vec<u8> = (0..60 * 17_u32).flat_map(|at| f64::from(at * 31 % 257).to_le_bytes()).collect();
    let shorts: Vec<u8> = (0..60 * 17_u32).flat_map(|at| ((at * 31 % 257) as u16).to_be_bytes()).collect();
    for by_columns in ["True", "False"] {
        for y in ["1", "-3", &of_60] {
            let options = Options { y: Some(y.into()), ..options() };
            same(&array("d.npy", "<f8", by_columns, (60, 17), &doubles), &options);
            same(&array("s.npy", ">u2", by_columns, (60, 17), &shorts), &options);
        }
    }
    let market = "%%MatrixMarket matrix coordinate real general\n3 4 4\n1 1 2.5\n3 4 -1\n2 4 1\n3 2 7\n";
    let y = text("y.txt", "1\n2.5\n-3\n");
    same(&text("a.mtx", market), &Options { y: Some(y), ..options() });
}

#[test]
fn another_response_or_content_is_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let (data, y) = (folder.path().join("a.csv"), folder.path().join("y.txt"));
    fs::write(&data, "a,b,c\n1,2,3\n4,5,7\n8,9,1\n").unwrap();
    let read = |y: &str| {
        let options = Options { y: Some(y.into()), ..Options::default() };
        let stored =
            StoredTable::open(data.to_str().unwrap(), &options, &folder.path().join("kept")).unwrap();
        stored.described().y.clone()
    };
    assert_eq!(read("c"), [3.0, 7.0, 1.0]);
    assert_eq!(read("a"), [1.0, 4.0, 8.0]);
    fs::write(&y, "5\n6\n7\n").unwrap();
    assert_eq!(read(y.to_str().unwrap()), [5.0, 6.0, 7.0]);
    fs::write(&y, "5\n6\n8\n").unwrap();
    assert_eq!(read(y.to_str().unwrap()), [5.0, 6.0, 8.0]);
    fs::write(&data, "a,b,c\n1,2,3\n4,5,9\n8,9,1\n").unwrap();
    assert_eq!(read("c"), [3.0, 9.0, 1.0]);
}

#[test]
fn what_is_damaged_is_made_again_and_mistakes_are_told_as_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let spec = "synth:groups:n=300,p=700,g=7,s=9";
    let open = || StoredTable::open(spec, &Options::default(), folder.path());
    let first = open().unwrap().columns(600..700).unwrap();
    const { assert!(300 * 600 / PIECE > 1, "damage lies in a later piece") };
    let is_table = |path: &PathBuf| path.extension().is_some_and(|name| name == "columns");
    let path = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).find(is_table).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[300 * 650 * 8] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert!(open().unwrap().columns(600..700).unwrap() == first);

    let beside =
        Options { beside: vec![Beside { option: "--weights", name: "w".into() }], ..Options::default() };
    let text = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    // An array with one column, which is the response.
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }\n";
    let numbers = [1.0f64.to_le_bytes(), 2.0f64.to_le_bytes()].concat();
    let length = (header.len() as u16).to_le_bytes();
    let one = [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), &numbers].concat();
    fs::write(folder.path().join("one.npy"), one).unwrap();
    let one = folder.path().join("one.npy").to_str().unwrap().to_owned();
    let named = |y: &str| Options { y: Some(y.into()), ..Options::default() };
    let no_header =
        Options { dialect: Dialect { header: Some(false), ..Dialect::default() }, ..Options::default() };
    for (source, options) in [
        (&*text("none.svm", "# no rows\n"), Options { format: Some(Format::Libsvm), ..Options::default() }),
        (&*text("bare.svm", "1\n2 \n"), Options { format: Some(Format::Libsvm), ..Options::default() }),
        (&*text("twice.svm", &format!("{}1 4:2 4:3\n", "3 1:2\n".repeat(70_000))), Options::default()),
        (&*text("y.svm", "1 1:2\n"), named("1")),
        (&*text("head.svm", "1 1:2\n"), no_header),
        (&*text("beside.svm", "1 1:2\n"), beside.clone()),
        (&*text("cut.npy", "\u{93}NUMPY"), named("1")),
        (&*one, named("-1")),
        ("synth:groups:n=3", Options::default()),
        ("synth:groups:n=3,p=4,s=1", Options { zero_based: true, ..Options::default() }),
        ("synth:groups:n=3,p=4,s=1", beside.clone()),
        ("diabetes", beside),
        ("nobody", Options::default()),
        ("no/such.csv", Options::default()),
    ] {
        let told = StoredTable::open(source, &options, folder.path()).unwrap_err().to_string();
        assert_eq!(told, read_any(source, &options).unwrap_err().to_string(), "{source}");
    }
}

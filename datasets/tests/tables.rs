//! Tables with texts, codes, missing values, quotes and names; and the same encoding repeated on other data.

mod rules;

use std::path::PathBuf;

use ndarray::{Array2, array};
use proptest::prelude::*;
use raddle_datasets::{
    Beside, Classes, ColumnOptions, Dialect, Encoding, Filled, Format, Labels, LeftOut, Matrix, Missing,
    Options, ReadError, Samples, Table, read, read_any, read_samples,
};
use tempfile::TempDir;

fn write(content: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

/// Reads with one thread and with three, from the file and twice with a cache: all results must be equal.
fn read_with(text: &str, options: &Options) -> Result<Table, ReadError> {
    let (folder, path) = write(text.as_bytes());
    let first = read(&path, options);
    let cache = Some(folder.path().join("cache"));
    for other in [
        Options { threads: 3, ..options.clone() },
        Options { cache: cache.clone(), ..options.clone() },
        Options { cache, ..options.clone() },
    ] {
        match (&first, read(&path, &other)) {
            (Ok(first), Ok(other)) => assert_eq!(*first, other),
            (Err(first), Err(other)) => assert_eq!(first.to_string(), other.to_string()),
            (first, other) => panic!("{first:?} is not {other:?}"),
        }
    }
    first
}

fn columns(set: impl FnOnce(&mut ColumnOptions)) -> Options {
    let mut columns = ColumnOptions::default();
    set(&mut columns);
    Options { columns, ..Options::default() }
}

fn list(names: &str) -> Vec<String> {
    names.split(',').map(str::to_owned).collect()
}

fn predicted(text: &str, encoding: &Encoding, y: Option<&str>) -> Result<Samples, ReadError> {
    let (_folder, path) = write(text.as_bytes());
    let options = Options { repeat: Some(encoding.clone()), y: y.map(str::to_owned), ..Options::default() };
    read_samples(&path.to_string_lossy(), &options)
}

#[test]
fn texts_become_a_column_a_level() {
    let text = "id,city,sex,x,y\na1,Oslo,f,1,5\na2,\"Bergen, W\",m,2,6\na3,,f,3,7\na4,Oslo,f,4,8\n";
    let table = read_with(text, &Options::default()).unwrap();
    let names = ["city=(missing)", "city=Bergen, W", "city=Oslo", "sex=m", "x"];
    assert_eq!(table.feature_names.as_deref().unwrap(), names);
    let x = array![
        [0.0, 0.0, 1.0, 0.0, 1.0],
        [0.0, 1.0, 0.0, 1.0, 2.0],
        [1.0, 0.0, 0.0, 0.0, 3.0],
        [0.0, 0.0, 1.0, 0.0, 4.0]
    ];
    assert!(table.x.is_sparse() && table.x.to_dense() == x && table.y == [5.0, 6.0, 7.0, 8.0]);
    let encoding = table.encoding.unwrap();
    let left_out = LeftOut { name: "id".into(), why: "a text of its own in every row".into() };
    assert_eq!(encoding.left_out, [left_out]);
    let sentences = encoding.sentences().join("\n");
    assert!(
        sentences.contains("city (3 levels), sex (2 levels)") && sentences.contains("columns left out: id")
    );
    // An encoding in a model is read back unchanged.
    let kept: Encoding = serde_json::from_str(&serde_json::to_string(&encoding).unwrap()).unwrap();
    assert_eq!(kept, encoding);
}

#[test]
fn columns_are_chosen_dropped_and_taken_for_codes() {
    let text = "code,x1,x2,note,y\n7,1,2,a,1\n8,3,4,b,2\n9,5,6,a,3\n7,1,1,b,4\n";
    let read = |options: &Options| read_with(text, options).unwrap().feature_names.unwrap();
    let categorical = columns(|columns| columns.categorical = list("code"));
    assert_eq!(read(&categorical), ["code=7", "code=8", "code=9", "x1", "x2", "note=b"]);
    assert_eq!(read(&columns(|columns| columns.columns = list("x*"))), ["x1", "x2"]);
    assert_eq!(read(&columns(|columns| columns.drop = list("note,1"))), ["x1", "x2"]);
    let few = columns(|columns| {
        columns.categorical = list("code");
        columns.max_levels = 2;
    });
    assert_eq!(read(&few), ["x1", "x2", "note=b"]);
    let table = read_with(text, &few).unwrap();
    let why = &table.encoding.as_ref().unwrap().left_out[0].why;
    assert_eq!(why, "more than 2 different texts: --max-levels");
    for (options, why) in [
        (
            columns(|columns| columns.drop = list("z")),
            "--drop: there is no column `z`: the columns are code, x1, x2",
        ),
        (columns(|columns| columns.drop = list("x*,code,note")), "no feature is left besides the response"),
        (
            Options {
                dialect: Dialect { header: Some(false), ..Dialect::default() },
                y: Some("1".into()),
                ..Options::default()
            },
            "column 1, the response: `code`",
        ),
    ] {
        let error = read_with(text, &options).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn missing_values_are_filled_or_their_rows_left_out() {
    let text = "a,city,y\n1,Oslo,1\nNA,Rome,2\n4,Oslo,3\n,Paris,4\n";
    let mean = columns(|columns| columns.missing = Missing::Mean);
    let table = read_with(text, &mean).unwrap();
    assert_eq!(table.x.to_dense().column(0).to_vec(), [1.0, 2.5, 4.0, 2.5]);
    assert_eq!(table.filled, [Filled { feature: 0, rows: vec![1, 3] }]);
    let encoding = table.encoding.unwrap();
    assert_eq!((encoding.columns[0].mean, encoding.columns[0].missing), (Some(2.5), 2));
    assert!(encoding.sentences().join("\n").contains("missing values filled with means: a (2 with 2.5"));
    // A level that only dropped rows have does not count.
    let drop = columns(|columns| columns.missing = Missing::Drop);
    let table = read_with(text, &drop).unwrap();
    assert_eq!((table.x.to_dense(), table.y), (array![[1.0], [4.0]], vec![1.0, 3.0]));
    assert_eq!(table.encoding.unwrap().left_out[0].why, "it has one value");
    let longer = "a,city,y\n1,Oslo,1\nNA,Rome,2\n4,Oslo,3\n,Paris,4\n5,Rome,5\n6,Rome,\n";
    let table = read_with(longer, &drop).unwrap();
    assert_eq!(table.feature_names.as_deref().unwrap(), ["a", "city=Rome"]);
    assert_eq!(
        (table.x.to_dense(), table.y),
        (array![[1.0, 0.0], [4.0, 0.0], [5.0, 1.0]], vec![1.0, 3.0, 5.0])
    );
    assert_eq!(table.encoding.unwrap().rows_left_out, 3);
    let counts = |table: &Table| (table.records.read, table.records.used(), table.records.left_out.clone());
    let left_out = [("missing response".to_owned(), 1), ("missing value".to_owned(), 2)];
    assert_eq!(counts(&read_with(longer, &drop).unwrap()), (6, 3, left_out.clone().into()));
    // A row without a response can only be left out; the mean is of the other rows.
    let table = read_with(longer, &mean).unwrap();
    assert_eq!(counts(&table), (6, 5, left_out[..1].iter().cloned().collect()));
    assert_eq!(table.y, [1.0, 2.0, 3.0, 4.0, 5.0]);
    let encoding = table.encoding.unwrap();
    assert_eq!((encoding.columns[0].mean, encoding.columns[0].missing), (Some(10.0 / 3.0), 2));
    assert!(encoding.sentences().join("\n").contains("rows left out, as they have no response: 1"));
    // Missing values in unused columns do not drop rows.
    let used = columns(|columns| (columns.missing, columns.drop) = (Missing::Drop, list("a")));
    assert_eq!(counts(&read_with(longer, &used).unwrap()), (6, 5, left_out[..1].iter().cloned().collect()));
    let error = read_with("a,y\n1,\n2,\n", &mean).unwrap_err().to_string();
    assert!(error.contains("no row has a response"), "{error}");
    let error = read_with(longer, &columns(|_| {})).unwrap_err();
    assert!(error.line() == Some(3) && error.to_string().contains("by --missing drop"), "{error}");
    let error = read_with("a,y\n,1\n2,\n", &drop).unwrap_err().to_string();
    assert!(error.contains("every row lacks a value"), "{error}");
}

#[test]
fn an_encoding_is_repeated_on_other_data() {
    let text = "id,city,sex,x,y\na1,Oslo,f,1,5\na2,Bergen,m,2,6\na3,Rome,f,,7\na4,Oslo,f,4,8\n";
    let table = read_with(text, &columns(|columns| columns.missing = Missing::Mean)).unwrap();
    let encoding = table.encoding.unwrap();
    // Any order, unknown columns with any content, an unknown level, a missing number.
    let other = "note,x,sex,city\nfree text,9,m,Rome\n\"a, b\",NA,x,Paris\n";
    let samples = predicted(other, &encoding, None).unwrap();
    assert_eq!(samples.feature_names, table.feature_names);
    let mean = 7.0 / 3.0;
    assert_eq!(samples.x.to_dense(), array![[0.0, 0.0, 1.0, 1.0, 9.0], [0.0, 0.0, 0.0, 0.0, mean]]);
    assert_eq!((samples.y, samples.left_out), (None, vec!["note".to_owned()]));
    assert!(
        samples
            .notes
            .join("\n")
            .contains("never seen, treated as none of the known ones: city (1 row), sex (1 row)")
    );
    // The model's own data, with the response, give the same matrix.
    let same = predicted(text, &encoding, None).unwrap();
    assert_eq!((same.x.to_dense(), same.y, same.left_out), (table.x.to_dense(), Some(table.y), vec![]));
    // An incomplete response does not prevent prediction.
    let samples = predicted("x,sex,city,y\n1,f,Oslo,\n2,f,Rome,3\n", &encoding, None).unwrap();
    let y = samples.y.unwrap();
    assert!(y[0].is_nan() && y[1] == 3.0 && samples.without_response == [0], "{y:?}");
    let samples = predicted("x,sex,city,y\n1,f,Oslo,many\n2,f,Rome,3\n", &encoding, None).unwrap();
    assert!(
        samples.y.is_none()
            && samples.notes.join("\n").contains("the response `y` is not a number in every row")
    );
    for (text, why) in [
        ("x,sex\n1,f\n", "it has no column `city`, which the model uses; it has 2 columns, the model 3"),
        ("x,sex,city\none,f,Oslo\n", "t.csv:2: column `x`: `one` is not a number"),
        ("x,sex,city,x\n1,f,Oslo,2\n", "there are two columns `x`"),
        ("x,sex,city\n1,f\n", "t.csv:2: 2 cells divided by `,` where the first line has 3"),
    ] {
        let error = predicted(text, &encoding, None).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    // A model of plain numbers has no mean to fill with: the value stays missing.
    let plain = Encoding::of_numbers(&list("a,b"));
    let x = predicted("b,a\n1,2\n,3\n", &plain, None).unwrap().x.to_dense();
    assert_eq!((x[[0, 1]], x[[1, 0]], x[[1, 1]].is_nan()), (1.0, 3.0, true));
    assert_eq!(predicted("b,note,a\n1,x,2\n", &plain, None).unwrap().x.to_dense(), array![[2.0, 1.0]]);
}

#[test]
fn without_names_columns_are_found_by_their_places() {
    let text = "1,Oslo,5\n2,Rome,6\n3,Oslo,7\n4,Rome,8\n";
    let options = Options {
        dialect: Dialect { header: Some(false), ..Dialect::default() },
        y: Some("1".into()),
        ..Options::default()
    };
    let table = read_with(text, &options).unwrap();
    assert_eq!(table.feature_names.as_deref().unwrap(), ["column 2=Rome", "column 3"]);
    let encoding = table.encoding.unwrap();
    let options = Options {
        dialect: Dialect { header: Some(false), ..Dialect::default() },
        repeat: Some(encoding),
        ..Options::default()
    };
    for (text, y) in [("9,Rome,3\n", Some(vec![9.0])), ("Rome,3\n", None)] {
        let (_folder, path) = write(text.as_bytes());
        let samples = read_samples(&path.to_string_lossy(), &options).unwrap();
        assert_eq!((samples.x.to_dense(), samples.y), (array![[1.0, 3.0]], y));
    }
    let (_folder, path) = write(b"Rome\n");
    let options = Options { format: Some(Format::Csv), ..options };
    let error = read_samples(&path.to_string_lossy(), &options).unwrap_err().to_string();
    assert!(error.contains("it has 1 columns, the data of the model had 3"), "{error}");
    // A response of texts is found by its position, with the features or without it.
    let text = "1,20,a\n3,50,b\n2,75,a\n7,20,b\n";
    let any = Options { y: Some("3".into()), classes: Classes::Any, ..Options::default() };
    let encoding = read_with(text, &any).unwrap().encoding;
    for (text, y, named) in
        [(text, true, None), (text, true, Some("3")), ("1,20\n3,50\n2,75\n7,20\n", false, None)]
    {
        let (_folder, path) = write(text.as_bytes());
        let (classes, y_named) = (Classes::Known(list("a,b")), named.map(str::to_owned));
        let options = Options { repeat: encoding.clone(), y: y_named, classes, ..Options::default() };
        let samples = read_samples(&path.to_string_lossy(), &options).unwrap();
        assert_eq!(samples.x.to_dense(), array![[1.0, 20.0], [3.0, 50.0], [2.0, 75.0], [7.0, 20.0]]);
        assert_eq!(samples.y, y.then(|| vec![0.0, 1.0, 0.0, 1.0]), "{text}");
    }
}

#[test]
fn names_are_said_and_columns_without_one_have_a_number() {
    let table = read_with(",x,y\n0,1,2\n1,2,3\n", &Options::default()).unwrap();
    assert_eq!(table.feature_names.as_deref().unwrap(), ["column 1", "x"]);
    assert!(table.notes[0].contains("--no-header") && table.notes[1].contains("leave it out by --drop 1"));
    let without = columns(|columns| columns.drop = list("1"));
    let table = read_with(",x,y\n0,1,2\n1,2,3\n", &without).unwrap();
    assert_eq!(table.feature_names.as_deref().unwrap(), ["x"]);
    let twice = "x,x,y\n0,1,2\n1,2,3\n";
    assert!(
        read_with(twice, &Options::default()).unwrap_err().to_string().contains("two columns are called `x`")
    );
    assert_eq!(read_with(twice, &columns(|columns| columns.drop = list("1"))).unwrap().x.cols(), 1);
}

#[test]
fn separators_tabs_and_one_column() {
    for text in ["a|y\n1|2\n3|4\n", "a\ty\n1\t2\n3\t4\n", "a;y\r\n1;2\r\n3;4"] {
        let table = read_with(text, &Options::default()).unwrap();
        assert_eq!((table.x.to_dense(), table.y), (array![[1.0], [3.0]], vec![2.0, 4.0]));
    }
    // A tab at the end of a line separates an empty cell.
    let error = read_with("y\ta\n1\t2\n3\t\n", &Options::default()).unwrap_err();
    assert!(error.line() == Some(3) && error.to_string().contains("has no value"), "{error}");
    for text in ["x\n1\n2\n", "1\n2\n"] {
        let (_folder, path) = write(text.as_bytes());
        let samples = read_samples(&path.to_string_lossy(), &Options::default()).unwrap();
        assert_eq!(samples.x.to_dense(), array![[1.0], [2.0]]);
    }
}

#[test]
fn records_may_span_lines() {
    let text = "x,note,y\n1,\"two\nlines\",2\n3,\"two\nlines\",4\n5,\"say \"\"hi\"\"\",oops\n";
    let error = read_with(text, &columns(|columns| columns.drop = list("note"))).unwrap_err();
    assert!(error.line() == Some(6) && error.to_string().contains("`oops`"), "{error}");
    let table = read_with(&text.replace("oops", "6"), &Options::default()).unwrap();
    assert_eq!(table.feature_names.unwrap(), ["x", "note=two\nlines"]);
}

/// Quotes change nothing: a quoted table is read like an unquoted one.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        (-99..99_i32).prop_map(|value| value.to_string()),
        Just(String::new()),
        "[a-c]",
        Just("NA".into())
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn quotes_make_no_difference(
        rows in proptest::collection::vec((proptest::collection::vec(cell(), 3), 0..9), 1..12),
    ) {
        let plain: String = rows.iter().map(|(row, y)| format!("{},{y}\n", row.join(","))).collect();
        let quoted: String =
            rows.iter().map(|(row, y)| format!("\"{}\",{y}\n", row.join("\",\""))).collect();
        for missing in [Missing::Mean, Missing::Drop, Missing::Refuse] {
            let options = columns(|columns| columns.missing = missing);
            let [plain, quoted] =
                [&plain, &quoted].map(|text| read_with(&format!("a,b,c,y\n{text}"), &options));
            match (plain, quoted) {
                (Ok(plain), Ok(quoted)) => prop_assert_eq!(
                    (plain.x, plain.y, plain.encoding), (quoted.x, quoted.y, quoted.encoding)
                ),
                (plain, quoted) => prop_assert_eq!(plain.is_err(), quoted.is_err()),
            }
        }
    }

    /// The encoded matrix equals that of a simple implementation.
    #[test]
    fn encoded_is_what_a_naive_reading_gives(
        rows in proptest::collection::vec((-9..9_i32, "[a-c]", 0..5_i32), 4..30),
    ) {
        let text: String = rows.iter().map(|(x, city, y)| format!("{x},{city},{y}\n")).collect();
        let mut levels: Vec<&String> = rows.iter().map(|(_, city, _)| city).collect();
        levels.sort();
        levels.dedup();
        let table = read_with(&format!("x,city,y\n{text}"), &Options::default()).unwrap();
        let indicators = match levels.len() {
            1 => &[],
            2 => &levels[1..],
            _ => &levels[..],
        };
        let expected = Array2::from_shape_fn((rows.len(), 1 + indicators.len()), |(i, j)| match j {
            0 => f64::from(rows[i].0),
            _ => f64::from(u8::from(rows[i].1 == *indicators[j - 1])),
        });
        prop_assert_eq!(table.x.to_dense(), expected);
        prop_assert_eq!(table.x.is_sparse(), levels.len() > 1);
        // Filling again, with nothing missing, changes nothing.
        let mut x: Matrix = table.x.clone();
        x.fill_again(&table.filled, &(0..rows.len()).collect::<Vec<_>>(), |_| true);
        prop_assert_eq!(x, table.x);
    }
}

#[test]
fn options_for_columns_are_refused_where_there_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.svm");
    std::fs::write(&path, "1 1:2\n2 2:3\n").unwrap();
    let error = read(&path, &columns(|columns| columns.drop = list("1"))).unwrap_err().to_string();
    assert!(error.contains("libsvm has no columns with names: --columns, --drop"), "{error}");
    for source in ["diabetes", "synth:groups:n=9,p=5,s=2"] {
        let error = read_any(source, &columns(|columns| columns.drop = list("1"))).unwrap_err().to_string();
        assert!(error.contains("it is no file") && error.contains("have no effect on it"), "{error}");
    }
    let (_folder, path) = write(b"x,y\n1,2\n");
    let error = read(&path, &Options { zero_based: true, ..Options::default() }).unwrap_err().to_string();
    assert!(error.contains("this is csv: --zero-based is for libsvm text"), "{error}");
}

/// Written by pyarrow 26.0.1, gzip, and zstd 1.5.4.
#[test]
fn compressed_files_and_parquet_hold_the_same_table() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables");
    let options = Options { y: Some("price".into()), ..Options::default() };
    let plain = read(folder.join("houses.csv"), &options).unwrap();
    let mut names = vec!["houses.csv.gz", "houses.csv.zst"];
    if cfg!(feature = "parquet") {
        names.push("houses.parquet");
        names.push("houses.zstd.parquet");
    }
    for name in names {
        for threads in [1, 3] {
            let other = read(folder.join(name), &Options { threads, ..options.clone() }).unwrap();
            assert_eq!(
                (&other.x, &other.y, &other.encoding),
                (&plain.x, &plain.y, &plain.encoding),
                "{name}"
            );
        }
    }
    if cfg!(feature = "parquet") {
        let error = read(folder.join("houses.brotli.parquet"), &options).unwrap_err().to_string();
        assert!(error.contains("write it with compression=\"zstd\" or \"snappy\""), "{error}");
    }
    if !cfg!(feature = "parquet") {
        let error = read(folder.join("houses.parquet"), &options).unwrap_err().to_string();
        assert!(
            error.contains("this is Parquet, which this build does not read: build with --features parquet")
        );
    }
}

#[test]
fn zstd_in_several_frames_is_read_and_a_cut_is_named() {
    let zstd =
        std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/houses.csv.zst"));
    let zstd = zstd.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv.zst");
    let options =
        Options { y: Some("price".into()), columns: ColumnOptions::default(), ..Options::default() };
    // A skippable frame, and a second frame, whose header line is a row and refused.
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..], &zstd].concat();
    std::fs::write(&path, &skipped).unwrap();
    assert_eq!(read(&path, &options).unwrap().x.rows(), 40);
    std::fs::write(&path, [&zstd[..], &zstd].concat()).unwrap();
    let error = read(&path, &options).unwrap_err();
    assert_eq!(error.line(), Some(42), "{error}");
    for cut in [zstd.len() - 1, zstd.len() - 5, zstd.len() / 2, 20] {
        std::fs::write(&path, &zstd[..cut]).unwrap();
        let error = read(&path, &options).unwrap_err().to_string();
        assert!(error.contains("the zstd data end too early: the file was cut off"), "{cut}: {error}");
    }
    let mut changed = zstd.clone();
    let last = changed.len() - 1;
    changed[last] ^= 1;
    std::fs::write(&path, changed).unwrap();
    assert!(read(&path, &options).unwrap_err().to_string().contains("the zstd data are damaged"));
}

#[test]
fn a_response_of_texts_is_classes_in_the_order_of_their_texts() {
    let any = |options: Options| Options { classes: Classes::Any, ..options };
    let text = "x,y\n1,yes\n2,no\n4,yes\n8,maybe\n";
    let table = read_with(text, &any(Options::default())).unwrap();
    assert_eq!((table.y, table.classes.unwrap()), (vec![2.0, 1.0, 2.0, 0.0], list("maybe,no,yes")));
    assert_eq!(table.feature_names.unwrap(), ["x"]);
    // Numbers stay numbers even if texts are allowed.
    let table = read_with("x,y\n1,3\n2,5\n", &any(Options::default())).unwrap();
    assert_eq!((table.y, table.classes), (vec![3.0, 5.0], None));
    let refused = read_with(text, &Options::default()).unwrap_err();
    assert!(refused.line() == Some(2) && refused.to_string().contains("--loss logistic"), "{refused}");
    // An empty cell is missing, and a label of dropped rows is not a class.
    let holes = "x,y\n1,yes\n2,\n,maybe\n8,no\n9,yes\n";
    let refused = read_with(holes, &any(Options::default())).unwrap_err();
    assert!(refused.to_string().contains("leave its rows out") || refused.line() == Some(3), "{refused}");
    let table = read_with(holes, &any(columns(|columns| columns.missing = Missing::Drop))).unwrap();
    assert_eq!((table.y, table.classes.unwrap()), (vec![1.0, 0.0, 1.0], list("no,yes")));
    // There may be more classes than levels of a feature.
    let many: String = (0..40).map(|row| format!("{row},c{row:02}\n")).collect();
    let table = read_with(&format!("x,y\n{many}"), &any(columns(|columns| columns.max_levels = 3))).unwrap();
    assert_eq!(table.classes.unwrap().len(), 40);
    // From their own file.
    let (folder, path) = write(b"a,b\n1,2\n3,4\n5,6\n");
    let file = folder.path().join("classes.txt");
    std::fs::write(&file, "kind\nb\na\nb\n").unwrap();
    let options = Options { y: Some(file.display().to_string()), ..Options::default() };
    assert!(read(&path, &options).unwrap_err().to_string().contains("`b` is not a number"));
    let table = read(&path, &any(options.clone())).unwrap();
    assert_eq!((table.y, table.classes.unwrap()), (vec![1.0, 0.0, 1.0], list("a,b")));
    let known = Options { classes: Classes::Known(list("b,c")), ..options };
    let samples = read_samples(&path.display().to_string(), &known).unwrap();
    let y = samples.y.unwrap();
    assert!(y[0] == 0.0 && y[1].is_nan() && y[2] == 0.0, "{y:?}");
}

#[test]
fn columns_beside_the_features_are_no_features() {
    let asked = |names: &[&str]| {
        let beside = names.iter().map(|name| Beside { option: "--by", name: (*name).to_owned() }).collect();
        Options { beside, ..Options::default() }
    };
    let text = "who,x,w,y\nann,1,0.5,3\nbob,2,2,4\nann,,1,5\ncid,4,7,6\n";
    let drop = |options: Options| Options {
        columns: columns(|columns| columns.missing = Missing::Drop).columns,
        ..options
    };
    let table = read_with(text, &drop(asked(&["who", "3"]))).unwrap();
    assert_eq!(table.feature_names.unwrap(), ["x"]);
    assert_eq!(table.beside[0].groups(), [0, 1, 2], "the row without x is gone from all");
    assert_eq!(table.beside[1], Labels::Numbers(vec![0.5, 2.0, 7.0]));
    let left_out = &table.encoding.unwrap().left_out;
    assert!(
        left_out.iter().any(|column| column.name == "who" && column.why == "--by names it"),
        "{left_out:?}"
    );
    // More texts than a feature may have levels.
    let ids: String = (0..9).map(|row| format!("p{},{row},1\n", row / 2)).collect();
    let mut few = asked(&["id"]);
    few.columns.max_levels = 2;
    let table = read_with(&format!("id,x,y\n{ids}"), &few).unwrap();
    assert_eq!(table.beside[0].groups(), [0, 0, 1, 1, 2, 2, 3, 3, 4]);
    for (text, name, said) in [
        (text, "nobody", "--by: `nobody` is neither a column nor a file: the columns are who, x, w, y"),
        ("who,x,y\na,1,2\n,2,3\n", "who", "column 1 (who) has no value"),
    ] {
        let refused = read_with(text, &asked(&[name])).unwrap_err().to_string();
        assert!(refused.contains(said), "{refused}");
    }
    // From a file, for any format.
    let (folder, path) = write(b"1 1:2\n2 2:3\n0 1:1\n");
    let file = folder.path().join("groups.txt");
    std::fs::write(&file, "g\nb\na\nb\n").unwrap();
    let table = read(&path, &asked(&[file.to_str().unwrap()])).unwrap();
    assert_eq!((table.format.as_str(), table.beside[0].groups()), ("libsvm", vec![0, 1, 0]));
    // As many texts as rows: no header.
    std::fs::write(&file, "g\nb\na\n").unwrap();
    assert_eq!(read(&path, &asked(&[file.to_str().unwrap()])).unwrap().beside[0].groups(), [0, 1, 2]);
    std::fs::write(&file, "g\nb\n").unwrap();
    let refused = read(&path, &asked(&[file.to_str().unwrap()])).unwrap_err().to_string();
    assert!(refused.contains("--by: 1 values for 3 rows"), "{refused}");
    let refused = read(&path, &asked(&["who"])).unwrap_err().to_string();
    assert!(refused.contains("libsvm has no columns with names: give a file"), "{refused}");
    let refused = read_any("diabetes", &asked(&["who"])).unwrap_err().to_string();
    assert!(refused.contains("no columns with names"), "{refused}");
}

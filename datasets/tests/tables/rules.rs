//! Details of columns: the line that an error names in a long file, texts that are levels, uses of a mean,
//! and names of columns.

use std::fmt::Write as _;

use raddle_common::testing::not_empty;

use super::*;

/// Makes more than two blocks of text, of equal rows except one.
fn long(row: &str, odd: &str) -> (String, usize) {
    let (mut text, mut rows) = (String::from("city,x,y\n"), 0);
    while text.len() < 5 << 19 {
        writeln!(text, "{row}").unwrap();
        rows += 1;
    }
    writeln!(text, "{odd}\n{row}").unwrap();
    // The header is the first line.
    (text, rows + 2)
}

#[test]
fn the_line_of_a_cell_is_named_beyond_the_first_block() {
    for (odd, why) in [
        ("Oslo,,3", "column 2 (x) has no value"),
        ("Oslo,many,3", "column 2 (x): `many` is not a number"),
        ("Oslo,2,few", "column 3 (y), the response: `few` is not a number"),
        ("Oslo,2,3,4", "4 cells divided by `,` where the first line has 3"),
    ] {
        let (text, line) = long("Bergen,1.25,3", odd);
        let error = read_with(&text, &Options::default()).unwrap_err();
        assert!(error.to_string().contains(why), "{odd}: {error}");
        assert_eq!(error.line(), Some(line), "{odd}: {error}");
    }
}

#[test]
fn a_column_of_texts_may_have_a_number_among_them() {
    let table = |cells: &[&str]| {
        let rows: String = cells.iter().zip(1..).map(|(cell, row)| format!("{cell},{row},{row}\n")).collect();
        read_with(&format!("code,x,y\n{rows}"), &Options::default())
    };
    let names = table(&["a", "b", "a", "7", "b"]).unwrap().feature_names.unwrap();
    assert_eq!(names, ["code=7", "code=a", "code=b", "x"]);
    // If at least half of the cells are numbers, the texts are mistakes.
    for cells in [["1", "b", "2", "a"], ["1", "2", "3", "a"]] {
        let refused = table(&cells).unwrap_err().to_string();
        assert!(
            refused.contains("is not a number, though") && refused.contains("--categorical code"),
            "{refused}"
        );
    }
}

#[test]
fn rows_are_dropped_for_a_hole_in_a_column_and_not_for_a_column_without_any_value() {
    let drop = columns(|columns| columns.missing = Missing::Drop);
    let table = read_with("a,empty,b,y\n1,,5,1\n2,,,2\n3,,7,3\n", &drop).unwrap();
    assert_eq!((table.feature_names.unwrap(), table.y), (list("a,b"), vec![1.0, 3.0]));
    let left_out = &table.encoding.unwrap().left_out;
    assert_eq!(*left_out, [LeftOut { name: "empty".into(), why: "it has no value".into() }]);
}

#[test]
fn the_mean_of_a_column_without_holes_fills_those_of_other_data() {
    let mean = columns(|columns| columns.missing = Missing::Mean);
    let encoding = read_with("a,b,y\n1,,1\n2,6,2\n6,8,3\n", &mean).unwrap().encoding.unwrap();
    let means = not_empty(&encoding.columns).map(|column| column.mean);
    assert_eq!(means.collect::<Vec<_>>(), [Some(3.0), Some(7.0)]);
    let samples = predicted("a,b\n,5\n4,\n", &encoding, None).unwrap();
    assert_eq!(samples.x.to_dense(), array![[3.0, 5.0], [4.0, 7.0]]);
}

#[test]
fn a_column_beside_the_features_is_not_the_response_too() {
    let beside = |names: &[&str]| -> Vec<Beside> {
        names.iter().map(|name| Beside { option: "--by", name: (*name).to_owned() }).collect()
    };
    let read = |names: &[&str]| {
        read_with("x,g,y\n1,a,3\n2,b,4\n3,a,3\n", &Options { beside: beside(names), ..Options::default() })
    };
    let table = read(&["g"]).unwrap();
    assert_eq!((table.y, table.feature_names.unwrap()), (vec![3.0, 4.0, 3.0], list("x")));
    assert_eq!((table.beside.len(), table.beside[0].groups()), (1, vec![0, 1, 0]));
    let refused = read(&["g", "y"]).unwrap_err().to_string();
    assert!(
        refused.contains("--by: the column `y` is the response already, and cannot be both"),
        "{refused}"
    );
}

#[test]
fn a_column_beside_the_features_without_a_value_is_refused() {
    for missing in [Missing::Refuse, Missing::Mean] {
        for (text, why) in [
            ("x,g,y\n1,,3\n2,,4\n", "--by g: a value is missing"),
            ("x,g,y\n1,a,3\n2,,4\n", "t.csv:3: column 2 (g) has no value"),
        ] {
            let beside = vec![Beside { option: "--by", name: "g".into() }];
            let options = Options { beside, ..columns(|columns| columns.missing = missing) };
            let refused = read_with(text, &options).unwrap_err().to_string();
            assert!(refused.contains(why), "{missing}: {refused}");
        }
    }
}

#[test]
fn a_column_that_is_dropped_is_the_response_only_where_it_is_named() {
    let text = "x,y,target\n1,5,7\n2,6,9\n";
    let drop = columns(|columns| columns.drop = list("y"));
    let table = read_with(text, &drop).unwrap();
    assert_eq!((table.y, table.feature_names.unwrap()), (vec![7.0, 9.0], list("x")));
    let table = read_with(text, &Options { y: Some("y".into()), ..drop }).unwrap();
    assert_eq!((table.y, table.feature_names.unwrap()), (vec![5.0, 6.0], list("x,target")));
}

#[test]
fn a_column_whose_name_ends_in_a_star_is_meant_by_its_name() {
    let names = |text: &str, wanted: &str| {
        let options = columns(|columns| columns.columns = list(wanted));
        read_with(text, &options).unwrap().feature_names.unwrap()
    };
    assert_eq!(names("x1,x*,x2,y\n1,2,3,4\n5,6,7,9\n", "x*"), ["x*"]);
    assert_eq!(names("x1,x2,z,y\n1,2,3,4\n5,6,7,9\n", "x*"), ["x1", "x2"]);
}

#[test]
fn words_for_no_value_are_these_and_no_others() {
    let fill = columns(|columns| columns.missing = Missing::Mean);
    for word in [
        "", "NA", "N/A", "n/a", "#N/A", "<NA>", "null", "NULL", "None", "?", "NaN", "nan", "NAN", "-nan",
        "-NaN",
    ] {
        let table = read_with(&format!("b,a,y\n2,1,3\n4,{word},5\n1,3,4\n"), &fill).unwrap();
        assert_eq!(table.x.to_dense(), array![[2.0, 1.0], [4.0, 2.0], [1.0, 3.0]], "{word}");
    }
    for word in ["na", "Null", "none", "--", "nan1", "+nan", "-", "N.A."] {
        let refused =
            read_with(&format!("b,a,y\n2,1,3\n4,{word},5\n1,3,4\n"), &fill).unwrap_err().to_string();
        assert!(refused.contains(&format!("`{word}` is not a number")), "{refused}");
    }
}

#[test]
fn values_beyond_the_width_are_left_out_even_if_they_are_all() {
    let (_folder, path) = write(b"1 5:2\n2 6:3 7:1\n");
    let samples = |width| {
        let options = Options { width, format: Some(Format::Libsvm), ..Options::default() };
        read_samples(&path.to_string_lossy(), &options)
    };
    let found = samples(Some(3)).unwrap();
    assert_eq!((found.x.rows(), found.x.nonzeros(), found.y), (2, 0, Some(vec![1.0, 2.0])));
    assert_eq!(found.beyond, 3);
    // Without a response there must be a feature.
    let (_folder, path) = write(b"1\n2\n");
    let options = Options { format: Some(Format::Libsvm), ..Options::default() };
    let refused = read_samples(&path.to_string_lossy(), &options).unwrap_err().to_string();
    assert!(refused.contains("no row has a feature"), "{refused}");
}

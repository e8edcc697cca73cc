//! Coefficient files: what is written is read, and what no run has written is refused.

use proptest::prelude::*;

use super::*;

const LAYOUT: Layout<'_> = Layout { columns: 3, classes: 0, occurring: None };

fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("memory can be written");
    String::from_utf8(bytes).expect("names are texts")
}

#[test]
fn what_is_written_is_read_back_to_the_bit() {
    let names: Vec<String> = ["a", "b\tc\nd", "e"].map(Into::into).to_vec();
    let points = [vec![(0, 0.1 + 0.2), (2, -1e-300)], vec![], vec![(1, 5e-324), (2, f64::MAX)]];
    for names in [None, Some(&names[..])] {
        let words = Words { names, ..Words::default() };
        for coefficients in &points {
            let text = written(|out| write(out, coefficients, words, LAYOUT));
            assert_eq!(parse(&text, LAYOUT, &[], None), Ok(LAYOUT.of_data(coefficients)), "{text}");
        }
        let text = written(|out| write_path(out, points.iter(), words, LAYOUT));
        for (point, coefficients) in (1..).zip(&points) {
            let read = parse(&text, LAYOUT, &[], Some(point));
            assert_eq!(read, Ok(LAYOUT.of_data(coefficients)), "{text}");
        }
        assert_eq!(text.lines().next(), Some("point\tcolumn number\tname\tcoefficient"));
    }
    let words = Words { names: Some(&names), ..Words::default() };
    let text = written(|out| write(out, &points[2], words, LAYOUT));
    assert_eq!(text.lines().nth(1).map(|line| line.split('\t').nth(1)), Some(Some("b c d")));
}

#[test]
fn standard_errors_follow_the_coefficients_and_are_passed_over() {
    let coefficients = vec![(0, 0.5), (2, -3.0)];
    let words = Words { errors: &[0.25, 1.0, f64::NAN], ..Words::default() };
    let text = written(|out| write(out, &coefficients, words, LAYOUT));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "column number\tname\tcoefficient\tstandard error");
    assert!(lines[1].ends_with("\t2.5000000000000000e-1") && lines[2].ends_with("\tNaN"), "{text}");
    assert_eq!(parse(&text, LAYOUT, &[], None), Ok(LAYOUT.of_data(&coefficients)));
    // A line without its error is cut off.
    let cut = text.replace("\tNaN", "");
    assert_eq!(parse(&cut, LAYOUT, &[], None).unwrap_err().0, 3);
}

/// Classes that are numbers, classes of older models, and classes of any texts.
const CLASSES: [[&str; 4]; 5] = [
    ["0", "1", "2", "10"],
    ["1", "2", "3", "4"],
    ["", " ", "setosa", "1\t2"],
    ["#", " a\u{2028}", "\u{85}\x0b\x0c\u{2029}", "a "],
    ["\"", "\"\"", "a\n1\t2\t3", "a\t\"b\"\r\n\""],
];

#[test]
fn coefficients_of_classes_are_read_back_with_their_labels() {
    let layout = Layout { columns: 3, classes: 4, occurring: None };
    let points = [vec![(0, 0.25), (4, -1.0), (11, 3.0)], vec![], vec![(8, 2.0)]];
    for labels in CLASSES {
        let classes = labels.map(|label| raddle_datasets::Field(label).to_string());
        let words = Words { classes: &classes, ..Words::default() };
        for coefficients in &points {
            let text = written(|out| write(out, coefficients, words, layout));
            assert_eq!(parse(&text, layout, &classes, None), Ok(layout.of_data(coefficients)), "{text}");
        }
        let text = written(|out| write_path(out, points.iter(), words, layout));
        for (point, coefficients) in (1..).zip(&points) {
            let read = parse(&text, layout, &classes, Some(point));
            assert_eq!(read, Ok(layout.of_data(coefficients)), "{text}");
        }
        let first = format!("point\tclass\tcolumn number\tname\tcoefficient\n1\t{}\t1\t\t2.5", classes[0]);
        assert!(text.starts_with(&first), "{text}");
    }
}

proptest! {
    /// Classes of a path can be read back from its file, point by point, whatever their names.
    #[test]
    fn classes_of_any_names_come_back(
        labels in proptest::collection::btree_set("[a1#\t\n\r\x0b\x0c\u{85}\u{2028}\u{2029}\", é-]{0,6}", 1..6),
        places in proptest::collection::btree_set((1..4_u64, 0..5_u32, 0..3_u32), 0..20),
    ) {
        let labels: Vec<String> = labels.iter().map(|label| raddle_datasets::Field(label).to_string()).collect();
        let layout = Layout { columns: 3, classes: labels.len(), occurring: None };
        let points: Vec<Vec<(u32, f64)>> = (1..4)
            .map(|point| {
                let of = places.iter().filter(|(at, class, _)| *at == point && (*class as usize) < labels.len());
                of.map(|&(_, class, column)| (3 * class + column, f64::from(column) - 0.5)).collect()
            })
            .collect();
        let words = Words { classes: &labels, ..Words::default() };
        let text = written(|out| write_path(out, points.iter(), words, layout));
        for (number, point) in (1..).zip(&points) {
            prop_assert_eq!(parse(&text, layout, &labels, Some(number)), Ok(layout.of_data(point)));
        }
    }
}

#[test]
fn a_class_that_is_none_of_the_models_is_refused_with_its_line() {
    let layout = Layout { columns: 3, classes: 4, occurring: None };
    let classes = CLASSES[4].map(|label| raddle_datasets::Field(label).to_string());
    let (whole, labelled) = (&classes[2], &classes[3]);
    for (lines, line) in [
        ("other\t1\t\t1\n".to_owned(), 2),
        (format!("{whole}\t1\t\t1\nother\t1\t\t1\n"), 4),
        (format!("{whole}\t1\t\t1\n{labelled}\t2\t\t1\n\"open\n"), 6),
        (format!("{whole}\n"), 2),
        (format!("{whole}x\t1\t\t1\n"), 2),
    ] {
        let refused = parse(&format!("class\t{HEADER}\n{lines}"), layout, &classes, None).unwrap_err();
        assert_eq!(refused.0, line, "{lines}");
        assert!(refused.1.contains("expected a class of the model, a column from 1 to 3"), "{refused:?}");
    }
}

/// Columns of a wide table have the data's numbers in the file, and are mapped back to their places;
/// columns that are not fitted are dropped.
#[test]
fn coefficients_of_columns_that_occur_have_the_numbers_of_the_data() {
    let some = Occurring::of(4_000_000_000, 3, || vec![3_999_999_999, 7, 7]);
    for classes in [0, 3] {
        let layout = Layout { columns: 4_000_000_000, classes, occurring: some.as_ref() };
        let fitted = [(0, 0.5), (1, -2.0), (5, 3.0)];
        let fitted = &fitted[..if classes > 0 { 3 } else { 2 }];
        let labels = ["-1", "0", "7"].map(str::to_owned);
        let labels = &labels[..classes];
        let text = written(|out| write(out, fitted, Words { classes: labels, ..Words::default() }, layout));
        let last = if classes > 0 { "7\t4000000000\t\t3.0" } else { "4000000000\t\t-2.0" };
        assert!(text.lines().last().unwrap().starts_with(last), "{text}");
        let mut read = parse(&text, layout, labels, None).unwrap();
        assert_eq!(layout.of_fit(&read), fitted);
        read.push(Coefficient { class: 0, column: 8, value: 1.0 });
        assert_eq!(layout.of_fit(&read), fitted);
    }
}

#[test]
fn what_is_no_coefficient_is_refused_with_its_line() {
    for (line, why) in [
        ("", "expected a column from 1 to 3"),
        ("1\tx", "expected a column from 1 to 3"),
        ("1\tx\t1\t2", "expected a column from 1 to 3"),
        ("0\tx\t1", "expected a column from 1 to 3"),
        ("4\tx\t1", "expected a column from 1 to 3"),
        ("99999999999999999999\tx\t1", "expected a column from 1 to 3"),
        ("x\tx\t1", "expected a column from 1 to 3"),
        ("2\tx\t1", "column 2 appears twice"),
        ("1\tx\t1", "column 1 is not in ascending order"),
        ("3\tx\tnan", "no finite number"),
        ("3\tx\t1e309", "no finite number"),
        ("3\tx\t", "no finite number"),
    ] {
        let refused = parse(&format!("{HEADER}\n2\tb\t0.5\n{line}\n"), LAYOUT, &[], None).unwrap_err();
        assert!(refused.0 == 3 && refused.1.contains(why), "{line}: {refused:?}");
    }
    for text in ["", "2\tb\t0.5\n", "column\tname\tcoefficient\n"] {
        let (line, why) = parse(text, LAYOUT, &[], None).unwrap_err();
        assert!(line == 1 && why.starts_with("expected the header"), "{text}");
    }
}

//! Small files as pandas, R, Excel, databases, Spark, Weka, SPSS and numpy write them: read with the right
//! values, or refused with a sentence that names the cure.

use raddle_datasets::{Dialect, Missing, Options, Separator, Table, read};

/// Names of features, rows of features and the response: `a,b|1 2;3 4|5 6`; or, behind `!`, a part of what is
/// said.
type Case = (&'static str, &'static str, &'static str, &'static str);

/// Writer, the text, the response, and what is expected.
const FILES: &[Case] = &[
    ("pandas", ",a,y\n0,1,2\n1,3,5\n", "y", "column 1,a|0 1;1 3|2 5"),
    ("pandas index=False", "a,b,y\n1,2,3\n4,5,6\n", "y", "a,b|1 2;4 5|3 6"),
    ("pandas sep=; decimal=,", "a;b;y\n1,5;2;3,25\n4;5;6\n", "y", "a,b|1.5 2;4 5|3.25 6"),
    ("pandas sep=tab", "a\tb\ty\n1\t2\t3\n4\t5\t6\n", "y", "a,b|1 2;4 5|3 6"),
    ("pandas na_rep", "a,b,y\n1,<NA>,3\n4,5,6\n", "y", "a,b|1 5;4 5|3 6"),
    ("pandas QUOTE_NONNUMERIC", "\"a\",\"b\",\"y\"\n1,2,3\n4,5,6\n", "y", "a,b|1 2;4 5|3 6"),
    ("pandas QUOTE_ALL", "\"a\",\"b\",\"y\"\n\"1\",\"2\",\"3\"\n\"4\",\"5\",\"6\"\n", "y", "a,b|1 2;4 5|3 6"),
    ("pandas header=False", "1,2,3\n4,5,6\n", "3", "|1 2;4 5|3 6"),
    (
        "pandas header=False, texts",
        "1.5,2,u\n4,5,v\n7,8,u\n1,1,v\n",
        "1",
        "column 2,column 3=v|2 0;5 1;8 0;1 1|1.5 4 7 1",
    ),
    ("pandas utf-8-sig", "\u{feff}a,b,y\n1,2,3\n4,5,6\n", "y", "a,b|1 2;4 5|3 6"),
    (
        "pandas names by number, index=False",
        "0,1,2\n0.5,0.3,1.2\n0.1,0.9,3.4\n0.7,0.2,2.2\n",
        "-1",
        "0,1|0.5 0.3;0.1 0.9;0.7 0.2|1.2 3.4 2.2",
    ),
    (
        "a spectrometer",
        "900,903.3,906.7,910\n0.51,0.62,0.7,1\n0.48,0.6,0.71,2\n0.5,0.66,0.69,4\n",
        "910",
        "900,903.3,906.7|0.51 0.62 0.7;0.48 0.6 0.71;0.5 0.66 0.69|1 2 4",
    ),
    ("a name that is asked for", "7,8,9\n4,5,6\n7,8,10\n", "9", "7,8|4 5;7 8|6 10"),
    ("the name 0", "0,1\n4,5\n7,8\n", "0", "1|5;8|4 7"),
    (
        "OMOP, quotes between tabs",
        "id\tname\ty\n1\t\"opt out\" service\t5\n2\tplain words\t6\n3\tplain words\t7\n",
        "y",
        "id,name=plain words|1 0;2 1;3 1|5 6 7",
    ),
    (
        "IANA, an open quote between tabs",
        "id\tname\ty\n1\t\"open\t5\n2\tplain\t6\n3\tplain\t7\n",
        "y",
        "id,name=plain|1 0;2 1;3 1|5 6 7",
    ),
    ("R write.table sep=, quote=FALSE, one row", "a,y\n1,2,3\n", "y", "a|2|3"),
    ("R write.table sep=, quote=FALSE, a thousand", "a,y\n1,922,3\n", "y", "!3 cells divided by `,`"),
    ("R write.table sep=tab quote=FALSE, two rows", "a\ty\n1\t2\t3\n2\t5\t4\n", "y", "a|2;5|3 4"),
    ("pandas names by number", ",0,1,2\n0,1,2,3\n1,4,5,7\n", "2", "column 1,0,1|0 1 2;1 4 5|3 7"),
    (
        "pandas years",
        "land,2019,2020\nno,1.5,2.5\nse,3,4\nno,5,6\n",
        "2020",
        "land=se,2019|0 1.5;1 3;0 5|2.5 4 6",
    ),
    ("pandas CR LF", "a,b,y\r\n1,2,3\r\n4,5,6\r\n", "y", "a,b|1 2;4 5|3 6"),
    ("R write.csv", "\"\",\"a\",\"y\"\n\"1\",1,2\n\"2\",3,5\n", "y", "column 1,a|1 1;2 3|2 5"),
    ("R write.csv row.names=FALSE", "\"a\",\"y\"\n1,2\n3,5\n", "y", "a|1;3|2 5"),
    ("R write.csv2", "\"a\";\"y\"\n1,5;2\n3;5,25\n", "y", "a|1.5;3|2 5.25"),
    ("R write.table", "\"a\" \"b\" \"y\"\n\"1\" 1 2 3\n\"2\" 4 5 6\n", "y", "a,b|1 2;4 5|3 6"),
    ("R write.table sep=,", "\"a\",\"y\"\n\"1\",2,3\n\"2\",1,4\n\"3\",5,9\n", "y", "a|2;1;5|3 4 9"),
    (
        "R write.table sep=tab quote=FALSE",
        "a\tb\ty\nMazda RX4\t1\t2\t3\nFiat 128\t4\t5\t6\n",
        "y",
        "a,b|1 2;4 5|3 6",
    ),
    ("R write.table sep=; decimal", "\"a\";\"y\"\n\"1\";1,5;2\n\"2\";3,5;4\n", "y", "a|1.5;3.5|2 4"),
    (
        "R write.table col.names=NA",
        "\"\"\t\"a\"\t\"y\"\n\"1\"\t1\t2\n\"2\"\t3\t5\n",
        "y",
        "column 1,a|1 1;2 3|2 5",
    ),
    (
        "a cell too many, which may be a comma in a text",
        "a,y\nu,1,2\nv,3,4\n",
        "y",
        "!3 cells divided by `,` where the first line has 2",
    ),
    ("Excel", "a,b,y\r\n1,2,3\r\n4,5,6\r\n", "y", "a,b|1 2;4 5|3 6"),
    ("Excel of Germany", "a;b;y\r\n1,5;2;3\r\n4;1.299,5;6\r\n", "y", "a,b|1.5 2;4 1299.5|3 6"),
    ("Excel sep=", "sep=;\r\na;b;y\r\n1;2;3\r\n4;5;6\r\n", "y", "a,b|1 2;4 5|3 6"),
    ("Excel sep= with its mark", "\u{feff}\"sep=,\"\na,b,y\n1,2,3\n4,5,6\n", "y", "a,b|1 2;4 5|3 6"),
    ("Excel for Mac", "a,b,y\r1,2,3\r4,5,6\r", "y", "a,b|1 2;4 5|3 6"),
    ("Excel for Mac, lines in a cell", "a,b,y\r1,\"u\rv\",3\r4,w,6\r2,w,5", "y", "a,b=w|1 0;4 1;2 1|3 6 5"),
    ("Excel, a comma behind the names", "a,b,y,\n1,2,3\n4,5,6\n", "y", "a,b|1 2;4 5|3 6"),
    ("Excel, a comma behind each line", "a,b,y,\n1,2,3,\n4,5,6,\n", "-1", "a,b|1 2;4 5|3 6"),
    ("Excel, a comma behind each row", "a,b,y\n1,2,3,\n4,5,6,\n", "y", "a,b|1 2;4 5|3 6"),
    (
        "Excel, thousands",
        "a,b,y\nu,\"1,000\",1.5\nv,\"54,908\",2.5\nu,\"2,000\",3\n",
        "y",
        "a=v,b|0 1000;1 54908;0 2000|1.5 2.5 3",
    ),
    (
        "Excel, thousands or thousandths",
        "b,y\n\"1,000\",1\n\"2,500\",2\n",
        "y",
        "!--decimal , if it is 1, or --thousands , if it is 1000",
    ),
    (
        "Excel of France",
        "b;y\n1 000;1\n2 500;2\n",
        "y",
        "!`1 000` is not a number as numbers are read here: say how numbers are written, by --thousands \
         blank",
    ),
    (
        "Excel, formulas",
        "n;y\n=(\"8445\");39,20\n=(\"8446\");61,20\n=(\"8445\");19,38\n",
        "y",
        "n==(\"8446\")|0;1;0|39.2 61.2 19.38",
    ),
    ("Excel, errors", "a,y\n#DIV/0!,1\n1,4\n5,9\n", "y", "!column 1 (a): `#DIV/0!` is not a number"),
    ("psql --csv", "id,a,y\n1,2,3\n2,,6\n", "y", "id,a|1 2;2 2|3 6"),
    ("psql copy", "1\t2\t3\n2\t\\N\t6\n", "3", "|1 2;2 2|3 6"),
    ("psql", " a | y \n---+---\n 1 | 2\n(1 row)\n", "y", "!psql --csv"),
    ("mysql --batch", "a\tb\ty\n1\tNULL\t3\n4\t5\t6\n", "y", "a,b|1 5;4 5|3 6"),
    ("mysql", "+---+---+\n| a | y |\n+---+---+\n| 1 | 2 |\n", "y", "!mysql --batch"),
    ("mysqldump", "-- MySQL dump 10.13\nCREATE TABLE t (a int);\n", "y", "!this is SQL"),
    ("sqlite3", "a|b|y\n1|2|3\n4|5|6\n", "y", "a,b|1 2;4 5|3 6"),
    ("Spark", "a,t,y\n1,\"x,y\",3\n4,\"\",6\n5,\"x,y\",7\n", "y", "a,t=x,y|1 1;4 0;5 1|3 6 7"),
    ("Spark, quotes in cells", "a,t,y\n1,\"a \\\"b\\\" c\",3\n", "y", "!as Spark and MySQL do"),
    (
        "Weka",
        "@RELATION iris\n@ATTRIBUTE a NUMERIC\n@DATA\n1,2\n",
        "y",
        "!this is ARFF (Weka): save it as CSV",
    ),
    ("SPSS, tabs", "a\tb\ty\r\n1\t#NULL!\t3\r\n4\t5\t6\r\n", "y", "a,b|1 5;4 5|3 6"),
    ("SPSS, decimal comma", "a;b;y\r\n,5;2;3\r\n-4,25;5;6\r\n", "y", "a,b|0.5 2;-4.25 5|3 6"),
    ("SPSS", "$FL2@(#) IBM SPSS STATISTICS", "y", "!this is an SPSS file"),
    ("numpy.savetxt", "1.0e+00 2.0e+00 3.0e+00\n4.0e+00 5.0e+00 6.0e+00\n", "3", "|1 2;4 5|3 6"),
    ("numpy.savetxt header=", "# a,b,y\n1,2,3\n4,5,6\n", "y", "a,b|1 2;4 5|3 6"),
    ("numpy.savetxt header=, blanks", "# a b y\n1 2 3\n4 5 6\n", "y", "a,b|1 2;4 5|3 6"),
    ("a comment above names", "# made by hand, twice\na,b,y\n1,2,3\n4,5,6\n", "y", "a,b|1 2;4 5|3 6"),
    ("UCI housing", "  0.1  18.0   2\n 12.5   0.5  3\n", "-1", "|0.1 18;12.5 0.5|2 3"),
    (
        "UCI auto-mpg",
        "18.0   8   1\t\"a b\"\n15.0   ?   2\t\"c\"\n14.0   6   2\t\"a b\"\n",
        "1",
        "column 2,column 3,column 4=c|8 1 0;7 2 1;6 2 0|18 15 14",
    ),
];

fn told(table: &Table) -> String {
    let line = |values: Vec<f64>| values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    let x = table.x.to_dense();
    let rows: Vec<String> = x.rows().into_iter().map(|row| line(row.to_vec())).collect();
    let names = table.feature_names.as_ref().map_or(String::new(), |names| names.join(","));
    format!("{names}|{}|{}", rows.join(";"), line(table.y.clone()))
}

fn read_text(text: &[u8], y: &str, dialect: Dialect) -> Result<Table, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    std::fs::write(&path, text).unwrap();
    let mut options = Options { y: Some(y.into()), dialect, ..Options::default() };
    options.columns.missing = Missing::Mean;
    read(&path, &options).map_err(|error| error.to_string())
}

/// Error in how a text is read, if there is one.
fn flaw(text: &[u8], y: &str, dialect: Dialect, expected: &str) -> Option<String> {
    match (read_text(text, y, dialect), expected.strip_prefix('!')) {
        (Ok(table), None) if told(&table) == expected => None,
        (Ok(table), _) => Some(told(&table)),
        (Err(said), Some(part)) if said.contains(part) => None,
        (Err(said), _) => Some(said),
    }
}

fn check(name: &str, text: &[u8], y: &str, dialect: Dialect, expected: &str) {
    assert_eq!(flaw(text, y, dialect, expected), None, "{name}");
}

#[test]
fn files_of_other_programs_are_read_or_refused_with_the_cure() {
    let mut flaws = Vec::new();
    for &(name, text, y, expected) in FILES {
        let mut forms = vec![text.as_bytes().to_vec()];
        // Bytes of Excel's "Unicode text" too.
        if text.is_ascii() && !expected.starts_with('!') {
            let units = text.encode_utf16().flat_map(u16::to_le_bytes);
            forms.push([0xff, 0xfe].into_iter().chain(units).collect());
        }
        // Lines that end in another way.
        if !text.contains('\r') {
            forms.extend(["\r\n", "\r"].map(|end| text.replace('\n', end).into_bytes()));
        }
        for form in forms {
            let flaw = flaw(&form, y, Dialect::default(), expected);
            flaws.extend(flaw.map(|flaw| (name, String::from_utf8_lossy(&form).into_owned(), flaw)));
        }
    }
    assert!(flaws.is_empty(), "{flaws:#?}");
}

#[test]
fn options_say_how_text_is_written() {
    let open = Dialect::default();
    let separator = |name: &str| Dialect { separator: Some(name.parse::<Separator>().unwrap()), ..open };
    let decimal = Dialect { decimal: Some(','), ..open };
    let thousands = |mark| Dialect { thousands: Some(mark), ..open };
    for (text, dialect, expected) in [
        ("b,y\n\"1,000\",1\n\"2,500\",2\n", decimal, "b|1;2.5|1 2"),
        ("b,y\n\"1,000\",1\n\"2,500\",2\n", thousands(','), "b|1000;2500|1 2"),
        ("b;y\n1.000;1\n2.500;2,5\n", thousands('.'), "b|1000;2500|1 2.5"),
        ("b;y\n1 000;1\n2 500;2\n", thousands(' '), "b|1000;2500|1 2"),
        ("b;y\n1'000;1\n2'500,5;2\n", thousands('\''), "b|1000;2500.5|1 2"),
        ("b;y\n1.5;1\n2,5;2\n", decimal, "!column 1 (b): `1.5` is not a number as numbers are read here"),
        ("b\u{1}y\n1\u{1}2\n3\u{1}4\n", separator("\u{1}"), "b|1;3|2 4"),
        ("b  y\n1 2\n3   4\n", separator("blanks"), "b|1;3|2 4"),
        ("b,c;y\n1;2\n3;4\n", separator(";"), "b,c|1;3|2 4"),
        ("b::y\n1::2\n", separator("::"), "!is for ratings only"),
    ] {
        check(text, text.as_bytes(), "y", dialect, expected);
    }
    // A mark of numbers beyond the lines that tell the form: refused by line, with the cure.
    let long = format!("b;y\n{}1,5;2\n", "1;2\n".repeat(50_000));
    let said = read_text(long.as_bytes(), "y", open).unwrap_err();
    assert!(said.contains(":50002: ") && said.contains("--decimal ,"), "{said}");
}

/// A row that begins with `#` is a row; names may be given as they stand in the header, blanks and all.
#[test]
fn rows_that_begin_with_a_hash_are_rows_and_names_are_found_with_their_blanks() {
    let colours = "colour,size,y\n#ff0000,1,3\n#00ff00,2,4\nblue,3,9\n#ff0000,4,8\nblue,5,7\nblue,1,2\n";
    let open = Dialect::default();
    let table = read_text(colours.as_bytes(), "y", open).unwrap();
    assert_eq!((table.y.len(), table.feature_names.unwrap()[0].as_str()), (6, "colour=#00ff00"));
    check(
        "first",
        b"#ff0000,1,3\n#00ff00,2,4\n#ff0000,1,5\n",
        "3",
        Dialect { header: Some(false), ..open },
        "column 1=#ff0000,column 2|1 1;0 2;1 1|3 4 5",
    );
    check(
        "found",
        b"#ff0000,1,3\n#00ff00,2,4\n#ff0000,1,5\n",
        "3",
        open,
        "column 1=#ff0000,column 2|1 1;0 2;1 1|3 4 5",
    );
    check("name", b"#id,x,y\n1,2,3\n4,5,6\n", "y", open, "#id,x|1 2;4 5|3 6");
    check("missing", b"a,y\n#N/A,3\n1,4\n5,9\n", "y", open, "a|3;1;5|3 4 9");
    check("blanks", b"a,Life expectancy \n1,2\n3,4\n", "Life expectancy ", open, "a|1;3|2 4");
    check("quoted", b"a,\"Life expectancy \"\n1,2\n3,4\n", "Life expectancy", open, "a|1;3|2 4");
    let said = read_text(b"a,a,y\n1,2,3\n", "y", open).unwrap_err();
    assert!(said.contains("--no-header"), "{said}");
    let table = read_text(b"# a, note\nx,y\n1,2\n3,4\n5,6\n", "y", open).unwrap();
    assert!(
        table.notes.iter().any(|note| note.contains("taken for a comment: `# a, note`")),
        "{:?}",
        table.notes
    );
    check("a line break in the first name", b"\"n\nl\",y\n1,2\n2,3\n3,5\n", "y", open, "n\nl|1;2;3|2 3 5");
    check("two comments", b"# one\n# two\nx,y\n1,2\n3,4\n", "y", open, "x|1;3|2 4");
    let blanks = b"# made by hand\n\"x|3\" \"y\"\n\"1\" \"2\"\n\"3\" \"5\"\n";
    check("a comment above quoted names", blanks, "y", open, "x|3|1;3|2 5");
}

//! Ratings: every format is read as it is written, and errors name the line.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use raddle_datasets::ratings::{HeldOut, generate};
use raddle_datasets::registry::{self, SetKind, verified_sets};
use raddle_datasets::{
    Dialect, Duplicates, Ids, Ratings, RatingsFormat, RatingsOptions, ReadError, read_any_ratings,
    read_ratings,
};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn read_with(text: &[u8], options: &RatingsOptions) -> Result<Ratings, ReadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ratings.dat");
    std::fs::write(&path, text).unwrap();
    read_ratings(&path, options)
}

/// Reads a text plain, gzipped, with CR LF, and on three threads: all results must be equal.
fn read(text: &str) -> Ratings {
    let options = |threads| RatingsOptions { threads, ..RatingsOptions::default() };
    let first = read_with(text.as_bytes(), &options(1)).unwrap();
    let crlf = text.replace('\n', "\r\n");
    for other in [text.as_bytes(), &gzip(text.as_bytes()), crlf.as_bytes()] {
        let again = read_with(other, &options(3)).unwrap();
        assert_eq!(
            (&again.triples, &again.users, &again.items),
            (&first.triples, &first.users, &first.items)
        );
    }
    first
}

fn observations(ratings: &Ratings) -> Vec<(String, String, f32)> {
    let named =
        |(user, item, value)| (ratings.users.name(user as usize), ratings.items.name(item as usize), value);
    ratings.triples.iter().map(named).collect()
}

/// Written by pyarrow 26.0.1 from the same numbers and texts, with zstd.
#[cfg(feature = "parquet")]
#[test]
fn parquet_holds_the_same_ratings() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables");
    let text = "who,what,stars,when\nanna,\"Up, again\",5,100\nben,7,3.5,200\nanna,7,2,300\nben,\"a \"\"b\"\"\",1,400\n";
    let scratch = tempfile::tempdir().unwrap();
    let plain = scratch.path().join("plain.csv");
    std::fs::write(&plain, text).unwrap();
    let list = |names: &str| Some(names.split(',').map(str::to_owned).collect());
    let named = RatingsOptions { columns: list("who,what,stars,when"), times: true, ..Default::default() };
    let expected = raddle_datasets::read_ratings(&plain, &named).unwrap();
    assert_eq!((expected.triples.len(), expected.items.name(0)), (4, "Up, again".into()));
    for columns in [named.columns.clone(), list("1,2,3,4"), None] {
        let options = RatingsOptions { columns, ..named.clone() };
        let found = raddle_datasets::read_ratings(folder.join("ratings.parquet"), &options).unwrap();
        assert_eq!((&found.triples, &found.times), (&expected.triples, &expected.times));
        assert_eq!((&found.users, &found.items), (&expected.users, &expected.items));
        assert_eq!((found.format.as_str(), found.notes.len()), ("parquet", 0));
    }
    let lost = RatingsOptions { columns: list("who,where"), ..Default::default() };
    let error = raddle_datasets::read_ratings(folder.join("ratings.parquet"), &lost).unwrap_err().to_string();
    assert!(
        error.contains("there is no column `where`: the first line is who, what, stars, when"),
        "{error}"
    );
}

#[test]
fn every_format_reads_as_it_is_written() {
    let wanted = [("7", "1", 5.0), ("9", "1", 3.5), ("7", "4", 1.0)];
    let wanted: Vec<_> = wanted.map(|(user, item, value)| (user.to_owned(), item.to_owned(), value)).to_vec();
    for text in [
        "7\t1\t5\n9\t1\t3.5\n7\t4\t1\n",
        "7\t1\t5\t881250949\n9\t1\t3.5\t891717742\n7\t4\t1\t878887116\n",
        "7::1::5::978300760\n9::1::3.5::978302109\n7::4::1::978301968\n",
        "userId,movieId,rating,timestamp\n7,1,5,1\n9,1,3.5,2\n7,4,1,3\n",
        "rating;item_id;user_id\n5;1;7\n3.5;1;9\n1;4;7\n",
        "# LIBMF\n7 1 5\n\n9   1 3.5\n7 4 1",
        "\u{feff}\"user\",\"item\",\"rating\"\n\"7\",\"1\",\"5\"\n\"9\",\"1\",\"3.5\"\n\"7\",\"4\",\"1\"\n",
    ] {
        let ratings = read(text);
        assert_eq!(observations(&ratings), wanted, "{text}");
        assert_eq!(ratings.users, Ids::Integers(vec![7, 9]), "{text}");
        assert!(!ratings.pairs_only);
    }
}

#[test]
fn ids_may_be_texts_and_pairs_need_no_rating() {
    let ratings = read("anna,\"Up, and away\",4\nbob,Alien,2\nanna,Alien,5\n");
    assert_eq!(ratings.users, Ids::Names(vec!["anna".into(), "bob".into()]));
    assert!(!ratings.users.is_empty() && Ids::Dense(0).is_empty() && Ids::Names(Vec::new()).is_empty());
    assert_eq!(ratings.items.name(0), "Up, and away");
    let mixed = read("1\t10\t4\n2\tb07\t2\n007\t10\t3\n");
    assert_eq!(mixed.items, Ids::Names(vec!["10".into(), "b07".into()]));
    assert_eq!(mixed.users, Ids::Names(vec!["1".into(), "2".into(), "007".into()]));
    let large = read("99999999999\t0\t4\n1\t1\t3\n");
    assert_eq!((large.users.name(0), large.items), ("99999999999".into(), Ids::Dense(2)));
    // Beyond 64 bits, too.
    let larger = read("123456789012345678901234567890\t0\t4\n1\t1\t3\n");
    assert_eq!(larger.users.name(0), "123456789012345678901234567890");
    let pairs = read("0\t3\n1\t3\n");
    assert!(pairs.pairs_only && pairs.triples.values == [1.0, 1.0]);
}

#[test]
fn matrix_market_is_users_by_items() {
    let text = "%%MatrixMarket matrix coordinate real general\n% made by hand\n3 4 2\n1 4 2.5\n3 1 -1\n";
    let ratings = read(text);
    assert_eq!((ratings.users.clone(), ratings.items.clone()), (Ids::Dense(3), Ids::Dense(4)));
    assert_eq!(ratings.triples.iter().collect::<Vec<_>>(), [(0, 3, 2.5), (2, 0, -1.0)]);
    assert!(read("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n").pairs_only);
}

#[test]
fn duplicates_follow_the_rule() {
    let text = "0\t1\t1\n1\t1\t5\n0\t1\t2\n0\t0\t4\n";
    let with = |rule| {
        let options = RatingsOptions { duplicates: Some(rule), ..Default::default() };
        read_with(text.as_bytes(), &options)
    };
    let ratings = with(Duplicates::Last).unwrap();
    assert_eq!((ratings.triples.values.as_slice(), ratings.duplicates), (&[2.0, 5.0, 4.0][..], 1));
    assert_eq!(with(Duplicates::Mean).unwrap().triples.values, [1.5, 5.0, 4.0]);
    let error = with(Duplicates::Refuse).unwrap_err().to_string();
    assert!(error.contains("user 0 rates item 1 again, in observation 3"), "{error}");
}

#[test]
fn columns_and_format_may_be_named() {
    let options = |columns: &[&str], format| RatingsOptions {
        columns: Some(columns.iter().map(|&name| name.to_owned()).collect()),
        format,
        ..RatingsOptions::default()
    };
    let text = "when,who,what,how\n9,a,x,2\n9,b,x,3\n";
    let ratings = read_with(text.as_bytes(), &options(&["who", "what", "how"], None)).unwrap();
    assert_eq!(ratings.triples.values, [2.0, 3.0]);
    let ratings = read_with(b"9,4,7\n8,4,6\n", &options(&["2", "1"], "csv".parse().ok())).unwrap();
    assert_eq!((ratings.users.name(0), ratings.pairs_only), ("4".into(), true));
    let error = read_with(text.as_bytes(), &options(&["whom", "what"], None)).unwrap_err().to_string();
    assert!(error.contains("there is no column `whom`: the first line is when, who, what, how"), "{error}");
    assert!("xls".parse::<RatingsFormat>().unwrap_err().contains("choose text"));
}

#[test]
fn every_malformed_line_is_named() {
    for (text, line, why) in [
        ("1\t2\t3\n1\t2\n", 2, "2 of at least 3 fields divided by tabs"),
        ("1::2::3\n1::2::\n", 2, "there is no rating in column 3: --missing drop"),
        ("1,2,3\n\n4,5,good\n", 3, "the rating: `good` is not a number"),
        ("user,item,rating\n1,2,nan\n", 2, "there is no rating in column 3"),
        ("1 2 3\n4 5 inf\n", 2, "infinite"),
        ("1 2 3\n4 5 1e39\n", 2, "too large for single precision"),
        ("1,2,3\n,5,1\n", 2, "the user: there is none"),
        ("1,2,3\n4,\"\",1\n", 2, "the item: there is none"),
        ("42\n", 1, "1 field: expected user, item and rating"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 1 1\n", 1, "ratings are `%%MatrixMarket"),
        ("%%MatrixMarket matrix coordinate real general\n2 2\n", 2, "the size line"),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n",
            3,
            "the row 3 lies outside of 1 to 2",
        ),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1\n", 3, "the rating: there is no number"),
    ] {
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            for content in [text.clone().into_bytes(), gzip(text.as_bytes())] {
                for threads in [1, 3] {
                    let error =
                        read_with(&content, &RatingsOptions { threads, ..Default::default() }).unwrap_err();
                    assert_eq!(error.line(), Some(line), "{text:?}: {error}");
                    assert!(error.to_string().contains(why), "{text:?}: {error}");
                }
            }
        }
    }
    let names = [&b"a,b,1\n"[..], b"\xff,b,1\n"].concat();
    let error = read_with(&names, &RatingsOptions::default()).unwrap_err();
    assert!(error.line() == Some(2) && error.to_string().contains("--encoding"), "{error}");
    let options = RatingsOptions {
        dialect: Dialect { encoding: "latin1".parse().ok(), ..Dialect::default() },
        ..RatingsOptions::default()
    };
    assert_eq!(read_with(&names, &options).unwrap().users.name(1), "\u{ff}");
}

#[test]
fn files_without_ratings_are_refused() {
    for (text, why) in [
        (&b""[..], "empty"),
        (b"\n\n \n", "only empty lines"),
        (b"{\"user\": 1}\n", "this is JSON"),
        (b"BZh9", "bunzip2"),
        (b"user,item,rating\n", "there are no ratings"),
        (
            b"%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n",
            "1 entries, but the size line says 3",
        ),
        (b"%%MatrixMarket matrix coordinate real general\n%\n", "no size line"),
    ] {
        let error = read_with(text, &RatingsOptions::default()).unwrap_err().to_string();
        assert!(error.contains("ratings.dat") && error.contains(why), "{error}");
    }
    let mut cut = gzip("1\t2\t3\n".repeat(100_000).as_bytes());
    cut.truncate(cut.len() / 2);
    let error = read_with(&cut, &RatingsOptions::default()).unwrap_err().to_string();
    assert!(error.contains("cut off"), "{error}");
    let error = read_any_ratings("ml-2m", &RatingsOptions::default()).unwrap_err().to_string();
    assert!(error.contains("known sets are ml-100k, ml-1m"), "{error}");
}

#[test]
fn a_specification_gives_its_ratings_and_a_bad_one_an_error() {
    let spec = "synth:ratings:users=60,items=40,n=1000,rank=2,noise=0.25,seed=3";
    let made = generate::ratings(spec).unwrap();
    assert_eq!(read_any_ratings(spec, &RatingsOptions::default()).unwrap(), made.ratings);
    assert!((made.truth.rmse(&made.ratings.triples) - 0.25).abs() < 0.02);
    let mut pairs: Vec<_> = made.ratings.triples.iter().map(|(user, item, _)| (user, item)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!(pairs.len(), 1000);
    for (spec, why) in [
        ("synth:groups:n=3", "expected synth:ratings"),
        ("synth:ratings:users=3,items=4", "`n` is missing"),
        ("synth:ratings:users=3,items=4,n=7", "at most half"),
        ("synth:ratings:users=3,items=4,n=2,p=1", "`p` is no parameter"),
        ("synth:ratings:users=0,items=4,n=2", "choose a number"),
    ] {
        let error = read_any_ratings(spec, &RatingsOptions::default()).unwrap_err().to_string();
        assert!(error.starts_with(spec) && error.contains(why), "{error}");
    }
}

#[test]
fn public_sets_have_the_registered_sizes_and_split() {
    for set in verified_sets(SetKind::Ratings) {
        let Some(ratings) = registry::real_ratings(set.name) else { return };
        let sizes = (ratings.users.len(), ratings.items.len(), ratings.triples.len());
        let observations = if ratings.pairs_only { "pairs" } else { "ratings" };
        let expected = ["users", "items", observations].map(|noun| set.count(noun));
        assert_eq!([sizes.0, sizes.1, sizes.2].map(Some), expected, "{}", set.name);
        assert_eq!(ratings.duplicates, 0, "{}", set.name);
        assert_eq!(
            (&ratings.users, &ratings.items),
            (&Ids::Dense(sizes.0 as u32), &Ids::Dense(sizes.1 as u32))
        );
        if let Some(split) = set.count("training").zip(set.count("test")) {
            let held = HeldOut::compared(ratings.triples, sizes.0, sizes.1);
            assert_eq!((held.train.len(), held.out.len()), split, "{}", set.name);
        }
    }
}

#[test]
fn quoted_fields_follow_the_rules_of_tables() {
    let text = "user,item,rating\n\"anna\",\"The \"\"X\"\", a\nfilm\",4\nben, \"Up\" ,2\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.csv");
    std::fs::write(&path, text).unwrap();
    let ratings = read_ratings(&path, &RatingsOptions::default()).unwrap();
    let wanted = [("anna", "The \"X\", a\nfilm", 4.0), ("ben", "Up", 2.0)];
    let wanted = wanted.map(|(user, item, value)| (user.to_owned(), item.to_owned(), value));
    assert_eq!(observations(&ratings), wanted);
    let error = read_with(b"a,\"b,1\nc,d,2\n", &RatingsOptions::default()).unwrap_err();
    assert!(error.line() == Some(1) && error.to_string().contains("not closed"), "{error}");
}

#[test]
fn a_first_line_of_texts_above_numbers_is_a_header_and_said() {
    let ratings = read("visitorid,itemid\n1,10\n1,20\n2,10\n");
    assert_eq!((ratings.users.len(), ratings.items.len()), (2, 2));
    assert!(ratings.notes[0].contains("names of the columns (--no-header"), "{:?}", ratings.notes);
    let ratings = read("who,which,how_often\na,b,2\nc,b,3\n");
    assert_eq!((ratings.users.len(), ratings.triples.values), (2, vec![2.0, 3.0]));
    let options = RatingsOptions { columns: Some(vec!["3".into(), "1".into()]), ..RatingsOptions::default() };
    let turned = read_with(b"foo,bar,baz\n1,2,3\n1,3,4\n", &options).unwrap();
    assert_eq!((turned.users.name(0), turned.users.len()), ("3".into(), 2));
    let options = RatingsOptions {
        dialect: Dialect { header: Some(false), ..Dialect::default() },
        ..RatingsOptions::default()
    };
    assert_eq!(read_with(b"user,item\n1,10\n", &options).unwrap().users.len(), 2);
    let error = read_with(b"a,b,c\nd,e,f\n", &RatingsOptions::default()).unwrap_err().to_string();
    assert!(error.contains("name the columns, as in --columns user,item,rating"), "{error}");
}

#[test]
fn the_last_of_a_pair_is_the_last_of_time_where_there_are_times() {
    // By its name, as the fourth column in options, or as the fourth of a file without names.
    let named = "user,item,rating,time\na,x,5,2024-01-05\na,x,1,2020-01-01\nb,x,3,2019-01-01\n";
    let other = "who,what,when,stars\na,x,2024-01-05,5\na,x,2020-01-01,1\nb,x,2019-01-01,3\n";
    let bare = "a::x::5::300\na::x::1::200\nb::x::3::100\n";
    let columns = || Some(["who", "what", "stars", "when"].map(String::from).to_vec());
    for (text, columns) in [(named, None), (other, columns()), (bare, None)] {
        for (duplicates, value) in
            [(Duplicates::Last, 5.0), (Duplicates::First, 1.0), (Duplicates::Mean, 3.0)]
        {
            let options = RatingsOptions {
                duplicates: Some(duplicates),
                columns: columns.clone(),
                ..Default::default()
            };
            let found = read_with(text.as_bytes(), &options).unwrap();
            assert_eq!((&found.triples.values[..], found.duplicates), (&[value, 3.0][..], 1), "{text}");
            let said = found.notes.iter().any(|note| note.contains("are by time"));
            assert_eq!(said, duplicates != Duplicates::Mean, "{:?}", found.notes);
        }
    }
    // A fourth column with another name in the header is not taken for times; times that cannot be read are
    // reported.
    let votes = "user,item,rating,votes\na,x,5,9\na,x,1,3\n";
    assert_eq!(read_with(votes.as_bytes(), &Default::default()).unwrap().triples.values, [1.0]);
    let odd = "user,item,rating,time\na,x,5,soon\na,x,1,2020-01-01\n";
    let found = read_with(odd.as_bytes(), &Default::default()).unwrap();
    assert_eq!(found.triples.values, [1.0]);
    assert!(found.notes.iter().any(|note| note.contains("its times cannot be read")), "{:?}", found.notes);
}

#[test]
fn a_column_in_two_roles_is_named() {
    for (columns, said) in
        [(["1", "1", "3"], "`1` is named twice"), (["user", "item", "user"], "`user` is named")]
    {
        let options =
            RatingsOptions { columns: Some(columns.map(String::from).to_vec()), ..Default::default() };
        let refused = read_with(b"user,item,rating\n1,2,3\n", &options).unwrap_err().to_string();
        assert!(refused.contains(said), "{refused}");
    }
}

#[test]
fn times_are_read_where_they_are_asked_for() {
    let options = |columns: &[&str]| RatingsOptions {
        times: true,
        columns: (!columns.is_empty()).then(|| columns.iter().map(|&name| name.to_owned()).collect()),
        ..RatingsOptions::default()
    };
    let ratings =
        read_with(b"1::2::5::978300760\n1::3::4::978302109\n1::2::3::978302200\n", &options(&[])).unwrap();
    assert_eq!(ratings.times, Some(vec![978_302_200.0, 978_302_109.0]));
    let dates = b"when,who,what,how\n2001-01-01,a,b,1\n2000-12-31T22:12:40Z,a,c,2\n";
    let ratings = read_with(dates, &options(&["who", "what", "how", "when"])).unwrap();
    assert_eq!(ratings.times, Some(vec![978_307_200.0, 978_300_760.0]));
    for (text, line, why) in [
        (&b"1,2,3,2001-01-01\n1,3,3,soon\n"[..], Some(2), "the time `soon` is neither"),
        (b"1,2,3,2001-01-01\n1,3,3,77\n", Some(2), "numbers in some lines and dates in others"),
        (b"1,2,3\n", None, "no column of times"),
        (b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n", None, "mtx has no times"),
    ] {
        let error = read_with(text, &options(&[])).unwrap_err();
        assert!(error.line() == line && error.to_string().contains(why), "{error}");
    }
}

#[test]
fn claimed_sizes_are_believed_as_far_as_the_file_can_hold_them() {
    let text = b"%%MatrixMarket matrix coordinate real general\n4000000000 3 1\n1 1 1\n";
    let error = read_with(text, &RatingsOptions::default()).unwrap_err().to_string();
    assert!(error.contains("4000000000 users are claimed"), "{error}");
}

//! Ratings in unusual forms: beyond single precision, repeated, without a value, or below their item's line.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use raddle_datasets::ratings::Triples;
use raddle_datasets::{
    Dialect, Duplicates, Quotes, Ratings, RatingsOptions, Separator, StoredRatings, fields, read_any_ratings,
    read_ratings, registry,
};

/// Reads a file into memory, on one thread and on three, and on demand: all results must be equal.
fn read(path: &Path, options: &RatingsOptions) -> Ratings {
    let with = |threads| read_ratings(path, &RatingsOptions { threads, ..options.clone() }).unwrap();
    let found = with(1);
    assert_eq!(with(3), found);
    let folder = tempfile::tempdir().unwrap();
    let stored = StoredRatings::open(path.to_str().unwrap(), options, folder.path()).unwrap();
    assert_eq!(stored.read(0..stored.len()).unwrap(), found.triples);
    let described = Ratings { triples: Triples::default(), times: None, exact: None, ..found.clone() };
    assert_eq!(*stored.described(), described);
    found
}

fn written(text: &str, name: &str, options: &RatingsOptions) -> Ratings {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    read(&path, options)
}

/// Returns the ratings by the names of user and item, in double precision.
fn named(ratings: &Ratings) -> BTreeMap<(String, String), f64> {
    let names = |(user, item, value): (u32, u32, f32)| {
        let pair = (ratings.users.name(user as usize), ratings.items.name(item as usize));
        (pair, f64::from(value) + ratings.offset)
    };
    let all: BTreeMap<_, _> = ratings.triples.iter().map(names).collect();
    assert_eq!(all.len(), ratings.triples.len(), "no pair twice");
    all
}

/// The precision is judged by what is left of each pair, however far the other ratings of the pair are.
#[test]
fn ratings_that_come_again_nearer_together_are_told_apart() {
    let (far, near) = ([0.0, 3e9, 5.0], [1e9 + 2.0, 1e9 + 9.0, 1e9 + 30.0]);
    let line = |time: usize| move |(row, value): (usize, &f64)| format!("{row} {row} {value} {time}\n");
    let lines = |values: [f64; 3], time| -> String { values.iter().enumerate().map(line(time)).collect() };
    let (last, first) = (Duplicates::Last, Duplicates::First);
    let mtx = |values: String| {
        let entries: Vec<&str> = values.lines().map(|line| line.rsplit_once(' ').unwrap().0).collect();
        let entries: String = entries.iter().map(|entry| format!("{entry}\n")).collect();
        format!("%%MatrixMarket matrix coordinate real general\n9 9 6\n{entries}")
    };
    let below = |text: String| text.replace("0 0 ", "3 3 ");
    for (text, name, rule) in [
        (lines(far, 3) + &lines(near, 4), "by-time.txt", last),
        (lines(near, 4) + &lines(far, 3), "by-time.txt", last),
        (lines(near, 1) + &lines(far, 2), "by-time.txt", first),
        (mtx(below(lines(far, 0) + &lines(near, 0))), "a.mtx", last),
    ] {
        let found = written(&text, name, &RatingsOptions { duplicates: Some(rule), ..Default::default() });
        let mut values: Vec<f64> = named(&found).into_values().collect();
        values.sort_by(f64::total_cmp);
        assert_eq!((values, found.duplicates), (near.to_vec(), 3), "{name}, {rule}: {text}");
        assert!(
            found.notes.iter().any(|note| note.contains("single precision does not tell")),
            "{:?}",
            found.notes
        );
        // If the far ratings are the ones left, single precision suffices.
        let other = if rule == last { first } else { last };
        let found = written(&text, name, &RatingsOptions { duplicates: Some(other), ..Default::default() });
        assert_eq!(found.offset, 0.0);
    }
}

#[test]
fn options_that_lines_below_their_items_have_no_use_for_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("combined_data_1.txt");
    fs::write(&path, "1:\n1488844,3,2005-09-06\n822109,5,2005-05-13\n2:\n885013,4,2005-10-19\n").unwrap();
    let with = |dialect: Dialect| read_ratings(&path, &RatingsOptions { dialect, ..Default::default() });
    let plain = Dialect::default();
    let expected = with(plain).unwrap();
    for (option, dialect) in [
        ("--header", Dialect { header: Some(true), ..plain }),
        ("--decimal", Dialect { decimal: Some(','), ..plain }),
        ("--decimal", Dialect { decimal: Some('.'), ..plain }),
        ("--thousands", Dialect { thousands: Some('\''), ..plain }),
        ("--quotes", Dialect { quotes: Some(Quotes::Letters), ..plain }),
        ("--quotes", Dialect { quotes: Some(Quotes::Double), ..plain }),
    ] {
        let why = with(dialect).unwrap_err().to_string();
        assert!(why.contains("combined_data_1.txt") && why.contains("Netflix Prize"), "{why}");
        assert!(why.contains(&format!("{option} has no effect")), "{why}");
        let stored = RatingsOptions { dialect, ..Default::default() };
        let stored = StoredRatings::open(path.to_str().unwrap(), &stored, folder.path()).unwrap_err();
        assert_eq!(stored.to_string(), why);
    }
    // Options that agree with such lines are accepted.
    for dialect in [
        Dialect { header: Some(false), ..plain },
        Dialect { separator: Some(Separator::Byte(b',')), ..plain },
        Dialect { encoding: Some("utf-8".parse().unwrap()), ..plain },
    ] {
        assert_eq!(with(dialect).unwrap(), expected);
    }
}

/// The given offset is subtracted from ratings of any source.
#[test]
fn generated_and_public_ratings_are_less_what_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let spec = "synth:ratings:users=30,items=20,n=200,seed=4";
    let plain = read_any_ratings(spec, &RatingsOptions::default()).unwrap();
    let lines =
        plain.triples.iter().map(|(user, item, value)| format!("{user}\t{item}\t{}\n", f64::from(value)));
    let path = folder.path().join("same.tsv");
    fs::write(&path, lines.collect::<String>()).unwrap();
    for offset in [None, Some(0.0), Some(1.5), Some(1e9)] {
        let options = RatingsOptions { offset, ..RatingsOptions::default() };
        let found = read_any_ratings(spec, &options).unwrap();
        let expected = read_ratings(&path, &options).unwrap();
        assert_eq!(found.offset, offset.unwrap_or(0.0));
        assert_eq!((found.offset, &found.triples.values), (expected.offset, &expected.triples.values));
        let stored = StoredRatings::open(spec, &options, folder.path()).unwrap();
        assert_eq!(stored.described().offset, found.offset);
        assert_eq!(stored.read(0..stored.len()).unwrap(), found.triples);
    }
    let name = "ml-latest-small";
    let Some(public) = registry::real_ratings(name) else { return };
    let options = RatingsOptions { offset: Some(1000.0), ..RatingsOptions::default() };
    let found = read_any_ratings(name, &options).unwrap();
    let stored = StoredRatings::open(name, &options, folder.path()).unwrap();
    assert_eq!((stored.described().offset, found.offset), (1000.0, 1000.0));
    assert_eq!(stored.read(0..stored.len()).unwrap(), found.triples);
    let less = |value: &f32| (f64::from(*value) - 1000.0) as f32;
    assert_eq!(found.triples.values, public.triples.values.iter().map(less).collect::<Vec<_>>());
}

proptest! {
    /// Lines of changes are split as lines of files are.
    #[test]
    fn a_line_has_the_fields_that_readers_find_in_it(
        ids in proptest::array::uniform2("[ab\" ]{0,5}[ab\"]"), blanks in 0_usize..4,
    ) {
        let tabs = Dialect { separator: Some(Separator::Byte(b'\t')), header: Some(false), ..Dialect::default() };
        let by_blanks = Dialect { separator: Some(Separator::Blanks), ..tabs };
        let [user, item] = &ids;
        let pad = " ".repeat(blanks);
        for (line, dialect) in
            [(format!("{user}{pad}\t{item}\t3"), tabs), (format!("{user} {pad}{item} 3"), by_blanks)]
        {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.txt");
            fs::write(&path, format!("{line}\n")).unwrap();
            let columns = Some(["1", "2", "3"].map(str::to_owned).to_vec());
            let options = RatingsOptions { dialect, columns, ..RatingsOptions::default() };
            let Ok(found) = read_ratings(&path, &options) else { continue };
            let fields = fields(&line).unwrap();
            prop_assert_eq!(&fields[..2], &[found.users.name(0), found.items.name(0)], "{:?}", line);
            prop_assert_eq!(found.triples.values[0], fields[2].parse::<f32>().unwrap(), "{:?}", line);
        }
    }
}

#[test]
fn ratings_beyond_single_precision_are_told_apart_in_every_format() {
    let values = [1_000_000_001.0, 1_000_000_002.0, 1_000_000_009.0, 1_000_000_030.0];
    let pairs = [(1, 1), (1, 2), (2, 1), (2, 2)];
    let lines = |between: &str| -> String {
        let line =
            |(&(user, item), value): (&(u32, u32), &f64)| format!("{user}{between}{item}{between}{value}\n");
        pairs.iter().zip(&values).map(line).collect()
    };
    let mtx = format!("%%MatrixMarket matrix coordinate real general\n2 2 4\n{}", lines(" "));
    for (text, name) in [
        (lines(","), "a.csv"),
        (lines("::"), "a.dat"),
        (format!("u,i,r\n{}", lines(",")), "a.csv"),
        (lines("\t").replace("1000000030", "\"1000000030\""), "a.tsv"),
        (mtx, "a.mtx"),
    ] {
        let found = written(&text, name, &RatingsOptions::default());
        assert_eq!(named(&found).into_values().collect::<Vec<_>>(), values, "{text}");
        assert!(
            found.notes.iter().any(|note| note.contains("single precision does not tell them apart")),
            "{text}"
        );
        // A given offset takes precedence, and a note says what precision it costs.
        let found = written(&text, name, &RatingsOptions { offset: Some(1e9), ..Default::default() });
        assert_eq!((found.triples.values[0], found.offset), (1.0, 1e9));
        let found = written(&text, name, &RatingsOptions { offset: Some(0.0), ..Default::default() });
        assert_eq!((found.triples.values[0], found.offset), (1e9, 0.0));
        assert!(found.notes.iter().any(|note| note.contains("off by up to")), "{:?}", found.notes);
    }
}

fn rating() -> impl Strategy<Value = (u32, u32, f64)> {
    (0_u32..5, 0_u32..5, prop_oneof![(-50.0_f64..50.0), (1_u8..6).prop_map(f64::from)])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn every_rating_is_held_to_a_millionth_of_the_spread_or_it_is_said(
        lines in proptest::collection::vec(rating(), 2..40),
        level in prop_oneof![Just(0.0), Just(1e9), Just(-4e12), Just(2.5e7)],
        rule in proptest::option::of(proptest::sample::select(vec![Duplicates::Last, Duplicates::First, Duplicates::Sum, Duplicates::Mean])),
    ) {
        let text: String = lines.iter().map(|(user, item, value)| format!("u{user},i{item},{}\n", value + level)).collect();
        let found = written(&text, "a.csv", &RatingsOptions { duplicates: rule, ..Default::default() });
        // Computed by a simple method in double precision.
        let mut pairs: BTreeMap<(String, String), Vec<f64>> = BTreeMap::new();
        for (user, item, value) in &lines {
            pairs.entry((format!("u{user}"), format!("i{item}"))).or_default().push(value + level);
        }
        let merged = |values: &Vec<f64>| match rule.unwrap_or(Duplicates::Last) {
            Duplicates::First => values[0],
            Duplicates::Sum => values.iter().sum(),
            Duplicates::Mean => values.iter().sum::<f64>() / values.len() as f64,
            Duplicates::Last | Duplicates::Refuse => values[values.len() - 1],
        };
        let expected: BTreeMap<_, _> = pairs.into_iter().map(|(pair, values)| (pair, merged(&values))).collect();
        let count = expected.len() as f64;
        let mean = expected.values().map(|value| value - level).sum::<f64>() / count;
        let deviation = (expected.values().map(|value| (value - level - mean).powi(2)).sum::<f64>() / count).sqrt();
        let found_values = named(&found);
        prop_assert!(found_values.keys().eq(expected.keys()));
        let worst = expected.iter().map(|(pair, value)| (found_values[pair] - value).abs()).fold(0.0, f64::max);
        let is_said = found.notes.iter().any(|note| note.contains("off by up to"));
        let rounding = level.abs() * 1e-15;
        prop_assert!(worst <= 1.1e-6 * deviation + rounding || is_said || deviation == 0.0, "{worst} {deviation} {:?}", found.notes);
        // Ordinary ratings keep the bits of a plain conversion.
        if level == 0.0 && deviation > 1.0 {
            prop_assert!(found.offset == 0.0 && found_values.values().copied().eq(expected.values().map(|value| f64::from(*value as f32))));
        }
    }

    #[test]
    fn lines_without_a_rating_or_an_id_are_left_out_and_counted(
        lines in proptest::collection::vec((0_u32..6, 0_u32..6, 0_usize..8), 1..30), has_header: bool, is_quoted: bool,
    ) {
        let missing = ["", "NA", "null", "\\N", "nan"];
        let header = if has_header { "user,item,rating\n" } else { "" };
        let line = |(user, item, kind): &(u32, u32, usize)| {
            let quote = |cell: &str| if is_quoted { format!("\"{cell}\"") } else { cell.to_owned() };
            match kind {
                7 => format!(",{item},3\n"),
                6 => format!("u{user},,3\n"),
                &kind => match missing.get(kind) {
                    Some(cell) => format!("u{user},i{item},{}\n", quote(cell)),
                    None => format!("u{user},i{item},{}\n", quote("4")),
                },
            }
        };
        // The first lines show that the file has ratings.
        let text: String = format!("{header}u0,i0,2\nu1,i0,1\n") + &lines.iter().map(line).collect::<String>();
        let drop = RatingsOptions { drops_missing: true, ..Default::default() };
        let found = written(&text, "a.csv", &drop);
        let mut expected: BTreeMap<(String, String), f64> = [((0, 0), 2.0), ((1, 0), 1.0)]
            .map(|((user, item), value)| ((format!("u{user}"), format!("i{item}")), value)).into();
        for (user, item, _) in lines.iter().filter(|line| line.2 == 5) {
            expected.insert((format!("u{user}"), format!("i{item}")), 4.0);
        }
        prop_assert_eq!(named(&found), expected);
        let count = |kinds: std::ops::Range<usize>| lines.iter().filter(|line| kinds.contains(&line.2)).count() as u64;
        let left_out = |reason: &str| found.records.left_out.get(reason).copied().unwrap_or(0);
        prop_assert_eq!(found.records.read, lines.len() as u64 + 2);
        prop_assert_eq!((left_out("missing rating"), left_out("missing id")), (count(0..5), count(6..8)));
        // Without the option, the first such line is refused.
        if count(0..5) + count(6..8) > 0 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.csv");
            fs::write(&path, &text).unwrap();
            let why = read_ratings(&path, &RatingsOptions::default()).unwrap_err();
            let at = lines.iter().position(|line| line.2 != 5).unwrap() + 3 + usize::from(has_header);
            prop_assert!(why.line() == Some(at) && why.to_string().contains("--missing drop"), "{why}");
        }
    }

    #[test]
    fn files_of_the_netflix_prize_are_read_as_the_same_ratings(
        movies in proptest::collection::vec((1_u32..40_000, proptest::collection::vec((1_u32..3_000_000, 1_u8..6, 1_u32..29), 0..6)), 1..12),
        kind in 0_usize..4, is_crlf: bool,
    ) {
        let mut movies = movies;
        movies.push((7, vec![(1, 3, 1), (2, 4, 2)]));
        let (mut headed, mut plain) = (String::new(), String::new());
        for (movie, ratings) in &movies {
            headed += &format!("{movie}:\n");
            for (user, rating, day) in ratings {
                let (of, line) = match kind {
                    0 => (format!("{user},{rating},2005-09-{day:02}"), format!("{user},{movie},{rating},2005-09-{day:02}")),
                    1 => (format!("{user},{rating}"), format!("{user},{movie},{rating}")),
                    2 => (format!("{user},2005-09-{day:02}"), format!("{user},{movie}")),
                    _ => (format!("{user}"), format!("{user},{movie}")),
                };
                headed += &(of + "\n");
                plain += &(line + "\n");
            }
        }
        if is_crlf {
            headed = headed.replace('\n', "\r\n");
        }
        let found = written(&headed, "combined_data_1.txt", &RatingsOptions::default());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plain.csv");
        fs::write(&path, &plain).unwrap();
        let expected = read_ratings(&path, &RatingsOptions::default()).unwrap();
        prop_assert_eq!(named(&found), named(&expected));
        prop_assert_eq!((&found.triples, found.pairs_only), (&expected.triples, kind > 1));
        prop_assert_eq!((&found.users, &found.items, &found.records), (&expected.users, &expected.items, &expected.records));
        prop_assert!(found.notes[0].contains("Netflix Prize"));
        if kind == 0 {
            let times = RatingsOptions { times: true, ..Default::default() };
            let expected = read_ratings(&path, &times).unwrap();
            prop_assert_eq!(written(&headed, "a.txt", &times).times, expected.times);
        }
    }
}

/// More lines than are parsed at a time: an item applies across blocks.
#[test]
fn the_item_of_a_heading_holds_beyond_the_block_that_it_stands_in() {
    let (mut headed, mut plain) = (String::new(), String::new());
    for movie in [3, 9, 4] {
        headed += &format!("{movie}:\n");
        for user in 0..60_000 {
            headed += &format!("{user},{},2005-09-06\n", user % 5 + 1);
            plain += &format!("{user}\t{movie}\t{}\n", user % 5 + 1);
        }
    }
    let found = written(&headed, "a.txt", &RatingsOptions::default());
    let expected = written(&plain, "b.tsv", &RatingsOptions::default());
    assert_eq!((&found.triples, &found.items), (&expected.triples, &expected.items));
    // A heading beyond 32 bits makes all item ids texts.
    let found =
        written("99999999999:\n1,3,2005-09-06\n7:\n2,4,2005-09-06\n", "a.txt", &RatingsOptions::default());
    assert_eq!((found.items.name(0), found.items.name(1)), ("99999999999".into(), "7".into()));
}

#[test]
fn pairs_without_ratings_add_up_and_ratings_do_not() {
    let clicks = "user,item\na,x\na,x\na,x\na,y\nb,x\nb,y\nb,y\n";
    let found = written(clicks, "a.csv", &RatingsOptions::default());
    assert_eq!((&found.triples.values[..], found.duplicates), (&[3.0, 1.0, 1.0, 2.0][..], 3));
    let last = RatingsOptions { duplicates: Some(Duplicates::Last), ..Default::default() };
    assert_eq!(written(clicks, "a.csv", &last).triples.values, [1.0; 4]);
    let pattern = "%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n1 1\n2 2\n";
    assert_eq!(written(pattern, "a.mtx", &RatingsOptions::default()).triples.values, [2.0, 1.0]);
    let rated = "user,item,rating\na,x,5\na,x,1\n";
    assert_eq!(written(rated, "a.csv", &RatingsOptions::default()).triples.values, [1.0]);
}

#[test]
fn the_columns_that_were_taken_are_said_unless_they_were_named() {
    let house = "id,city,size,price\n1,a,70,5\n2,b,80,6\n";
    let found = written(house, "a.csv", &RatingsOptions::default());
    let said =
        "users are in column 1 (id) of 4, items in column 2 (city), ratings in column 3 (size) (--columns)";
    assert!(found.notes.iter().any(|note| note == said), "{:?}", found.notes);
    let found = written("1\t2\n1\t3\n", "a.tsv", &RatingsOptions::default());
    let said = "users are in column 1 of 2, items in column 2, no ratings (--columns)";
    assert!(found.notes.iter().any(|note| note == said), "{:?}", found.notes);
    let columns = Some(["id", "city", "price"].map(str::to_owned).to_vec());
    let found = written(house, "a.csv", &RatingsOptions { columns, ..Default::default() });
    assert!(!found.notes.iter().any(|note| note.starts_with("users are in")), "{:?}", found.notes);
}

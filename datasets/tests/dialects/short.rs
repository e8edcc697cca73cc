//! Short texts of separators, quotes and names, for every reader: read, or refused with a message.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use raddle_datasets::{
    Classes, CorpusFormat, CorpusOptions, Dialect, Encoding, Format, Missing, Options, Quotes, RatingsFormat,
    RatingsOptions, ReadError, Separator, read, read_corpus, read_ratings, read_samples, read_stop_words,
};

use super::dice::{Dice, number};

const PIECES: [&str; 32] = [
    "\"",
    "\"\"",
    "#",
    "# ",
    "%",
    "%%MatrixMarket matrix coordinate real general\n",
    ",",
    ";",
    "|",
    "\t",
    " ",
    "::",
    ":",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    "1",
    "2",
    "0",
    "-",
    ".",
    "1,5",
    "nan",
    "NA",
    "x",
    "y",
    "sep=;",
    "\u{feff}",
    "{",
    "[",
    "e9",
];

fn text(dice: &mut Dice) -> String {
    (0..1 + dice.roll(14)).map(|_| PIECES[dice.roll(PIECES.len())]).collect()
}

/// Runs every reader with every format that an option can set.
fn outcomes(path: &Path, dice: &mut Dice) -> Vec<Result<(), ReadError>> {
    let separator = [None, None, Some(Separator::Byte(b'\t')), Some(Separator::Blanks)][dice.roll(4)];
    let header = [None, None, Some(true), Some(false)][dice.roll(4)];
    let quotes = [None, None, Some(Quotes::Double), Some(Quotes::Letters)][dice.roll(4)];
    let delimited = Dialect { separator, header, quotes, ..Dialect::default() };
    let is_said = delimited != Dialect::default();
    let y = [None, Some("y"), Some("1"), Some("-1")][dice.roll(4)].map(str::to_owned);
    let classes = if dice.roll(2) == 0 { Classes::Any } else { Classes::Refused };
    let missing = [Missing::Refuse, Missing::Mean, Missing::Drop][dice.roll(3)];
    let mut options = Options { y, classes, dialect: delimited, ..Options::default() };
    options.columns.missing = missing;
    let plain = Options::default();
    let name = path.to_string_lossy();
    let names = ["x".to_owned(), "1".to_owned()];
    let repeat = Options { repeat: Some(Encoding::of_numbers(&names)), ..options.clone() };
    let mut all = vec![
        read(path, &options).map(drop),
        read(path, &Options { format: Some(Format::Csv), ..options.clone() }).map(drop),
        read_samples(&name, &options).map(drop),
        read_samples(&name, &repeat).map(drop),
        read_ratings(path, &RatingsOptions { dialect: delimited, ..RatingsOptions::default() }).map(drop),
        read_stop_words(path).map(drop),
    ];
    for format in [Format::Libsvm, Format::Npy, Format::Npz, Format::MatrixMarket] {
        all.push(read(path, &Options { format: Some(format), ..plain.clone() }).map(drop));
    }
    let mtx = RatingsOptions { format: Some(RatingsFormat::MatrixMarket), ..RatingsOptions::default() };
    all.push(read_ratings(path, &mtx).map(drop));
    let text = Some("1".to_owned());
    let texts = CorpusOptions {
        dialect: delimited,
        text: text.clone(),
        id: Some("x".into()),
        ..CorpusOptions::default()
    };
    all.push(read_corpus(path, &texts).map(drop));
    for format in CorpusFormat::readable() {
        let text = text.clone().filter(|_| matches!(format, CorpusFormat::Csv | CorpusFormat::JsonLines));
        all.push(
            read_corpus(path, &CorpusOptions { format: Some(format), text, ..CorpusOptions::default() })
                .map(drop),
        );
    }
    assert!(is_said || all.len() > 12);
    all
}

/// `RADDLE_SHORT` sets how many texts.
#[test]
fn short_texts_are_read_or_refused_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let (first, path) = (number("RADDLE_SHORT_SEED", 1), folder.path().join("short"));
    let fixed = [
        "# made by hand\n\"x|3\" \"y\"\n\"1\" \"2\"\n\"3\" \"5\"\n",
        "# \"|\" \n",
        "#\n\" ",
        "\"\t",
        "\"",
        "#",
        "\n",
        "\"\n\"",
        "sep=;",
        "sep=;\n#",
    ];
    for seed in first..first + number("RADDLE_SHORT", 1_500) {
        let mut dice = Dice((seed as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let text = fixed.get(seed - first).map_or_else(|| text(&mut dice), |text| (*text).to_owned());
        std::fs::write(&path, &text).unwrap();
        let read = catch_unwind(AssertUnwindSafe(|| outcomes(&path, &mut dice)));
        for outcome in read.unwrap_or_else(|_| panic!("text {seed} panics: {text:?}")) {
            let said = outcome.err().map(|error| error.to_string());
            let is_sentence = said.as_ref().is_none_or(|said| said.len() > 10 && !said.trim().contains('\n'));
            assert!(is_sentence, "text {seed}: {said:?}: {text:?}");
        }
    }
}

//! One file in each dialect, by every way into each program: named, compressed, by a pipe, from a cache, and
//! read by the processes of a launch.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use flate2::{Compression, write::GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{alone, launched, report};
use crate::commands::{self, command, ends, run};

/// Rows of a table `g,a,b,y`, of ratings and of documents, with a `#` where a line begins.
fn rows(make: impl Fn(&mut dyn FnMut(u64) -> u64) -> String, count: usize) -> String {
    let mut state = 11;
    let mut next = |most: u64| commands::next(&mut state) % most;
    (0..count).map(|_| make(&mut next)).collect()
}

/// A text with other line ends, marks or bytes, and its line of a program.
fn cases() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let table = format!(
        "g;a;b;y\n{}",
        rows(|next| format!("#{};{},{};-{},5;{},25\n", next(3), next(9), next(9), next(7), next(40)), 40)
    );
    let points = table.replace(',', ".");
    let named =
        points.lines().skip(1).zip(1..).map(|(row, at)| format!("\"{at}\" {}\n", row.replace(';', " ")));
    let r = format!("\"g\" \"a\" \"b\" \"y\"\n{}", named.collect::<String>());
    let ratings = format!(
        "user;item;rating\n{}",
        rows(|next| format!("\"#u {}\";\"i; {}\";{},5\n", next(9), next(9), next(4)), 120)
    );
    let blanks = rows(|next| format!("  u{}   i{}\t{}\n", next(9), next(9), next(5) + 1), 120);
    let documents = rows(|next| format!("#w{0} été w{1} w{0} {2}nd w{2}\n", next(9), next(9), next(9)), 40);
    let texts =
        format!("id;text\n{}", rows(|next| format!("{};\"w{}; w{}\"\n", next(99), next(9), next(9)), 40));
    let utf_16 = |text: &str| -> Vec<u8> {
        format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    let cr = |text: &str| text.replace('\n', "\r").into_bytes();
    let lasso = "lasso fit DATA --y y --shards 3";
    let mf = "mf fit DATA --rank 2 --epochs 3 --shards 3 --duplicates last";
    let als = "mf fit DATA --rank 2 --epochs 2 --shards 3 --duplicates last --solver als";
    let lda = "lda fit DATA --topics 3 --epochs 4 --shards 3";
    vec![
        ("comma.csv", table.clone().into_bytes(), lasso),
        ("cr.csv", cr(&table), lasso),
        ("excel.csv", format!("sep=;\r\n{}", points.replace('\n', "\r\n")).into_bytes(), lasso),
        ("r.txt", r.into_bytes(), lasso),
        ("wide.tsv", utf_16(&points.replace(';', "\t")), lasso),
        ("semicolon.csv", ratings.clone().into_bytes(), mf),
        ("cr-ratings.csv", cr(&ratings), als),
        ("blanks.txt", blanks.into_bytes(), mf),
        ("wide-ratings.csv", utf_16(&ratings), als),
        ("cr.txt", cr(&documents), lda),
        ("wide.txt", utf_16(&documents), lda),
        ("texts.csv", texts.into_bytes(), "lda fit DATA --text text --topics 3 --epochs 4 --shards 3"),
    ]
}

#[test]
fn a_file_of_any_dialect_gives_one_model_by_every_way() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, bytes, line) in cases() {
        let with = |data: &str| line.replace("DATA", data);
        std::fs::write(folder.join(name), &bytes).unwrap();
        let mut gz =
            GzEncoder::new(File::create(folder.join(format!("{name}.gz"))).unwrap(), Compression::fast());
        gz.write_all(&bytes).unwrap();
        gz.finish().unwrap();
        let zstd = compress_to_vec(&bytes[..], CompressionLevel::Fastest);
        std::fs::write(folder.join(format!("{name}.zst")), zstd).unwrap();
        let (digest, ran) = alone(folder, &with(name));
        let expected = report(folder, "alone");
        assert!(expected["records"]["used"].as_u64() >= Some(40), "{name}: {}", ran.err);
        let same = |way: &str, out: &str, code: Option<i32>| {
            let found = report(folder, out);
            assert_eq!((&found["model_digest"], code), (&digest.as_str().into(), ran.code), "{name} {way}");
            assert_eq!(found["records"], expected["records"], "{name} {way}");
        };
        for packed in [".gz", ".zst"] {
            let (_, ran) = alone(folder, &with(&format!("{name}{packed}")));
            same(packed, "alone", ran.code);
        }
        same("by a pipe", "piped", piped(folder, name, &with("-")));
        // Made, and read.
        for _ in 0..2 {
            let (_, ran) = alone(folder, &format!("{} --cache kept", with(name)));
            same("--cache", "alone", ran.code);
        }
        let ran = launched(folder, 2, 1, &with(name));
        same("raddle launch", "launched", ran.code);
    }
}

/// Runs a line whose data come by standard input.
fn piped(folder: &Path, name: &str, line: &str) -> Option<i32> {
    let mut command = command(folder, &format!("{line} --workers 1 --out piped --force"));
    let input = File::open(folder.join(name)).unwrap();
    command.stdin(input).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().code()
}

#[test]
fn files_that_options_name_are_read_as_data_are() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("a.csv"), "a,b,y\n1,4,2\n2,3,3\n3,5,5\n4,1,4\n5,2,7\n").unwrap();
    let documents = "cat dog cat\ndog bird dog\nfish cat\nbird fish bird\n";
    std::fs::write(folder.join("a.txt"), documents).unwrap();
    std::fs::write(folder.join("a.tsv"), "u1\ti1\t4\nu1\ti2\t3\nu2\ti1\t5\nu3\ti3\t1\nu3\ti2\t2\n").unwrap();
    ends(folder, "mf fit a.tsv --rank 1 --epochs 2 --validation none --out model", 0);
    let lasso = "lasso fit a.csv --y y --ratio 3 --out with --force";
    let fits = [
        (format!("{lasso} --factors options.txt"), "a 2\nb 0.5\n"),
        (format!("{lasso} --bounds options.txt"), "a 0 0.5\nb -0.1 0.1\n"),
        (format!("{lasso} --groups options.txt"), "a one\nb one\n"),
        (
            "lda fit a.txt --topics 2 --epochs 2 --word-priors options.txt --out with --force".into(),
            "1 cat 5\n2 bird 3\n",
        ),
        ("mf recommend model --users options.txt --top 1".into(), "u1\nu3\n"),
    ];
    for (line, text) in fits {
        let mut said = Vec::new();
        let utf_16: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let ways = [text.into(), text.replace('\n', "\r\n").into(), text.replace('\n', "\r").into(), utf_16];
        for bytes in ways {
            std::fs::write(folder.join("options.txt"), bytes).unwrap();
            let ran = run(folder, &line);
            assert!(ran.code.is_some_and(|code| code == 0 || code == 3), "{line}: {}", ran.err);
            said.push(match line.contains("--out") {
                true => report(folder, "with")["model_digest"].to_string(),
                false => ran.out,
            });
        }
        assert!(!said[0].is_empty() && said.iter().all(|one| *one == said[0]), "{line}: {said:?}");
        // Bytes of no text are reported by line.
        std::fs::write(folder.join("options.txt"), b"a 1\n\xff\xfe\xfd 2\n").unwrap();
        let refused = ends(folder, &line, 2);
        assert!(refused.err.contains("options.txt:2: this is not UTF-8"), "{line}: {}", refused.err);
    }
}

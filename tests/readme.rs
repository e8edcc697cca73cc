//! The command lines of README.md and of each program's page, as they stand, in a row, in one folder; and the
//! output that README.md shows.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::commands::{ends, next};

const README: &str = include_str!("../README.md");
const PROGRAMS: [&str; 4] = ["lasso", "mf", "lda", "linear"];
const PAGES: [&str; 5] = [
    README,
    include_str!("../algorithms/lasso/README.md"),
    include_str!("../algorithms/mf/README.md"),
    include_str!("../algorithms/lda/README.md"),
    include_str!("../algorithms/linear/README.md"),
];

/// The lines of the pages' blocks that are commands of the programs, without their comments.
fn lines() -> Vec<&'static str> {
    let blocks = PAGES.iter().flat_map(|page| page.split("```sh\n").skip(1));
    let blocks = blocks.map(|rest| rest.split("```").next().unwrap());
    let lines = blocks.flat_map(str::lines).map(|line| line.split(" #").next().unwrap().trim());
    lines.filter(|line| PROGRAMS.contains(&line.split(' ').next().unwrap())).collect()
}

/// The files that the lines name: small ones of the shape that they ask for.
fn write_data(folder: &Path) {
    let mut state = 7;
    let mut below = |limit: u64| next(&mut state) % limit;
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    for (name, rows) in [("data.csv", 60), ("new.csv", 5)] {
        let mut text = String::from("size,rooms,age,price,bought,visits,shop\n");
        for row in 0..rows {
            let (size, rooms, age) = (20 + below(180), 1 + below(6), below(90));
            let price = 3 * size + 20 * rooms + below(200);
            let bought = u64::from(price + below(300) < 500);
            writeln!(text, "{size},{rooms},{age},{price},{bought},{},{}", rooms + below(4), row % 7).unwrap();
        }
        write(name, &text);
    }
    for (name, users, mark) in [("ratings.csv", 40, ','), ("later.csv", 45, ','), ("clicks.tsv", 40, '\t')] {
        let mut text = ["user", "item", "rating"].join(&mark.to_string()) + "\n";
        for user in 0..users {
            let first = below(20);
            for step in 0..8 {
                let item = (first + 3 * step) % 25;
                writeln!(text, "{user}{mark}{item}{mark}{}", 1 + user % 3 + item % 3).unwrap();
            }
        }
        write(name, &text);
    }
    for (name, rows) in [("mail.csv", 80), ("later-mail.csv", 6)] {
        let mut text = String::from("words,links,sender,kind,spam,thread\n");
        for row in 0..rows {
            let (words, links) = (10 + below(200), below(6));
            let spam = if links + below(3) > 3 { "yes" } else { "no" };
            let (sender, kind) = (
                ["home", "shop", "work"][below(3) as usize],
                ["letter", "list", "offer"][(links / 2) as usize],
            );
            writeln!(text, "{words},{links},{sender},{kind},{spam},{}", row / 4).unwrap();
        }
        write(name, &text);
    }
    write("pairs.csv", "user,item\n1,2\n3,4\n99,1\n");
    write("newcomers.csv", "user,item,rating\n101,2,5\n101,4,1\n102,3,4\n");
    let words = ["sea", "ship", "wind", "sail", "bread", "butter", "oven", "flour", "train", "rails"];
    for (name, documents) in [("notes.txt", 60), ("more.txt", 30), ("new.txt", 4)] {
        let mut text = String::new();
        for document in 0..documents {
            let theme = 4 * (document % 3);
            for _ in 0..30 {
                write!(text, "{} ", words[(theme + below(4) as usize) % 10]).unwrap();
            }
            text.push('\n');
        }
        write(name, &text);
    }
    let mut text = String::from("40\n10\n120\n");
    for document in 1..=40 {
        for word in 0..3 {
            writeln!(text, "{document} {} {}", 1 + (4 * (document % 3) + word) % 10, 1 + below(9)).unwrap();
        }
    }
    // A compressed file is recognised by its content.
    write("docword.news.txt.gz", &text);
    write("vocab.news.txt", &words.join("\n"));
    let post =
        |post: usize| format!("{post}.html,{},{}\n", 2020 + post % 3, words[4 * (post % 3)..].join(" "));
    write("posts.csv", &format!("url,year,body\n{}", (0..40).map(post).collect::<String>()));
    write("seeds.txt", "1 ship 5\n2 bread 5\n");
}

#[test]
fn every_command_line_works_as_it_stands_in_a_row() {
    let folder = tempfile::tempdir().unwrap();
    write_data(folder.path());
    let lines = lines();
    for program in PROGRAMS {
        let own = lines.iter().filter(|line| line.starts_with(program)).count();
        assert!(own >= 7, "the pages have {own} lines of {program}");
    }
    for line in lines {
        // The one set that is not made here is a public one.
        if line.contains("ml-1m") && raddle_datasets::registry::real_folder().is_none() {
            eprintln!("skipped, as RADDLE_DATA is not set: {line}");
            continue;
        }
        ends(folder.path(), line, 0);
    }
}

/// A text without its seconds, which differ between machines.
pub(crate) fn without_seconds(text: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for word in text.lines().flat_map(|line| line.split(' ').chain(["\n"])) {
        if word == "s" && words.last().is_some_and(|number| number.parse::<f64>().is_ok()) {
            words.pop();
            words.push("SECONDS");
        }
        words.push(word);
    }
    words.join(" ").trim_end().to_owned()
}

/// The text of a page's blocks of a language.
pub(crate) fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let begin = format!("```{language}\n");
    page.split(begin.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn the_program_of_the_page_is_that_of_the_lasso_crate_which_rustdoc_runs() {
    let documented = include_str!("../algorithms/lasso/src/lib.rs").lines();
    let documented = documented.map_while(|line| line.strip_prefix("//!"));
    let documented: Vec<&str> = documented.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let shown = blocks(README, "rust");
    assert_eq!(shown.len(), 1);
    assert!(documented.join("\n").contains(&format!("```\n{}```", shown[0])), "{}", shown[0]);
}

#[test]
fn the_first_commands_print_what_the_page_shows() {
    let folder = tempfile::tempdir().unwrap();
    let block = README.split("The first command prints").nth(1).unwrap().split("```text\n").nth(1).unwrap();
    let shown = block.split("```").next().unwrap();
    let said = ends(folder.path(), "lasso", 0).out;
    assert_eq!(without_seconds(&said), without_seconds(shown));
}

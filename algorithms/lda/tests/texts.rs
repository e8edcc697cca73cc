//! Texts as people have them: what is a word, what is left out and said, and models that divide as they were
//! fitted.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{ends, json, write};

const CUT: &str = "味道 不错 环境 很好 服务 周到\n环境 一般 味道 一般 价格 便宜\n服务 很好 价格 合理 味道 不错\n不喜欢 这里 环境 吵闹\n";

fn report(folder: &Path, line: &str) -> Value {
    serde_json::from_str(&ends(folder, &format!("{line} --json --quiet"), 0).0).unwrap()
}

fn notes(report: &Value) -> String {
    report["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap().to_owned() + "\n").collect()
}

fn vocabulary(run: &Path) -> Vec<String> {
    serde_json::from_value(json(&run.join("model.json"))["vocabulary"].clone()).unwrap()
}

#[test]
fn chinese_that_is_cut_has_its_words_and_what_is_not_cut_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "cut.txt", CUT);
    write(folder, "uncut.txt", &CUT.replace(' ', ""));
    for options in ["", "--words blanks"] {
        let found = report(folder, &format!("fit cut.txt --topics 2 {options}"));
        assert_eq!(found["data"]["sizes"]["tokens"], 22, "{options}");
        assert!(!notes(&found).contains("left out"), "{found}");
    }
    let found = report(folder, "fit cut.txt --topics 2 --min-letters 3");
    assert_eq!(found["data"]["sizes"]["tokens"], 1);
    assert!(notes(&found).contains("tokens left out: 21 of fewer than 3 letters"), "{found}");
    let found = report(folder, "fit uncut.txt --topics 2");
    assert!(
        notes(&found).contains("this text has no blanks") && notes(&found).contains("give --words blanks"),
        "{found}"
    );
    let (out, _) = ends(folder, "fit uncut.txt --topics 2", 0);
    assert!(out.contains("this text has no blanks"), "on the screen, too: {out}");
}

#[test]
fn letters_are_composed_marks_are_letters_and_digits_stay_inside_of_words() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let composed = "une élève préfère naïve décoré\nla fenêtre élève décoré préfère\n";
    let decomposed: String = composed
        .chars()
        .flat_map(|letter| match letter {
            'é' => vec!['e', '\u{301}'],
            'è' => vec!['e', '\u{300}'],
            'ê' => vec!['e', '\u{302}'],
            'ï' => vec!['i', '\u{308}'],
            letter => vec![letter],
        })
        .collect();
    assert_ne!(composed, decomposed);
    write(folder, "nfd.txt", &decomposed);
    write(folder, "hindi.txt", "हिन्दी पुस्तक अच्छी विद्यालय\nविद्यालय हिन्दी पुस्तक\n");
    write(folder, "digits.txt", "covid19 x1 AI 2020 3.5 a\ncovid19 well-known AI ship's\n");
    for (name, expected, said) in [
        ("nfd.txt", vec!["une", "élève", "préfère", "naïve", "décoré", "la", "fenêtre"], None),
        ("hindi.txt", vec!["हिन्दी", "पुस्तक", "अच्छी", "विद्यालय"], None),
        (
            "digits.txt",
            vec!["covid19", "x1", "ai", "well", "known", "ship's"],
            Some("tokens left out: 1 of one letter, 2 numbers"),
        ),
    ] {
        let (out, _) = ends(folder, &format!("fit {name} --topics 2 --epochs 3 --out run --force"), 0);
        assert_eq!(vocabulary(&folder.join("run")), expected, "{name}");
        assert_eq!(out.contains("tokens left out"), said.is_some(), "{out}");
        let found = notes(&json(&folder.join("run/report.json")));
        assert!(said.is_none_or(|said| out.contains(said) && found.contains(said)), "{out}");
    }
}

#[test]
fn every_verb_divides_texts_as_the_model_was_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "New_York C++ x, Python!\nC++ Python! snake_case x,\nNew_York snake_case\n".repeat(8);
    write(folder, "notes.txt", &text);
    write(folder, "new.txt", "C++ New_York x,\n");
    write(folder, "changes.txt", "+ new C++ x, C++ ..\n=\n");
    let fit = "fit notes.txt --words blanks --topics 2 --epochs 3";
    ends(folder, &format!("{fit} --out run"), 0);
    let run = folder.join("run");
    assert_eq!(vocabulary(&run), ["new_york", "c++", "x,", "python!", "snake_case"]);
    assert_eq!(json(&run.join("model.json"))["tokenizer"]["words"], "blanks");
    // Without the option all words are known; those of Unicode's boundaries would not be.
    let inferred = report(folder, "infer run new.txt");
    assert_eq!((&inferred["unknown_tokens"], &inferred["documents"][0]["tokens"]), (&0.into(), &3.into()));
    ends(folder, "infer run new.txt --words blanks", 0);
    let (_, err) = ends(folder, "topics run notes.txt", 0);
    assert!(!err.contains("unknown"), "{err}");
    let going_on = report(folder, "fit new.txt --init run --epochs 2 --out more");
    assert!(notes(&going_on).contains("kept from run: 2 words"), "{going_on}");
    assert_eq!(json(&folder.join("more/model.json"))["tokenizer"]["words"], "blanks");
    for option in ["--words unicode", "--min-letters 3", "--words blanks --min-letters 1"] {
        for line in ["infer run new.txt", "fit new.txt --init run"] {
            let (_, err) = ends(folder, &format!("{line} {option}"), 2);
            assert!(err.contains("were split into words by `blanks`"), "{line} {option}: {err}");
        }
    }
    // Held-out texts in a file, versions, and a resumed run.
    let held = report(folder, &format!("{fit} --test new.txt"));
    assert!(!notes(&held).contains("of words that the corpus lacks"), "{held}");
    ends(folder, &format!("{fit} --changes changes.txt --out grown --quiet"), 0);
    assert_eq!(vocabulary(&folder.join("grown")), ["new_york", "c++", "x,", "python!", "snake_case"]);
    assert!(notes(&json(&folder.join("grown/report.json"))).contains("1 without a letter or digit"));
    ends(folder, &format!("{fit} --time-limit 0 --checkpoint-every 1 --out part"), 3);
    ends(folder, "fit --resume part", 0);
    assert_eq!(vocabulary(&folder.join("part")), vocabulary(&run));
    let digest = |run: &str| json(&folder.join(run).join("report.json"))["model_digest"].clone();
    assert_eq!(digest("part"), digest("run"));
    // A corpus that has words already is not divided.
    write(folder, "docword.few.txt", "2\n3\n2\n1 1 5\n2 3 4\n");
    for line in ["fit pydoc --words blanks", "fit docword.few.txt --min-letters 2"] {
        let (_, err) = ends(folder, line, 2);
        assert!(err.contains("--words and --min-letters are for texts"), "{line}: {err}");
    }
    for option in ["--min-letters 0", "--min-letters 51", "--min-letters -1", "--words letters", "--words ''"]
    {
        let (_, err) = ends(folder, &format!("fit notes.txt {option}"), 2);
        assert!(err.contains("--min-letters") || err.contains("choose unicode or blanks"), "{option}: {err}");
    }
}

#[test]
fn stop_words_have_their_contractions() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "notes.txt", "Don't go, it's the ship’s boat\nI’m sure they won’t see the ship\nDon’t\n");
    write(folder, "stop.txt", "Ship’s\n");
    ends(folder, "fit notes.txt --stop-words english --topics 2 --epochs 2 --out run", 0);
    assert_eq!(vocabulary(&folder.join("run")), ["ship’s", "boat", "sure", "ship"]);
    write(folder, "plain.txt", "the ship's boat\nthe ship’s mast\n");
    ends(folder, "fit plain.txt --stop-words stop.txt --topics 2 --epochs 2 --out other", 0);
    assert_eq!(vocabulary(&folder.join("other")), ["the", "boat", "mast"]);
}

#[test]
fn documents_in_are_documents_out_and_unknown_words_are_told_for_each() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "notes.txt", &"ship sea harbour\ngarden rose soil\n".repeat(10));
    ends(folder, "fit notes.txt --topics 2 --epochs 5 --out run", 0);
    write(folder, "new.txt", "ship sea zebra\n\nzebra lion\n42\nrose");
    let (out, err) = ends(folder, "infer run new.txt", 0);
    assert_eq!(out.lines().count(), 5);
    assert!(err.contains("5 documents; 3 tokens unknown to the model"), "{err}");
    assert!(err.contains("the topics of the prior: 2, 3, 4"), "{err}");
    let found = report(folder, "infer run new.txt");
    let documents = found["documents"].as_array().unwrap();
    let of = |field: &str| documents.iter().map(|one| one[field].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!((of("tokens"), of("unknown_tokens")), (vec![2, 0, 0, 0, 1], vec![1, 0, 2, 0, 0]));
    let is_prior: Vec<bool> = documents.iter().map(|one| one["prior"] == true).collect();
    assert_eq!(is_prior, [false, true, true, true, false]);
    // Nothing but such documents: still a line for each.
    for (text, count) in [("zebra\n", 1), ("\n\n", 2), ("1 2 3\n", 1), ("x\ny\n", 2)] {
        write(folder, "odd.txt", text);
        assert_eq!(ends(folder, "infer run odd.txt", 0).0.lines().count(), count, "{text:?}");
    }
    write(folder, "odd.jsonl", "{\"id\": \"a\", \"text\": \"ship\"}\n{\"id\": \"b\"}\n{\"text\": null}\n");
    let (out, err) = ends(folder, "infer run odd.jsonl --text text --id id", 0);
    let names: Vec<&str> = out.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(names, ["a", "b", "3"]);
    assert!(err.contains("1 object has no field text: a document without words"), "{err}");
    assert!(err.contains("1 object has no field id: a document without a name"), "{err}");
}

#[test]
fn an_object_without_the_field_is_a_document_without_words_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text =
        "{\"id\": 1, \"text\": \"alpha beta gamma\"}\n{\"id\": 2}\n{\"id\": 3, \"text\": \"beta delta\"}\n";
    write(folder, "few.jsonl", text);
    let found = report(folder, "fit few.jsonl --text text --topics 2 --epochs 2");
    assert_eq!(found["data"]["sizes"]["documents"], 3);
    assert!(notes(&found).contains("1 object has no field text: a document without words"), "{found}");
    let (_, err) = ends(folder, "fit few.jsonl --text body", 2);
    assert!(err.contains("--text body: there is no such field: the first object has id, text"), "{err}");
}

#[test]
fn lda_c_is_read_with_the_words_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "few.ldac", "3 0:1 2:4 5:1\n2 1:2 2:1\n0\n2 0:3 5:2\n");
    let fit = "fit few.ldac --topics 2 --epochs 3";
    let found = report(folder, fit);
    let sizes = &found["data"]["sizes"];
    assert_eq!((&sizes["documents"], &sizes["words"], &sizes["tokens"]), (&4.into(), &6.into(), &14.into()));
    assert!(notes(&found).contains("few.tokens") && notes(&found).contains("vocab.txt"), "{found}");
    assert_eq!(found["data"]["format"], "ldac");
    // A vocabulary may have words that no document has.
    write(folder, "few.tokens", "sea\nship\nlog\nmast\nsail\nbow\nkeel\n");
    let named = report(folder, &format!("{fit} --out run"));
    assert_eq!(named["data"]["sizes"]["words"], 7);
    assert_eq!(vocabulary(&folder.join("run"))[6], "keel");
    let kept = report(folder, &format!("{fit} --cache cache"));
    assert_eq!(kept["model_digest"], named["model_digest"], "read by parts");
    let mut files = fs::read_dir(folder.join("cache")).unwrap().map(|entry| entry.unwrap().path());
    assert!(files.any(|path| path.extension().is_some_and(|ending| ending == "corpus")));
    assert_eq!(ends(folder, "infer run few.ldac", 0).0.lines().count(), 4);
    write(folder, "few.tokens", "sea\nship\n");
    let (_, err) = ends(folder, fit, 2);
    assert!(err.contains("few.tokens: 2 words, but the corpus has 6"), "{err}");
}

#[test]
fn what_is_no_text_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "posts.csv", "url,body\n/a,the ship at sea\n/b,the garden\n");
    write(folder, "posts.txt", "1\tphys\tmass, energy and time\n2\tstat\tmean variance\n");
    let rows: String = (0..12).map(|at| format!("{at},a ship,{}\n", at % 3)).collect();
    write(folder, "rows", &format!("n,words,label\n{rows}"));
    write(folder, "numbers.txt", "5.1 3.5 1.4 0.2\n4.9 3.0 1.4 0.2\n");
    write(folder, "ids.txt", "12 45 12 7\n45 7 3\n12 12 9\n");
    write(folder, "rows.svm", "1 3:0.5 7:1\n-1 2:1 4:2\n");
    write(
        folder,
        "prose.txt",
        "The ship, at sea, was old.\nIt sank, alas.\nNobody saw it, or her, or them.\n",
    );
    for (line, why) in [
        (
            "fit posts.csv",
            "posts.csv: this looks like a table of 2 columns divided by `,` (url, body): name the column of \
             the texts by --text NAME",
        ),
        (
            "fit posts.txt",
            "this looks like a table of 3 columns divided by tabs (1, phys, mass, energy and time)",
        ),
        ("fit rows", "this looks like a table of 3 columns divided by `,` (n, words, label)"),
        ("fit numbers.txt", "8 of its 8 words and numbers are numbers"),
        ("fit ids.txt", "if numbers stand for words, give --words blanks"),
        ("fit rows.svm", "as of libsvm; of LDA-C"),
    ] {
        let (_, err) = ends(folder, line, 2);
        assert!(err.contains(why), "{line}: {err}");
    }
    for line in [
        "fit posts.csv --format text",
        "fit posts.csv --text body",
        "fit posts.txt --text 3 --no-header",
        "fit ids.txt --words blanks",
        "fit prose.txt",
    ] {
        ends(folder, &format!("{line} --topics 2 --epochs 2"), 0);
    }
}

#[test]
fn a_text_of_one_document_says_so_where_words_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "one.txt", "the ship at sea and the sea at the ship\n");
    let (_, err) = ends(folder, "fit one.txt --min-df 5", 2);
    assert!(
        err.contains("it has 1 document (a line is a document), and --min-df 5 leaves out words"),
        "{err}"
    );
    write(folder, "two.txt", "the ship at sea\nand a harbour\n");
    let (_, err) = ends(folder, "fit two.txt --max-df 0", 2);
    assert!(err.contains("no word is left of two, which has 2 documents: leave out fewer"), "{err}");
}

#[test]
fn held_out_documents_are_counted_and_said_wherever_they_lack() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "notes.txt", &"ship sea harbour mast\ngarden rose soil tree\n".repeat(30));
    let (out, _) = ends(folder, "fit notes.txt --topics 2 --epochs 5 --out run", 0);
    let run = folder.join("run");
    let held_out = json(&run.join("model.json"))["held_out_documents"].as_u64().unwrap();
    assert!(held_out > 0);
    let said = format!("held out: {held_out} of 60 documents");
    assert!(out.contains(&said) && notes(&json(&run.join("report.json"))).contains(&said), "{out}");
    let (_, err) = ends(folder, "topics run --documents 2", 0);
    assert!(err.contains("held out of the fit") && err.contains("lda infer"), "{err}");
    assert_eq!(ends(folder, "infer run notes.txt", 0).0.lines().count(), 60);
    let (out, _) = ends(folder, "fit notes.txt --topics 2 --epochs 5 --validation none --out all", 0);
    assert_eq!(json(&folder.join("all/model.json"))["held_out_documents"], 0);
    assert!(!out.contains("held out:"), "{out}");
    let (_, err) = ends(folder, "topics all --documents 2", 0);
    assert!(!err.contains("held out"), "{err}");
}

#[test]
fn options_mean_something_or_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "notes.txt", &"ship sea harbour\ngarden rose soil\n".repeat(5));
    ends(folder, "fit notes.txt --topics 2 --epochs 2 --out run", 0);
    for (line, why) in [
        ("topics run --text body", "name the documents, too"),
        ("topics run --encoding latin1", "name the documents, too"),
        ("topics run --words 0", "give a whole number from 1"),
        ("topics run --top 0", "give a whole number from 1"),
        ("fit notes.txt --min-df 5 --max-df 2", "--min-df 5 is above --max-df 2"),
        ("fit notes.txt --text body", "notes.txt"),
        ("infer run notes.txt --id url", "--text"),
        ("infer run notes.txt --words many", "choose unicode or blanks"),
    ] {
        let (_, err) = ends(folder, line, 2);
        assert!(err.contains(why), "{line}: {err}");
    }
    let found = report(folder, "fit notes.txt --topics 2 --epochs 2 --min-df 0 --cache kept");
    assert!(!notes(&found).contains("left out") && notes(&found).contains("not kept in kept"), "{found}");
}

#[test]
fn numbers_in_refusals_are_short() {
    let folder = tempfile::tempdir().unwrap();
    for option in ["--alpha 1e-300", "--beta 1e300", "--beta-anneal 1e300", "--target 1e-300"] {
        let (_, err) = ends(folder.path(), &format!("fit pydoc {option}"), 2);
        let number = option.split(' ').next_back().unwrap();
        assert!(err.contains(&format!(" is {number}: ")) && err.len() < 200, "{err}");
    }
}

#[test]
fn phrases_are_words_of_the_model_and_of_what_it_is_used_on() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let notes = (0..40).map(|number| match number % 4 {
        0 => "the port of new york at the sea, a new ship\n",
        1 => "new york has a port at the sea\n",
        2 => "the sea at the port, a new mast\n",
        _ => "a ship at the sea of the port\n",
    });
    write(folder, "notes.txt", &notes.collect::<String>());
    let line = "fit notes.txt --topics 2 --epochs 5 --quiet --stop-words english";
    let (out, _) = ends(folder, &format!("{line} --phrases 1 --out run"), 0);
    assert!(out.contains("joined: 1 pair of words, such as new_york"), "{out}");
    let about = json(&folder.join("run/model.json"));
    assert_eq!(about["phrases"], serde_json::json!(["new york"]));
    let vocabulary = |about: &serde_json::Value| -> Vec<String> {
        about["vocabulary"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    assert!(vocabulary(&about).contains(&"new_york".to_owned()), "{about}");
    // A model without phrases has no such field.
    ends(folder, &format!("{line} --out plain"), 0);
    assert!(json(&folder.join("plain/model.json"))["phrases"].is_null());
    // `new york` is one word of new texts, too: by lines and by a table.
    write(folder, "new.txt", "new york\nyork\n");
    write(folder, "new.csv", "id,body\n1,new york\n2,york\n");
    for (data, threads) in [("new.txt", 1), ("new.csv --text body", 2)] {
        let (out, _) = ends(folder, &format!("infer run {data} --json --quiet --workers {threads}"), 0);
        let found: serde_json::Value = serde_json::from_str(&out).unwrap();
        let tokens: Vec<_> =
            (0..2).map(|at| (&found["documents"][at]["tokens"], &found["documents"][at]["prior"])).collect();
        assert_eq!(tokens[0], (&1.into(), &serde_json::Value::Null), "{out}");
    }
    // A run that goes on from the model reads texts as it did.
    ends(folder, "fit notes.txt --init run --epochs 2 --out more --quiet", 0);
    assert_eq!(json(&folder.join("more/model.json"))["phrases"], about["phrases"]);
    write(folder, "docword.a.txt", "2\n2\n2\n1 1 3\n2 2 4\n");
    for (line, why) in [
        ("fit docword.a.txt --phrases 5", "--phrases joins neighbouring words of texts, and this is docword"),
        ("fit notes.txt --phrases 5 --init run", "--phrases has no effect with --init"),
        ("fit pydoc --phrases 5", "--phrases has no effect on pydoc, which is known by name"),
        ("fit notes.txt --phrases 0", "--phrases"),
    ] {
        let (_, err) = ends(folder, line, 2);
        assert!(err.contains(why), "{line}: {err}");
    }
}

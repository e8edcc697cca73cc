//! The map in `summary.json` against the model's files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use raddle_cli::{Picture, PictureKind, Summary};
use raddle_common::testing::{not_empty, pairs};
use raddle_lda::{TopicWords, topic_map};

use super::sparse;
use crate::common::{ends, json, write};

/// The only picture of a run.
fn picture(run: &Path) -> Picture {
    let summary: Summary = serde_json::from_slice(&fs::read(run.join("summary.json")).unwrap()).unwrap();
    let [picture] = &summary.pictures[..] else { panic!("{}", summary.pictures.len()) };
    picture.clone()
}

fn is_near(rounded: f64, exact: f64) -> bool {
    (rounded - exact).abs() <= 1e-3 * exact.abs()
}

#[test]
fn the_map_of_a_fit_is_that_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let line = "fit pydoc --topics 7 --epochs 6 --out run";
    ends(folder.path(), line, 0);
    let run = folder.path().join("run");
    let (picture, model) = (picture(&run), json(&run.join("model.json")));
    assert_eq!(picture.kind, PictureKind::Map);
    let contents = &picture.contents;
    assert_eq!([&contents.member, &contents.item, &contents.example], ["topic", "word", "document"]);
    let vocabulary: BTreeMap<&str, usize> =
        model["vocabulary"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).zip(0..).collect();
    let ((topics, words), counts) = sparse(&run.join("topic_word_counts.npz"));
    let tokens: f64 = counts.iter().map(|entry| entry.2).sum();
    // Names and shares of the words, overall and in each topic.
    for (item, &overall) in pairs(&contents.items, &contents.overall) {
        let of_word = counts.iter().filter(|entry| entry.1 == vocabulary[&**item]).map(|entry| entry.2);
        assert!(is_near(overall, of_word.sum::<f64>() / tokens), "{item}");
    }
    let bytes = fs::read(run.join("topic_word.npy")).unwrap();
    let shares: Vec<f32> = bytes[bytes.len() - 4 * topics * words..]
        .chunks_exact(4)
        .map(|four| f32::from_le_bytes(four.try_into().unwrap()))
        .collect();
    for (topic, member) in pairs(0..topics, &contents.members) {
        assert_eq!(member.name, (topic + 1).to_string());
        let of_topic = counts.iter().filter(|entry| entry.0 == topic);
        assert!(is_near(member.share, of_topic.map(|entry| entry.2).sum::<f64>() / tokens));
        assert!(not_empty(&member.contains).all(|&(item, share)| {
            is_near(share, shares[topic * words + vocabulary[&*contents.items[item]]].into())
        }));
    }
    // The places are those of the library.
    let mut entries: Vec<(u32, u32, u32)> =
        counts.iter().map(|&(topic, word, count)| (word as u32, topic as u32, count as u32)).collect();
    entries.sort_unstable();
    let counts = TopicWords::from_counts((topics, words), entries.into_iter(), (Vec::new(), 0.0));
    let places = topic_map(&counts, &(0..topics).collect::<Vec<_>>());
    for (member, [x, y]) in pairs(&contents.members, places) {
        assert!(is_near(member.x, x) && is_near(member.y, y), "{member:?}");
    }
    // The documents with the largest shares, by number, as they have no names.
    let alpha = fs::read(run.join("alpha.npy")).unwrap();
    let alpha: Vec<f64> = alpha[alpha.len() - 8 * topics..]
        .chunks_exact(8)
        .map(|eight| f64::from_le_bytes(eight.try_into().unwrap()))
        .collect();
    let (_, rows) = sparse(&run.join("doc_topic.npz"));
    let mut lengths = BTreeMap::new();
    rows.iter().for_each(|&(document, _, count)| *lengths.entry(document).or_insert(0.0) += count);
    let prior: f64 = alpha.iter().sum();
    for (topic, member) in pairs(0..topics, &contents.members) {
        let of_topic = rows.iter().filter(|entry| entry.1 == topic);
        let share = |&(document, _, count): &(usize, usize, f64)| {
            ((count + alpha[topic]) / (lengths[&document] + prior), document)
        };
        let mut order: Vec<(f64, usize)> = of_topic.map(share).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        assert_eq!(member.examples.len(), 5);
        for ((name, share), (exact, document)) in pairs(&member.examples, &order[..5]) {
            assert!(
                *name == (document + 1).to_string() && is_near(*share, *exact),
                "{topic}: {name} {share}"
            );
        }
    }
    // The map follows from the model alone.
    ends(folder.path(), &format!("{line} --workers 3 --force"), 0);
    assert_eq!(self::picture(&run), picture);
}

#[test]
fn documents_have_their_names_and_words_without_texts_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.csv", "url,body\nharbour,ship sea ship\nkitchen,bread butter bread\n");
    let line = "fit a.csv --text body --id url --topics 2 --epochs 4 --validation none --out named";
    ends(folder.path(), line, 0);
    let examples = picture(&folder.path().join("named")).contents.members;
    let names: Vec<String> = examples.into_iter().flat_map(|member| member.examples).map(|of| of.0).collect();
    assert!(not_empty(&names).all(|name| ["harbour", "kitchen"].contains(&&**name)), "{names:?}");
    write(folder.path(), "docword.b.txt", "2\n3\n3\n1 1 5\n2 3 4\n2 2 1\n");
    ends(folder.path(), "fit docword.b.txt --topics 2 --epochs 4 --validation none --out numbered", 0);
    let items = picture(&folder.path().join("numbered")).contents.items;
    assert_eq!(items, ["word 1", "word 2", "word 3"]);
}

#[test]
fn what_is_said_as_json_has_no_map() {
    let folder = tempfile::tempdir().unwrap();
    for line in ["fit pydoc --topics 3 --epochs 2 --json", "fit pydoc --topics 3 --epochs 2 --json --out run"]
    {
        let (out, _) = ends(folder.path(), line, 0);
        assert!(!out.contains("contents") && !out.contains("pictures"), "{out}");
    }
    let (out, _) = ends(folder.path(), "topics run --json", 0);
    assert!(out.contains("tables") && !out.contains("pictures"), "{out}");
}

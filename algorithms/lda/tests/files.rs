//! Models in folders: the library's are those of the program, and are read back unchanged.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use raddle_common::testing::json;
use raddle_datasets::{Corpus, embedded};
use raddle_lda::files::{Saved, ToSave};
use raddle_lda::{Fit, HoldOut, Inference, Lda, Preparation, Problem};

use crate::common::{ends, model};

fn fit(corpus: &Corpus, preparation: &Preparation, set: impl FnOnce(Lda) -> Lda) -> Fit {
    set(Lda::params().topics(6).epochs(10)).fit(Problem::new(corpus, preparation).unwrap()).unwrap()
}

/// Returns the files of a model, without those that only a run has.
fn files(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = model(run);
    let about = serde_json::from_slice::<serde_json::Value>(&files["model.json"]).unwrap();
    let own = ["files", "sha256"];
    let about = about.as_object().unwrap().iter().filter(|(name, _)| !own.contains(&name.as_str()));
    let about: BTreeMap<_, _> = about.collect();
    files.insert("model.json".into(), serde_json::to_vec(&about).unwrap());
    files.remove("summary.json");
    files
}

#[test]
fn a_fit_is_saved_as_the_program_saves_it_and_opened_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = embedded::pydoc();
    for (options, preparation, set) in [
        ("", Preparation::default(), (|lda| lda) as fn(Lda) -> Lda),
        (
            " --fixed-priors --validation none",
            Preparation { validation: HoldOut::None, ..Preparation::default() },
            |lda| lda.fixed_priors(true),
        ),
    ] {
        let line = format!("fit pydoc --topics 6 --epochs 10 --workers 2 --out run --force{options}");
        ends(folder.path(), &line, 0);
        let fit = fit(&corpus, &preparation, set);
        let (program, library) = (folder.path().join("run"), folder.path().join("saved"));
        fit.save(&library, &corpus).unwrap();
        let (there, here) = (files(&program), files(&library));
        assert_eq!(there.keys().collect::<Vec<_>>(), here.keys().collect::<Vec<_>>());
        for (name, bytes) in &there {
            assert!(here[name] == *bytes, "{name}: {}", String::from_utf8_lossy(&here[name]));
        }
        assert_eq!(json(&program.join("report.json"))["model_digest"], fit.digest());

        for run in [&program, &library] {
            let saved = Saved::open(run).unwrap();
            assert_eq!((saved.digest(), &saved.counts), (fit.digest(), &fit.topic_words()));
            assert_eq!((&*saved.model.alpha, saved.model.beta), (fit.alpha(), fit.beta()));
            assert_eq!(saved.model.held_out_documents, fit.held_out_documents() as u64);
            assert_eq!(saved.evaluations().unwrap(), fit.evaluations());
            let (documents, rows) = (saved.documents().unwrap(), fit.document_topics());
            for document in 0..fit.documents() {
                let of = |topic: usize| documents.counts.get(document, topic).copied();
                let found = (0..6).filter_map(|topic| Some((topic as u32, of(topic)? as u32)));
                assert_eq!(found.collect::<Vec<_>>(), rows.of(document), "document {document}");
            }
            // What was read is written again to the byte.
            let again = folder.path().join("again");
            let names = documents.names.as_ref().map(|names| names.iter().map(String::as_str).collect());
            let parts = ToSave {
                model: &saved.model,
                counts: &saved.counts,
                topics_of: &|document| rows.of(document),
                names: names.as_ref(),
                evaluations: &saved.evaluations().unwrap(),
            };
            parts.save(&again).unwrap();
            assert_eq!(files(&again), here);
            std::fs::remove_dir_all(again).unwrap();
        }
        // The program reads what the library wrote.
        let (listed, _) = ends(folder.path(), "topics saved --words 3", 0);
        assert_eq!(listed, ends(folder.path(), "topics run --words 3", 0).0);
        assert!(fit.save(&library, &corpus).unwrap_err().to_string().contains("it holds a run of lda"));
        std::fs::remove_dir_all(library).unwrap();
    }
}

#[test]
fn documents_are_scored_as_those_held_out_of_the_fit() {
    let corpus = embedded::pydoc();
    let test = Corpus::from_documents(
        corpus.words(),
        (0..40).map(|at| corpus.document(3 * at).map(|(word, count)| (word, u64::from(count))).collect()),
    );
    let test = test.unwrap();
    let held = HoldOut::Corpus(Box::new(test.clone()));
    let preparation = Preparation { test: held, ..Preparation::default() };
    // Priors that stay, so that those of the last evaluation are those of the result.
    let fit = fit(&corpus, &preparation, |lda| lda.fixed_priors(true));
    let last = fit.evaluations().last().unwrap();
    assert_eq!(last.epoch, fit.report.epochs);
    let inference = Arc::new(Inference::new(&fit.topic_words(), fit.alpha().to_vec()).unwrap());
    let test = Arc::new(test);
    let scores = [1, 2, 3].map(|workers| inference.score(&test, workers).unwrap());
    assert!(scores[0] == scores[1] && scores[1] == scores[2]);
    let (found, expected) = (scores[0].perplexity().unwrap(), last.test.unwrap());
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
}

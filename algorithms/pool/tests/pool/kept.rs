//! Journals and queues outlive the process of their pool.

use std::fs;

use proptest::prelude::*;
use raddle_pool::pool::journal::{Journal, NAME};
use raddle_pool::pool::queue::Queue;
use raddle_pool::pool::{Carried, EventKind, Keep as _, Pool, Request, Settings, by_count, by_wall};
use tempfile::TempDir;

use super::played::{Kept, Kill, Part, Played, figures, new, parts, replayed, settings};

fn long_first() -> Vec<Part> {
    vec![Part::new("a", 0.0, 4, vec![4.0; 6]), Part::new("b", 1.0, 4, vec![2.0; 4])]
}

/// The folder of a pool that was run to its end, and all stored lines.
fn written(settings: &Settings, parts: &[Part]) -> (TempDir, Vec<Kept>) {
    let mut keep = Kill::default();
    let mut runs = Played::new(parts, true, 1);
    if settings.is_counted() {
        let mut replay = replayed(settings, &[]);
        let news = new(&replay.pool, parts);
        assert_eq!(by_count(&mut replay, news, &mut runs, &mut keep), Ok(Carried::Over));
    } else {
        let mut pool = Pool::new(settings.clone()).unwrap();
        let news = new(&pool, parts);
        assert_eq!(by_wall(&mut pool, news, &mut runs, &mut keep), Ok(Carried::Over));
    }
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), 5.0, settings).unwrap();
    for line in &keep.kept {
        match line {
            Kept::Event(event) => journal.event(event).unwrap(),
            Kept::Told(what) => journal.told(what).unwrap(),
        }
    }
    (folder, keep.kept)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_journal_cut_anywhere_gives_the_pool_of_that_time(
        settings in settings(),
        parts in parts(),
        is_counted in any::<bool>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let settings = if is_counted { settings.counted() } else { settings };
        let (folder, kept) = written(&settings, &parts);
        let path = folder.path().join(NAME);
        let text = fs::read(&path).unwrap();
        let first = text.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let cut = first + cut.index(text.len() - first + 1);
        fs::write(&path, &text[..cut]).unwrap();
        let whole = text[..cut].iter().filter(|byte| **byte == b'\n').count() - 1;
        let opened = Journal::read(folder.path()).unwrap().unwrap();
        prop_assert_eq!(figures(&opened.replay.pool), figures(&replayed(&settings, &kept[..whole]).pool));
        prop_assert_eq!(opened.note.is_some(), text[cut - 1] != b'\n');
        prop_assert_eq!((&opened.head.settings, opened.head.began), (&settings, 5.0));
        // Appended lines follow the last complete line.
        let mut journal = Journal::go_on(folder.path(), &opened).unwrap();
        for line in &kept[whole..] {
            match line {
                Kept::Event(event) => journal.event(event).unwrap(),
                Kept::Told(what) => journal.told(what).unwrap(),
            }
        }
        prop_assert_eq!(fs::read(&path).unwrap(), text);
    }
}

#[test]
fn a_line_that_is_changed_lost_or_put_in_is_refused_by_its_number() {
    let (folder, _) = written(&Settings::new(4, "greedy"), &long_first());
    let path = folder.path().join(NAME);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() > 8);
    let refused = |lines: Vec<String>| {
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        match Journal::read(folder.path()) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("{lines:?}"),
        }
    };
    let owned = || lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let mut changed = owned();
    changed[3] = changed[3].replacen("\"at\":", "\"at\":1", 1);
    let mut lost = owned();
    lost.remove(4);
    let mut twice = owned();
    twice.insert(5, twice[5].clone());
    let mut other = owned();
    other[2] = "{}".into();
    for (lines, line) in [(changed, 4), (lost, 5), (twice, 7), (other, 3)] {
        let error = refused(lines);
        assert!(error.contains(&format!("{NAME}:{line}: ")) && error.contains("--out"), "{error}");
    }
    let mut headless = owned();
    headless.remove(0);
    assert!(refused(headless).contains(&format!("{NAME}:1: ")));
}

#[test]
fn a_folder_without_a_pool_has_no_journal_and_one_with_a_pool_begins_no_second() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Journal::read(folder.path()).unwrap().is_none());
    Journal::create(folder.path(), 0.0, &Settings::new(2, "fifo")).unwrap();
    assert!(Journal::create(folder.path(), 0.0, &Settings::new(2, "fifo")).is_err());
    assert!(Journal::read(folder.path()).unwrap().unwrap().replay.pool.fits().is_empty());
}

#[test]
fn wishes_are_told_in_order_and_stay_until_they_were_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::of(folder.path()).unwrap();
    let other = Queue::of(folder.path()).unwrap();
    let requests = ["a", "b"].map(|name| Request::new(name, &["lasso", "fit"], 2));
    queue.submit(&requests[0]).unwrap();
    other.submit(&requests[1]).unwrap();
    other.cancel("a").unwrap();
    assert_eq!(queue.submitted().unwrap(), requests);
    fs::write(folder.path().join("queue/000000.json"), "{").unwrap();
    let wishes = [
        EventKind::Submitted(vec![requests[0].clone()]),
        EventKind::Submitted(vec![requests[1].clone()]),
        EventKind::Cancelled { job: "a".into() },
    ];
    // The request was returned, but the process was killed before it asked for the next.
    assert_eq!(queue.oldest().unwrap().as_ref(), Some(&wishes[0]));
    assert!(queue.notes()[0].contains("set aside"), "a file that is no wish");
    let mut again = Queue::of(folder.path()).unwrap();
    for wish in &wishes {
        assert_eq!(again.oldest().unwrap().as_ref(), Some(wish));
    }
    assert_eq!(again.oldest().unwrap(), None);
    let left: Vec<_> =
        fs::read_dir(folder.path().join("queue")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["000000.refused"]);
}

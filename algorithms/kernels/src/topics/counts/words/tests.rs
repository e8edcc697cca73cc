//! Rows of words: what is written, what is refused, and what they say.

use super::*;
use raddle_base::state::{from_bytes, to_bytes};

#[test]
fn unused_room_is_not_written() {
    let mut rows = WordRows::new([900; 50].into_iter(), 1000, None);
    let empty = to_bytes(&rows).len();
    assert!(empty < 50 * 12 + 200, "{empty} bytes for {} places", rows.topics.len());
    for word in 0..50 {
        rows.put(word, (0..word as u32).map(|topic| (topic * 3, topic + 1)));
    }
    // Six bytes per entry.
    assert_eq!(to_bytes(&rows).len(), empty + 6 * (0..50).sum::<usize>());
    // Values in unused capacity make no difference.
    let bytes = to_bytes(&rows);
    let copy: WordRows = from_bytes(&bytes).expect("what was written");
    assert_eq!(copy, rows);
    let last = rows.topics.len() - 1;
    (rows.topics[last], rows.counts[last]) = (7, 9);
    assert_eq!(to_bytes(&rows), bytes);
}

#[test]
fn dropped_room_takes_nothing_of_what_is_said() {
    let mut rows = WordRows::new([900, 3, 0, 40].into_iter(), 1000, Some(70));
    rows.put(0, [(999, 1), (4, 7)].into_iter());
    rows.put(3, (0..40).map(|topic| (topic * 3, topic + 1)));
    let (before, bytes) = (rows.clone(), rows.bytes());
    assert!(before.room(1) == 3 && before.topics.len() > 45);
    rows.drop_training_data();
    let said = |rows: &WordRows| (0..4).map(|word| rows.of(word).collect::<Vec<_>>()).collect::<Vec<_>>();
    assert_eq!((said(&rows), rows.bytes()), (said(&before), bytes));
    assert_eq!((rows.topics.len(), rows.counts.len()), (40, 40));
    let copy: WordRows = from_bytes(&to_bytes(&rows)).expect("what was written");
    assert_eq!((copy.bytes(), copy), (bytes, rows));
}

#[test]
fn rows_that_do_not_fit_together_are_refused() {
    let mut rows = WordRows::new([3, 5].into_iter(), 10, None);
    rows.put(1, [(4, 2), (6, 1)].into_iter());
    let with = |change: fn(&mut WordRows)| {
        let mut changed = rows.clone();
        change(&mut changed);
        let mut out = Writer::default();
        out.write(&changed.starts);
        out.write(&changed.lengths);
        out.write(&changed.topics[3..5].to_vec());
        out.write(&changed.counts[3..5].to_vec());
        out.write(&changed.full);
        out.write(&changed.drop_training_data);
        from_bytes::<WordRows>(&out.into_bytes())
    };
    assert_eq!(with(|_| ()).expect("as it was"), rows);
    assert!(with(|rows| rows.starts[0] = 1).is_err());
    assert!(with(|rows| rows.starts[1] = 9).is_err());
    assert!(with(|rows| rows.starts[2] = u64::MAX).is_err());
    assert!(with(|rows| rows.lengths[1] = 6).is_err());
    assert!(with(|rows| rows.lengths[0] = 1).is_err());
    assert!(with(|rows| rows.lengths.push(0)).is_err());
}

#[test]
fn a_list_has_room_for_what_its_word_can_have() {
    let rows = WordRows::new([3, 0, 200_000].into_iter(), 65_536, None);
    assert_eq!((rows.starts, rows.topics.len()), (vec![0, 3, 3, 65_539], 65_539));
}

#[test]
fn full_rows_are_for_words_with_many_tokens_and_say_the_same() {
    let tokens = [3, 0, 200_000, 40, 16, 15];
    let mut rows = WordRows::new(tokens.into_iter(), 20, Some(2));
    assert_eq!(rows.full.places, [0, 0, 1, 2, 3, 0]);
    assert_eq!((rows.starts.clone(), rows.full.rows.len()), (vec![0, 4, 5, 5, 5, 5, 21], 3 * 2));
    let row = rows.full.row_mut::<2>(3).expect("a full row");
    (row[1].0[2], row[0].0[15]) = (7.0, 65_536.0);
    assert_eq!(rows.of(3).collect::<Vec<_>>(), [(15, 65_536), (18, 7)]);
    (rows.lengths[0], rows.topics[0], rows.counts[0]) = (1, 19, 3);
    assert_eq!(rows.of(0).collect::<Vec<_>>(), [(19, 3)]);
    assert_eq!(rows.of(2).count(), 0);
    let copy: WordRows =
        raddle_base::state::from_bytes(&raddle_base::state::to_bytes(&rows)).expect("what was written");
    assert_eq!(copy, rows);
}

/// Makes three words with lists and two with full rows of two lines, of 20 topics.
fn checked() -> WordRows {
    let mut rows = WordRows::new([3, 0, 200, 40, 5].into_iter(), 20, Some(2));
    assert_eq!(rows.full.places, [0, 0, 1, 2, 0]);
    rows.put(0, [(19, 3), (4, 1)].into_iter());
    rows.put(2, [(0, 9), (17, 1)].into_iter());
    rows.put(3, [(19, 40)].into_iter());
    rows.put(4, [(7, 5)].into_iter());
    rows
}

#[test]
fn rows_that_no_run_counts_are_not_sound() {
    assert!(checked().are_sound(5, 20, 2));
    let last = checked().topics.len();
    type Change = Box<dyn Fn(&mut WordRows)>;
    let rows: Vec<(&str, Change)> = vec![
        ("a count of 0", Box::new(|rows| rows.counts[1] = 0)),
        ("a topic twice", Box::new(|rows| rows.topics[1] = 19)),
        ("a topic that there is not", Box::new(|rows| rows.topics[0] = 20)),
        ("more topics than room", Box::new(|rows| rows.lengths[0] = 5)),
        ("a first row that begins later", Box::new(|rows| rows.starts[0] = 1)),
        ("rows that go back", Box::new(|rows| rows.starts[1] = 9)),
        ("a last row that ends earlier", Box::new(|rows| *rows.starts.last_mut().unwrap() -= 1)),
        ("a word too few", Box::new(|rows| rows.lengths.truncate(rows.lengths.len() - 1))),
        ("a start too many", Box::new(move |rows| rows.starts.push(last as u64))),
        ("topics without counts", Box::new(|rows| rows.topics.push(0))),
        ("counts without topics", Box::new(|rows| rows.counts.push(0))),
        ("full rows of another width", Box::new(|rows| rows.full.width = 4)),
        ("a full row too few", Box::new(|rows| rows.full.rows.truncate(2))),
        ("half a full row more", Box::new(|rows| rows.full.rows.push(FloatLine::default()))),
        ("a full row for two words", Box::new(|rows| rows.full.places[3] = 1)),
        ("a full row for nobody", Box::new(|rows| rows.full.places[3] = 0)),
        ("a place too few", Box::new(|rows| rows.full.places.truncate(rows.full.places.len() - 1))),
        ("a full count below 0", Box::new(|rows| rows.full.rows[0].0[3] = -1.0)),
        ("half a count", Box::new(|rows| rows.full.rows[0].0[3] = 0.5)),
        ("a count that is no number", Box::new(|rows| rows.full.rows[0].0[3] = f32::NAN)),
        ("more than such a count tells apart", Box::new(|rows| rows.full.rows[0].0[3] = 2.0 * MOST)),
        ("a full count of a topic that there is not", Box::new(|rows| rows.full.rows[1].0[4] = 1.0)),
    ];
    for (what, change) in rows {
        let mut changed = checked();
        change(&mut changed);
        assert!(!changed.are_sound(5, 20, 2), "{what}");
    }
    assert!(
        !checked().are_sound(5, 19, 2) && !checked().are_sound(4, 20, 2) && !checked().are_sound(5, 20, 0)
    );
}

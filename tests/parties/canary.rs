//! Nothing of the rows leaves a party: marked numbers and texts are searched in all that crossed.

use std::os::unix::fs::FileExt as _;
use std::process::Command;

use raddle::exact::{ExactSums, Grid};

use super::kills::slow_run;
use super::*;

/// Marked numbers, by column, and their greatest power of two.
const MARKED: [(f64, f64); 2] = [(47.123_457, 128.0), (88.987_653, 512.0)];
const TEXT: &str = "Wilhelmina Canary";

/// Forms of a number in bytes: as a float, as a text, and as a multiple of a power of two, scaled or not.
fn forms(number: f64, scale: f64) -> Vec<Vec<u8>> {
    let mut forms = vec![
        number.to_le_bytes().to_vec(),
        number.to_be_bytes().to_vec(),
        (number as f32).to_le_bytes().to_vec(),
        (number / scale).to_le_bytes().to_vec(),
        ((number / scale) as f32).to_le_bytes().to_vec(),
        format!("{number}").into_bytes(),
    ];
    for value in [number, number / scale] {
        let fixed = (20..56).map(|bits| (value * 2_f64.powi(bits)).round() as i64);
        forms.extend(fixed.map(|fixed| fixed.to_le_bytes().to_vec()));
    }
    forms
}

/// The forms of the marks that are somewhere in these bytes.
fn found(bytes: &[u8]) -> Vec<Vec<u8>> {
    let all = MARKED.iter().flat_map(|&(number, scale)| forms(number, scale));
    let mut all: Vec<Vec<u8>> = all.chain([TEXT.as_bytes().to_vec()]).collect();
    // Few places begin as one of them does.
    let first = |form: &[u8]| usize::from(form[0]) << 8 | usize::from(form[1]);
    let mut begins = vec![false; 1 << 16];
    all.iter().for_each(|form| begins[first(form)] = true);
    let places: Vec<usize> =
        (0..bytes.len().saturating_sub(1)).filter(|&at| begins[first(&bytes[at..])]).collect();
    all.retain(|form| places.iter().any(|&at| bytes[at..].starts_with(form)));
    all
}

/// All bytes in the files of a folder.
fn content(folder: &Path) -> Vec<u8> {
    let files = fs::read_dir(folder).unwrap().flatten().map(|one| one.path());
    let read = |path: PathBuf| if path.is_dir() { content(&path) } else { fs::read(&path).unwrap() };
    files.flat_map(read).collect()
}

/// Records what this command, and those that it starts, send over sockets, before it is encrypted.
fn recorded(of: &Parties, mut command: Command) -> Command {
    let folder = of.path().join("sent");
    fs::create_dir_all(&folder).unwrap();
    command.env("RADDLE_RECORD", folder);
    command
}

/// Fits over the parties and records what they send; returns what the launcher says.
fn fitted(of: &Parties, fit: &str) -> String {
    let launch = "raddle launch --parties ../parties.toml --key ../coordinator.key --";
    let hub = of.path().join("hub");
    let launcher = Launched::of(&hub, recorded(of, command(&hub, &format!("{launch} {fit}"))));
    let join = |name: &&str| {
        let (folder, accept) = (of.path().join(name), of.digest(name, ""));
        let line = of.line(name, &format!("--accept {accept}"));
        Launched::of(&folder, recorded(of, command(&folder, &line)))
    };
    let joined: Vec<Launched> = NAMES.iter().map(join).collect();
    for party in joined {
        let (code, said) = end(party);
        assert_eq!(code, Some(0), "{said}");
    }
    let (code, said) = end(launcher);
    assert_eq!(code, Some(0), "{said}");
    said
}

/// Parties of which one has a row of marked numbers, and a marked text in each row.
fn marked() -> Parties {
    let of = Parties::new();
    let [(age, _), (pulse, _)] = MARKED;
    let marked = format!("{}{age},{pulse},yes,ill\n", of.rows("north"));
    let with_names =
        marked.lines().fold("name,".to_owned() + HEAD, |text, line| text + TEXT + "," + line + "\n");
    fs::write(of.path().join("north/own.csv"), with_names).unwrap();
    assert!(!found(&content(&of.path().join("north"))).is_empty());
    of
}

#[test]
fn no_marked_number_and_no_text_leaves_its_party() {
    let of = marked();
    let said = fitted(&of, FIT);
    let sent = content(&of.path().join("sent"));
    assert!(sent.len() > 1 << 12, "{} bytes crossed", sent.len());
    for (bytes, what) in [
        (sent, "sockets"),
        (content(&of.path().join("hub")), "the coordinator's folder"),
        (said.into_bytes(), "streams"),
    ] {
        assert_eq!(found(&bytes), Vec::<Vec<u8>>::new(), "{what}");
    }
    for other in ["east", "south"] {
        assert_eq!(found(&content(&of.path().join(other))), Vec::<Vec<u8>>::new(), "{other}");
    }
    let [(age, _), (pulse, _)] = MARKED;
    // Without pins, rows cross when their process leaves.
    fs::remove_dir_all(of.path().join("sent")).unwrap();
    let line = "raddle launch --processes 2 -- linear fit own.csv --y sick --loss logistic --by sums --drop name \
                --rescale 1:1 --out moved";
    let north = of.path().join("north");
    assert!(recorded(&of, command(&north, line)).output().unwrap().status.success());
    let sent = found(&content(&of.path().join("sent")));
    assert!(sent.contains(&age.to_le_bytes().to_vec()) && sent.contains(&pulse.to_le_bytes().to_vec()));
}

/// All that a process has in its memory but zeros.
fn memory(process: u32) -> Vec<u8> {
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap();
    let memory = fs::File::open(format!("/proc/{process}/mem")).unwrap();
    let regions = maps.lines().filter_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (from, to) = range.split_once('-')?;
        let [from, to] = [from, to].map(|hex| u64::from_str_radix(hex, 16).unwrap());
        let mut bytes = vec![0; (to - from) as usize];
        // Of some regions the system shows nothing.
        (rest.starts_with("rw") && memory.read_exact_at(&mut bytes, from).is_ok()).then_some(bytes)
    });
    let pages = regions.flat_map(|region| region.chunks(1 << 12).map(<[u8]>::to_vec).collect::<Vec<_>>());
    pages.filter(|page| page.iter().any(|&byte| byte != 0)).flatten().collect()
}

#[test]
fn the_coordinators_memory_has_no_number_of_a_party_and_no_key_of_one() {
    let of = marked();
    let (launcher, mut parties) = slow_run(&of, &NAMES, "");
    parties[0].await_epoch(3);
    let memory = memory(launcher.launcher.id());
    let has = |bytes: &[u8]| memory.windows(bytes.len()).any(|window| window == bytes);
    let key = |name: &str| {
        let text = fs::read_to_string(of.path().join(format!("{name}.key"))).unwrap();
        let byte = |at: usize| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap();
        (0..32).map(byte).collect::<Vec<u8>>()
    };
    // What it knows is found.
    assert!(has(&key("coordinator")) && has(b"pulse = [20, 300]"));
    assert!(NAMES.iter().all(|name| !has(&key(name))));
    assert_eq!(found(&memory), Vec::<Vec<u8>>::new());
}

#[test]
fn sums_of_one_party_cross_only_where_masks_are_left_out() {
    for (more, is_open) in [("", false), ("--sum exact", true)] {
        let of = Parties::new();
        fitted(&of, &format!("{FIT} {more}"));
        // The sum of a column in the first round, scaled by its bound, as four shards add it up: the low
        // word.
        let rows = of.rows("south");
        let ages = rows.lines().map(|row| row.split(',').next().unwrap().parse::<f64>().unwrap());
        let ages: Vec<f64> = ages.collect();
        let low = |shard: usize| {
            let mut sums = ExactSums::wide(Grid::new(1.0, 1 << 32).unwrap(), 1);
            let rows = &ages[ages.len() * shard / 4..ages.len() * (shard + 1) / 4];
            rows.iter().for_each(|age| sums.add(&[age / 128.0]).unwrap());
            sums.words()[1]
        };
        let word = (0..4).map(low).sum::<i64>().to_le_bytes();
        let sent = content(&of.path().join("sent"));
        assert_eq!(sent.windows(8).any(|window| window == word), is_open, "{more}");
    }
}

//! Small whole files of every kind, models and runs made from them; and commands on such files after a
//! change.

use std::fs;
use std::path::{Path, PathBuf};

use super::Case;
use super::dice::Dice;
use crate::commands::ends;

/// The folder with the files, models and runs that all cases begin with.
pub(crate) struct Inputs(PathBuf);

/// Fits of the models, by the names of their folders.
pub(crate) const MODELS: [(&str, &str); 10] = [
    ("lasso.run", "lasso fit data.csv --y y --ratio 50"),
    ("lasso.text", "lasso fit cities.csv --y y --ratio 50 --missing mean"),
    ("lasso.classes", "lasso fit classes.csv --y y --loss logistic"),
    ("lasso.path", "lasso path data.csv --y y --points 3"),
    ("mf.run", "mf fit ratings.tsv --rank 2 --epochs 2 --validation none"),
    ("mf.clicks", "mf fit ratings.tsv --rank 2 --epochs 2 --implicit --solver als --validation none"),
    ("mf.names", "mf fit names.csv --rank 3 --epochs 2 --solver als --validation none"),
    ("lda.run", "lda fit notes.txt --topics 2 --epochs 3 --validation none"),
    ("linear.run", "linear fit classes.csv --y y"),
    ("linear.classes", "linear fit cities.csv --y city --missing mean --loss logistic --scale"),
];

/// Commands on the files of the folder, and the files that each of them reads.
const READERS: [(&str, &[&str]); 31] = [
    ("lasso fit data.csv --y y", &["data.csv"]),
    ("lasso fit cities.csv --y y --missing mean", &["cities.csv"]),
    ("lasso fit classes.csv --y y --loss logistic", &["classes.csv"]),
    ("lasso fit data.svm --zero-based", &["data.svm"]),
    ("lasso path data.mtx --y y.txt --points 3", &["data.mtx", "y.txt"]),
    ("lasso cv data.csv --y y --folds 2 --points 3", &["data.csv"]),
    ("lasso predict lasso.run data.csv", &["data.csv"]),
    ("lasso predict lasso.text cities.csv", &["cities.csv"]),
    ("lasso fit - --y y", &["data.csv"]),
    ("mf fit ratings.tsv --rank 2 --epochs 2", &["ratings.tsv"]),
    ("mf fit ratings.tsv --rank 2 --epochs 2 --implicit --solver als", &["ratings.tsv"]),
    ("mf fit names.csv --rank 2 --epochs 2 --test last:0.2", &["names.csv"]),
    ("mf cv ratings.tsv --ranks 1,2 --regs 0.1 --folds 2 --epochs 2", &["ratings.tsv"]),
    ("mf recommend mf.run --users users.txt --only users.txt --top 2", &["users.txt"]),
    ("mf recommend mf.run --exclude ratings.tsv --without users.txt", &["ratings.tsv", "users.txt"]),
    ("mf similar mf.run users.txt --top 2", &["users.txt"]),
    ("mf predict mf.names names.csv", &["names.csv"]),
    ("mf fold-in mf.run ratings.tsv --top 2", &["ratings.tsv"]),
    ("lda fit docword.txt --vocab vocab.txt --topics 2 --epochs 2", &["docword.txt", "vocab.txt"]),
    ("lda fit notes.txt --word-priors priors.tsv --topics 2 --epochs 2", &["priors.tsv", "notes.txt"]),
    ("lda fit notes.txt --stop-words stop.txt --topics 2 --epochs 2", &["stop.txt", "notes.txt"]),
    ("lda fit posts.csv --text body --id url --topics 2 --epochs 2", &["posts.csv"]),
    ("lda fit notes.txt --topics 3 --epochs 2 --test split --coherence", &["notes.txt"]),
    ("lda cv notes.txt --topics 1,2 --folds 2 --epochs 2", &["notes.txt"]),
    ("lda topics lda.run posts.csv --text body --by kind", &["posts.csv"]),
    ("lda infer lda.run notes.txt", &["notes.txt"]),
    ("lda infer lda.run docword.txt --vocab vocab.txt", &["docword.txt", "vocab.txt"]),
    ("linear fit classes.csv --y y --loss hinge", &["classes.csv"]),
    ("linear fit cities.csv --y city --missing drop --weights x --drop id", &["cities.csv"]),
    ("linear cv classes.csv --y y --folds 2 --C 0.1,1", &["classes.csv"]),
    ("linear predict linear.classes cities.csv --y city", &["cities.csv"]),
];

impl Inputs {
    pub(crate) fn new(folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap();
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
        let rows = |row: &dyn Fn(usize) -> String| (0..12).map(row).collect::<String>();
        write("data.csv", &format!("a,b,y\n{}", rows(&|i| format!("{},{},{}\n", i % 5, (i * i) % 7, i))));
        let city = |i: usize| ["Oslo", "Rome", "\"La Paz, B\"", ""][i % 4];
        write(
            "cities.csv",
            &format!("id,city,x,y\n{}", rows(&|i| format!("k{i},{},{},{}\n", city(i), i % 5, i * i % 7))),
        );
        let class = |i: usize| u8::from(i * i % 7 > 2);
        write(
            "classes.csv",
            &format!("a,b,y\n{}", rows(&|i| format!("{},{},{}\n", i % 5, i * 3 % 4, class(i)))),
        );
        write("data.svm", &rows(&|i| format!("{i} 0:{} 3:{}\n", i % 5, (i * i) % 7)));
        write(
            "data.mtx",
            "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n2 2 3\n3 3 1\n3 1 5\n",
        );
        write("y.txt", "1\n2\n4\n");
        let times = rows(&|i| format!("u{},\"i, {}\",{},{}\n", i % 4, i * 3 % 5, 1 + i % 5, 100 + i));
        write("names.csv", &format!("user,item,rating,time\n{times}"));
        let ratings = (0..20).map(|i| format!("{}\t{}\t{}\n", i % 4, (i * 3) % 5, 1 + i % 5));
        write("ratings.tsv", &ratings.collect::<String>());
        write("users.txt", "0\n2\n3\n");
        write("docword.txt", "3\n4\n5\n1 1 2\n1 2 1\n2 3 4\n3 1 1\n3 4 2\n");
        write("vocab.txt", "sea\nship\nharbour\nlog\n");
        write(
            "notes.txt",
            "the ship sails the sea\nthe sea and the ship\nbread and butter\nbutter the bread\n",
        );
        write("posts.csv", "url,body,kind\n/a,\"the ship, at sea\",x\n/b,the harbour,y\n/c,the ship,x\n");
        write("priors.tsv", "1 sea 2\n2 bread 1.5\n");
        write("stop.txt", "the\nand\n");
        for (name, fit) in MODELS {
            ends(folder, &format!("{fit} --quiet --out {name}"), 0);
        }
        // A command of the list that fails by itself would try nothing.
        for (line, files) in READERS {
            let line = line.replace(" - ", &format!(" {} ", files[0]));
            let code = crate::commands::run(folder, &format!("{line} --quiet"));
            assert!(matches!(code.code, Some(0 | 3)), "{line}: {}", code.err);
        }
        Self(folder.into())
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    /// Gives a case all the files of data.
    pub(crate) fn copy_files(&self, folder: &Path) {
        fs::create_dir(folder).unwrap();
        for entry in fs::read_dir(&self.0).unwrap().map(Result::unwrap) {
            if entry.path().is_file() {
                fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
            }
        }
    }

    /// Gives a case the models that its command names, unless it has brought them.
    pub(crate) fn copy_models(&self, case: &Case) {
        for word in &case.words {
            let name = word.rsplit('=').next().unwrap();
            let (whole, place) = (self.0.join(name), case.folder.join(name));
            if MODELS.iter().any(|(model, _)| *model == name) && !place.exists() {
                raddle_common::testing::copy_folder(&whole, &place);
            }
        }
    }
}

/// One of the commands, with a file that was changed.
pub(crate) fn case(inputs: &Inputs, folder: &Path, dice: &mut Dice) -> Case {
    let (line, files) = READERS[dice.roll(READERS.len())];
    for file in files {
        if files.len() == 1 || dice.roll(2) == 0 {
            let mut bytes = fs::read(inputs.folder().join(file)).unwrap();
            dice.change(&mut bytes, 0);
            fs::write(folder.join(file), bytes).unwrap();
        }
    }
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    if dice.roll(2) == 0 {
        words.push("--json".into());
    }
    if [" fit ", " path ", " cv "].iter().any(|verb| line.contains(verb)) {
        words.push("--time-limit=0.3".into());
    }
    let stdin = line.contains(" - ").then(|| folder.join(files[0]));
    Case { folder: folder.into(), words, stdin }
}

//! Delimited text in dialects that people use: every verb reads the same ones.

use std::fs;

use super::program::{ends, report, scratch};

const FIT: &str = "--rank 2 --epochs 3 --validation none";

#[test]
fn each_rating_counts_however_it_is_written() {
    let folder = scratch();
    for (name, text, options, sizes) in [
        ("hash.csv", "user,item,rating\n#1,x,5\n#2,x,3\nu3,y,4\nu3,x,2\n", "", [3, 2, 4]),
        ("bare.csv", "#1,x,5\n#2,x,3\nu3,y,4\n#1,y,2\n", "", [3, 2, 4]),
        ("cr.csv", "user,item,rating\ra,x,5\rb,x,3\rb,y,1\r", "", [2, 2, 3]),
        ("sep.csv", "sep=;\nuser;item;rating\na;x;5\nb;x;3\nb;y;1\n", "", [2, 2, 3]),
        ("r.csv", "\"user\",\"item\",\"rating\"\n\"1\",7,1,5\n\"2\",8,1,3\n\"3\",8,2,1\n", "", [2, 2, 3]),
        ("comma.csv", "a;x;4,5\nb;x;3\nb;y;1,5\n", "", [2, 2, 3]),
        ("texts.tsv", "u1\ti,j,k\t5\nu2\ti\t3\nu2\ti,j\t1\n", "", [2, 3, 3]),
        ("blanks.txt", "# user item rating\n1  2 5\n1 3\t4\n2 2 1\n", "", [2, 2, 3]),
        ("tilde.txt", "a~x~5\nb~x~3\nb~y~1\n", "--separator ~", [2, 2, 3]),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
        let report = report(folder.path(), &format!("fit {name} {options} {FIT} --out m --force"));
        let found = ["users", "items", "ratings"].map(|size| report["data"]["sizes"][size].as_u64().unwrap());
        assert_eq!(found, sizes, "{name}");
        assert_eq!(report["records"]["read"], sizes[2], "{name}");
        let said = ends(folder.path(), &format!("predict m {name} {options}"), 0).out;
        assert_eq!(said.lines().count(), sizes[2] as usize, "{name}: {said}");
        ends(folder.path(), &format!("recommend m --top 1 --exclude {name} {options}"), 0);
        ends(folder.path(), &format!("fold-in m {name} {options} --out wider --force"), 0);
    }
}

#[test]
fn a_rating_that_is_no_number_is_shown_whole_with_its_cure() {
    let folder = scratch();
    for (text, part) in [
        ("u1,i1,5 stars\nu1,i2,3 stars\n", "the rating: `5 stars` is not a number"),
        (
            "u1;i1;1 000\nu1;i2;3\n",
            "`1 000` is not a number as numbers are read here: say how numbers are written, by --thousands \
             blank",
        ),
        ("u1,i1,3\n# a comment below\nu1,i2,3\n", ":2: 1 of at least 3 fields"),
        ("u1,i1,3\n\"u2\" x,i2,3\n", "follows a closing quote"),
    ] {
        fs::write(folder.path().join("r.csv"), text).unwrap();
        let said = ends(folder.path(), &format!("fit r.csv {FIT}"), 2).err;
        assert!(said.contains(part), "{text:?}: {said}");
    }
}

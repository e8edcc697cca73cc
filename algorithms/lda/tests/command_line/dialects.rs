//! Delimited text and lines as people have them: every document counts, in `fit` and in `infer`.

use crate::common::{ends, json as read, write};

#[test]
fn each_document_counts_however_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, options, documents) in [
        (
            "t.tsv",
            "1\tphys\tmass, energy, force, light and time\n2\tstat\tmean variance\n3\tphys\tfield energy\n",
            "--text 3 --no-header",
            3,
        ),
        (
            "found.tsv",
            "1\tphys\tmass, energy, force\n2\tstat\tmean mass\n3\tphys\tfield energy\n",
            "--text 3",
            3,
        ),
        ("hash.csv", "text,id\n#sea ships,1\n#sea storm,2\nships storm,3\n", "--text text --id id", 3),
        ("cr.csv", "id,text\r1,sea ships\r2,\"sea\rstorm\"\r3,ships storm\r", "--text text", 3),
        ("cr.txt", "the quick brown fox\rjumps over the lazy dog\rthe fox and the dog\r", "--format text", 3),
        ("sep.csv", "sep=;\nid;text\n1;sea, ships\n2;sea storm\n3;storm\n", "--text text", 3),
        ("r.csv", "\"text\"\n\"1\",\"sea ships\"\n\"2\",\"sea storm\"\n", "--text text", 2),
        ("tilde.csv", "id~text\n1~sea, ships\n2~sea storm\n", "--text text --separator ~", 2),
        ("cr.jsonl", "{\"t\": \"sea ships\"}\r{\"t\": \"sea storm\"}\r{\"t\": \"storm\"}\r", "--text t", 3),
    ] {
        write(folder.path(), name, text);
        let fit = format!("fit {name} {options} --topics 2 --epochs 3 --validation none --out m --force");
        ends(folder.path(), &fit, 0);
        let report = read(&folder.path().join("m/report.json"));
        assert_eq!(report["records"]["read"], documents, "{name}");
        let (out, _) = ends(folder.path(), &format!("infer m {name} {options}"), 0);
        assert_eq!(out.lines().count(), documents, "{name}: {out}");
    }
    let (_, said) = ends(folder.path(), "fit cr.txt --no-header --format text --topics 2", 2);
    assert!(said.contains("--no-header is for delimited text"), "{said}");
}

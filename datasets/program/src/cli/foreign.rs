//! Options and verbs of other programs, and the hints that `raddle data` gives for them.

use raddle_cli::ForeignWords;

/// The table of foreign words.
pub(super) const FOREIGN: ForeignWords<'static> = ForeignWords {
    options: &[
        (
            "o out output dir d data-dir data-home cache-dir root folder dest destination directory P \
             output-dir output-document",
            "--to",
        ),
        ("y assume-yes accept agree no-confirm force f confirm", "--yes"),
        ("mirror url source base-url", "--from"),
        ("checksum hash sha md5 digest known-hash", "--sha256"),
        (
            "tries retry retries max-retries continue resume c",
            "[timeout] a fetch that is cut goes on by itself, and by the same line again: leave it out",
        ),
    ],
    verbs: &[
        ("download get pull install load wget curl", "the verb is fetch: `raddle data fetch NAME`"),
        ("ls show search info all available sets datasets", "the verb is list: `raddle data list`"),
        ("check validate checksum sha256sum", "the verb is verify: `raddle data verify`"),
        ("where which locate find dir", "the verb is path: `raddle data path NAME`"),
        ("synth make create gen", "the verb is generate: `raddle data generate SPEC FILE`"),
        (
            "rm remove delete clean uninstall",
            "`raddle data path NAME` prints where the file lies: remove it there",
        ),
    ],
    arguments: &[],
};

//! [`convert`]: converts a download to a file that the programs read.

mod archive;
mod documents;
mod ratings;

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use raddle_datasets::registry::Converter;

use self::archive::{archive, member};

/// Limit on the expansion ratio: more than any text of these sets reaches, less than an archive made to fill
/// a disk.
const MOST_A_BYTE: u64 = 1_000;
/// Limit on the bytes of any converted file.
const MOST: u64 = 1 << 37;

/// Returns the most bytes to which a download of this size may expand.
pub(crate) fn most(bytes: u64) -> u64 {
    bytes.saturating_mul(MOST_A_BYTE).saturating_add(1 << 20).min(MOST)
}

/// Converts a download piece by piece. The error says what is wrong with the download, or why the file cannot
/// be written.
pub(crate) fn convert(converter: Converter, from: &Path, to: &mut dyn Write) -> Result<(), String> {
    let open = || File::open(from).map(BufReader::new).map_err(|why| why.to_string());
    let copied = |mut from: &mut dyn Read, to: &mut dyn Write| {
        io::copy(&mut from, to).map(|_| ()).map_err(|why| why.to_string())
    };
    match converter {
        Converter::Kept => copied(&mut open()?, to),
        Converter::Bunzip => copied(&mut MultiBzDecoder::new(open()?), to),
        Converter::Member(name) => {
            let mut archive = archive(open()?)?;
            copied(&mut member(&mut archive, name)?, to)
        }
        Converter::Numbered(name, cells) => {
            let mut archive = archive(open()?)?;
            ratings::numbered(&mut BufReader::new(member(&mut archive, name)?), cells, to)
        }
        Converter::Documents => documents::documents(MultiGzDecoder::new(open()?), to),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Cursor;

    use bzip2::Compression;
    use bzip2::write::BzEncoder;
    use raddle_datasets::registry::{Cells, SetKind, real_folder, verified_set};
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::digest::Digested;

    /// Returns what a converter makes of these bytes.
    pub(super) fn converted(converter: Converter, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("download");
        fs::write(&path, bytes).unwrap();
        let mut to = Digested::new(Vec::new(), most(bytes.len() as u64));
        convert(converter, &path, &mut to)?;
        Ok(to.finish().0)
    }

    fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            archive.start_file(*name, SimpleFileOptions::default()).unwrap();
            archive.write_all(bytes).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    fn bzipped(bytes: &[u8]) -> Vec<u8> {
        let mut to = BzEncoder::new(Vec::new(), Compression::best());
        to.write_all(bytes).unwrap();
        to.finish().unwrap()
    }

    #[test]
    fn compression_is_undone_in_one_stream_or_several() {
        let text = "1 3:0.5 7:2\n".repeat(30_000);
        let both = [bzipped(text.as_bytes()), bzipped(b"-1 1:1\n")].concat();
        assert_eq!(converted(Converter::Bunzip, &both).unwrap(), format!("{text}-1 1:1\n").as_bytes());
        assert_eq!(converted(Converter::Kept, b"1 1:1\n").unwrap(), b"1 1:1\n");
        let cut = &both[..both.len() / 2];
        assert!(converted(Converter::Bunzip, cut).is_err());
    }

    #[test]
    fn a_file_of_an_archive_is_found_by_its_name() {
        let bytes =
            zipped(&[("ml-20m/README.txt", b"read me"), ("ml-20m/ratings.csv", b"userId,movieId\n1,2\n")]);
        let made = converted(Converter::Member("ml-20m/ratings.csv"), &bytes).unwrap();
        assert_eq!(made, b"userId,movieId\n1,2\n");
        let why = converted(Converter::Member("ml-20m/tags.csv"), &bytes).unwrap_err();
        assert!(why.contains("ml-20m/tags.csv"), "{why}");
        let why = converted(Converter::Member("ml-20m/ratings.csv"), &bytes[..40]).unwrap_err();
        assert!(why.contains("not a zip archive"), "{why}");
    }

    #[test]
    fn a_file_outside_the_archive_is_refused_and_so_is_one_that_fills_the_disk() {
        for name in ["../ratings.csv", "/etc/ratings.csv", "a/../../ratings.csv"] {
            let bytes = zipped(&[("ratings.csv", b"1,2\n"), (name, b"3,4\n")]);
            let why = converted(Converter::Member("ratings.csv"), &bytes).unwrap_err();
            assert!(why.contains("outside its folder"), "{name}: {why}");
        }
        let zeros = bzipped(&vec![0; 20_000_000]);
        assert!(zeros.len() < 2_000, "{}", zeros.len());
        let why = converted(Converter::Bunzip, &zeros).unwrap_err();
        assert!(why.contains("far more than"), "{why}");
    }

    #[test]
    fn ratings_of_every_form_become_one() {
        let made = b"0\t0\t3\n0\t1\t4.5\n1\t0\t1\n";
        let forms: [(Cells, &[u8]); 3] = [
            (Cells::Tabs, b"196\t242\t3\t881250949\n196\t302\t4.5\t1\n22\t242\t1\t2\n"),
            (Cells::Colons, b"196::242::3::881250949\n196::302::4.5::1\n22::242::1::2\n"),
            (
                Cells::Commas,
                b"userId,movieId,rating,timestamp\r\n196,242,3.0,1\r\n196,302,4.5,1\r\n22,242,1.0,2\r\n",
            ),
        ];
        for (cells, text) in forms {
            let bytes = zipped(&[("set/ratings", text)]);
            assert_eq!(
                converted(Converter::Numbered("set/ratings", cells), &bytes).unwrap(),
                made,
                "{cells:?}"
            );
        }
        let broken = zipped(&[("set/ratings", b"1::2::3::4\n5::6\n".as_slice())]);
        let why = converted(Converter::Numbered("set/ratings", Cells::Colons), &broken).unwrap_err();
        assert!(why.contains("line 2"), "{why}");
        // Of a repeated pair the last rating is kept, in its place.
        let twice = zipped(&[("r", b"1::2::3::4\n1::5::1::4\n1::2::4::4\n".as_slice())]);
        let made = converted(Converter::Numbered("r", Cells::Colons), &twice).unwrap();
        assert_eq!(made, b"0\t1\t1\n0\t0\t4\n");
    }

    /// The real archives are not available to tests, so one is made from a set that the registry knows, with
    /// other ids.
    #[test]
    fn the_rows_of_known_sets_convert_to_the_digest_of_the_registry() {
        use std::fmt::Write as _;
        let Some(folder) = real_folder() else { return };
        for (name, cells, between) in [
            ("ml-100k", Cells::Tabs, "\t"),
            ("ml-1m", Cells::Colons, "::"),
            ("ml-latest-small", Cells::Commas, ","),
        ] {
            let known = &verified_set(SetKind::Ratings, name).unwrap().files[0];
            let file = File::open(folder.join(known.or.unwrap().0)).unwrap();
            let mut text = String::new();
            MultiGzDecoder::new(BufReader::new(file)).read_to_string(&mut text).unwrap();
            let mut source = String::new();
            if cells == Cells::Commas {
                source.push_str("userId,movieId,rating,timestamp\n");
            }
            for line in text.lines() {
                let cells: Vec<&str> = line.split('\t').collect();
                let [user, item] = [0, 1].map(|at| cells[at].parse::<u32>().unwrap());
                // Ids that are far from those of the file and in another order.
                let (user, item) = (90_000 - user, 1 + item * 17);
                let point = if between == "," && !cells[2].contains('.') { ".0" } else { "" };
                writeln!(source, "{user}{between}{item}{between}{}{point}{between}97", cells[2]).unwrap();
            }
            let bytes = zipped(&[("of/ratings", source.as_bytes())]);
            let path = folder_with(&bytes);
            let mut to = Digested::new(io::sink(), most(bytes.len() as u64));
            convert(Converter::Numbered("of/ratings", cells), &path.path().join("a.zip"), &mut to).unwrap();
            assert_eq!(Some(&*to.finish().1), known.sha256, "{name}");
        }
    }

    fn folder_with(bytes: &[u8]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.zip"), bytes).unwrap();
        folder
    }
}

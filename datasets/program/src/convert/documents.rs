//! [`documents`]: converts the files of a tar archive to JSON lines.

use std::io::{BufWriter, Read, Write};

use serde::Serialize;
use tar::Archive;

use super::archive::check;

/// Limit on the bytes of one document.
const MOST: u64 = 1 << 26;

/// A document of the archive: one line of JSON.
#[derive(Serialize)]
struct Document<'a> {
    /// Path in the archive.
    path: &'a str,
    /// Name of the folder that the file is in.
    group: &'a str,
    /// Content of the file.
    text: &'a str,
}

/// Writes one line of JSON per file of an archive, in the archive's order. Text that is not valid UTF-8 is
/// decoded as Latin-1, which old newsgroup posts are.
pub(super) fn documents(from: impl Read, to: &mut dyn Write) -> Result<(), String> {
    let mut archive = Archive::new(from);
    let mut to = BufWriter::new(to);
    let mut count = 0_u64;
    for file in archive.entries().map_err(|why| why.to_string())? {
        let mut file = file.map_err(|why| format!("it is not a gzipped tar archive: {why}"))?;
        let path = file.path().map_err(|why| why.to_string())?.into_owned();
        let name = path.to_string_lossy().into_owned();
        check(&name)?;
        // Folders hold no text, and links may lead outside the archive.
        if !file.header().entry_type().is_file() {
            continue;
        }
        if file.size() > MOST {
            return Err(format!("{name} in it has {} bytes, too many for a document", file.size()));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|why| format!("{name} in it: {why}"))?;
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|why| why.as_bytes().iter().map(|&byte| char::from(byte)).collect());
        let group = path.parent().and_then(|folder| folder.file_name()).unwrap_or_default().to_string_lossy();
        let line = Document { path: &name, group: &group, text: &text };
        let line = serde_json::to_string(&line).map_err(|why| why.to_string())?;
        writeln!(to, "{line}").map_err(|why| why.to_string())?;
        count += 1;
    }
    if count == 0 {
        return Err("it has no files".into());
    }
    to.flush().map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use raddle_datasets::registry::Converter;
    use tar::{Builder, EntryType, Header};

    use super::super::tests::converted;

    /// A gzipped archive of these files; names are written as they are, whatever they are.
    fn archive(files: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
        let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
        for (name, kind, bytes) in files {
            let mut header = Header::new_ustar();
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(bytes.len() as u64);
            header.set_cksum();
            archive.append(&header, *bytes).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn files_of_an_archive_become_lines() {
        let bytes = archive(&[
            ("news/", EntryType::Directory, b""),
            ("news/sci.space/1", EntryType::Regular, b"Subject: Mars\n\nred\n"),
            ("news/elsewhere", EntryType::Symlink, b""),
            ("news/rec.autos/2", EntryType::Regular, b"caf\xe9"),
        ]);
        let made = String::from_utf8(converted(Converter::Documents, &bytes).unwrap()).unwrap();
        let first = r#"{"path":"news/sci.space/1","group":"sci.space","text":"Subject: Mars\n\nred\n"}"#;
        let second = r#"{"path":"news/rec.autos/2","group":"rec.autos","text":"café"}"#;
        assert_eq!(made, format!("{first}\n{second}\n"));
    }

    #[test]
    fn archives_that_lead_elsewhere_or_are_none_are_refused() {
        for name in ["../1", "/etc/passwd", "news/../../1"] {
            let why =
                converted(Converter::Documents, &archive(&[(name, EntryType::Regular, b"x")])).unwrap_err();
            assert!(why.contains("outside its folder"), "{name}: {why}");
        }
        assert!(converted(Converter::Documents, b"<html>not found</html>").is_err());
        assert!(converted(Converter::Documents, &archive(&[])).is_err());
        let whole = archive(&[("a/1", EntryType::Regular, &[7; 100_000])]);
        assert!(converted(Converter::Documents, &whole[..whole.len() / 2]).is_err());
    }
}

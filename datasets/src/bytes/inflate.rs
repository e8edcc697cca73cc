//! Compressed content: gzip and Zstandard, recognised by the first bytes.

use std::error::Error;
use std::io::{self, BufRead, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::error::Flaw;

/// The compression of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    /// Recognises the compression from the first bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        match bytes {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            // A skippable frame: some programs store notes in these, and data frames follow.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            _ => Self::None,
        }
    }

    /// Returns a reader of the decompressed content.
    pub(crate) fn reader<'a>(self, stored: impl BufRead + Send + 'a) -> Box<dyn Read + Send + 'a> {
        match self {
            Self::None => Box::new(stored),
            Self::Gzip => Box::new(MultiGzDecoder::new(stored)),
            Self::Zstd => Box::new(Zstd { stored, decoder: FrameDecoder::new(), in_frame: false }),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => "gzip ",
            Self::Zstd => "zstd ",
        }
    }

    /// Makes the error for compressed data of which only `text` could be decompressed.
    pub(crate) fn broken(self, text: &[u8], error: &io::Error) -> Flaw {
        let name = self.name();
        let message = match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                format!("the {name}data end too early: the file was cut off; download or compress it again")
            }
            _ => format!("the {name}data are damaged ({error}): download or compress the file again"),
        };
        (crate::bytes::line_ends::count(text), message)
    }
}

/// Zstandard data: any number of frames, one after another.
struct Zstd<R> {
    stored: R,
    decoder: FrameDecoder,
    in_frame: bool,
}

/// Compressed bytes that are read at a time.
const PORTION: usize = 1 << 17;

impl<R: BufRead> Zstd<R> {
    /// Starts the next frame with data; returns `false` at the end.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            if self.stored.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.init(&mut self.stored) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped = io::copy(&mut self.stored.by_ref().take(length.into()), &mut io::sink())?;
                    if skipped < u64::from(length) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(why) => return Err(explained(why)),
            }
        }
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.in_frame {
                self.in_frame = self.begin()?;
                if !self.in_frame {
                    return Ok(0);
                }
            }
            let wanted = buffer.len().min(PORTION);
            while self.decoder.can_collect() < wanted && !self.decoder.is_finished() {
                let strategy = BlockDecodingStrategy::UptoBytes(wanted);
                self.decoder.decode_blocks(&mut self.stored, strategy).map_err(explained)?;
            }
            match self.decoder.read(buffer)? {
                0 if !buffer.is_empty() => {
                    let (told, counted) =
                        (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
                    if told.is_some() && told != counted {
                        return Err(io::Error::new(io::ErrorKind::InvalidData, "its checksum is another"));
                    }
                    self.in_frame = false;
                }
                read => return Ok(read),
            }
        }
    }
}

/// Converts the error; truncated data become `UnexpectedEof`.
fn explained(why: FrameDecoderError) -> io::Error {
    let mut cause: Option<&(dyn Error + 'static)> = Some(&why);
    while let Some(error) = cause {
        if error.downcast_ref::<io::Error>().is_some_and(|why| why.kind() == io::ErrorKind::UnexpectedEof) {
            return io::ErrorKind::UnexpectedEof.into();
        }
        cause = error.source();
    }
    io::Error::new(io::ErrorKind::InvalidData, why.to_string())
}

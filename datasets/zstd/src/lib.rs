//! The functions of the `zstd` crate that the `parquet` crate calls, implemented with `ruzstd`, in Rust.
//!
//! The `zstd` crate binds to C. The workspace replaces it by this package (`[patch.crates-io]`), so that a
//! build without a C compiler reads pages compressed with zstd. Checksums of frames are compared, as the
//! workspace's readers of text do. Compression is not implemented and returns an error.

/// Functions on whole buffers.
pub mod bulk {
    use std::io::{self, Cursor, ErrorKind, Read};
    use std::marker::PhantomData;

    use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
    use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

    /// A stand-in for the compressor.
    #[derive(Debug)]
    pub struct Compressor<'a>(PhantomData<&'a ()>);

    impl Compressor<'static> {
        /// Makes a compressor of any level.
        ///
        /// # Errors
        /// None.
        pub fn new(_level: i32) -> io::Result<Self> {
            Ok(Self(PhantomData))
        }
    }

    impl Compressor<'_> {
        /// Returns an error, as nothing here writes Parquet.
        ///
        /// # Errors
        /// Always.
        pub fn compress_to_buffer(&mut self, _: &[u8], _: &mut Cursor<&mut Vec<u8>>) -> io::Result<usize> {
            Err(io::Error::new(ErrorKind::Unsupported, "this build does not compress by zstd"))
        }
    }

    /// A decompressor.
    pub struct Decompressor<'a> {
        decoder: FrameDecoder,
        dictionary: PhantomData<&'a ()>,
    }

    impl Decompressor<'static> {
        /// Makes a decompressor.
        ///
        /// # Errors
        /// None.
        pub fn new() -> io::Result<Self> {
            Ok(Self { decoder: FrameDecoder::new(), dictionary: PhantomData })
        }
    }

    impl Decompressor<'_> {
        /// Decompresses the frames in `source` and writes the content to the end of the cursor's vector, into
        /// its spare capacity; returns the number of bytes.
        ///
        /// # Errors
        /// If a frame is damaged (which its checksum shows, if it has one) or its content exceeds the spare
        /// capacity.
        pub fn decompress_to_buffer(
            &mut self,
            source: &[u8],
            destination: &mut Cursor<&mut Vec<u8>>,
        ) -> io::Result<usize> {
            let before = destination.get_ref().len();
            if destination.position() != before as u64 {
                return Err(io::Error::new(ErrorKind::InvalidInput, "the cursor is not at the end"));
            }
            let content = destination.get_mut();
            content.resize(content.capacity(), 0);
            let read = self.frames(source, &mut content[before..]);
            content.truncate(before + *read.as_ref().unwrap_or(&0));
            destination.set_position(destination.get_ref().len() as u64);
            read
        }

        /// Decompresses all frames to the start of `room`; returns the number of bytes.
        fn frames(&mut self, mut source: &[u8], room: &mut [u8]) -> io::Result<usize> {
            let mut filled = 0;
            while !source.is_empty() {
                match self.decoder.init(&mut source) {
                    Ok(()) => filled += self.frame(&mut source, &mut room[filled..])?,
                    Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                        length,
                        ..
                    })) => {
                        let behind = source.get(length as usize..);
                        source = behind.ok_or_else(|| damaged("a skippable frame is cut off"))?;
                    }
                    Err(why) => return Err(damaged(why)),
                }
            }
            Ok(filled)
        }

        /// Decompresses the current frame to the start of `room` and compares its checksum, which the decoder
        /// computes but does not compare.
        fn frame(&mut self, source: &mut &[u8], room: &mut [u8]) -> io::Result<usize> {
            let mut filled = 0;
            while !self.decoder.is_finished() {
                let portion = BlockDecodingStrategy::UptoBytes(1 << 20);
                self.decoder.decode_blocks(&mut *source, portion).map_err(damaged)?;
                filled += self.decoder.read(&mut room[filled..])?;
                if self.decoder.can_collect() > 0 {
                    return Err(damaged("they contain more than there is room for"));
                }
            }
            let (told, counted) =
                (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
            if told.is_some() && told != counted {
                return Err(damaged("its checksum is another"));
            }
            Ok(filled)
        }
    }

    /// Makes the error for frames that cannot be read.
    fn damaged(why: impl ToString) -> io::Error {
        io::Error::new(ErrorKind::InvalidData, why.to_string())
    }

    impl std::fmt::Debug for Decompressor<'_> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.debug_struct("Decompressor").finish_non_exhaustive()
        }
    }
}

/// Sizes of frames.
pub mod zstd_safe {
    /// Error for a frame that does not state its size, which never occurs here.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ContentSizeError {}

    /// Returns the size that a frame states for its content: always `None` here.
    ///
    /// # Errors
    /// None.
    pub fn get_frame_content_size(_: &[u8]) -> Result<Option<u64>, ContentSizeError> {
        Ok(None)
    }

    /// Returns the most bytes to which this many may be compressed, which is not used here.
    pub fn compress_bound(_: usize) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::bulk::{Compressor, Decompressor};

    /// "hello" as zstd frames it, raw.
    const FRAME: [u8; 14] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 0x29, 0, 0, b'h', b'e', b'l', b'l', b'o'];
    /// A frame with a checksum, as `zstd --check` writes it if it does not know the size.
    const CHECKED: [u8; 18] =
        [0x28, 0xb5, 0x2f, 0xfd, 4, 0x58, 0x29, 0, 0, b'h', b'e', b'l', b'l', b'o', 0xa3, 0x6d, 0x9f, 0x88];

    #[test]
    fn frames_come_behind_what_is_there_as_far_as_there_is_room() {
        let mut decompressor = Decompressor::new().expect("there is always one");
        let mut content = Vec::with_capacity(64);
        content.extend(b"so: ");
        for _ in 0..2 {
            let end = content.len() as u64;
            let mut cursor = Cursor::new(&mut content);
            cursor.set_position(end);
            let read = decompressor.decompress_to_buffer(&FRAME, &mut cursor).expect("a whole frame");
            assert_eq!((read, cursor.position()), (5, end + 5));
        }
        assert_eq!(content, b"so: hellohello");
        for (source, room) in [(&FRAME[..13], 64), (&FRAME[..], 0), (b"nonsense", 64)] {
            let mut content = Vec::with_capacity(room);
            let refused = decompressor.decompress_to_buffer(source, &mut Cursor::new(&mut content));
            assert!(refused.is_err() && content.is_empty());
        }
    }

    #[test]
    fn a_frame_whose_checksum_is_another_is_refused_and_leaves_nothing() {
        let read = |source: &[u8]| {
            let mut content = Vec::with_capacity(64);
            content.extend(b"so: ");
            let mut cursor = Cursor::new(&mut content);
            cursor.set_position(4);
            let read =
                Decompressor::new().expect("there is always one").decompress_to_buffer(source, &mut cursor);
            let position = cursor.position();
            assert_eq!(position, content.len() as u64);
            (read.map_err(|why| why.to_string()), content)
        };
        assert_eq!(read(&CHECKED), (Ok(5), b"so: hello".to_vec()));
        // After a skippable frame, and before another one.
        let skipped = [0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9];
        assert_eq!(read(&[&skipped[..], &CHECKED, &FRAME].concat()), (Ok(10), b"so: hellohello".to_vec()));
        assert!(read(&skipped[..9]).0.is_err());
        // Every bit of the content, which is stored uncompressed between the header of 9 bytes and the
        // checksum, and every bit of the checksum.
        for bit in 8 * 9..8 * CHECKED.len() {
            let mut damaged = CHECKED;
            damaged[bit / 8] ^= 1 << (bit % 8);
            let (refused, content) = read(&[&FRAME[..], &damaged].concat());
            assert_eq!(refused, Err("its checksum is another".to_owned()), "bit {bit}");
            assert_eq!(content, b"so: ");
        }
    }

    #[test]
    fn compressing_is_refused() {
        let mut content = Vec::new();
        let mut compressor = Compressor::new(3).expect("there is always one");
        assert!(compressor.compress_to_buffer(b"x", &mut Cursor::new(&mut content)).is_err());
    }
}

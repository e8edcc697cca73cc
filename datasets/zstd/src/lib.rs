//! Functions of the `zstd` crate, which binds to C, that the `parquet` crate calls; here they are done by
//! `ruzstd`, in Rust.
//!
//! The workspace puts this package in the place of that crate (`[patch.crates-io]`), so that pages packed by
//! zstd are read by a build that needs no C compiler. Nothing is written: compressing is refused.

/// Whole buffers at a time.
pub mod bulk {
    use std::io::{self, Cursor, ErrorKind};
    use std::marker::PhantomData;

    use ruzstd::decoding::FrameDecoder;

    /// Would compress.
    #[derive(Debug)]
    pub struct Compressor<'a>(PhantomData<&'a ()>);

    impl Compressor<'static> {
        /// A compressor of any level.
        ///
        /// # Errors
        /// None.
        pub fn new(_level: i32) -> io::Result<Self> {
            Ok(Self(PhantomData))
        }
    }

    impl Compressor<'_> {
        /// Refuses.
        ///
        /// # Errors
        /// Always: nobody here writes Parquet.
        pub fn compress_to_buffer(&mut self, _: &[u8], _: &mut Cursor<&mut Vec<u8>>) -> io::Result<usize> {
            Err(io::Error::new(ErrorKind::Unsupported, "this build does not compress by zstd"))
        }
    }

    /// Decompresses.
    pub struct Decompressor<'a> {
        decoder: FrameDecoder,
        dictionary: PhantomData<&'a ()>,
    }

    impl Decompressor<'static> {
        /// A decompressor.
        ///
        /// # Errors
        /// None.
        pub fn new() -> io::Result<Self> {
            Ok(Self { decoder: FrameDecoder::new(), dictionary: PhantomData })
        }
    }

    impl Decompressor<'_> {
        /// Puts what `source` holds, whole frames, behind what the cursor stands at the end of, into memory
        /// that was set aside for it; says how many bytes that are.
        ///
        /// # Errors
        /// If the frames are damaged, or hold more than there is memory for.
        pub fn decompress_to_buffer(
            &mut self,
            source: &[u8],
            destination: &mut Cursor<&mut Vec<u8>>,
        ) -> io::Result<usize> {
            let before = destination.get_ref().len();
            if destination.position() != before as u64 {
                return Err(io::Error::new(ErrorKind::InvalidInput, "the cursor does not stand at the end"));
            }
            self.decoder
                .decode_all_to_vec(source, destination.get_mut())
                .map_err(|why| io::Error::new(ErrorKind::InvalidData, why.to_string()))?;
            let after = destination.get_ref().len();
            destination.set_position(after as u64);
            Ok(after - before)
        }
    }

    impl std::fmt::Debug for Decompressor<'_> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.debug_struct("Decompressor").finish_non_exhaustive()
        }
    }
}

/// Sizes.
pub mod zstd_safe {
    /// Why a frame does not say how much it holds: there is no such reason here.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ContentSizeError {}

    /// How much a frame says that it holds: nothing is said.
    ///
    /// # Errors
    /// None.
    pub fn get_frame_content_size(_: &[u8]) -> Result<Option<u64>, ContentSizeError> {
        Ok(None)
    }

    /// How long so many bytes may become once they are compressed, which nobody does here.
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
        let mut compressor = Compressor::new(3).expect("there is always one");
        assert!(compressor.compress_to_buffer(b"x", &mut Cursor::new(&mut content)).is_err());
    }
}

//! [`MmapArrays`]: arrays in memory that returns to the system when freed.

use memmap2::MmapMut;
use raddle::State;
use raddle::state::{Reader, StateError, Writer};

/// Arrays in pages of their own. Memory returned to the allocator may be reusable only by the thread that
/// allocated it, and leaves holes; pages leave none.
#[derive(Debug)]
pub(crate) struct MmapArrays {
    memory: Memory,
    /// Start and end of each array, in bytes.
    ranges: Vec<(usize, usize)>,
}

#[derive(Debug)]
enum Memory {
    Own(MmapMut),
    /// Ordinary memory, if the system has no pages to map.
    Any(Vec<u64>),
}

/// Arrays start at multiples of this many bytes.
const ALIGNED: usize = size_of::<u64>();

impl MmapArrays {
    /// Copies arrays, given as bytes.
    pub(crate) fn of(arrays: &[&[u8]]) -> Self {
        let mut ranges = Vec::with_capacity(arrays.len());
        let mut end = 0_usize;
        for array in arrays {
            let start = end.next_multiple_of(ALIGNED);
            end = start + array.len();
            ranges.push((start, end));
        }
        let mut memory = match MmapMut::map_anon(end.max(1)) {
            Ok(pages) => Memory::Own(pages),
            Err(_) => Memory::Any(vec![0; end.div_ceil(ALIGNED)]),
        };
        let bytes: &mut [u8] = match &mut memory {
            Memory::Own(pages) => pages,
            Memory::Any(room) => bytemuck::cast_slice_mut(room),
        };
        for (array, &(start, end)) in arrays.iter().zip(&ranges) {
            bytes[start..end].copy_from_slice(array);
        }
        Self { memory, ranges }
    }

    /// Returns an array by its number, with the type that it had.
    pub(crate) fn array<T: bytemuck::Pod>(&self, number: usize) -> &[T] {
        let bytes: &[u8] = match &self.memory {
            Memory::Own(pages) => pages,
            Memory::Any(room) => bytemuck::cast_slice(room),
        };
        let (start, end) = self.ranges[number];
        bytemuck::cast_slice(&bytes[start..end])
    }
}

impl Clone for MmapArrays {
    fn clone(&self) -> Self {
        Self::of(&(0..self.ranges.len()).map(|number| self.array(number)).collect::<Vec<_>>())
    }
}

impl State for MmapArrays {
    fn save(&self, out: &mut Writer) {
        out.write(&self.ranges.len());
        for number in 0..self.ranges.len() {
            out.write(&self.array::<u8>(number).len());
            out.put(self.array(number));
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let count = usize::load(from)?;
        let mut arrays = Vec::new();
        for _ in 0..count {
            let length = usize::load(from)?;
            arrays.push(from.take(length, "an array")?);
        }
        Ok(Self::of(&arrays))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle::state::{from_bytes, to_bytes};

    #[test]
    fn arrays_are_read_back_after_copies_and_as_bytes() {
        let (bytes, numbers, none) = ([1_u8, 2, 3], [4.0_f32, -5.0], [0_u32; 0]);
        let given = MmapArrays::of(&[&bytes, bytemuck::cast_slice(&numbers), bytemuck::cast_slice(&none)]);
        let back: MmapArrays = from_bytes(&to_bytes(&given.clone())).unwrap();
        assert_eq!((back.array::<u8>(0), back.array::<f32>(1)), (&bytes[..], &numbers[..]));
        assert_eq!((back.array::<u32>(2), MmapArrays::of(&[]).ranges.len()), (&none[..], 0));
        let wrong = to_bytes(&vec![3_u64, u64::MAX]);
        assert!(from_bytes::<MmapArrays>(&wrong).is_err());
    }
}

//! One function body for all vector forms of a kernel.

use super::lanes::{Lanes, Portable};
#[cfg(target_arch = "x86_64")]
use crate::f64x8::{Avx2, Avx512};

raddle_base::vector_kernels!(Lanes: Portable, Avx2, Avx512);

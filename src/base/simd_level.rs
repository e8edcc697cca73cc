//! [`SimdLevel`]: the vector form that a program's kernels run in, and
//! [`vector_kernels!`](crate::vector_kernels), which compiles one body for each.
//!
//! The forms may differ only in speed, never in bits. That is up to the kernels: lanes, order and block sizes
//! must be constants, and products must be fused with sums in all three forms or in none.

use std::cell::Cell;
use std::sync::OnceLock;

/// A vector form that this processor can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimdLevel(InstructionSet);

/// The vector forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// Plain Rust, for any processor.
    Portable,
    /// `avx2` and `fma`, with the features of every processor that has these: `bmi1`, `bmi2`, `lzcnt` and
    /// `popcnt`.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// `avx512f`, `avx512vl`, `avx512bw`, `avx512dq`, and the features of [`InstructionSet::Avx2`].
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

thread_local! {
    static DURING: Cell<Option<SimdLevel>> = const { Cell::new(None) };
}

impl SimdLevel {
    /// Returns every form that this processor can run, the portable one first.
    pub fn available() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "there is one form"))]
        let mut levels = vec![Self(InstructionSet::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq");
            if avx2 {
                levels.push(Self(InstructionSet::Avx2));
            }
            if avx2 && avx512 {
                levels.push(Self(InstructionSet::Avx512));
            }
        }
        levels
    }

    /// Returns the widest form that this processor can run, or the one that the environment variable
    /// `RADDLE_LEVEL` names if it is among them; inside [`SimdLevel::during`], the form given there.
    #[inline]
    pub fn current() -> Self {
        static BEST: OnceLock<SimdLevel> = OnceLock::new();
        DURING.get().unwrap_or_else(|| {
            *BEST.get_or_init(|| {
                let named = std::env::var("RADDLE_LEVEL").unwrap_or_default();
                let mut levels = Self::available();
                let at = levels.iter().position(|level| level.name() == named).unwrap_or(levels.len() - 1);
                levels.swap_remove(at)
            })
        })
    }

    /// Runs `body` with this form as the [current](SimdLevel::current) one of this thread: to time a form, or
    /// to test that it gives the same bits.
    pub fn during<T>(self, body: impl FnOnce() -> T) -> T {
        /// Restores the form that was current, even if the body panics.
        struct Restore(Option<SimdLevel>);
        impl Drop for Restore {
            fn drop(&mut self) {
                DURING.set(self.0);
            }
        }
        let _restore = Restore(DURING.replace(Some(self)));
        body()
    }

    /// Runs `body` once in every form that this processor has, and returns each form's name and result, the
    /// portable one first: for tests that all give the same bits.
    pub fn in_every_form<T>(mut body: impl FnMut() -> T) -> Vec<(&'static str, T)> {
        Self::available().into_iter().map(|level| (level.name(), level.during(&mut body))).collect()
    }

    /// Returns the form.
    #[inline]
    pub fn form(self) -> InstructionSet {
        self.0
    }

    /// Returns the name in reports: `portable`, `avx2` or `avx512`.
    pub fn name(self) -> &'static str {
        match self.0 {
            InstructionSet::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => "avx512",
        }
    }
}

/// Defines, in the module that calls it, a trait `Kernel` over that module's own vector type and a function
/// `run(kernel)` that runs one in the [current form](SimdLevel::current).
///
/// Named are a trait and its three implementations: `vector_kernels!(Lanes: Portable, Avx2, Avx512);`. A
/// kernel is a struct of its arguments; `Kernel::run::<L>(self)` is its one body. It must be
/// `#[inline(always)]`, and so must be everything it calls: only then is the body compiled for the form.
#[macro_export]
macro_rules! vector_kernels {
    ($lanes:ident: $portable:ident, $avx2:ident, $avx512:ident) => {
        /// A kernel: arguments as fields, one body for all vector forms.
        ///
        /// `run` must be `#[inline(always)]`, and everything it calls too: only then is the body compiled for
        /// the form.
        pub trait Kernel {
            /// The result.
            type Output;
            /// The body.
            fn run<L: $lanes>(self) -> Self::Output;
        }

        /// Runs `kernel` in the current form.
        #[inline]
        #[allow(unsafe_code)] // calling a function compiled for more than the baseline
        pub fn run<K: Kernel>(kernel: K) -> K::Output {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            fn avx2<K: Kernel>(kernel: K) -> K::Output {
                kernel.run::<$avx2>()
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            fn avx512<K: Kernel>(kernel: K) -> K::Output {
                kernel.run::<$avx512>()
            }

            match $crate::simd_level::SimdLevel::current().form() {
                $crate::simd_level::InstructionSet::Portable => kernel.run::<$portable>(),
                // SAFETY: a `SimdLevel` of this form exists only where its features were detected.
                #[cfg(target_arch = "x86_64")]
                $crate::simd_level::InstructionSet::Avx2 => unsafe { avx2(kernel) },
                // SAFETY: likewise.
                #[cfg(target_arch = "x86_64")]
                $crate::simd_level::InstructionSet::Avx512 => unsafe { avx512(kernel) },
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::SimdLevel;

    #[test]
    fn a_form_is_current_only_while_its_body_runs() {
        let before = SimdLevel::current();
        for level in SimdLevel::available() {
            assert_eq!(level.during(SimdLevel::current), level);
            let broken = std::panic::catch_unwind(|| level.during(|| panic!("a body that fails")));
            assert!(broken.is_err());
            assert_eq!(SimdLevel::current(), before);
        }
    }

    #[test]
    fn the_portable_form_is_always_there() {
        assert_eq!(SimdLevel::available()[0].name(), "portable");
    }
}

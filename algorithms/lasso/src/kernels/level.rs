//! Which vector form runs: chosen once, the widest the processor has.

#![allow(unsafe_code)] // calling a function compiled for more than the baseline

use std::sync::OnceLock;

use super::lanes::{Lanes, Portable};
#[cfg(target_arch = "x86_64")]
use super::x86::{Avx2, Avx512};

/// A vector form this processor can run. The forms differ in speed only, never in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level(Form);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// A kernel: arguments as fields, one body for all vector forms.
///
/// `run` must be `#[inline(always)]`, and everything it calls too: only then is the body compiled for the form.
pub(crate) trait Kernel {
    /// What it returns.
    type Output;
    /// The body.
    fn run<L: Lanes>(self) -> Self::Output;
}

impl Level {
    /// Every form this processor can run, the portable one first.
    pub fn available() -> Vec<Self> {
        let mut levels = vec![Self(Form::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if avx2 {
                levels.push(Self(Form::Avx2));
            }
            if avx2 && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                levels.push(Self(Form::Avx512));
            }
        }
        levels
    }

    /// The widest form this processor can run, or the one that the environment variable `RADDLE_LEVEL` names if it is
    /// among them: to time a form, or to see that it gives the same bits.
    pub fn best() -> Self {
        #[cfg(test)]
        if let Some(level) = FORCED.get() {
            return level;
        }
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| {
            let named = std::env::var("RADDLE_LEVEL").unwrap_or_default();
            let mut levels = Self::available();
            let at = levels.iter().position(|level| level.name() == named).unwrap_or(levels.len() - 1);
            levels.swap_remove(at)
        })
    }

    /// The name reports print: `portable`, `avx2` or `avx512`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Form::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Form::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Form::Avx512 => "avx512",
        }
    }

    /// Runs `kernel` in the widest form.
    #[inline]
    pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
        match Self::best().0 {
            Form::Portable => kernel.run::<Portable>(),
            // SAFETY: a `Level` of this form exists only where avx2 and fma were detected.
            #[cfg(target_arch = "x86_64")]
            Form::Avx2 => unsafe { avx2(kernel) },
            // SAFETY: a `Level` of this form exists only where avx512f, avx512vl, avx2 and fma were detected.
            #[cfg(target_arch = "x86_64")]
            Form::Avx512 => unsafe { avx512(kernel) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}

#[cfg(test)]
thread_local! {
    static FORCED: std::cell::Cell<Option<Level>> = const { std::cell::Cell::new(None) };
}

/// Runs `body` once in every available form and returns what each gave, the portable one first.
#[cfg(test)]
pub(crate) fn in_every_form<T>(mut body: impl FnMut() -> T) -> Vec<(&'static str, T)> {
    Level::available()
        .into_iter()
        .map(|level| {
            FORCED.set(Some(level));
            let result = body();
            FORCED.set(None);
            (level.name(), result)
        })
        .collect()
}

//! The arithmetic of raddle's algorithms, in a crate of its own, so that time-critical code is optimised
//! whatever the settings of the crate that calls it.
//!
//! The vectors are for kernels of `raddle_base::vector_kernels!`: a form's methods are called only where its
//! instructions were detected. The other modules serve `raddle-lasso`, `raddle-linear`, `raddle-mf` and
//! `raddle-lda`, and change with them.

#![allow(
    clippy::extra_unused_type_parameters,
    reason = "a body whose vectors the compiler makes takes a form, too"
)]

/// Defines functions, each with a body compiled for all vector forms: `fn dot(a: &[f64], b: &[f64]) -> f64 =
/// dot_in;` runs `dot_in::<L>(a, b)` in the current form. The body must be `#[inline(always)]`, and so must
/// be all that it calls. `Kernel`, `Lanes` and `run` are those of `raddle_base::vector_kernels!`.
macro_rules! in_every_form {
    (@output) => { () };
    (@output $output:ty) => { $output };
    ($(
        $(#[$about:meta])*
        $vis:vis fn $name:ident($($given:ident: $type:ty),* $(,)?) $(-> $output:ty)? = $body:ident;
    )*) => {$(
        $(#[$about])*
        $vis fn $name($($given: $type),*) $(-> $output)? {
            #[allow(non_camel_case_types)] // a type for each argument, of its name
            struct Given<$($given),*>($($given),*);
            impl Kernel for Given<$($type),*> {
                type Output = in_every_form!(@output $($output)?);
                #[inline(always)]
                fn run<L: Lanes>(self) -> Self::Output {
                    let Self($($given),*) = self;
                    $body::<L>($($given),*)
                }
            }
            run(Given($($given),*))
        }
    )*};
}

/// Functions that are inlined into the kernels of every form, and so compiled for each.
macro_rules! inlined {
    ($($(#[$about:meta])* fn $name:ident($($given:tt)*) $(-> $output:ty)? $body:block)*) => {$(
        $(#[$about])*
        #[inline(always)]
        fn $name($($given)*) $(-> $output)? $body
    )*};
}

/// Functions on a form's registers, likewise.
#[cfg(target_arch = "x86_64")]
macro_rules! in_registers {
    ($($(#[$about:meta])* fn $name:ident($($given:tt)*) $(-> $output:ty)? $body:block)*) => {
        inlined! {$(
            $(#[$about])*
            fn $name($($given)*) $(-> $output)? {
                // SAFETY: vector types are named only by kernels of `raddle_base::vector_kernels!`, which run
                // in a form only where its instructions were detected; pointers come from references to
                // arrays of the length that is read or written, aligned where the instruction asks for that.
                unsafe { $body }
            }
        )*}
    };
}

#[doc(hidden)] // for raddle's algorithms
pub mod algebra;
pub mod f32x16;
pub mod f64x8;
#[doc(hidden)] // for raddle's algorithms
pub mod factors;
#[cfg(all(windows, target_env = "gnu"))]
mod fused;
mod lanewise;
#[doc(hidden)] // for raddle's algorithms
pub mod sweeps;
#[doc(hidden)] // for raddle's algorithms
pub mod topics;

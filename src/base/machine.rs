//! Checks of the machine for which the engine is compiled: models, checkpoints and messages have the same
//! bytes everywhere.

#[cfg(target_endian = "big")]
compile_error!("raddle writes the memory of numbers as it is: build it for a machine that is little-endian");
#[cfg(any(target_pointer_width = "16", target_pointer_width = "32"))]
compile_error!("raddle maps files whole and counts in 64 bits: build it for a machine of 64 bits");

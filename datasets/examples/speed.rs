//! How fast is a libsvm file read? `cargo run --release -p raddle-datasets --example speed -- FILE [THREADS]`

#![allow(clippy::disallowed_types, reason = "it times what it runs")]

use std::env;
use std::time::Instant;

use raddle_datasets::{ReadError, libsvm};

fn main() -> Result<(), ReadError> {
    let mut arguments = env::args().skip(1);
    let path = arguments.next().expect("name a file");
    let threads = arguments.next().map_or(1, |threads| threads.parse().expect("THREADS is a number"));
    for _ in 0..5 {
        let start = Instant::now();
        let table = libsvm::read(&path, threads)?;
        let (seconds, values) = (start.elapsed().as_secs_f64(), table.x.nonzeros() as f64);
        println!("{}: {:.3} s, {:.1} million values a second", table.name, seconds, values / seconds / 1e6);
    }
    Ok(())
}

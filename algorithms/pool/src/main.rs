//! The program `pool`.

fn main() -> std::process::ExitCode {
    raddle_pool::cli::main()
}

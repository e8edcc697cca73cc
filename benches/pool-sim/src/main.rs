//! The program `pool-sim`.

fn main() -> std::process::ExitCode {
    raddle_pool_sim::cli::main()
}

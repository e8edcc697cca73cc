//! The program `raddle` is built with the library, and says the same version.

use std::process::Command;

#[test]
fn the_program_has_the_version_of_the_library() {
    let ran =
        Command::new(env!("CARGO_BIN_EXE_raddle")).arg("--version").output().expect("it can be started");
    assert!(ran.status.success());
    let said = String::from_utf8(ran.stdout).expect("text");
    assert_eq!(said, format!("raddle {}\n", env!("CARGO_PKG_VERSION")));
}

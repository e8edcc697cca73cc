// The build script of the programs: a digest of the sources from which one is built, with the data that stand
// in it, by which the processes of a run know each other on unlike machines. Any file of these kinds counts,
// also one that git does not know. No package holds this script: a program that was installed from packages
// is known by its bytes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    // Only the command line asks for it.
    if env::var_os("CARGO_FEATURE_CLI").is_none() {
        println!("cargo::rerun-if-changed=build.rs");
        return;
    }
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it"));
    let root = folder.join("../..").canonicalize().expect("the repository is there");
    let own = folder.canonicalize().expect("the package is there");
    let mut packages = BTreeSet::new();
    add_packages(&root, own.strip_prefix(&root).expect("it is in the repository"), &mut packages);
    // The patch of what reads compressed pages is named by no package.
    add_packages(&root, Path::new("datasets/zstd"), &mut packages);
    // Versions of what others wrote count, too.
    let mut files = BTreeSet::from([PathBuf::from("Cargo.lock")]);
    for package in packages {
        let [inner, data] = ["src", "data"].map(|name| package.join(name));
        add_sources(&root, if root.join(&inner).is_dir() { &inner } else { &package }, &mut files);
        if root.join(&data).is_dir() {
            add_files(&root, &data, &["csv", "gz", "json", "txt"], &mut files);
        }
    }
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        println!("cargo::rerun-if-changed={}", root.join(&file).display());
        let name = file.to_str().expect("names of files are texts").replace('\\', "/");
        let mut bytes = name.into_bytes();
        bytes.extend(fs::read(root.join(&file)).expect("the file is there"));
        // FNV-1a; lines end as the checkout has them.
        for byte in bytes.into_iter().filter(|&byte| byte != b'\r') {
            digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    println!("cargo::rustc-env=RADDLE_SOURCES={digest:016x}");
}

/// Adds a package and those of the repository that it depends on, as the manifests name them.
fn add_packages(root: &Path, package: &Path, found: &mut BTreeSet<PathBuf>) {
    if !found.insert(package.into()) {
        return;
    }
    let manifest = |of: &Path| {
        let path = root.join(of).join("Cargo.toml");
        println!("cargo::rerun-if-changed={}", path.display());
        fs::read_to_string(path).expect("the manifest is there").replace('\r', "")
    };
    let (own, all) = (manifest(package), manifest(Path::new("")));
    let section = own.split("\n[dependencies]\n").nth(1).unwrap_or_default();
    for line in section.split("\n[").next().unwrap_or_default().lines() {
        let name = line.split(['.', ' ']).next().unwrap_or_default();
        let folder = all.split(&format!("\n{name} = {{ path = \"")).nth(1);
        if let Some(folder) = folder.filter(|_| !name.is_empty()) {
            add_packages(root, Path::new(folder.split('"').next().unwrap_or_default()), found);
        }
    }
}

/// Adds the sources in a folder, without those of tests and of other packages.
fn add_sources(root: &Path, folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(root.join(folder)).expect("the folder is there") {
        let path = folder.join(entry.expect("the folder can be read").file_name());
        let is_of_tests = path.file_stem().is_some_and(|name| name == "tests" || name == "simulation");
        if is_of_tests || root.join(&path).join("Cargo.toml").is_file() {
            continue;
        }
        if root.join(&path).is_dir() {
            add_sources(root, &path, found);
        }
    }
    add_files(root, folder, &["rs"], found);
}

/// Adds the files of some kinds in a folder, but hidden ones, such as an editor's.
fn add_files(root: &Path, folder: &Path, kinds: &[&str], found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(root.join(folder)).expect("the folder is there") {
        let path = folder.join(entry.expect("the folder can be read").file_name());
        let is_of = |part: Option<&std::ffi::OsStr>, is: &dyn Fn(&str) -> bool| part.and_then(|part| part.to_str()).is_some_and(is);
        let is_meant = is_of(path.extension(), &|kind| kinds.contains(&kind)) && !is_of(path.file_name(), &|name| name.starts_with('.'));
        if is_meant && !is_of(path.file_stem(), &|name| name == "tests" || name == "simulation") {
            found.insert(path);
        }
    }
}

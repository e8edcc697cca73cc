//! Pages of the packages on a registry: their links hold there, and version and address are the same
//! everywhere.

use std::fs;

use raddle_common::testing::not_empty;

use crate::commands::root;

/// Address of the repository.
const REPOSITORY: &str = "https://github.com/raddle-rs/raddle";

/// Pages of the packages, which a registry shows without the files next to them.
const PAGES: [&str; 13] = [
    "README.md",
    "src/base/README.md",
    "src/cli/README.md",
    "datasets/README.md",
    "algorithms/common/README.md",
    "algorithms/kernels/README.md",
    "algorithms/lasso/README.md",
    "algorithms/lda/README.md",
    "algorithms/linear/README.md",
    "algorithms/mf/README.md",
    "algorithms/pool/README.md",
    "algorithms/python/README.md",
    "algorithms/tabular/README.md",
];

fn text(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|why| panic!("{file}: {why}"))
}

/// Links of a page, but for those of its examples.
fn links(page: &str) -> Vec<&str> {
    let prose = page.split("```").step_by(2);
    prose.flat_map(|text| text.split("](").skip(1)).filter_map(|rest| rest.split(')').next()).collect()
}

/// The anchor that a heading has.
fn anchor(heading: &str) -> String {
    let letters = heading.trim_start_matches('#').trim().to_lowercase();
    letters
        .chars()
        .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter))
        .collect::<String>()
        .replace(' ', "-")
}

#[test]
fn links_of_a_package_s_page_hold_where_the_files_beside_it_are_not() {
    let mut found = 0;
    for page in PAGES.into_iter().chain(["SECURITY.md"]) {
        for link in links(&text(page)) {
            assert!(
                link.contains("://") || link.starts_with('#'),
                "{page}: {link} leads nowhere on a registry's page"
            );
            let Some(at) = link.strip_prefix(REPOSITORY) else { continue };
            let Some(path) = at.strip_prefix("/blob/main/").or_else(|| at.strip_prefix("/tree/main/")) else {
                continue;
            };
            let (path, place) = path.split_once('#').unwrap_or((path, ""));
            assert!(root().join(path).exists(), "{page}: {link}");
            let has_place = || text(path).lines().any(|line| line.starts_with('#') && anchor(line) == place);
            assert!(place.is_empty() || has_place(), "{page}: {link}");
            found += 1;
        }
    }
    assert!(found >= 40, "{found} links into the repository");
}

/// The value of a line `key = "value"` or `key: value`.
fn value<'a>(text: &'a str, key: &str) -> &'a str {
    let line =
        text.lines().find(|line| line.trim_start_matches('"').starts_with(key) && line.contains(['=', ':']));
    let line = line.unwrap_or_else(|| panic!("there is no {key}"));
    let (_, value) = line.split_once([':', '=']).unwrap_or_default();
    value.trim().trim_matches('"')
}

#[test]
fn every_manifest_has_the_same_version_and_address() {
    let workspace = text("Cargo.toml");
    let version = value(&workspace, "version");
    assert_eq!(value(&workspace, "repository"), REPOSITORY);
    for (file, key) in [
        ("algorithms/python/Cargo.toml", "repository"),
        ("algorithms/python/pyproject.toml", "Repository"),
        ("CITATION.cff", "repository-code"),
    ] {
        assert_eq!(value(&text(file), key), REPOSITORY, "{file}");
    }
    for file in ["algorithms/python/Cargo.toml", "CITATION.cff"] {
        assert_eq!(value(&text(file), "version"), version, "{file}");
    }
    let published = PAGES.iter().filter(|page| **page != "algorithms/python/README.md");
    for page in not_empty(published) {
        let manifest = text(&page.replace("README.md", "Cargo.toml"));
        assert!(manifest.contains("\nrepository.workspace = true\n"), "{page}");
        assert!(manifest.contains("\nreadme = \"README.md\"\n"), "{page}");
    }
}

#[test]
fn targets_that_a_source_distribution_lacks_have_their_path_in_the_manifest() {
    // Its manifests are these as they stand. A target without a path is looked for, and the build ends where
    // it is not there.
    for page in not_empty(PAGES.iter().filter(|page| !page.contains("python") && !page.contains("pool"))) {
        let manifest = text(&page.replace("README.md", "Cargo.toml"));
        for kind in ["test", "bench"] {
            for target in manifest.split(&format!("[[{kind}]]\n")).skip(1) {
                let target = target.split("\n[").next().unwrap_or_default();
                assert!(target.contains("\npath = "), "{page}: the {kind}\n{target}");
            }
        }
    }
}

#[test]
fn programs_are_stripped_because_no_profile_names_their_package_without_it() {
    // Cargo takes `strip` back for a package that has settings of its own and not this one: a fifth of a
    // program is names.
    let workspace = text("Cargo.toml");
    let section = |name: &str| {
        let after = workspace.split(&format!("\n[{name}]\n")).nth(1);
        after.unwrap_or_else(|| panic!("there is no {name}")).split("\n[").next().unwrap_or_default()
    };
    for profile in ["release", "dist"] {
        let profile = format!("profile.{profile}");
        assert!(section(&profile).contains("strip = true"), "{profile}");
        let named = format!("\n{}", section(&format!("{profile}.package")));
        let manifests = PAGES.iter().filter(|page| !page.contains("python"));
        let manifests = manifests.map(|page| page.replace("README.md", "Cargo.toml"));
        for manifest in not_empty(manifests.chain(["datasets/program/Cargo.toml".to_owned()])) {
            let manifest = text(&manifest);
            let package = value(&manifest[manifest.find("\n[package]").unwrap_or_default()..], "name");
            if manifest.contains("\n[[bin]]\n") {
                let of = |line: &&str| {
                    line.starts_with(&format!("{package}.")) || line.starts_with(&format!("{package} "))
                };
                let unstripped = named.lines().filter(of).find(|line| !line.contains("strip = true"));
                assert_eq!(unstripped, None, "{profile} names {package}");
            }
        }
    }
}

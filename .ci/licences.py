#!/usr/bin/env python3
"""Texts of the licences of everything that is linked into the released programs, in one file.

    licences.py TARGET FEATURES > LICENSES

The crates are those of `cargo metadata`: the dependencies of the programs that are neither for building nor macros. Each
stands with name, version and licence; a text stands once, below the crates that bring it. A crate that brings none has
that of another crate with the same licence, and is named on stderr. What has no text at all is an error.
"""

import importlib.metadata
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

PROGRAMS = ["raddle-cli", "raddle-lasso", "raddle-mf", "raddle-lda", "raddle-linear", "raddle-pool", "raddle-data"]
NAMES = re.compile(r"^(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)
RULE = "=" * 100


def metadata(target, features):
    """The packages by id, and the nodes of what depends on what."""
    line = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target, "--features", features]
    told = json.loads(subprocess.run(line, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in told["packages"]}
    return packages, {node["id"]: node for node in told["resolve"]["nodes"]}


def is_macro(package):
    """Whether a package runs in the compiler alone."""
    return any("proc-macro" in target["kind"] for target in package["targets"])


def linked(packages, nodes):
    """The packages that are linked into the programs, by name and version."""
    found, open_ = set(), [id_ for id_, package in packages.items() if package["name"] in PROGRAMS]
    while open_:
        id_ = open_.pop()
        if id_ in found or is_macro(packages[id_]):
            continue
        found.add(id_)
        for dependency in nodes[id_]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                open_.append(dependency["pkg"])
    return sorted((packages[id_] for id_ in found), key=lambda package: (package["name"], package["version"]))


def texts_in(folder):
    """The texts of licences in a folder of sources, by the names of their files."""
    found = {}
    for path in sorted(folder.iterdir()):
        paths = sorted(path.iterdir()) if path.is_dir() and NAMES.match(path.name) else [path]
        for file in paths:
            named = NAMES.match(file.name) or path.is_dir()
            if named and file.is_file() and file.suffix not in (".rs", ".py", ".toml"):
                text = file.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip()
                if text:
                    found[file.name] = text
    return found


def parts(licence):
    """The licences of an expression, such as those of `MIT OR Apache-2.0`."""
    return {part for part in re.split(r"[()\s/]+", licence) if part and part not in ("OR", "AND", "WITH")}


def of_rust():
    """The standard library: its licence, and its texts where the toolchain has them."""
    root = subprocess.run(["rustc", "--print", "sysroot"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    version = subprocess.run(["rustc", "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[1]
    folder = pathlib.Path(root, "share", "doc", "rust")
    texts = {name: text for name, text in (texts_in(folder) if folder.is_dir() else {}).items() if "MIT" in name}
    return {"name": "Rust standard library", "version": version, "license": "MIT OR Apache-2.0"}, texts


def of_c(target):
    """The C library where it is linked statically: that of this system, of zig, or of mingw-w64; none of macOS."""
    if "apple" in target:
        return []
    if "musl" in target:
        zig = importlib.util.find_spec("ziglang")
        if zig is None:
            sys.exit(f"licences: {target} is linked with zig's C library, whose licence {sys.executable} lacks: pip install ziglang")
        path = pathlib.Path(zig.origin).parent / "lib/libc/musl/COPYRIGHT"
        package = {"name": "musl", "version": f"of zig {importlib.metadata.version('ziglang')}", "license": "MIT"}
    elif "windows" in target:
        path = pathlib.Path("/usr/share/doc/mingw-w64-x86-64-dev/copyright")
        package = {"name": "mingw-w64 runtime", "version": "of Debian", "license": "ZPL-2.1"}
    else:
        path = pathlib.Path("/usr/share/common-licenses/LGPL-2.1")
        version = os.confstr("CS_GNU_LIBC_VERSION").split()[-1]
        package = {"name": "GNU C Library", "version": version, "license": "LGPL-2.1-or-later"}
    if not path.is_file():
        sys.exit(f"licences: {path}: the text of the C library's licence is not there")
    return [(package, {package["license"]: path.read_text(encoding="utf-8").strip()})]


def main(target, features):
    packages, nodes = metadata(target, features)
    crates = linked(packages, nodes)
    root = pathlib.Path(__file__).resolve().parent.parent
    of_all = []
    for package in crates:
        folder = pathlib.Path(package["manifest_path"]).parent
        # Ours have those of the repository.
        texts = texts_in(root if root in (folder, *folder.parents) else folder)
        if not package["license"] and not texts:
            sys.exit(f"licences: {package['name']} {package['version']}: neither a licence nor a text")
        of_all.append((package, texts))
    of_all += [of_rust(), *of_c(target)]

    of_others = {}
    for package, texts in of_all:
        licences = parts(package["license"] or "")
        for name, text in texts.items():
            for licence in licences:
                short = licence.split("-")[0].lower()
                if len(licences) == 1 or short in name.lower():
                    of_others.setdefault(licence, text)
    users = {}
    for package, texts in of_all:
        if not texts:
            licences = parts(package["license"])
            # Of a choice one is enough.
            lent = [licence for licence in sorted(licences) if licence in of_others]
            is_whole = lent and (" AND " not in package["license"] or len(lent) == len(licences))
            if not is_whole:
                sys.exit(f"licences: {package['name']} {package['version']}: no text of {package['license']}")
            sys.stderr.write(
                f"licences: {package['name']} {package['version']} brings no text: "
                f"that of another crate with {', '.join(lent)}\n"
            )
            texts = {licence: of_others[licence] for licence in lent}
            authors = ", ".join(re.sub(r"\s*<.*?>", "", author) for author in package.get("authors", []))
            lender = f" (brings no text; by {authors or 'its authors'})"
        else:
            lender = ""
        for text in texts.values():
            users.setdefault(text, []).append(f"{package['name']} {package['version']}{lender}")

    out = ["Licences of what is linked into the programs raddle, lasso, mf, lda and linear.", ""]
    out += [f"{package['name']} {package['version']}  {package['license']}" for package, _ in of_all]
    out += [
        "",
        "The sources of the programs, from which they can be linked anew with another C library, are those of the",
        "release's version in the repository.",
    ]
    for text, names in users.items():
        out += ["", RULE, ", ".join(dict.fromkeys(names)), RULE, "", text]
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

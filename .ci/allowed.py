#!/usr/bin/env python3
"""The rules of a deny.toml on bans, licences and sources, checked against `cargo metadata`, for who has no cargo-deny.

    allowed.py DENY.TOML      # of the package in whose folder it stands
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"


def allows(expression, allowed):
    """Whether the allowed licences satisfy an SPDX expression: one of each OR, all of each AND."""
    words = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))
    at = 0

    def term():
        nonlocal at
        word = words[at]
        at += 1
        if word == "(":
            value = either()
            at += 1
            return value
        # An exception widens what its licence gives.
        if words[at : at + 1] == ["WITH"]:
            at += 2
        return word in allowed

    def both():
        nonlocal at
        value = term()
        while words[at : at + 1] == ["AND"]:
            at += 1
            value &= term()
        return value

    def either():
        nonlocal at
        value = both()
        while words[at : at + 1] == ["OR"]:
            at += 1
            value |= both()
        return value

    return either()


def wildcards(package):
    """The dependencies of a package that take any version, but for those on a folder."""
    return [d["name"] for d in package["dependencies"] if d["req"] == "*" and not d.get("path")]


def faults(rules, packages):
    """One sentence for each rule that a package breaks."""
    everywhere = set(rules["licenses"]["allow"])
    exceptions = {one["crate"]: set(one["allow"]) for one in rules["licenses"].get("exceptions", [])}
    denied = {one["crate"]: one.get("reason", "denied") for one in rules["bans"].get("deny", [])}
    for package in packages:
        name, source = f'{package["name"]} {package["version"]}', package["source"]
        if package["name"] in denied:
            yield f'{name}: {denied[package["name"]]}'
        if source not in (None, REGISTRY):
            yield f"{name}: comes from {source}"
        if not package["license"]:
            yield f"{name}: names no licence"
        elif not allows(package["license"], everywhere | exceptions.get(package["name"], set())):
            yield f'{name}: {package["license"]}'
        if source is None:
            for dependency in wildcards(package):
                yield f"{name}: any version of {dependency}"


def main():
    file = pathlib.Path(sys.argv[1]).resolve()
    rules = tomllib.loads(file.read_text(encoding="utf-8"))
    line = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    told = json.loads(subprocess.run(line, check=True, stdout=subprocess.PIPE, cwd=file.parent).stdout)
    found = list(faults(rules, told["packages"]))
    for fault in found:
        print(f"{file.name}: {fault}", file=sys.stderr)
    print(f'{len(told["packages"])} packages, {len(found)} against {file.name}')
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""Makes the embedded corpus: the documentation strings of the Python standard library as word counts.

    python3 pydoc.py        # writes docword.pydoc.txt.gz and vocab.pydoc.txt beside itself

A document is a module: a file of the library that is neither a test nor part of a bundled third-party package. Its text
is every documentation string in it (module, classes, functions). Words are runs of letters a-z in lower case, of 3 to
20 letters, without the words of stop-words-english.txt; words in fewer than 3 modules are left out, and so are modules
with fewer than 60 tokens. Words are in alphabetical order, documents in that of their modules' names.
"""

import ast
import collections
import gzip
import pathlib
import re
import sysconfig

HERE = pathlib.Path(__file__).parent
LIBRARY = pathlib.Path(sysconfig.get_path("stdlib"))
LEFT_OUT = {"site-packages", "dist-packages", "test", "tests", "idle_test", "lib2to3", "__pycache__", "_vendor", "ensurepip"}
STOP = set((HERE / "stop-words-english.txt").read_text().split())
LEAST_MODULES, LEAST_TOKENS = 3, 60


def words(path):
    tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    text = " ".join(ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, kinds))
    return [word for word in re.findall("[a-z]+", text.lower()) if 3 <= len(word) <= 20 and word not in STOP]


modules = {}
for path in LIBRARY.rglob("*.py"):
    place = path.relative_to(LIBRARY)
    if not LEFT_OUT.intersection(place.parts) and not place.parts[0].startswith("config-"):
        modules[".".join(place.with_suffix("").parts)] = collections.Counter(words(path))
frequency = collections.Counter(word for counts in modules.values() for word in counts)
vocabulary = sorted(word for word, number in frequency.items() if number >= LEAST_MODULES)
numbers = {word: number for number, word in enumerate(vocabulary, 1)}
documents = []
for name in sorted(modules):
    counts = sorted((numbers[word], count) for word, count in modules[name].items() if word in numbers)
    if sum(count for _, count in counts) >= LEAST_TOKENS:
        documents.append(counts)
lines = [len(documents), len(vocabulary), sum(map(len, documents))]
lines += [f"{d} {word} {count}" for d, counts in enumerate(documents, 1) for word, count in counts]
text = "".join(f"{line}\n" for line in lines).encode()
(HERE / "docword.pydoc.txt.gz").write_bytes(gzip.compress(text, 9, mtime=0))
(HERE / "vocab.pydoc.txt").write_text("".join(f"{word}\n" for word in vocabulary))
tokens = sum(count for counts in documents for _, count in counts)
print(f"{len(documents)} modules, {len(vocabulary)} words, {tokens} tokens")

"""The book is built: a page a class, and examples that run."""

import importlib.util
import pathlib
import re
import time

import pytest

DOCS = pathlib.Path(__file__).parents[1] / "docs"
spec = importlib.util.spec_from_file_location("build", DOCS / "build.py")
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)


@pytest.mark.parametrize("example", sorted((DOCS / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_an_example_runs_and_shows_its_picture(example):
    started = time.process_time()
    page, title = build.of_example(example)
    assert "<h2>Output</h2><pre>" in page and '<div class="raddle">' in page and title
    assert time.process_time() - started < 20


def test_a_page_for_each_class_and_links_that_lead_somewhere(tmp_path):
    build.build(tmp_path, examples=[])
    pages = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert {"raddle.lasso.Lasso.html", "raddle.mf.ImplicitALS.html", "raddle.lda.LdaCV.html", "defaults.html"} <= set(pages)
    for name, text in pages.items():
        assert all(link in pages for link in re.findall(r'href="([^"#:]+)"', text)), name
        assert "://" not in text, name
    assert "<dt><code>alpha : float, default=1.0</code></dt>" in pages["raddle.lasso.ElasticNet.html"]

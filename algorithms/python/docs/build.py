#!/usr/bin/env python3
"""Builds the book: a page for each class from its docstring, the pages of this folder, and the examples with what they show.

    docs/build.py OUT

It needs no network: Markdown and docstrings are converted here, as far as they use either. An example is a script; its
output is on its page, and so is the page of each model in its list `shown`.
"""

import ast
import contextlib
import html
import importlib
import inspect
import io
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
MODULES = ("raddle.lasso", "raddle.linear", "raddle.mf", "raddle.mf.metrics", "raddle.mf.model_selection", "raddle.lda")
PAGES = {"defaults": "Equal names, equal models", "refusals": "What is refused", "peers": "The peers' own tests"}

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:54em;margin:2em auto;padding:0 1em;color:#222;background:#fff}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}a{color:#8ab4f8}}
pre{background:#8881;padding:.7em;overflow-x:auto;font-size:13px}code{font-size:.9em}
table{border-collapse:collapse}td,th{border:1px solid #8886;padding:.2em .6em;text-align:left;vertical-align:top}
dt{margin-top:.5em}nav{font-size:.9em}"""


def inline(text):
    """Convert code, links and emphasis within a line."""
    parts = re.split(r"(``.+?``|`[^`]+`)", text)
    for at, part in enumerate(parts):
        if part.startswith("`"):
            parts[at] = f"<code>{html.escape(part.strip('`'))}</code>"
        else:
            part = re.sub(r"\[([^\]]+)\]\(([^)]+)\)", r'<a href="\2">\1</a>', html.escape(part, quote=False))
            parts[at] = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", part)
    return "".join(parts)


def table(lines):
    rows = [[inline(cell.strip()) for cell in line.strip().strip("|").split("|")] for line in lines]
    head = "".join(f"<th>{cell}</th>" for cell in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows[2:])
    return f"<table><tr>{head}</tr>{body}</table>"


def markdown(text):
    """Convert Markdown: headings, paragraphs, lists, tables, code."""
    out = []
    for block in re.split(r"(```.*?```)", text, flags=re.DOTALL):
        if block.startswith("```"):
            out.append(f"<pre>{html.escape(block[3:-3].partition(chr(10))[2])}</pre>")
            continue
        for part in re.split(r"\n\s*\n", block):
            lines = part.strip().splitlines()
            if not lines:
                continue
            heading = re.match(r"(#+) (.*)", lines[0])
            if heading:
                out.append(f"<h{len(heading[1])}>{inline(heading[2])}</h{len(heading[1])}>")
                lines = lines[1:]
            if lines and lines[0].startswith("|"):
                out.append(table(lines))
            elif lines and lines[0].startswith("- "):
                items = re.split(r"\n- ", "\n" + "\n".join(lines))[1:]
                out.append("<ul>" + "".join(f"<li>{inline(' '.join(item.split()))}</li>" for item in items) + "</ul>")
            elif lines:
                out.append(f"<p>{inline(' '.join(lines))}</p>")
    return "".join(out)


def entries(lines):
    """Convert a section of names with their descriptions, such as Parameters."""
    out, text = [], textwrap.dedent("\n".join(lines))
    for line in text.splitlines():
        if line and not line.startswith(" "):
            out.append(f"<dt><code>{html.escape(line)}</code></dt>")
        elif line.strip():
            out.append(f"<dd>{inline(line.strip())}</dd>")
    return "<dl>" + "".join(out).replace("</dd><dd>", " ") + "</dl>"


def docstring(of, level=2):
    """Convert a docstring in the sections of numpydoc."""
    parts = re.split(r"\n([A-Z][A-Za-z ]+)\n-{3,}\n", "\n" + (inspect.getdoc(of) or ""))
    out = [markdown(parts[0])]
    for name, body in zip(parts[1::2], parts[2::2]):
        is_code = name in ("Examples",)
        text = f"<pre>{html.escape(body.strip())}</pre>" if is_code else entries(body.splitlines())
        out.append(f"<h{level + 1}>{name}</h{level + 1}>{text if name != 'Notes' else markdown(body)}")
    return "".join(out)


def of_class(found, name):
    """Return the page of a class or function."""
    out = [f"<h1>{name}</h1>", f"<pre>{html.escape(signature(name, found))}</pre>", docstring(found)]
    if inspect.isclass(found):
        for method, of in sorted(inspect.getmembers(found, inspect.isroutine)):
            if not method.startswith("_") and (getattr(of, "__module__", None) or "").startswith("raddle"):
                out.append(f"<h2>{html.escape(signature(method, of))}</h2>{docstring(of)}")
    return "".join(out)


def signature(name, of):
    try:
        given = str(inspect.signature(of))
    except ValueError:
        given = "(..)"
    return name + given.replace("(self, ", "(").replace("(self)", "()")


def of_example(path):
    """Return the page of an example, with its output and pictures; and the first line of its docstring."""
    source = path.read_text()
    tree = ast.parse(source)
    title = ast.get_docstring(tree).splitlines()[0].rstrip(".")
    said, scope = io.StringIO(), {"__name__": "__main__", "__file__": str(path)}
    with contextlib.redirect_stdout(said):
        exec(compile(source, str(path), "exec"), scope)
    code = source.split('"""', 2)[2].strip()
    out = [f"<h1>{html.escape(title)}</h1>", markdown("\n".join(ast.get_docstring(tree).splitlines()[1:]))]
    out += [f"<pre>{html.escape(code)}</pre>", f"<h2>Output</h2><pre>{html.escape(said.getvalue())}</pre>"]
    out += [model._repr_html_() for model in scope.get("shown", [])]
    return "".join(out), title


def page(title, body, to_index='<nav><a href="index.html">raddle for Python</a></nav>'):
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>'
        f"<body>{to_index}{body}</body></html>"
    )


def build(out, examples=None):
    """Write the book to a folder; `examples` are all by default."""
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    contents = []
    for module in MODULES:
        found = importlib.import_module(module)
        contents.append(f"<h2>{module}</h2>{markdown(inspect.getdoc(found).splitlines()[0])}<ul>")
        for name in sorted(found.__all__):
            file = f"{module}.{name}.html"
            (out / file).write_text(page(f"{module}.{name}", of_class(getattr(found, name), name)))
            contents.append(f'<li><a href="{file}">{name}</a></li>')
        contents.append("</ul>")
    contents.append("<h2>Pages</h2><ul>")
    for name, title in PAGES.items():
        (out / f"{name}.html").write_text(page(title, markdown((HERE / f"{name}.md").read_text())))
        contents.append(f'<li><a href="{name}.html">{title}</a></li>')
    contents.append("</ul><h2>Examples</h2><ul>")
    for path in sorted((HERE / "examples").glob("*.py")) if examples is None else examples:
        body, title = of_example(path)
        (out / f"{path.stem}.html").write_text(page(title, body))
        contents.append(f'<li><a href="{path.stem}.html">{html.escape(title)}</a></li>')
    body = "<h1>raddle for Python</h1>" + "".join(contents) + "</ul>"
    (out / "index.html").write_text(page("raddle for Python", body, ""))


if __name__ == "__main__":
    build(sys.argv[1])

"""Pages of fitted models for notebooks and files: parameters, results and one picture, without scripts."""

from html import escape

import numpy as np

_STYLE = (
    "<style>.raddle{font:14px/1.4 system-ui,sans-serif;max-width:60em}.raddle table{border-collapse:collapse;margin:.5em 0}"
    ".raddle td{padding:.1em 1em .1em 0;border-bottom:1px solid #8884;text-align:left}"
    ".raddle svg{max-width:100%;color:inherit}.raddle h1{font-size:1.2em}.raddle h2{font-size:1em;margin:.8em 0 0}</style>"
)


class Reported:
    """A model with a page."""

    def report_html(self):
        """Return a page of the model: its parameters, how its fit went, and a picture.

        Returns
        -------
        str
            A whole page of HTML, to be written to a file; a notebook shows it if the model is the last value of a cell.
        """
        name = escape(type(self).__name__)
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{name}</title></head>'
            f"<body>{self._html()}</body></html>"
        )

    def _repr_html_(self):
        return self._html()

    def _repr_mimebundle_(self, **kwargs):
        return {"text/plain": repr(self), "text/html": self._html()}

    def _html(self):
        parts = [_STYLE, f"<h1>{escape(type(self).__name__)}</h1>"]
        # A model that a program fitted has a report of its own form.
        report = getattr(self, "report_", None)
        if report is None:
            parts.append("<p>Not fitted.</p>")
        else:
            parts += ["<h2>Result</h2>", _table(_results(self, report)), _picture(self)]
        parts += ["<h2>Parameters</h2>", _table(self.get_params(deep=False))]
        return f'<div class="raddle">{"".join(parts)}</div>'


def _results(model, report):
    found = {"ended by": report.get("ending"), "epochs": report.get("epochs"), "objective": report.get("objective")}
    metric = report.get("metric") or {}
    if metric:
        found[f"{metric['name']}, on {metric.get('on')}"] = metric["value"]
    for name in ("alpha_", "l1_ratio_", "C_", "n_components_", "regularization_", "learned_", "best_iter_", "digest_"):
        found[name] = getattr(model, name, None)
    coef = _coefficients(model)
    if coef is not None:
        found["coefficients other than 0"] = f"{np.count_nonzero(coef)} of {np.size(coef)}"
    seconds = report.get("seconds")
    found["seconds"] = sum(seconds.values()) if isinstance(seconds, dict) else seconds
    return {name: value for name, value in found.items() if value is not None}


def _coefficients(model):
    """Return the coefficients as an array, or None."""
    coef = getattr(model, "coef_", None)
    return coef.toarray() if hasattr(coef, "toarray") else coef


def _table(values):
    def text(value):
        value = f"{value:.6g}" if isinstance(value, float) else str(value)
        return escape(value if len(value) < 200 else value[:197] + "...")

    rows = "".join(f"<tr><td>{escape(str(name))}</td><td>{text(value)}</td></tr>" for name, value in values.items())
    return f"<table>{rows}</table>"


def _picture(model):
    """Return the curve of a choice, evaluations of topics, or the largest coefficients."""
    if hasattr(model, "mean_path_") and np.ndim(model.mean_path_) == 1 and len(model.mean_path_) > 1:
        name = "C" if hasattr(model, "Cs_") else "n_components" if hasattr(model, "n_components_") else "alpha"
        settings = {"C": "Cs_", "n_components": "topics_", "alpha": "alphas_"}[name]
        at = np.log10(np.asarray(getattr(model, settings), float))
        return _curve(at, model.mean_path_, f"mean on held-out rows by log10 of {name}")
    evaluations = [one for one in getattr(model, "evaluations_", None) or [] if one.get("perplexity")]
    if len(evaluations) > 1:
        at, values = zip(*((one["epoch"], one["perplexity"]) for one in evaluations))
        return _curve(np.array(at, float), np.array(values), "perplexity by epoch")
    coef = _coefficients(model)
    if coef is not None and np.any(coef):
        return _bars(model, np.atleast_2d(coef))
    return ""


def _curve(at, values, title):
    is_finite = np.isfinite(at) & np.isfinite(values)
    at, values = at[is_finite], np.asarray(values)[is_finite]
    if len(at) < 2:
        return ""
    x = 40 + 540 * (at - at.min()) / max(np.ptp(at), 1e-300)
    y = 170 - 150 * (values - values.min()) / max(np.ptp(values), 1e-300)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
    labels = "".join(
        f'<text x="{a:.0f}" y="{b}" font-size="11" text-anchor="{anchor}" fill="currentColor">{value:.4g}</text>'
        for a, b, value, anchor in [
            (38, 24, values.max(), "end"), (38, 172, values.min(), "end"), (40, 188, at.min(), "start"),
            (580, 188, at.max(), "end"),
        ]
    )
    line = f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5"/>'
    return f'<h2>{escape(title)}</h2><svg viewBox="0 0 600 195" width="600" role="img">{line}{labels}</svg>'


def _bars(model, coef, most=12):
    sizes = np.abs(coef).max(0)
    best = np.argsort(-sizes, kind="stable")[:most]
    best = best[sizes[best] > 0]
    names = getattr(model, "feature_names_in_", None)
    rows = []
    for at, column in enumerate(best):
        value = coef[np.abs(coef[:, column]).argmax(), column]
        name = escape(str(names[column] if names is not None else f"column {column}"))
        width = 300 * sizes[column] / sizes[best[0]]
        colour = "#4878b0" if value > 0 else "#c0504d"
        rows.append(
            f'<text x="195" y="{16 * at + 13}" font-size="11" text-anchor="end" fill="currentColor">{name[:30]}</text>'
            f'<rect x="200" y="{16 * at + 3}" width="{width:.1f}" height="12" fill="{colour}"/>'
            f'<text x="{205 + width:.0f}" y="{16 * at + 13}" font-size="11" fill="currentColor">{value:.4g}</text>'
        )
    height = 16 * len(best) + 6
    return (
        f'<h2>largest coefficients</h2><svg viewBox="0 0 600 {height}" width="600" role="img">{"".join(rows)}</svg>'
    )

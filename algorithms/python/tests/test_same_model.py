"""Models are those of the program `lasso`, bit for bit, on any number of workers."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from raddle.lasso import ElasticNet, ElasticNetCV, Lasso, LassoCV, LogisticLasso, PoissonLasso, lasso_path

WORKERS = (1, 2, 3)
PLAIN = ("--no-standardize", "--workers", "2")


def same(report, fits):
    """Check that each fit has the digest of the program's model."""
    for fit in fits:
        digest = fit.digest if hasattr(fit, "digest") else fit.digest_
        assert digest == report["model_digest"]


def test_an_array_is_the_table(lasso_program, diabetes, csv):
    X, y = diabetes
    file = csv(X, y)
    report = lasso_program("fit", file, "--lambda", "0.1", *PLAIN)
    same(report, [Lasso(alpha=0.1, n_jobs=workers).fit(X, y) for workers in WORKERS])
    report = lasso_program("fit", file, "--lambda", "0.5", "--l1-ratio", "0.3")
    same(report, [ElasticNet(alpha=0.5, l1_ratio=0.3, standardize=True).fit(X, y)])
    report = lasso_program("fit", file, "--lambda", "0.1", "--no-intercept", *PLAIN)
    same(report, [Lasso(alpha=0.1, fit_intercept=False).fit(X, y)])


def test_compressed_columns_are_the_libsvm_file(lasso_program, public):
    X, y, file = public("lasso/farmads.svm.gz")
    report = lasso_program("fit", file, "--lambda", "0.01", *PLAIN)
    same(report, [Lasso(alpha=0.01, n_jobs=workers).fit(X, y) for workers in WORKERS])
    same(report, [Lasso(alpha=0.01).fit(X.tocsr(), y)])


def test_logistic_models(lasso_program, public, csv):
    X, y, file = public("lasso/leukemia.svm.gz")
    report = lasso_program("fit", file, "--lambda", "0.05", "--loss", "logistic", *PLAIN)
    words = np.where(y > 0, "second", "first")
    for labels in (y, words):
        same(report, [LogisticLasso(alpha=0.05, n_jobs=workers).fit(X, labels) for workers in WORKERS])
    X, y = load_iris(return_X_y=True)
    report = lasso_program("fit", csv(X, y), "--lambda", "0.02", "--loss", "multinomial", *PLAIN)
    same(report, [LogisticLasso(alpha=0.02, n_jobs=workers).fit(X, y) for workers in WORKERS])


def test_weights_and_offsets(lasso_program, diabetes, csv):
    X, y = diabetes
    random = np.random.default_rng(11)
    counts, weights, offset = np.round(y / 50), random.random(len(y)), random.normal(size=len(y))
    file = csv(X, counts, w=weights, o=offset)
    report = lasso_program(
        "fit", file, "--y", "y", "--lambda", "0.05", "--loss", "poisson", "--weights", "w", "--offset", "o", *PLAIN
    )
    same(
        report,
        [
            PoissonLasso(alpha=0.05, n_jobs=workers).fit(X, counts, sample_weight=weights, offset=offset)
            for workers in WORKERS
        ],
    )


def test_groups_factors_and_bounds(lasso_program, diabetes, csv, tmp_path):
    X, y = diabetes
    file = csv(X, y)
    groups = [0, 0, 1, 1, 1, 2, 2, 3, 3, 3]
    terms = tmp_path / "groups"
    terms.write_text("".join(f"x{j} {group}\n" for j, group in enumerate(groups)))
    report = lasso_program("fit", file, "--lambda", "0.3", "--groups", terms, *PLAIN)
    same(report, [Lasso(alpha=0.3, groups=groups, n_jobs=workers).fit(X, y) for workers in WORKERS])
    factors, bounds = np.arange(1.0, 11.0) / 4, [(-50.0 * j, 300.0) for j in range(10)]
    (tmp_path / "factors").write_text("".join(f"x{j} {value}\n" for j, value in enumerate(factors)))
    (tmp_path / "bounds").write_text("".join(f"x{j} {a} {b}\n" for j, (a, b) in enumerate(bounds)))
    files = ("--factors", tmp_path / "factors", "--bounds", tmp_path / "bounds")
    report = lasso_program("fit", file, "--lambda", "0.1", *files, *PLAIN)
    same(report, [Lasso(alpha=0.1, factors=factors, bounds=bounds).fit(X, y)])
    report = lasso_program("fit", file, "--lambda", "0.1", "--nonnegative", *PLAIN)
    same(report, [Lasso(alpha=0.1, positive=True).fit(X, y)])


def test_paths(lasso_program, diabetes, csv):
    X, y = diabetes
    report = lasso_program("path", csv(X, y), "--points", "30", "--ratio", "100", *PLAIN)
    same(report, [lasso_path(X, y, alphas=30, eps=0.01, n_jobs=workers) for workers in WORKERS])


@pytest.mark.parametrize("rule", ["min", "1se"])
def test_cross_validations(lasso_program, diabetes, csv, rule):
    X, y = diabetes
    file = csv(X, y)
    grid = ("--points", "40", "--ratio", "1000", "--rule", rule)
    report = lasso_program("cv", file, *grid, *PLAIN)
    fits = [LassoCV(alphas=40, rule=rule, n_jobs=workers).fit(X, y) for workers in WORKERS]
    same(report, fits)
    assert fits[0].alpha_ == report["results"]["lambda"] and fits[0].worst_gap_ == report["results"]["worst_gap"]
    report = lasso_program("cv", file, "--l1-ratio", "0.2,0.9", "--folds", "4", "--measure", "mae", *grid, *PLAIN)
    same(report, [ElasticNetCV(l1_ratio=[0.2, 0.9], cv=4, measure="mae", alphas=40, rule=rule).fit(X, y)])

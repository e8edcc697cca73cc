"""Pages of models, lines of `verbose`, single precision, several targets."""

import numpy as np
import pytest

from raddle.lasso import ElasticNet, Lasso, LassoCV
from raddle.lda import LatentDirichletAllocation, LdaCV
from raddle.linear import LinearSVC, LogisticRegression
from raddle.mf import AlternatingLeastSquares


def test_a_page_has_result_picture_and_parameters(diabetes):
    X, y = diabetes
    for model, words in [
        (Lasso(alpha=1.0).fit(X, y), ["largest coefficients", "3 of 10", "relative-duality-gap"]),
        (LassoCV(alphas=5).fit(X, y), ["mean on held-out rows by log10 of alpha", "<polyline"]),
        (ElasticNet(), ["Not fitted.", "l1_ratio"]),
        (AlternatingLeastSquares(), ["regularization"]),
    ]:
        page = model.report_html()
        assert page.startswith("<!DOCTYPE html>") and all(word in page for word in words), type(model)
        assert model._repr_html_() in page and "<script" not in page and "://" not in page


def test_a_name_of_a_column_is_no_markup(diabetes):
    pandas = pytest.importorskip("pandas")
    X, y = diabetes
    frame = pandas.DataFrame(X, columns=["<b>&", *map(str, range(9))])
    assert "<b>&" not in Lasso(alpha=0.01).fit(frame, y).report_html()


def test_verbose_is_a_line_per_epoch(capsys):
    X = np.random.default_rng(0).normal(size=(60, 5))
    LinearSVC(verbose=1).fit(X, X[:, 0] > 0)
    assert capsys.readouterr().out.startswith("LinearSVC: epoch 1, relative-duality-gap")
    seen = []
    counts = np.random.default_rng(0).poisson(0.5, size=(30, 8))
    LatentDirichletAllocation(2, max_iter=3, verbose=1).fit(counts, callback=lambda record: seen.append(record["epoch"]))
    assert capsys.readouterr().out.count("\n") == 3 and seen == [0, 1, 2, 3]
    for every, measured in [(1, 3), (2, 1), (0, 0)]:
        LatentDirichletAllocation(2, max_iter=3, evaluate_every=every, verbose=1).fit(counts)
        assert capsys.readouterr().out.count("perplexity") == measured


def test_single_precision_stays_single_and_the_model_exact(diabetes, tmp_path):
    X, y = diabetes[0].astype(np.float32), diabetes[1]
    narrow, wide = Lasso(alpha=0.5).fit(X, y), Lasso(alpha=0.5).fit(X.astype(float), y)
    assert narrow.coef_.dtype == narrow.predict(X).dtype == np.float32 and wide.coef_.dtype == np.float64
    assert narrow.digest_ == wide.digest_
    import raddle

    loaded = raddle.load(narrow.save(tmp_path / "model") and tmp_path / "model")
    assert (loaded.coef_ == wide.coef_).all()
    # Coefficients that were changed since are the model's: when it is saved, and where a fit starts.
    narrow.coef_ = narrow.coef_ * 2
    loaded = raddle.load(narrow.save(tmp_path / "changed") and tmp_path / "changed")
    assert (loaded.coef_ == narrow.coef_).all() and (loaded.coef_ != wide.coef_).any()
    assert (narrow.set_params(warm_start=True)._init(10)[1] == narrow.coef_[narrow.coef_ != 0]).all()
    svm = LinearSVC().fit(X, y > 100)
    svm.coef_[0, 0], svm.intercept_[0] = 7, 0.25
    loaded = raddle.load(svm.save(tmp_path / "svm") and tmp_path / "svm")
    assert loaded.coef_[0, 0] == 7 and loaded.intercept_[0] == 0.25
    exact = wide.intercept_
    narrow.intercept_ = narrow.intercept_ + 1
    for model, intercept in [(wide, exact), (narrow, narrow.intercept_)]:
        loaded = raddle.load(model.save(tmp_path / "moved", overwrite=True) and tmp_path / "moved")
        assert loaded.intercept_ == intercept
    assert narrow.fit(X.astype(float), y).coef_.dtype == np.float64
    assert LogisticRegression().fit(X, y > 100).predict_proba(X).dtype == np.float32


def test_several_targets_are_fitted_one_by_one(diabetes, tmp_path):
    X, y = diabetes
    both = Lasso(alpha=0.5).fit(X, np.column_stack([y, -2 * y]))
    one = Lasso(alpha=0.5).fit(X, y)
    assert (both.coef_[0] == one.coef_).all() and both.predict(X).shape == (442, 2)
    assert both.dual_gap_.shape == both.n_iter_.shape == both.intercept_.shape == (2,)
    with pytest.raises(ValueError, match="several targets: fit and save one for each"):
        both.save(tmp_path / "model")
    # What a fit of one target has left is not that of several, and the other way round.
    model = Lasso(alpha=0.5, warm_start=True).fit(X.astype(np.float32), y)
    model.fit(X, np.column_stack([y, -2 * y]))
    assert not hasattr(model, "_exact") and not hasattr(model, "gradient_") and (model.coef_ == both.coef_).all()
    assert model.fit(X, y).digest_ == one.digest_


def test_dual_gap_is_in_units_of_the_objective(diabetes):
    X, y = diabetes
    model = Lasso(alpha=0.01, max_iter=1, tol=1e-2).fit(X, y)
    objective = ((y - model.predict(X)) ** 2).mean() / 2 + 0.01 * np.abs(model.coef_).sum()
    assert model.dual_gap_ == pytest.approx(model.relative_gap_ * objective, rel=1e-6)


def test_topics_are_chosen_and_added(capsys):
    random = np.random.default_rng(0)
    themes = random.integers(0, 2, 120)
    counts = np.hstack([random.poisson(2.0 * (themes == theme)[:, np.newaxis], size=(120, 6)) for theme in (0, 1)])
    model = LdaCV([2, 1], cv=3, doc_topic_prior=0.1, max_iter=20, rule="1se").fit(counts)
    assert model.n_components_ == 2 and model.topics_.tolist() == [1, 2] and len(model.transform(counts)[0]) == 2
    parts = LatentDirichletAllocation(2, doc_topic_prior=0.1, verbose=1)
    for start in range(0, 120, 40):
        parts.partial_fit(counts[start : start + 40])
    assert capsys.readouterr().out.count("LatentDirichletAllocation: epoch 1") >= 3
    assert parts.n_iter_ == 3 and round(parts.components_.sum() - 24 * parts.topic_word_prior_) == counts.sum()
    found = {tuple(sorted(int(word[5:]) > 6 for word in words)) for words in parts.top_words(n=6)}
    assert found == {(False,) * 6, (True,) * 6}
    best, worst = parts.coherence(counts, 6).c_v.min(), LatentDirichletAllocation(1).fit(counts).coherence(counts, 6).c_v
    assert 0 < worst[0] < best <= 1
    for asked, why in [
        (lambda: LdaCV([1, 2], rule="best").fit(counts), "rule is 'best'"),
        (lambda: LdaCV([]).fit(counts), r"n_components is \[\]: it must have at least one number"),
        (lambda: LdaCV([1, 2]).partial_fit(counts), "this LdaCV is not fitted: call fit first"),
        (lambda: parts.partial_fit(counts * 0), "X has no words in any document"),
        (lambda: parts.set_params(n_components=3).partial_fit(counts), "n_components is 3: the model has 2 topics"),
    ]:
        with pytest.raises(ValueError, match=why):
            asked()

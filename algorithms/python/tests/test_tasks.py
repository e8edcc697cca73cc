"""A working day: what people call, each as a line; and what is refused, each by a sentence with a cure."""

import copy
import io
import pathlib
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn import datasets, ensemble, feature_selection, model_selection, multiclass, multioutput, pipeline, preprocessing
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

import raddle
from raddle.lasso import ElasticNet, ElasticNetCV, Lasso, LassoCV, LogisticLasso, LogisticLassoCV, PoissonLasso, lasso_path
from raddle.lda import LatentDirichletAllocation, LdaCV
from raddle.linear import LinearSVC, LogisticRegression, LogisticRegressionCV
from raddle.mf import AlternatingLeastSquares, ImplicitALS, MatrixFactorization, metrics
from raddle.mf import model_selection as splits

X, y = datasets.load_iris(return_X_y=True)
D, t = datasets.load_diabetes(return_X_y=True)
two = (y > 0).astype(int)
S, F = sparse.csr_matrix(X), pd.DataFrame(X, columns=list("abcd"))
texts = ["a ship at sea", "the mast of the ship", "bread in the oven", "warm bread and a warm oven"] * 10
about = np.array(["sea", "sea", "food", "food"] * 10)
words = CountVectorizer().fit_transform(texts)
clicks = sparse.csr_matrix(np.random.default_rng(0).poisson(0.4, (40, 30)))
users, items = clicks.nonzero()
stars = clicks.data + 1.0
als = AlternatingLeastSquares(4, iterations=3).fit(clicks)
mf = MatrixFactorization(rank=2, epochs=3).fit(users, items, stars)
lda = LatentDirichletAllocation(2, max_iter=5).fit(words)
lasso, svc, logistic = Lasso().fit(D, t), LinearSVC().fit(X, y), LogisticRegression().fit(X, y)
mixed = pd.DataFrame({"text": texts, "kind": about, "size": np.arange(40.0)})
kinds = ("k", preprocessing.OneHotEncoder(), ["kind"])
encode = ColumnTransformer([("t", TfidfVectorizer(), "text"), kinds, ("s", "passthrough", ["size"])])
many = np.repeat(np.arange(150), 3)
wide = np.random.default_rng(1).normal(size=(450, 20)) + np.eye(150, 20)[many]


def saved(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


TASKS = {
    # text
    "tfidf and svc": lambda: pipeline.make_pipeline(TfidfVectorizer(), LinearSVC()).fit(texts, about).predict(texts),
    "tfidf in float32": lambda: LinearSVC().fit(TfidfVectorizer(dtype=np.float32).fit_transform(texts), about),
    "hashed columns": lambda: LogisticRegression().fit(HashingVectorizer(n_features=2**16).fit_transform(texts), about),
    "a search over text": lambda: model_selection.GridSearchCV(
        pipeline.make_pipeline(TfidfVectorizer(), LinearSVC()), {"linearsvc__C": [0.1, 1]}, cv=2
    ).fit(texts, about),
    "text, category and number": lambda: pipeline.make_pipeline(encode, LogisticRegression()).fit(mixed, about),
    # inputs
    "pandas": lambda: Lasso().fit(F, y).feature_names_in_,
    "polars": lambda: LinearSVC().fit(pl.DataFrame(F), y).predict(pl.DataFrame(F)),
    "Int64": lambda: Lasso().fit(F.round().astype("Int64"), y),
    "bool": lambda: LinearSVC().fit(X > 1, y),
    "float16": lambda: Lasso().fit(X.astype(np.float16), y),
    "longdouble": lambda: Lasso().fit(X.astype(np.longdouble), y),
    "float32 stays": lambda: Lasso(0.1).fit(X.astype(np.float32), y).coef_.dtype == np.float32 or 1 / 0,
    "csc": lambda: LinearSVC().fit(S.tocsc(), y),
    "coo": lambda: LinearSVC().fit(S.tocoo(), y),
    "lil": lambda: Lasso().fit(S.tolil(), y),
    "sparse arrays": lambda: Lasso().fit(sparse.csr_array(S), y),
    "negative strides": lambda: Lasso().fit(X[::-1], y),
    "lists": lambda: LinearSVC().fit(X.tolist(), y.tolist()),
    "classes of strings": lambda: logistic.classes_.dtype and LogisticRegression().fit(X, np.array(["x", "yy", "z"])[y]),
    "classes of bools": lambda: LinearSVC().fit(X, y > 0).predict(X).dtype == bool or 1 / 0,
    "int64 indices": lambda: LinearSVC().fit(
        sparse.csr_matrix((S.data, S.indices.astype(np.int64), S.indptr.astype(np.int64))), y
    ),
    # linear models
    "coefficients": lambda: (lasso.coef_, lasso.intercept_, lasso.sparse_coef_),
    "dual_gap_": lambda: 0 <= lasso.dual_gap_ < 1 or 1 / 0,
    "n_iter_": lambda: logistic.n_iter_.shape == (1,) or 1 / 0,
    "lasso_path": lambda: lasso_path(D, t, alphas=5),
    "unpacked": lambda: [part.shape for part in lasso_path(D, t, alphas=[1.0, 0.1])],
    "alphas_ of a list": lambda: LassoCV(alphas=[0.1, 1.0, 10.0]).fit(D, t).alphas_,
    "an alpha list that rises": lambda: lasso_path(D, t, alphas=[0.1, 1.0]).alphas[0] == 1.0 or 1 / 0,
    "mse_path_": lambda: LassoCV(alphas=5, cv=3).fit(D, t).mse_path_.shape == (5, 3) or 1 / 0,
    "mse_path_ of l1 ratios": lambda: ElasticNetCV(l1_ratio=[0.5, 1], alphas=5, cv=3).fit(D, t).mse_path_[1, 4, 2],
    "KFold": lambda: LassoCV(alphas=5, cv=model_selection.KFold(3)).fit(D, t),
    "TimeSeriesSplit": lambda: LassoCV(alphas=5, cv=model_selection.TimeSeriesSplit(3)).fit(D, t),
    "groups": lambda: LassoCV(alphas=5, cv=3).fit(D, t, groups=np.arange(len(t)) % 7),
    "Cs": lambda: LogisticRegressionCV(Cs=[0.1, 1.0], cv=3).fit(X, y).C_,
    "LogisticLassoCV": lambda: LogisticLassoCV(alphas=5, cv=3).fit(X, y).alpha_,
    "several targets": lambda: Lasso(0.1).fit(X, X[:, :2]).predict(X).shape == (150, 2) or 1 / 0,
    "positive": lambda: (Lasso(0.1, positive=True).fit(D, t).coef_ >= 0).all() or 1 / 0,
    "sample weights": lambda: Lasso().fit(D, t, sample_weight=np.arange(1, len(t) + 1)),
    "class weights": lambda: LinearSVC(class_weight={0: 2, 1: 1, 2: 1}).fit(X, y),
    "balanced": lambda: LogisticRegression(class_weight="balanced").fit(X, y),
    "150 classes": lambda: LogisticRegression(C=0.1, tol=0.1).fit(wide, many).coef_[149, 19],
    "150 classes of svc": lambda: LinearSVC(C=0.1, tol=0.1).fit(wide, many).predict(wide[:2]),
    "offsets": lambda: PoissonLasso(0.1).fit(X, y, offset=np.ones(150)).predict(X, offset=np.ones(150)),
    "probabilities": lambda: np.allclose(logistic.predict_proba(X).sum(1), 1) or 1 / 0,
    "logarithms": lambda: logistic.predict_log_proba(X),
    "decision_function": lambda: svc.decision_function(X).shape == (150, 3) or 1 / 0,
    "warm start": lambda: Lasso(warm_start=True).fit(D, t).set_params(alpha=0.5).fit(D, t),
    "verbose": lambda: LogisticRegression(verbose=1).fit(X, y),
    "a callback": lambda: LinearSVC().fit(X, y, callback=lambda record: True),
    "callbacks of 1.9": lambda: not hasattr(lasso, "set_callbacks") or recorded(Lasso()),
    "to_sklearn": lambda: lasso.to_sklearn().predict(D),
    "report_html": lambda: all("<svg" in each.report_html() for each in (lasso, svc, logistic)) or 1 / 0,
    "a notebook": lambda: [each._repr_html_() for each in (lasso, als, mf, lda, Lasso())],
    # of scikit-learn
    "cross_val_score": lambda: model_selection.cross_val_score(LogisticRegression(), X, y, scoring="neg_log_loss"),
    "calibration": lambda: CalibratedClassifierCV(LinearSVC(), cv=3).fit(X, y).predict_proba(X),
    "stacking": lambda: ensemble.StackingClassifier([("a", LinearSVC()), ("b", LogisticRegression())], cv=2).fit(X, y),
    "voting": lambda: ensemble.VotingClassifier([("a", logistic), ("b", LogisticLasso())], voting="soft").fit(X, y),
    "bagging": lambda: ensemble.BaggingRegressor(Lasso(), n_estimators=3).fit(D, t),
    "boosting": lambda: ensemble.AdaBoostClassifier(LinearSVC(), n_estimators=3).fit(X, y),
    "one against one": lambda: multiclass.OneVsOneClassifier(LinearSVC()).fit(X, y),
    "several outputs": lambda: multioutput.MultiOutputClassifier(LogisticRegression()).fit(X, np.column_stack([y, two])),
    "elimination": lambda: feature_selection.RFE(LinearSVC(), n_features_to_select=2).fit(X, y),
    "selection": lambda: feature_selection.SelectFromModel(Lasso(0.1)).set_output(transform="pandas").fit(F, y).transform(F),
    "learning_curve": lambda: model_selection.learning_curve(LogisticRegression(), X, y, cv=3, shuffle=True, random_state=0),
    "permutation": lambda: model_selection.permutation_test_score(LinearSVC(), X, y, cv=3, n_permutations=3),
    "clone": lambda: [clone(each) for each in (lasso, svc, als, mf, lda)],
    "pickles": lambda: [pickle.loads(pickle.dumps(each)) for each in (lasso, svc, als, mf, lda)],
    "joblib": lambda: [saved(each) for each in (lasso, svc, als, mf, lda)],
    "deepcopy": lambda: [copy.deepcopy(each) for each in (lasso, svc, als, mf, lda)],
    "metadata routing": lambda: routed(),
    # topics
    "topics": lambda: lda.fit_transform(words).shape == (40, 2) or 1 / 0,
    "top words": lambda: lda.top_words(n=3),
    "perplexity": lambda: (lda.perplexity(words), lda.score(words)),
    "u_mass, npmi, c_v": lambda: lda.coherence(words, 3)._asdict(),
    "partial_fit of topics": lambda: LatentDirichletAllocation(2).partial_fit(words[:20]).partial_fit(words[20:]),
    "LdaCV": lambda: LdaCV([1, 2], cv=2, max_iter=5).fit(words).n_components_,
    "pyLDAvis": lambda: lda.to_pyldavis(),
    "unnormalised": lambda: lda.transform(words, normalize=False),
    "names out": lambda: lda.get_feature_names_out(),
    "topics as a frame": lambda: clone(lda).set_output(transform="pandas").fit_transform(words),
    "components_": lambda: lda.components_.shape,
    # clicks
    "recommend": lambda: als.recommend(3, clicks[3]),
    "recommend all": lambda: als.recommend(np.arange(40), clicks, N=5),
    "recalculate_user": lambda: als.recommend(0, clicks[9], recalculate_user=True),
    "filter_items": lambda: als.recommend(0, clicks[0], filter_items=[1, 2]),
    "items": lambda: als.recommend(0, clicks[0], items=[1, 2, 3]),
    "similar_items": lambda: als.similar_items(3),
    "similar_items anew": lambda: als.similar_items(3, 5, True, clicks.T.tocsr()[3]),
    "similar_users": lambda: als.similar_users([3, 4]),
    "explain": lambda: als.explain(3, clicks, 5),
    "partial_fit_users": lambda: clone(als).fit(clicks).partial_fit_users([40], clicks[3]),
    "partial_fit_items": lambda: clone(als).fit(clicks).partial_fit_items([30], clicks.T.tocsr()[3]),
    "ImplicitALS": lambda: ImplicitALS(4).fit(clicks).alpha_,
    "dtype": lambda: AlternatingLeastSquares(4, dtype=np.float64).fit(clicks).user_factors,
    "show_progress": lambda: AlternatingLeastSquares(4).fit(clicks, show_progress=False),
    "by position": lambda: AlternatingLeastSquares(4, 0.1, 2, np.float32, True, True, False, 3, False, 1, 7).fit(clicks),
    "ranking metrics": lambda: metrics.ranking_metrics_at_k(als, *splits.leave_k_out_split(clicks, random_state=0)),
    "a search of factors": lambda: model_selection.GridSearchCV(
        clone(als), {"factors": [2, 4]}, cv=model_selection.KFold(2)
    ).fit(clicks),
    # ratings
    "predict": lambda: mf.predict(users, items),
    "recommend by ids": lambda: mf.recommend(users[0], N=3),
    "new users": lambda: mf.recommend_new([1, 2], [5.0, 1.0]),
    "fold-in": lambda: clone(mf).fit(users, items, stars).partial_fit_users([99, 99], [1, 2], [5.0, 1.0]).recommend(99),
    "ids of text": lambda: MatrixFactorization(rank=2, epochs=2).fit([f"u{u}" for u in users], items, stars).users_,
    "split by time": lambda: splits.split_by_time(users, np.arange(len(users)), at=len(users) - 5),
    "leave one out": lambda: splits.leave_one_out(users, random_state=0),
    "a table": lambda: model_selection.cross_val_score(clone(mf), pd.DataFrame({"u": users, "i": items}), stars, cv=2),
}

REFUSED = {
    "LinearSVC(penalty=": (lambda: LinearSVC(penalty="l1"), TypeError, "penalty"),
    "LogisticRegression(solver=": (
        lambda: LogisticRegression(solver="liblinear").fit(X, np.arange(len(X)) % 3), ValueError, "give multi_class='ovr'"
    ),
    "MultiTaskLasso": (lambda: __import__("raddle.lasso", fromlist=["x"]).MultiTaskLasso, AttributeError, "MultiTaskLasso"),
    ".fit(fractions)": (lambda: LatentDirichletAllocation().fit(X + 0.5), ValueError, "X must hold counts, whole numbers"),
    ".fit(array)": (lambda: AlternatingLeastSquares().fit(clicks.toarray()), ValueError, "such as scipy.sparse.csr_matrix"),
    "iterations=0": (lambda: AlternatingLeastSquares(iterations=0).fit(clicks), ValueError, "whole number of 1 or more"),
    "use_gpu=True": (lambda: AlternatingLeastSquares(use_gpu=True).fit(clicks), ValueError, "leave it out"),
    ".recommend(stranger)": (lambda: mf.recommend(999), ValueError, "give an id that it was fitted on"),
}


def recorded(model):
    from sklearn.callback import FitCallback

    class Told:
        """Counts what it hears."""

        ends = 0

        def setup(self, estimator, context): ...
        def teardown(self, estimator, context): ...
        def on_fit_task_begin(self, estimator, context, **more): ...

        def on_fit_task_end(self, estimator, context, **more):
            Told.ends += 1

    assert isinstance(Told(), FitCallback)
    model.set_callbacks(Told()).fit(D, t)
    assert Told.ends >= 2


def routed():
    with sklearn.config_context(enable_metadata_routing=True):
        model = Lasso().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        return model_selection.cross_validate(model, D, t, params={"sample_weight": np.ones(len(t))})


@pytest.mark.parametrize("task", TASKS)
def test_a_task_of_a_working_day(task):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        TASKS[task]()


@pytest.mark.parametrize("call", REFUSED)
def test_what_is_refused_is_on_the_page(call):
    asked, error, why = REFUSED[call]
    with pytest.raises(error, match=why):
        asked()
    page = (pathlib.Path(__file__).parents[1] / "docs" / "refusals.md").read_text()
    assert call in page and page.count("\n| `") == len(REFUSED) <= 10


def test_as_many_tasks_as_were_tried():
    assert len(TASKS) + len(REFUSED) >= 104

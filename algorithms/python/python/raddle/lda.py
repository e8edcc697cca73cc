"""Latent Dirichlet allocation as an estimator of scikit-learn.

Topics are sampled token by token (collapsed Gibbs sampling) until the perplexity of held-out documents no longer falls.
`n_jobs` is the number of workers and never changes the model.
"""

import json
import numbers
from typing import NamedTuple

import numpy as np
from scipy import sparse

from raddle._common import requires_sklearn as _requires_sklearn

_requires_sklearn("raddle.lda")

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from raddle import _raddle
from raddle._common import Pickled, aligned, not_fitted, number, refuse, seed, whole, workers
from raddle._observed import Callbacks, observed
from raddle._pages import Reported

__all__ = ["Coherence", "LatentDirichletAllocation", "LdaCV", "load"]

# Numbers that the native half reads as they are.
_READ = {np.dtype(name) for name in ("int64", "int32", "float64", "float32")}


class Coherence(NamedTuple):
    """Coherence of the top words of each topic: means over pairs of words, by the documents that have them.

    Attributes
    ----------
    u_mass : array of shape (n_components,)
        ``log((D(v, w) + 1) / D(w))``, where w is the more frequent word (Mimno et al., 2011).
    npmi : array of shape (n_components,)
        Normalised pointwise mutual information, from -1 to 1 (Bouma, 2009).
    c_v : array of shape (n_components,)
        Mean cosine of each word's vector of npmi with the sum of all, from 0 to 1 (Röder, Both and Hinneburg, 2015).
        Windows are whole documents, as counts do not tell the order of words.
    """

    u_mass: np.ndarray
    npmi: np.ndarray
    c_v: np.ndarray


class LatentDirichletAllocation(
    Reported, Pickled, Callbacks, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Topics of documents, from the counts of words in documents.

    Parameters
    ----------
    n_components : int, default=20
        Number of topics, K.
    doc_topic_prior : float, default=None
        Initial prior alpha of each topic in a document, which the fit optimises for each topic. None is 1 / K, as in
        scikit-learn; the program `lda` starts from 50 / K.
    topic_word_prior : float, default=None
        Initial prior beta of each word in a topic, which the fit optimises. None is 1 / K; the program starts from 0.01.
    fixed_priors : bool, default=False
        Whether to keep alpha and beta fixed.
    max_iter : int, default=None
        Number of epochs, passes over all tokens. With None the held-out perplexity ends the fit.
    evaluate_every : int, default=None
        Number of epochs from one evaluation to the next. None is 5; with `max_iter`, 0 or less is never.
    validation : float, default=0.05
        Fraction of the documents to hold out for the perplexity that ends the fit; 0 for none.
    random_state : int, RandomState, Generator or None, default=42
        Seed of the random numbers, or a state to draw it from. None draws another seed each time.
    n_jobs : int, default=None
        Number of workers, -1 for all cores, which never changes the model.
    verbose : int, default=0
        Whether to print a line per epoch.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
        Count of each word in each topic plus its prior; rows divided by their sums are distributions of words. The
        array is computed on each access.
    doc_topic_prior_ : array of shape (n_components,)
        Final alpha.
    topic_word_prior_ : float
        Final beta.
    doc_topic_ : sparse matrix of shape (n_samples, n_components)
        Number of tokens of each topic in each document; rows of held-out documents are empty.
    evaluations_ : list of dict
        Results of the evaluations.
    n_iter_ : int
        Number of epochs.
    report_ : dict
        Report of the run, with counts and seconds.
    digest_ : str
        SHA-256 of the model, as the program `lda` prints it.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> from raddle.lda import LatentDirichletAllocation
    >>> counts = csr_matrix([[4, 3, 0, 0], [2, 5, 0, 0], [0, 0, 3, 3], [0, 0, 6, 2]] * 10)
    >>> model = LatentDirichletAllocation(n_components=2, doc_topic_prior=0.1, fixed_priors=True).fit(counts)
    >>> sorted(sorted(words) for words in model.top_words(["sea", "ship", "oven", "bread"], 2))
    [['bread', 'oven'], ['sea', 'ship']]
    >>> model.transform(counts[:2]).shape
    (2, 2)
    """

    def __init__(
        self,
        n_components=20,
        *,
        doc_topic_prior=None,
        topic_word_prior=None,
        fixed_priors=False,
        max_iter=None,
        evaluate_every=None,
        validation=0.05,
        random_state=42,
        n_jobs=None,
        verbose=0,
    ):
        self.n_components = n_components
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.fixed_priors = fixed_priors
        self.max_iter = max_iter
        self.evaluate_every = evaluate_every
        self.validation = validation
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags

    @property
    def components_(self):
        """Count of each word in each topic plus its prior."""
        check_is_fitted(self, "digest_")
        words, topics, weights = self._model["priors"]
        shape = (len(self._model["alpha"]), self._model["width"])
        dense = np.full(shape, self._model["beta"])
        dense[topics, words] += weights
        rows = np.repeat(np.arange(shape[0]), np.diff(self._model["starts"].astype(np.int64)))
        dense[rows, self._model["words"]] += self._model["counts"]
        return dense

    @property
    def _n_features_out(self):
        return len(self._model["alpha"])

    def fit(self, X, y=None, callback=None):
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Count of each word in each document, a whole number.
        y : ignored
            Present for scikit-learn's conventions.
        callback : callable, optional
            Called with a record, a dict, after each epoch. The fit ends there if it returns a false value other
            than None.

        Returns
        -------
        self
        """
        counts, asked = self._counts(X, reset=True), self._asked()
        with observed(self, X, None, callback) as callback:
            result = _raddle.fit_lda(counts, asked, callback)
        self.n_iter_ = result["iterations"]
        self.report_ = result["report"]
        self._names = self._vocabulary = None
        return self._keep(result)

    def partial_fit(self, X, y=None):
        """Add documents to the model, in one pass over them.

        The topics of their tokens are drawn given all that the model has seen, and then counted with it; tokens seen
        before keep their topics. The priors of the model stay as they are; in the pass itself each topic has the mean
        of `doc_topic_prior_`. The first call fits a new model, which optimises them as `fit` does, in 20 epochs.
        Batches of documents one after the other make a model of all, which is less exact than `fit` on all at once.
        Words are the columns of the first call, and the number of topics is that of the model.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Count of each word in each document, a whole number.
        y : ignored
            Present for scikit-learn's conventions.

        Returns
        -------
        self
            `doc_topic_` has the documents of the last call.
        """
        is_new = not hasattr(self, "digest_")
        counts, asked = self._counts(X, reset=is_new), self._asked()
        if not counts.data.any():
            raise ValueError("X has no words in any document, so there is nothing to add: leave the batch out")
        asked.update(epochs=1, validation=0.0)
        if is_new:
            # Where nothing has been seen a pass finds little.
            asked.update(epochs=20)
        elif asked["topics"] != len(self._model["alpha"]):
            has = f"the model has {len(self._model['alpha'])} topics: call fit for another number"
            refuse("n_components", self.n_components, has)
        else:
            old = self._sparse_counts()
            asked["init"] = old.col.astype(np.uint32), old.row.astype(np.uint32), old.data.astype(np.uint32)
            asked.update(alpha=float(np.mean(self.doc_topic_prior_)), beta=float(self.topic_word_prior_), fixed_priors=True)
        with observed(self, X, None, None) as callback:
            result = _raddle.fit_lda(counts, asked, callback)
        if is_new:
            self.n_iter_, self._names, self._vocabulary = 0, None, None
        else:
            self._add(result["model"], old.tocsc())
            result["digest"] = _raddle.digest_lda(result["model"])
        self.n_iter_ += 1
        self.report_ = result["report"]
        return self._keep(result)

    def _sparse_counts(self):
        """Return the tokens of each word in each topic, a matrix of topics by words."""
        model = self._model
        rows = np.repeat(np.arange(len(model["alpha"])), np.diff(model["starts"].astype(np.int64)))
        shape = len(model["alpha"]), model["width"]
        return sparse.coo_matrix((model["counts"].astype(np.int64), (rows, model["words"])), shape=shape)

    def _add(self, model, old):
        """Add old tokens to a model of new documents, and keep the old priors."""
        rows = np.repeat(np.arange(len(model["alpha"])), np.diff(model["starts"].astype(np.int64)))
        new = sparse.coo_matrix((model["counts"].astype(np.int64), (rows, model["words"])), shape=old.shape)
        both = (old + new.tocsc()).tocsr()
        both.sort_indices()
        model["starts"], model["words"] = both.indptr.astype(np.uint64), both.indices.astype(np.uint32)
        model["counts"] = both.data.astype(np.uint32)
        nothing = np.empty(0, np.uint32)
        model["priors"] = nothing, nothing, np.empty(0, np.float32)
        model["alpha"] = self.doc_topic_prior_

    def _asked(self):
        def optional(name, check, *least, otherwise=None):
            value = getattr(self, name)
            return otherwise if value is None else check(name, value, *least)

        topics = self._topics()
        validation = number("validation", self.validation)
        if not 0 <= validation < 1:
            refuse("validation", self.validation, "it must be at least 0 and below 1")
        return {
            "topics": topics,
            "alpha": optional("doc_topic_prior", number, otherwise=1.0 / topics),
            "beta": optional("topic_word_prior", number, otherwise=1.0 / topics),
            "fixed_priors": bool(self.fixed_priors),
            "epochs": optional("max_iter", whole, 1),
            "evaluate_every": self._evaluate_every(),
            "validation": validation,
            "seed": seed(self.random_state),
            "workers": workers(self.n_jobs),
            "init": None,
        }

    def _evaluate_every(self):
        every = self.evaluate_every
        if every is not None and self.max_iter is not None and whole("evaluate_every", every, -(2**31)) < 1:
            return self.max_iter + 1
        return None if every is None else whole("evaluate_every", every, 1)

    def _topics(self):
        return whole("n_components", self.n_components, 1)

    def _tops(self, n):
        """Return the top words of each topic with their counts."""
        return _raddle.top_words_lda(self._model, whole("n", n, 1))

    def _keep(self, result):
        self._model, self._about = result["model"], result["about"]
        self.doc_topic_prior_ = self._model["alpha"]
        self.topic_word_prior_ = self._model["beta"]
        starts, topics, tokens = result["documents"]
        shape = (len(starts) - 1, len(self._model["alpha"]))
        self.doc_topic_ = sparse.csr_matrix((tokens, topics, starts), shape=shape)
        self.evaluations_ = result["evaluations"]
        self.digest_ = result["digest"]
        return self

    def _counts(self, X, reset=False):
        """Return X in compressed rows with a type that the native half reads."""
        if not reset:
            check_is_fitted(self, "digest_")
        X = validate_data(self, X, accept_sparse="csr", dtype="numeric", reset=reset)
        X = X if sparse.issparse(X) else sparse.csr_matrix(X)
        if X.data.dtype not in _READ:
            X = X.astype(np.float64 if X.data.dtype.kind == "f" else np.int64)
        return aligned(X)

    def transform(self, X, *, normalize=True):
        """Find the topics of documents.

        Each document is estimated separately, so that its topics do not depend on the others; so are documents that the
        model was fitted to. A document without any word of the model gets the shares of the prior.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Count of each word in each document, a whole number.
        normalize : bool, default=True
            Whether rows sum to 1, and not to the tokens of their document plus the priors.

        Returns
        -------
        array of shape (n_samples, n_components)
            Share of each topic.
        """
        counts = self._counts(X)
        shares = _raddle.infer_lda(self._model, counts, workers(self.n_jobs)).astype(np.float64)
        if normalize:
            return shares
        return shares * (np.asarray(counts.sum(axis=1), float).reshape(-1, 1) + self.doc_topic_prior_.sum())

    def perplexity(self, X, sub_sampling=False):
        """Measure the model on documents, by document completion.

        The topics of a document are estimated from its tokens at even positions; its other tokens are scored.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Count of each word in each document; preferably of documents that the model was not fitted to.
        sub_sampling : bool, default=False
            Accepted without effect.

        Returns
        -------
        float
            Exponential of minus the mean log-likelihood of the scored tokens: smaller is better.
        """
        likelihood, tokens = self._score(X)
        if tokens == 0:
            raise ValueError("X has no document of two words or more, of which half could be scored")
        return float(np.exp(-likelihood / tokens))

    def score(self, X, y=None):
        """Return the log-likelihood of the tokens that `perplexity` scores: larger is better.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Count of each word in each document.
        y : ignored
            Present for scikit-learn's conventions.

        Returns
        -------
        float
        """
        return self._score(X)[0]

    def _score(self, X):
        counts = self._counts(X)
        return _raddle.score_lda(self._model, counts, workers(self.n_jobs))

    def _words(self, names):
        if names is None:
            names = getattr(self, "feature_names_in_", self._vocabulary)
        if names is None:
            return [f"word {at + 1}" for at in range(self._model["width"])]
        if len(names) != self._model["width"]:
            raise ValueError(f"names has {len(names)} words, and the model {self._model['width']}")
        return [str(name) for name in names]

    def top_words(self, names=None, n=10):
        """Return the most frequent words of each topic.

        Parameters
        ----------
        names : sequence of str, optional
            The words, as from `get_feature_names_out` of a CountVectorizer; by default the names of X's columns, if
            they had names.
        n : int, default=10
            Number of words per topic.

        Returns
        -------
        list of list of str
            Words of each topic, the most frequent first.
        """
        check_is_fitted(self, "digest_")
        names = self._words(names)
        return [[names[word] for word, _ in top] for top in self._tops(n)]

    def coherence(self, X, n=10):
        """Measure whether the top words of each topic occur in the same documents.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Count of each word in each document.
        n : int, default=10
            Number of words per topic.

        Returns
        -------
        Coherence
        """
        counts = self._counts(X)
        tops = [[word for word, _ in top] for top in self._tops(n)]
        found = _raddle.coherence_lda(counts, tops)
        by_word = counts.tocsc()
        return Coherence(*map(np.array, found), np.array([_c_v(by_word[:, words]) for words in tops]))

    def to_pyldavis(self, names=None):
        """Return the arguments of `pyLDAvis.prepare`, by name.

        Parameters
        ----------
        names : sequence of str, optional
            The words, as in `top_words`.

        Returns
        -------
        dict
            Arguments for the documents that were not held out.

        Notes
        -----
        With numpy 2.5, the default map of pyLDAvis 3.4.1 fails for any model with "complex128 is not JSON
        serializable"; ``pyLDAvis.prepare(**model.to_pyldavis(), mds="mmds")`` draws another map, and works.
        """
        check_is_fitted(self, "digest_")
        trained = self.doc_topic_[np.diff(self.doc_topic_.indptr) > 0]
        lengths = np.asarray(trained.sum(axis=1, dtype=np.int64)).ravel()
        alpha = self.doc_topic_prior_
        shares = (trained.toarray() + alpha) / (lengths + alpha.sum())[:, np.newaxis]
        frequency = np.bincount(self._model["words"], self._model["counts"], self._model["width"])
        return {
            "topic_term_dists": _raddle.probabilities_lda(self._model),
            "doc_topic_dists": shares.astype(np.float32),
            "doc_lengths": lengths,
            "vocab": self._words(names),
            "term_frequency": frequency.astype(np.int64),
        }

    def save(self, path, names=None, *, overwrite=False):
        """Write the model to a folder, which the program `lda` and `load` can read.

        Parameters
        ----------
        path : str or path
            The folder; created if it does not exist.
        names : sequence of str, optional
            The words, as in `top_words`.
        overwrite : bool, default=False
            Whether to replace an existing model, which is an error otherwise.

        Returns
        -------
        self
        """
        check_is_fitted(self, "digest_")
        known = names is not None or hasattr(self, "feature_names_in_") or self._vocabulary is not None
        documents = self.doc_topic_
        _raddle.save_lda(
            path,
            {
                "model": self._model,
                "about": self._about,
                "evaluations": json.dumps(self.evaluations_),
                "documents": (
                    documents.indptr.astype(np.uint64),
                    documents.indices.astype(np.uint32),
                    documents.data.astype(np.uint32),
                ),
                "vocabulary": self._words(names) if known else None,
                "names": self._names,
            },
            bool(overwrite),
        )
        return self


class LdaCV(LatentDirichletAllocation):
    """A `LatentDirichletAllocation` whose number of topics is chosen by cross-validation.

    Each fold holds out its part of the documents with two words or more; the others are fitted with each number of
    topics. The model is the fit of all documents with the number that `rule` chooses.

    Parameters
    ----------
    n_components : list of int, default=(5, 10, 20, 40)
        Numbers of topics to choose from.
    cv : int, default=5
        Number of folds.
    rule : {"min", "1se", "npmi"}, default="min"
        The number with the lowest held-out perplexity, the smallest within one standard error of it, or the one with
        the highest npmi of top words.
    doc_topic_prior, topic_word_prior, fixed_priors, max_iter, evaluate_every, validation, random_state, n_jobs, verbose
        As in `LatentDirichletAllocation`.

    Attributes
    ----------
    n_components_ : int
        The chosen number of topics.
    topics_ : array of shape (m,)
        The numbers of topics, ascending.
    mean_path_, se_path_ : arrays of shape (m,)
        Mean perplexity of held-out documents at each number, and its standard error.
    npmi_path_ : array of shape (m,)
        Mean npmi of top words.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> from raddle.lda import LdaCV
    >>> counts = csr_matrix([[4, 3, 0, 0], [2, 5, 0, 0], [0, 0, 3, 3], [0, 0, 6, 2]] * 10)
    >>> model = LdaCV([1, 2], cv=2, doc_topic_prior=0.1, max_iter=20, fixed_priors=True).fit(counts)
    >>> model.n_components_
    2
    """

    def __init__(
        self,
        n_components=(5, 10, 20, 40),
        *,
        cv=5,
        rule="min",
        doc_topic_prior=None,
        topic_word_prior=None,
        fixed_priors=False,
        max_iter=None,
        evaluate_every=None,
        validation=0.05,
        random_state=42,
        n_jobs=None,
        verbose=0,
    ):
        super().__init__(
            n_components,
            doc_topic_prior=doc_topic_prior,
            topic_word_prior=topic_word_prior,
            fixed_priors=fixed_priors,
            max_iter=max_iter,
            evaluate_every=evaluate_every,
            validation=validation,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.cv = cv
        self.rule = rule

    def fit(self, X, y=None, callback=None):
        """Fit each number of topics on each fold, then all documents with the chosen number.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Count of each word in each document, a whole number.
        y : ignored
            Present for scikit-learn's conventions.
        callback : callable, optional
            Called with a record, a dict, after each epoch of the last fit. It ends there if it returns a false value
            other than None.

        Returns
        -------
        self
        """
        if self.rule not in ("min", "1se", "npmi"):
            refuse("rule", self.rule, "it must be one of min, 1se, npmi")
        counts = self._counts(X, reset=True)
        self.topics_ = np.unique([whole("n_components", each, 1) for each in np.ravel(self.n_components).tolist()])
        if not len(self.topics_):
            refuse("n_components", self.n_components, "it must have at least one number of topics")
        folds = whole("cv", self.cv, 2)
        order = np.flatnonzero(np.asarray(counts.sum(axis=1)).ravel() >= 2)
        if len(order) < folds:
            raise ValueError(f"X has {len(order)} documents of two words or more, which cannot be in {folds} folds")
        parts = np.array_split(np.random.default_rng(seed(self.random_state)).permutation(order), folds)
        scores = np.array([[self._held_out(counts, part, each) for each in self.topics_] for part in parts])
        means, self.npmi_path_ = scores.mean(axis=0).T
        self.mean_path_, self.se_path_ = means, scores[:, :, 0].std(axis=0, ddof=1) / np.sqrt(folds)
        best = int(np.argmin(means))
        if self.rule == "npmi":
            best = int(np.argmax(self.npmi_path_))
        elif self.rule == "1se":
            best = int(np.argmax(means <= means[best] + self.se_path_[best]))
        self.n_components_ = int(self.topics_[best])
        return super().fit(X, callback=callback)

    def _held_out(self, counts, part, topics):
        """Return perplexity and npmi of a fit with some documents held out."""
        params = {name: value for name, value in self.get_params().items() if name not in ("cv", "rule", "verbose")}
        rest = np.setdiff1d(np.arange(counts.shape[0]), part)
        model = LatentDirichletAllocation(**{**params, "n_components": int(topics)}).fit(counts[rest])
        _, npmi = _raddle.coherence_lda(counts, [[word for word, _ in top] for top in model._tops(10)])
        return model.perplexity(counts[part]), np.mean(npmi)

    def _topics(self):
        if not hasattr(self, "n_components_"):
            raise not_fitted(self)
        return self.n_components_


def _c_v(counts):
    """Return c_v of the words in the columns, by the documents that have them."""
    has = (counts > 0).astype(float).toarray()
    together, small = has.T @ has / max(1, len(has)), 1e-12
    share = np.maximum(np.diag(together), small)
    npmi = np.log((together + small) / np.outer(share, share)) / -np.log(together + small)
    whole_list = npmi.sum(axis=0)
    lengths = np.linalg.norm(npmi, axis=1) * np.linalg.norm(whole_list)
    return float(np.mean(npmi @ whole_list / np.maximum(lengths, small)))


def load(path):
    """Load the model in a folder, written by `save` or by the program `lda`.

    Parameters
    ----------
    path : str or path
        The folder.

    Returns
    -------
    LatentDirichletAllocation
        A fitted estimator; of its parameters only `n_components` is known.

    Examples
    --------
    >>> import tempfile
    >>> from raddle.lda import LatentDirichletAllocation, load
    >>> model = LatentDirichletAllocation(n_components=2).fit([[3, 1, 0], [0, 2, 4], [1, 1, 1]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = model.save(folder, ["sea", "ship", "mast"])
    ...     load(folder).digest_ == model.digest_
    True
    """
    result = _raddle.load_lda(path)
    model = LatentDirichletAllocation(n_components=len(result["model"]["alpha"]))
    model._names, model._vocabulary = result["names"], result["vocabulary"]
    model.n_features_in_ = result["model"]["width"]
    return model._keep(result)

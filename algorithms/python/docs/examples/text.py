"""Classify texts: which library does a docstring come from?

The texts are the first lines of docstrings of numpy, scipy and the standard library, as they are installed here.
"""

import inspect
import statistics

import numpy as np
import scipy.stats
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from raddle.linear import LinearSVC, LogisticRegression

texts, labels = [], []
for module in (np, scipy.stats, statistics, inspect):
    for name in dir(module):
        text = inspect.getdoc(getattr(module, name)) or ""
        if not name.startswith("_") and len(text) > 60:
            texts.append(text[:400].replace(name, ""))
            labels.append(module.__name__)
train, test, y, expected = train_test_split(texts, labels, random_state=0, stratify=labels)
shown = []
for model in (LinearSVC(C=1.0), LogisticRegression(C=10.0)):
    pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True), model).fit(train, y)
    print(f"{type(model).__name__}: accuracy {pipeline.score(test, expected):.3f} on {len(test)} texts,")
    print(f"    proved to be within {model.relative_gap_:.1e} of the best objective")
    model.feature_names_in_ = pipeline[0].get_feature_names_out()
    shown.append(model)

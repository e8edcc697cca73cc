"""Follow topics over time.

Documents of ten years are drawn from two themes, of which one takes over.
"""

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from raddle.lda import LatentDirichletAllocation, LdaCV

random = np.random.default_rng(0)
themes = ["ship sea mast sail wind harbour wave deck".split(), "engine train rail steam station wheel track coal".split()]
texts, years = [], np.repeat(np.arange(10), 40)
for year in years:
    of = random.choice(2, 20, p=[1 - year / 10, year / 10])
    texts.append(" ".join(random.choice(themes[theme]) for theme in of))
vectorizer = CountVectorizer()
counts = vectorizer.fit_transform(texts)

chosen = LdaCV([1, 2, 4], cv=3, max_iter=30, n_jobs=2).fit(counts)
print("perplexity by number of topics:", dict(zip(chosen.topics_.tolist(), chosen.mean_path_.round(1).tolist())))
model = LatentDirichletAllocation(2, doc_topic_prior=0.1, max_iter=100).fit(counts)
for topic, words in enumerate(model.top_words(vectorizer.get_feature_names_out(), 5)):
    share = [model.transform(counts[years == year])[:, topic].mean() for year in range(10)]
    print(" ".join(words), "|", " ".join(f"{part:.2f}" for part in share))
print("c_v", model.coherence(counts, 5).c_v.round(2))
shown = [model]

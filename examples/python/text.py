# SPDX-License-Identifier: BSD-3-Clause
"""Sparse text: paragraphs of numpy's documentation are normal, those of the standard library's mail
and web modules are not. The rows stay sparse from the words to the scores.
"""

import email.message
import http.client
import inspect
import mailbox
import urllib.request

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import roc_auc_score

from frocc import FROCC


def docstrings(*modules):
    """What functions and methods say about themselves, in a fixed order, each text once."""
    texts = {}
    for module in modules:
        for _, item in inspect.getmembers(module):
            members = inspect.getmembers(item) if inspect.isclass(item) else [("", item)]
            for _, member in members:
                text = inspect.getdoc(member) if callable(member) else None
                if text and len(text) > 80:
                    texts[text] = True
    return list(texts)


normal = docstrings(np, np.linalg, np.random, np.fft)
other = docstrings(email.message, http.client, mailbox, urllib.request)
train, rest = normal[::2], normal[1::2]

words = TfidfVectorizer(max_features=4000, dtype=np.float32).fit(train)
X = words.transform(train)
print(f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz / X.shape[0]:.0f} of them in a text")

detector = FROCC.paper(directions=2000, epsilon=0.02, random_state=0).fit(X)
scores = detector.score_samples(words.transform(rest + other))
truth = np.repeat([1, 0], [len(rest), len(other)])
print(f"ROC AUC {roc_auc_score(truth, scores):.3f}")
dense = detector.score_samples(words.transform(rest + other).toarray())
print("the same bits as from dense rows:", np.array_equal(scores, dense))

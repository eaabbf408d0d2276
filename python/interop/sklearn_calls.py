"""Estimators and functions that scikit-learn documents as supporting the array API, dispatched.

The list is of its page "Array API support"; of functions that are computed alike, such as the
classification scores, some stand for the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn
from _calls import Call
from sklearn import (
    decomposition,
    discriminant_analysis,
    kernel_approximation,
    linear_model,
    metrics,
    mixture,
    model_selection,
    naive_bayes,
    preprocessing,
)
from sklearn.metrics import pairwise


def _dispatched(call: Call) -> Call:
    def dispatched(a: Any) -> Any:
        with sklearn.config_context(array_api_dispatch=True):
            return call(a)

    return dispatched


def _scaled(estimator: Any) -> Call:
    return lambda a: estimator.fit_transform(a.x)


def _predicted(estimator: Any, target: str) -> Call:
    return lambda a: estimator.fit(a.x, getattr(a, target)).predict(a.x)


def _scores(a: Any) -> Any:
    """Return probabilities of the class 1."""
    return abs(a.v) / (abs(a.v).max() + 1)


def _components(estimator: Any) -> Call:
    """Return the lengths of components, whose signs are free."""

    def components(a: Any) -> Any:
        return abs(estimator.fit_transform(a.x))

    return components


def _labels_encoded(a: Any) -> Any:
    encoder = preprocessing.LabelEncoder()
    numbers = encoder.fit_transform(a.n)
    return numbers, encoder.inverse_transform(numbers)


def _kernel_centred(a: Any) -> Any:
    return preprocessing.KernelCenterer().fit_transform(a.x @ a.x.T)


def _mixture(a: Any) -> Any:
    means = np.asarray([[1.0] * 4, [-1.0] * 4], np.float32)
    model = mixture.GaussianMixture(2, max_iter=5, tol=1e9, means_init=a.make(means))
    model.init_params = "random_from_data"
    model.random_state = 0
    return model.fit(a.x).means_


def _searched(a: Any) -> Any:
    search = model_selection.GridSearchCV(
        linear_model.Ridge(solver="svd"), {"alpha": [0.1, 1.0]}, cv=3, error_score="raise"
    )
    return search.fit(a.x, a.v).cv_results_["mean_test_score"]


_CALLS: dict[str, Call] = {
    "Binarizer": _scaled(preprocessing.Binarizer()),
    "KernelCenterer": _kernel_centred,
    "LabelBinarizer": lambda a: preprocessing.LabelBinarizer().fit_transform(a.n),
    "LabelEncoder": _labels_encoded,
    "MaxAbsScaler": _scaled(preprocessing.MaxAbsScaler()),
    "MinMaxScaler": _scaled(preprocessing.MinMaxScaler()),
    "Normalizer": _scaled(preprocessing.Normalizer()),
    "PolynomialFeatures": _scaled(preprocessing.PolynomialFeatures()),
    "StandardScaler": _scaled(preprocessing.StandardScaler()),
    "PCA(svd_solver='full')": _components(decomposition.PCA(2, svd_solver="full")),
    "PCA(svd_solver='covariance_eigh')": _components(
        decomposition.PCA(2, svd_solver="covariance_eigh")
    ),
    "LinearDiscriminantAnalysis": _predicted(
        discriminant_analysis.LinearDiscriminantAnalysis(), "bits"
    ),
    "Ridge": _predicted(linear_model.Ridge(solver="svd"), "v"),
    "RidgeCV": _predicted(linear_model.RidgeCV(), "v"),
    "RidgeClassifier": _predicted(linear_model.RidgeClassifier(solver="svd"), "bits"),
    "LogisticRegression": _predicted(linear_model.LogisticRegression(), "bits"),
    "GaussianNB": _predicted(naive_bayes.GaussianNB(), "bits"),
    "GaussianMixture": _mixture,
    "Nystroem": lambda a: abs(
        kernel_approximation.Nystroem(n_components=5, random_state=0).fit_transform(a.x)
    ),
    "train_test_split": lambda a: model_selection.train_test_split(a.x, a.v, random_state=0),
    "cross_val_predict": lambda a: model_selection.cross_val_predict(
        linear_model.Ridge(solver="svd"), a.x, a.v, cv=3
    ),
    "GridSearchCV": _searched,
    "accuracy_score": lambda a: metrics.accuracy_score(a.n, a.m),
    "confusion_matrix": lambda a: metrics.confusion_matrix(a.n, a.m),
    "f1_score": lambda a: metrics.f1_score(a.n, a.m, average="macro"),
    "log_loss": lambda a: metrics.log_loss(a.bits, _scores(a)),
    "roc_curve": lambda a: metrics.roc_curve(a.bits, a.v),
    "mean_squared_error": lambda a: metrics.mean_squared_error(a.v, a.w),
    "mean_absolute_error": lambda a: metrics.mean_absolute_error(a.v, a.w),
    "r2_score": lambda a: metrics.r2_score(a.v, a.w),
    "euclidean_distances": lambda a: pairwise.euclidean_distances(a.x, a.y),
    "cosine_similarity": lambda a: pairwise.cosine_similarity(a.x, a.y),
    "rbf_kernel": lambda a: pairwise.rbf_kernel(a.x, a.y),
}

CALLS = {name: _dispatched(call) for name, call in _CALLS.items()}

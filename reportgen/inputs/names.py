"""Column names: the canonical ones, and the files' own that are recognised without being declared.

The own names are those of the documents this evaluation is described in, of their per-query files, and the plain
ones people use. A name in ``[columns]`` of run.toml comes first.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType

from reportgen.metrics.registry import supplied_columns


class FileRole(enum.StrEnum):
    """What a file is about; the value is its key under ``[files]``."""

    PER_QUERY = "per_query"
    QUERIES = "queries"
    PREDICTIONS = "predictions"
    TUNE = "tune"
    THRESHOLDS = "thresholds"
    CANDIDATES = "candidates"
    QRELS = "qrels"
    RUN = "run"


STEMS: Mapping[str, FileRole] = MappingProxyType(
    {
        "queries": FileRole.QUERIES,
        "predictions": FileRole.PREDICTIONS,
        "tune_predictions": FileRole.TUNE,
        "tune": FileRole.TUNE,
        "thresholds": FileRole.THRESHOLDS,
        "candidates": FileRole.CANDIDATES,
        "per_query": FileRole.PER_QUERY,
    }
)
"""File name without ending to role: how a folder without ``[files]`` is read."""
TREC_ROLES = (FileRole.QRELS, FileRole.RUN)
"""Roles of TREC files, whose queries and documents need not be those of the other files."""

SYNONYMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "query": ("query", "query_id", "qid", "query-id", "id"),
        "cluster": ("cluster", "cluster_id", "group_id", "group", "post_id", "page_id", "patient_id", "doc_id"),
        "label": ("label", "label_id", "criterion_id", "criterion"),
        "fold": ("fold", "fold_id", "Resample"),
        "repeat": ("repeat", "repeat_id", "repetition"),
        "model_fold": ("model_fold",),
        "seed": ("seed", "train_seed"),
        "system": ("system", "system_id", "model"),
        "y_true": ("y_true", "has_evidence_gold", "has_evidence", "y"),
        "y_class": ("y_class", "true_class", "obs", "truth"),
        "predicted_class": ("predicted_class", "pred_class", ".pred_class", "y_pred_class"),
        "y_prob": ("y_prob", "p4_prob_calibrated", "prob_calibrated", "prob", "probability"),
        "y_prob_raw": ("y_prob_raw", "p4_prob_raw", "prob_raw"),
        "state": ("state",),
        "selected_k": ("selected_k",),
        "n_candidates": ("n_candidates",),
        "n_gold": ("n_gold",),
        "gold": ("gold_ids", "gold_sent_uids", "gold"),
        "ranking": ("ranked_ids", "ranking", "ranked_sent_uids", "topk"),
        "doc_id": ("doc_id", "sent_uid", "sentence_id", "docno", "doc", "corpus-id"),
        "position": ("position",),
        "relevance": ("relevance", "is_gold", "rel", "gold", "label"),
        "score": ("score",),
        "rank": ("rank",),
        "weight": (),
        "subgroup": (),
        "ignore": (),
        **supplied_columns(),
    }
)
CANONICAL = tuple(SYNONYMS)
SEVERAL = ("query", "subgroup", "ignore")
"""Canonical names that may be several columns: together they name the query; each of them divides the queries into
groups; each of them is left out."""
SUPPLIED = tuple(supplied_columns())
"""Metric ids whose values per query a file may bring along, computed elsewhere; each is between 0 and 1."""
SYSTEM_COLUMNS = ("y_prob", "y_prob_raw", "state", "selected_k", "ranking", "score", "rank", *SUPPLIED)
"""Columns that speak of one system; each may stand once per system."""
PER_SYSTEM: Mapping[FileRole, tuple[str, ...]] = MappingProxyType(
    {
        FileRole.PER_QUERY: ("y_prob_raw", "y_prob", "state", "selected_k", "ranking", *SUPPLIED),
        FileRole.PREDICTIONS: ("y_prob_raw", "y_prob", "state", "selected_k", "ranking", *SUPPLIED),
        FileRole.TUNE: ("y_prob_raw", "y_prob"),
        FileRole.CANDIDATES: ("score", "rank"),
    }
)
"""Columns that may stand once per system in a file: told by their names (``score_<system>``), or by run.toml alone
for supplied values, because the ``10`` of ``mrr_10`` is not a system."""
RANKING_ENDINGS = ("_topk", "_ranking")
"""Endings of columns that hold a ranking as a list of ids (``retriever_topk``)."""
THRESHOLD_PREFIX = "tau_"
DECISIONS = frozenset(
    [
        "predicted",
        "prediction",
        "predictions",
        "pred",
        "preds",
        "y_pred",
        "yhat",
        "y_hat",
        "decision",
        "predicted_label",
        "prediction_label",
        "pred_label",
        "label_pred",
        "y_pred_class",
        "predicted_class",
        "pred_class",
        ".pred_class",
    ]
)
"""Names, in lower case, of columns that say what was decided or predicted, and not with which probability."""
WEIGHTS = frozenset(
    [
        "weight",
        "weights",
        "sample_weight",
        "sample_weights",
        "case_weight",
        "case_weights",
        "survey_weight",
        "sampling_weight",
        "importance_weight",
        "freq_weight",
        "frequency_weight",
        "ipw",
        "iptw",
        "fnlwgt",
        "wt",
        "wts",
    ]
)
"""Names, in lower case, of columns that look like weights of rows: none is one unless it is declared."""
PAIRS = (("0", "1"), ("no", "yes"), ("false", "true"), ("negative", "positive"), ("neg", "pos"))
"""Names of two classes that say themselves which is the positive one: the second."""
LIST_SEPARATOR = "|"
UNNAMED = "system"
"""Id of the only system of a run in which nothing names it."""
CLUSTER_IS_QUERY = "query"
"""The value of ``cluster`` under ``[columns]`` that declares queries independent of each other."""

_QUERY_FIELDS = (
    "cluster", "label", "fold", "repeat", "y_true", "y_class", "n_candidates", "n_gold", "gold", "seed", "weight",
)  # fmt: skip
_PREDICTION_FIELDS = (
    "system", "y_prob", "y_prob_raw", "predicted_class", "state", "selected_k", "ranking", *SUPPLIED,
)  # fmt: skip
ROLE_FIELDS: Mapping[FileRole, tuple[str, ...]] = MappingProxyType(
    {
        FileRole.PER_QUERY: (*_QUERY_FIELDS, *_PREDICTION_FIELDS),
        FileRole.QUERIES: _QUERY_FIELDS,
        FileRole.PREDICTIONS: (*_QUERY_FIELDS, *_PREDICTION_FIELDS),
        FileRole.TUNE: (
            "model_fold",
            "fold",
            "repeat",
            "cluster",
            "label",
            "y_true",
            "y_class",
            "system",
            "y_prob",
            "y_prob_raw",
            "seed",
        ),
        FileRole.THRESHOLDS: ("fold", "repeat", "system", "seed"),
        # The document first: its column may be called doc_id, which elsewhere is a cluster.
        FileRole.CANDIDATES: (
            "doc_id",
            "cluster",
            "label",
            "position",
            "relevance",
            "system",
            "score",
            "rank",
            "repeat",
            "seed",
        ),
        FileRole.QRELS: ("doc_id", "relevance"),
        FileRole.RUN: ("doc_id", "system", "score"),
    }
)
"""The columns looked for in a file, in the order in which they are given names."""

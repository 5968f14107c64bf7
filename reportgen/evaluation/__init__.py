"""The whole computation: a run under a contract becomes Results (and per-query values)."""

from reportgen.evaluation.evaluate import Evaluation, evaluate
from reportgen.evaluation.observations import findings

__all__ = ["Evaluation", "evaluate", "findings"]

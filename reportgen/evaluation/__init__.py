"""The whole computation: a run under a contract becomes Results (and per-query values)."""

from reportgen.evaluation.checks import findings
from reportgen.evaluation.evaluate import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate", "findings"]

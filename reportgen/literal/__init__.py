"""The second implementation: every metric straight from its formula, in plain Python.

An independent oracle for :mod:`reportgen.metrics`. It shares no code with it and neither imports the other; it knows
the standard library and the nouns of :mod:`reportgen.domain`, nothing else. Ratios are exact fractions, irrational
terms are summed by ``math.fsum``, and loops stand where the fast implementation has arrays. One module per family of
metrics, one short function per formula.
"""

from reportgen.literal.arithmetic import standard_deviation
from reportgen.literal.values import evaluate, evaluate_exactly, examine, per_query

__all__ = ["evaluate", "evaluate_exactly", "examine", "per_query", "standard_deviation"]

"""Metric ids: parsed, hashable, and the same text in API, CLI and JSON.

``name[variant]@parameter``: ``ndcg@10``, ``f1[macro:label]@tune``, ``tpr@fpr=0.05``, ``evidence_recall[pooled]``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ID = re.compile(r"(?P<name>[a-z][a-z0-9_]*)(\[(?P<variant>[a-z0-9_:]+)\])?(@(?P<parameter>[A-Za-z0-9_.=/-]+))?")


@dataclass(frozen=True, slots=True, order=True)
class MetricId:
    """A metric with its variant and parameter; ``str()`` gives the id back."""

    name: str
    variant: str = ""
    parameter: str = ""

    @classmethod
    def parse(cls, text: str) -> MetricId:
        """Read an id; raises ValueError with the offending text."""
        match = _ID.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not a metric id (name[variant]@parameter)")
        return cls(match["name"], match["variant"] or "", match["parameter"] or "")

    def __str__(self) -> str:
        variant = f"[{self.variant}]" if self.variant else ""
        parameter = f"@{self.parameter}" if self.parameter else ""
        return f"{self.name}{variant}{parameter}"

    @property
    def kind(self) -> str:
        """What kind of parameter it has: ``cutoff`` (``@10``), ``threshold`` (``@tune``, ``@0.5``), or the key itself.

        ``recall@all`` is of the kind ``all``, ``recall[argmax]@class=VF`` of the kind ``class``.

        ``precision@10`` and ``precision@fpr=0.05`` are different metrics; empty without a parameter.
        """
        key, equals, _ = self.parameter.partition("=")
        if equals or self.parameter in ("", "all"):
            return key
        return "threshold" if key == "tune" or "." in key else "cutoff"

    @property
    def number(self) -> float:
        """The number in the parameter: 10 of ``@10``, 0.05 of ``@fpr=0.05``; raises ValueError if there is none."""
        return float(self.parameter.rpartition("=")[2])

    @property
    def named_class(self) -> str:
        """The id of the class in the parameter: ``VF`` of ``@class=VF``; empty if there is none."""
        return self.parameter.removeprefix("class=") if self.kind == "class" else ""

"""What a bundle for double-blind review is made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reportgen.anonymity import anonymous, hiding
from reportgen.bundle.per_query import retold
from reportgen.domain.record import Results


def without_names(
    results: Results, per_query: Mapping[str, Any] | bytes | None
) -> tuple[Results, dict[str, Any] | None]:
    """The results, and the values per query where there are any, without what names the authors.

    Raises RenderError (RG585) where two systems, labels or folds differ in a name alone.
    """
    told = None if per_query is None else retold(per_query, hiding(results))
    return anonymous(results), told

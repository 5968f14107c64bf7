"""The headline metrics."""

from __future__ import annotations

from reportgen.domain.presentation import Table
from reportgen.domain.record import Results
from reportgen.tables._metric_tables import compact_table, full_table
from reportgen.tables._systems import headline
from reportgen.wording.heads import named_under_subset

ID = "main-results"
TITLE = "Main results"
NEEDS = "the contract's headline metrics"
ORDER = 10


def build(results: Results) -> Table | None:
    """One row per headline metric and system, grouped by what the metrics are about."""
    about = f"All headline metrics by system, each on the {named_under_subset(results)}."
    return full_table(results, headline(results), id=ID, title=TITLE, about=about)


def compact(results: Results) -> Table | None:
    """Metrics down, systems across, best marked; one group of rows for each subset, which names its n."""
    about = f"Headline metrics by system; n counts {results.units.query.many}."
    return compact_table(results, headline(results), id=f"{ID}-compact", title=f"{TITLE}, compact", about=about)

"""How many candidates the queries have, how many of them are relevant, and how many queries have fewer than K."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Spanner, Table
from reportgen.domain.record import Distribution, Results
from reportgen.numbers import fixed, percent
from reportgen.tables._cells import count_cell
from reportgen.tables._counts import mean_of, quantile_of
from reportgen.tables._systems import systems
from reportgen.wording.captions import caption

ID = "candidates-per-query"
TITLE = "Candidates per query"
NEEDS = "a ranking of candidates"
ORDER = 31
_RANKED, _RELEVANT = "ranked", "relevant"


def build(results: Results) -> Table | None:
    """One row per population; systems that rank lists of the same lengths share a group of rows."""
    found = {(d.kind, d.system, d.subset): d for d in results.distributions if d.kind in (_RANKED, _RELEVANT)}
    by_lengths: dict[tuple[tuple[str, ...], tuple[int, ...]], list[str]] = {}
    for system in systems(results):
        if ranked := found.get((_RANKED, system.id, "all_queries")):
            by_lengths.setdefault((ranked.bins, ranked.counts), []).append(system.id)
    if not by_lengths:
        return None
    groups = []
    for ids in by_lengths.values():
        labels = ", ".join(results.system_by_id[id_].label for id_ in ids)
        rows = [
            _row(results, subset.label, ranked, relevant)
            for subset in results.subsets
            if (ranked := found.get((_RANKED, ids[0], subset.id)))
            and (relevant := found.get((_RELEVANT, ids[0], subset.id)))
            and sum(ranked.counts)
        ]
        groups.append(RowGroup("" if len(by_lengths) == 1 else labels, tuple(rows)))
    units, cutoffs = results.units, results.contract.cutoffs
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(
            results,
            _message(results, found),
            f"{units.candidate.many.capitalize()} are those that a system ranks for a {units.query.one}. Where a "
            f"{units.query.one} has fewer than K, a metric at K is one at less.",
        ),
        columns=(
            Column("subset", "Subset", "stub", width=1.7),
            Column("n", "n", "count", width=0.8),
            *(
                Column(f"{kind}_{key}", head, "number", width=0.8)
                for kind in (_RANKED, _RELEVANT)
                for key, head in (("mean", "Mean"), ("median", "Median"), ("max", "Max."))
            ),
            *(Column(f"fewer_{k}", str(k), "number", width=0.7) for k in cutoffs),
        ),
        groups=tuple(groups),
        spanners=(
            Spanner(f"{units.candidate.many.capitalize()} ranked", tuple(f"{_RANKED}_{k}" for k in _MEASURES)),
            Spanner("Relevant", tuple(f"{_RELEVANT}_{k}" for k in _MEASURES)),
            *((Spanner("Share with fewer than K (%)", tuple(f"fewer_{k}" for k in cutoffs)),) if cutoffs else ()),
        ),
    )


_MEASURES = ("mean", "median", "max")


def _row(results: Results, name: str, ranked: Distribution, relevant: Distribution) -> Row:
    lengths = _counts(ranked)
    n = sum(lengths.values())
    fewer = [sum(count for length, count in lengths.items() if length < k) / n for k in results.contract.cutoffs]
    return Row(
        (
            Cell(name),
            count_cell(n),
            *_measures(lengths),
            *_measures(_counts(relevant)),
            *(Cell(percent(share, 1), value=100 * share) for share in fewer),
        )
    )


def _measures(counts: dict[int, int]) -> tuple[Cell, ...]:
    mean, middle = mean_of(counts), quantile_of(counts, 0.5)
    return (
        Cell(fixed(mean, 1), value=mean),
        Cell(fixed(middle, 1), value=middle),
        count_cell(max(length for length, count in counts.items() if count)),
    )


def _counts(distribution: Distribution) -> dict[int, int]:
    return dict(zip(map(int, distribution.bins), distribution.counts, strict=True))


def _message(results: Results, found: dict[tuple[str, str, str], Distribution]) -> str:
    """How long the lists are over all queries, whichever the system."""
    lengths = [_counts(d) for (kind, _, subset), d in found.items() if kind == _RANKED and subset == "all_queries"]
    low, high = (fixed(extreme(mean_of(one) for one in lengths), 1) for extreme in (min, max))
    units = results.units
    size = low if low == high else f"{low} to {high}"
    return f"A {units.query.one} has {size} ranked {units.candidate.many} on average."

"""What the figures of single queries are about: metrics that have values of single queries."""

from __future__ import annotations

from itertools import islice

from reportgen.domain.record import MetricRecord, Results
from reportgen.errors import Diagnostic, RequestError
from reportgen.query_values import Obtain, QueryValues, values_of


def metrics_shown(
    results: Results, per_query: Obtain, figure: str, *, compared: bool = False
) -> tuple[tuple[MetricRecord, QueryValues], ...]:
    """Return the metrics that a figure shows with their values: those its author asks for, else the first there is.

    Metrics of comparisons come first, then the headline; one without a good end tells nobody who is better. Empty where
    nobody has values of single queries.

    Args:
        results: What was computed.
        per_query: Gives the values of single queries.
        figure: Its name, under which its author asks for metrics.
        compared: Whether it shows metrics of comparisons alone.

    Raises RequestError (RG701) for a metric that is asked for and that the figure cannot show.
    """
    values = per_query()
    if values is None:
        return ()
    options = results.run.presentation.figure_options.get(figure)
    asked = options.metrics if options else ()
    able = dict.fromkeys(comparison.metric for comparison in results.comparisons)
    able |= {} if compared else dict.fromkeys((*results.contract.headline, *asked))
    metrics = (results.metric_by_id[id_] for id_ in asked or able if id_ in able and id_ in results.metric_by_id)
    known = ((one, found) for one in metrics if one.direction != "none" and (found := values_of(values, one.id)))
    shown = tuple(known if asked else islice(known, 1))
    if lacking := [id_ for id_ in asked if id_ not in {one.id for one, _ in shown}]:
        why = "is not compared" if lacking[0] not in able else "has no better and worse values of single queries"
        fix = (
            "Name it under [comparisons] family in run.toml, or leave it out."
            if lacking[0] not in able
            else "Leave it out."
        )
        raise RequestError(Diagnostic("RG701", f"{figure}: metrics", f"'{lacking[0]}' {why}", fix))
    return shown

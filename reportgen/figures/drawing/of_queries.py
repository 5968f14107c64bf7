"""What the figures of single queries are about: the first metric that is compared and has values for single queries."""

from __future__ import annotations

from reportgen.domain.record import MetricRecord, Results
from reportgen.query_values import Obtain, QueryValues, values_of


def first_metric(results: Results, per_query: Obtain) -> tuple[MetricRecord, QueryValues] | None:
    """Return the metric with its values; None where nobody has values of single queries.

    Metrics of comparisons come first, then the headline; one without a good end tells nobody who is better.
    """
    values = per_query()
    if values is None:
        return None
    compared = (comparison.metric for comparison in results.comparisons)
    for id_ in dict.fromkeys((*compared, *results.contract.headline)):
        metric = results.metric_by_id.get(id_)
        if metric is None or metric.direction == "none":
            continue
        if found := values_of(values, id_):
            return metric, found
    return None

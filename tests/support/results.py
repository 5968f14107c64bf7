"""A small hand-built ``Results``: every family, subset and aggregation, with invented numbers.

The numbers are synthetic and chosen so that the relations between metrics hold (nDCG@1 = Precision@1 = Hit@1, hits
rise with K, …) and means and standard deviations can be checked on paper: fold values lie 0.01 apart around the
pooled value, so that five folds have SD 0.0158 (ddof 1).

What is missing is there on purpose: the first system lacks selection (``n/a``), the second raises no alert
(undefined), and the last of three or more labels has no positive query (undefined).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf
from statistics import fmean, stdev

import msgspec

from reportgen.domain.record import (
    SCHEMA_VERSION,
    AnyParameter,
    Band,
    Comparison,
    ComparisonDisplay,
    ContractRecord,
    Count,
    Counts,
    Curve,
    Direction,
    Display,
    Distribution,
    EffectSize,
    Estimate,
    FoldRecord,
    FoldValue,
    Generator,
    InputFile,
    Interval,
    IntervalSettings,
    Label,
    MetricRecord,
    Noun,
    Reason,
    Results,
    RunRecord,
    SplitRecord,
    Spread,
    Status,
    SubsetRecord,
    SystemRecord,
    Target,
    TestRecord,
    ThresholdRecord,
    Units,
    result_id,
)
from reportgen.errors import Diagnostic
from reportgen.numbers import NOT_APPLICABLE, UNDEFINED, fixed, interval
from tests.support import shapes

HOSTILE_NAMES = (
    r"a_b & 50% {x} \input{y}",
    "<img src=x onerror=alert(1)>",
    "=1+1",
    "a name of eighty characters, which no column was made for and which must be whole",
    "| pipe `code` *star* #1 ~^$",
)
CUTOFFS = (1, 3, 5, 10, 20)
HEADLINE = (
    "ndcg@10", "recall@10", "map@10", "mrr@10", "auroc", "auprc", "brier", "ece",
    "tpr@fpr=0.05", "f1@tune", "evidence_recall", "alert_precision",
)  # fmt: skip
PRIMARY = (
    "ndcg@10", "recall@5", "recall@10", "precision@5", "hit@1", "map@10", "mrr@10",
    "auroc", "auprc", "prevalence", "brier", "ece", "f1@tune", "mcc@tune", "tpr@fpr=0.05",
    "evidence_recall", "evidence_recall[pooled]",
)  # fmt: skip
CONVENTIONS: dict[str, str | int | float | bool] = {
    "ap_denominator": "min_R_K", "ndcg_gain": "linear", "precision_denominator": "K", "ties": "input_order",
    "empty_gold": "exclude", "empty_gold_all_queries": "zero", "multilabel_decider": "recorded",
    "deployment_decider": "state_not_neg", "auroc_ties": "half",
    "single_class": "undefined", "auprc": "average_precision", "zero_division": "undefined",
    "threshold_rule": "max_tpr_under_fpr", "ece_bins": 10, "ece_binning": "equal_width",
    "ece_edges": "left_closed_last_closed", "empty_selection": "undefined", "quantile": "linear",
    "headline_aggregation": "fold_mean", "sd_ddof": 1, "interval_method": "percentile", "interval_unit": "cluster",
    "interval_strata": "fold", "interval_level": 0.95, "resamples": 10_000, "seed": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Invented:
    """A metric with the pooled value of the first system; the second adds ``step``, each further one a tenth of it."""

    id: str
    name: str
    family: str
    value: float
    step: float = 0.01
    direction: Direction = "higher"
    decimals: int = 3
    unit: str = "proportion"
    chance: str = ""
    pooled_only: bool = False


def _ranking() -> list[Invented]:
    at = {
        "ndcg": ("nDCG", (0.60, 0.65, 0.69, 0.73, 0.75)),
        "recall": ("Recall", (0.45, 0.66, 0.75, 0.86, 0.93)),
        "precision": ("Precision", (0.60, 0.30, 0.20, 0.12, 0.06)),
        "hit": ("Hit", (0.60, 0.78, 0.85, 0.92, 0.97)),
        "map": ("MAP", (0.60, 0.62, 0.64, 0.66, 0.67)),
        "mrr": ("MRR", (0.60, 0.68, 0.70, 0.71, 0.715)),
    }
    metrics = [
        Invented(f"{key}@{k}", f"{name}@{k}", "ranking", value, 0.01 / k if key == "precision" else 0.01)
        for key, (name, values) in at.items()
        for k, value in zip(CUTOFFS, values, strict=True)
    ]
    return [*metrics, Invented("map", "MAP", "ranking", 0.668), Invented("mrr", "MRR", "ranking", 0.717)]


def _others() -> list[Invented]:
    classification, calibration, points = "classification", "calibration", "operating_point"
    lower: Direction = "lower"
    metrics = [
        Invented("auroc", "AUROC", classification, 0.88, chance="0.5"),
        Invented("auprc", "AUPRC", classification, 0.54, chance="prevalence"),
        Invented("prevalence", "Prevalence", classification, 0.2, 0.0, "none"),
        Invented("brier", "Brier score", calibration, 0.095, -0.005, lower),
        Invented("log_loss", "Log loss", calibration, 0.31, -0.02, lower),
        Invented("ece", "ECE", calibration, 0.05, -0.002, lower),
        Invented("f1@tune", "F1 at the TUNE threshold", classification, 0.52),
        Invented("f1@0.5", "F1 at 0.5", classification, 0.47),
        Invented("mcc@tune", "MCC at the TUNE threshold", classification, 0.41),
        Invented("mcc@0.5", "MCC at 0.5", classification, 0.38),
    ]
    for alpha, tpr in ((0.01, 0.33), (0.03, 0.48), (0.05, 0.57), (0.1, 0.71)):
        percent = f"{alpha * 100:g} %"
        metrics += [
            Invented(f"tpr@fpr={alpha:g}", f"TPR at {percent} FPR", points, tpr),
            Invented(f"fpr_achieved@fpr={alpha:g}", f"FPR achieved at {percent}", points, alpha * 1.1, 0.0, "none"),
            Invented(f"roc_tpr@fpr={alpha:g}", f"Same-set TPR at {percent} FPR", points, tpr + 0.02),
        ]
    return [
        *metrics,
        Invented("evidence_recall", "Evidence recall", "selection", 0.71),
        Invented("evidence_recall[pooled]", "Evidence recall, pooled", "selection", 0.68),
        Invented("avg_k[all]", "Mean K", "workload", 2.4, 0.1, "none", 2, "candidates"),
        Invented("median_k[all]", "Median K", "workload", 2.0, 0.0, "none", 1, "candidates", pooled_only=True),
        Invented("p90_k[all]", "P90 of K", "workload", 5.0, 0.0, "none", 1, "candidates", pooled_only=True),
        Invented("alert_precision", "Alert precision", "triage", 0.91),
        Invented("alert_rate", "Alert rate", "triage", 62.5, 1.5, "none", 1, "per 1,000 queries"),
        Invented("f1[macro:label]", "Macro F1 over labels", "multilabel", 0.49, pooled_only=True),
        Invented("exact_match", "Exact match", "multilabel", 0.63),
    ]


METRICS = (*_ranking(), *_others())
_LABELS_TOO = {"ranking", "classification", "calibration", "operating_point", "selection"}


def make_results(n_systems: int = 2, n_labels: int = 3, n_folds: int = 5, hostile: bool = False) -> Results:
    """A valid ``Results`` of synthetic numbers; ``hostile`` names systems, labels and data as attackers would."""
    return _Maker(n_systems, n_labels, n_folds, hostile).results()


def baseline_last(results: Results) -> Results:
    """The same numbers with the systems in reverse order, so that the baseline is the last and not the first."""
    last = len(results.systems) - 1
    systems = tuple(msgspec.structs.replace(system, order=last - system.order) for system in reversed(results.systems))
    return msgspec.structs.replace(results, systems=systems)


def showing(results: Results, *, tables: tuple[str, ...] | None = None, figures: tuple[str, ...]) -> Results:
    """The same numbers, whose bundles and reports show these tables (None for all) and figures alone.

    A figure takes a second to draw; what is the same for all of them is tested on few.
    """
    presentation = msgspec.structs.replace(results.run.presentation, tables=tables, figures=figures)
    run = msgspec.structs.replace(results.run, presentation=presentation)
    return msgspec.structs.replace(results, run=run)


@dataclass
class _Maker:
    n_systems: int
    n_labels: int
    n_folds: int
    hostile: bool

    def __post_init__(self) -> None:
        self.signatures: list[str] = []
        self.systems = [f"s{i}" for i in range(self.n_systems)]
        self.labels = [f"D{i}" for i in range(self.n_labels)]
        self.empty_label = self.labels[-1] if self.n_labels >= 3 else None
        self.subsets = {subset.id: subset for subset in self._subsets()}

    def name(self, ordinary: str, at: int) -> str:
        if not self.hostile:
            return ordinary
        text = HOSTILE_NAMES[at % len(HOSTILE_NAMES)]
        return text if at < len(HOSTILE_NAMES) else f"{text} {at}"

    def _subsets(self) -> list[SubsetRecord]:
        subsets = self._pair("", "", 100 * self.n_folds, 20 * self.n_folds)
        for i, label in enumerate(self.labels):
            n = 100 * self.n_folds // self.n_labels
            positive = 0 if label == self.empty_label else n // 5
            subsets += self._pair(f"label={label}", self.name(f"Digit {i}", i), n, positive)
        return subsets

    def _pair(self, slice_: str, label: str, n: int, positive: int) -> list[SubsetRecord]:
        head, lead = (f"{slice_}/", f"{label}: ") if slice_ else ("", "")
        clusters = 10 * self.n_folds
        return [
            SubsetRecord(
                id=slice_ or "all_queries", label=f"{lead}All queries" if not slice_ else label,
                definition=f"{lead}every query", population="all_queries", slice=slice_, n_queries=n,
                n_clusters=clusters, n_positive=positive, n_candidates=12 * n, n_gold=2 * positive,
            ),
            SubsetRecord(
                id=f"{head}positives_only", label=f"{lead}Queries with evidence",
                definition=f"{lead}queries with at least one relevant candidate", population="positives_only",
                slice=slice_, n_queries=positive, n_clusters=min(clusters, positive), n_positive=positive,
                n_candidates=12 * positive, n_gold=2 * positive,
            ),
        ]  # fmt: skip

    def _scopes(self, metric: Invented) -> list[str]:
        return ["pooled"] if metric.pooled_only or self.n_folds == 1 else ["fold_mean", "pooled"]

    def _subsets_of(self, metric: Invented) -> list[SubsetRecord]:
        wanted = _populations(metric)
        chosen = [subset for subset in self.subsets.values() if not subset.slice and subset.population in wanted]
        if metric.id in PRIMARY and metric.family in _LABELS_TOO:
            chosen += [subset for subset in self.subsets.values() if subset.slice and subset.population == wanted[0]]
        return chosen

    def _missing(self, metric: Invented, at: int, subset: SubsetRecord) -> Reason | None:
        if at == 0 and metric.family in {"selection", "workload"}:
            return "component_absent"
        if at == 1 and metric.id == "alert_precision":
            return "no_alerts"
        if self.empty_label and subset.slice == f"label={self.empty_label}":
            if subset.population == "positives_only":
                return "no_queries"
            return None if metric.id in {"brier", "ece", "prevalence"} else "no_positives"
        return None

    def _signature(self, metric: Invented, aggregation: str) -> int:
        text = f"{metric.id}|synthetic|agg:{aggregation}" + ("|sd:fold,ddof=1" if aggregation == "fold_mean" else "")
        if text not in self.signatures:
            self.signatures.append(text)
        return self.signatures.index(text)

    def _value(self, metric: Invented, at: int, subset: SubsetRecord) -> float:
        if metric.id == "prevalence":
            return subset.n_positive / subset.n_queries
        value = metric.value + (metric.step * (1 + 0.1 * (at - 1)) if at else 0.0)
        if subset.slice:
            value *= 1 - 0.03 * (1 + self.labels.index(subset.slice.removeprefix("label=")) % 5)
        elif metric.family == "ranking" and subset.population == "all_queries":
            value *= 0.2
        return round(value, 6)

    def _estimate(self, metric: Invented, at: int, subset: SubsetRecord, aggregation: str) -> Estimate:
        system, reason = self.systems[at], self._missing(metric, at, subset)
        n = Counts(
            queries=subset.n_queries, clusters=subset.n_clusters, positives=subset.n_positive,
            candidates=subset.n_candidates, undefined=0,
        )  # fmt: skip
        value: float | None = None
        intervals: tuple[Interval, ...] = ()
        folds: tuple[FoldValue, ...] = ()
        sd: tuple[Spread, ...] = ()
        if reason is None:
            pooled = self._value(metric, at, subset)
            step = min(0.1 if metric.unit != "proportion" else 0.01, pooled / 4)
            if aggregation == "fold_mean":
                values = [round(pooled + step * (i - (self.n_folds - 1) / 2), 6) for i in range(self.n_folds)]
                folds = tuple(FoldValue(fold=f"f{i}", value=v, reason=None) for i, v in enumerate(values))
                sd = (Spread(value=stdev(values), over="fold", ddof=1, n=len(values)),)
                value = fmean(values)
            else:
                value = pooled
            tuned = "tune" in metric.id or "fpr=" in metric.id
            intervals = (_interval(value, 2 * step, int(tuned), highest=inf if metric.unit != "proportion" else 1.0),)
        status: Status = "ok" if reason is None else "not_applicable" if reason == "component_absent" else "undefined"
        shown = NOT_APPLICABLE if status == "not_applicable" else UNDEFINED
        return Estimate(
            id=result_id(metric.id, system, subset.id, aggregation), metric=metric.id, system=system, subset=subset.id,
            aggregation=aggregation, value=value, status=status, reason=reason, provenance="computed", n=n,
            intervals=intervals, sd=sd, se=None, folds=folds, target=_target(metric, value),
            signature=self._signature(metric, aggregation),
            interpretation=self._interpretation(metric, subset, value), notes=(),
            display=Display(
                decimals=metric.decimals,
                value=shown if value is None else fixed(value, metric.decimals),
                interval=interval(intervals[0].lower, intervals[0].upper, metric.decimals) if intervals else "",
                sd=fixed(sd[0].value, metric.decimals) if sd else "",
            ),
        )  # fmt: skip

    def _interpretation(self, metric: Invented, subset: SubsetRecord, value: float | None) -> str:
        if value is None:
            return f"{metric.name} has no value on {subset.n_queries:,} queries (synthetic)."
        return f"{metric.name} is {fixed(value, metric.decimals)} on {subset.n_queries:,} queries (synthetic)."

    def _curves(self) -> tuple[Curve, ...]:
        curves = []
        for at, system in enumerate(self.systems):
            rise = 0.02 * at
            roc = (0.0, 0.6 + rise, 0.75 + rise, 0.9 + rise, 1.0)
            curves.append(
                Curve(
                    id=f"roc|{system}|all_queries|pooled", kind="roc", system=system, subset="all_queries",
                    aggregation="pooled", x=(0.0, 0.1, 0.25, 0.5, 1.0), y=roc,
                    lower=tuple(max(0.0, y - 0.03) if 0 < y < 1 else y for y in roc),
                    upper=tuple(min(1.0, y + 0.03) if 0 < y < 1 else y for y in roc),
                    n=(), band=Band(level=0.95, method="percentile", kind="pointwise", settings=0),
                    description="Receiver operating characteristic (synthetic).",
                )
            )  # fmt: skip
            reliability = (0.04, 0.17, 0.38 - rise, 0.61, 0.93 - rise)
            curves.append(
                Curve(
                    id=f"reliability|{system}|all_queries|pooled", kind="reliability", system=system,
                    subset="all_queries", aggregation="pooled", x=(0.05, 0.2, 0.4, 0.65, 0.9), y=reliability,
                    lower=tuple(y - 0.03 for y in reliability), upper=tuple(y + 0.03 for y in reliability),
                    n=tuple(n * self.n_folds for n in (50, 20, 10, 10, 10)),
                    band=Band(level=0.95, method="percentile", kind="pointwise", settings=0),
                    description="Observed share against mean predicted probability (synthetic).",
                )
            )  # fmt: skip
            curves += shapes.curves(system, at, [label for label in self.labels if label != self.empty_label])
        return tuple(curves)

    def _distributions(self) -> tuple[Distribution, ...]:
        scores = (counts for system in self.systems for counts in shapes.scores(system, 20 * self.n_folds))
        selected = (
            Distribution(
                id=f"selected_k|{system}|all_queries", kind="selected_k", system=system, subset="all_queries",
                by="", bins=("0", "1", "2", "3"), counts=(70 * self.n_folds, 10 * self.n_folds, 15 * self.n_folds,
                                                         5 * self.n_folds),
            )
            for system in self.systems[1:]
        )  # fmt: skip
        return (*selected, *scores)

    def _comparisons(self) -> tuple[Comparison, ...]:
        """nDCG@10 of each system against the first and, as a ladder, against the one before; evidence recall too."""
        pairs = dict.fromkeys(pair for at in range(1, self.n_systems) for pair in ((at, 0), (at, at - 1)))
        return tuple(self._comparison(metric, a, b) for metric in ("ndcg@10", "evidence_recall") for a, b in pairs)

    def _comparison(self, metric: str, a: int, b: int) -> Comparison:
        shared = {
            "id": f"{metric}|s{a}-vs-s{b}|positives_only|pooled", "metric": metric, "subset": "positives_only",
            "aggregation": "pooled", "system_a": f"s{a}", "system_b": f"s{b}",
        }  # fmt: skip
        if metric == "evidence_recall":
            # The first system selects nothing, so nothing of its can be compared.
            absent = "n/a" if b == 0 else "—"
            return Comparison(
                **shared, difference=None, relative=None, reason="component_absent" if b == 0 else "no_gold",
                intervals=(), tests=(), effect_size=None, smallest_detectable=None, wins=None, ties=None, losses=None,
                verdict="not_applicable" if b == 0 else "undefined", interpretation="No comparison (synthetic).",
                notes=(), display=ComparisonDisplay(
                    unit="", difference=absent, interval="", relative="", p="", p_adjusted="", effect_size="",
                    smallest_detectable="",
                ),
            )  # fmt: skip
        difference = round(0.01 * (a - b), 6)
        return Comparison(
            **shared, difference=difference, relative=difference / 0.73, reason=None,
            intervals=(_interval(difference, 0.005, 0),),
            tests=(
                TestRecord(
                    name="permutation within pages", statistic=None, p=0.0116, p_adjusted=0.0232, adjustment="holm",
                    family=("ndcg@10", "evidence_recall"), family_size=2, alternative="two-sided", resamples=10_000,
                    seed=0,
                ),
            ),
            effect_size=EffectSize(name="Cohen's d_z over queries", over="query", n=100, value=0.2),
            smallest_detectable=0.008,
            wins=40, ties=50, losses=10, verdict="better", interpretation="Better on these data (synthetic).",
            notes=(), display=ComparisonDisplay(
                unit="points", difference=f"+{difference * 100:.2f}",
                interval=f"[{(difference - 0.005) * 100:.2f}, {(difference + 0.005) * 100:.2f}]",
                relative=f"+{difference / 0.73 * 100:.2f}", p="0.012", p_adjusted="0.023", effect_size="+0.20",
                smallest_detectable="0.80",
            ),
        )  # fmt: skip

    def _thresholds(self) -> tuple[ThresholdRecord, ...]:
        return tuple(
            ThresholdRecord(
                id=f"max_tpr_under_fpr=0.05|{system}|f{fold}", system=system, fold=f"f{fold}",
                rule="max_tpr_under_fpr", alpha=0.05, value=0.4 + 0.01 * fold, reject_all=False, source="tune",
                achieved={"fpr": 0.05, "tpr": 0.6},
            )
            for system in self.systems
            for fold in range(self.n_folds)
        )  # fmt: skip

    def _metric_records(self) -> tuple[MetricRecord, ...]:
        return tuple(
            MetricRecord(
                id=metric.id, name=metric.name, family=metric.family, params={}, direction=metric.direction,
                range=(0.0, 1.0 if metric.unit == "proportion" else None), unit=metric.unit, decimals=metric.decimals,
                formula=r"\frac{1}{n}\sum_i x_i", definition=f"{metric.name}, invented for tests.",
                reference="none: synthetic", populations=_populations(metric),
                aggregations=("pooled",) if metric.pooled_only else ("pooled", "fold_mean"),
                chance=metric.chance, order=order, at_any=_at_any(metric),
            )
            for order, metric in enumerate(METRICS)
        )  # fmt: skip

    def _system_records(self) -> tuple[SystemRecord, ...]:
        names = ("Baseline", "Candidate model")
        return tuple(
            SystemRecord(
                id=system, label=self.name(names[at] if at < len(names) else f"Model {at}", at), order=at,
                step=at + 1 if self.n_systems > 1 else None,
                params={"gamma": round(0.7 + 0.05 * at, 2)} if at else {}, config_sha256=None,
                components=("ranking", "probability", "states", "tune") if at == 0
                else ("ranking", "probability", "states", "selection", "tune"),
            )
            for at, system in enumerate(self.systems)
        )  # fmt: skip

    def _folds(self) -> tuple[FoldRecord, ...]:
        return tuple(
            FoldRecord(
                id=f"f{i}", label=self.name(f"Fold {i + 1}", i), n_clusters=10, n_queries=100, n_positive=20,
                n_candidates=1_200, n_gold=40, n_tune=80,
            )
            for i in range(self.n_folds)
        )  # fmt: skip

    def results(self) -> Results:
        estimates = tuple(
            self._estimate(metric, at, subset, aggregation)
            for metric in METRICS
            for at in range(self.n_systems)
            for subset in self._subsets_of(metric)
            for aggregation in self._scopes(metric)
        )
        settings = tuple(
            IntervalSettings(
                level=0.95, method="percentile", unit="cluster", strata="fold", resamples=10_000, seed=0,
                threshold=threshold,
            )
            for threshold in ("", "fixed")
        )  # fmt: skip
        return Results(
            schema_version=SCHEMA_VERSION, kind="reportgen.metrics_master",
            generator=Generator(name="reportgen", version="0.1.0", python="3.11", dependencies={"numpy": "2.4.0"}),
            created=None, command="build", vcs=None, seeds={"bootstrap": 0},
            run=RunRecord(
                title=self.name("A synthetic evaluation", 0), dataset=self.name("invented pages", 1),
                date="2026-01-18", description="Invented numbers for tests.", synthetic=True, authors=(),
                baseline="s0", decision="tau_f1", calibrator_fit_on="tune",
            ),
            contract=ContractRecord(
                id="field-standard", version="1.0.0", sha256="0" * 64, title="Field standard", source="",
                conventions=dict(CONVENTIONS), headline=HEADLINE, primary=PRIMARY, cutoffs=CUTOFFS,
                fpr_budgets=(0.01, 0.03, 0.05, 0.1), questionable={},
            ),
            inputs=(
                InputFile(id="queries", role="queries", path="queries.csv", sha256="1" * 64, bytes=1_000,
                            rows=100 * self.n_folds, columns=("query", "y_true")),
            ),
            units=Units(
                query=Noun(one="query", many="queries"), cluster=Noun(one="page", many="pages"),
                label=Noun(one="digit", many="digits"), candidate=Noun(one="image", many="images"),
            ),
            folds=self._folds(),
            split=SplitRecord(scheme=f"nested-{self.n_folds}-fold" if self.n_folds > 1 else "hold-out",
                              group="page", disjoint=True),
            labels=tuple(
                Label(id=label, label=self.name(f"Digit {i}", i), description="", type="", trained=True)
                for i, label in enumerate(self.labels)
            ),
            systems=self._system_records(), thresholds=self._thresholds(), subsets=tuple(self.subsets.values()),
            metrics=self._metric_records(), signatures=tuple(self.signatures), interval_settings=settings,
            results=estimates, curves=self._curves(), distributions=self._distributions(),
            comparisons=self._comparisons(),
            checks=(
                Diagnostic("RG311", "queries.csv", "Folds are disjoint by page.", status="passed"),
                Diagnostic("RG241", "candidates.csv", "Two rankings hold tied scores.", "Say how ties are broken.",
                           "warning"),
                Diagnostic("RG251", "", "No training split was recorded.", severity="note", status="not_run"),
            ),
            warnings=("Two rankings hold tied scores (synthetic).",),
            sweeps=tuple(shapes.sweep(system) for system in self.systems),
        )  # fmt: skip


def _at_any(metric: Invented) -> AnyParameter | None:
    found = re.search(r"@(\d+|fpr=.*)$", metric.id)
    if found is None:
        return None
    symbol = "α" if "=" in found[1] else "K"
    name = re.sub(r"(?<=@)\d+|[\d.]+ %", symbol, metric.name)
    return AnyParameter(symbol=symbol, name=name, definition=f"{name}, invented for tests.",
                        formula=r"\frac{1}{n}\sum_i x_i", reference="none: synthetic")  # fmt: skip


def _populations(metric: Invented) -> tuple[str, ...]:
    if metric.family == "ranking":
        return ("positives_only", "all_queries")
    return ("positives_only",) if metric.id.startswith("evidence_recall") else ("all_queries",)


def _interval(value: float, half: float, settings: Count, highest: float = 1.0) -> Interval:
    return Interval(
        lower=round(value - half, 10), upper=round(min(value + half, highest), 10), settings=settings, failed=0,
        mc_error=0.0004, degenerate=False, method_used="percentile",
    )  # fmt: skip


def _target(metric: Invented, value: float | None) -> Target | None:
    if metric.id != "auroc" or value is None:
        return None
    return Target(op=">=", value=0.85, met=value >= 0.85)

"""What a formula takes: the answers of one system, read once, as the values that its metric is a function of."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property, partial
from inspect import Parameter, signature
from typing import Any, TypeAlias

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import Run, System
from reportgen.reference.answers import (
    Answer,
    Decide,
    Ranking,
    Tune,
    decider_of,
    decides,
    read_answers,
    read_tune,
    with_states,
)
from reportgen.reference.arithmetic import Number, choice, mean, weighted_mean
from reportgen.reference.classification import DecisionCounts, OperatingPoint, Pairs, best_under_budget, roc_curve
from reportgen.reference.multiclass import ClassRow
from reportgen.reference.selection import Returned, returned
from reportgen.reference.weighted import FORMS

Formula: TypeAlias = Callable[..., Number | None]
"""Takes values of some rows first; its other parameters are named after what the id and the contract say.

``k``, ``budget``, ``probability`` and ``persistence`` are the number in the id, ``highest`` is the highest grade of
the run, every other name is a convention. A keyword-only parameter is given by the entry.
"""


USES = ("multilabel_decider", "deployment_decider")
"""Conventions that name a decider: of the labels of a cluster; of what is returned for a query."""


@dataclass(frozen=True)
class SystemReading:
    """What one system says, and what it can decide."""

    answers: tuple[Answer, ...]
    tune: Tune
    decide: Mapping[str, Decide]
    """Convention that names a decider to the decisions it makes; without those that this system cannot have."""
    unsourced: frozenset[str]
    """What is refused even with supplied values, by component and convention: its threshold has no source."""
    components: frozenset[str]
    """What metrics can need."""
    classes: tuple[str, ...] = ()
    """The classes of the rows of a multi-class run; empty for other runs."""

    @classmethod
    def of(cls, run: Run, system: System, contract: Contract) -> SystemReading:
        """Read a system under the conventions of a contract."""
        answers, tune = read_answers(run, system, contract.text("ties"), contract.text("unjudged")), read_tune(system)
        stated = with_states(answers, run, system, contract, tune)
        has_states = stated is None or any(answer.state is not None for answer in stated)
        decide: dict[str, Decide] = {}
        unsourced = {"states"} if stated is None else set()
        for use in USES:
            decider = _decider(run, system, contract, use, has_states=has_states)
            decision = decides(decider, _budget_points(tune, decider))
            if stated is None and decider.startswith("state_"):
                unsourced.add(use)
            elif decider == "none" and use == "multilabel_decider":
                pass  # every label would be predicted, which says nothing about the system
            elif system.scale == "score" and decider.startswith("threshold:") and decider != "threshold:tune":
                pass  # a number is not a threshold on a score
            elif all(decision(answer) is not None for answer in stated or answers):
                decide[use] = decision
            elif system.y_prob is not None and not decider.startswith("state_"):
                unsourced.add(use)
        ranks = run.candidates is not None and system.retrieved is not None
        asks_classes = run.queries.row is not None
        components = {
            "ranking": ranks,
            "judgements": ranks and run.candidates is not None and run.candidates.judged is not None,
            "truth": run.info.states_truth,
            "scores": system.y_prob is not None,
            "order": system.y_prob is not None and system.scale != "decision",
            "half": system.y_prob is not None and system.scale != "score",
            "probability": system.y_prob is not None and system.scale == "probability",
            "threshold": system.y_prob is not None and run.info.decision in system.thresholds,
            "tune": bool(tune),
            "states": bool(stated) and all(answer.state is not None for answer in stated or ()),
            "selection": system.selected_k is not None,
            "decision": "multilabel_decider" in decide,
            "labels": bool(run.labels),
            "classes": asks_classes and (system.y_prob is not None or system.predicted is not None),
            "distribution": asks_classes and system.y_prob is not None and all(map(_adds_up, _by_row(answers))),
        }
        has = frozenset(name for name, present in components.items() if present)
        classes = tuple(label.id for label in run.labels) if asks_classes else ()
        return cls(stated or answers, tune, decide, frozenset(unsourced), has, classes)

    @cached_property
    def highest_grade(self) -> float:
        """Return the highest grade of relevance of any candidate."""
        rankings = (answer.ranking for answer in self.answers if answer.ranking is not None)
        return max((max(ranking.judged, default=0.0) for ranking in rankings), default=0.0)

    @cached_property
    def relevant(self) -> frozenset[str]:
        """Return the queries with a relevant candidate."""
        return frozenset(one.query for one in self.answers if one.ranking is not None and one.ranking.n_relevant)

    @cached_property
    def all_candidates(self) -> Pairs:
        """Return (score, relevant or not) of each candidate of all queries, which several metrics ask for."""
        return _of_candidates(self.answers)

    @cached_property
    def curves(self) -> Mapping[int, Sequence[OperatingPoint]]:
        """Return the ROC curve of TUNE of each fold."""
        return {fold: roc_curve(pairs) for fold, pairs in self.tune.items()}

    @cached_property
    def returned(self) -> Mapping[str, Returned | None]:
        """Return what is returned for each query; None where it is not decided."""
        decide = self.decide.get("deployment_decider", lambda _: None)
        return {answer.query: returned(answer, decide) for answer in self.answers}


def _by_row(answers: Sequence[Answer]) -> list[list[Answer]]:
    """Return the answers of each row of a multi-class run, in the order of classes."""
    found: dict[int | None, list[Answer]] = {}
    for answer in sorted(answers, key=lambda one: one.label or 0):
        found.setdefault(answer.row, []).append(answer)
    return list(found.values())


def _adds_up(row: Sequence[Answer]) -> bool:
    """Return True if the probabilities of a row add up to 1, but for what printing them with few digits takes."""
    return abs(round(math.fsum(answer.p or 0.0 for answer in row), 9) - 1) < 0.02


def _decider(run: Run, system: System, contract: Contract, use: str, *, has_states: bool) -> str:
    """Return what decides one use for a system."""
    deploys = use == "deployment_decider"
    if deploys and system.y_prob is None and not has_states:
        return "none"  # there is nothing that could block a query
    return decider_of(contract.text(use), states=deploys and has_states, named=run.info.decision is not None)


def _budget_points(tune: Tune, decider: str) -> Mapping[int, OperatingPoint | None]:
    """Return by fold what TUNE gives for the budget of a decider; empty for a decider without one."""
    name, _, budget = decider.partition(":")
    if name != "fpr_budget":
        return {}
    return {fold: best_under_budget(roc_curve(pairs), float(budget)) for fold, pairs in tune.items()}


@dataclass(frozen=True)
class Question:
    """One metric asked of one system, with everything its formula is given."""

    metric: MetricId
    formula: Formula
    conventions: tuple[str, ...]
    """Those that the metric's entry names."""
    contract: Contract
    reading: SystemReading
    of_queries: dict[str, Number | None] = field(default_factory=dict)
    """Query to its own value, once it is asked for."""
    last: dict[Callable[..., Any], tuple[Sequence[Answer], Any]] = field(default_factory=dict)
    """What reads to the answers it read last, and what it found."""

    def taken(self, read: Callable[..., Any], answers: Sequence[Answer]) -> Any:
        """Return what is read of some answers: once for all formulas that take the same."""
        if read not in self.last or self.last[read][0] is not answers:
            self.last[read] = (answers, read(answers, self))
        return self.last[read][1]

    @cached_property
    def told(self) -> Formula:
        """Return the formula with its parameters filled in from the id and the contract."""
        return partial(self.formula, **{name: self._setting(name) for name in _parameters(self.formula)})

    @cached_property
    def told_weighted(self) -> Formula:
        """Return the formula of weighted rows with its parameters filled in."""
        formula = FORMS[self.formula]
        return partial(formula, **{name: self._setting(name) for name in _parameters(self.formula)})

    def _setting(self, name: str) -> Any:
        if name == "k":
            return int(self.metric.parameter) if self.metric.kind == "cutoff" else None
        if name == "highest":
            return self.reading.highest_grade
        return self.metric.number if name in ("budget", "probability", "persistence") else self.contract[name]

    @cached_property
    def chosen(self) -> Mapping[int, OperatingPoint | None]:
        """Return the operating point that TUNE of each fold gives for the budget in the id."""
        return {fold: best_under_budget(points, self.metric.number) for fold, points in self.reading.curves.items()}

    @cached_property
    def fallback(self) -> Number | None:
        """Return what the contract puts where the formula is undefined; None = it stays undefined."""
        known: dict[str, Mapping[str, Number | None]] = {
            "single_class": {"undefined": None, "half": Fraction(1, 2)},
            # Average precision is undefined only without positives, where the prevalence is 0.
            "auprc_edge": {"undefined": None, "prevalence": Fraction(0)},
            "zero_division": {"undefined": None, "zero": Fraction(0)},
        }
        found = [choice(known[key], self.contract.text(key)) for key in self.conventions if key in known]
        return next((value for value in found if value is not None), None)


def _parameters(formula: Formula) -> tuple[str, ...]:
    """Return the names of what a formula is given beside its rows; what only the entry gives is keyword-only."""
    parameters = list(signature(formula).parameters.values())[1:]
    return tuple(one.name for one in parameters if one.kind is not Parameter.KEYWORD_ONLY)


# What becomes of some answers; None where a decision that a formula asks for is unknown


def truths(answers: Sequence[Answer], question: Question) -> list[int]:
    """Return y of each query."""
    return [answer.y for answer in answers]


def pairs(answers: Sequence[Answer], question: Question) -> Pairs:
    """Return (p, y) of each query."""
    return [(answer.p, answer.y) for answer in answers if answer.p is not None]


def candidate_pairs(answers: Sequence[Answer], question: Question) -> Pairs:
    """Return (score, relevant or not) of each candidate; one that was not retrieved has a score below every other."""
    reading = question.reading
    return reading.all_candidates if answers is reading.answers else _of_candidates(answers)


def _of_candidates(answers: Sequence[Answer]) -> Pairs:
    ranked = [answer.ranking for answer in answers if answer.ranking is not None]
    pairs = [(score, int(grade > 0)) for one in ranked for score, grade in one.scored]
    return [*pairs, *[(-math.inf, 0)] * sum(one.others for one in ranked)]


def candidate_truths(answers: Sequence[Answer], question: Question) -> list[int]:
    """Return 1 for each candidate that is relevant, 0 for each other."""
    return [y for _, y in candidate_pairs(answers, question)]


def class_rows(answers: Sequence[Answer], question: Question) -> list[ClassRow]:
    """Return the rows of a multi-class run, with the statements about each class."""
    by_name = choice({"argmax": False, "recorded": True}, question.contract.text("class_decider"))

    def read(row: Sequence[Answer]) -> ClassRow:
        p = tuple(float(answer.named or 0) if answer.p is None else answer.p for answer in row)
        names = [answer.named for answer in row]
        return ClassRow([answer.y for answer in row].index(1), p, names.index(1) if by_name and 1 in names else None)

    return [read(row) for row in _by_row(answers)]


def of_class(answers: Sequence[Answer], question: Question) -> DecisionCounts:
    """Count the rows that are predicted to be of the class in the id, against those that are of it."""
    of = question.reading.classes.index(question.metric.named_class)
    rows = class_rows(answers, question)
    weights = (1 if row[0].weight is None else row[0].weight for row in _by_row(answers))
    return DecisionCounts.count([(row.predicted == of, int(row.truth == of)) for row in rows], weights)


def rankings(answers: Sequence[Answer], question: Question) -> list[Ranking]:
    """Return the ranking of each query."""
    return [answer.ranking for answer in answers if answer.ranking is not None]


def _counted(answers: Sequence[Answer], decide: Callable[[Answer], bool | None]) -> DecisionCounts | None:
    decisions = [(decide(answer), answer.y) for answer in answers]
    known = [(decision, y) for decision, y in decisions if decision is not None]
    weights = (1 if answer.weight is None else answer.weight for answer in answers)
    return DecisionCounts.count(known, weights) if len(known) == len(decisions) else None


def weighed(
    read: Callable[[Sequence[Answer], Question], Any], answers: Sequence[Answer], question: Question
) -> tuple[Any, list[Fraction] | None] | None:
    """Return what is read of some answers, and the weight of each row of it; None where the first is unknown.

    There are no weights where each row counts once, and beside counts of decisions, which hold their sums.
    """
    taken = question.taken(read, answers)
    if taken is None or not answers or answers[0].weight is None or _is_counts(taken):
        return None if taken is None else (taken, None)
    if not isinstance(taken, Sequence):
        return taken, []
    groups = _by_row(answers) if read is class_rows else [[answer] for answer in answers]
    rows, weights = [], []
    for group in groups:
        of_group = read(group, question)
        rows += of_group
        weights += [group[0].weight or Fraction(1)] * len(of_group)
    return rows, weights


def _is_counts(taken: Any) -> bool:
    counts = taken if isinstance(taken, list) else [taken]
    return all(isinstance(one, DecisionCounts) for one in counts) and bool(counts)


def at_threshold(answers: Sequence[Answer], question: Question) -> DecisionCounts | None:
    """Count p ≥ the threshold in the id: a number, or the one recorded for the query's fold."""
    fixed = None if question.metric.parameter == "tune" else question.metric.number

    def decide(answer: Answer) -> bool | None:
        limit = answer.threshold if fixed is None else fixed
        return None if answer.p is None or limit is None else answer.p >= limit

    return _counted(answers, decide)


def at_budget(answers: Sequence[Answer], question: Question) -> DecisionCounts | None:
    """Count the decisions of the operating point that TUNE of the query's fold gives for the budget in the id."""

    def decide(answer: Answer) -> bool | None:
        point = question.chosen.get(answer.fold)
        return None if point is None else answer.p is not None and point.accepts(answer.p)

    return _counted(answers, decide)


def pairs_and_budget(answers: Sequence[Answer], question: Question) -> tuple[Pairs, DecisionCounts] | None:
    """Return (p, y) of each query, and the decisions under the budget."""
    counts = at_budget(answers, question)
    return None if counts is None else (pairs(answers, question), counts)


def at_decision(answers: Sequence[Answer], question: Question) -> DecisionCounts | None:
    """Count the decisions on labels."""
    return _counted(answers, question.reading.decide["multilabel_decider"])


def anything_returned(answers: Sequence[Answer], question: Question) -> DecisionCounts | None:
    """Count the queries for which at least one candidate is returned."""

    def decide(answer: Answer) -> bool | None:
        found = question.reading.returned[answer.query]
        return None if found is None else found.size >= 1

    return _counted(answers, decide)


@cache
def in_states(*states: str) -> Callable[[Sequence[Answer], Question], DecisionCounts | None]:
    """Return what counts the queries in some of the three states as called positive."""
    return lambda answers, _: _counted(answers, lambda answer: answer.state in states)


def each_label(answers: Sequence[Answer], question: Question) -> list[DecisionCounts] | None:
    """Count the decisions on labels, label by label."""
    return _grouped(answers, question, lambda answer: answer.label)


def each_cluster(answers: Sequence[Answer], question: Question) -> list[DecisionCounts] | None:
    """Count the decisions on labels, cluster by cluster."""
    return _grouped(answers, question, lambda answer: answer.cluster)


def _grouped(
    answers: Sequence[Answer], question: Question, group: Callable[[Answer], Hashable]
) -> list[DecisionCounts] | None:
    groups: dict[Hashable, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(group(answer), []).append(answer)
    counts = [at_decision(members, question) for members in groups.values()]
    known = [one for one in counts if one is not None]
    return known if len(known) == len(counts) else None


def all_returned(answers: Sequence[Answer], question: Question) -> list[Returned] | None:
    """Return what is returned for each query."""
    found = [question.reading.returned[answer.query] for answer in answers]
    known = [one for one in found if one is not None]
    return known if len(known) == len(found) else None


def all_passed(answers: Sequence[Answer], question: Question) -> list[Returned] | None:
    """Return what is returned for each query that passes."""
    found = all_returned(answers, question)
    return None if found is None else [one for one in found if one.passed]


def sizes(answers: Sequence[Answer], question: Question) -> list[int] | None:
    """Return the size of what is returned for each query."""
    found = all_returned(answers, question)
    return None if found is None else [one.size for one in found]


# How a metric comes from its formula


@dataclass(frozen=True, slots=True)
class OfRows:
    """A metric that is a formula of some rows together."""

    formula: Formula
    read: Callable[[Sequence[Answer], Question], Any]
    """Answers to what the formula takes; None where that is unknown."""

    def value(self, answers: Sequence[Answer], question: Question, population: str) -> Number | None:
        """Return the value on some answers."""
        read = weighed(self.read, answers, question)
        if read is None:
            return None
        taken, weights = read
        found = question.told(taken) if weights is None else question.told_weighted(taken, weights)
        return question.fallback if found is None else found


@dataclass(frozen=True, slots=True)
class MeanOfQueries:
    """A metric that is a mean over queries of a formula of one query."""

    formula: Formula
    read: Callable[[Answer, Question], Any]
    """An answer to what the formula takes; None where that is unknown, and the mean with it."""
    counts: Callable[[Any], bool] | None = None
    """Which of the values that were read enter the mean; None = all."""
    by_ranking_policy: bool = False
    """True where the contract says what queries with nothing relevant, or nothing ranked, count."""

    def value(self, answers: Sequence[Answer], question: Question, population: str) -> Number | None:
        """Return the mean over some answers."""
        found = [self.read(answer, question) for answer in answers]
        if any(taken is None for taken in found):
            return None
        entering = self._entering(question, population)
        values = [
            (entering(answer, taken), answer.weight)
            for answer, taken in zip(answers, found, strict=True)
            if self.counts is None or self.counts(taken)
        ]
        weighed = [(value, weight) for value, weight in values if weight is not None]
        return weighted_mean(weighed) if weighed else mean(value for value, _ in values)

    def of_query(self, answer: Answer, question: Question) -> Number | None:
        """Return the query's own value, whatever a policy puts in its place when it is averaged."""
        if answer.query not in question.of_queries:
            taken = self.read(answer, question)
            question.of_queries[answer.query] = None if taken is None else question.told(taken)
        return question.of_queries[answer.query]

    def _entering(self, question: Question, population: str) -> Callable[[Answer, Any], Number | None]:
        """Return what gives the value that enters the mean for an answer and what was read of it."""
        if not self.by_ranking_policy:
            return lambda answer, taken: self.of_query(answer, question)
        excludes = choice({"exclude": True, "zero": False}, question.contract.text("missing_query"))
        key = "empty_gold" if population == "positives_only" else "empty_gold_all_queries"
        policy, relevant = question.contract.text(key), question.reading.relevant

        def entering(answer: Answer, ranking: Ranking) -> Number | None:
            if excludes and not ranking.ranked:
                return None
            if answer.query not in relevant:
                policies = {"exclude": None, "zero": Fraction(0), "credit_if_empty": Fraction(not ranking.ranked)}
                return choice(policies, policy)
            return self.of_query(answer, question)

        return entering


@dataclass(frozen=True, slots=True)
class MeanOfLabels:
    """A metric that is the mean over labels of another's values."""

    of: MeanOfQueries

    @property
    def formula(self) -> Formula:
        """Return the formula of one query."""
        return self.of.formula

    def value(self, answers: Sequence[Answer], question: Question, population: str) -> Number | None:
        """Return the unweighted mean of the labels' values, of those that have answers and a value."""
        by_label: dict[int | None, list[Answer]] = {}
        for answer in answers:
            by_label.setdefault(answer.label, []).append(answer)
        return mean(self.of.value(members, question, population) for members in by_label.values())


Recompute: TypeAlias = OfRows | MeanOfQueries | MeanOfLabels


def over_rankings(formula: Formula) -> MeanOfQueries:
    """Return the mean over queries of a formula of a ranking, under the contract's policies for empty ones."""
    return MeanOfQueries(formula, _ranking, by_ranking_policy=True)


def over_all_rankings(formula: Formula) -> MeanOfQueries:
    """Return the mean over queries of a formula of a ranking, without any policy."""
    return MeanOfQueries(formula, _ranking)


def over_pairs(formula: Formula) -> MeanOfQueries:
    """Return the mean over queries of a formula of (p, y)."""
    return MeanOfQueries(formula, lambda answer, _: None if answer.p is None else (answer.p, answer.y))


def over_returned(formula: Formula, counts: Callable[[Returned], bool] | None = None) -> MeanOfQueries:
    """Return the mean over queries, or over those that count, of a formula of what is returned."""
    return MeanOfQueries(formula, lambda answer, question: question.reading.returned[answer.query], counts)


def _ranking(answer: Answer, question: Question) -> Ranking | None:
    return answer.ranking


def passed(one: Returned) -> bool:
    """Return True if the query passes."""
    return one.passed


def positive(one: Returned) -> bool:
    """Return True if the query is positive."""
    return one.y == 1


def where(recompute: Recompute) -> str:
    """Return where a formula stands: ``reportgen.reference.ranking.ndcg``."""
    formula = recompute.formula.func if isinstance(recompute.formula, partial) else recompute.formula
    return f"{formula.__module__}.{formula.__qualname__}"

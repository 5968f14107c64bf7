"""What a column is: by the names that readers know, then by words in its name together with its content.

A belief of the second kind needs both: a column called ``patient`` is a cluster only if its values repeat. A name
that readers know is not believed against the content: a ``label`` of 0 and 1 is the truth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from reportgen.domain.contract import SuppliedMetric
from reportgen.domain.metric_id import MetricId
from reportgen.inputs.classes import class_columns
from reportgen.inputs.contents import MOST_LABELS, PROBABLE, TRUTH, Content, add_up, content_of, words_of
from reportgen.inputs.declaration import Declaration
from reportgen.inputs.layout import FileRef
from reportgen.inputs.named import NamedTable, metric_columns, name_columns
from reportgen.inputs.names import (
    CANONICAL,
    CLUSTER_IS_QUERY,
    DECISIONS,
    PAIRS,
    ROLE_FIELDS,
    SUPPLIED,
    WEIGHTS,
    FileRole,
)
from reportgen.inputs.repeats import has_repeats, without_repeats
from reportgen.inputs.table import InputTable, listed
from reportgen.metrics.registry import known

METRIC = "metric"
"""Said of columns of values that were computed elsewhere; each is a metric of its own."""
ONLY_BINARY = "the only column that holds 0 and 1 only"
_LOWER = frozenset(
    ["latency", "time", "duration", "seconds", "ms", "cost", "price", "error", "loss", "rmse", "mae", "mse", "wer",
     "cer", "ter", "perplexity", "ppl", "tokens", "distance"]
)  # fmt: skip
"""Words in the names of metrics of which less is better."""
Given = Mapping[str, tuple[str, ...]]
"""Canonical name to the file's own columns, as somebody says it."""

_PREDICTED = frozenset(["pred", "predicted", "prediction", "predictions", "yhat", "decision", "hat"])
_TRAINING = frozenset(["train", "training"])
_PARTS = _TRAINING | frozenset(
    ["test", "testing", "dev", "val", "valid", "validation", "eval", "evaluation", "tune", "tuning", "holdout"]
)
_SURE = frozenset(TRUTH.split()[:6])
"""Words that say truth, and nothing else."""
_DESCRIBING = (FileRole.PER_QUERY, FileRole.QUERIES, FileRole.PREDICTIONS)
_MOST_FOLDS, _MOST_SYSTEMS = 100, 100
_KNOWN = "known by its name"
_NOTHING: Given = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Belief:
    """What a column, or columns together, are taken for, and why."""

    name: str
    """Canonical."""
    own: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class RecognisedColumns:
    """What is believed of the columns of one table."""

    named: NamedTable
    beliefs: tuple[Belief, ...]
    contents: Mapping[str, Content]
    given: Given
    """What was said of the columns."""
    why: str
    """Why that is believed."""
    systems: tuple[str, ...] = ()
    """Columns that each hold the probabilities of one system, where several do and nothing else names the systems."""
    classes: tuple[str, ...] = ()
    """The classes that the truth names, where it is not 0 and 1."""
    truths: tuple[str, ...] = ()
    """The columns of 0 and 1 that could each be the truth, where none is called so."""
    halves: tuple[str, ...] = ()
    """Two columns that add up to 1, of which nothing says which is the probability of the positive class."""
    measured: tuple[str, ...] = ()
    """Columns, or beginnings of one column per system, that are said to hold values computed elsewhere."""
    ignored: tuple[str, ...] = ()
    """Columns that are said to be nothing that is used."""

    def has(self, name: str) -> bool:
        """Tell whether some column is taken for this."""
        return any(belief.name == name for belief in self.beliefs) or name in self.named or name in self.named.wide

    @property
    def queries(self) -> frozenset[str]:
        """The queries of the rows; none where no column is taken for the query."""
        own = next((belief.own for belief in self.beliefs if belief.name == "query"), ())
        return frozenset(replace(self.named, key=own).query_texts().unique().to_pylist()) if own else frozenset()

    @property
    def states_truth(self) -> bool:
        """Tell whether a row holds the truth of its query."""
        named = self.named.names.get("y_class")
        of_numbers = named is not None and self.contents[named].binary
        return bool(self.classes) or of_numbers or self.has("y_true") or self.has("gold")

    @property
    def labels_in_columns(self) -> tuple[str, ...]:
        """The columns of 0 and 1 that each have a column of probabilities beside them: labels, ``y_A``, ``p_A``."""
        ends = {words_of(own)[-1:] for own in self.systems}
        found = tuple(own for own in self.truths if words_of(own)[-1:] in ends)
        return found if len(found) > 1 else ()

    @property
    def predicts(self) -> bool:
        """Tell whether a row holds what a system gave."""
        return bool(self.systems or self.halves or self.measured) or any(
            map(self.has, ("y_prob", "y_prob_raw", "ranking", "state", *SUPPLIED))
        )

    @property
    def predicts_classes(self) -> bool:
        """Tell whether a row can say which class a system gave: of two, only a probability or a decision does."""
        return len(self.classes) > 2 or bool(class_columns(self.named, self.classes, Declaration()))

    @property
    def parts(self) -> tuple[str, tuple[str, ...]] | None:
        """The column that says of which part of the data a row is, and the parts, where rows of several are there."""
        for own, content in self.contents.items():
            named = {text for text in content.texts if text.strip().lower() in _PARTS}
            training = any(text.strip().lower() in _TRAINING for text in named)
            if content.distinct > 1 and (len(named) > 1 or training):
                return own, tuple(sorted(named))
        return None


@dataclass(frozen=True, slots=True)
class _ContentRule:
    """How a column is known by a word in its name and by what it holds."""

    hints: str
    """Words; of several columns, the one with the first of them."""
    fits: Callable[[Content, int], bool]
    """Whether the content is right, in a table that holds each query so many times."""
    said: str


_RULES: Mapping[str, _ContentRule] = MappingProxyType(
    {
        "gold": _ContentRule("gold relevant positives", lambda found, _: found.lists, "holds lists"),
        "ranking": _ContentRule(
            "ranking ranked retrieved results top docs", lambda found, _: found.lists, "holds lists"
        ),
        "y_true": _ContentRule(TRUTH, lambda found, _: found.binary, "holds 0 and 1 only"),
        "y_class": _ContentRule(
            TRUTH, lambda found, _: len(found.classes) == 2 and not found.number, "names two classes"
        ),
        "fold": _ContentRule(
            "fold split cv resample partition",
            lambda found, _: found.repeats and found.distinct <= _MOST_FOLDS,
            "has few values, which repeat",
        ),
        "system": _ContentRule(
            "system model method classifier approach algorithm",
            lambda found, _: found.repeats and found.distinct <= _MOST_SYSTEMS,
            "has few values, which repeat",
        ),
        "label": _ContentRule(
            "label criterion criteria class category aspect symptom task",
            lambda found, _: found.repeats and not found.binary and not found.share and found.distinct <= MOST_LABELS,
            "has few values, which repeat",
        ),
        "cluster": _ContentRule(
            "patient subject subj user author post page document doc group article thread speaker site hospital "
            "session note report case participant cluster",
            lambda found, times: found.distinct * times < found.rows and found.repeats and not found.share,
            "has values that repeat",
        ),
        "query": _ContentRule(
            "id qid uid query question item example sample instance key image file name path index idx row",
            lambda found, times: found.distinct * times == found.rows and not found.share,
            "is different in each row",
        ),
    }
)
"""Canonical name to how it is known; in order of trial."""


def believed(
    table: InputTable, ref: FileRef, given: Given = _NOTHING, *, why: str = "as was said"
) -> RecognisedColumns:
    """Return what the columns of one file are.

    ``given`` is believed whatever they hold, and ``why`` says the reason.
    """
    values = {own: metric_columns(own, tuple(table.columns)) for own in given.get(METRIC, ())}
    measured = tuple(own for own, columns in values.items() if columns)
    of_metrics = tuple(column for columns in values.values() for column in columns)
    every, given = given, {name: own for name, own in given.items() if name != METRIC}
    ignored = (*given.get("ignore", ()), *of_metrics)
    contents = {own: content_of(table, own) for own in table.columns if own not in ignored}
    independent = given.get("cluster") == (CLUSTER_IS_QUERY,)
    said = {name: own for name, own in given.items() if all(column in table.columns for column in own)}
    if groups := tuple(own for own in given.get("subgroup", ()) if own in table.columns):
        said["subgroup"] = groups  # the others are in another file
    said |= {"cluster": given["cluster"]} if independent else {}
    said |= {"ignore": tuple(own for own in ignored if own in table.columns)}
    # Such columns are nothing else, whatever their names.
    named = name_columns(table, ref, Declaration(columns=said))
    reasons = dict.fromkeys(said, why)
    compared = (_one_row_per_value, _predicted, _misnamed) if ref.role in _DESCRIBING else ()
    for compare in (*compared, _classified) if ref.role is FileRole.PER_QUERY else compared:
        found = compare(named, contents)
        # What somebody has said is not doubted.
        if found is not None and not any(own in columns for columns in said.values() for own in found.own):
            said[found.name] = found.own
            reasons[found.name] = found.why
            named = name_columns(table, ref, Declaration(columns=said))
    if "repeat" not in said and not has_repeats(named):
        named = without_repeats(named)
    beliefs = [Belief(name, (own,), reasons.get(name, _KNOWN)) for name, own in named.names.items()]
    if named.key:
        together = reasons.get("query", _KNOWN if len(named.key) == 1 else "cluster and label together")
        beliefs.insert(0, Belief("query", named.key, together))
    if independent:
        beliefs.insert(1, Belief("cluster", given["cluster"], reasons["cluster"]))
    if named.subgroups:
        beliefs.append(Belief("subgroup", tuple(named.subgroups), reasons["subgroup"]))
    truths = _by_rules(named, beliefs, contents, ref.role)
    classes = _classes(beliefs, contents)
    systems, halves = _probabilities(named, beliefs, contents, classes, ref.role)
    left_out = tuple(own for own in said["ignore"] if own not in of_metrics)
    return RecognisedColumns(
        named, tuple(beliefs), MappingProxyType(contents), every, why, systems, classes, truths, halves, measured,
        left_out,
    )  # fmt: skip


def _one_row_per_value(named: NamedTable, contents: Mapping[str, Content]) -> Belief | None:
    """Return the query in a column that is known as a cluster, such as doc_id, and is different in each row."""
    own = named.names.get("cluster")
    lone = own is not None and not named.key and contents[own].distinct == contents[own].rows > 1
    return Belief("query", (own,), "is different in each row") if own is not None and lone else None


def _predicted(named: NamedTable, contents: Mapping[str, Content]) -> Belief | None:
    """Return the predicted class in a column called ``label``, beside a column of the same classes whose name says
    truth.
    """
    own = named.names.get("label")
    if own is None or "predicted_class" in named:
        return None
    content = contents[own]
    for other, found in contents.items():
        sure = other in (named.names.get("y_true"), named.names.get("y_class")) or _SURE & set(words_of(other))
        if other != own and sure and 1 < found.distinct <= MOST_LABELS and content.texts <= found.texts:
            return Belief("predicted_class", (own,), f"names the classes of '{other}', which is called the truth")
    return None


def metric_in(own: str) -> SuppliedMetric:
    """Return the metric that a column of values computed elsewhere is, with the direction that its name says."""
    name = re.sub(r"[^a-z0-9]+", "_", own.lower()).strip("_")
    name = name if name[:1].isalpha() else f"metric_{name}".rstrip("_")
    taken = name in CANONICAL or known(MetricId(name)) is not None
    words = set(words_of(own))
    lower = bool(_LOWER & words) and "neg" not in words  # scikit-learn negates what is better when it is less
    return SuppliedMetric(
        f"{name}_supplied" if taken else name, title=own, direction="lower" if lower else "higher", column=own
    )


def _misnamed(named: NamedTable, contents: Mapping[str, Content]) -> Belief | None:
    """Return the truth in a column that is known by a name of something else: ``label`` or ``gold``, if it holds a
    truth.
    """
    if "y_true" in named or "y_class" in named or "relevance" in named:
        return None
    for name in ("label", "gold"):
        own = named.names.get(name)
        if own is None or contents[own].lists:
            continue
        if contents[own].binary:
            return Belief("y_true", (own,), "holds 0 and 1 only")
        classes = contents[own].classes
        # Two names, or classes that are predicted: ids of documents are neither.
        if len(classes) == 2 or _are_predicted(classes, named, contents):
            return Belief("y_class", (own,), f"names {len(classes)} classes")
    return None


def _are_predicted(classes: Sequence[str], named: NamedTable, contents: Mapping[str, Content]) -> bool:
    """Tell whether each class has a column of probabilities, or a column of predictions names only such classes."""
    if classes and set(class_columns(named, classes, Declaration())) == set(classes):
        return True
    predicted = (found.texts for own, found in contents.items() if own.lower() in DECISIONS)
    return any(texts and texts <= set(classes) for texts in predicted)


def _classified(named: NamedTable, contents: Mapping[str, Content]) -> Belief | None:
    """Return the truth in a column of any name whose classes are those that are predicted.

    By its name if several are.
    """
    if any(name in named for name in ("y_true", "y_class", "gold", "relevance")):
        return None
    fitting = [
        own
        for own, found in _free(named, [], contents).items()
        if own.lower() not in DECISIONS and _are_predicted(found.classes, named, contents)
    ]
    own = fitting[0] if len(fitting) == 1 else _hinted(fitting, TRUTH.split())[0]
    return Belief("y_class", (own,), "names the classes that are predicted") if own is not None else None


def _by_rules(
    named: NamedTable, beliefs: list[Belief], contents: Mapping[str, Content], role: FileRole
) -> tuple[str, ...]:
    """Record what words and content together say; the columns that could be the truth where nothing says which is."""
    truths: tuple[str, ...] = ()
    for name, rule in _RULES.items():
        if not _wanted(name, named, beliefs, role):
            continue
        times = _times(beliefs, contents)
        free = {own: found for own, found in _free(named, beliefs, contents).items() if own.lower() not in DECISIONS}
        if name in ("y_true", "y_class"):
            free = {own: found for own, found in free.items() if not _PREDICTED & set(words_of(own))}
        fitting = [own for own, found in free.items() if rule.fits(found, times) and not _says_probability(own, found)]
        own, hint = _hinted(fitting, rule.hints.split())
        said = rule.said if times == 1 or name != "query" else "has each of its values once for each system"
        if own is not None:
            others = [f"'{one}'" for one in fitting if one != own and set(words_of(one)) & set(rule.hints.split())]
            also = f"; so might {listed(others, len(others))}" if others else ""
            beliefs.append(Belief(name, (own,), f"its name has '{hint}' in it and it {said}{also}"))
        elif name == "query" and times > 1 and fitting:
            beliefs.append(Belief(name, (fitting[0],), said))
        elif name == "y_true" and len(fitting) == 1:
            beliefs.append(Belief(name, (fitting[0],), ONLY_BINARY))
        elif name == "y_true":
            truths = tuple(fitting)
    if any(belief.name == "y_class" for belief in beliefs):
        return ()
    return truths


def _says_probability(own: str, found: Content) -> bool:
    """Tell whether a column of numbers is called a probability, so that it is not a system and no truth."""
    return found.numeric and bool((PROBABLE - {"p"}) & set(words_of(own)))


def _hinted(fitting: Iterable[str], hints: Iterable[str]) -> tuple[str | None, str]:
    """Return the column with the first of the words in its name, and the word."""
    columns = tuple(fitting)
    return next(((own, hint) for hint in hints for own in columns if hint in words_of(own)), (None, ""))


def _wanted(name: str, named: NamedTable, beliefs: list[Belief], role: FileRole) -> bool:
    """Tell whether the role has use for it, and no column is taken for it yet."""
    if name not in (*ROLE_FIELDS[role], "query") or any(b.name == name for b in beliefs) or name in named.wide:
        return False
    if name in ("y_true", "y_class"):
        judged = any(belief.name in ("y_true", "y_class", "gold", "relevance") for belief in beliefs)
        return not judged and role is not FileRole.PREDICTIONS and role in (*_DESCRIBING, FileRole.TUNE)
    # Candidates and thresholds are about queries that other files describe.
    return role in _DESCRIBING or name in ("query", "system", "fold")


def _times(beliefs: list[Belief], contents: Mapping[str, Content]) -> int:
    """Return how often each query is in the table: once for each system, seed and repeat."""
    times = 1
    for belief in beliefs:
        if belief.name in ("system", "seed", "repeat"):
            times *= max(contents[belief.own[0]].distinct, 1)
    return times


def _classes(beliefs: list[Belief], contents: Mapping[str, Content]) -> tuple[str, ...]:
    """Return the classes that the truth names; empty where it is 0 and 1, or where there is none."""
    named = (contents[belief.own[0]].classes for belief in beliefs if belief.name in ("y_true", "y_class"))
    return next((classes for classes in named if classes), ())


def _probabilities(
    named: NamedTable,
    beliefs: list[Belief],
    contents: Mapping[str, Content],
    classes: tuple[str, ...],
    role: FileRole,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Record the column of probabilities; or the columns of several systems; or two columns that add up to 1."""
    side_by_side = tuple(named.wide.get("y_prob", {}).values())
    if len(side_by_side) == 2 and not classes and add_up(*(named.table.cells(own) for own in side_by_side)):
        return (), side_by_side
    has = any(belief.name in ("y_prob", "ranking") for belief in beliefs) or named.wide
    of_classes = bool(classes) and bool(class_columns(named, classes, Declaration()))
    if has or of_classes or role not in (FileRole.PER_QUERY, FileRole.PREDICTIONS, FileRole.TUNE):
        return (), ()
    unused = _free(named, beliefs, contents)
    free = [own for own, found in unused.items() if found.share]
    if len(free) == 2 and add_up(*(named.table.cells(own) for own in free)):
        positive = next((own for _, yes in PAIRS for own in free if words_of(own)[-1:] == (yes,)), None)
        if positive is None:
            return (), tuple(free)
        beliefs.append(Belief("y_prob", (positive,), "adds up to 1 with the other column of probabilities"))
        return (), ()
    # A name that says probability is believed: what is wrong with the numbers is said when they are read.
    likely = [own for own, found in unused.items() if PROBABLE & set(words_of(own)) and (found.share or found.numeric)]
    shown = likely or free
    if len(shown) == 1 or (shown and any(belief.name == "system" for belief in beliefs)):
        share = contents[shown[0]].share
        why = "holds numbers from 0 to 1" if share else "its name says that it is a probability"
        beliefs.append(Belief("y_prob", (shown[0],), why))
        return (), ()
    return tuple(shown), ()


def _free(named: NamedTable, beliefs: list[Belief], contents: Mapping[str, Content]) -> dict[str, Content]:
    """Return the columns that are not taken for anything yet, and are not weights."""
    used = {own for columns in named.wide.values() for own in columns.values()}
    used |= {own for belief in beliefs for own in belief.own}.union(named.names.values(), named.key)
    return {own: found for own, found in contents.items() if own not in used and own.lower() not in WEIGHTS}

"""What must be asked because no file says it, and what is refused because nobody could evaluate it.

Refusals are RG712: they say what the files hold, and how to write them so that they can be read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reportgen.domain.statements import Statements
from reportgen.errors import Diagnostic, InputError, RequestError
from reportgen.inputs.classes import class_columns
from reportgen.inputs.declaration import Declaration
from reportgen.inputs.layout import FileRef
from reportgen.inputs.named import metric_columns
from reportgen.inputs.names import CANONICAL, CLUSTER_IS_QUERY, DECISIONS, PAIRS, FileRole
from reportgen.inputs.nearest import nearest
from reportgen.recognition.columns import METRIC, ONLY_BINARY, Belief, Given, believed
from reportgen.recognition.samples import are_parts
from reportgen.recognition.survey import FoundFile, Passed

_SEED = re.compile(r"(seed[-_ ]?)[0-9]+", re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]+")
_SCALE = re.compile(r"--scale (?:(\S+)=)?(\w+)")
_UNUSED = re.compile(r"--column ignore=(.+)\)\.$")
STOP = "stop"
"""A choice that answers nothing, so that what is wrong is said and the work ends."""
_OF_SCALES = ("RG130", "RG131", "RG158", "RG159")
"""Codes of numbers that look like something else; their remedy names what they can be."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """Something that no file says: the option that answers it, the question, and the answers there are."""

    option: str
    """``--use``, ``--positive-class``, ``--column`` or ``--scale``."""
    text: str
    choices: tuple[str, ...]
    others: tuple[str, ...] = ()
    """Files to look at beside the chosen one."""
    column: str = ""
    """With ``--column``, the canonical name that is asked for; with ``--scale``, the system, empty for all."""
    own: str = ""
    """The column whose use is asked for, where the answers are canonical names."""
    problems: tuple[Diagnostic, ...] = ()
    """What is wrong while it is not answered, in the words of the reader."""

    def answered(self, answer: str, said: Statements) -> Statements:
        """Return what was said before together with an answer, one of the choices."""
        if self.own:
            columns = {**said.columns, answer: (*said.columns.get(answer, ()), self.own)}
            return replace(said, columns=columns)
        match self.option:
            case "--positive-class":
                return replace(said, positive_class=answer)
            case "--scale":
                return replace(said, scales={**said.scales, self.column: answer})
            case "--column":
                return replace(said, columns={**said.columns, self.column: (answer,)})
        return replace(said, use=(answer, *self.others))


def refused(where: str, what: str, fix: str) -> RequestError:
    """Return RG712: what a folder holds, or what was said of it, cannot be evaluated."""
    return RequestError(Diagnostic("RG712", where, what, fix))


def columns_exist(folder: Path, columns: Given, found: Sequence[FoundFile]) -> None:
    """Raise RG712 for a canonical name that does not exist, or a column that no file has."""
    for name, own in columns.items():
        if name not in (*CANONICAL, METRIC):
            fix = f"Use one of {', '.join((*CANONICAL, METRIC))}."
            raise refused(f"--column {name}", "is not the name of a column that reportgen knows", fix)
        if (name, own) == ("cluster", (CLUSTER_IS_QUERY,)):
            continue
        together = [{*own}] if name == "query" else [{one} for one in own]
        metrics = name == METRIC and all(any(metric_columns(m, tuple(f.table.columns)) for f in found) for m in own)
        if not metrics and not all(any(some <= set(one.table.columns) for one in found) for some in together):
            there = dict.fromkeys(column for one in found for column in one.table.columns)
            fix = f"Correct the name ({nearest(own[0], there)})." if there else "Give a folder with a table."
            raise refused(f"--column {name}={','.join(own)}", f"no file of {folder} has that column", fix)


def nothing_in(source: Path, found: Sequence[FoundFile], passed: Sequence[Passed]) -> InputError | RequestError:
    """Return why nothing in a folder, or in a file, can be evaluated.

    Of a single table that cannot be read, what is wrong with it.
    """
    if len(passed) == 1 and (problem := passed[0].problem) is not None:
        return InputError(problem)
    if found:
        what, lacks = ("rankings", "judgements") if found[0].role is FileRole.RUN else ("judgements", "rankings")
        fix = "Put judgements (qrels.txt) and rankings into one folder, and give the folder."
        return refused(str(source), f"holds {what} without {lacks}, so nothing can be judged", fix)
    known = "; ".join(f"{one.path}: {one.why}" for one in passed[:5])
    what = "is not known as" if source.is_file() else "no file here looks like"
    return refused(
        str(source),
        f"{what} the outputs of an evaluation" + (f" ({known})" if known else ""),
        "A table with a truth and a probability or ranking per row will do, one with metrics computed elsewhere "
        "(--column metric=COLUMN), or TREC judgements and runs; the first row of a table names its columns.",
    )


def something_is_true(files: Sequence[FoundFile]) -> None:
    """Raise RG712 if no file says what is right, unless values computed elsewhere are all that is asked about."""
    tables = [one for one in files if one.columns is not None]
    if any(one.states_truth for one in files) or any(one.columns and one.columns.measured for one in files):
        return
    if any(one.role is FileRole.TUNE for one in files) or len(tables) < len(files) or which_truth(files):
        return
    two = [
        own
        for columns in (one.columns for one in tables)
        for own, found in (columns.contents.items() if columns else ())
        if found.distinct == 2 and columns and not any(own in belief.own for belief in columns.beliefs)
    ]
    column = two[0] if len(dict.fromkeys(two)) == 1 else "COLUMN"
    raise refused(
        ", ".join(one.path for one in files[:5]),
        "no column is known to hold the truth, so nothing can be judged",
        "Add a column y_true of 0 and 1 or of class names, or name its column: "
        f"--column y_true={column}.{_computed(files)}",
    )


def _computed(files: Sequence[FoundFile]) -> str:
    """Return how columns of numbers become metrics; empty where each is known as something else."""
    numbers = [
        own
        for one in files
        if one.columns
        for own, found in one.columns.contents.items()
        if found.number
        and own.lower() not in DECISIONS
        and not any(own in belief.own and not _is_guess(belief) for belief in one.columns.beliefs)
    ]
    options = " ".join(f"--column metric={own}" for own in dict.fromkeys(numbers[:5]))
    return f" Metrics computed elsewhere need no truth: {options}." if numbers else ""


def something_is_predicted(files: Sequence[FoundFile], unreadable: Sequence[Diagnostic] = ()) -> None:
    """Raise RG712, which names the columns that come close, if no file says what a system said.

    Where files could not be read, what is wrong with them is said instead: they may hold it.
    """
    if any(one.predicts for one in files) or not any(one.columns for one in files):
        return
    if unreadable:
        raise InputError(unreadable)
    near, remedy = [], ""
    for one in files:
        for own, found in (one.columns.contents if one.columns else {}).items():
            taken = one.columns is not None and any(own in belief.own for belief in one.columns.beliefs)
            of_classes = own.lower() in DECISIONS and len(found.classes) == 2
            if (found.binary or of_classes) and not taken:
                near.append(f"'{own}' holds decisions, not probabilities")
                unknown = of_classes and positive_by_name(files) is None
                asked = f" --positive-class {' or '.join(found.classes)}" if unknown else ""
                remedy = remedy or f" Decisions alone are evaluated too: --column y_prob={own} --scale decision{asked}."
            elif found.number and not found.share and found.distinct > 1 and not taken:
                near.append(f"'{own}' holds numbers that are not from 0 to 1")
                remedy = remedy or (
                    f" If '{own}' is what the system gives, say --column y_prob={own} with --scale percent, logit, "
                    "odds or score."
                )
    hint = f" ({'; '.join(near[:3])})" if near else ""
    raise refused(
        ", ".join(one.path for one in files[:5]),
        f"no column holds the probability or the ranking of a system{hint}",
        f"Write the probability of the positive class beside the truth (predict_proba).{remedy}{_computed(files)}",
    )


def refuse_parts(tables: Sequence[FoundFile]) -> None:
    """Raise RG712 for tables of one name but for its number, and of queries of their own: folds, or partitions."""
    if are_parts([one.path for one in tables]):
        what = "the files are called as the partitions of one table are, which have a folder of their own"
        fix = "Move them into a folder in this one, as in scores/part-0.parquet; it is then read as one table."
        raise refused(_first(tables), what, fix)
    if len({_NUMBER.sub("", one.path) for one in tables}) > 1:
        return
    queries = [one.columns.queries if one.columns else frozenset() for one in tables]
    if not all(queries) or any(set(one.table.columns) != set(tables[0].table.columns) for one in tables):
        return
    if len(frozenset().union(*queries)) == sum(map(len, queries)):
        raise refused(
            _first(tables),
            "the tables have the same columns and queries of their own, as the folds of one run have",
            "Put their rows into one table, with a column fold that says which each is of; or name one with --use.",
        )


def refuse_trainings(tables: Sequence[FoundFile], owners: Sequence[str]) -> None:
    """Raise RG712 for tables that are called by their seed: they are not systems to be compared."""
    if len({_SEED.sub(r"\1", owner) for owner in owners}) == 1 and _SEED.search(owners[0]):
        raise refused(
            _first(tables),
            "the tables are called by their seed, as the trainings of one system are",
            "Put their rows into one table, with a column seed that says which each is of; or name one with --use.",
        )


def _first(tables: Sequence[FoundFile]) -> str:
    more = f" and {len(tables) - 3} more" if len(tables) > 3 else ""
    return ", ".join(one.path for one in tables[:3]) + more


def _is_guess(belief: Belief) -> bool:
    """Tell whether a column of numbers is taken for a probability, or for the truth, by no more than what it holds."""
    return belief.name == "y_prob" or (belief.name == "y_true" and belief.why == ONLY_BINARY)


def which_file(files: Sequence[FoundFile], text: str) -> OpenQuestion:
    """Return which of several files of one role is meant."""
    return OpenQuestion("--use", text, tuple(one.path for one in files))


def which_table(tables: Sequence[FoundFile]) -> OpenQuestion:
    """Return which of several tables is the run; of files in a folder of their own, all together may be."""
    asked = which_file(tables, "Which table is the run? They are of different queries.")
    folder, *others = {one.path.rstrip("/").rpartition("/")[0] for one in tables}
    if others or not folder:
        return asked
    text = f"{asked.text} If they are partitions of one table, that is {folder}/."
    return replace(asked, text=text, choices=(*asked.choices, f"{folder}/"))


def which_truth(files: Sequence[FoundFile]) -> OpenQuestion | None:
    """Return several columns of 0 and 1, none of them called the truth, and no truth elsewhere."""
    if any(one.states_truth for one in files) or any(one.columns and one.columns.measured for one in files):
        return None
    for one in files:
        described = believed(one.table, FileRef(one.path, FileRole.PER_QUERY))
        if labels := described.labels_in_columns:
            raise refused(
                one.path,
                f"the columns {', '.join(labels[:5])} hold the truth of a label each",
                "Write one row per query and label, with the columns label, y_true and y_prob "
                '(pandas: wide_to_long(frame, ["y", "p"], i="id", j="label", sep="_", suffix=".+")).',
            )
        if len(described.truths) > 1:
            return OpenQuestion("--column", "Which column holds the truth?", described.truths, column="y_true")
    return None


def which_half(files: Sequence[FoundFile]) -> OpenQuestion | None:
    """Return two columns of probabilities that add up to 1, and no name says which is of the positive class."""
    halves = next((one.columns.halves for one in files if one.columns and one.columns.halves), ())
    text = "Which column is the probability of the positive class? The two add up to 1."
    return OpenQuestion("--column", text, halves, column="y_prob") if halves else None


def which_use(problems: Sequence[Diagnostic], *, parted: bool) -> OpenQuestion | None:
    """Return what a column is that looks like something else than it is read as, where this is all that is wrong:
    weights or nothing that is used, or what the numbers of a system are.

    ``parted``: the rows are some of all, which need not fit together, so that other problems say nothing.
    """
    asked = [(question, problem) for problem in problems if (question := _about(problem)) is not None]
    if not asked or (len(asked) < len(problems) and not parted):
        return None
    return replace(asked[0][0], problems=tuple(problem for _, problem in asked))


def _about(problem: Diagnostic) -> OpenQuestion | None:
    """Return the question that a problem of reading is, if it is one."""
    about = f"{problem.where}: {problem.message}."
    if problem.code == "RG160" and (unused := _UNUSED.search(problem.fix)):
        text = f"{about} Is it the weight of each row, or is it to be ignored?"
        return OpenQuestion("--column", text, ("weight", "ignore", STOP), own=unused[1])
    if problem.code in _OF_SCALES and (scales := _SCALE.findall(problem.fix)):
        choices = tuple(dict.fromkeys(scale for _, scale in scales))
        return OpenQuestion("--scale", f"{about} What are the numbers?", choices, column=scales[0][0])
    return None


def _two_classes(files: Sequence[FoundFile]) -> tuple[str, ...]:
    """Return the two classes of the truth where their probabilities do not say which is positive; else none."""
    for one in files:
        if one.columns is None or len(one.columns.classes) != 2:
            continue
        if len(class_columns(one.columns.named, one.columns.classes, Declaration())) != 1:
            return one.columns.classes
    return ()


def positive_by_name(files: Sequence[FoundFile]) -> str | None:
    """Return, of two classes called 'yes' and 'no' or alike, the one that says that it is positive."""
    classes = {name.lower(): name for name in _two_classes(files)}
    return next((classes[yes] for no, yes in PAIRS if set(classes) == {no, yes}), None)


def which_class(files: Sequence[FoundFile]) -> OpenQuestion | None:
    """Ask which of two classes is positive, where each has a column or one column has no name."""
    classes = _two_classes(files)
    text = "Which class is positive? Every threshold depends on it."
    return OpenQuestion("--positive-class", text, classes) if classes else None

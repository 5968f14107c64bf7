"""No key of run.toml is accepted and ignored: each changes the numbers, or what the report shows.

The keys are those that the reader asks for, so that a new one without a case here fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

import reportgen as rg
from reportgen.bundle.theme_choice import choose_theme
from reportgen.domain.figure_options import figure_options
from reportgen.domain.record import Results
from reportgen.domain.table_options import table_options
from reportgen.errors import InputError, ProblemList, RequestError
from reportgen.formats import Made, formats, present
from reportgen.inputs import declaration

Columns = Mapping[str, tuple[object, ...]]

RUN: Columns = {
    "query": tuple(f"q{n}" for n in range(8)),
    "cluster": tuple(f"c{n // 2}" for n in range(8)),
    "label": ("A", "B") * 4,
    "fold": ("f1",) * 4 + ("f2",) * 4,
    "y_true": (1, 0, 0, 1, 1, 0, 0, 1),
    "y_prob": (0.9, 0.2, 0.4, 0.6, 0.7, 0.3, 0.5, 0.8),
}
RANKED: Columns = {
    **RUN,
    "gold": ("d1", "", "", "d2", "d1", "", "", "d2"),
    "ranking": ("d1|d2",) * 8,
}
TRUTH = {name: cells for name, cells in RUN.items() if name != "y_prob"}
PREDICTED: Columns = {"query": RUN["query"], "y_prob": RUN["y_prob"]}
OTHER = (0.1, 0.3, 0.2, 0.9, 0.6, 0.4, 0.8, 0.7)
TWO: Columns = {name: cells * 2 for name, cells in RUN.items()} | {
    "system": ("a",) * 8 + ("b",) * 8,
    "y_prob": RUN["y_prob"] + OTHER,
}
# More systems than a report shows; the last is the worst, and every other orders the queries as the truth does.
MANY: Columns = {name: cells for name, cells in RUN.items() if name != "y_prob"} | {
    f"y_prob_s{n:02d}": tuple(0.9 - n / 100 if (y == 1) == (n < 40) else 0.1 for y in RUN["y_true"]) for n in range(41)
}
THREE: Columns = {name: cells * 3 for name, cells in RUN.items()} | {
    "system": ("a",) * 8 + ("b",) * 8 + ("c",) * 8,
    "y_prob": RUN["y_prob"] + OTHER + RUN["y_prob"][::-1],
}
REPEATED: Columns = {name: cells * 2 for name, cells in RUN.items()} | {
    "fold": RUN["fold"] + ("f2", "f1") * 4,
    "cluster": RUN["query"] * 2,
    "y_prob": RUN["y_prob"] + OTHER,
    "repeat": (1,) * 8 + (2,) * 8,
}
WIDE: Columns = {**RUN, "y_prob_b": OTHER}
TUNE: Columns = {
    "query": RUN["query"],
    "model_fold": ("f2",) * 4 + ("f1",) * 4,
    "y_true": RUN["y_true"],
    "y_prob": OTHER,
}
CANDIDATES: Columns = {
    "query": tuple(f"q{n // 2}" for n in range(16)),
    "doc_id": ("d1", "d2") * 8,
    "relevance": (1, 0, 0, 0, 0, 0, 0, 1) * 2,
    "score": (0.5, 0.5) * 8,
    "position": (1, 0) * 8,
}
THRESHOLDS: Columns = {"fold": ("f1", "f2"), "tau_a": (0.35, 0.45)}
JUDGEMENTS = "".join(f"q{n} 0 d1 1\n" for n in range(8))
RANKING = "".join(f"q{n} Q0 d{1 + n % 2} 1 0.5 t\nq{n} Q0 d{2 - n % 2} 2 0.4 t\n" for n in range(8))
STATES = ("POS", "NEG", "NEG", "POS", "UNCERTAIN", "NEG", "NEG", "POS")
LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 2"><rect width="3" height="2"/></svg>'
RECALLED = (0.5, "", "", 1, 1, "", "", 0.5)


@dataclass(frozen=True)
class Case:
    """A folder, and lines of run.toml with and without which its outcome differs."""

    lines: str
    """What the key is in; where it is in a table, the table's head is among the lines."""
    files: Mapping[str, Columns | str] = field(default_factory=lambda: {"per_query.csv": RUN})
    without: str = ""
    """What is in place of the lines."""
    head: str = ""
    """Lines before, in both."""
    in_report: bool = False
    """The key changes no number, but what is shown."""


def renamed(columns: Columns, name: str, own: str = "own") -> Columns:
    return {own if key == name else key: cells for key, cells in columns.items()}


def column(name: str, columns: Columns = RUN, head: str = "", more: Mapping[str, Columns | str] | None = None) -> Case:
    """The column is called so that nothing but run.toml says what it is."""
    files = {"per_query.csv": renamed(columns, name), **(more or {})}
    return Case(f'[columns]\n{name} = "own"\n', files, head=head)


def of_candidates(name: str, columns: Columns = CANDIDATES) -> Case:
    files = {"per_query.csv": RUN, "candidates.csv": renamed(columns, name)}
    return Case(f'[columns]\n{name} = "own"\n', files)


def of_system(name: str, columns: Columns = RUN, head: str = "") -> Case:
    """A column of the shared file that speaks of one system alone."""
    files = {"per_query.csv": renamed(columns, name)}
    return Case(f'[[systems]]\nid = "a"\n{name} = "own"\n', files, without='[[systems]]\nid = "a"\n', head=head)


def file(role: str, own: str = "own.csv", head: str = "", **others: str) -> Callable[..., Case]:
    """A file whose name says nothing, under ``[files]`` beside the others."""
    rest = "[files]\n" + "".join(f'{key} = "{name}"\n' for key, name in others.items())
    return lambda **files: Case(
        f'{rest}{role} = "{own}"\n',
        {name.replace("__", "."): content for name, content in files.items()},
        without=rest if others else "",
        head=head,
    )


def system_file(role: str, own: Columns | str, shared: Columns = RUN, name: str = "own.csv") -> Case:
    """A file that speaks of one system alone."""
    bare = '[files]\nper_query = "per_query.csv"\n[[systems]]\nid = "a"\n'
    return Case(f'{bare}{role} = "{name}"\n', {"per_query.csv": shared, name: own}, without=bare)


def compared(line: str, columns: Columns = THREE) -> Case:
    return Case(f"[comparisons]\n{line}\n", {"per_query.csv": columns})


def shown(lines: str, columns: Columns = RUN, head: str = "") -> Case:
    return Case(lines, {"per_query.csv": columns}, head=head, in_report=True)


MEASURED = (0.5, 0.25, 1, 0, 0.75, 0.5, 0.5, 1)


def measured(line: str) -> Case:
    """A line about a metric whose values the run brings along."""
    before = "[metrics.words]\n"
    return Case(f"{before}{line}\n", {"per_query.csv": {**RUN, "words": MEASURED}}, without=before)


THRESHOLD_BEFORE = {**RUN, "tau_a": (0.35,) * 8, "tau_b": (0.65,) * 8}
CASES: Mapping[str, Case] = {
    "title": shown('title = "Own title"\n'),
    "dataset": shown('dataset = "own data"\n'),
    "date": shown('date = "2026-01-31"\n'),
    "description": shown('description = "Own words."\n'),
    "synthetic": shown("synthetic = true\n"),
    "authors": shown('authors = ["Own Name"]\n'),
    "venue": shown('venue = "acl"\n'),
    "split": Case('split = "5-fold"\n'),
    "contract": Case('contract = "audit"\n'),
    "decision": Case('decision = "tau_b"\n', {"per_query.csv": THRESHOLD_BEFORE}),
    "positive_class": Case(
        'positive_class = "spam"\n', {"per_query.csv": {**RUN, "y_true": ("spam", "ham", "ham", "spam") * 2}}
    ),
    "calibrator_fit_on": Case('calibrator_fit_on = "eval"\n'),
    "metrics.*.title": measured('title = "Words"'),
    "metrics.*.unit": measured('unit = "points"'),
    "metrics.*.direction": measured('direction = "lower"'),
    "metrics.*.range": measured("range = [0, 1]"),
    "metrics.*.decimals": measured("decimals = 1"),
    "metrics.*.average": Case(
        '[metrics.words]\naverage = "label"\n',
        {"per_query.csv": {**RUN, "words": MEASURED}},
        without="[metrics.words]\n",
    ),
    "metrics.*.column": Case('[metrics.words]\ncolumn = "own"\n', {"per_query.csv": {**RUN, "own": MEASURED}}),
    "scale": Case('scale = "percent"\n'),
    "columns.subgroup": Case('[columns]\nsubgroup = "label"\n'),
    "subgroups.*.title": Case(
        '[columns]\nsubgroup = "label"\n[subgroups.label]\ntitle = "own"\n', without='[columns]\nsubgroup = "label"\n'
    ),
    "subgroups.*.reference": Case(
        '[columns]\nsubgroup = "label"\n[subgroups.label]\nreference = "B"\n',
        without='[columns]\nsubgroup = "label"\n',
    ),
    "columns.ignore": Case('[columns]\nignore = "weight"\n', {"per_query.csv": {**RUN, "weight": (1, 2) * 4}}),
    "systems.*.scale": Case('[[systems]]\nid = "system"\nscale = "odds"\n'),
    "states_from": Case('states_from = "own words"\n', {"per_query.csv": {**RUN, "state": STATES}}),
    "units.query": shown('[units]\nquery = "question"\n'),
    "units.cluster": shown('[units]\ncluster = "post"\n'),
    "units.label": shown('[units]\nlabel = "aspect"\n'),
    "units.candidate": shown('[units]\ncandidate = "sentence"\n', RANKED),
    "columns.query": Case(
        '[columns]\nquery = "own"\n',
        {"queries.csv": renamed(TRUTH, "query"), "predictions.csv": renamed(PREDICTED, "query")},
    ),
    "columns.cluster": column("cluster"),
    "columns.weight": column("weight", {**RUN, "weight": (1, 2, 3, 4, 1, 2, 3, 4)}),
    "columns.label": column("label"),
    "columns.fold": column("fold"),
    "columns.y_true": column("y_true"),
    "columns.y_class": column(
        "y_class",
        {**PREDICTED, "cluster": RUN["cluster"], "y_class": ("yes", "no", "no", "yes") * 2},
        head='positive_class = "yes"\n',
    ),
    "columns.predicted_class": column(
        "predicted_class",
        {
            "query": RUN["query"],
            "y_class": ("yes", "no", "maybe", "yes") * 2,
            "predicted_class": ("yes", "no", "maybe", "no") * 2,
        },
    ),
    "columns.y_prob": column("y_prob", {**RUN, "second": RUN["y_prob"][::-1]}),
    "columns.y_prob_raw": column("y_prob_raw", {**RUN, "y_prob_raw": OTHER}),
    "columns.state": column("state", {**RUN, "state": STATES}, head='states_from = "own words"\n'),
    "columns.selected_k": column("selected_k", {**RANKED, "selected_k": (1, 0, 2, 1, 2, 0, 1, 2)}),
    "columns.n_candidates": column("n_candidates", {**RANKED, "selected_k": (2,) * 8, "n_candidates": (1,) * 8}),
    "columns.n_gold": column("n_gold", {**RANKED, "n_gold": (2,) * 8}),
    "columns.gold": column("gold", RANKED),
    "columns.ranking": column("ranking", RANKED),
    "columns.mrr": column("mrr", {**RUN, "mrr": RECALLED}),
    "columns.evidence_recall": column("evidence_recall", {**RUN, "evidence_recall": RECALLED}),
    "columns.evidence_precision": column("evidence_precision", {**RUN, "evidence_precision": RECALLED}),
    "columns.system": column("system", TWO),
    "columns.seed": column("seed", {**renamed(TWO, "system", "seed"), "system": ("a",) * 16}),
    "columns.repeat": column("repeat", REPEATED),
    "columns.model_fold": Case(
        '[columns]\nmodel_fold = "own"\n', {"per_query.csv": RUN, "tune.csv": renamed(TUNE, "model_fold")}
    ),
    "columns.doc_id": of_candidates("doc_id"),
    "columns.relevance": of_candidates("relevance"),
    "columns.score": of_candidates("score"),
    "columns.position": of_candidates("position"),
    "columns.rank": of_candidates("rank", {**renamed(CANDIDATES, "score", "rank"), "rank": (1, 2, 2, 1) * 4}),
    "files.per_query": file("per_query")(own__csv=RUN, another__csv=RUN),
    "files.queries": file("queries", predictions="p.csv")(own__csv=TRUTH, p__csv=PREDICTED),
    "files.predictions": file("predictions", queries="q.csv")(own__csv=PREDICTED, q__csv=TRUTH),
    "files.tune": file("tune", per_query="r.csv")(own__csv=TUNE, r__csv=RUN),
    "files.thresholds": file("thresholds", per_query="r.csv")(own__csv=THRESHOLDS, r__csv=RUN),
    "files.candidates": file("candidates", per_query="r.csv")(own__csv=CANDIDATES, r__csv=RUN),
    "files.qrels": file("qrels", "own.txt", run="r.run")(own__txt=JUDGEMENTS, r__run=RANKING),
    "files.run": file("run", "own.txt", qrels="j.qrels")(own__txt=RANKING, j__qrels=JUDGEMENTS),
    "systems.*.id": Case('[[systems]]\nid = "b"\n[[systems]]\nid = "a"\n', {"per_query.csv": TWO}),
    "systems.*.label": Case('[[systems]]\nid = "system"\nlabel = "Own label"\n', in_report=True),
    "systems.*.step": Case(
        '[[systems]]\nid = "a"\nstep = 2\n[[systems]]\nid = "b"\nstep = 1\n',
        {"per_query.csv": TWO},
        without='[[systems]]\nid = "a"\n[[systems]]\nid = "b"\n',
    ),
    "systems.*.params": Case(
        '[[systems]]\nid = "a"\nparams = { own = 1 }\n[[systems]]\nid = "b"\nparams = { own = 2 }\n',
        {
            "per_query.csv": {
                **TWO,
                "gold": RANKED["gold"] * 2,
                "ranking": RANKED["ranking"] * 2,
                "selected_k": (1, 0, 2, 1, 2, 0, 1, 2) * 2,
            }
        },
        without='[[systems]]\nid = "a"\n[[systems]]\nid = "b"\n',
        in_report=True,
    ),
    "systems.*.states_from": Case(
        '[[systems]]\nid = "system"\nstates_from = "own words"\n', {"per_query.csv": {**RUN, "state": STATES}}
    ),
    "systems.*.per_query": system_file("per_query", RUN, TRUTH),
    "systems.*.queries": Case(
        '[[systems]]\nid = "a"\npredictions = "p.csv"\nqueries = "own.csv"\n',
        {"own.csv": TRUTH, "p.csv": PREDICTED},
        without='[[systems]]\nid = "a"\npredictions = "p.csv"\n',
    ),
    "systems.*.predictions": Case(
        '[files]\nqueries = "q.csv"\n[[systems]]\nid = "a"\npredictions = "own.csv"\n',
        {"q.csv": TRUTH, "own.csv": PREDICTED},
        without='[files]\nqueries = "q.csv"\n[[systems]]\nid = "a"\n',
    ),
    "systems.*.tune": system_file("tune", TUNE),
    "systems.*.thresholds": system_file("thresholds", THRESHOLDS),
    "systems.*.candidates": system_file("candidates", CANDIDATES),
    "systems.*.run": Case(
        '[files]\nqrels = "j.qrels"\n[[systems]]\nid = "a"\nrun = "own.txt"\n',
        {"j.qrels": JUDGEMENTS, "own.txt": RANKING},
        without='[files]\nqrels = "j.qrels"\n[[systems]]\nid = "a"\n',
    ),
    "systems.*.y_prob": of_system("y_prob"),
    "systems.*.y_prob_raw": of_system("y_prob_raw", {**RUN, "y_prob_raw": OTHER}),
    "systems.*.state": of_system("state", {**RUN, "state": STATES}, head='states_from = "own words"\n'),
    "systems.*.selected_k": of_system("selected_k", {**RANKED, "selected_k": (1, 0, 2, 1, 2, 0, 1, 2)}),
    "systems.*.ranking": of_system("ranking", RANKED),
    "systems.*.score": Case(
        '[[systems]]\nid = "a"\nscore = "own"\n',
        {"per_query.csv": RUN, "candidates.csv": renamed(CANDIDATES, "score")},
        without='[[systems]]\nid = "a"\n',
    ),
    "systems.*.rank": Case(
        '[[systems]]\nid = "a"\nrank = "own"\n',
        {"per_query.csv": RUN, "candidates.csv": {**renamed(CANDIDATES, "score"), "own": (1, 2, 2, 1) * 4}},
        without='[[systems]]\nid = "a"\n',
    ),
    "systems.*.mrr": of_system("mrr", {**RUN, "mrr": RECALLED}),
    "systems.*.evidence_recall": of_system("evidence_recall", {**RUN, "evidence_recall": RECALLED}),
    "systems.*.evidence_precision": of_system("evidence_precision", {**RUN, "evidence_precision": RECALLED}),
    "comparisons.baseline": compared('baseline = "c"'),
    "comparisons.family": compared('family = ["brier"]'),
    "comparisons.pairs": compared('pairs = "all"'),
    "comparisons.adjustment": compared('adjustment = "none"'),
    "comparisons.tests": compared('tests = ["delong"]'),
    "comparisons.contracts": compared('contracts = ["audit"]'),
    "labels.*.description": shown('[labels.A]\ndescription = "own words"\n'),
    "labels.*.type": shown('[labels.A]\ntype = "own kind"\n'),
    "labels.*.trained": shown("[labels.A]\ntrained = false\n"),
    "label_sets.*": Case('[label_sets]\nown = ["A"]\n'),
    "label_sets.*.labels": Case('[label_sets.own]\nlabels = ["A"]\n'),
    "label_sets.*.exclude": Case('[label_sets.own]\nexclude = ["A"]\n'),
    "label_sets.*.title": Case(
        '[label_sets.own]\nlabels = ["A"]\ntitle = "Own title"\n', without='[label_sets]\nown = ["A"]\n'
    ),
    "tables.show": shown('[tables]\nshow = ["dataset"]\n'),
    "tables.intervals": shown('[tables]\nintervals = "columns"\n'),
    "tables.label_systems": shown('[tables]\nlabel_systems = ["a"]\n', TWO),
    "tables.*.title": shown('[tables.dataset]\ntitle = "Own title"\n'),
    "tables.*.caption": shown('[tables.dataset]\ncaption = "Own caption."\n'),
    "figures.show": shown('[figures]\nshow = ["roc"]\n'),
    "figures.*.title": shown('[figures.roc]\ntitle = "Own title"\n'),
    "figures.*.caption": shown('[figures.roc]\ncaption = "Own caption."\n'),
    "report.theme": shown('[report]\ntheme = "journal"\n'),
    "report.document_class": shown('[report]\ndocument_class = "twocolumn"\n'),
    "report.systems": shown('[report]\nsystems = ["s40"]\n', MANY),
    "report.sections": shown('[report]\nsections = ["summary"]\n'),
    "report.affiliations": shown(
        '[report]\naffiliations = { "Own Name" = "Own House" }\n', head='authors = ["Own Name"]\n'
    ),
    "report.logo": Case('[report]\nlogo = "own.svg"\n', {"per_query.csv": RUN, "own.svg": LOGO}, in_report=True),
    "report.decimal": shown('[report]\ndecimal = ","\n'),
    "report.options": Case(
        '[report]\ntheme = "journal"\noptions = { accent = "#123456" }\n',
        without='[report]\ntheme = "journal"\n',
        in_report=True,
    ),
}

KNOWN: dict[tuple[str, str, bool], object] = {}
"""Outcomes of runs; many cases differ from the same run."""


def every_key() -> set[str]:
    """The keys that the reader asks run.toml for; a star stands for what the author names."""
    tables: list[declaration._Keys] = []

    class Recorded(declaration._Keys):
        def __init__(self, *args: object) -> None:
            super().__init__(*args)
            tables.append(self)

    example = (
        "[tables]\nshow = []\n[tables.x]\n[report]\nsections = []\n[figures]\nshow = []\n[figures.x]\n[labels.x]\n"
        '[label_sets]\nx = ["y"]\n[label_sets.z]\n[metrics.x]\n'
        '[columns]\nsubgroup = "x"\n[subgroups.x]\n'
        '[[systems]]\nid = "x"\n'
    )
    original = declaration._Keys
    declaration._Keys = Recorded
    try:
        declaration.parse(example.encode(), ProblemList())
    finally:
        declaration._Keys = original
    names = {table._name for table in tables}
    keys = {f"{table._name}.{key}".lstrip(".") for table in tables for key in table._asked} - names
    starred = {re.sub(r"^(tables|figures|labels|label_sets|metrics|subgroups)\.[xz]", r"\1.*", key) for key in keys}
    return {re.sub(r"^systems\.", "systems.*.", key) for key in starred}


def test_every_key_of_run_toml_has_a_case() -> None:
    # tests/tables/test_options.py and tests/figures/test_options.py have theirs.
    shaping = {f"tables.*.{option.name}" for option in table_options()}
    shaping |= {f"figures.*.{option.name}" for option in figure_options()} | {"figures.colours"}
    assert set(CASES) | shaping == every_key()


def as_csv(columns: Columns) -> str:
    rows = zip(*columns.values(), strict=True)
    return "".join(",".join(map(str, row)) + "\n" for row in (tuple(columns), *rows))


def written(folder: Path, files: Mapping[str, Columns | str], toml: str) -> Path:
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_text(content if isinstance(content, str) else as_csv(content))
    (folder / "run.toml").write_text(toml)
    return folder


def outcome(files: Mapping[str, Columns | str], toml: str, *, in_report: bool, folder: Path) -> object:
    """What a run gives: its codes if it is refused, else its numbers, or the files of the paper; once for each run.

    Without what any change of run.toml or of a column's name changes: sums, notices, the record of the declaration.
    """
    key = (repr(files), toml, in_report)
    if key not in KNOWN:
        KNOWN[key] = outcome_of(written(folder, files, toml), in_report=in_report)
    return KNOWN[key]


def outcome_of(folder: Path, *, in_report: bool) -> object:
    try:
        results = rg.evaluate(folder, resamples=20, crosscheck="none").record
    except (InputError, RequestError) as error:
        return sorted({problem.code for problem in error.problems})
    checks = tuple(check for check in results.checks if check.code != "RG309")
    bare = msgspec.structs.replace(results, inputs=(), warnings=(), checks=checks, command="")
    return paper(bare, folder) if in_report else numbers(bare)


def paper(results: Results, folder: Path) -> Mapping[str, bytes]:
    results, theme = choose_theme(results, folder)
    (document,) = formats()["latex"].documents
    return document(present(results, theme), Made())


def numbers(results: Results) -> bytes:
    return msgspec.json.encode({**msgspec.structs.asdict(results), "run": None})


@pytest.mark.slow
@pytest.mark.parametrize("key", CASES)
def test_a_key_of_run_toml_has_an_effect(key: str, tmp_path: Path) -> None:
    case = CASES[key]
    one, other = (
        outcome(case.files, case.head + lines, in_report=case.in_report, folder=tmp_path / name)
        for name, lines in (("with", case.lines), ("without", case.without))
    )
    assert not isinstance(one, list) or key in {"columns.n_candidates", "columns.n_gold"}, "the key is refused"
    assert one != other

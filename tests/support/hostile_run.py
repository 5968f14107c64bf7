"""A small invented run whose every name is text that is code in some format."""

from __future__ import annotations

import csv
import json
from pathlib import Path

NAMES = (
    r"a_b & 50% {x} \input{y} $x$ ^ ~ #",
    "<img src=x onerror=alert(1)>",
    '</script>"><svg onload=alert(2)>',
    "=1+1",
    "+cmd|' /C calc'!A0",
    "{{ 7*7 }}{% raw %}<< 7 >>",
    "%(x)s ../../etc/passwd",
    "😀 中文 \u202eevil \x01\x1b[31m e\u0301",
)


def write_hostile_run(folder: Path) -> None:
    """The run folder: eight systems, four labels, two folds, 32 queries."""
    columns: dict[str, list[list[object]]] = {
        "queries.csv": [["query", "cluster", "label", "fold", "y_true"]],
        "predictions.csv": [["query", "system", "y_prob", "state", "selected_k"]],
        "candidates.csv": [["query", "system", "doc_id", "position", "relevance", "score"]],
    }
    for n in range(4 * len(NAMES)):
        query, truth = f"{NAMES[n % len(NAMES)]} {n}", n % 2
        columns["queries.csv"].append([query, f"{NAMES[n % 3]} {n % 12}", NAMES[n % 4], NAMES[n % 12 % 2], truth])
        for at, system in enumerate(NAMES):
            state = ("POS", "UNCERTAIN", "NEG")[n % 3]
            columns["predictions.csv"].append([query, system, (n * 7 + at * 3) % 10 / 10, state, 2 - n % 3])
            rows = [[query, system, NAMES[d], d, int(truth and d == 1), (n + at + d) % 3] for d in range(3)]
            columns["candidates.csv"].extend(rows)
    for name, rows in columns.items():
        with (folder / name).open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows(rows)
    texts = {key: _quoted(" ".join(NAMES)) for key in ("title", "dataset", "description", "split", "states_from")}
    toml = [f"{key} = {text}" for key, text in texts.items()]
    toml += [f"authors = [{', '.join(map(_quoted, NAMES))}]", "[units]"]
    toml += [f"{unit} = [{_quoted(NAMES[at])}, {_quoted(NAMES[at])}]" for at, unit in enumerate(("query", "cluster"))]
    toml += [
        f"[[systems]]\nid = {_quoted(name)}\nlabel = {_quoted(name)}\nparams = {{ x = {_quoted(name)} }}"
        for name in NAMES
    ]
    # One of each kind of drawing; what takes its time is to draw them.
    toml += ["[figures]", 'show = ["forest", "roc", "triage", "selected-k"]']
    # Those that show names of systems, labels, folds, queries and sets of labels; that each format writes each table of
    # hostile names as text is proved on the tables alone (tests/render/test_table_formats.py).
    tables = ("main-results", "main-results-compact", "dataset", "per-label", "per-fold-compact", "label-sets-compact",
              "conventions", "checks")  # fmt: skip
    toml += ["[tables]", f"show = {json.dumps(tables)}"]
    toml += ["[labels]", *(f"{_quoted(name)} = {{ description = {_quoted(name)} }}" for name in NAMES[:4])]
    toml += [
        "[label_sets]",
        f"{_quoted(NAMES[1])} = {{ exclude = [{_quoted(NAMES[3])}], title = {_quoted(NAMES[0])} }}",
    ]
    (folder / "run.toml").write_text("\n".join(toml), encoding="utf-8")


def _quoted(text: str) -> str:
    """A TOML string: JSON's, whose escapes are the same but for code points beyond 16 bits."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")

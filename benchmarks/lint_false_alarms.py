"""How often each heuristic of `reportgen lint` is wrong on the tables of a bundle, which are right.

Usage: python benchmarks/lint_false_alarms.py BUNDLE, of a bundle built with --formats all
Each format is linted by itself, as one piece of work: Markdown, LaTeX, HTML, CSV as displayed, CSV at full precision.
"""

from __future__ import annotations

import sys
from pathlib import Path

from reportgen.manuscripts import LintReport, lint, read
from reportgen.manuscripts.linter import FALSE_ALARMS


def linted(bundle: Path) -> list[LintReport]:
    files = sorted((bundle / "tables").iterdir())
    shown = [file for file in files if not file.name.endswith(".two-column.tex")]
    formats = (
        [file for file in shown if file.suffix == ".md"],
        [file for file in shown if file.suffix == ".tex"],
        [file for file in shown if file.suffix == ".html"],
        [file for file in shown if file.name.endswith(".display.csv")],
        [file for file in shown if file.suffix == ".csv" and not file.name.endswith(".display.csv")],
    )
    return [lint([read(file) for file in of_format]) for of_format in formats]


def main() -> None:
    found = linted(Path(sys.argv[1]))
    print(f"{sum(one.n_numbers for one in found):,} numbers in {sum(one.n_tables for one in found):,} tables")
    print(f"impossible: {sum(len(one.impossible) for one in found)}")
    for code in FALSE_ALARMS:
        wrong = sum(check.code == code for one in found for check in one.findings)
        print(f"{code}: {wrong} of {sum(one.n_compared[code] for one in found):,}")


if __name__ == "__main__":
    main()

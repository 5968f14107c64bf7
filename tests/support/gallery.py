"""The page of tables with what comes of each of its examples; ``python -m tests.support.gallery`` writes it anew."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

import reportgen as rg
from reportgen.domain.record import Results
from reportgen.errors import ProblemList
from reportgen.inputs.declaration import parse

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "how-to" / "my-tables.md"
EXAMPLE = re.compile(
    r"(^```toml\n(.*?)^```\n)(\n<div class=\"result\">\n.*?^</div>\n)?", flags=re.MULTILINE | re.DOTALL
)


def tiny() -> Results:
    """Return the results that the examples are made from."""
    return rg.evaluate(ROOT / "sample_runs" / "tiny", resamples=200, crosscheck="none").record


def shown(declared: str, results: Results) -> str:
    """Return the tables that a piece of run.toml declares, as Markdown."""
    problems = ProblemList()
    presented = parse(declared.encode(), problems).presentation
    problems.raise_if_any()
    run = msgspec.structs.replace(results.run, presentation=presented)
    tables = rg.tables(rg.Results(msgspec.structs.replace(results, run=run)), *presented.table_options)
    return "\n".join(table.to("md") for table in tables.values())


def with_results(page: str, results: Results) -> str:
    """Return a page whose examples are each followed by what comes of them."""
    return EXAMPLE.sub(lambda found: f'{found[1]}\n<div class="result">\n\n{shown(found[2], results)}\n</div>\n', page)


if __name__ == "__main__":
    PAGE.write_text(with_results(PAGE.read_text(encoding="utf-8"), tiny()), encoding="utf-8")

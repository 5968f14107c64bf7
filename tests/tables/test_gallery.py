"""The page of tables shows what comes of each of its examples, and has an example of each option."""

from __future__ import annotations

import re

from reportgen.domain.table_options import table_options
from tests.support.gallery import EXAMPLE, PAGE, tiny, with_results


def test_the_page_shows_what_its_examples_give() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert with_results(page, tiny()) == page, "run python -m tests.support.gallery"


def test_the_page_has_an_example_of_every_option() -> None:
    examples = "".join(found[2] for found in EXAMPLE.finditer(PAGE.read_text(encoding="utf-8")))
    assert set(re.findall(r"^(\w+) = ", examples, flags=re.MULTILINE)) >= {option.name for option in table_options()}

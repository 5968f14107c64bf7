"""Grids of panels that need more than a page go on on the next, in every venue."""

from __future__ import annotations

import pytest

from reportgen.figures import build_figures
from reportgen.render.figure_files import draw_once
from reportgen.styles import load_tokens
from tests.support.full_results import make_full_results

GRIDS = ("reliability", "corp", "score-distribution", "selected-k", "threshold-curve", "threshold-grid", "roc", "pr")


@pytest.mark.parametrize("name", GRIDS)
def test_twenty_systems_are_drawn_once_each_in_parts_that_name_their_places(name: str) -> None:
    results = make_full_results(n_systems=20)
    parts = build_figures(results, [name], venues=["ieee"])
    # 216 mm of IEEE hold four lines of panels of 45 mm at the most, and 20 systems are five lines.
    assert len(parts) > 1
    assert [part.id for part in parts] == [name, *(f"{name}-{at}" for at in range(2, len(parts) + 1))]
    assert all(f"({at} of {len(parts)})" in part.title for at, part in enumerate(parts, start=1))
    assert "systems 1 to " in str(parts[0].caption)
    # The baseline of these results selects nothing.
    n = 19 if name == "selected-k" else 20
    assert f"to {n} of {n}" in str(parts[-1].caption)
    shown = [id for part in parts for id in part.results]
    assert len(shown) == len(set(shown))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "venue"), [("reliability", "ieee"), ("score-distribution", "lncs"), ("pr", "plos")])
def test_each_part_fits_the_page_of_the_report_and_of_the_venue(name: str, venue: str) -> None:
    results = make_full_results(n_systems=20)
    drawn_systems = []
    for part in build_figures(results, [name], venues=[venue]):
        for place in ("report", venue):
            drawn = draw_once(part, ("svg",), load_tokens(venue=place))
            assert drawn.warnings == ()
            assert drawn.problems == ()
        svg = drawn.files["svg"].decode()
        drawn_systems += [one.label for one in results.systems if f">{one.label}<" in svg]
    assert sorted(drawn_systems) == sorted(one.label for one in results.systems)


def test_few_systems_are_one_figure_as_before() -> None:
    assert [one.id for one in build_figures(make_full_results(n_systems=4), GRIDS)] == list(GRIDS)

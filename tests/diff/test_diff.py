"""What differs between two sets of results, on the invented results and single changes to them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from reportgen.cli import main
from reportgen.diff import differences
from reportgen.domain.record import Estimate, Interval, Results
from reportgen.errors import ResultsError
from reportgen.results import encode


def with_record(results: Results, old: Estimate, new: Estimate) -> Results:
    return replace(results, results=tuple(new if record is old else record for record in results.results))


def a_record(results: Results) -> Estimate:
    """A result of two systems or more, of the first of them, with an interval of 0.4 to 0.6 around 0.5."""
    metric = next(m for m in results.metrics if m.direction == "higher")
    record = next(r for r in results.results if r.metric == metric.id and r.intervals)
    interval = replace(record.intervals[0], lower=0.4, upper=0.6)
    return replace(record, value=0.5, status="ok", reason=None, intervals=(interval,),
                   display=replace(record.display, decimals=3, value="0.500", interval="[0.400, 0.600]"))  # fmt: skip


def pair(results: Results, value: float) -> tuple[Results, Results, str]:
    """The results with 0.5 [0.4, 0.6] in one place, and the same with another value there."""
    one = a_record(results)
    a = with_record(results, results.by_id[one.id], one)
    other = replace(one, value=value, display=replace(one.display, value=f"{value:.3f}"))
    return a, with_record(a, one, other), one.id


def test_the_same_results_differ_in_nothing(synthetic: Results) -> None:
    found = differences(synthetic, synthetic)
    assert found.empty
    assert found.same == len(synthetic.results) + len(synthetic.comparisons)


@pytest.mark.parametrize(("value", "share", "outside", "printed"), [
    (0.55, 0.5, False, "+0.050"),  # half of the half-width of 0.1
    (0.7, 2.0, True, "+0.200"),
    (0.35, 1.5, True, "\u22120.150"),
])  # fmt: skip
def test_a_change_is_held_against_half_the_width_of_the_interval(
    synthetic: Results, value: float, share: float, outside: bool, printed: str
) -> None:
    a, b, id = pair(synthetic, value)
    (change,) = differences(a, b).changed
    assert (change.id, change.outside, change.printed) == (id, outside, printed)
    assert change.share_of_interval == pytest.approx(share)
    assert change.before == "0.500 [0.400, 0.600]"


def test_an_interval_without_width_is_no_yardstick(synthetic: Results) -> None:
    a, b, id = pair(synthetic, 0.55)
    flat = tuple(replace(i, lower=0.5, upper=0.5) for i in a.by_id[id].intervals)
    assert all(isinstance(interval, Interval) for interval in flat)
    (change,) = differences(with_record(a, a.by_id[id], replace(a.by_id[id], intervals=flat)), b).changed
    assert change.share_of_interval is None
    assert change.outside is True


def test_results_that_only_one_side_has_appear_and_vanish(synthetic: Results) -> None:
    gone = synthetic.results[0]
    fewer = replace(synthetic, results=synthetic.results[1:])
    assert differences(synthetic, fewer).vanished == (gone.id,)
    assert differences(fewer, synthetic).appeared == (gone.id,)


def test_inputs_conventions_and_versions_are_named_with_both_sides(synthetic: Results) -> None:
    first = synthetic.inputs[0]
    b = replace(
        synthetic,
        inputs=(replace(first, sha256="0" * 64), *synthetic.inputs[1:]),
        contract=replace(synthetic.contract, conventions={**synthetic.contract.conventions, "seed": 7}),
        generator=replace(synthetic.generator, python="3.99.0"),
    )
    facts = {(fact.kind, fact.name): (fact.before, fact.after) for fact in differences(synthetic, b).facts}
    assert facts == {
        ("input", first.path): (first.sha256, "0" * 64),
        ("contract", "seed"): (str(synthetic.contract.conventions["seed"]), "7"),
        ("version", "Python"): (synthetic.generator.python, "3.99.0"),
    }


def signed(results: Results, signature: str) -> Results:
    """The results with another signature at their first record."""
    record = results.results[0]
    signatures = (*results.signatures, signature)
    return replace(with_record(results, record, replace(record, signature=len(signatures) - 1)), signatures=signatures)


@pytest.mark.parametrize(("before", "after", "named", "other_quantity"), [
    ("ap|ties:mean|ci:boot,B=10,seed=0", "ap|ties:worst|ci:boot,B=10,seed=0", ("ties: mean → worst",), True),
    ("ap|ties:mean|ci:boot,B=10,seed=0", "ap|ties:mean|ci:boot,B=99,seed=0", ("ci: B=10 → B=99",), False),
    ("ap|sd:fold,ddof=1", "ap|sd:fold,ddof=0|gate:none", ("sd: ddof=1 → ddof=0", "gate: — → none"), True),
    ("ap|ties:mean", "map|ties:mean", ("metric: ap → map",), True),
])  # fmt: skip
def test_conventions_that_changed_are_named_though_the_value_is_equal(
    synthetic: Results, before: str, after: str, named: tuple[str, ...], other_quantity: bool
) -> None:
    (change,) = differences(signed(synthetic, before), signed(synthetic, after)).changed
    assert (change.kind, change.conventions, change.other_quantity) == ("conventions", named, other_quantity)


def test_values_come_before_intervals_and_the_largest_change_first(synthetic: Results) -> None:
    one, *others = [r for r in synthetic.results if r.intervals and r.value is not None][:4]
    settings = one.intervals[0].settings
    a = b = synthetic
    # Changes of 1, 3 and 2 times half the width of 0.2, and an interval alone.
    for record, change in zip((one, *others), (0.1, 0.3, 0.2, 0.0), strict=True):
        interval = replace(record.intervals[0], lower=0.4, upper=0.6, settings=settings)
        had = replace(record, value=0.5, intervals=(interval,))
        wider = (replace(interval, upper=0.6 if change else 0.7),)
        a = with_record(a, a.by_id[record.id], had)
        b = with_record(b, b.by_id[record.id], replace(had, value=0.5 + change, intervals=wider))
    found = [(change.id, change.kind) for change in differences(a, b).changed]
    expected = [(others[0].id, "value"), (others[1].id, "value"), (one.id, "value"), (others[2].id, "interval")]
    assert found == expected


def test_a_system_that_takes_the_lead_is_a_conclusion_that_turned(synthetic: Results) -> None:
    record = a_record(synthetic)
    low, high = (replace(record, value=v, display=replace(record.display, value=f"{v:.3f}")) for v in (0.0, 1.0))
    a = with_record(synthetic, synthetic.by_id[record.id], low)
    b = with_record(synthetic, synthetic.by_id[record.id], high)
    (flip,) = differences(a, b).flips
    label = synthetic.system_by_id[record.system].label
    assert (flip.kind, flip.about) == ("leader", f"{record.metric}|{record.subset}|{record.aggregation}")
    assert label not in flip.before
    assert label in flip.after


def test_a_target_that_is_missed_now_is_a_conclusion_that_turned(synthetic: Results) -> None:
    record = next(r for r in synthetic.results if r.target is not None)
    assert record.target is not None
    turned = replace(record, target=replace(record.target, met=not record.target.met))
    (flip,) = differences(synthetic, with_record(synthetic, record, turned)).flips
    assert (flip.kind, flip.about) == ("target", record.id)
    assert {flip.before.split()[0], flip.after.split()[0]} == {"meets", "misses"}


def test_a_verdict_that_is_another_one_is_a_conclusion_that_turned(synthetic: Results) -> None:
    old = synthetic.comparisons[0]
    verdict = "better" if old.verdict != "better" else "worse"
    b = replace(synthetic, comparisons=(replace(old, verdict=verdict), *synthetic.comparisons[1:]))
    (flip,) = differences(synthetic, b).flips
    assert (flip.kind, flip.about, flip.after) == ("verdict", old.id, verdict)


def test_results_that_share_no_system_cannot_be_compared(synthetic: Results) -> None:
    other = replace(synthetic, systems=tuple(replace(system, id=f"other-{system.id}") for system in synthetic.systems))
    first = synthetic.systems[0].id
    with pytest.raises(ResultsError, match=f"RG407 diff: the first holds {first}.*, the second other-{first}"):
        differences(synthetic, other)


@pytest.fixture
def files(tmp_path: Path, synthetic: Results) -> tuple[str, str]:
    a, b, _ = pair(synthetic, 0.7)
    for name, results in (("a.json", a), ("b.json", b)):
        (tmp_path / name).write_bytes(encode(results))
    return str(tmp_path / "a.json"), str(tmp_path / "b.json")


def test_the_verb_prints_the_change_and_a_sentence(files: tuple[str, str]) -> None:
    done = CliRunner().invoke(main, ["diff", *files])
    assert done.exit_code == 0
    assert (
        "0.500 [0.400, 0.600] → 0.700 [0.400, 0.600]  +0.200, size against half the interval 2.00, outside"
        in done.stdout
    )
    assert "1 value changed, 0 results changed in interval, form or conventions only, 0 appeared" in done.stdout


def test_the_verb_prints_json(files: tuple[str, str]) -> None:
    data = json.loads(CliRunner().invoke(main, ["diff", *files, "--json"]).stdout)
    assert [change["change"] for change in data["changed"]] == [pytest.approx(0.2)]


def test_the_page_has_the_change_and_says_that_the_data_are_synthetic(files: tuple[str, str], tmp_path: Path) -> None:
    page = tmp_path / "changes.html"
    assert CliRunner().invoke(main, ["diff", *files, "--html", str(page)]).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "+0.200" in text
    assert "The data are synthetic." in text


def test_the_page_does_not_replace_what_is_compared(files: tuple[str, str]) -> None:
    done = CliRunner().invoke(main, ["diff", *files, "--html", files[0]])
    assert done.exit_code == 2
    assert "RG606" in done.stderr


def test_other_words_on_where_states_come_from_are_a_difference_of_the_run(synthetic: Results) -> None:
    first, *others = synthetic.systems
    said = replace(synthetic, systems=(replace(first, states_from="three answers"), *others))
    (fact,) = differences(synthetic, said).facts
    assert (fact.kind, fact.name, fact.before, fact.after) == ("run", f"states of {first.id} from", "", "three answers")

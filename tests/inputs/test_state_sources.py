"""``states_from``: where a run says in words what its states come from."""

from __future__ import annotations

import pytest

import reportgen as rg
from reportgen.errors import InputError
from reportgen.inputs import read_run, read_runs
from tests.inputs.conftest import SOUND

SYSTEMS = '[[systems]]\nid = "a"\n[[systems]]\nid = "b"\nstates_from = "B\'s own"\n'
STATELESS = "query,system,y_prob\n" + "".join(
    f"{query},{system},{p}\n" for query, p in (("q1", 0.9), ("q2", 0.2), ("q3", 0.5), ("q10", 0.1)) for system in "ab"
)


def said(source):
    run = read_run(source)
    return [system.states_from for system in run.systems], [n for n in run.info.notices if "states_from" in n]


@pytest.mark.parametrize(
    ("toml", "expected"),
    [
        ("", [None, None]),
        ('states_from = "three answers"\n', ["three answers", "three answers"]),
        (SYSTEMS, [None, "B's own"]),
        # What a system says goes before what the run says of all.
        ('states_from = "three answers"\n' + SYSTEMS, ["three answers", "B's own"]),
        # A blank text is not given, as everywhere in run.toml.
        ('states_from = "  "\n', [None, None]),
    ],
)
def test_the_run_speaks_for_all_systems_and_each_system_for_itself(toml, expected, sound, folder):
    assert said(folder({**sound, "run.toml": toml})) == (expected, [])


@pytest.mark.parametrize(("toml", "what"), [
    ("states_from = true\n", "states_from is True"),
    ("[[systems]]\nid = 'a'\nstates_from = ['x']\n[[systems]]\nid = 'b'\n", "[systems] states_from is ['x']"),
    (f"states_from = '{'x' * 501}'\n", "states_from is 'xxx"),
])  # fmt: skip
def test_what_is_no_short_text_is_refused(toml, what, sound, folder):
    with pytest.raises(InputError) as caught:
        read_run(folder({**sound, "run.toml": toml}))
    assert [(p.code, p.message[: len(what)]) for p in caught.value.problems] == [("RG112", what)]


def test_words_about_states_that_no_file_records_are_not_used_and_that_is_told(sound, folder):
    # The states of both follow from probability, tau_neg and tau_pos.
    files = {**sound, "predictions.csv": STATELESS}
    assert said(folder({**files, "run.toml": 'states_from = "x"\n'})) == (
        [None, None],
        ["states_from is not used: no file records a state"],
    )
    assert said(folder({**files, "run.toml": SYSTEMS})) == (
        [None, None],
        ["states_from of system 'b' is not used: no file records its states"],
    )


def test_each_run_keeps_its_words_beside_another(tmp_path):
    for name, words in (("one", 'states_from = "one\'s"\n'), ("two", "")):
        (tmp_path / name).mkdir()
        for file, content in SOUND.items():
            (tmp_path / name / file).write_text(content, encoding="utf-8")
        (tmp_path / name / "run.toml").write_text(words, encoding="utf-8")
    run = read_runs([tmp_path / "one", tmp_path / "two"])
    assert [(system.id, system.states_from) for system in run.systems] == [
        ("one/a", "one's"), ("one/b", "one's"), ("two/a", None), ("two/b", None),
    ]  # fmt: skip


def test_trainings_have_the_words_of_their_system(tmp_path):
    rows = "".join(f"q{n},{n % 2},m,{seed},0.{3 + n},POS\n" for seed in (1, 2) for n in range(4))
    (tmp_path / "per_query.csv").write_text(f"query,y_true,system,seed,y_prob,state\n{rows}", encoding="utf-8")
    (tmp_path / "run.toml").write_text('[columns]\ncluster = "query"\n[[systems]]\nid = "m"\nstates_from = "w"\n')
    (system,) = read_run(tmp_path).systems
    assert (system.states_from, [one.states_from for one in system.trainings]) == ("w", ["w", "w"])


def test_a_frame_with_states_says_where_they_come_from_by_an_argument():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y_true": [1, 0, 1, 0], "y_prob": [0.9, 0.2, 0.6, 0.4], "state": ["POS", "NEG"] * 2})
    refused = rg.evaluate(rg.from_frame(frame), resamples=0, crosscheck="none").record
    assert "alert_precision" not in refused.metric_by_id
    assert "RG326" in {check.code for check in refused.checks if check.status == "failed"}
    # Both alerts are right.
    shown = rg.evaluate(rg.from_frame(frame, states_from=" three answers "), resamples=0, crosscheck="none").record
    assert shown.find("alert_precision", "system", "all_queries", "pooled").value == 1.0
    assert [system.states_from for system in shown.systems] == ["three answers"]

"""``reportgen metric``."""

from __future__ import annotations

import json

from click.testing import CliRunner, Result

from reportgen import cli
from reportgen.catalogue import describe, reference_page
from reportgen.contracts import load_contract
from reportgen.metrics.registry import entries


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, ["metric", *arguments], catch_exceptions=False)


def test_show_says_everything_about_a_metric() -> None:
    done = run("show", "ndcg@10", "--contract", "trec-eval")
    assert done.exit_code == 0
    for text in (
        "nDCG@10",
        "Definition",
        "From 0 to 1; higher is better.",
        "Candidates with equal scores are ordered by descending document id.",
        "no query of the subset has a relevant candidate",
        "trec_eval ndcg_cut_10; Järvelin & Kekäläinen 2002",
        "reportgen.reference.ranking.ndcg",
    ):
        assert text in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 100


def test_show_as_json_is_the_description() -> None:
    done = run("show", "screening_fn", "--json")
    found = json.loads(done.stdout)
    assert found["title"] == "Screened-out positives"
    assert found["edge_cases"] == list(describe("screening_fn", load_contract()).edge_cases)


def test_list_names_every_metric_and_marks_those_on_request() -> None:
    listed = run("list").stdout
    assert all(metric.name in listed for metric in entries())
    assert "f1[samples:zero] *" in listed
    assert "rprec  " in listed
    ids = {item["id"] for item in json.loads(run("list", "--json").stdout)}
    assert len(ids) == len(entries())


def test_an_unknown_metric_ends_with_the_nearest_known_one() -> None:
    done = run("show", "ndgc@10")
    assert done.exit_code == 2
    assert "Did you mean 'ndcg'" in done.stderr


def test_reference_prints_the_page() -> None:
    assert run("reference").stdout == reference_page(load_contract())

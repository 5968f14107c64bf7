"""Signatures are complete: whatever a contract sets, numbers of one signature are one number."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace

import pytest

from reportgen.contracts import NUMBER, Convention, load_contract, vocabulary
from reportgen.domain.contract import Contract, Setting
from reportgen.domain.signatures import AROUND_THE_VALUE
from reportgen.evaluation import evaluate
from tests.reference.random_runs import random_run


def _some_value(rng: random.Random, convention: Convention, usual: Setting) -> Setting:
    if convention.values:
        return rng.choice(tuple(convention.values)).replace(NUMBER, rng.choice(("0.25", "0.5")))
    low, high = convention.range or (0, 1)
    if isinstance(usual, float):
        return rng.choice((usual, low + rng.random() * (high - low)))
    return rng.choice((usual, int(low), min(int(low) + rng.randint(0, 5), int(high))))


def _any_contract(rng: random.Random) -> Contract:
    """Every convention set at random, but that nothing is resampled."""
    usual = load_contract()
    chosen = {key: _some_value(rng, convention, usual[key]) for key, convention in vocabulary().items()}
    contract = load_contract(overrides={**chosen, "resamples": 0})
    both = dict.fromkeys(("ranking", "selection"), ("positives_only", "all_queries"))
    return replace(contract, populations={**contract.populations, **both})


def _of_value(signature: str) -> str:
    """A signature without what lies around the value."""
    return "|".join(part for part in signature.split("|") if part.partition(":")[0] not in AROUND_THE_VALUE)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_under_any_conventions_one_signature_stands_for_one_value(seed: int) -> None:
    rng = random.Random(seed)
    run = random_run(seed, graded=True, one_class=True)
    found: dict[tuple[str, str], set[tuple[object, ...]]] = defaultdict(set)
    for _ in range(8):
        results = evaluate(run, _any_contract(rng), command="test").results
        for record in results.results:
            key = _of_value(results.signatures[record.signature]), record.subset
            found[key].add((record.value, record.status, record.reason))
    several = {key: values for key, values in found.items() if len(values) > 1}
    assert not several
    # The contracts do differ in what they make of the run.
    assert len({key for key in found if key[0].startswith("map@10|")}) > 4

"""The steps of an evaluation, the same from Python and from the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Literal

from msgspec.structs import replace

from reportgen.consistency import with_consistency_checks
from reportgen.crosscheck import check_of, crosscheck
from reportgen.domain.contract import Contract
from reportgen.domain.record import COMPUTED_WITH
from reportgen.domain.run import Run
from reportgen.errors import Diagnostic, OutputError
from reportgen.evaluation import Evaluation
from reportgen.evaluation import evaluate as evaluated
from reportgen.evaluation.other_contracts import readings
from reportgen.inputs.several import OnQueries
from reportgen.workers import Workers

Extent = Literal["sample", "all", "none"]
"""How much of a large run the independent cross-check takes in; small runs always as a whole."""
Progress = Callable[[str, float], None]
"""Called with a step and the share of it that is done; 0.0 when it begins, 1.0 when it is done."""


def compute(
    run: Run,
    contract: Contract,
    *,
    command: str,
    created: str | None,
    extent: Extent = "sample",
    queries: OnQueries = "same",
    jobs: int = 1,
    workers: Workers | None = None,
    progress: Progress = lambda step, share: None,
) -> Evaluation:
    """Evaluate a run, hold the numbers against the second implementation and the relations that must hold.

    ``workers``: who shares the work in place of processes of this machine; changes no bit.

    Raises ContractError if the contract names what does not exist.
    """
    evaluation = evaluated(
        run,
        contract,
        command=command,
        created=created,
        jobs=jobs,
        workers=workers,
        progress=lambda name, share: progress("Evaluating", share),
    )
    # That no cross-check was made is seen from the checks.
    settings = {"crosscheck": "all" if extent == "all" else "sample", "queries": queries}
    results = replace(
        evaluation.results,
        readings=readings(run, evaluation.results, contract, workers),
        x={key: value for key, value in settings.items() if value != COMPUTED_WITH[key]},
    )
    evaluation = Evaluation(results, evaluation.columns)
    if extent == "none":
        return Evaluation(with_consistency_checks(results), evaluation.columns)
    step = "Comparing with the second implementation"
    progress(step, 0.0)
    outcome = crosscheck(run, contract, evaluation, extent, jobs, workers)
    progress(step, 1.0)
    checked = replace(results, checks=(*results.checks, check_of(outcome)))
    return Evaluation(with_consistency_checks(checked), evaluation.columns)


def creation_date(run: Run, environment: Mapping[str, str]) -> str | None:
    """Return the date of the results: SOURCE_DATE_EPOCH, else the run's, else none; never the clock.

    Source: reproducible-builds.org, SOURCE_DATE_EPOCH specification 1.1.

    Raises:
        OutputError: RG605 when SOURCE_DATE_EPOCH is not a number of seconds.
    """
    epoch = environment.get("SOURCE_DATE_EPOCH", "").strip()
    if not epoch:
        return run.info.date
    try:
        return datetime.fromtimestamp(int(epoch), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError) as error:
        raise OutputError(
            Diagnostic("RG605", "SOURCE_DATE_EPOCH", f"'{epoch}' is not a number of seconds since 1970")
        ) from error

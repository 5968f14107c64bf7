"""``reportgen verify``: whether a bundle says what its numbers say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli import options
from reportgen.cli.findings import as_data, by_code, counted
from reportgen.cli.output import StepDisplay, say_json
from reportgen.cli.sources import Changes, obtain, read_for_evaluation
from reportgen.domain.statements import Statements, statements_in

if TYPE_CHECKING:
    from reportgen.verify import Rerun, Verification

_SPELT = 40
"""Faults that the terminal spells out; JSON has all."""


@click.command()
@click.argument("bundle", metavar="BUNDLE", type=options.INPUT)
@click.option(
    "--runs",
    "runs",
    metavar="RUN",
    type=options.INPUT,
    multiple=True,
    help="The run it was made from, to compute it again; several as they were given to the build, in that order.",
)
@options.data
@options.statements
@options.as_json
@options.jobs
@click.pass_context
def command(
    ctx: click.Context,
    *,
    bundle: Path,
    runs: tuple[Path, ...],
    data: str | None,
    said: Statements,
    as_json: bool,
    jobs: int,
) -> None:
    """Check that BUNDLE is whole and that everything it shows is what its results give.

    Checksums, schema, relations between numbers, and each artefact against metrics_master.json: a changed digit is
    named with its file, its place, the result, what is shown and what is right, even if the checksums were
    adjusted. With --runs the inputs are compared by their SHA-256, every value is computed again by the second
    implementation, and the bundle is built again and compared byte for byte. What was said of files without a run.toml
    is read in the bundle; an anonymous one may lack names, so say it again. With any error the exit code is 1.

    \b
    Examples:
      reportgen verify paper_bundle/v1.0
      reportgen verify paper_bundle/v1.0 --runs sample_runs/digits_pages --json
    """
    from reportgen.verify import verify

    steps = StepDisplay(ctx.obj or as_json)
    with steps.showing():
        rerun = _rerun(bundle, runs, data, said, steps, jobs) if runs else None
        with steps.step("Verifying"):
            outcome = verify(bundle, rerun, jobs=jobs)
    if as_json:
        say_json(_data(outcome))
    else:
        click.echo(_text(outcome))
    if not outcome.sound:
        ctx.exit(1)


def _rerun(
    bundle: Path, runs: tuple[Path, ...], data: str | None, said: Statements, steps: StepDisplay, jobs: int
) -> Rerun | None:
    """Return the runs, evaluated as the bundle's results were.

    None where these cannot be read, which is found anyway.
    """
    from reportgen.anonymity import is_anonymous
    from reportgen.contracts import contract_ids
    from reportgen.errors import ResultsError
    from reportgen.verify import Rerun, extent_of, results_of

    try:
        results = results_of(bundle)
    except ResultsError:
        return None
    source, *beside = runs
    conventions = results.contract.conventions
    changes = Changes(
        # A contract of the user's own is found by what the run says of it.
        contract=results.contract.id if results.contract.id in contract_ids() else None,
        resamples=int(conventions["resamples"]),
        seed=int(conventions["seed"]),
        crosscheck=extent_of(results),
        beside=tuple(beside),
        queries="intersect" if beside and results.computed_with("queries") == "intersect" else None,
        data=data,
        said=said or statements_in(results.command),
    )
    obtained = obtain(source, changes, steps, jobs)
    if is_anonymous(results):
        obtained = obtained.anonymous()
    run, contract = read_for_evaluation(source, changes, steps)
    return Rerun(run, contract, obtained.results, obtained.per_query)


def _data(outcome: Verification) -> dict[str, Any]:
    return {
        "sound": outcome.sound,
        "files": outcome.files,
        "results": outcome.results,
        "checked": outcome.checked,
        "faults": [as_data(fault) for fault in outcome.faults],
    }


def _text(outcome: Verification) -> str:
    lines = by_code(outcome.faults[:_SPELT])
    if (more := len(outcome.faults) - _SPELT) > 0:
        lines.append(f"and {more:,} more; --json lists all")
    lines += [""] * bool(lines) + [*outcome.checked]
    found = counted(outcome.faults)
    return "\n".join([*lines, f"{found[0].upper()}{found[1:]}."])

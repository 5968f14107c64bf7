"""``reportgen evaluate``: the numbers alone."""

from __future__ import annotations

from pathlib import Path

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_written
from reportgen.cli.sources import Changes, obtain, refuse_source


@click.command()
@options.source
@options.output("FILE", "The JSON to write: metrics_master.json.")
@options.evaluation
@options.title
@options.dask
@options.as_json
@click.pass_obj
def command(quiet: bool, *, source: Path, target: Path, changes: Changes, dask: str | None, as_json: bool) -> None:
    """Compute every number of a run and write metrics_master.json.

    The file holds each metric with its interval, population, n, conventions and a sentence that says what it means.
    It is the same, byte for byte, as the one in the bundle that `build` writes. Missed targets are counted;
    `reportgen check FILE --targets` fails on them.

    \b
    Example:
      reportgen evaluate sample_runs/digits_pages -o metrics_master.json --resamples 2000
    """
    from reportgen.bundle import write_file
    from reportgen.gate import verdict
    from reportgen.results import encode

    refuse_source(source, target, *changes.beside)
    steps = StepDisplay(quiet or as_json)
    with steps.showing():
        results = obtain(source, changes, steps, dask=dask).results
        write_file(target, encode(results))
    told = f"{verdict(results)}.\n" if verdict(results) else ""
    sentence = f"{told}Wrote {len(results.results):,} results to {target} in {steps.seconds:.1f} s."
    say_written([target], sentence, quiet=quiet, as_json=as_json)

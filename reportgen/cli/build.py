"""``reportgen build``: everything a paper needs, in one folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_written
from reportgen.cli.sources import Changes, folder_of, obtain
from reportgen.errors import printable
from reportgen.formats import formats as known_formats

if TYPE_CHECKING:
    from reportgen.bundle import ThemeRequest, Written
    from reportgen.domain.record import IntervalForm, Results


@click.command()
@options.source
@options.output("DIR", "The bundle's folder; an older bundle there is replaced as a whole.")
@options.evaluation
@options.title
@options.dask
@options.intervals
@options.formats({one.name: one.default for one in known_formats().values()})
@options.theme
@click.option(
    "--document-class",
    metavar="NAME",
    help="The class of the LaTeX paper: article, twocolumn, ieeetran, acmart, or one of the theme's.  "
    "[default: the run's, else article]",
)
@click.option("--arxiv", is_flag=True, help="Also pack the LaTeX paper as arXiv takes it: arxiv.tar.gz.")
@options.jobs
@options.anonymous
@click.option("--strict", is_flag=True, help="Write nothing if a check finds an error or a target is missed.")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    *,
    source: Path,
    target: Path,
    changes: Changes,
    dask: str | None,
    intervals: IntervalForm | None,
    formats: tuple[str, ...],
    asked: ThemeRequest,
    arxiv: bool,
    jobs: int,
    anonymous: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Build the whole bundle: numbers, tables, figures, reports, LaTeX paper.

    SRC is a run folder, a data file, a metrics_master.json or an earlier bundle. Relations that must hold
    between its numbers are checked in each case. The folder DIR appears (or changes) only when everything is
    finished, so a failed build leaves what was there. --intervals is kept in the bundle's metrics_master.json, and
    what is set from it follows. A format whose software is missing, such as Pango for the PDF, is left out; the
    exit code is then 2. Findings of the severity error head the report. With --strict they, or a missed target of
    the contract, end the build with exit code 1, and nothing is written.

    \b
    Examples:
      reportgen build sample_runs/digits_pages -o paper_bundle/v1.0
      reportgen build per_query.csv -o paper_bundle/v1.0 --contract trec-eval --formats html,csv
      reportgen build paper_bundle/v1.0 -o paper_bundle/acm --theme journal --document-class acmart --arxiv
    """
    from reportgen.bundle import check_target, choose_theme, write_bundle
    from reportgen.bundle.outputs import title_of
    from reportgen.consistency import rechecked
    from reportgen.tables import with_intervals

    if arxiv and "latex" not in formats:
        raise click.UsageError("--arxiv packs the LaTeX paper, which --formats leaves out; add latex.")
    check_target(target)
    quiet: bool = ctx.obj
    steps = StepDisplay(quiet or as_json)
    with steps.showing():
        obtained = obtain(source, changes, steps, jobs, asked, dask)
        if anonymous:
            obtained = obtained.anonymous()
        formed = with_intervals(rechecked(obtained.results), intervals)
        results, theme = choose_theme(formed, folder_of(source), asked)
        if strict:
            _stop_at_errors(ctx, results)
        written = write_bundle(
            results,
            target,
            per_query=obtained.per_query,
            theme=theme,
            formats=formats,
            arxiv=arxiv,
            jobs=jobs,
            progress=lambda output, share: steps.update(title_of(output), share),
        )
    for note in () if quiet else written.notes:
        click.echo(f"Note: {printable(note)}", err=True)
    if as_json:
        say_written([written.directory / name for name in written.files], "", quiet=True, as_json=True)
    elif not quiet:
        _summary(results, written, steps.seconds)
    _stop_if_lacking(ctx, written)


def _stop_if_lacking(ctx: click.Context, written: Written) -> None:
    """End the verb with exit code 2 if a format that was asked for could not be made on this machine."""
    for missing in written.lacking:
        click.echo(printable(f"{missing.head}. {missing.fix} Everything else was written."), err=True)
    if written.lacking:
        ctx.exit(2)


def _stop_at_errors(ctx: click.Context, results: Results) -> None:
    """End the verb if the results hold findings that keep numbers from being published."""
    from reportgen.cli.findings import as_text
    from reportgen.consistency import errors_of
    from reportgen.gate import missed

    if errors := (*errors_of(results), *missed(results)):
        labels = {system.id: system.label for system in results.systems}
        click.echo(as_text(errors, labels), err=True)
        click.echo("\nNothing was written (--strict).", err=True)
        ctx.exit(1)


def _summary(results: Results, written: Written, seconds: float) -> None:
    from reportgen.cli.terminal import console, print_headline, print_run, print_targets
    from reportgen.tables import build_tables

    to = console()
    print_run(to, results)
    print_headline(to, build_tables(results))
    print_targets(to, results)
    to.print(
        f"\nWrote {len(written.files)} files ({written.size / 1e6:.1f} MB) to {written.directory} in {seconds:.1f} s."
    )
    if "report.html" in written.files:
        to.print(f"Open {written.directory / 'report.html'}", soft_wrap=True)

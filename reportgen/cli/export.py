"""``reportgen export``: results in the forms that other places keep them in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_written
from reportgen.cli.sources import Changes, obtain, write_beside


class _ExportFormat(click.ParamType[str]):
    """A format by name; the names are known when one is asked for, not before."""

    name = "format"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from reportgen.exports import formats

        if value not in formats():
            listed = "\n".join(f"  {name:<12} {title}" for name, title in formats().items())
            self.fail(f"there is no format '{value}'. The formats are:\n{listed}", param, ctx)
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        from reportgen.exports import formats

        return [
            click.shell_completion.CompletionItem(name, help=title)
            for name, title in formats().items()
            if name.startswith(incomplete)
        ]


@click.command()
@click.argument("format", metavar="FORMAT", type=_ExportFormat())
@options.source
@options.output("FILE|DIR", "The file to write; for ro-crate and dvc the folder.")
@click.option(
    "--system", metavar="ID", help="Speak of this system only (model-index, flat-json, table-json, dvc, per-query)."
)
@options.evaluation
@options.as_json
@click.pass_obj
def command(
    quiet: bool,
    *,
    format: str,
    source: Path,
    target: Path,
    system: str | None,
    changes: Changes,
    as_json: bool,
) -> None:
    """Write the numbers of SRC as FORMAT.

    \b
    dvc          a folder with metrics, plots and dvc.yaml
    junit        the targets and checks as test cases, for a pipeline
    model-index  a model card for the Hugging Face Hub; of several systems choose one with --system
    flat-json    one flat object of numbers, as `dvc metrics diff` and MLflow read it
    summary      Markdown for the description of a pull request
    table-json   one table, as mlflow.load_table and wandb.Table take it
    per-query    CSV of the values of each query, to recompute the metrics from
    ro-crate     a folder with the numbers and their provenance

    \b
    Examples:
      reportgen export flat-json paper_bundle/v1.0 -o metrics.json
      reportgen export model-index paper_bundle/v1.0 --system gnb -o README.md
    """
    from reportgen.exports import ONLY, export

    steps = StepDisplay(quiet or as_json)
    with steps.showing():
        obtained = obtain(source, changes, steps)
        files = export(obtained.results, format, system, lambda: obtained.per_query)
        if ONLY in files:
            paths = write_beside({target.name: files[ONLY]}, target.parent, source, changes)
        else:
            paths = write_beside(files, target, source, changes)
    say_written(paths, f"Wrote {target} in {steps.seconds:.1f} s.", quiet=quiet, as_json=as_json)

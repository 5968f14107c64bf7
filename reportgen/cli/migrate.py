"""``reportgen migrate``: a file of results in the present form."""

from __future__ import annotations

import json
from pathlib import Path

import click

from reportgen.cli import options
from reportgen.cli.sources import refuse_source


@click.command()
@click.argument("source", metavar="FILE", type=options.INPUT)
@click.option("-o", "--output", "target", metavar="FILE", type=options.INPUT, help="The file to write.")
@options.as_json
@click.pass_obj
def command(quiet: bool, *, source: Path, target: Path | None, as_json: bool) -> None:
    """Say what lifts FILE, a metrics_master.json or a bundle, to the present form; with -o write it there.

    The numbers and their conventions stay as they are. FILE itself is never changed, since the checksums of a bundle
    hold for it.

    \b
    Examples:
      reportgen migrate metrics_master.json
      reportgen migrate paper_bundle/v1.0 -o metrics_master.json
    """
    from reportgen.bundle import MASTER, write_file
    from reportgen.migration import migrate

    path = source / MASTER if source.is_dir() else source
    lifted = migrate(path)
    if target is not None:
        refuse_source(source, target)
        write_file(target, lifted.content)
    if as_json:
        data = {"was": lifted.was, "is": lifted.results.schema_version, "changes": lifted.changes,
                "written": None if target is None else str(target)}  # fmt: skip
        click.echo(json.dumps(data, ensure_ascii=False, indent=1))
        return
    for change in lifted.changes or (f"Schema version {lifted.was} is the present one; nothing is to be changed.",):
        click.echo(change)
    if target is not None and not quiet:
        click.echo(f"Wrote {target}.")

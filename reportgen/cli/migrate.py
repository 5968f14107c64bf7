"""``reportgen migrate``: results of an older form in the present one."""

from __future__ import annotations

from pathlib import Path

import click

from reportgen.cli import options
from reportgen.cli.output import say_written
from reportgen.cli.sources import refuse_source


@click.command()
@click.argument("source", metavar="FILE", type=options.INPUT)
@click.option("-o", "--output", "target", metavar="FILE", type=options.INPUT, required=True, help="The file to write.")
@options.as_json
@click.pass_obj
def command(quiet: bool, *, source: Path, target: Path, as_json: bool) -> None:
    """Write FILE, a metrics_master.json or a bundle of an older release, in the present form.

    The numbers and their conventions stay as they are. FILE is never changed: the checksums of a bundle hold for it.

    \b
    Example:
      reportgen migrate paper_bundle/v1.0 -o metrics_master.json
    """
    from reportgen.bundle import MASTER, write_file
    from reportgen.migration import migrate
    from reportgen.results import encode, read_bytes

    path = source / MASTER if source.is_dir() else source
    results = migrate(read_bytes(path), path)
    refuse_source(source, target)
    write_file(target, encode(results))
    say_written([target], f"Wrote {target}.", quiet=quiet, as_json=as_json)

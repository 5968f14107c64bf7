"""``reportgen doctor``: what is installed, and how to get what is missing."""

from __future__ import annotations

from dataclasses import asdict

import click

from reportgen.cli import options
from reportgen.cli.output import say_json


@click.command()
@click.option("--all", "everything", is_flag=True, help="Also list what is there.")
@options.as_json
@click.pass_context
def command(ctx: click.Context, *, everything: bool, as_json: bool) -> None:
    """Look for everything that reports are made with: packages, Pango, fonts, TeX; one line for what is missing.

    The exit code is 1 if something is missing that reportgen itself needs; TeX is needed only to compile the paper.

    \b
    Example:
      reportgen doctor --all
    """
    from reportgen.installation import inspect
    from reportgen.version import __version__

    parts = inspect()
    missing = [part for part in parts if not part.found]
    if as_json:
        say_json({"reportgen": __version__, "parts": [asdict(part) for part in parts]})
    elif not ctx.obj:
        click.echo(f"reportgen {__version__}")
        for part in parts if everything else missing:
            need = f"{part.needed_for}{'' if part.required else ', not needed otherwise'}"
            click.echo(f"  {part.name:<20} {part.found or f'missing (for {need}): {part.how}'}")
        if not missing:
            click.echo("Everything is there.")
    if any(part.required for part in missing):
        ctx.exit(1)

"""``reportgen schema``: the JSON Schema of metrics_master.json."""

from __future__ import annotations

import click

from reportgen.cli.output import say_json


@click.command()
def command() -> None:
    """Print the JSON Schema (2020-12) that every metrics_master.json obeys.

    \b
    Example:
      reportgen schema > metrics_master.schema.json
    """
    from reportgen.results import schema

    say_json(schema())

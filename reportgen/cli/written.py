"""What a verb says of the files it wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import click


def say_written(paths: Iterable[Path], sentence: str, *, quiet: bool, as_json: bool) -> None:
    """Print the paths as JSON, or else the sentence; nothing but the JSON where it must be quiet."""
    if as_json:
        click.echo(json.dumps({"written": [str(path) for path in paths]}, ensure_ascii=False, indent=1))
    elif not quiet:
        click.echo(sentence)

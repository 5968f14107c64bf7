"""``reportgen explain``: what a code means, why it matters and what to do."""

from __future__ import annotations

from dataclasses import asdict
from difflib import get_close_matches

import click

from reportgen.cli import options
from reportgen.cli.output import say_json

_WIDTH = 100


@click.command()
@click.argument("code", metavar="[CODE]", required=False)
@options.as_json
@click.option("--markdown", is_flag=True, help="Print the reference page of all codes (docs/reference/codes.md).")
def command(*, code: str | None, as_json: bool, markdown: bool) -> None:
    """Say what the code of an error or finding means, why it matters and what to do; without CODE, list all codes.

    \b
    Examples:
      reportgen explain RG310
      reportgen explain --markdown > docs/reference/codes.md
    """
    from reportgen.codes import reference_page, registry

    codes = registry()
    if markdown:
        click.echo(reference_page(), nl=False)
        return
    if code is None:
        if as_json:
            say_json([asdict(entry) for entry in codes.values()])
        else:
            click.echo("\n".join(f"{entry.code}  {entry.title}" for entry in codes.values()))
        return
    entry = codes.get(code.strip().upper())
    if entry is None:
        near = get_close_matches(code.strip().upper(), codes, n=3)
        raise click.UsageError(f"There is no code {code!r}. Did you mean {', '.join(near) or next(iter(codes))}?")
    if as_json:
        say_json(asdict(entry))
        return
    kind = f"Finding, {entry.severity}" if entry.kind == "finding" else "Error"
    click.echo(f"{entry.code}  {entry.title}\n{kind} · {entry.family}")
    for head, text in (("Why it matters", entry.why), ("What to do", entry.fix)):
        click.echo(f"\n{head}\n{click.wrap_text(text, _WIDTH, '  ', '  ')}")

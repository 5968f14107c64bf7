"""``reportgen theme``: themes: which there are, what one says, how to begin one, and whether it is sound."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_json, say_written
from reportgen.errors import printable

if TYPE_CHECKING:
    from reportgen.render.themes import Theme


@click.group()
def command() -> None:
    """Themes: what a report, its figures and its paper look like.

    A theme is a folder with a theme.toml over a shipped theme; `--theme` of build, html, pdf and figures takes it.

    \b
    Examples:
      reportgen theme list
      reportgen theme show journal
      reportgen theme copy base mine --file html/masthead.html.j2
      reportgen theme check mine
    """


@command.command("list")
@options.as_json
def list_themes(*, as_json: bool) -> None:
    """List the shipped themes."""
    from reportgen.render.themes import load_theme
    from reportgen.resources import shipped_themes

    themes = [_facts(load_theme(name)) for name in shipped_themes()]
    if as_json:
        say_json([{key: theme[key] for key in ("name", "title", "description")} for theme in themes])
        return
    for theme in themes:
        click.echo(f"{theme['name']:<10}{theme['description']}")


@command.command("show")
@click.argument("name", metavar="NAME|DIR")
@options.as_json
def show(*, name: str, as_json: bool) -> None:
    """Show what a theme changes: its options, paper templates and files, and the blocks that templates offer."""
    from reportgen.render.themes import load_theme

    facts = _facts(load_theme(name))
    if as_json:
        say_json(facts)
        return
    click.echo(printable(f"{facts['title']} ({facts['name']}, from {facts['inherits'] or 'nothing'})"))
    click.echo(printable(facts["description"]))
    for option, says in facts["options"].items():
        click.echo(printable(f"Option {option}: {says['type']}, {says['default']!r}. {says['description']}"))
    for paper, title in facts["papers"].items():
        click.echo(printable(f"Paper template {paper}: {title}"))
    for path, blocks in facts["files"].items():
        offered = f"  (blocks: {', '.join(blocks)})" if blocks else ""
        click.echo(f"{path}{offered}")


@command.command("copy")
@click.argument("name", metavar="NAME")
@click.argument("target", metavar="DIR", type=options.INPUT)
@click.option("--file", "files", multiple=True, metavar="PATH", help="A template to copy too; may be given again.")
@options.as_json
@click.pass_obj
def copy(quiet: bool, *, name: str, target: Path, files: tuple[str, ...], as_json: bool) -> None:
    """Begin a theme of your own in the new folder DIR, which inherits from the shipped theme NAME.

    It holds a theme.toml that changes nothing yet, and the templates that are asked for. Copy only what you change:
    everything else goes on coming from NAME.
    """
    from reportgen.bundle import write_files
    from reportgen.render.themes import theme_start

    written = theme_start(name, target, files)
    write_files(target, written)
    said = f"Wrote {len(written)} {'file' if len(written) == 1 else 'files'} to {target}."
    say_written([target / path for path in written], said, quiet=quiet, as_json=as_json)


@command.command("check")
@click.argument("name", metavar="NAME|DIR")
@options.as_json
@click.pass_context
def check(ctx: click.Context, *, name: str, as_json: bool) -> None:
    """Set a plain and a hostile sample with a theme, in every format and class, and say what is wrong or missing."""
    from reportgen.render.theme_check import check_theme
    from reportgen.render.themes import load_theme

    steps = StepDisplay(ctx.obj or as_json)
    theme = load_theme(name)
    with steps.showing(), steps.step("Setting the samples") as share:
        problems = check_theme(theme, share)
    if as_json:
        say_json([{"code": p.code, "where": p.where, "what": p.message, "fix": p.fix} for p in problems])
    else:
        for problem in problems:
            click.echo(str(problem))
        if not problems:
            click.echo("The theme is sound: it sets the samples in every format, shows all of them, and escapes names.")
    ctx.exit(1 if problems else 0)


def _facts(theme: Theme) -> dict[str, Any]:
    own = theme.layers[0]
    return {
        "name": theme.name,
        "title": theme.title,
        "description": own.says.description,
        "inherits": theme.layers[1].name if len(theme.layers) > 1 else None,
        "options": {
            name: {"type": option.kind, "default": option.default, "description": option.description}
            for name, option in theme.declared.items()
        },
        "papers": {name: paper.title for name, paper in theme.papers.items()},
        "files": {path: own.blocks(path) for path in own.files},
    }

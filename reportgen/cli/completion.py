"""``reportgen completion``: what a shell needs to complete commands and options."""

from __future__ import annotations

import click

_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def command(ctx: click.Context, *, shell: str) -> None:
    """Print the script with which SHELL completes commands, options and formats when TAB is pressed.

    \b
    Examples:
      reportgen completion bash >> ~/.bashrc
      reportgen completion fish > ~/.config/fish/completions/reportgen.fish
    """
    from click.shell_completion import get_completion_class

    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    click.echo(made(ctx.find_root().command, {}, "reportgen", "_REPORTGEN_COMPLETE").source())

"""The command `polywire completion`: a script for a shell."""

from __future__ import annotations

import click

from polywire.commands.running import (
    Failure,
    verbatim,
)


@click.command(
    short_help="Print a completion script for a shell.",
    epilog=verbatim(
        "Examples:",
        "polywire completion bash > ~/.local/share/bash-completion/completions/polywire",
        'eval "$(polywire completion zsh)"',
        "polywire completion fish > ~/.config/fish/completions/polywire.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script that completes commands, options, targets and dialects in SHELL."""
    from click.shell_completion import get_completion_class

    complete = get_completion_class(shell)
    if complete is None:
        raise Failure(f"this version of click does not support completion in {shell}")
    click.echo(complete(ctx.find_root().command, {}, "polywire", "_POLYWIRE_COMPLETE").source())

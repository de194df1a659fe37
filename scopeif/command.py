"""What the commands share: how an error of ours ends them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from scopeif.errors import InvalidInputError, ScopeIFError

UNUSABLE = 2
"""Exit code of a command whose input cannot be used."""


@contextmanager
def errors_said(interrupted: str = "stopped", other: int = 1) -> Iterator[None]:
    """End the command with the message of an error, and no traceback; exit code 130 after Ctrl-C.

    Args:
        interrupted: what is said after Ctrl-C.
        other: exit code of errors that are not the input's.
    """
    try:
        yield
    except ScopeIFError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(UNUSABLE if isinstance(error, InvalidInputError) else other) from None
    except KeyboardInterrupt:
        typer.echo(f"\n{interrupted}", err=True)
        raise typer.Exit(130) from None

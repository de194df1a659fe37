"""Prompts: a file, filled in one pass, with a seal around what others wrote."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from scopeif.errors import InvalidInputError
from scopeif.reformbench.models import text_hash

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_SEAL_DIGITS = 12
_SEAL = "seal"


@dataclass(frozen=True)
class Prompt:
    """The text of a prompt's file, its placeholders unfilled."""

    name: str
    template: str

    @property
    def hash(self) -> str:
        """Of the file's text; records name it, so that it is known by which words they were made."""
        return text_hash(self.template)

    def filled(self, seal: str | None = None, **pieces: str) -> str:
        """The prompt with its pieces; `{seal}` becomes a hash of all of them, which no piece can contain.

        Args:
            seal: another such hash, where the answer is to be told by it.

        Raises:
            InvalidInputError: a placeholder without a piece, or a piece without a placeholder.
        """
        wanted = set(_PLACEHOLDER.findall(self.template)) - {_SEAL}
        if wanted != set(pieces):
            raise InvalidInputError(f"prompt {self.name!r} takes {sorted(wanted)}, not {sorted(pieces)}")
        fillings = {**pieces, _SEAL: seal or seal_of(pieces)}
        # In one pass: a chain of replacements would fill placeholders that stand in a question or a response.
        return _PLACEHOLDER.sub(lambda match: fillings[match[1]], self.template)


def seal_of(pieces: object) -> str:
    """A hash of pieces of text, as JSON holds them; no piece can contain it."""
    return hashlib.sha256(json.dumps(pieces, sort_keys=True).encode()).hexdigest()[:_SEAL_DIGITS]


@cache
def prompt(name: str) -> Prompt:
    """The prompt of this name."""
    file = files("scopeif.reformbench").joinpath("prompts", f"{name}.txt")
    return Prompt(name, file.read_text(encoding="utf-8").strip())


def hashes(*names: str) -> dict[str, str]:
    """The hashes of several prompts, by name."""
    return {name: prompt(name).hash for name in names}

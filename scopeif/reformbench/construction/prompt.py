"""Prompts of construction: a file, filled in one pass, with a seal around what others wrote."""

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

    def filled(self, **pieces: str) -> str:
        """The prompt with its pieces; `{seal}` becomes a hash of all of them, which no piece can contain.

        Raises:
            InvalidInputError: a placeholder without a piece, or a piece without a placeholder.
        """
        wanted = set(_PLACEHOLDER.findall(self.template)) - {_SEAL}
        if wanted != set(pieces):
            raise InvalidInputError(f"prompt {self.name!r} takes {sorted(wanted)}, not {sorted(pieces)}")
        seal = hashlib.sha256(json.dumps(pieces, sort_keys=True).encode()).hexdigest()[:_SEAL_DIGITS]
        # In one pass: a chain of replacements would fill placeholders that stand in a question.
        return _PLACEHOLDER.sub(lambda match: seal if match[1] == _SEAL else pieces[match[1]], self.template)


@cache
def prompt(name: str) -> Prompt:
    """The prompt of this name."""
    file = files("scopeif.reformbench").joinpath("prompts", f"{name}.txt")
    return Prompt(name, file.read_text(encoding="utf-8").strip())


def hashes(*names: str) -> dict[str, str]:
    """The hashes of several prompts, by name."""
    return {name: prompt(name).hash for name in names}

"""IFEval (Zhou et al. 2023, arXiv:2311.07911): a response to its four accuracies, by the checkers of `if-verifiable`.

*Strict* checks the response as it is. *Loose* also takes seven variants: without its first line, its last line, both,
and all four without asterisks. *Instruction* level counts instructions, *prompt* level prompts whose instructions are
all followed.

Where we differ from the library, and why:

- A checker that fails makes the instruction unverified. The library lets the error through or, where `langdetect` finds
  no language to tell (a response of digits alone), counts the instruction as followed.
- An empty response follows nothing; the library leaves its instructions out of the count.
- `langdetect` is seeded, and "at least 4 times #" counts #: the library draws a random letter, as Google's code does.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scopeif.errors import DataError, StackError

SOURCE = "ifeval"
"""The `data_source` of IFEval's rows."""

_LANGUAGE_TOLD = ("language:response_language", "change_case:english_capital", "change_case:english_lowercase")


@dataclass(frozen=True)
class IFEvalPrompt:
    """One prompt and what its checkers need.

    instructions: ids such as ``punctuation:no_comma``; kwargs: the arguments of each, in the same order.
    """

    key: int
    prompt: str
    instructions: tuple[str, ...]
    kwargs: tuple[Mapping[str, Any], ...]

    @classmethod
    def from_json(cls, row: Mapping[str, Any], place: str = "row") -> IFEvalPrompt:
        """A row of IFEval's file; arguments that are null are absent.

        Raises:
            DataError: a field is missing or of another kind.
        """
        try:
            kwargs = tuple({name: value for name, value in one.items() if value is not None} for one in row["kwargs"])
            prompt = cls(int(row["key"]), row["prompt"], tuple(row["instruction_id_list"]), kwargs)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(f"this is no row of IFEval: {type(error).__name__}: {error}", place=place) from None
        if not prompt.instructions or len(prompt.instructions) != len(kwargs):
            raise DataError(f"{len(prompt.instructions)} instructions and {len(kwargs)} sets of arguments", place=place)
        return prompt

    def to_json(self) -> dict[str, Any]:
        """The inverse of `from_json`."""
        return {
            "key": self.key,
            "prompt": self.prompt,
            "instruction_id_list": list(self.instructions),
            "kwargs": [dict(one) for one in self.kwargs],
        }

    @property
    def id(self) -> str:
        return f"{SOURCE}-{self.key}"


@dataclass(frozen=True)
class InstructionResult:
    """Whether an instruction is followed; None where its checker failed, which `fault` explains."""

    instruction: str
    strict: bool | None
    loose: bool | None
    fault: str = ""


def response_text(response: str, truncated: bool, thinking: bool) -> str:
    """The text that IFEval checks: a cut answer as far as it came, without thinking; "" if the thinking did not end.

    Args:
        response: the decoded response, without the stop token.
        truncated: whether the last generated token is none of the model's stop tokens.
        thinking: whether the model may think; some chat templates write the opening tag into the prompt.
    """
    head, closed, tail = response.partition("</think>")
    if closed:
        return tail.strip()
    return "" if "<think>" in head or (thinking and truncated) else head.strip()


def require_checkers() -> None:
    """Refuse an environment without IFEval's checkers; nothing is imported.

    Raises:
        StackError: `if-verifiable` is not installed.
    """
    if importlib.util.find_spec("if_verifiable") is None:
        raise StackError("IFEval's checkers (if-verifiable) are not installed", fix="pip install 'scopeif[eval]'")


class IFEvalChecker:
    """Checks responses; one for a process.

    Args:
        nltk_data: folder with ``tokenizers/punkt_tab/english``, as `scopeif data fetch ifeval` leaves it.

    Raises:
        StackError: `if-verifiable` is not installed.
    """

    def __init__(self, nltk_data: Path) -> None:
        require_checkers()
        import langdetect  # type: ignore[import-untyped]
        import nltk  # type: ignore[import-untyped]
        from if_verifiable.common import get_loose_transformations  # type: ignore[import-untyped]
        from if_verifiable.ifeval.instructions_registry import INSTRUCTION_DICT  # type: ignore[import-untyped]

        langdetect.DetectorFactory.seed = 0
        nltk.data.path.insert(0, str(nltk_data))
        self._detect = langdetect.detect
        self._variants = get_loose_transformations
        self._checkers = INSTRUCTION_DICT

    def check(self, prompt: IFEvalPrompt, text: str) -> list[InstructionResult]:
        """The result of every instruction of a prompt, in order.

        Args:
            prompt: the prompt.
            text: what `response_text` gives of the response.
        """
        pairs = zip(prompt.instructions, prompt.kwargs, strict=True)
        return [self._instruction(name, kwargs, text) for name, kwargs in pairs]

    def _instruction(self, name: str, kwargs: Mapping[str, Any], text: str) -> InstructionResult:
        faults: list[str] = []

        def followed(variant: str) -> bool | None:
            try:
                return self._followed(name, kwargs, variant)
            except Exception as error:  # noqa: BLE001 - whatever a checker raises, it is no verdict on the response
                faults.append(f"{type(error).__name__}: {error}".strip())
                return None

        strict = followed(text)
        loose = strict
        for variant in self._variants(text)[1:]:  # the first is the response as it is
            if loose:
                break
            found = followed(variant)
            loose = found if found or loose is False else None
        return InstructionResult(name, strict, loose, faults[0] if faults else "")

    def _followed(self, name: str, kwargs: Mapping[str, Any], text: str) -> bool:
        if not text.strip():
            return False
        checker = self._checkers[name](name)
        checker.build_description(**kwargs)
        if "letter" in kwargs:
            checker._letter = kwargs["letter"].lower()  # where it is no letter, the library draws one
        self._refuse_drawn(checker.get_instruction_args() or {}, kwargs)
        followed = bool(checker.check_following(text))
        if followed and name in _LANGUAGE_TOLD:
            self._detect(text)  # raises where the library could not tell the language and said "followed"
        return followed

    @staticmethod
    def _refuse_drawn(used: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        """The library replaces an argument that is absent or out of its bounds by a random one."""
        for name, value in used.items():
            if isinstance(value, (int, str)) and str(value).lower() != str(given.get(name)).lower():
                raise ValueError(f"the checker takes {value!r} for {name}={given.get(name)!r}")


ACCURACIES = tuple(
    f"{name}_{mode}{bound}"
    for mode in ("strict", "loose")
    for name in ("prompt", "inst")
    for bound in ("", "_low", "_high")
)
"""The accuracies among `ifeval_metrics`."""


def ifeval_metrics(prompts: Sequence[Sequence[InstructionResult]]) -> dict[str, float]:
    """The four accuracies over all prompts' results, with their intervals.

    Returns:
        `prompt_strict`, `inst_strict`, `prompt_loose`, `inst_loose` over what was verified (absent where nothing was),
        each with `_low` and `_high`, which read every unverified instruction as not followed and as followed; and
        `unverified_frac` (of the instructions), `prompts` and `instructions` (counts).
    """
    metrics: dict[str, float] = {}
    for mode in ("strict", "loose"):
        results = [[one.strict if mode == "strict" else one.loose for one in prompt] for prompt in prompts]
        metrics |= _accuracy(f"prompt_{mode}", [_all(prompt) for prompt in results])
        metrics |= _accuracy(f"inst_{mode}", [one for prompt in results for one in prompt])
    instructions = [one for prompt in prompts for one in prompt]
    unverified = sum(one.strict is None or one.loose is None for one in instructions)
    metrics["unverified_frac"] = unverified / len(instructions)
    metrics["prompts"] = float(len(prompts))
    metrics["instructions"] = float(len(instructions))
    return metrics


def _all(results: Sequence[bool | None]) -> bool | None:
    """Whether all are followed: not as soon as one is not, else unknown where one is unknown."""
    if False in results:
        return False
    return None if None in results else True


def _accuracy(name: str, values: Sequence[bool | None]) -> dict[str, float]:
    known = [value for value in values if value is not None]
    metrics = {name: sum(known) / len(known)} if known else {}
    metrics[f"{name}_low"] = sum(known) / len(values)
    metrics[f"{name}_high"] = 1 - known.count(False) / len(values)
    return metrics

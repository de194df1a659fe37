"""What a judge reads: an instruction, the constraints to assess, and a response whose author it is not told.

The pieces stand between lines that bear a seal, a hash of all of them. A response cannot contain the hash of itself, so
that no line of it ends the fence around it, and no result that it holds passes for the judge's own (`judge_reading`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from scopeif.errors import DataError, InvalidInputError
from scopeif.reformbench.models import CONSTRAINTS_PER_VARIANT, Requirement, Response, Variant
from scopeif.reformbench.prompt_file import prompt, seal_of

PROMPT = "judge_constraints"


@dataclass(frozen=True)
class Assessed:
    """A response to be judged, and on which requirements of its variant.

    Args:
        variant: the variant whose requirements are assessed.
        response: of kind `variant` (all three are assessed) or `single` (one is).
        instruction: the text that the model was asked; of a single-constraint response, its single-constraint version.

    Raises:
        InvalidInputError: the response answers something else than this variant.
    """

    variant: Variant
    response: Response
    instruction: str

    def __post_init__(self) -> None:
        if self.response.kind == "unconstrained" or self.response.item != self.variant.id:
            what = f"response {self.response.id!r} ({self.response.kind}) answers {self.response.item!r}"
            raise InvalidInputError(f"{what}, not variant {self.variant.id!r}")

    @property
    def positions(self) -> tuple[int, ...]:
        """The requirements that are assessed, by their position in the variant."""
        if self.response.position is not None:
            return (self.response.position,)
        return tuple(range(CONSTRAINTS_PER_VARIANT))

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """The same, themselves."""
        return tuple(self.variant.requirements[position] for position in self.positions)

    @property
    def seal(self) -> str:
        """A hash that stands in none of the pieces: of the instruction, the requirements and the response."""
        asked = [(one.text, one.acceptance) for one in self.requirements]
        return seal_of([self.instruction, asked, self.response.text])

    def prompt(self) -> str:
        """The judge's prompt; nothing in it names the evaluated model."""
        count = len(self.requirements)
        return prompt(PROMPT).filled(
            seal=self.seal,
            instruction=self.instruction,
            constraints="\n\n".join(
                f"Constraint {number}: {one.text}\nAcceptance criterion: {one.acceptance}"
                for number, one in enumerate(self.requirements, start=1)
            ),
            response=self.response.text,
            count="1 constraint" if count == 1 else f"{count} constraints",
        )


def assessed(
    variants: Iterable[Variant], responses: Iterable[Response], singles: Mapping[tuple[str, int], str] | None = None
) -> Iterator[Assessed]:
    """The responses with what each is judged on, one by one; unconstrained ones are left out.

    Args:
        singles: the single-constraint instructions by variant and position, for responses of kind `single`.

    Raises:
        DataError: a response to an unknown variant, or to a single-constraint instruction that is not given.
    """
    known = {variant.id: variant for variant in variants}
    for response in responses:
        if response.kind == "unconstrained":
            continue
        place = f"response {response.id!r}"
        if (variant := known.get(response.item)) is None:
            raise DataError(f"variant {response.item!r} is unknown", place=place, fix="give the variants it belongs to")
        instruction = variant.instruction
        if response.position is not None:
            try:
                instruction = (singles or {})[variant.id, response.position]
            except KeyError:
                what = f"the single-constraint instruction {response.position} of variant {variant.id!r} is not given"
                raise DataError(what, place=place) from None
        yield Assessed(variant, response, instruction)

"""A witness of a variant of `reform_mini`: its plain answer, given the format that the three requirements ask for.

    witness_of(variant, "en")       # raises where the text does not satisfy all three by their specs

What is forbidden is not written, what is required is added; a requirement for a single block or line leaves all blocks
out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scopeif.errors import DataError
from scopeif.reformbench.construction.witnessing import Witness
from scopeif.reformbench.judging.third_opinion import opinion
from scopeif.reformbench.mini.answers import plain_answers
from scopeif.reformbench.mini.blocks import Marks, Writer, marks_of
from scopeif.reformbench.models import Language, Variant

BY = "scopeif.reformbench.mini"
_LEAST_PARAGRAPHS = 3
_COUNTED = (("section_divider", "parts"), ("line_breaks_and_spacing", "blocks"))
"""Requirements that need so many blocks."""
_NAMED = (("section_headings", "names"), ("labels_and_tags", "tags"))
"""Requirements that need a block for each name."""
Asked = dict[str, dict[str, Any]]
"""The parameters of the required features."""


def witness_of(variant: Variant, language: Language) -> Witness:
    """The witness of a variant.

    Raises:
        DataError: the text violates a requirement, or measuring cannot tell.
    """
    required = {one.feature: dict(one.parameters) for one in variant.requirements if one.mode == "require"}
    forbidden = {one.feature for one in variant.requirements if one.mode == "forbid"}
    text = _text(Writer(plain_answers()[variant.question], language), required, forbidden)
    for number, requirement in enumerate(variant.requirements, start=1):
        if opinion(requirement, text) != 1:
            what = f"requirement {number}, {requirement.mode} {requirement.feature}"
            raise DataError(
                f"the witness does not satisfy {what}: {text!r}",
                place=f"variant {variant.id!r}",
                fix="leave the feature out of the features of build.yaml, or let the witness builder know it",
            )
    return Witness(variant=variant.id, text=text, by=BY)


def _text(writer: Writer, asked: Asked, forbidden: set[str]) -> str:
    marks = next((found for name, of in asked.items() if any(found := marks_of(name, of))), None)
    if "single_text_block" in asked and asked["single_text_block"]["unit"] == "sentence":
        return writer.closing(marks or Marks())
    closing = [writer.closing(marks)] if marks else []
    if "single_text_block" in asked or "line_breaks_and_spacing" in forbidden:
        return " ".join([*writer.paragraphs(1), *closing])
    blocks = [*_body(writer, asked), *closing]
    return "\n\n".join(_structured(writer, asked, blocks))


def _body(writer: Writer, asked: Asked) -> Iterator[str]:
    """The blocks of the answer below its structure."""
    needed = [asked[name][key] for name, key in _COUNTED if name in asked]
    needed += [len(asked[name][key]) for name, key in _NAMED if name in asked]
    paragraphs = writer.paragraphs(max(_LEAST_PARAGRAPHS, *needed, 0))
    tags = asked.get("labels_and_tags", {"tags": ()})["tags"]
    for number, paragraph in enumerate(paragraphs):
        yield f"{writer.tag(tags[number])}{paragraph}" if number < len(tags) else paragraph
    if "bullet_list" in asked:
        yield "\n".join(f"- {said}" for said in writer.items(asked["bullet_list"]["items"]))
    if "checklist" in asked:
        yield "\n".join(f"- [ ] {said}" for said in writer.items(asked["checklist"]["items"]))
    if "numbered_enumeration" in asked:
        items = writer.items(asked["numbered_enumeration"]["items"])
        yield "\n".join(f"{number}. {said}" for number, said in enumerate(items, start=1))
    if "nested_list" in asked:
        yield writer.nested(**asked["nested_list"])
    if "table_or_grid" in asked:
        yield writer.table(**asked["table_or_grid"])


def _structured(writer: Writer, asked: Asked, blocks: list[str]) -> list[str]:
    """With notes, dividers, headings and title among the blocks."""
    if "callout_or_note_block" in asked:
        note = asked["callout_or_note_block"]
        for number in range(note["count"]):  # apart from each other, since block quotes in a row are one
            blocks.insert(2 * number + 1, writer.note(note["label"], number))
    if "section_divider" in asked:
        parts = asked["section_divider"]["parts"]
        for number in range(parts - 1, 0, -1):
            blocks.insert(number, asked["section_divider"]["marker"])
    if "section_headings" in asked:
        names = asked["section_headings"]["names"]
        for number in range(len(names) - 1, -1, -1):
            blocks.insert(number, f"## {names[number]}")
    if "document_title" in asked:
        blocks.insert(0, writer.title)
    return blocks

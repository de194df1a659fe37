"""A small benchmark that measuring alone can label: one question, three variants that share targets."""

from __future__ import annotations

from pathlib import Path

from scopeif.reformbench.catalog.templates import instantiate
from scopeif.reformbench.construction.stage import write_rows
from scopeif.reformbench.models import Question, Requirement, Response, Variant, text_hash

LISTED = "- Sow the seeds.\n- Water the bed.\n\nCall me when they sprout."
PLAIN = "Sow the seeds and water the bed."


def requirement(feature, mode, **parameters) -> Requirement:
    return instantiate(feature, mode, parameters, "en")


NO_BULLETS = requirement("bullet_list", "forbid")
HEADINGS = requirement("section_headings", "require", names=("Sow", "Water"))
NO_EMPHASIS = requirement("typographic_emphasis", "forbid")
NO_TABLE = requirement("table_or_grid", "forbid")
UNMEASURED = requirement("call_to_action", "forbid")


def question(name="q") -> Question:
    return Question(
        id=name, text=f"How do I start a bed ({name})?", language="en", domain="nature", task="solution_design",
        source="own", licence="CC0-1.0",
    )  # fmt: skip


def variant(name, *requirements, of="q") -> Variant:
    text = " ".join(one.text for one in requirements)
    return Variant(id=name, question=of, instruction=f"How do I start a bed? {text}", requirements=requirements)


VARIANTS = (
    variant("v1", NO_BULLETS, HEADINGS, NO_EMPHASIS),
    variant("v2", NO_BULLETS, HEADINGS, NO_TABLE),
    variant("v3", NO_BULLETS, NO_EMPHASIS, NO_TABLE),
)


def response(of: str, text: str, model="mine", kind="variant", **more) -> Response:
    return Response(
        id=f"{model}-{of}-{more.get('position', '')}", model=model, kind=kind, item=of, prompt_hash=text_hash(of),
        text=text, **more,
    )  # fmt: skip


def write_benchmark(folder: Path, variants=VARIANTS) -> Path:
    """Write a benchmark's folder; returns the file of its variants."""
    folder.mkdir(parents=True, exist_ok=True)
    names = dict.fromkeys(one.question for one in variants)
    write_rows(folder / "questions.jsonl", [question(name) for name in names])
    write_rows(folder / "variants.jsonl", variants)
    return folder / "variants.jsonl"

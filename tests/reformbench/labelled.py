"""Variants, responses and labels of two judges, for tests of everything between judging and calibration."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from scopeif.reformbench.adjudication.strata import Instance, Pair
from scopeif.reformbench.judging.prompt import Assessed
from scopeif.reformbench.models import Judgment, Requirement, Response, Variant, text_hash

CATEGORIES = ("lists", "structure", "closing")
FEATURES = ("bullet_list", "section_headings", "call_to_action")
MODES = ("forbid", "require", "forbid")


def requirement(position: int, **changes: Any) -> Requirement:
    given = {
        "feature": FEATURES[position],
        "mode": MODES[position],
        "category": CATEGORIES[position],
        "text": f"Keep rule {position}.",
        "acceptance": f"Rule {position} is kept.",
    }
    return Requirement.model_validate({**given, **changes})


def variant(name: str = "v1", question: str = "q", **of_first: Any) -> Variant:
    """A variant; `of_first` changes its first requirement."""
    requirements = tuple(requirement(position, **(of_first if position == 0 else {})) for position in range(3))
    return Variant(id=name, question=question, instruction=f"Tell me of {name}.", requirements=requirements)


def response(of: str = "v1", model: str = "m", text: str = "The sea.", **changes: Any) -> Response:
    given = {"id": f"{model}-{of}", "model": model, "kind": "variant", "item": of, "text": text}
    return Response.model_validate({**given, "prompt_hash": text_hash(of), **changes})


def item(name: str = "v1", model: str = "m", text: str = "The sea.") -> Assessed:
    of = variant(name)
    return Assessed(of, response(name, model, text), of.instruction)


def judgment(judge: str, label: int | None, instance: Instance, text: str = "The sea.") -> Judgment:
    return Judgment(
        judge=judge,
        **instance._asdict(),
        response_hash=text_hash(text),
        label=label,
        evidence="" if label is None else f"{judge} says {label}",
        reason="parse: no JSON" if label is None else "",
    )


def pair(first: int | None, second: int | None, number: int = 0, position: int = 0, model: str = "m") -> Pair:
    """Two labels of one constraint of variant `v<number>`."""
    name = f"v{number}"
    instance = Instance(model, name, position, f"{model}-{name}")
    return Pair(instance, requirement(position), judgment("g", first, instance), judgment("h", second, instance))


def items_of(population: Sequence[Pair]) -> list[Assessed]:
    """The responses of these pairs."""
    names = dict.fromkeys((one.instance.variant, one.instance.model) for one in population)
    return [item(name, model) for name, model in names]


def said(seal: str, *labels: Any, quotes: Sequence[str] = (), **changes: Any) -> str:
    """A judge's answer in the form that is asked for."""
    entries = [
        {"constraint": number, "evidence": f"looked at {number}", "quotes": list(quotes), "label": label}
        for number, label in enumerate(labels, start=1)
    ]
    return f"```json\n{json.dumps({'judgments': entries, 'seal': seal, **changes})}\n```"


def seal_in(request: dict[str, Any]) -> str:
    """The seal of the prompt that a judge was sent."""
    prompt: str = request["messages"][0]["content"]
    return prompt.partition("=== instruction ")[2].partition(" ")[0]

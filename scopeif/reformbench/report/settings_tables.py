"""Tables A13 and A14: with what settings models answered and judges judged, and how many answers there are.

Settings are those that stand in the responses and in the judges' files; what they do not say is not known.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scopeif.errors import DataError
from scopeif.reformbench.judging.judging import file_of
from scopeif.reformbench.models import Response
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.places import MAIN, PROMPTED, SINGLE, UNCONSTRAINED, Asked
from scopeif.reformbench.report.table import DASH, Table, Value, count, plural
from scopeif.reformbench.rows import objects

_SETTINGS = ("temperature", "top_p", "top_k", "reasoning", "max_tokens", "thinking_budget")
_HEADS = ("Temperature", "Top-p", "Top-k", "Reasoning control", "Output limit (tokens)", "Thinking budget (tokens)")
_KINDS = {
    MAIN: "Main",
    UNCONSTRAINED: "Unconstrained baseline",
    SINGLE: "Single-constraint",
    PROMPTED: "Prompting",
}


def table_a13(material: Material) -> Table:
    """Each model's predominant settings."""
    by_model: dict[str, list[Response]] = {}
    for response in material.responses(MAIN):
        by_model.setdefault(response.model, []).append(response)
    if not by_model:
        raise DataError("there are no responses to variants", fix=material.places.answer(MAIN))
    order = _evaluated_first(by_model, material)
    rows: list[list[str]] = []
    data: list[list[Value]] = []
    notes = ["The predominant settings of each model's requests; blank settings were left to the server."]
    for model in order:
        responses = by_model[model]
        found = Counter(tuple(_known(response.settings).items()) for response in responses)
        (settings, times), *others = sorted(found.items(), key=lambda one: (-one[1], str(one[0])))
        values = [value for _, value in settings]
        truncated = sum(response.truncated for response in responses)
        empty = sum(not response.text.strip() for response in responses)
        rows.append([model, *(_said(value) for value in values), count(truncated), count(empty)])
        data.append([model, *values, len(responses), times, truncated, empty])
        if others:
            notes.append(f"{model}: {count(len(responses) - times)} of {count(len(responses))} were asked otherwise.")
    return Table(
        name="table_a13",
        title="Table A13. Generation settings",
        head=["Model", *_HEADS, "Truncated", "Empty"],
        rows=rows,
        data_head=["model", *_SETTINGS, "responses", "with_these_settings", "truncated", "empty"],
        data=data,
        notes=[*notes, "Truncated responses are judged as they are."],
    )


def table_a14(material: Material) -> Table:
    """The final answers by what was asked, and the judges."""
    rows: list[list[str]] = []
    data: list[list[Value]] = []
    total = 0
    for asked, name in _KINDS.items():
        by_model = Counter(response.model for response in material.responses(asked))
        total += by_model.total()
        for what, models in _split(asked, name, by_model, material).items():
            number = sum(by_model[model] for model in models)
            rows.append([f"{what} generations", count(number), plural(len(models), "model") if models else DASH])
        data += [[asked.folder, model, number] for model, number in sorted(by_model.items())]
    rows.append(["All generations", count(total), DASH])
    for name, given in _judges(material):
        rows.append([f"Judge {name}", DASH, given])
    return Table(
        name="table_a14",
        title="Table A14. Workload and judges",
        head=["Item", "Count", "Setting"],
        rows=rows,
        data_head=["responses", "model", "count"],
        data=data,
        notes=["Sizes of models, hardware and prices are not recorded with responses, and not reported."],
    )


def _split(asked: Asked, name: str, models: Iterable[str], material: Material) -> dict[str, list[str]]:
    """The models by what their answers are for: unconstrained ones of additional models are for coverage."""
    if asked != UNCONSTRAINED:
        return {name: list(models)}
    extracted = {row.model for row in material.folder.extractions()}
    additional = [model for model in models if model in extracted and model not in _order(material)]
    return {name: [model for model in models if model not in additional], "Coverage": additional}


def _known(settings: Mapping[str, Any]) -> dict[str, Value]:
    """The settings of Table A13, None where a request did not say one."""
    extra = settings.get("extra_body") or {}
    template = extra.get("chat_template_kwargs") or {}
    thinking = template.get("enable_thinking", extra.get("enable_thinking"))
    reasoning = settings.get("reasoning_effort")
    if reasoning is None and thinking is not None:
        reasoning = "Enabled" if thinking else "Disabled"
    budget = next((one["thinking_budget"] for one in (extra, template) if "thinking_budget" in one), None)
    values = (
        *(settings.get("temperature"), settings.get("top_p", extra.get("top_p"))),
        *(settings.get("top_k", extra.get("top_k")), reasoning, settings.get("max_tokens"), budget),
    )
    return {name: _plain(value) for name, value in zip(_SETTINGS, values, strict=True)}


def _plain(value: Any) -> Value:
    return value if value is None or isinstance(value, str | int | float) else json.dumps(value, sort_keys=True)


def _said(value: Value) -> str:
    if value is None:
        return DASH
    return count(value) if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else value


def _judges(material: Material) -> list[tuple[str, str]]:
    """The judges with what their labels were given under, as their files say it; none where there is no judging."""
    try:
        names = material.judges(MAIN)
    except DataError:
        return []
    found = []
    for name in names:
        path = file_of(material.places.judging_of(MAIN), name)
        head = next(objects(path), ({}, ""))[0] if path.exists() else {}
        given = head.get("given")
        known = given if isinstance(given, dict) else {}
        said = [f"{key} {known[key]}" for key in ("model", "reasoning_effort", "temperatures") if known.get(key)]
        found.append((name, ", ".join(said) or DASH))
    return found


def _evaluated_first(models: Mapping[str, Sequence[Response]], material: Material) -> list[str]:
    order = _order(material)
    return sorted(models, key=lambda model: (order.get(model, len(order)), model))


def _order(material: Material) -> Mapping[str, int]:
    """The place of each evaluated model; none where nothing is evaluated."""
    try:
        return material.order
    except DataError:
        return {}

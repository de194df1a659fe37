"""The spec reference: Markdown tables written from the models' JSON schema, so that they cannot disagree with them.

python -m scopeif.constraints.reference docs/constraints.md    # renew the part between the two marks in a file
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, get_args

from scopeif.constraints import spec
from scopeif.errors import DataError

BEGIN = "<!-- spec reference: written by scopeif.constraints.reference -->"
END = "<!-- spec reference: end -->"

_Schema = dict[str, Any]
_TABLES = {
    "A spec and its clauses": ("Spec", "Clause"),
    "Selections": ("Each", "At", "Where"),
    "Predicates": tuple(model.__name__ for model in get_args(get_args(spec.Predicate)[0])),
    "Measures": tuple(model.__name__ for model in get_args(get_args(spec.Measure)[0])),
    "Ranges": ("Bounds", "Relative"),
    "What a relative range compares with": ("Previous", "Named", "Same"),
}
_UNIONS = {
    "Each": "selection",
    "Contains": "predicate",
    "Length": "measure",
    "Bounds": "range",
    "Previous": "one of those below",
}
_TYPES = {"string": "text", "integer": "integer", "number": "number", "boolean": "true or false"}


def reference() -> str:
    """One table for each kind of form, and the closed lists that they name."""
    models: _Schema = spec.Spec.model_json_schema()
    models["$defs"]["Spec"] = models
    lines: list[str] = []
    for title, names in _TABLES.items():
        lines += ["", f"### {title}", "", "| form | meaning | fields |", "|---|---|---|"]
        lines += [_row(name, models["$defs"][name]) for name in names]
    units, classes = get_args(spec.Unit), get_args(spec.CharacterClass)
    lines += ["", f"Units: {_listed(units)}.", "", f"Character classes: {_listed(classes)}."]
    return "\n".join(lines).strip()


def renewed(document: str) -> str:
    """A document with the reference between its marks brought up to date.

    Raises:
        DataError: the marks are missing.
    """
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise DataError("the marks of the spec reference are missing", fix=f"put in the lines {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN}\n\n{reference()}\n\n{END}{after}"


def _row(name: str, model: _Schema) -> str:
    """How a form is told from the others, what it means, its fields."""
    told = next((field for field in model["properties"].values() if "const" in field), None)
    form = str(told["const"]) if told else name.lower()
    required = model.get("required", ())
    fields = [_field(key, field, key in required) for key, field in model["properties"].items() if field is not told]
    return f"| `{form}` | {_prose(model['description'])} | {'; '.join(fields) or '-'} |"


def _prose(docstring: str) -> str:
    return " ".join(docstring.split()).replace("``", "`").replace("|", "\\|")


def _field(name: str, field: _Schema, required: bool) -> str:
    text = f"`{name}`: {_type(field)}"
    if required:
        return text
    default = field.get("default")
    said = {None: "none", True: "true", False: "false"}.get(default) if not isinstance(default, list | float) else None
    said = said or ("empty" if default == [] else f"`{default}`")
    return f"{text} ({said} if left out)"


def _type(field: _Schema) -> str:
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2].lower()
    if "enum" in field:
        values = tuple(field["enum"])
        return {get_args(spec.Unit): "unit", get_args(spec.CharacterClass): "class"}.get(values) or _listed(values)
    if field.get("type") == "array":
        return f"list of {_type(field['items'])}s"
    choices = field.get("oneOf") or field.get("anyOf")
    if not choices:
        return _TYPES[field["type"]]
    first = choices[0].get("$ref", "").rpartition("/")[2]
    if first in _UNIONS:
        return "amount" if first == "Length" and len(choices) == len(spec.AMOUNTS) else _UNIONS[first]
    names = dict.fromkeys(_type(choice) for choice in choices if choice.get("type") != "null")
    return "number" if "number" in names else " or ".join(names)


def _listed(values: tuple[str, ...]) -> str:
    return ", ".join(f"`{value}`" for value in values)


def main() -> None:
    """Renew the reference in the files that are named."""
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()

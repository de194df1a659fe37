"""Rows of the official ScopeIF release, read as they are.

    {"id": 0, "prompt": "...",
     "constraints": [{"constraint": "...", "category": {"scope": "Traversal(Paragraph)", "primary_target": "Capacity",
                      "secondary_target": "Unit Count", "range": "Equality"}}],
     "targets": ["```json [{\"counting_object\": \"...\", \"type\": \"Universal\"}] ```"]}

`targets[i]` holds the counting objects of constraint i as a fenced JSON text. The texts were written by language
models, so names are read in any case, number and spacing, by their beginning ("Ordering"), and a scope also with free
words around its unit (``Position(the last sentence)``). What was read otherwise than it is spelled stands in
``provenance["spelled"]``. What cannot be read is a fault of the row.

Such a row has no language and no split: Chinese is told by its characters, the split by the caller.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from string import ascii_letters
from typing import Any, Literal, NamedTuple, TypeVar

from scopeif.constraints import strict_json
from scopeif.constraints.faults import did_you_mean, fault
from scopeif.constraints.spelling import member_of, plain_key, plain_keys, read_scope
from scopeif.constraints.taxonomy import PRIMARY_OF, PrimaryTarget, RangeCategory, SecondaryTarget
from scopeif.errors import DataError, ScopeTextError

Split = Literal["train", "test"]
_E = TypeVar("_E", bound=Enum)

_ROW_KEYS = ("id", "prompt", "constraints", "targets", "language", "split")
_TYPES = ("universal", "specific")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[^\W\d_\u3400-\u9fff\uf900-\ufaff]+")


class Converted(NamedTuple):
    """An official row in our layout, and the faults met on the way."""

    row: dict[str, Any]
    faults: list[DataError]


def is_official(row: Mapping[str, Any]) -> bool:
    """Whether a row has the layout of the official release rather than ours."""
    constraints = row.get("constraints")
    first = constraints[0] if isinstance(constraints, list) and constraints else None
    return "targets" in row or (isinstance(first, dict) and ("constraint" in first or "category" in first))


def from_official(row: Mapping[str, Any], place: str, number: int, split: Split) -> Converted:
    """An official row in our layout.

    Args:
        row: the official row.
        place: file and line, for the faults.
        number: the row's number, its id where it has none.
        split: the split of a row that names none.
    """
    reader = _Reader(place)
    made: dict[str, Any] = {"id": str(number), "language": row.get("language"), "split": row.get("split") or split}
    id_ = row.get("id")
    if isinstance(id_, (str, int)) and not isinstance(id_, bool):
        made["id"] = str(id_)
    elif id_ is not None:
        reader.fault("id", _wrong_type(id_, "a string or whole number"))
    prompt = row.get("prompt")
    if isinstance(prompt, str):
        made["prompt"] = prompt
        made["language"] = made["language"] or language_of(prompt)
    else:
        reader.fault("prompt", _wrong_type(prompt, "a string"))
    made["constraints"] = reader.constraints(row.get("constraints"), row.get("targets"))
    further = {key: value for key, value in row.items() if key not in _ROW_KEYS and value is not None}
    for key in further:
        if near := did_you_mean(key, [known for known in _ROW_KEYS if row.get(known) is None]):
            reader.fault(key, f"unknown field{near}")
    made["provenance"] = {"source": "official", **({"spelled": reader.spelled} if reader.spelled else {}), **further}
    return Converted(made, reader.faults)


def language_of(text: str) -> str:
    """``zh`` where there are at least half as many Chinese characters as words in other scripts, else ``en``."""
    han = len(_HAN.findall(text))
    return "zh" if han and 2 * han >= len(_WORD.findall(text)) else "en"


class _Reader:
    def __init__(self, place: str) -> None:
        self.place = place
        self.faults: list[DataError] = []
        self.spelled: dict[str, str] = {}

    def fault(self, field: str, reason: str, fix: str | None = None) -> None:
        self.faults.append(fault(self.place, field, reason, fix))

    def constraints(self, constraints: object, targets: object) -> list[dict[str, Any]]:
        if not isinstance(constraints, list):
            self.fault("constraints", _wrong_type(constraints, "an array"))
            return []
        if not isinstance(targets, list):
            self.fault("targets", _wrong_type(targets, "an array"), "give the counting objects of each constraint")
            targets = None
        elif len(targets) != len(constraints):
            self.fault("targets", f"{len(targets)} for {len(constraints)} constraints", "give one for each constraint")
            targets = None
        made = []
        for index, constraint in enumerate(constraints):
            field = f"constraints[{index}]"
            if not isinstance(constraint, dict):
                self.fault(field, _wrong_type(constraint, "an object"))
                continue
            one = self._constraint(constraint, field)
            if targets is not None:
                one["counting_objects"] = self._objects(targets[index], f"targets[{index}]")
            made.append(one)
        return made

    def _constraint(self, constraint: dict[str, Any], field: str) -> dict[str, Any]:
        made: dict[str, Any] = {"spec": constraint.get("spec")} if constraint.get("spec") is not None else {}
        made["text"] = self._text(constraint, ("constraint", "text"), field)
        category = constraint.get("category")
        self._refuse_further(constraint, ("constraint", "text", "category", "spec"), field)
        if not isinstance(category, dict):
            self.fault(f"{field}.category", _wrong_type(category, "an object"))
            return made
        names = {plain_key(key): key for key in category}
        inside = f"{field}.category"
        secondary = self._named(SecondaryTarget, category, names, "secondary_target", inside)
        primary_key = names.get("primarytarget")
        if primary_key is None and secondary is not None:
            primary: PrimaryTarget | None = PRIMARY_OF[secondary]
        else:
            primary = self._named(PrimaryTarget, category, names, "primary_target", inside)
        if primary and secondary and PRIMARY_OF[secondary] is not primary:
            reason = f"{secondary.value!r} is a subcategory of {PRIMARY_OF[secondary].value}, not of {primary.value}"
            self.fault(f"{inside}.secondary_target", reason)
        range_ = self._named(RangeCategory, category, names, "range", inside)
        made["scope"] = self._scope(category, names, inside)
        made["target"] = {"primary": primary and primary.value, "secondary": secondary and secondary.value}
        made["range"] = range_ and range_.value
        self._refuse_further(category, ("scope", "primary_target", "secondary_target", "range"), inside)
        return made

    def _text(self, row: dict[str, Any], keys: tuple[str, ...], field: str) -> str | None:
        value = next((row[key] for key in keys if row.get(key) is not None), None)
        if not isinstance(value, str):
            self.fault(f"{field}.{keys[0]}", _wrong_type(value, "a string"))
            return None
        return value

    def _named(
        self, kind: type[_E], category: dict[str, Any], names: dict[str, str], key: str, field: str
    ) -> _E | None:
        """The member of a vocabulary that a category's field names."""
        field = f"{field}.{key}"
        value = category.get(names.get(plain_key(key), key))
        if not isinstance(value, str):
            self.fault(field, _wrong_type(value, "a string"))
            return None
        member = member_of(kind, value)
        if member is None:
            known = [str(one.value) for one in kind]
            self.fault(field, f"{value!r} is none of {', '.join(known)}{did_you_mean(value, known)}")
        elif member.value != value:
            self.spelled[field] = value
        return member

    def _scope(self, category: dict[str, Any], names: dict[str, str], field: str) -> str | None:
        field = f"{field}.scope"
        value = category.get(names.get("scope", "scope"))
        if not isinstance(value, str):
            self.fault(field, _wrong_type(value, "a string"))
            return None
        try:
            scope = read_scope(value)
        except ScopeTextError as error:
            self.fault(field, error.message, error.fix)
            return None
        if scope != value:
            self.spelled[field] = value
        return scope

    def _objects(self, target: object, field: str) -> list[dict[str, Any]]:
        if isinstance(target, str):
            try:
                target = strict_json.loads(_unfenced(target))
            except ValueError as error:
                self.fault(field, f"holds no JSON array of counting objects: {error}")
                return []
        target = [target] if isinstance(target, dict) else target
        if not isinstance(target, list) or not target:
            self.fault(field, "holds no counting object")
            return []
        return [self._object(one, f"{field}[{index}]") for index, one in enumerate(target)]

    def _object(self, one: object, field: str) -> dict[str, Any]:
        if not isinstance(one, dict):
            self.fault(field, _wrong_type(one, "an object"))
            return {}
        keys = {plain_key(key): value for key, value in one.items()}
        text, kind = keys.get("countingobject", keys.get("object")), keys.get("type")
        if not isinstance(text, str) or not text.strip():
            self.fault(f"{field}.counting_object", "is empty" if text == "" else _wrong_type(text, "a string"))
        plain = kind.strip().casefold() if isinstance(kind, str) else None
        if plain is None:
            self.fault(f"{field}.type", _wrong_type(kind, "a string"))
        elif plain not in _TYPES:
            self.fault(f"{field}.type", f"{kind!r} is neither Universal nor Specific{did_you_mean(plain, _TYPES)}")
        self._refuse_further(one, ("counting_object", "object", "type"), field)
        return {"object": text, "type": plain}

    def _refuse_further(self, row: dict[str, Any], known: tuple[str, ...], field: str) -> None:
        for key, value in row.items():
            if plain_key(key) not in plain_keys(known) and value is not None:
                self.fault(f"{field}.{key}", f"unknown field{did_you_mean(key, known)}")


def _unfenced(text: str) -> str:
    """A text without the code fence around it, if there is one."""
    text = text.strip()
    if text[:3] not in ("```", "~~~"):
        return text
    return text.strip(text[0]).lstrip(ascii_letters)


def _wrong_type(value: object, wanted: str) -> str:
    return "Field required" if value is None else f"is a JSON {strict_json.type_name(value)}, not {wanted}"

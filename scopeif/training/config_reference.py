"""The table of own config keys in docs/configuration.md, written from the typed settings.

python -m scopeif.training.config_reference docs/configuration.md
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from scopeif.training.settings import Settings

BEGIN, END = "<!-- keys: written by scopeif.training.config_reference -->", "<!-- end of keys -->"
_HEAD = "| key | default | values | meaning |\n|---|---|---|---|\n"
_REQUIRED = object()
_NAMES = {int: "whole number", float: "number", bool: "true, false", str: "text", Path: "path", dict: "mapping"}
_BOUNDS = {"Ge": ("ge", "≥"), "Gt": ("gt", ">"), "Le": ("le", "≤"), "Lt": ("lt", "<")}


def with_keys(page: str) -> str:
    """The page with its table of keys as the settings have them now.

    Raises:
        ValueError: the page lacks the two marks.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the page lacks {BEGIN!r} or {END!r}")
    return f"{before}{BEGIN}\n\n{''.join(_sections())}{END}{after}"


def _sections() -> Iterator[str]:
    """A table of the keys outside sections, then one for each section."""
    fields = Settings.model_fields
    plain = [_row(name, field, _default_of(field)) for name, field in fields.items() if not _section(field.annotation)]
    yield _HEAD + "".join(plain) + "\n"
    for name, field in fields.items():
        section = _section(field.annotation)
        if section is not None:
            rows = "".join(_rows(section, f"{name}.", _default_of(field)))
            yield f"**{name}**: {field.description}\n\n{_HEAD}{rows}\n"


def _rows(section: type[BaseModel], prefix: str, defaults: Any) -> Iterator[str]:
    """Rows of a section; `defaults` is the instance that its parent has by default, where there is one."""
    for name, field in section.model_fields.items():
        default = getattr(defaults, name) if isinstance(defaults, section) else _default_of(field)
        inner = _section(field.annotation)
        if inner is None:
            yield _row(prefix + name, field, default)
        else:
            yield from _rows(inner, f"{prefix}{name}.", default)


def _default_of(field: FieldInfo) -> Any:
    return _REQUIRED if field.is_required() else field.get_default(call_default_factory=True)


def _row(key: str, field: FieldInfo, default: Any) -> str:
    meaning = " ".join((field.description or "").split()).replace("|", "\\|").replace("<", "&lt;")
    return f"| `{key}` | {_shown(default)} | {_values(field)} | {meaning} |\n"


def _section(annotation: Any) -> type[BaseModel] | None:
    """The settings class behind an annotation, optional or not."""
    chosen = [
        one for one in (annotation, *get_args(annotation)) if isinstance(one, type) and issubclass(one, BaseModel)
    ]
    return chosen[0] if chosen else None


def _shown(value: Any) -> str:
    if value is _REQUIRED:
        return "by recipe"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, tuple):
        return str(list(value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _values(field: FieldInfo) -> str:
    bounds = []
    for one in field.metadata:
        if type(one).__name__ in _BOUNDS:
            attribute, sign = _BOUNDS[type(one).__name__]
            bounds.append(f"{sign} {getattr(one, attribute):g}")
    return ", ".join([_type(field.annotation), *bounds])


def _type(annotation: Any) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(map(str, arguments))
    if origin in (Union, types.UnionType):
        return " or ".join("null" if one is type(None) else _type(one) for one in arguments)
    if origin is tuple:
        return f"list of {_type(arguments[0])}"
    if origin is dict:
        return "mapping"
    if hasattr(annotation, "__metadata__"):  # an annotated type
        return _type(annotation.__origin__)
    return _NAMES.get(annotation, getattr(annotation, "__name__", str(annotation)))


def main(arguments: list[str]) -> None:
    """Rewrite the pages that are named."""
    for name in arguments:
        page = Path(name)
        page.write_text(with_keys(page.read_text()))


if __name__ == "__main__":
    main(sys.argv[1:])

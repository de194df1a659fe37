"""From a judge's text to its tool; every argument is located in the response and passed as the response's own text."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

from scopeif.errors import JudgeFormatError
from scopeif.judge.fields import get, has
from scopeif.judge.final_text import final_text
from scopeif.judge.loose_json import blocks
from scopeif.judge.spans import Span, locate

_NAME_KEYS = {"parametername", "name", "参数名", "参数名称"}


@dataclass(frozen=True)
class ToolDesign:
    """A verification tool and its arguments, each a span of the response, or a list of spans."""

    source: str
    entry: str
    arguments: tuple[Span | tuple[Span, ...], ...]


@dataclass(frozen=True)
class NoTool:
    """The judge chose to design no tool, which it may."""


def parse_tool_design(text: str, response: str) -> ToolDesign | NoTool:
    """Read a tool and its arguments; every argument is located in the response and passed as the response's own text.

    Raises:
        JudgeFormatError: no tool and no "None", code that does not parse, or an argument that is not in the response.
    """
    final = final_text(text)
    source = _source(final)
    if source is None:
        return NoTool()
    parameters = _parameters(_section(final, "input parameters") or final[final.rfind(source) + len(source) :])
    entry = _entry(source, set(parameters))
    return ToolDesign(source, entry.name, tuple(_arguments(entry, parameters, response)))


def parse_checker(text: str) -> ToolDesign | NoTool:
    """Read a function of the whole response, which the judge wrote without seeing one; its argument is left open.

    Raises:
        JudgeFormatError: no function and no "None", code that does not parse, or more parameters than one.
    """
    source = _source(final_text(text))
    if source is None:
        return NoTool()
    entry = _entry(source, set())
    signature = entry.args
    count = len(signature.posonlyargs) + len(signature.args)
    if count - len(signature.defaults) > 1 or count == 0 or signature.kwonlyargs:
        raise JudgeFormatError(f"{entry.name}() must have one parameter, the response")
    return ToolDesign(source, entry.name, ())


def _source(final: str) -> str | None:
    """The code of a tool; None when the judge wrote "None"."""
    section = _section(final, "auxiliary verification tool") or final
    source = _code(section)
    if source is not None and source.strip().strip("\"'").casefold() not in {"none", "pass", ""}:
        return source
    if source is None and not re.search(r"\bnone\b|\bno tool\b|无", section, re.IGNORECASE):
        raise JudgeFormatError('there is neither a Python function nor "None"')
    return None


def _section(text: str, name: str) -> str | None:
    """What stands between the marks ``[The Start of <name>]`` and ``[The End of <name>]``, the last of its kind."""
    starts = list(re.finditer(rf"\[\s*the start of (?:the )?{name}\s*\]", text, re.IGNORECASE))
    if not starts:
        return None
    rest = text[starts[-1].end() :]
    end = re.search(rf"\[\s*the end of (?:the )?{name}\s*\]", rest, re.IGNORECASE)
    return rest[: end.start()] if end else rest


_OPENING = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*(?:python3?|py)?[ \t]*$", re.IGNORECASE | re.MULTILINE)


def _code(section: str) -> str | None:
    """The Python code in a section: of its first fence that holds a function, or all of it.

    Code may hold fence marks of its own: a fence ends at the first closing mark that leaves whole Python.
    """
    tried = None
    for opening in _OPENING.finditer(section):
        begin = opening.end() + 1
        closing = re.compile(rf"^[ \t]*{opening[1][0]}{{{len(opening[1])},}}[ \t]*$", re.MULTILINE)
        for end in [*(match.start() for match in closing.finditer(section, begin)), len(section)][:20]:
            code = section[begin:end].strip("\n")
            if _parses(code):
                return code
            tried = tried or code
    if tried is not None:
        return tried if "def " in tried or tried.strip() == "None" else None
    bare = section.strip()
    return bare if bare.startswith(("def ", "import ", "from ")) else None


def _parses(code: str) -> bool:
    try:
        return bool(ast.parse(code).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _entry(source: str, names: set[str]) -> ast.FunctionDef:
    """The tool's one public function; of several, the one whose parameters are named."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = f" in line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise JudgeFormatError(f"the tool is no Python{where}: {error}") from None
    public = [node for node in body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    if not public:
        raise JudgeFormatError("the tool has no public function")
    if len(public) > 1:
        public = [node for node in public if {argument.arg for argument in node.args.args} == names]
    if len(public) != 1:
        raise JudgeFormatError("the tool has several functions; give one, helpers inside it")
    return public[0]


def _parameters(section: str) -> dict[str, Any]:
    everything = blocks(section)
    found = [block.value for block in everything if block.fault is None and _is_parameters(block.value)]
    if not found:
        if (broken := [block.fault for block in everything if block.fault]) and "arameter" in section:
            raise JudgeFormatError(f"the input parameters cannot be read: {broken[-1]}")
        return {}
    items = found[-1] if isinstance(found[-1], list) else [found[-1]]
    parameters: dict[str, Any] = {}
    for item in items:
        name = get(item, _NAME_KEYS)
        if not isinstance(name, str) or name in parameters:
            raise JudgeFormatError(f"the parameter {name!r:.60} is given twice, or is no name")
        parameters[name] = get(item, {"parametervalue", "value", "参数值"})
    return parameters


def _is_parameters(value: Any) -> bool:
    items = value if isinstance(value, list) else [value]
    return bool(items) and all(isinstance(item, dict) and has(item, _NAME_KEYS) for item in items)


def _arguments(entry: ast.FunctionDef, parameters: dict[str, Any], response: str) -> list[Span | tuple[Span, ...]]:
    signature = entry.args
    if signature.vararg or signature.kwarg or signature.kwonlyargs:
        raise JudgeFormatError(f"{entry.name}() must have plain parameters")
    names = [argument.arg for argument in (*signature.posonlyargs, *signature.args)]
    if unknown := sorted(set(parameters) - set(names)):
        raise JudgeFormatError(f"{entry.name}() has no parameter {', '.join(unknown)}")
    required = names[: len(names) - len(signature.defaults)]
    if missing := [name for name in required if name not in parameters]:
        raise JudgeFormatError(f"no value is given for the parameter {', '.join(missing)}")
    given = [name for name in names if name in parameters]
    if given != names[: len(given)]:
        raise JudgeFormatError(f"give every parameter of {entry.name}(), in order")
    return [_argument(name, parameters[name], response) for name in given]


def _argument(name: str, value: Any, response: str) -> Span | tuple[Span, ...]:
    if isinstance(value, list):
        spans: list[Span] = []
        for item in value:
            spans.append(_located(name, item, response, spans[-1].end if spans else 0))
        return tuple(spans)
    return _located(name, value, response, 0)


def _located(name: str, value: Any, response: str, after: int) -> Span:
    if value is None:
        value = ""
    if not isinstance(value, str):
        raise JudgeFormatError(f"the value of {name} is {value!r:.60}; give text of the response, or a list of texts")
    span = locate(value, response, after)
    if span is None:
        raise JudgeFormatError(f"the value of {name} is not in the response: {value!r:.120}")
    return span

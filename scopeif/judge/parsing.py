"""From a judge's text to its judgment, or to its tool: strict where a wrong reading could change a reward.

Records decide, the verdict in words is only compared with them. A text is unusable, and asked for again, when it has no
records or only broken ones, when any record of them cannot be read for certain, or when the records may not be the
judge's own (they stand before its conclusion, in its thinking, or word for word in the response).
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

from scopeif.errors import JudgeFormatError, RecordError
from scopeif.judge.final_text import final_text
from scopeif.judge.loose_json import Block, blocks
from scopeif.judge.notation import is_percentage, is_sentinel, read_bounds, read_value
from scopeif.judge.spans import Span, locate
from scopeif.reward.graded import satisfied
from scopeif.reward.record import Record

_OBJECT_KEYS = {"countingobject", "countingobjects", "countedobject", "object", "计数对象", "统计对象", "对象"}
_BOUNDS_KEYS = {
    "permissiblebounds", "permissiblebound", "permissiblerange", "bounds", "bound", "range", "许可范围", "允许范围",
    "允许区间", "取值范围", "范围",
}  # fmt: skip
_VALUE_KEYS = {"actualvalue", "actualvalues", "actual", "actualcount", "value", "实际值", "实际数值", "实际数量"}
_LIST_KEYS = {"countingresults", "countingresult", "results", "records", "计数结果", "统计结果", "结果"}

_CONCLUSION = re.compile(r"^[\s>#*_\d.]*(?:conclusion|结论|最终结论)[\s*_]*[:：](.*)$", re.IGNORECASE | re.MULTILINE)
_ANALYSIS = re.compile(r"^[\s>#*_\d.]*(?:analysis|分析)[\s*_]*[:：]", re.IGNORECASE | re.MULTILINE)
_BRACKETED = re.compile(r"\[\[([^\[\]]{1,200})\]\]")
_NEGATIVE = re.compile(
    r"\b(?:not|n't|n’t|cannot|fails?|failed|neither|never)\b|n['’]t\b|\bun(?:satisfied|fulfilled)\b|violat|不|未|没有|违反",
    re.IGNORECASE,
)
_POSITIVE = re.compile(r"satisf|fulfil|\bmeets?\b|满足|符合", re.IGNORECASE)
_MAX_TRAILER = 400
"""Characters that may follow the records: closing words, not another analysis."""


@dataclass(frozen=True)
class Judgment:
    """A judge's quantitative records of one constraint and its verdict in words.

    `records` is empty only when the text has a verdict and no records at all; then the constraint stays unverified.
    `verdict` is None when the text has no conclusion. `conflict` tells that verdict and records disagree. `sentinels`
    counts large upper bounds that were read as infinite.
    """

    records: list[Record]
    verdict: bool | None
    conflict: bool
    sentinels: int = 0


@dataclass(frozen=True)
class ToolDesign:
    """A verification tool and its arguments, each a span of the response, or a list of spans."""

    source: str
    entry: str
    arguments: tuple[Span | tuple[Span, ...], ...]


@dataclass(frozen=True)
class NoTool:
    """The judge chose to design no tool, which it may."""


def parse_judgment(text: str, response: str = "") -> Judgment:
    """Read the records and the verdict of a judgment.

    Args:
        text: what the judge wrote, thinking and channel marks included or not.
        response: what was judged; records that stand in it word for word are not the judge's.

    Raises:
        JudgeFormatError: the text is unusable.
    """
    final = _final(text)
    found = [block for block in blocks(final) if _is_records(final, block)]
    conclusions = list(_CONCLUSION.finditer(final))
    verdict = _verdict(final, conclusions, found)
    if not found:
        if verdict is None:
            raise JudgeFormatError("there are neither counting results nor a conclusion")
        return Judgment([], verdict, conflict=False)
    if not conclusions and _ANALYSIS.search(final):
        raise JudgeFormatError("the analysis has no conclusion: the counting results may be quoted in it")
    block = _last(final, found, conclusions[-1].start() if conclusions else None)
    if response and locate(final[block.start : block.end], response):
        raise JudgeFormatError("the counting results are words of the response")
    items = _items(block)
    records = [_record(item) for item in items]
    sentinels = sum(is_sentinel(_get(item, _BOUNDS_KEYS)) for item in items)
    return Judgment(records, verdict, verdict is not None and verdict != satisfied(records), sentinels)


def parse_tool_design(text: str, response: str) -> ToolDesign | NoTool:
    """Read a tool and its arguments; every argument is located in the response and passed as the response's own text.

    Raises:
        JudgeFormatError: no tool and no "None", code that does not parse, or an argument that is not in the response.
    """
    final = _final(text)
    section = _section(final, "auxiliary verification tool") or final
    source = _code(section)
    if source is None:
        if re.search(r"\bnone\b|\bno tool\b|无", section, re.IGNORECASE):
            return NoTool()
        raise JudgeFormatError('there is neither a Python function nor "None"')
    if source.strip() in {"None", "none", '"None"', "'None'", "pass", ""}:
        return NoTool()
    parameters = _parameters(_section(final, "input parameters") or final[final.rfind(source) + len(source) :])
    entry = _entry(source, set(parameters))
    return ToolDesign(source, entry.name, tuple(_arguments(entry, parameters, response)))


# -- judgments -------------------------------------------------------------------------------------------------------


def _final(text: str) -> str:
    if not isinstance(text, str):
        raise JudgeFormatError(f"the judge's answer is {text!r:.40}, not text")
    return final_text(text)


def _is_records(text: str, block: Block) -> bool:
    """Whether a block is meant as counting results, readable or not."""
    if block.fault is not None:
        words = _key(text[block.start : block.end])
        return any(key in words for key in ("countingobject", "actualvalue", "计数对象", "实际值"))
    items = _unwrapped(block.value)
    if not isinstance(items, list):
        return False
    return not items or any(isinstance(item, dict) and _has(item, _VALUE_KEYS | _BOUNDS_KEYS) for item in items)


def _unwrapped(value: Any) -> Any:
    """The list of records in ``{"Counting Results": [...]}``; a single record as a list."""
    if not isinstance(value, dict):
        return value
    for key, inner in value.items():
        if _key(key) in _LIST_KEYS and isinstance(inner, list):
            return inner
    return [value]


def _last(text: str, found: list[Block], conclusion: int | None) -> Block:
    """The judge's result: the one block of records after its conclusion."""
    last = found[-1]
    if last.fault is not None:
        raise JudgeFormatError(f"the counting results cannot be read: {last.fault}")
    if conclusion is not None and last.start < conclusion:
        raise JudgeFormatError("the counting results stand before the conclusion, as if quoted")
    if len(text[last.end :].strip()) > _MAX_TRAILER:
        raise JudgeFormatError("the text goes on after the counting results, as if they were quoted")
    others = [block for block in found[:-1] if block.start >= (conclusion or 0) and block.value != last.value]
    loose = isinstance(last.value, dict) and _unwrapped(last.value) == [last.value]
    if others and (conclusion is not None or loose):
        raise JudgeFormatError("there are several blocks of counting results; give one JSON list")
    return last


def _items(block: Block) -> list[dict[str, Any]]:
    items = _unwrapped(block.value)
    if not items:
        raise JudgeFormatError(
            "the list of counting results is empty; when no item exists, give one result that says so"
        )
    for item in items:
        if not isinstance(item, dict):
            raise JudgeFormatError(f"{item!r:.80} is no counting result")
    return list(items)


def _record(item: dict[str, Any]) -> Record:
    bounds, value = _get(item, _BOUNDS_KEYS), _get(item, _VALUE_KEYS)
    name = _get(item, _OBJECT_KEYS, default="")
    name = name if isinstance(name, str) else str(name)
    lower, upper = read_bounds(bounds)
    actual, percent = read_value(value)
    if percent and not is_percentage(bounds) and any(0 < bound < 1 for bound in (lower, upper)):
        raise JudgeFormatError(f"the actual value {value!r} is a percentage, its bounds {bounds!r} are a fraction")
    try:
        return Record(lower, upper, actual, object=name)
    except RecordError as error:
        raise JudgeFormatError(str(error)) from None


def _key(key: object) -> str:
    """A key without case, spaces, underscores and hyphens."""
    return re.sub(r"[\s_\-*]+", "", str(key)).casefold()


def _has(item: dict[str, Any], names: set[str]) -> bool:
    return any(_key(key) in names for key in item)


_MISSING = object()


def _get(item: dict[str, Any], names: set[str], default: Any = _MISSING) -> Any:
    found = [value for key, value in item.items() if _key(key) in names]
    if len(found) > 1 and any(value != found[0] for value in found):
        raise JudgeFormatError(f"the counting result {item!r:.120} says the same twice, differently")
    if not found:
        if default is _MISSING:
            raise JudgeFormatError(f"the counting result {item!r:.120} has no {sorted(names, key=len)[-1]}")
        return default
    return found[0]


def _verdict(text: str, conclusions: list[re.Match[str]], found: list[Block]) -> bool | None:
    """The verdict of the last conclusion line, else of the last one in double brackets, else of the last line."""
    if conclusions:
        return _satisfies(conclusions[-1][1] or _next_line(text, conclusions[-1].end()))
    prose = text[: found[-1].start if found else len(text)]
    if bracketed := _BRACKETED.findall(prose):
        return _satisfies(bracketed[-1])
    lines = [line for line in prose.splitlines() if _POSITIVE.search(line)]
    return _satisfies(lines[-1]) if lines else None


def _next_line(text: str, at: int) -> str:
    return text[at:].lstrip().partition("\n")[0]


def _satisfies(words: str) -> bool | None:
    if _NEGATIVE.search(words):
        return False
    return True if _POSITIVE.search(words) else None


# -- tools -----------------------------------------------------------------------------------------------------------


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
    found = [block for block in blocks(section) if block.fault is None and _is_parameters(block.value)]
    if not found:
        if (broken := [block.fault for block in blocks(section) if block.fault]) and "arameter" in section:
            raise JudgeFormatError(f"the input parameters cannot be read: {broken[-1]}")
        return {}
    items = found[-1].value if isinstance(found[-1].value, list) else [found[-1].value]
    parameters: dict[str, Any] = {}
    for item in items:
        name = _get(item, {"parametername", "name", "参数名", "参数名称"})
        if not isinstance(name, str) or name in parameters:
            raise JudgeFormatError(f"the parameter {name!r:.60} is given twice, or is no name")
        parameters[name] = _get(item, {"parametervalue", "value", "参数值"})
    return parameters


def _is_parameters(value: Any) -> bool:
    items = value if isinstance(value, list) else [value]
    return bool(items) and all(
        isinstance(item, dict) and _has(item, {"parametername", "name", "参数名", "参数名称"}) for item in items
    )


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

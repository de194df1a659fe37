"""What a tool's source may look like. A look at the syntax tree, for the quality of tools and for the judge's
second try; the safety of a run never depends on it.

    >>> [str(finding) for finding in lint("def f(text):\\n    import numpy\\n    return eval(text)")]
    ["line 2: import-stdlib: 'numpy' is not in the standard library", 'line 3: forbidden-name: eval runs text as code']
"""

from __future__ import annotations

import ast
import dataclasses
import re
import sys
from collections.abc import Collection, Iterator, Mapping

from tools_sandbox.preload import DEFAULT_PRELOAD

MAX_SOURCE_BYTES = 65536

_RUNS_TEXT = "runs text as code"
_BY_NAME = "reaches names by strings; write them out"
_NO_FILES = "cannot work: a tool has no files and no terminal"
FORBIDDEN_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("eval", "exec", "compile"), _RUNS_TEXT),
    "__import__": "imports by a string; write an import statement inside the function",
    **dict.fromkeys(("globals", "locals", "vars"), _BY_NAME),
    **dict.fromkeys(("open", "input", "breakpoint", "help"), _NO_FILES),
    **dict.fromkeys(("exit", "quit"), "ends the tool without a result; return one"),
}
# Ordinary classes and messages need these; every other dunder attribute is a way around the rules.
_HARMLESS_DUNDERS = frozenset({"__init__", "__name__", "__doc__", "__len__", "__contains__"})
_BY_STRING = frozenset({"getattr", "setattr", "delattr", "hasattr", "attrgetter", "methodcaller"})
_FORMATS = frozenset({"format", "format_map"})
_DUNDER = re.compile(r"__\w+__")

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One breach of a rule; `line` counts from 1."""

    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.rule}: {self.message}"


def lint(source: str, preload: Collection[str] = DEFAULT_PRELOAD) -> list[Finding]:
    """The findings in the order of lines; empty for a tool that keeps the rules.

    Rules: `syntax`, `size`, `entry` (exactly one public function, not asynchronous), `import-place` (inside
    functions), `import-stdlib`, `import-preload` (the module is within a run's reach), `forbidden-name`,
    `dunder`.
    """
    size = len(source.encode("utf-8", "surrogatepass"))
    if size > MAX_SOURCE_BYTES:
        return [Finding(1, "size", f"{size} bytes; the limit is {MAX_SOURCE_BYTES}")]
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        return [Finding(error.lineno or 1, "syntax", error.msg)]
    except (ValueError, RecursionError, MemoryError) as error:  # null bytes, surrogates, deep nesting
        return [Finding(1, "syntax", str(error) or type(error).__name__)]
    findings = [
        *_entry_findings(tree),
        *_import_place_findings(tree),
        *_import_findings(tree, frozenset(preload)),
        *_name_findings(tree),
        *_dunder_findings(tree),
    ]
    return sorted(set(findings))


def _entry_findings(tree: ast.Module) -> Iterator[Finding]:
    public = [node for node in tree.body if isinstance(node, _Function) and not node.name.startswith("_")]
    if not public:
        yield Finding(1, "entry", "no public function; define one whose name does not start with '_'")
    for extra in public[1:]:
        message = f"a second public function {extra.name!r} beside {public[0].name!r}"
        yield Finding(extra.lineno, "entry", message)
    for node in public:
        if isinstance(node, ast.AsyncFunctionDef):
            yield Finding(node.lineno, "entry", f"{node.name!r} is asynchronous; it is called, not awaited")


def _import_place_findings(tree: ast.Module) -> Iterator[Finding]:
    waiting: list[ast.AST] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*_Function, ast.Lambda)):
            continue
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.module != "__future__"):
            yield Finding(node.lineno, "import-place", "imports stand inside the function")
        waiting.extend(ast.iter_child_nodes(node))


def _import_findings(tree: ast.Module, preload: frozenset[str]) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = ["." * node.level + (node.module or "")]
        else:
            continue
        for module in modules:
            if module.partition(".")[0] not in sys.stdlib_module_names:
                yield Finding(node.lineno, "import-stdlib", f"{module!r} is not in the standard library")
            elif module not in preload:
                message = f"{module!r} is not loaded in the sandbox, where no file opens any more; do without it"
                yield Finding(node.lineno, "import-preload", message)


def _name_findings(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in FORBIDDEN_NAMES:
            yield Finding(node.lineno, "forbidden-name", f"{node.id} {FORBIDDEN_NAMES[node.id]}")


def _dunder_findings(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_trick(node.attr):
            yield Finding(node.lineno, "dunder", f"attribute {node.attr} leads behind the objects that a tool is given")
        elif isinstance(node, ast.Name) and _is_trick(node.id) and node.id not in FORBIDDEN_NAMES:
            yield Finding(node.lineno, "dunder", f"name {node.id} leads behind the objects that a tool is given")
        elif isinstance(node, ast.Call):
            for text in _names_as_text(node):
                for name in filter(_is_trick, _DUNDER.findall(text)):
                    yield Finding(node.lineno, "dunder", f"{_called(node)} of {name}")


def _names_as_text(call: ast.Call) -> Iterator[str]:
    """The constant strings in which a call is given names of attributes."""
    texts: list[ast.expr] = []
    if _called(call) in _BY_STRING:
        texts = [*call.args, *(keyword.value for keyword in call.keywords)]
    elif _called(call) in _FORMATS and isinstance(call.func, ast.Attribute):
        texts = [call.func.value]  # "{0.__class__}".format(...)
    for text in texts:
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            yield text.value


def _is_trick(name: str) -> bool:
    return _DUNDER.fullmatch(name) is not None and name not in _HARMLESS_DUNDERS


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""

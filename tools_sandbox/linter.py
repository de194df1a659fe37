"""What a tool's source may look like. A look at the syntax tree, for the quality of tools and for the judge's
second try; the safety of a run never depends on it.

    >>> [str(finding) for finding in lint("def f(text):\\n    import numpy\\n    return eval(text)")]
    ["line 2: import-stdlib: 'numpy' is not in the standard library", 'line 3: forbidden-name: eval']
"""

from __future__ import annotations

import ast
import dataclasses
import re
import sys
from collections.abc import Collection, Iterator

from tools_sandbox.preload import DEFAULT_PRELOAD

MAX_SOURCE_BYTES = 65536

# They run text as code, reach the file system or the terminal, or name things by strings.
FORBIDDEN_NAMES = frozenset(
    {
        *("eval", "exec", "compile", "__import__", "globals", "locals", "vars"),
        *("open", "input", "breakpoint", "exit", "quit", "help"),
    }
)
# Ordinary classes and messages need these; every other dunder attribute is a way around the rules.
_HARMLESS_DUNDERS = frozenset({"__init__", "__name__", "__doc__", "__len__", "__contains__"})
_BY_STRING = frozenset({"getattr", "setattr", "delattr", "hasattr", "attrgetter", "methodcaller"})
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
                yield Finding(node.lineno, "import-preload", f"{module!r} is not available to tools")


def _name_findings(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in FORBIDDEN_NAMES:
            yield Finding(node.lineno, "forbidden-name", node.id)


def _dunder_findings(tree: ast.Module) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_trick(node.attr):
            yield Finding(node.lineno, "dunder", f"attribute {node.attr}")
        elif isinstance(node, ast.Name) and _is_trick(node.id) and node.id not in FORBIDDEN_NAMES:
            yield Finding(node.lineno, "dunder", f"name {node.id}")
        elif isinstance(node, ast.Call) and _called(node) in _BY_STRING:
            for argument in node.args:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    for name in filter(_is_trick, _DUNDER.findall(argument.value)):
                        yield Finding(node.lineno, "dunder", f"{_called(node)} of {name}")


def _is_trick(name: str) -> bool:
    return _DUNDER.fullmatch(name) is not None and name not in _HARMLESS_DUNDERS


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""

from __future__ import annotations

import pytest

from tools_sandbox import DEFAULT_PRELOAD, lint
from tools_sandbox.linter import FORBIDDEN_NAMES

GOOD = '''
from __future__ import annotations
LIMIT = 3
def _words(text):
    import re
    return re.findall(r"__\\w+__", text)
def check(text: str) -> list:
    """Counts."""
    import collections
    import xml.etree.ElementTree as tree
    from collections import abc
    class Box:
        def __init__(self, items):
            self.items = items
    return [len(Box(_words(text)).items), count_word(text), type(text).__name__]
'''


def test_a_good_tool_has_no_findings() -> None:
    assert lint(GOOD) == []


@pytest.mark.parametrize(
    "source, findings",
    [
        ("def f(x)\n  return 1", [(1, "syntax")]),
        ("def f(x):\n\treturn 1\n        return 2", [(3, "syntax")]),
        ("def f(x): return 1\0", [(1, "syntax")]),
        ("def f(x): return '\ud800'", [(1, "syntax")]),
        ("x = " + "(" * 5000, [(1, "syntax")]),
        ("x = " + "-" * 20000 + "1\ndef f(x): return x", None),
        ("#" * 70000, [(1, "size")]),
        ("", [(1, "entry")]),
        ("def _f(x): return 1", [(1, "entry")]),
        ("def f(x): return 1\ndef g(x): return 2", [(2, "entry")]),
        ("async def f(x): return 1", [(1, "entry")]),
        ("import re\ndef f(x): return re", [(1, "import-place")]),
        ("if 1:\n    import re\ndef f(x): return re", [(2, "import-place")]),
        ("def f(x):\n import numpy as np\n return 1", [(2, "import-stdlib")]),
        ("def f(x):\n from . import y\n return 1", [(2, "import-stdlib")]),
        ("def f(x):\n import os\n return 1", [(2, "import-preload")]),
        ("def f(x):\n import os.path, re\n return 1", [(2, "import-preload")]),
        ("def f(x):\n from socket import socket\n return 1", [(2, "import-preload")]),
        ("def f(x):\n return eval(x)", [(2, "forbidden-name")]),
        ("def f(x):\n run = exec\n run(x)", [(2, "forbidden-name")]),
        ("def f(x):\n return compile(x, '', 'eval')", [(2, "forbidden-name")]),
        ("def f(x):\n return __import__('os')", [(2, "forbidden-name")]),
        ("def f(x):\n return open(x).read()", [(2, "forbidden-name")]),
        ("def f(x):\n return x.__class__.__mro__", [(2, "dunder"), (2, "dunder")]),
        ("def f(x):\n return getattr(x, '__class__')", [(2, "dunder")]),
        ("def f(x):\n return __builtins__", [(2, "dunder")]),
        ("def f(x):\n return '{0.__class__}'.format(x)", [(2, "dunder")]),
        ("def f(x):\n return '{a.__init__.__globals__}'.format_map(x)", [(2, "dunder")]),
        ("def f(x):\n return setattr(x, name='__dict__')", [(2, "dunder")]),
        ("def f(x):\n return globals()", [(2, "forbidden-name")]),
        ("def f(x):\n return input()", [(2, "forbidden-name")]),
        ("def f(x):\n exit()", [(2, "forbidden-name")]),
        ("def f(x):\n import builtins\n return 1", [(2, "import-preload")]),
        ("def f(x):\n from importlib import import_module\n return 1", [(2, "import-preload")]),
        ("def f(x):\n import operator\n return operator.attrgetter('a.__class__')(x)", [(3, "dunder")]),
    ],
)
def test_findings_name_the_line_and_the_rule(source: str, findings: list[tuple[int, str]] | None) -> None:
    found = [(finding.line, finding.rule) for finding in lint(source)]
    assert findings is None or found == findings


def test_a_missing_module_is_named() -> None:
    source = "def f(x):\n    import sqlite3"
    (finding,) = lint(source)
    assert str(finding).startswith("line 2: import-preload: 'sqlite3' is not loaded in the sandbox")
    assert lint(source, preload=("sqlite3",)) == []


@pytest.mark.parametrize("name", sorted(FORBIDDEN_NAMES))
def test_every_forbidden_name_has_a_reason_that_a_judge_can_act_on(name: str) -> None:
    (finding,) = lint(f"def f(x):\n    return {name}(x)")
    assert finding.rule == "forbidden-name"
    assert finding.message.startswith(f"{name} ")
    assert len(finding.message.split()) >= 4


def test_a_format_string_without_tricks_is_fine() -> None:
    assert lint("def f(x):\n    return '{0.real} {1!r}'.format(x, '__class__')") == []


def test_the_word_compile_as_a_method_is_fine() -> None:
    assert lint("def f(x):\n    import re\n    return bool(re.compile('a').match(x))") == []


def test_all_default_modules_pass_the_lint() -> None:
    for module in DEFAULT_PRELOAD:
        assert lint(f"def f(x):\n    import {module}") == [] or module == "__future__"

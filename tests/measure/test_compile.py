"""A compiled tool gives exactly the records of `evaluate`."""

import ast
import json
from typing import Any

import pytest
from hypothesis import given, settings

import tools_sandbox.text as helpers
from scopeif.constraints.spec import Spec
from scopeif.errors import AmbiguousResponse, RecordError
from scopeif.measure import compile_spec, evaluate, records_from
from scopeif.measure.compile import ENTRY
from scopeif.measure.expressions import literal
from scopeif.reward import Record
from tests.measure.specs import COUNT_SENTENCES, SPECS, TEXTS, bounds, clause, each, spec
from tools_sandbox import Run, ToolPool
from tools_sandbox.linter import lint


def run(source: str, response: str) -> list[Record] | None:
    """The records of a tool, through JSON as from the sandbox; None when it finds the response ambiguous."""
    names: dict[str, Any] = {name: getattr(helpers, name) for name in helpers.__all__}
    exec(source, names)
    try:
        value = names[ENTRY](response)
    except helpers.Ambiguous:
        return None
    return records_from(json.loads(json.dumps(value, allow_nan=False)))


def interpreted(what: Spec, response: str) -> list[Record] | None:
    try:
        return evaluate(what, response)
    except AmbiguousResponse:
        return None


@settings(max_examples=300, deadline=None)
@given(SPECS, TEXTS)
def test_compiled_and_interpreted_agree(what: Spec, response: str) -> None:
    assert run(compile_spec(what), response) == interpreted(what, response)


@pytest.mark.long
@settings(max_examples=10_000, deadline=None)
@given(SPECS, TEXTS)
def test_compiled_and_interpreted_agree_on_ten_thousand(what: Spec, response: str) -> None:
    assert run(compile_spec(what), response) == interpreted(what, response)


@settings(max_examples=100, deadline=None)
@given(SPECS)
def test_sources_pass_the_lint(what: Spec) -> None:
    source = compile_spec(what)
    assert not lint(source)
    tree = ast.parse(source)
    assert [node.name for node in tree.body if isinstance(node, ast.FunctionDef)] == [ENTRY]


def test_source_is_readable() -> None:
    what = spec({**clause(bounds(None, 3), COUNT_SENTENCES, each("paragraph")), "object": "sentences\n of each"})
    assert (
        compile_spec(what)
        == """\
def measure(response):
    whole = units("response", response)[0]
    records = []

    # sentences of each
    thing = "sentences\\n of each"
    rows = []
    paragraphs = units("paragraph", response, whole)
    if not paragraphs:
        rows.append([1, None, 0, "existence of paragraph: " + thing, False, whole.start, whole.end])
    for paragraph in paragraphs:
        actual = count("sentence", response, paragraph)
        rows.append([None, 3, actual, thing, False, paragraph.start, paragraph.end])
    records += rows or [[0, None, 0, thing, True, None, None]]

    return records
"""
    )


@pytest.mark.parametrize("text", ['😀\n"quoted"\\', "\u200b\U0001f600\ud800", "\x00\t\r"])
def test_any_text_can_stand_in_a_source(text: str) -> None:
    assert ast.literal_eval(literal(text)) == text


@pytest.mark.parametrize("response", ["a: 1\nb: [2]", "just text", "a: [", "```yaml\n- a\n```", "a: !!bool x"])
def test_yaml_is_told_in_the_sandbox_as_outside(response: str) -> None:
    what = spec(clause(bounds(1), {"kind": "valid", "format": "yaml"}))
    with ToolPool(workers=1) as pool:
        (result,) = pool.run_many([Run(compile_spec(what), ENTRY, [response])])
    assert records_from(result.value) == evaluate(what, response)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        [[1, 2, 3]],
        [[None, 3, None, "x", False, 0, 1]],
        [[3, 1, 2, "x", False, 0, 1]],
        [[1, 2, 1, 5, False, 0, 1]],
    ],
)
def test_other_results_are_refused(value: object) -> None:
    with pytest.raises(RecordError):
        records_from(value)

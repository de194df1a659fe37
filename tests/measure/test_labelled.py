"""Cases labelled by reading alone, without sight of the code; evaluation and the compiled tool agree with all."""

import json
import math
from pathlib import Path

import pytest

from scopeif.constraints.spec import Spec
from scopeif.errors import AmbiguousResponse
from scopeif.measure import compile_spec, evaluate, records_from
from scopeif.measure.compile import ENTRY
from tools_sandbox import Run, ToolPool

FOLDER = Path(__file__).parent / "labelled"
CASES = [json.loads(line) for file in sorted(FOLDER.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]


def labelled(case):
    """The labelled records as (lower, upper, actual, vacuous), or None where the text is ambiguous."""
    if case.get("ambiguous"):
        return None
    vacuous = case.get("vacuous") or [False] * len(case["records"])
    return [
        (-math.inf if lower is None else lower, math.inf if upper is None else upper, actual, empty)
        for (lower, upper, actual), empty in zip(case["records"], vacuous, strict=True)
    ]


def plain(records):
    return [(record.lower, record.upper, record.actual, record.vacuous) for record in records]


@pytest.fixture(scope="module")
def tool_results():
    """What the compiled tools return for all cases, by id."""
    runs = [Run(compile_spec(Spec.model_validate(case["spec"])), ENTRY, (case["text"],)) for case in CASES]
    with ToolPool(workers=2) as pool:
        return dict(zip((case["id"] for case in CASES), pool.run_many(runs), strict=True))


def test_there_are_enough_in_both_languages():
    for language in ("en", "zh"):
        assert sum(case["id"].startswith(language) for case in CASES) >= 150
    assert len({case["id"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_evaluation(case):
    spec = Spec.model_validate(case["spec"])
    if labelled(case) is None:
        with pytest.raises(AmbiguousResponse):
            evaluate(spec, case["text"])
    else:
        assert plain(evaluate(spec, case["text"])) == labelled(case), case["why"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_compiled_tool(case, tool_results):
    result = tool_results[case["id"]]
    if labelled(case) is None:
        assert result.status == "error"
        assert "Ambiguous" in result.error
    else:
        assert result.status == "ok", result.error
        assert plain(records_from(result.value)) == labelled(case), case["why"]

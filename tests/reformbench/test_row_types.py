"""Types of data rows are taken strictly: what is nearly a number or a truth value is neither."""

import pytest

from scopeif.errors import DataError
from scopeif.reformbench.models import Judgment, Requirement, Response
from scopeif.reformbench.rows import parsed
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark
from tests.reformbench.labelled import pair, requirement, response

JUDGMENT = pair(1, 0).first.model_dump()
RESPONSE = response(kind="single", position=1).model_dump()
REQUIREMENT = requirement(0).model_dump()


@pytest.mark.parametrize(
    "model, row, field, value",
    [
        *((Judgment, JUDGMENT, "label", value) for value in (True, False, 1.0, "1", 2)),
        *((Judgment, JUDGMENT, "position", value) for value in ("1", True, 1.0)),
        *((Response, RESPONSE, "position", value) for value in ("1", True)),
        *((Response, RESPONSE, "truncated", value) for value in ("yes", 1)),
        (Requirement, REQUIREMENT, "parameters", {"count": True}),
        (Requirement, REQUIREMENT, "parameters", {"count": 1.0}),
    ],
)
def test_what_is_nearly_of_its_type_is_refused(model, row, field, value):
    assert parsed(model, row, "here") is not None
    with pytest.raises(DataError, match=f"^here: {field}"):
        parsed(model, row | {field: value}, "here")


def test_labels_and_parameters_stay_what_they_are():
    assert [parsed(Judgment, JUDGMENT | {"label": label}, "here").label for label in (0, 1)] == [0, 1]
    assert parsed(Judgment, JUDGMENT | {"label": None, "reason": "parse"}, "here").label is None
    given = {"count": 2, "name": "x", "names": ["a", "b"]}
    kept = parsed(Requirement, REQUIREMENT | {"parameters": given}, "here").parameters
    assert kept == {"count": 2, "name": "x", "names": ("a", "b")}


def test_a_truth_value_is_no_probability():
    targets = [{"feature": name, "mode": "forbid"} for name in "abc"]
    variant = {"id": "v", "question": "q", "targets": targets, "pass_probability": [1, 0.5, True]}
    with pytest.raises(DataError, match=r"pass_probability\[2\]: it is True, not a number"):
        ScoredBenchmark.from_json({"variants": [variant], "baseline_features": {"q": []}})

"""Reward modelling against handed values (paper, Eqs. 5-12); `tests/vectors/scopeif.json`."""

import json
import math
from pathlib import Path

import pytest

from scopeif.errors import InvalidInputError, ScopeIFError
from scopeif.reward import (
    Record,
    aggregate,
    deviation,
    graded_reward,
    identical_pair_fraction,
    magnitude,
    satisfied,
    split_answer,
    violation,
)

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "scopeif.json").read_text())
TOLERANCE = VECTORS["tolerance"]


def number(value):
    return float(value) if isinstance(value, str) else value


def records_of(constraint):
    return [Record(number(row["bounds"][0]), number(row["bounds"][1]), number(row["actual"])) for row in constraint]


@pytest.mark.parametrize("vector", VECTORS["reward"], ids=lambda vector: vector["name"])
def test_reward(vector):
    alpha = vector["alpha"]
    if "expect" not in vector:
        with pytest.raises(ScopeIFError):
            aggregate([records_of(constraint) for constraint in vector["constraints"]], "scopeif", alpha)
        return
    constraints = [records_of(constraint) for constraint in vector["constraints"]]
    expect = vector["expect"]
    assert [int(satisfied(records)) for records in constraints] == expect["I"]
    assert [graded_reward(records, alpha) for records in constraints] == pytest.approx(expect["g"], abs=TOLERANCE)
    for scheme, name in (("scopeif", "R"), ("ila", "ILA"), ("cla", "CLA"), ("mean_graded", "R_flat")):
        assert aggregate(constraints, scheme, alpha) == pytest.approx(expect[name], abs=TOLERANCE)


@pytest.mark.parametrize("vector", [v for v in VECTORS["reward"] if "objects" in v], ids=lambda vector: vector["name"])
def test_intermediate_values(vector):
    for constraint, expected in zip(vector["constraints"], vector["objects"], strict=True):
        records = records_of(constraint) if isinstance(constraint, list) else records_of([constraint])
        for record, values in zip(records, expected if isinstance(expected, list) else [expected], strict=True):
            assert deviation(record) == pytest.approx(number(values["d"]), abs=TOLERANCE)
            assert magnitude(record) == pytest.approx(number(values["s"]), abs=TOLERANCE)
            assert violation(record) == pytest.approx(number(values["v"]), abs=TOLERANCE)
            assert math.exp(-vector["alpha"] * violation(record)) == pytest.approx(values["r"], abs=TOLERANCE)


@pytest.mark.parametrize("vector", VECTORS["format"], ids=lambda vector: vector["name"])
def test_format_reward(vector):
    answer = split_answer(vector["text"], vector["truncated"])
    assert answer.format_reward == vector["format_reward"]
    assert answer.text == vector["final_answer"]


@pytest.mark.parametrize("vector", VECTORS["identical_pairs"], ids=lambda vector: str(vector["group"]))
def test_identical_pairs(vector):
    fraction = identical_pair_fraction(vector["group"])
    assert fraction is vector["ratio"] or fraction == pytest.approx(vector["ratio"], abs=TOLERANCE)


def test_no_constraints_has_no_reward():
    with pytest.raises(InvalidInputError):
        aggregate([], "scopeif")


def test_unknown_scheme_names_the_known_ones():
    with pytest.raises(InvalidInputError, match="mean_graded"):
        aggregate([[Record(1, 1, 1)]], "scopif")

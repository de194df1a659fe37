"""Three outcomes: what each makes of the reward of a response."""

import json
import math

import pytest

from scopeif.errors import InvalidInputError
from scopeif.reward import SCHEMES, Record, split_answer
from scopeif.verification.outcome import Outcome, Reason, ResponseOutcome, Status

SATISFIED = Outcome((Record(1, 3, 2),))
VIOLATED = Outcome((Record(1, 3, 2), Record(5, 5, 6)))
UNVERIFIED = Outcome(reason=Reason.TOOL, detail="wall")
ANSWER = split_answer("fine", truncated=False)


def test_status():
    assert [o.status for o in (SATISFIED, VIOLATED, UNVERIFIED)] == [
        Status.SATISFIED,
        Status.VIOLATED,
        Status.UNVERIFIED,
    ]


@pytest.mark.parametrize("arguments", [{}, {"records": (Record(0, 1, 1),), "reason": Reason.TOOL}])
def test_an_outcome_has_records_or_a_reason(arguments):
    with pytest.raises(InvalidInputError):
        Outcome(**arguments)


def test_an_unverified_constraint_leaves_the_response_without_a_reward():
    response = ResponseOutcome(ANSWER, (SATISFIED, UNVERIFIED, VIOLATED))
    assert not response.verified
    assert set(response.rewards().values()) == {None}


def test_verified_response():
    response = ResponseOutcome(ANSWER, (SATISFIED, VIOLATED))
    g = math.exp(-3 * (1 / 5) / 2)
    assert response.rewards() == pytest.approx(
        {"scopeif": (1 + g) / 2, "mean_graded": (1 + g) / 2, "ila": 0.0, "cla": 0.5}
    )


def test_format_reward_0_is_verified_without_outcomes():
    response = ResponseOutcome(split_answer("cut", truncated=True))
    assert response.verified
    assert response.rewards() == dict.fromkeys(SCHEMES, 0.0)


def test_json_is_strict_and_complete():
    response = ResponseOutcome(ANSWER, (Outcome((Record(3, math.inf, 2, "words", start=0, end=4),)), UNVERIFIED))
    row = json.loads(json.dumps(response.to_json(), allow_nan=False))
    measured, failed = row["constraints"]
    assert measured["records"] == [
        {"lower": 3, "upper": None, "actual": 2, "object": "words", "vacuous": False, "start": 0, "end": 4}
    ]
    assert measured["status"] == "violated"
    assert measured["g"] == pytest.approx(math.exp(-1))
    assert (failed["status"], failed["reason"], failed["g"]) == ("unverified", "tool", None)

"""Witnesses and mutants, measured from their text alone by `scopeif.measure`.

The generator never reads a text: it knows what it wrote. So agreement here is the agreement of two ways to the same
numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from scopeif.constraints.spec import Bounds, Spec
from scopeif.measure import evaluate
from scopeif.reward.record import Record
from scopeif.synthesis.mini.plan import LONGEST_RESPONSE
from scopeif.synthesis.offline import Generator, Made


def specs_of(one: Made) -> list[Spec]:
    return [constraint.spec for constraint in one.instruction.constraints if constraint.spec is not None]


def outside(record: Record) -> float:
    return max(record.lower - record.actual, record.actual - record.upper, 0)


@pytest.fixture(params=["mini", "full"])
def made(request: pytest.FixtureRequest) -> list[Made]:
    """Instructions of each profile."""
    found: list[Made] = request.getfixturevalue(request.param)
    return found


def test_witness_satisfies_every_constraint(made: list[Made]) -> None:
    for one in made:
        assert len(specs_of(one)) == len(one.instruction.constraints)
        for spec in specs_of(one):
            for record in evaluate(spec, one.witness):
                assert record.satisfied, (one.witness, spec, record)
                assert not record.vacuous, (one.witness, spec, record)


def test_mutant_violates_its_constraint_alone_and_by_the_known_amount(made: list[Made]) -> None:
    for one in made:
        specs = specs_of(one)
        for mutant in one.mutants:
            assert mutant.violation > 0
            for number, spec in enumerate(specs):
                records = evaluate(spec, mutant.text)
                if number == mutant.constraint:
                    assert records == list(mutant.records), (mutant, spec)
                    assert sum(map(outside, records)) == mutant.violation
                else:
                    assert all(record.satisfied for record in records), (mutant, spec, records)


def test_every_constraint_of_the_full_profile_has_a_mutant(full: list[Made]) -> None:
    for one in full:
        assert [mutant.constraint for mutant in one.mutants] == list(range(len(specs_of(one))))


def test_nearly_every_constraint_of_the_mini_profile_has_one(mini: list[Made]) -> None:
    constraints = sum(len(specs_of(one)) for one in mini)
    assert sum(len(one.mutants) for one in mini) >= 0.9 * constraints


def test_amounts_differ(full: list[Made]) -> None:
    amounts = {mutant.violation for one in full for mutant in one.mutants}
    assert {1, 2, 3} <= amounts


def test_both_sides_of_bounds_are_broken(full: list[Made]) -> None:
    def records() -> Iterator[tuple[Spec, Record]]:
        for one in full:
            for mutant in one.mutants:
                for record in mutant.records:
                    yield specs_of(one)[mutant.constraint], record

    intervals = [record for spec, record in records() if isinstance(spec.clauses[0].range, Bounds)]
    assert any(record.actual < record.lower for record in intervals)
    assert any(record.actual > record.upper for record in intervals)


def test_witness_of_the_mini_profile_is_short(mini: list[Made]) -> None:
    for one in mini:
        language = one.instruction.language
        size = len(one.witness.split()) if language == "en" else len(one.witness)
        assert size <= LONGEST_RESPONSE[language] + 10, one.witness


@pytest.mark.parametrize("seed", range(2))
def test_other_seeds_make_other_instructions(seed: int, mini: list[Made]) -> None:
    others = [*Generator(seed, "mini").make(40, "en", "train"), *Generator(seed, "mini").make(20, "zh", "train")]
    prompts = {one.instruction.prompt for one in mini}
    assert sum(one.instruction.prompt in prompts for one in others) <= 6

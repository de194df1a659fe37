"""Catalog coverage and rank correlation, counted by hand."""

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopeif.errors import DataError
from scopeif.reformbench.studies.coverage import InstanceCounts, coverage, frequencies, mean_frequencies
from scopeif.reformbench.studies.ranks import average_ranks, spearman


class Found(NamedTuple):
    model: str
    question: str
    mapping: str
    features: tuple[str, ...]


CATALOG = ("a", "b", "c", "d")
QUESTIONS = ("q1", "q2")
REFERENCE = {"a": 0.9, "b": 0.5, "c": 0.2, "d": 0.1}
EXTRACTIONS = [
    Found("m", "q1", "exact", ("a",)),
    Found("m", "q1", "exact", ("a",)),
    Found("m", "q1", "composite", ("a", "b")),
    Found("m", "q2", "uncovered", ()),
    Found("m", "q2", "not_format", ()),
    Found("m", "q2", "subtype", ("a",)),
    Found("n", "q1", "exact", ("c",)),
]


def test_a_composite_counts_once_for_coverage_and_for_each_feature_in_frequencies():
    found = coverage(EXTRACTIONS, CATALOG, QUESTIONS, REFERENCE)
    row = found.models["m"]
    assert (row.counts.extracted, row.counts.excluded, row.counts.valid) == (6, 1, 5)
    assert (row.counts.covered, row.counts.uncovered, row.counts.coverage) == (4, 1, 0.8)
    assert row.features == {"a", "b"}
    assert row.correlation == pytest.approx(spearman([1, 0.5, 0, 0], [0.9, 0.5, 0.2, 0.1]))


def test_the_pooled_row_divides_totals_and_ranks_mean_frequencies():
    pooled = coverage(EXTRACTIONS, CATALOG, QUESTIONS, REFERENCE).pooled
    assert pooled.counts.coverage == 5 / 6
    assert pooled.features == {"a", "b", "c"}
    assert pooled.correlation == pytest.approx(spearman([0.5, 0.25, 0.25, 0], [0.9, 0.5, 0.2, 0.1]))


def test_frequencies_count_a_feature_once_a_response():
    found = {"q1": ["a", "a", "b"], "q2": ["a"], "elsewhere": ["c"]}
    assert frequencies(found, CATALOG, QUESTIONS) == {"a": 1.0, "b": 0.5, "c": 0.0, "d": 0.0}
    assert mean_frequencies([{"a": 1.0, "b": 0.0}, {"a": 0.5, "b": 0.5}]) == {"a": 0.75, "b": 0.25}


@pytest.mark.parametrize(
    "row, message",
    [
        (Found("m", "q9", "exact", ("a",)), "'q9'"),
        (Found("m", "q1", "exact", ("z",)), "'z' is not in the catalog"),
        (Found("m", "q1", "exact", ("a", "b")), "exact does not go with 2"),
        (Found("m", "q1", "composite", ("a",)), "composite does not go with 1"),
        (Found("m", "q1", "uncovered", ("a",)), "uncovered does not go with 1"),
        (Found("m", "q1", "close", ("a",)), "'close'"),
    ],
)
def test_extractions_that_do_not_fit(row, message):
    with pytest.raises(DataError, match=message):
        coverage([row], CATALOG, QUESTIONS, REFERENCE)


def test_frequencies_need_every_question():
    with pytest.raises(DataError, match="'q2'"):
        frequencies({"q1": []}, CATALOG, QUESTIONS)


def test_nothing_extracted_has_no_coverage():
    assert InstanceCounts(3, 3, 0).coverage is None


def test_average_ranks():
    assert average_ranks([0.3, 0.1, 0.3, 0.2, 0.3]) == [4, 1, 4, 2, 4]


@pytest.mark.parametrize(
    "one, two, expected",
    [
        ([1, 2, 3, 4], [10, 20, 30, 40], 1),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1),
        ([106, 100, 86, 101, 99, 103, 97, 113, 112, 110], [7, 27, 2, 50, 28, 29, 20, 12, 6, 17], -29 / 165),
        ([1, 1, 2], [1, 2, 2], 0.5),
        ([1, 1, 1], [1, 2, 3], None),
        ([1], [1], None),
    ],
)
def test_spearman(one, two, expected):
    assert spearman(one, two) == (expected if expected is None else pytest.approx(expected))


@given(st.lists(st.integers(0, 5), max_size=20))
def test_ranks_keep_order_and_sum(values):
    ranks = average_ranks(values)
    assert sum(ranks) == len(values) * (len(values) + 1) / 2
    for at, a in zip(ranks, values, strict=True):
        assert all((a < b) == (at < bt) for bt, b in zip(ranks, values, strict=True))

"""Two judges' labels brought together, and the strata of their disagreements."""

import pytest

from scopeif.errors import DataError
from scopeif.reformbench.adjudication.strata import AgreementRow, Instance, Stratum, agreement, pairs, strata
from tests.reformbench.labelled import judgment, pair, variant

V1 = [Instance("m", "v1", position, "m-v1") for position in range(3)]


def test_pairs_go_by_instance_whatever_the_order():
    first = [judgment("g", label, one) for one, label in zip(V1, (1, 0, None), strict=True)]
    second = [judgment("h", label, one) for one, label in zip(reversed(V1), (1, 1, 1), strict=True)]
    found = pairs([variant()], first, second)
    assert [one.instance for one in found] == V1
    assert [one.agreed for one in found] == [1, None, None]
    assert [one.requirement.feature for one in found] == ["bullet_list", "section_headings", "call_to_action"]
    assert [one.stratum for one in found] == [None, Stratum("m", "second_passes", "structure", "require"), None]
    assert [one.unverified for one in found] == ["", "", "judge 'g': parse: no JSON"]


def test_two_unverified_labels_are_no_agreement():
    found = pair(None, None)
    assert (found.agreed, found.stratum) == (None, None)
    assert found.unverified == "judge 'g': parse: no JSON; judge 'h': parse: no JSON"


@pytest.mark.parametrize(
    "first, second, fault",
    [
        ([judgment("g", 1, V1[0])], [], "only one judge has judged 1 instances, such as constraint 0 of variant 'v1'"),
        ([judgment("g", 1, V1[0])] * 2, [judgment("h", 1, V1[0])], "'g' has judged constraint 0 .* twice"),
        ([judgment("g", 1, V1[0])], [judgment("g", 1, V1[0])], "two judges are needed"),
        ([judgment("g", 1, V1[0]), judgment("k", 1, V1[1])], [judgment("h", 1, V1[0])], "'g', 'k' and 'h'"),
        ([judgment("g", 1, V1[0])], [judgment("h", 1, V1[0], text="x")], "different texts"),
        ([judgment("g", 1, V1[0]._replace(variant="v9"))], [judgment("h", 1, V1[0]._replace(variant="v9"))], "'v9'"),
    ],
)
def test_labels_that_do_not_belong_together_are_refused(first, second, fault):
    with pytest.raises(DataError, match=fault):
        pairs([variant()], first, second)


def test_strata_hold_the_disagreements_alone_in_a_fixed_order():
    population = [
        *(pair(1, 0, 2), pair(0, 1, 1), pair(1, 1, 3), pair(None, 1, 4)),
        *(pair(1, 0, 0), pair(1, 0, 0, 1), pair(1, 0, 0, 0, "n")),
    ]
    found = strata(population)
    assert found == strata(population[::-1])
    assert [(*stratum, len(members)) for stratum, members in found.items()] == [
        ("m", "first_passes", "lists", "forbid", 2),
        ("m", "first_passes", "structure", "require", 1),
        ("m", "second_passes", "lists", "forbid", 1),
        ("n", "first_passes", "lists", "forbid", 1),
    ]
    assert [one.instance.variant for one in found[Stratum("m", "first_passes", "lists", "forbid")]] == ["v0", "v2"]


def test_agreement_by_model():
    rows = agreement([pair(1, 1), pair(0, 0, 1), pair(1, 0, 2), pair(None, 1, 3), pair(None, 1, model="n")])
    assert rows == [AgreementRow("m", 3, 1, 1), AgreementRow("n", 0, 0, 1)]
    assert rows[0].agreement == pytest.approx(2 / 3)
    assert rows[1].agreement is None


def test_agreement_as_table_a3_prints_it():
    """15,000 judgments a model; 18,492 disagreements of 150,000 are 87.67 % agreement."""
    printed = {
        1239: 91.74, 1308: 91.28, 1416: 90.56, 1375: 90.83, 1544: 89.71,
        2010: 86.60, 2203: 85.31, 2365: 84.23, 2185: 85.43, 2847: 81.02,
    }  # fmt: skip
    assert sum(printed) == 18_492
    for disagreements, percent in printed.items():
        share = AgreementRow("m", 15_000, disagreements, 0).agreement
        assert share is not None
        assert f"{100 * share:.2f}" == f"{percent:.2f}"
    assert f"{100 * AgreementRow('all', 150_000, 18_492, 0).agreement:.2f}" == "87.67"

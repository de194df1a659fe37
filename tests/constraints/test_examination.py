"""Findings over the rows of a data set, and its statistics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scopeif.constraints.dataset import Row, iter_rows
from scopeif.constraints.examination import Examination, Kind, plain
from scopeif.constraints.models import Instruction
from scopeif.errors import DataError
from tests.constraints.rows import constraint, row


def looked_at(*rows: dict[str, Any], **options: Any) -> Examination:
    examination = Examination(**options)
    for number, one in enumerate(rows, start=1):
        made = Instruction.model_validate({"id": str(number), **{k: v for k, v in row(**one).items() if k != "id"}})
        examination.add(Row(f"f:{number}", made, [], 1.0))
    return examination


def told(examination: Examination) -> list[tuple[Kind, str, str]]:
    return [(one.kind, one.place, one.message) for one in examination.findings]


def other(prompt: str, **changes: Any) -> dict[str, Any]:
    return {"prompt": prompt, "provenance": {}, **changes}


def test_different_rows_give_no_finding() -> None:
    assert told(looked_at(other("One."), other("Two."), other("Three.", split="test"))) == []


def test_the_same_prompt_in_one_split_is_a_duplicate() -> None:
    assert told(looked_at(other("One."), other("Two."), other("One."))) == [
        (Kind.DUPLICATE, "f:3", "has the same prompt as f:1")
    ]


def test_the_same_prompt_in_two_splits_leaks() -> None:
    leak = "has the same prompt as f:1; that row is train data"
    assert told(looked_at(other("One."), other("One.", split="test"))) == [(Kind.LEAK, "f:2", leak)]
    assert told(looked_at(other("One.", split="test"), other("One."))) == [
        (Kind.LEAK, "f:2", "has the same prompt as f:1; that row is test data")
    ]


@pytest.mark.parametrize(
    "one,another,same",
    [
        ("Write 3 lines.", "write 3 LINES", True),
        ("写三行，谢谢。", "写三行, 谢谢.", True),
        ("Ｗｒｉｔｅ it", "write\n\nit!", True),
        ("Use 1.5 litres", "Use 15 litres", False),
        ("Use 3, 4", "Use 34", False),
        ("Write 3 lines.", "Write 4 lines.", False),
    ],
)
def test_prompts_that_differ_in_marks_only_leak(one: str, another: str, same: bool) -> None:
    assert (plain(one) == plain(another)) is same
    found = told(looked_at(other(one), other(another, split="test")))
    expected = "has the prompt of f:1 but for case, spaces and marks; that row is train data"
    assert found == ([(Kind.LEAK, "f:2", expected)] if same else [])
    assert told(looked_at(other(one), other(another))) == []


def test_the_same_seed_and_constraints_in_any_order() -> None:
    two = [*constraint(), *constraint(text="Another.", spec=None)]
    rows = [
        {"prompt": "One.", "provenance": {"seed": 1}, "constraints": two},
        {"prompt": "Two.", "provenance": {"seed": 1}, "constraints": two[::-1]},
        {"prompt": "Three.", "provenance": {"seed": 2}, "constraints": two},
        {"prompt": "Four.", "provenance": {"seed": 1}, "constraints": two, "split": "test"},
    ]
    assert told(looked_at(*rows)) == [
        (Kind.DUPLICATE, "f:2", "has the seed and the constraints of f:1"),
        (Kind.LEAK, "f:4", "has the seed and the constraints of f:1; that row is train data"),
    ]


def test_a_pair_of_rows_is_told_once() -> None:
    assert len(told(looked_at({}, {}))) == 1
    assert len(told(looked_at({}, {}, {}))) == 2


def test_contradictions_and_what_nothing_meets() -> None:
    def words(**bounds: int) -> dict[str, Any]:
        clause = {
            "object": "words",
            "measure": {"kind": "length", "unit": "word"},
            "range": {"kind": "bounds", **bounds},
        }
        return constraint(text=f"Words {bounds}.", spec={"clauses": [clause]})[0]

    (finding,) = looked_at({"constraints": [words(upper=3), words(lower=5)]}).findings
    assert finding.kind is Kind.CONTRADICTION
    assert finding.message == "constraints[0], constraints[1]: at most 3 words, but at least 5 words"
    assert finding.quotes == ("Words {'upper': 3}.", "Words {'lower': 5}.")
    (finding,) = looked_at({"constraints": [words(upper=-3), words(lower=5)]}).findings
    assert finding.kind is Kind.UNSATISFIABLE
    assert finding.message.startswith("constraints[0]: words: none of the values")


@pytest.mark.parametrize(
    "text,bounds,words",
    [
        ("Write at least 400 words.", {"lower": 336}, "the text says 400, the spec 336"),
        ("Write at least 1,200 words.", {"lower": 1200}, None),
        ("Write more than 4 words.", {"lower": 5}, None),
        ("Write fewer than 10 words.", {"upper": 9}, None),
        ("Write four words.", {"lower": 3}, None),
        ('Say "2024" in at most five words.', {"upper": 5}, None),
        ("不少于１００字。", {"lower": 60}, "the text says 100, the spec 60"),
        ("Write between 3 and 5 words.", {"lower": 30, "upper": 5000}, "the text says 3 and 5, the spec 30 and 5000"),
        ("Write no words of 3 letters.", {"upper": 0}, None),
    ],
)
def test_text_and_spec_name_the_same_numbers(text: str, bounds: dict[str, int], words: str | None) -> None:
    clause = {"object": "words", "measure": {"kind": "length", "unit": "word"}, "range": {"kind": "bounds", **bounds}}
    found = told(looked_at({"constraints": constraint(text=text, spec={"clauses": [clause]})}))
    assert found == ([(Kind.DISAGREEMENT, "f:1", f"constraints[0]: {words}")] if words else [])


def test_long_prompts() -> None:
    examination = looked_at(
        other("1234"), other("12345"), tokens=lambda instruction: len(instruction.prompt or ""), max_tokens=4
    )
    (finding,) = examination.findings
    assert finding.message == "the prompt has 5 tokens, the limit is 4"
    assert "to 5" in (finding.fix or "")
    assert examination.statistics.longest_prompt_tokens == 5


def test_bad_rows_are_counted_and_findings_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scopeif.constraints.examination.KEPT", 2)
    examination = Examination()
    for number in range(3):
        faults = [DataError("x", place=f"f:{number}"), DataError("y", place=f"f:{number}")]
        examination.add(Row(f"f:{number}", None, faults, 1.0))
    assert (examination.counts[Kind.BAD_ROW], len(examination.findings)) == (6, 2)
    assert (examination.bad_rows, examination.faulty_rows) == (3, 3)


def test_statistics() -> None:
    nested = constraint(scope="Traversal(Paragraph) -> Position(Sentence)", spec=None)
    statistics = looked_at(
        other("One."), other("Two!", constraints=[*constraint(), *nested], split="test", language="zh")
    ).statistics
    counts = statistics.to_json()
    assert (counts["rows"], counts["rows_by_split"], counts["rows_by_language"]) == (
        2,
        {"train": 1, "test": 1},
        {"en": 1, "zh": 1},
    )
    assert (counts["constraints"], counts["mean_constraints_per_row"]) == (3, 1.5)
    assert counts["constraints_per_row"] == {"1": 1, "2": 1}
    assert counts["scope"] == {"Global": 2, "Traversal": 0, "Position": 0, "Condition": 0, "Nested": 1}
    assert (counts["target"]["Capacity"], counts["secondary_target"]["Text Length"]) == (3, 3)
    assert counts["range"]["One-Sided Bounds"] == 3
    assert (counts["with_spec"], counts["without_spec"], counts["uncommon_categories"]) == (2, 1, 0)
    assert counts["longest_prompt_characters"] == 4
    assert Examination().statistics.to_json()["mean_constraints_per_row"] is None


def test_categories_that_exclude_each_other_are_counted() -> None:
    order = constraint(target={"primary": "Relations", "secondary": "Ordering Relations"}, range="Intervals", spec=None)
    assert looked_at(other("One.", constraints=order)).statistics.uncommon == 1


def test_shipped_data_give_no_finding() -> None:
    examination = Examination()
    for name in ("train.jsonl", "test.jsonl", "chinese.jsonl"):
        for one in iter_rows(Path(__file__).parents[2] / "data" / "scope_mini" / name):
            examination.add(one)
    assert examination.findings == []
    assert examination.statistics.uncommon == 0

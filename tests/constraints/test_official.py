"""Rows of the official release, in the spellings that language models give them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopeif.constraints.dataset import check_instructions, iter_rows, read_instructions
from scopeif.constraints.models import Instruction
from scopeif.constraints.official import language_of
from scopeif.constraints.spelling import read_scope
from scopeif.constraints.taxonomy import PRIMARY_OF, RangeCategory, SecondaryTarget
from scopeif.errors import ScopeTextError
from tests.constraints.rows import category, official, row

OBJECT = {"counting_object": "paragraphs", "type": "Specific"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "official.json"


def read(path: Path, *rows: dict[str, Any]) -> list[Instruction]:
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=2), encoding="utf-8")
    return read_instructions(path)


def faults(path: Path, *rows: dict[str, Any]) -> list[str]:
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=2), encoding="utf-8")
    return [fault.message for fault in check_instructions(path).faults]


def test_a_row_as_it_is(path: Path) -> None:
    (one,) = read(path, official())
    assert (one.id, one.language, one.split, one.provenance) == ("7", "en", "train", {"source": "official"})
    first, second = one.constraints
    assert first.text == "Describe a harbour in four paragraphs."
    assert first.target.secondary is SecondaryTarget.UNIT_COUNT
    assert first.range is RangeCategory.EQUALITY
    assert first.spec is None
    assert second.scope == "Traversal(Paragraph) -> Position(Sentence)"
    assert second.scope_category == "Nested"
    assert [(it.object, it.type) for it in second.counting_objects] == [
        ('Whether each paragraph ends with a "?"', "universal")
    ]


def test_the_rows_may_also_stand_in_lines(tmp_path: Path) -> None:
    path = tmp_path / "official_test.jsonl"
    path.write_text("".join(json.dumps(official(id=number)) + "\n" for number in range(3)))
    assert [(one.id, one.split) for one in read_instructions(path)] == [("0", "test"), ("1", "test"), ("2", "test")]
    assert {one.split for one in read_instructions(path, split="train")} == {"train"}


@pytest.mark.parametrize(
    "name,split",
    [
        ("test.json", "test"),
        ("scopeif_test.json", "test"),
        ("val.json", "test"),
        ("latest.json", "train"),
        ("a.json", "train"),
    ],
)
def test_the_name_tells_the_split(name: str, split: str, tmp_path: Path) -> None:
    assert read(tmp_path / name, official())[0].split == split


def test_ids_languages_and_further_fields(path: Path) -> None:
    read_ = read(
        path,
        official(id="x1", language="de", split="test"),
        official(id=None, source="HIR", seed=4),
        official(id=8, prompt="分成三行，用 JSON 写。"),
    )
    assert [(one.id, one.language, one.split) for one in read_] == [
        ("x1", "de", "test"),
        ("2", "en", "train"),
        ("8", "zh", "train"),
    ]
    assert read_[1].provenance == {"source": "HIR", "seed": 4}


@pytest.mark.parametrize(
    "target",
    [
        json.dumps([OBJECT]),
        f"```json\n{json.dumps([OBJECT], indent=4)}\n```",
        f"```\n{json.dumps([OBJECT])}\n```",
        f"~~~json\n{json.dumps([OBJECT])}\n~~~",
        f"  ```JSON {json.dumps([OBJECT])}```\n",
        json.dumps([{"Counting Object": "paragraphs", "Type": "specific"}]),
        json.dumps([{"countingObject": "paragraphs", "TYPE": " SPECIFIC "}]),
        json.dumps(OBJECT),
        [OBJECT],
        OBJECT,
    ],
)
def test_counting_objects_in_any_dress(target: object, path: Path) -> None:
    (one,) = read(path, official(targets=[target, official()["targets"][1]]))
    assert [(it.object, it.type) for it in one.constraints[0].counting_objects] == [("paragraphs", "specific")]


@pytest.mark.parametrize(
    "field,spelled,attribute",
    [
        ("range", "one-sided bounds", "One-Sided Bounds"),
        ("range", "One Sided Bound", "One-Sided Bounds"),
        ("range", "Arithmetic Relation", "Arithmetic Relations"),
        ("range", "Arithmetic", "Arithmetic Relations"),
        ("range", " Interval ", "Intervals"),
        ("secondary_target", "Unit Counts", "Unit Count"),
        ("secondary_target", "UNIT COUNT", "Unit Count"),
        ("scope", "global(entire response)", "Global(Entire Response)"),
        ("scope", "Global", "Global(Entire Response)"),
        ("scope", "Traversal(Paragraphs) → Position(Sentences)", "Traversal(Paragraph) -> Position(Sentence)"),
        (
            "scope",
            "Traversal （Structural Blocks） => Condition(Words)",
            "Traversal(Structural Block) -> Condition(Word)",
        ),
        ("scope", "Traversal(Line) > Position(Word)", "Traversal(Line) -> Position(Word)"),
        ("scope", "Condition(Paragraphs longer than > 50)", "Condition(Paragraph)"),
        ("scope", "Position(the last sentence)", "Position(Sentence)"),
        ("scope", 'Condition(Lines that hold "tea")', "Condition(Line)"),
    ],
)
def test_names_in_any_spelling_are_noted(field: str, spelled: str, attribute: str, path: Path) -> None:
    (one,) = read(path, official(constraints=category(**{field: spelled})))
    first = one.constraints[0]
    got = {"range": first.range.value, "secondary_target": first.target.secondary.value, "scope": first.scope}
    assert got[field] == attribute
    assert one.provenance["spelled"] == {f"constraints[0].category.{field}": spelled}


def test_keys_in_any_spelling_and_a_primary_target_that_is_left_out(path: Path) -> None:
    changed = category(primary_target=None, secondary_target=None)
    changed[0]["category"]["Secondary Target"] = "Members"
    (one,) = read(path, official(constraints=changed))
    assert one.constraints[0].target.primary is PRIMARY_OF[SecondaryTarget.MEMBERS]


BAD = {
    "no prompt": (official(prompt=None), "prompt: Field required"),
    "near prompt": (official(prompt=None, promt="x"), "promt: unknown field (did you mean 'prompt'?)"),
    "number as prompt": (official(prompt=3), "prompt: is a JSON number, not a string"),
    "blank prompt": (official(prompt=" "), "prompt is empty"),
    "id": (official(id=[1]), "id: is a JSON array, not a string or whole number"),
    "no targets": (official(targets=None), "targets: Field required"),
    "too few targets": (official(targets=official()["targets"][:1]), "targets: 1 for 2 constraints"),
    "no constraints": (official(constraints=None), "constraints: Field required"),
    "empty constraints": (official(constraints=[], targets=[]), "constraints: Tuple should have at least 1 item"),
    "a text as constraint": (official(constraints=["x", "y"]), "constraints[0]: is a JSON string, not an object"),
    "no category": (
        official(constraints=[{"constraint": "x"}, official()["constraints"][1]]),
        "constraints[0].category: Field required",
    ),
    "no text": (
        official(constraints=[{"category": category()[0]["category"]}, official()["constraints"][1]]),
        "constraints[0].constraint: Field required",
    ),
    "no range": (official(constraints=category(range=None)), "constraints[0].category.range: Field required"),
    "no scope": (official(constraints=category(scope=None)), "constraints[0].category.scope: Field required"),
    "unknown range": (
        official(constraints=category(range="Equalty")),
        "constraints[0].category.range: 'Equalty' is none of One-Sided Bounds, Prohibition, Equality",
    ),
    "near range": (official(constraints=category(range="Equalty")), "(did you mean 'Equality'?)"),
    "unknown key": (
        official(constraints=category(rnage="x")),
        "constraints[0].category.rnage: unknown field (did you mean",
    ),
    "mixed target": (
        official(constraints=category(primary_target="Pattern")),
        "'Unit Count' is a subcategory of Capacity, not of Pattern",
    ),
    "free scope": (official(constraints=category(scope="the last sentence")), "names no selector"),
    "scope of two units": (official(constraints=category(scope="Position(word of a sentence)")), "names 2 units"),
    "scope without unit": (official(constraints=category(scope="Position(the end)")), "names no unit"),
    "no JSON": (
        official(targets=["three", "x"]),
        "targets[0]: holds no JSON array of counting objects: Expecting value",
    ),
    "no objects": (official(targets=["[]", "[]"]), "targets[0]: holds no counting object"),
    "no type": (
        official(targets=['[{"counting_object": "x"}]', official()["targets"][1]]),
        "targets[0][0].type: Field required",
    ),
    "wrong type": (
        official(targets=['[{"counting_object": "x", "type": "Univ"}]', official()["targets"][1]]),
        "targets[0][0].type: 'Univ' is neither Universal nor Specific",
    ),
    "near object": (
        official(targets=['[{"counting_objct": "x", "type": "Specific"}]', official()["targets"][1]]),
        "targets[0][0].counting_objct: unknown field (did you mean 'counting_object'?)",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_row_names_field_and_reason(name: str, path: Path) -> None:
    bad, message = BAD[name]
    found = faults(path, official(id="good"), bad)
    assert any(message in one for one in found), found
    assert [one.instruction is None for one in iter_rows(path)] == [False, True]


def test_ours_and_official_rows_may_stand_in_one_file(path: Path) -> None:
    assert [one.id for one in read(path, official(), row(id="ours"))] == ["7", "ours"]


@pytest.mark.parametrize(
    "text,language",
    [
        ("为一家小书店写一份公告。", "zh"),
        ('用 JSON 写，键为 "name" 和 "price"。', "zh"),
        ("Translate 你好 into French, please, and say why.", "en"),
        ("", "en"),
        ("12, 34", "en"),
    ],
)
def test_language(text: str, language: str) -> None:
    assert language_of(text) == language


@settings(max_examples=200, deadline=None)
@given(
    st.text(max_size=30)
    | st.lists(st.sampled_from(["Position", "(", ")", "Word", " ", "->", "the", "lines"])).map("".join)
)
def test_any_scope_text_is_read_to_the_notation_or_refused(text: str) -> None:
    try:
        read_ = read_scope(text)
    except ScopeTextError:
        return
    assert read_scope(read_) == read_


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["constraint", "category", "scope", "range", "id", "counting_object"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(field=st.sampled_from(["id", "prompt", "constraints", "targets"]), value=_ANYTHING)
def test_any_value_gives_an_instruction_or_faults(
    field: str, value: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / "rows.json"
    path.write_text(json.dumps([{**official(), field: value}]))
    checked = check_instructions(path)
    assert len(checked.instructions) + checked.bad_rows == 1
    assert bool(checked.faults) is (checked.bad_rows == 1)

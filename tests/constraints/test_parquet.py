"""Parquet in verl's layout and in ours: what went in comes out, whole numbers whole and absent keys absent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopeif.constraints.dataset import check_instructions, is_verl_file, read_instructions, write_parquet
from scopeif.constraints.models import Instruction
from scopeif.constraints.spec import Spec
from scopeif.errors import DataError
from tests.constraints.rows import constraint, official, row

# -- specs of every shape ----------------------------------------------------------------------------------------

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
_UNIT = st.sampled_from(["paragraph", "sentence", "list_item", "word"])


def _kind(**fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({key: st.just(one) if isinstance(one, str) else one for key, one in fields.items()})


_BOUND = st.none() | st.integers(0, 10**15) | st.floats(0, 1e6).filter(lambda number: not number.is_integer())
_LEAF = (
    _kind(test="contains", text=_TEXT, case_sensitive=st.booleans())
    | st.builds(lambda modulus: {"test": "index", "modulus": modulus, "remainder": modulus - 1}, st.integers(2, 9))
    | _kind(test="length", unit="word", lower=st.integers(0, 9))
)
_PREDICATE = st.recursive(
    _LEAF,
    lambda inner: _kind(test="all_of", of=st.lists(inner, min_size=1, max_size=2)) | _kind(test="not", of=inner),
    max_leaves=4,
)
_STEP = (
    _kind(select="each", unit=_UNIT)
    | _kind(select="at", unit=_UNIT, index=st.integers(1, 9) | st.integers(-9, -1))
    | _kind(select="where", unit=_UNIT, predicate=_PREDICATE)
)
_MEASURE = (
    _kind(kind="count", unit=_UNIT)
    | _kind(kind="length", unit="character")
    | _kind(kind="occurrences", text=_TEXT, whole_word=st.booleans())
    | _kind(kind="divided", by="---")
)
_BOUNDS = (
    st.tuples(_BOUND, _BOUND)
    .filter(lambda pair: pair != (None, None))
    .map(
        lambda pair: (
            {"kind": "bounds", "lower": pair[0], "upper": pair[1]}
            if None in pair
            else {"kind": "bounds", "lower": min(pair), "upper": max(pair)}
        )
    )
)
_RELATIVE = _kind(
    kind="relative",
    relation=st.sampled_from(["more", "equal"]),
    to=st.just({"to": "previous"})
    | st.just({"to": "segment", "scope": [{"select": "at", "unit": "line", "index": 2}]}),
    factor=st.integers(1, 5) | st.just(1.5),
    offset=st.integers(-3, 3),
)
_CLAUSE = _kind(object=_TEXT, scope=st.lists(_STEP, max_size=3), measure=_MEASURE, range=_BOUNDS | _RELATIVE)
SPECS = st.lists(_CLAUSE, min_size=1, max_size=3).map(lambda clauses: Spec.model_validate({"clauses": clauses}))


def instructions_of(specs: list[Spec | None]) -> list[Instruction]:
    rows = [
        row(id=str(number), constraints=constraint(spec=spec.model_dump(exclude_none=True) if spec else None))
        for number, spec in enumerate(specs)
    ]
    return [Instruction.model_validate(one) for one in rows]


def numbers(value: Any) -> list[tuple[type, Any]]:
    """Every number of a JSON value with its type, in order of its keys."""
    if isinstance(value, dict):
        return [one for _, inner in sorted(value.items()) for one in numbers(inner)]
    if isinstance(value, list):
        return [one for inner in value for one in numbers(inner)]
    return [(type(value), value)] if isinstance(value, int | float) else []


def spec_json(instruction: Instruction) -> Any:
    return [json.loads(one.spec.model_dump_json()) if one.spec else None for one in instruction.constraints]


@settings(max_examples=60, deadline=None)
@given(specs=st.lists(SPECS | st.none(), min_size=1, max_size=4))
def test_verl_layout_gives_everything_back(specs: list[Spec | None], tmp_path_factory: pytest.TempPathFactory) -> None:
    instructions = instructions_of(specs)
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    assert write_parquet(instructions, path) == len(instructions)
    assert is_verl_file(path)
    back = read_instructions(path)
    assert back == instructions
    assert [numbers(spec_json(one)) for one in back] == [numbers(spec_json(one)) for one in instructions]
    written = pq.read_table(path).column("extra_info").to_pylist()
    for one, instruction in zip(written, instructions, strict=True):
        keys = json.loads(one["instruction"])["constraints"][0]
        assert ("spec" in keys) is (instruction.constraints[0].spec is not None)  # absent, not null


@settings(max_examples=60, deadline=None)
@given(specs=st.lists(SPECS | st.none(), min_size=1, max_size=4))
def test_our_rows_in_a_table_come_back_as_they_were(
    specs: list[Spec | None], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Arrow makes one struct of all shapes: absent keys become nulls, whole numbers beside fractions floats."""
    instructions = instructions_of(specs)
    rows = [one.model_dump(mode="json", exclude_none=True) for one in instructions]
    for one in rows:
        one["provenance"] = {"seed": 3}
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    try:
        table = pa.Table.from_pylist(rows)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # a key that holds a list here and an object there
        table = pa.Table.from_pylist([{**one, "constraints": json.dumps(one["constraints"])} for one in rows])
    pq.write_table(table, path)
    assert not is_verl_file(path)
    back = read_instructions(path)
    assert [one.constraints for one in back] == [one.constraints for one in instructions]
    assert [numbers(spec_json(one)) for one in back] == [numbers(spec_json(one)) for one in instructions]
    assert {json.dumps(one.provenance) for one in back} == {'{"seed": 3}'}


def test_floats_and_nulls_of_a_mixed_column(tmp_path: Path) -> None:
    """What IFEval's tables are known for: 100 beside 4.5 comes back as 100, and 4.5 stays 4.5."""
    specs = [
        {"kind": "bounds", "upper": 100},
        {"kind": "bounds", "lower": 4.5},
        {"kind": "bounds", "lower": 3, "upper": 3.5},
    ]
    rows = []
    for number, range_ in enumerate(specs):
        clause = {"object": "x", "scope": [], "measure": {"kind": "length", "unit": "word"}, "range": range_}
        rows.append(row(id=str(number), constraints=constraint(spec={"clauses": [clause]})))
    table = pa.Table.from_pylist(rows)
    stored = table.column("constraints").to_pylist()[0][0]["spec"]["clauses"][0]["range"]
    assert stored == {"kind": "bounds", "lower": None, "upper": 100.0}
    assert isinstance(stored["upper"], float)
    pq.write_table(table, tmp_path / "rows.parquet")
    ranges = [spec_json(one)[0]["clauses"][0]["range"] for one in read_instructions(tmp_path / "rows.parquet")]
    assert [numbers(one) for one in ranges] == [[(int, 100)], [(float, 4.5)], [(int, 3), (float, 3.5)]]


def test_a_fraction_where_a_whole_number_must_stand_is_a_fault(tmp_path: Path) -> None:
    step = {"select": "at", "unit": "word", "index": 1.5}
    clause = {"object": "x", "scope": [step], "measure": {"kind": "length", "unit": "word"}, "range": {"upper": 2}}
    clause["range"]["kind"] = "bounds"  # type: ignore[index]
    pq.write_table(
        pa.Table.from_pylist([row(constraints=constraint(spec={"clauses": [clause]}))]), tmp_path / "rows.parquet"
    )
    (fault,) = check_instructions(tmp_path / "rows.parquet").faults
    assert fault.place == f"{tmp_path / 'rows.parquet'}: row 1"
    assert fault.message.startswith("constraints[0].spec.clauses[0].scope[0].index: ")


def test_official_rows_in_a_table(tmp_path: Path) -> None:
    path = tmp_path / "official.parquet"
    pq.write_table(pa.Table.from_pylist([official(id=8, note="x"), official()]), path)
    second, first = read_instructions(path)
    assert (first.id, first.provenance) == ("7", {"source": "official"})
    assert (second.id, second.provenance) == ("8", {"source": "official", "note": "x"})


def verl_row(**changes: Any) -> dict[str, Any]:
    instruction = Instruction.model_validate(row())
    good = {
        "data_source": "mine",
        "prompt": instruction.chat(),
        "extra_info": {"index": 0, "instruction": json.dumps(row())},
    }
    return {**good, **changes}


@pytest.mark.parametrize(
    "changes,message",
    [
        ({"extra_info": {"index": 0}}, "extra_info.instruction: a row of data source 'mine' holds no instruction"),
        ({"extra_info": None}, "holds no instruction"),
        ({"extra_info": {"instruction": "{"}}, "extra_info.instruction: (row): invalid JSON"),
        (
            {"extra_info": {"instruction": json.dumps(row(split="dev"))}},
            "extra_info.instruction: split: 'dev' is none of",
        ),
        (
            {"prompt": [{"role": "user", "content": "Other."}]},
            "prompt: differs from the prompt of extra_info.instruction",
        ),
    ],
)
def test_a_bad_verl_row_says_why(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist([verl_row(), verl_row(**changes)]), tmp_path / "rows.parquet")
    (fault,) = check_instructions(tmp_path / "rows.parquet").faults
    assert message in fault.message
    assert fault.place == f"{tmp_path / 'rows.parquet'}: row 2"


def test_an_empty_table_holds_no_row(tmp_path: Path) -> None:
    write_parquet([], tmp_path / "rows.parquet")
    with pytest.raises(DataError, match="holds no row"):
        read_instructions(tmp_path / "rows.parquet")

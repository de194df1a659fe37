"""Reading, checking and writing instructions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopeif.constraints.dataset import (
    check_instructions,
    instruction_to_json,
    read_instructions,
    verl_rows,
    write_jsonl,
    write_parquet,
)
from scopeif.constraints.models import Instruction
from scopeif.errors import DataError
from tests.constraints.rows import constraint, lines, row


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.jsonl"


def test_good_rows_load_in_order(path: Path) -> None:
    lines(path, json.dumps(row()), json.dumps(row(id="b", split="test")))
    assert [(one.id, one.split) for one in read_instructions(path)] == [("a", "train"), ("b", "test")]


def test_whole_numbers_and_nulls_of_provenance_survive(path: Path) -> None:
    lines(path, json.dumps(row()))
    (instruction,) = read_instructions(path)
    write_jsonl([instruction], path)
    assert read_instructions(path) == [instruction]
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert stored["provenance"] == {"seed": 3, "note": None}
    assert stored["constraints"][0]["spec"]["clauses"][0]["range"] == {"kind": "bounds", "upper": 20}


BAD_ROWS = {
    "not JSON": ("{'id': 1}", "(row)", "invalid JSON: Expecting property name"),
    "truncated": ('{"id": "a"', "(row)", "invalid JSON"),
    "two values": ('{"id": "a"} {}', "(row)", "invalid JSON: Extra data"),
    "NaN": ('{"id": NaN}', "(row)", "NaN is no JSON number"),
    "-Infinity": ('{"id": -Infinity}', "(row)", "-Infinity is no JSON number"),
    "overflow": ('{"id": 1e999}', "(row)", "1e999 is beyond the range of a float"),
    "duplicate key": ('{"id": "a", "id": "b"}', "(row)", "duplicate key 'id'"),
    "inner duplicate key": ('{"id": "a", "provenance": {"x": 1, "x": 1}}', "(row)", "duplicate key 'x'"),
    "lone surrogate": ('{"id": "\\ud800"}', "(row)", "surrogate"),
    "deep": ("[" * 100_000, "(row)", "nested too deeply"),
    "array": ("[1]", "(row)", "is a JSON array, not an object"),
    "null": ("null", "(row)", "is a JSON null, not an object"),
    "no id": (json.dumps(row(id=None)), "id", "Field required"),
    "number as id": (json.dumps(row(id=3)), "id", "valid string"),
    "empty id": (json.dumps(row(id="")), "id", "at least 1 character"),
    "no prompt": (json.dumps(row(prompt=None)), "(row)", "give either prompt or messages"),
    "blank prompt": (json.dumps(row(prompt="  ")), "(row)", "prompt is empty"),
    "unknown key": (json.dumps(row(promt="x")), "promt", "unknown field (did you mean 'prompt'?)"),
    "unknown split": (json.dumps(row(split="dev")), "split", "'train' or 'test'"),
    "no constraints": (json.dumps(row(constraints=[])), "constraints", "at least 1 item"),
    "constraints of a wrong type": (json.dumps(row(constraints="x")), "constraints", "valid array"),
    "message role": (
        json.dumps(row(prompt=None, messages=[{"role": "boss", "content": "x"}])),
        "messages[0].role",
        "'system', 'user' or 'assistant'",
    ),
    "scope": (
        json.dumps(row(constraints=constraint(scope="Everywhere(Word)"))),
        "constraints[0].scope",
        "'Everywhere' in scope",
    ),
    "target": (
        json.dumps(row(constraints=constraint(target={"primary": "Pattern", "secondary": "Text Length"}))),
        "constraints[0].target",
        "Text Length is a subcategory of Capacity",
    ),
    "range": (json.dumps(row(constraints=constraint(range="Few"))), "constraints[0].range", "Equality"),
    "object type": (
        json.dumps(row(constraints=constraint(counting_objects=[{"object": "x", "type": "Specific"}]))),
        "constraints[0].counting_objects[0].type",
        "'universal' or 'specific'",
    ),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_bad_row_names_file_line_field_and_reason(name: str, path: Path) -> None:
    text, field, reason = BAD_ROWS[name]
    lines(path, json.dumps(row(id="good")), text)
    instructions, faults, *_ = check_instructions(path)
    assert [one.id for one in instructions] == ["good"]
    assert faults[0].place == f"{path}:2"
    assert faults[0].message.startswith(f"{field}: ")
    assert reason in faults[0].message
    with pytest.raises(DataError) as raised:
        read_instructions(path)
    assert str(raised.value).startswith(f"{path}:2: {field}: ")


def spec_with(measure: dict[str, Any], range_: dict[str, Any], scope: list[dict[str, Any]]) -> str:
    clause = {"object": "x", "scope": scope, "measure": measure, "range": range_}
    return json.dumps(row(constraints=constraint(spec={"clauses": [clause]})))


CLAUSE = "constraints[0].spec.clauses[0]"
WORDS, UPPER = {"kind": "length", "unit": "word"}, {"kind": "bounds", "upper": 3}
BAD_SPECS = {
    "unknown unit": (
        spec_with({"kind": "count", "unit": "stanza"}, UPPER, []),
        "measure.unit",
        "'stanza' is none of 'response', 'section'",
    ),
    "unknown measure": (spec_with({"kind": "rhyme"}, UPPER, []), "measure", "does not match any"),
    "text bound": (spec_with(WORDS, {"kind": "bounds", "upper": "3"}, []), "range.upper", "valid integer"),
    "bool bound": (spec_with(WORDS, {"kind": "bounds", "upper": True}, []), "range.upper", "valid integer"),
    "no bound": (spec_with(WORDS, {"kind": "bounds"}, []), "range", "need a lower or an upper"),
    "reversed": (
        spec_with(WORDS, {"kind": "bounds", "lower": 4, "upper": 3}, []),
        "range",
        "above upper bound 3",
    ),
    "index 0": (
        spec_with(WORDS, UPPER, [{"select": "at", "unit": "word", "index": 0}]),
        "scope[0]",
        "1-based",
    ),
    "missing unit": (spec_with(WORDS, UPPER, [{"select": "each"}]), "scope[0].unit", "Field required"),
}


@pytest.mark.parametrize("name", BAD_SPECS)
def test_fault_inside_a_spec_names_its_path(name: str, path: Path) -> None:
    text, field, reason = BAD_SPECS[name]
    (fault,) = check_instructions(lines(path, text)).faults
    assert fault.message.startswith(f"{CLAUSE}.{field}: ")
    assert reason in fault.message


def test_first_fault_is_raised_with_the_count_of_the_others(path: Path) -> None:
    lines(path, json.dumps(row(id=None, split="dev")), "{", json.dumps(row()))
    with pytest.raises(DataError, match=r"data\.jsonl:1: id: Field required \(and 2 further faults in this file\)"):
        read_instructions(path)


def test_duplicate_id_names_both_lines(path: Path) -> None:
    lines(path, json.dumps(row()), "", json.dumps(row(prompt="Another.")))
    instructions, faults, *_ = check_instructions(path)
    assert len(instructions) == 1
    assert str(faults[0]) == f"{path}:3: id: 'a' is already the id of line 1"


def test_blank_lines_and_windows_line_ends_are_passed_over(path: Path) -> None:
    path.write_bytes(b"\r\n  \r\n" + json.dumps(row()).encode() + b"\r\n\n")
    assert len(read_instructions(path)) == 1


def test_line_separators_inside_a_string_do_not_split_the_row(path: Path) -> None:
    lines(path, json.dumps(row(prompt="one\u2028two\x85three"), ensure_ascii=False))
    assert read_instructions(path)[0].prompt == "one\u2028two\x85three"


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf", b"[]", b" [ ] "])
def test_file_without_a_row(content: bytes, path: Path) -> None:
    path.write_bytes(content)
    with pytest.raises(DataError, match="the file holds no row") as raised:
        read_instructions(path)
    assert raised.value.place == str(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_instructions(tmp_path / "absent.jsonl")
    (tmp_path / "rows.jsonl").touch()
    with pytest.raises(DataError, match=r"a folder, not a file(.|\n)*rows\.jsonl"):
        read_instructions(tmp_path)


def test_utf8_byte_order_mark_is_passed_over(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(row()).encode())
    assert len(read_instructions(path)) == 1


def test_utf16_is_named(path: Path) -> None:
    path.write_text(json.dumps(row()), encoding="utf-16")
    with pytest.raises(DataError, match="the file is UTF-16"):
        read_instructions(path)


def test_other_encoding_names_line_and_byte(path: Path) -> None:
    bad = json.dumps(row(id="b", prompt="café"), ensure_ascii=False).encode("latin-1")
    path.write_bytes(json.dumps(row()).encode() + b"\n" + bad)
    (fault,) = check_instructions(path).faults
    assert fault.place == f"{path}:2"
    assert "byte 0xe9 at position" in fault.message


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, "\ud800"])
def test_provenance_that_json_cannot_hold_is_refused(value: object, path: Path) -> None:
    instruction = Instruction.model_validate(row(provenance={"x": value}))
    with pytest.raises(DataError, match="cannot be written as JSON"):
        write_jsonl([instruction], path)
    assert not path.exists()


# -- verl rows ---------------------------------------------------------------------------------------------


def test_verl_row() -> None:
    instruction = Instruction.model_validate(row(split="test"))
    (got,) = verl_rows([instruction], data_source="mine")
    assert got["data_source"] == "mine"
    assert got["prompt"] == [{"role": "user", "content": instruction.prompt}]
    assert got["reward_model"] == {"style": "rule", "ground_truth": "a"}
    assert (got["extra_info"]["index"], got["extra_info"]["id"], got["extra_info"]["split"]) == (
        0,
        "a",
        "test",
    )


def test_whole_numbers_stay_whole_through_parquet(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "你好"}]
    instructions = [
        Instruction.model_validate(row()),
        Instruction.model_validate(row(id="b", prompt=None, messages=messages, provenance={"half": 0.5})),
    ]
    write_parquet(instructions, tmp_path / "rows.parquet")
    stored = pq.read_table(tmp_path / "rows.parquet").to_pylist()
    assert [one["prompt"] for one in stored] == [one.chat() for one in instructions]
    assert [one["extra_info"]["index"] for one in stored] == [0, 1]
    read = [Instruction.model_validate_json(one["extra_info"]["instruction"]) for one in stored]
    assert read == instructions
    clause = json.loads(stored[0]["extra_info"]["instruction"])["constraints"][0]["spec"]["clauses"][0]
    assert type(clause["range"]["upper"]) is int


def test_no_rows_make_a_parquet_file_with_the_same_columns(tmp_path: Path) -> None:
    write_parquet([], tmp_path / "rows.parquet")
    columns = ["data_source", "prompt", "ability", "reward_model", "extra_info"]
    assert pq.read_table(tmp_path / "rows.parquet").column_names == columns


# -- round trip --------------------------------------------------------------------------------------------

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=6,
)
_BOUND = st.integers(0, 10**12) | st.floats(0, 1e9)


@settings(max_examples=60, deadline=None)
@given(
    id_=_TEXT,
    prompt=_TEXT.filter(str.strip),
    text=_TEXT,
    upper=_BOUND,
    provenance=st.dictionaries(_TEXT, _JSON),
)
def test_round_trip(id_: str, prompt: str, text: str, upper: float, provenance: dict[str, Any]) -> None:
    constraints = constraint(text=text)
    constraints[0]["spec"] = json.loads(json.dumps(constraints[0]["spec"]))
    constraints[0]["spec"]["clauses"][0]["range"]["upper"] = upper
    instruction = Instruction.model_validate(row(id=id_, prompt=prompt, constraints=constraints, provenance=provenance))
    line = instruction_to_json(instruction)
    assert "\n" not in line
    back = Instruction.model_validate_json(line)
    assert back == instruction
    spec = back.constraints[0].spec
    assert spec is not None
    assert type(spec.clauses[0].range.upper) is type(upper)  # type: ignore[union-attr]


@settings(max_examples=60, deadline=None)
@given(
    content=st.binary(max_size=60)
    | st.lists(st.sampled_from(['{"id"', ":", '"a"', "}", "\n", "[", "\\ud8", "1e9", "NaN"])).map(
        lambda parts: "".join(parts).encode()
    )
)
def test_any_bytes_are_rows_or_faults(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("any") / "data.jsonl"
    path.write_bytes(content)
    instructions, faults, *_ = check_instructions(path)
    assert not instructions
    assert faults


def test_faults_are_bounded_and_counted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scopeif.constraints.dataset.MAX_FAULTS", 3)
    lines(path, *[row(id=None, split="dev")] * 4, row())
    checked = check_instructions(path)
    assert [one.place for one in checked.faults] == [f"{path}:1", f"{path}:1", f"{path}:2"]
    assert (checked.fault_count, checked.bad_rows, len(checked.instructions)) == (8, 4, 1)


NEAR_MISSES = {
    "top": (row(promt="x"), "promt: unknown field (did you mean 'prompt'?)"),
    "constraint": (
        row(constraints=constraint(Scope="x")),
        "constraints[0].Scope: unknown field (did you mean 'scope'?)",
    ),
    "clause of a spec": (
        row(constraints=constraint(spec={"clauses": [{"objects": "x"}]})),
        "constraints[0].spec.clauses[0].objects: unknown field (did you mean 'object'?)",
    ),
    "branch of a union": (
        row(
            constraints=constraint(
                spec={
                    "clauses": [
                        {
                            "object": "x",
                            "scope": [
                                {"select": "where", "unit": "word", "predicate": {"test": "contains", "txt": "x"}}
                            ],
                            "measure": {"kind": "length", "unit": "word"},
                            "range": {"kind": "bounds", "upper": 1},
                        }
                    ]
                }
            )
        ),
        "constraints[0].spec.clauses[0].scope[0].predicate.txt: unknown field (did you mean 'text'?)",
    ),
    "option": (
        row(constraints=constraint(range="one sided bounds")),
        "(did you mean 'One-Sided Bounds'?)",
    ),
    "nothing near": (row(constraints=constraint(zzz=1)), "zzz: unknown field, known are text, scope, target"),
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_a_wrong_name_is_met_with_the_right_one(name: str, path: Path) -> None:
    bad, words = NEAR_MISSES[name]
    faults = check_instructions(lines(path, bad)).faults
    assert any(words in fault.message for fault in faults), faults


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_compressed_rows_come_back(suffix: str, tmp_path: Path) -> None:
    instructions = [Instruction.model_validate(row(id=str(number))) for number in range(50)]
    path = tmp_path / f"rows.jsonl{suffix}"
    assert write_jsonl(instructions, path) == 50
    assert read_instructions(path) == instructions
    assert (path.read_bytes()[:1] == b"{") is (suffix == "")


@pytest.mark.parametrize("write", [write_jsonl, write_parquet])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(write: Any, tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_text("old")
    good = Instruction.model_validate(row())

    def failing() -> Any:
        yield good
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        write(failing(), path)
    assert [file.name for file in tmp_path.iterdir()] == ["rows"]
    assert path.read_text() == "old"
    write([good], path)
    assert read_instructions(path) == [good]


def test_writing_to_no_folder_or_over_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot be written(.|\n)*mkdir -p"):
        write_jsonl([], tmp_path / "none" / "rows.jsonl")
    with pytest.raises(DataError, match="a folder, not a file"):
        write_parquet([], tmp_path)

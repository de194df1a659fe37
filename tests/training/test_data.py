"""Data files are checked before anything loads, and prompts are refused rather than cut."""

import json

import pytest

from scopeif.errors import DataError
from scopeif.training.data import check_rows, prepare_files

ROW = {
    "id": "a",
    "prompt": "Describe rain. Use at most 9 words.",
    "constraints": [
        {
            "text": "Use at most 9 words.",
            "scope": "Global(Entire Response)",
            "target": {"primary": "Capacity", "secondary": "Text Length"},
            "range": "One-Sided Bounds",
            "counting_objects": [{"object": "words", "type": "specific"}],
            "spec": {
                "clauses": [
                    {
                        "object": "words",
                        "measure": {"kind": "length", "unit": "word"},
                        "range": {"kind": "bounds", "upper": 9},
                    }
                ]
            },
        }
    ],
}


class CountingTokenizer:
    """One token a character, and the chat template is the text itself."""

    def apply_chat_template(self, messages, **_):
        return "".join(message["content"] for message in messages)

    def __call__(self, text, **_):
        return {"input_ids": list(text)}


def write(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_jsonl_becomes_parquet_in_the_run(tmp_path):
    import pyarrow.parquet as parquet

    (file,) = prepare_files(write(tmp_path / "mine.jsonl", ROW), tmp_path / "run", "train")
    (row,) = parquet.read_table(file).to_pylist()
    assert row["prompt"] == [{"role": "user", "content": ROW["prompt"]}]
    assert json.loads(row["extra_info"]["instruction"])["constraints"][0]["spec"]["clauses"][0]["range"]["upper"] == 9
    assert row["extra_info"]["id"] == "a"


def test_a_bad_row_names_file_line_field_and_reason(tmp_path):
    bad = json.loads(json.dumps(ROW)) | {"id": "b"}
    bad["constraints"][0]["range"] = "At Most"
    name = write(tmp_path / "mine.jsonl", ROW, bad)
    with pytest.raises(DataError) as caught:
        prepare_files(name, tmp_path / "run", "train")
    assert f"{name}:2" in str(caught.value)
    assert "constraints[0].range" in str(caught.value)


def test_a_missing_file_says_how_to_make_it(tmp_path):
    with pytest.raises(DataError, match=r"scopeif\.synth offline"):
        prepare_files(str(tmp_path / "scope_mini" / "train.jsonl"), tmp_path, "train")


def test_other_kinds_of_files_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"\.jsonl or a \.parquet"):
        prepare_files(write(tmp_path / "rows.csv"), tmp_path, "val")


def test_long_prompts_are_refused_with_the_number_needed(tmp_path):
    (file,) = prepare_files(write(tmp_path / "mine.jsonl", ROW), tmp_path / "run", "train")
    length = len(ROW["prompt"])
    assert check_rows(file, CountingTokenizer(), length, {}) == length
    with pytest.raises(DataError, match=f"{length} tokens") as caught:
        check_rows(file, CountingTokenizer(), length - 1, {})
    assert "instruction a" in str(caught.value)
    assert f"at least {length}" in str(caught.value)


def test_rows_of_another_kind_of_data_are_refused(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as parquet

    prompt = [{"role": "user", "content": "2+2?"}]
    row = {"data_source": "openai/gsm8k", "prompt": prompt, "extra_info": {"index": 0}}
    parquet.write_table(pa.Table.from_pylist([row]), tmp_path / "maths.parquet")
    with pytest.raises(DataError, match="openai/gsm8k") as caught:
        check_rows(str(tmp_path / "maths.parquet"), CountingTokenizer(), 100, {})
    assert "row 1" in caught.value.place


def test_other_layouts_are_converted_and_verl_layout_is_taken_as_it_is(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as parquet

    constraint = ROW["constraints"][0]
    category = {"scope": constraint["scope"], "range": constraint["range"]}
    category |= {"primary_target": "Capacity", "secondary_target": "Text Length"}
    official = {
        "id": 0,
        "prompt": ROW["prompt"],
        "constraints": [{"constraint": constraint["text"], "category": category}],
        "targets": ['```json\n[{"counting_object": "words", "type": "Specific"}]\n```'],
    }
    (tmp_path / "official.json").write_text(json.dumps([official]))
    parquet.write_table(pa.Table.from_pylist([ROW]), tmp_path / "ours.parquet")
    names = [str(tmp_path / "official.json"), str(tmp_path / "ours.parquet")]
    made = prepare_files(names, tmp_path / "run", "val")
    assert [check_rows(file, CountingTokenizer(), 100, {}) for file in made] == [len(ROW["prompt"])] * 2
    assert parquet.read_table(made[0]).column("extra_info").to_pylist()[0]["split"] == "test"
    assert prepare_files(made, tmp_path / "again", "val") == made

"""Data files are checked before anything loads, and prompts are refused rather than cut."""

import json

import pytest

from scopeif.constraints.dataset import verl_row, write_verl_rows
from scopeif.errors import ConfigError, DataError
from scopeif.evaluation import ifeval_data
from scopeif.training.composing import compose_config
from scopeif.training.data import check_rows, prepare_files, prepare_validation
from scopeif.training.settings import Settings

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


IFEVAL = {"key": 1, "prompt": "Say.", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}


@pytest.fixture
def ifeval(tmp_path, monkeypatch):
    """A folder as `scopeif data fetch ifeval` leaves it, with one prompt of ours."""
    import hashlib

    folder = tmp_path / "ifeval"
    model = folder / "nltk_data" / "tokenizers" / "punkt_tab" / "english"
    model.mkdir(parents=True)
    for name in ifeval_data._PUNKT_SHA256:
        (model / name).write_text(name)
    hashes = {name: hashlib.sha256(name.encode()).hexdigest() for name in ifeval_data._PUNKT_SHA256}
    monkeypatch.setattr(ifeval_data, "_PUNKT_SHA256", hashes)
    content = ifeval_data._canonical([ifeval_data.IFEvalPrompt.from_json(IFEVAL)])
    monkeypatch.setattr(ifeval_data, "_SHA256", hashlib.sha256(content).hexdigest())
    return write(folder / "test.jsonl", IFEVAL)


def prepared(tmp_path, *overrides):
    config = compose_config(["recipe=tiny", *overrides])
    config.data.train_files = ["train.parquet"]
    prepare_validation(config, Settings.from_config(config), tmp_path / "run" / "data")
    return config


def sources(files):
    import pyarrow.parquet as parquet

    return [parquet.read_table(file)["data_source"].to_pylist() for file in files]


def many(path, count):
    return write(path, *(ROW | {"id": str(number)} for number in range(count)))


def test_ifeval_whole_a_sample_beside_it_and_the_guard(ifeval, tmp_path):
    (tmp_path / "mine").mkdir()
    mine = many(tmp_path / "mine" / "test.jsonl", 30)
    config = prepared(tmp_path, f"data.val_files=[{ifeval},{mine}]", "validation.guard_prompts=64")
    assert sources(config.data.val_files) == [["ifeval"], ["mine"] * 8, ["guard"] * 64]
    assert config.trainer.test_freq > 0
    assert (tmp_path / "run/data/nltk_data/tokenizers/punkt_tab/english/collocations.tab").read_text()
    for file in config.data.val_files:
        assert check_rows(file, CountingTokenizer(), 1000, {}) > 0


def test_the_sample_follows_the_seed(tmp_path):
    import pyarrow.parquet as parquet

    mine = many(tmp_path / "test.jsonl", 30)

    def ids(seed):
        config = prepared(tmp_path, f"data.val_files={mine}", f"run.seed={seed}", "validation.guard_prompts=0")
        (file,) = config.data.val_files
        return [extra["id"] for extra in parquet.read_table(file)["extra_info"].to_pylist()]

    assert ids(1) == ids(1)
    assert ids(1) != ids(2)
    assert len(set(ids(1))) == 8


def test_all_rows_without_a_limit(tmp_path):
    mine = many(tmp_path / "test.jsonl", 30)
    config = prepared(tmp_path, f"data.val_files={mine}", "validation.max_samples=null", "validation.guard_prompts=0")
    assert [len(rows) for rows in sources(config.data.val_files)] == [30]


@pytest.mark.parametrize("files", ["null", "[missing.jsonl]"])
def test_no_validation_needs_no_validation_file(tmp_path, files):
    config = prepared(tmp_path, "validate=false", f"data.val_files={files}")
    assert (config.trainer.val_before_train, config.trainer.test_freq) == (False, -1)
    assert (config.data.val_files, config.data.val_max_samples) == (["train.parquet"], 1)


@pytest.mark.parametrize(
    "override, place", [("data.val_max_samples=8", "data.val_max_samples"), ("data.val_files=null", "data.val_files")]
)
def test_what_would_not_validate_what_is_meant_is_refused(tmp_path, override, place):
    with pytest.raises(ConfigError) as caught:
        prepared(tmp_path, override)
    assert caught.value.place == place


def test_benchmark_and_guard_are_never_trained_on(ifeval, tmp_path):
    with pytest.raises(DataError, match="ifeval is for validation alone"):
        prepare_files(ifeval, tmp_path / "run", "train")
    (file,) = prepare_files(ifeval, tmp_path / "run", "val")
    with pytest.raises(DataError, match="ifeval is for validation alone"):
        prepare_files(file, tmp_path / "run", "train")


def test_a_missing_ifeval_says_how_to_fetch_it(tmp_path):
    with pytest.raises(DataError, match="scopeif data fetch ifeval --out"):
        prepare_files(str(tmp_path / "ifeval" / "test.jsonl"), tmp_path, "val")


def test_a_broken_row_of_ifeval_is_refused_before_anything_loads(tmp_path):
    chat = [{"role": "user", "content": "Say."}]
    write_verl_rows(
        [verl_row(0, "ifeval", "ifeval-1", chat, json.dumps(IFEVAL | {"kwargs": []}))], tmp_path / "a.parquet"
    )
    with pytest.raises(DataError, match="1 instructions and 0 sets"):
        check_rows(str(tmp_path / "a.parquet"), CountingTokenizer(), 100, {})


def test_rows_that_a_users_function_scores_are_held_against_the_limit_alone(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as parquet

    row = {"data_source": "gsm8k", "prompt": [{"role": "user", "content": "2+2?"}], "extra_info": {"index": 0}}
    file = tmp_path / "maths.parquet"
    parquet.write_table(pa.Table.from_pylist([row]), file)
    assert check_rows(str(file), CountingTokenizer(), 4, {}, {"gsm8k": "a:b"}) == 4
    with pytest.raises(DataError, match="4 tokens"):
        check_rows(str(file), CountingTokenizer(), 3, {}, {"gsm8k": "a:b"})


def test_a_run_that_extends_another_takes_over_the_base_models_answers(tmp_path):
    (tmp_path / "earlier" / "data").mkdir(parents=True)
    (tmp_path / "earlier" / "data" / "guard_base.json").write_text("{}")
    prepared(tmp_path, f"data.val_files={many(tmp_path / 'test.jsonl', 3)}", f"run.extends={tmp_path / 'earlier'}")
    assert (tmp_path / "run" / "data" / "guard_base.json").read_text() == "{}"

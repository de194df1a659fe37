"""`scopeif data` as its user sees it: words, files and exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from scopeif.cli import app
from scopeif.constraints.dataset import read_instructions, write_parquet
from scopeif.constraints.models import Instruction
from tests.constraints.rows import constraint, lines, official, row


def scopeif(*arguments: Any) -> Result:
    result = CliRunner(env={"COLUMNS": "120"}).invoke(app, ["data", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return lines(tmp_path / "good.jsonl", row(), row(id="b", prompt="Another.", provenance={}))


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    return lines(tmp_path / "bad.jsonl", row(), row(id="b", promt="x"), "{", row(id="c", split="dev", prompt="C."))


def test_check_of_good_rows(good: Path) -> None:
    result = scopeif("check", good)
    assert result.exit_code == 0
    for words in ("2 rows", "nothing found", "constraints", "Global", "One-Sided Bounds", "100.0%"):
        assert words in result.stdout


def test_check_shows_every_fault_with_its_place(bad: Path) -> None:
    result = scopeif("check", bad)
    assert result.exit_code == 1
    assert f"{bad}:2: promt: unknown field (did you mean 'prompt'?)" in result.stdout
    assert f"{bad}:3: (row): invalid JSON" in result.stdout
    assert f"{bad}:4: split: 'dev' is none of 'train' or 'test'" in result.stdout
    assert "Faults of bad rows: 3 in 3 rows" in result.stdout
    assert "3 findings in 3 of 4 rows" in result.stdout


def test_check_limits_what_it_shows_not_what_it_counts(bad: Path) -> None:
    result = scopeif("check", bad, "--limit", 1)
    assert "... and 2 more (--limit 0 shows all)" in result.stdout
    assert f"{bad}:4" not in result.stdout
    assert "more" not in scopeif("check", bad, "--limit", 0).stdout


def test_check_holds_test_against_train(tmp_path: Path) -> None:
    train = lines(tmp_path / "a.jsonl", row())
    test = lines(tmp_path / "b.jsonl", row(id="t", split="test", prompt=row()["prompt"].upper(), provenance={}))
    result = scopeif("check", train, test)
    assert result.exit_code == 1
    assert "Test rows that leak into training: 1" in result.stdout
    assert f"has the prompt of {train}:1 but for case, spaces and marks; that row is train data" in result.stdout


def test_check_as_json_is_whole_and_the_same(bad: Path) -> None:
    result = scopeif("check", bad, "--json")
    assert result.exit_code == 1
    report = json.loads(result.stdout)
    assert report["counts"] == {"bad row": 3}
    assert (report["bad_rows"], report["files"]) == (3, [{"file": str(bad), "rows": 4}])
    assert report["findings"][0]["place"] == f"{bad}:2"
    assert report["statistics"]["rows"] == 1
    assert report["unusable"] == []


def test_an_unusable_file_does_not_hide_the_others(good: Path, tmp_path: Path) -> None:
    result = scopeif("check", good, tmp_path / "none.jsonl")
    assert result.exit_code == 2
    assert f"error: {tmp_path / 'none.jsonl'}: no such file" in result.stderr
    assert "2 rows" in result.stdout
    assert "nothing found" not in result.stdout
    report = json.loads(scopeif("check", tmp_path, "--json").stdout)
    assert report["unusable"][0]["message"] == "a folder, not a file"


def test_markup_and_control_characters_of_rows_are_shown_not_obeyed(tmp_path: Path) -> None:
    spec = {
        "clauses": [
            {"object": "x", "measure": {"kind": "length", "unit": "word"}, "range": {"kind": "bounds", "upper": -1}}
        ]
    }
    path = lines(
        tmp_path / "x.jsonl", row(id="[red]\x1b[31m", constraints=constraint(text="[bold]x[/oops]", spec=spec))
    )
    for command in ("check", "show"):
        out = scopeif(command, path).stdout
        assert "[bold]x[/oops]" in out
        assert "[red]␛[31m" in out
        assert "\x1b" not in out


def test_check_counts_tokens_as_training_does(good: Path, tiny_tokenizer: Path) -> None:
    result = scopeif("check", good, "--tokenizer", tiny_tokenizer, "--max-tokens", 30, "--json")
    assert result.exit_code == 1, result.output
    report = json.loads(result.stdout)
    assert report["counts"] == {"long prompt": 1}
    assert "the limit is 30" in report["findings"][0]["message"]
    tokens = report["statistics"]["longest_prompt_tokens"]
    assert tokens > len(row()["prompt"]) // 4
    assert scopeif("check", good, "--tokenizer", tiny_tokenizer, "--max-tokens", tokens).exit_code == 0


@pytest.mark.parametrize(
    "options,message",
    [
        (["--max-tokens", 5], "--max-tokens is given without --tokenizer"),
        (["--tokenizer", "/nowhere", "--max-tokens", 5], "no tokenizer is there"),
        (["--tokenizer", "/nowhere", "--template-options", "{"], "--template-options is no JSON"),
        (["--tokenizer", "/nowhere", "--template-options", "[]"], "--template-options is no JSON object"),
    ],
)
def test_check_options_that_cannot_be(options: list[Any], message: str, good: Path) -> None:
    result = scopeif("check", good, *options)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "out.jsonl.zst", "out.parquet"])
def test_convert_writes_what_it_reads(name: str, good: Path, tmp_path: Path) -> None:
    result = scopeif("convert", good, tmp_path / name)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{tmp_path / name}: 2 rows, 2 constraints, ")
    assert read_instructions(tmp_path / name) == read_instructions(good)


def test_convert_from_any_layout(tmp_path: Path) -> None:
    (tmp_path / "official.json").write_text(json.dumps([official(), official(id=8)]))
    assert scopeif("convert", tmp_path / "official.json", tmp_path / "o.parquet", "--split", "test").exit_code == 0
    assert scopeif("convert", tmp_path / "o.parquet", tmp_path / "o.jsonl").exit_code == 0
    assert [(one.id, one.split) for one in read_instructions(tmp_path / "o.jsonl")] == [("7", "test"), ("8", "test")]


def test_parquet_is_named_after_the_folder_or_as_told(good: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    scopeif("convert", good, tmp_path / "a.parquet")
    scopeif("convert", good, tmp_path / "b.parquet", "--data-source", "mine")
    names = [pq.read_table(tmp_path / f"{name}.parquet").column("data_source").to_pylist()[0] for name in "ab"]
    assert names == [tmp_path.name, "mine"]


def test_convert_does_not_overwrite_unless_told(good: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("mine")
    refused = scopeif("convert", good, out)
    assert refused.exit_code == 2
    assert "the file exists" in refused.stderr
    assert "--force" in refused.stderr
    assert out.read_text() == "mine"
    assert scopeif("convert", good, out, "--force").exit_code == 0
    assert len(read_instructions(out)) == 2
    assert scopeif("convert", out, out, "--force").exit_code == 0
    assert len(read_instructions(out)) == 2


def test_convert_drops_bad_rows_only_when_told_and_says_so(bad: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    refused = scopeif("convert", bad, out)
    assert refused.exit_code == 1
    assert "3 bad rows, nothing is written" in refused.stderr
    assert f"{bad}:2: promt" in refused.stderr
    assert not out.exists()
    done = scopeif("convert", bad, out, "--skip-bad")
    assert done.exit_code == 0
    assert "1 row, 1 constraint" in done.stdout
    assert "3 bad rows left out" in done.stdout
    assert [one.id for one in read_instructions(out)] == ["a"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bad.jsonl", "out.jsonl"]


@pytest.mark.parametrize(
    "name,message",
    [("out.csv", "files of kind '.csv' are not written"), ("none/out.jsonl", "mkdir -p"), (".", "are not written")],
)
def test_convert_to_where_it_cannot(name: str, message: str, good: Path, tmp_path: Path) -> None:
    result = scopeif("convert", good, tmp_path / name)
    assert result.exit_code == 2
    assert message in result.stderr


def test_show_by_default_by_number_and_by_id(tmp_path: Path) -> None:
    instructions = [Instruction.model_validate(row(id=name, prompt=f"Prompt {name}.")) for name in "abc"]
    path = tmp_path / "rows.parquet"
    write_parquet(instructions, path)
    assert "Prompt a." in scopeif("show", path).stdout
    assert "Prompt b." in scopeif("show", path, "--row", 2).stdout
    shown = scopeif("show", path, "--id", "c").stdout
    for words in (
        "Prompt c.",
        f"{path}: row 3",
        "constraints[0]  Use at most 20 words.",
        "Global(Entire Response)",
        "Capacity / Text Length",
        "One-Sided Bounds",
        "words (specific)",
        "20 words",
    ):
        assert words in shown


def test_show_of_a_row_without_a_spec_and_of_messages(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello."}]
    path = lines(tmp_path / "x.jsonl", row(prompt=None, messages=messages, constraints=constraint(spec=None)))
    shown = scopeif("show", path).stdout
    for words in ("system", "Be brief.", "user", "Hello.", "a judge has to verify it"):
        assert words in shown


def test_show_of_a_language_without_wordings_is_in_english(tmp_path: Path) -> None:
    assert "20 words" in scopeif("show", lines(tmp_path / "x.jsonl", row(language="de"))).stdout


def test_show_of_what_is_not_there(bad: Path) -> None:
    assert "there is no row 9" in scopeif("show", bad, "--row", 9).stderr
    assert "give a number from 1 to 4" in scopeif("show", bad, "--row", 9).stderr
    assert "no row has the id 'aa'" in scopeif("show", bad, "--id", "aa").stderr
    assert "give one of them" in scopeif("show", bad, "--id", "a", "--row", 1).stderr
    result = scopeif("show", bad, "--row", 2)
    assert result.exit_code == 1
    assert "did you mean 'prompt'?" in result.stderr


@pytest.fixture(scope="session")
def tiny_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A byte-level tokenizer with a chat template."""
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    core = tokenizers.Tokenizer(tokenizers.models.BPE(vocab={"<s>": 0}, merges=[]))
    core.add_tokens([*map(chr, range(32, 127)), "\n"])
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=core, eos_token="<s>")
    made.chat_template = "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
    folder = tmp_path_factory.mktemp("tokenizer")
    made.save_pretrained(folder)
    return folder

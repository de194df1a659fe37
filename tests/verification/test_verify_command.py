"""`scopeif verify` as a user runs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "data" / "scope_mini" / "test.jsonl"
ANSWERS = {
    "calm": "Today the sea is calm. It rests.\n\nA seat is free.",
    "lines": "One line here.\nAnother line.\nA third one.",
    "open": "<think>x",
}


def verify(*arguments):
    command = [sys.executable, "-m", "scopeif.verify", "--instructions", str(DATA), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def responses(instructions, tmp_path_factory):
    path = tmp_path_factory.mktemp("responses") / "responses.jsonl"
    rows = [
        {"instruction_id": instruction.id, "response_id": name, "response": text}
        for instruction in instructions[:8]
        for name, text in ANSWERS.items()
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def verified(responses, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "outcomes.jsonl"
    return verify("--responses", responses, "--out", out), out


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_response_gets_a_row_and_the_exit_code_tells_what_stayed_unverified(verified):
    shown, out = verified
    unverified = sum(not row["verified"] for row in rows(out))
    assert len(rows(out)) == 24
    assert shown.returncode == (3 if unverified else 0), shown.stderr
    assert f"24 responses, {unverified} of them unverified" in shown.stdout
    for row in rows(out):
        if row["response_id"] == "open":
            assert (row["format_fault"], row["reward"]["scopeif"]) == ("unclosed_think", 0.0)
        elif row["verified"]:
            assert 0 <= row["reward"]["ila"] <= row["reward"]["scopeif"] <= 1
        else:
            assert row["reward"]["scopeif"] is None


def test_a_run_that_broke_off_goes_on_where_it_was(verified, responses, tmp_path):
    _, whole = verified
    broken = tmp_path / "outcomes.jsonl"
    lines = whole.read_text().splitlines(keepends=True)
    broken.write_text("".join(lines[:10]) + lines[10][:40])
    shown = verify("--responses", responses, "--out", broken)
    assert "10 responses are verified already, 14 are left" in " ".join(shown.stderr.split())

    def known(path):
        return sorted((row["instruction_id"], row["response_id"], str(row["reward"])) for row in rows(path))

    assert known(broken) == known(whole)


@pytest.mark.parametrize("line", ["no json", "[]", '{"instruction_id": "x"}'])
def test_a_file_that_holds_no_outcomes_is_left_as_it_is(responses, tmp_path, line):
    other = tmp_path / "other.jsonl"
    other.write_text(line + "\n")
    shown = verify("--responses", responses, "--out", other)
    assert shown.returncode == 2
    assert f"{other}:1: this is no outcome" in shown.stderr
    assert "Traceback" not in shown.stderr
    assert other.read_text() == line + "\n"
    assert list(tmp_path.iterdir()) == [other]


def test_a_line_separator_in_an_answer_ends_no_row(responses, tmp_path):
    one, out = tmp_path / "one.jsonl", tmp_path / "outcomes.jsonl"
    row = rows(responses)[0] | {"response": "Calm\u2028sea,\x85calm boats."}
    one.write_text(json.dumps(row) + "\n")
    verify("--responses", one, "--out", out)
    written = out.read_text()
    shown = verify("--responses", one, "--out", out)
    assert "1 responses are verified already, 0 are left" in " ".join(shown.stderr.split())
    assert out.read_text() == written


def test_what_stayed_unverified_is_verified_again_on_request(responses, tmp_path):
    out = tmp_path / "outcomes.jsonl"
    row = {"instruction_id": rows(responses)[0]["instruction_id"], "response_id": "calm", "verified": False}
    out.write_text(
        json.dumps(row | {"reward": {}, "constraints": [{"status": "unverified", "reason": "transport"}]}) + "\n"
    )
    verify("--responses", responses, "--out", out, "--retry-unverified")
    assert len(rows(out)) == 24
    assert "transport" not in out.read_text()


def test_explain_shows_the_arithmetic(verified):
    _, out = verified
    graded = next(n for n, row in enumerate(rows(out), start=1) if 0 < (row["reward"]["scopeif"] or 0) < 1)
    shown = verify("--out", out, "--explain", graded)
    assert shown.returncode == 0
    for word in (
        "violated",
        "counting object",
        "g = exp(-3",
        "mean g of",
        f"= {rows(out)[graded - 1]['reward']['scopeif']:.4f}",
    ):
        assert word in shown.stdout


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--verifier", "tgv"], "tgv needs a judge"),
        (["--verifier", "tg"], "use one of: compiled, tgv"),
        (["--model", "m"], "endpoints"),
        (["--model", "m", "--endpoint", "node7"], "node7"),
        (["--judge", "nowhere.yaml"], "nowhere.yaml"),
        (["--explain", "900"], "outcomes.jsonl"),
    ],
)
def test_faults(responses, tmp_path, arguments, said):
    shown = verify("--responses", responses, "--out", tmp_path / "outcomes.jsonl", *arguments)
    assert shown.returncode == 2
    assert said in shown.stderr
    assert "Traceback" not in shown.stderr
    assert not (tmp_path / "outcomes.jsonl").exists()


@pytest.mark.parametrize(
    "row, said",
    [
        ('{"instruction_id": "en-test-9999", "response": "x"}', "'en-test-9999' is unknown"),
        ('{"instruction_id": "FIRST"}', "response: Field required"),
        ('{"instruction_id": "FIRST", "response": "x"}\n{"instruction_id": "FIRST", "response": "y"}', "stands twice"),
        ("not json", "rows.jsonl:1"),
    ],
)
def test_bad_rows_are_named_before_anything_is_verified(instructions, tmp_path, row, said):
    path = tmp_path / "rows.jsonl"
    path.write_text(row.replace("FIRST", instructions[0].id) + "\n")
    shown = verify("--responses", path, "--out", tmp_path / "outcomes.jsonl")
    assert shown.returncode == 2
    assert said in shown.stderr
    assert "rows.jsonl" in shown.stderr
    assert not (tmp_path / "outcomes.jsonl").exists()

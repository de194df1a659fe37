"""`judge`, `review` and `calibrate` as a user runs them, from responses to a scored benchmark."""

import asyncio
import csv
import json

import pytest
import typer
import yaml
from typer.testing import CliRunner

from scopeif.errors import ConfigError, DataError
from scopeif.reformbench import judging_dir
from scopeif.reformbench.adjudication.adjudication import adjudicated
from scopeif.reformbench.adjudication.strata import Instance
from scopeif.reformbench.calibration.calibration import scored
from scopeif.reformbench.calibration.file import read_adjudications, read_calibrated, write_adjudications
from scopeif.reformbench.commands.judge import calibrate, judge, review
from scopeif.reformbench.judging.judges_file import read_judges
from scopeif.reformbench.judging.judging import file_of
from scopeif.reformbench.judging.judgment_file import forget_unverified, key_of
from scopeif.reformbench.judging_dir import Judging, JudgingDir
from scopeif.reformbench.ledger import Ledger, alone_in
from scopeif.reformbench.models import Question
from tests.judge.server import JudgeServer, Reply
from tests.reformbench.labelled import judgment, response, said, seal_in, variant

app = typer.Typer()
for command in (judge, review, calibrate):
    app.command()(command)

VARIANTS = [variant(f"v{number}") for number in range(8)]


def run(*arguments, answers=""):
    return CliRunner().invoke(app, [str(one) for one in arguments], input=answers)


def write(path, rows):
    path.write_text("".join(row.model_dump_json() + "\n" for row in rows), encoding="utf-8")
    return path


def labels(request):
    """The judges disagree about the second requirement of every variant, and about the third of one."""
    prompt = request["messages"][0]["content"]
    second = request["model"] == "two"
    third = second and "Tell me of v0" in prompt
    return Reply(said(seal_in(request), 1, int(not second), int(not third)))


@pytest.fixture
async def judged(tmp_path):
    """A judging that is done, and its two servers closed."""
    write(tmp_path / "variants.jsonl", VARIANTS)
    write(tmp_path / "m.jsonl", [response(one.id) for one in VARIANTS])
    async with JudgeServer("one", labels) as one, JudgeServer("two", labels) as two:
        judges = [
            {"name": "g", "model": "one", "endpoints": [one.url]},
            {"name": "h", "model": "two", "endpoints": [two.url], "reasoning_effort": "xhigh", "attempts": 2},
        ]
        (tmp_path / "judges.yaml").write_text(yaml.safe_dump(judges), encoding="utf-8")
        arguments = (
            "judge", tmp_path / "dir", "--judges", tmp_path / "judges.yaml",
            "--variants", tmp_path / "variants.jsonl", "--responses", tmp_path / "m.jsonl",
        )  # fmt: skip
        first = await asyncio.to_thread(run, *arguments)
        again = await asyncio.to_thread(run, *arguments, "--again")
        assert (one.completions, two.completions) == (8, 8)
    assert (first.exit_code, again.exit_code) == (0, 0), first.output
    assert "g: 8 responses judged, 0 were before" in first.output
    assert "m: 62.50% agreement, 9 disagreements, 0 unverified" in again.output
    return tmp_path


def test_from_responses_to_a_benchmark(judged):
    folder = judged / "dir"
    written = run("review", folder, "--write", judged / "r.csv", "--margin", 0.5)
    assert written.exit_code == 0, written.output
    with (judged / "r.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3  # of eight and of one disagreement
    for row in rows:
        row["answer"] = "a" if row["label_a"] == "satisfied" else "b"
    with (judged / "r.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    taken = run("review", folder, "--read", judged / "r.csv", "--margin", 0.5)
    assert taken.exit_code == 0, taken.output
    assert "m: 3 of 9 disagreements reviewed (0 earlier), first judge 3, second 0; 0 to go" in taken.output
    twice = run("review", folder, "--read", judged / "r.csv", "--margin", 0.5)
    assert (twice.exit_code, twice.stderr) == (0, "")
    with (judged / "r.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row | {"answer": "b" if row["answer"] == "a" else "a"}) + "\n")
    otherwise = run("review", folder, "--read", judged / "r.jsonl", "--margin", 0.5)
    assert (otherwise.exit_code, otherwise.stderr.count("says otherwise")) == (3, 3)

    out = judged / "p.jsonl"
    assert run("calibrate", folder, "--out", out).exit_code == 0
    calibrated = read_calibrated(out)
    assert calibrated.counts() == {"agreed": 15, "stratum": 6, "reviewed": 3}
    assert scored("m", VARIANTS, calibrated, {"q": []}).variants[0].pass_probability == (1, 1, 1)
    assert run("calibrate", folder, "--out", out, "--rule", "pooled", "--pool", "paper").exit_code == 0
    assert read_calibrated(out).calibration == "pooled 6689:436; judges g, h"
    assert run("calibrate", folder, "--out", out, "--rule", "pooled", "--pool", "3:1").exit_code == 0
    assert scored("m", VARIANTS, read_calibrated(out), {"q": []}).variants[0].pass_probability == (1, 0.75, 0.75)
    assert run("calibrate", folder, "--out", out, "--pool", "some").exit_code == 2


@pytest.fixture
def two_models(tmp_path):
    """A folder with two models' responses, judged by hand: the judges disagree about the second requirement of each."""
    for model in ("m", "n"):
        write(tmp_path / f"{model}.jsonl", [response(one.id, model) for one in VARIANTS])
    folder = JudgingDir(tmp_path / "dir")
    folder.begin(
        Judging(
            judges=("g", "h"),
            variants=write(tmp_path / "variants.jsonl", VARIANTS),
            responses=(tmp_path / "m.jsonl", tmp_path / "n.jsonl"),
        )
    )
    for name, second in (("g", 1), ("h", 0)):
        with Ledger(file_of(folder.path, name), {}) as ledger:
            for item in folder.items():
                of = item.response
                labels = [
                    judgment(name, second if position == 1 else 1, Instance(of.model, of.item, position, of.id))
                    for position in item.positions
                ]
                ledger.append(key_of(item), {"judgments": [one.model_dump(mode="json") for one in labels]})
    return folder


def adjudicate(folder):
    """A record of every disagreement."""
    return [adjudicated(one, "a", "ann") for one in folder.reviewable(folder.pairs())]


def test_no_adjudication_is_lost_when_fewer_responses_are_judged(two_models):
    folder, judging = two_models, two_models.judging()
    records = adjudicate(folder)
    assert folder.keep(folder.pairs(), records) == (16, [])
    fewer = judging.model_copy(update={"responses": judging.responses[1:]})
    with pytest.raises(ConfigError, match=r"m\.jsonl too, and they are not named now") as caught:
        folder.begin(fewer)
    assert "--fewer" in caught.value.fix
    folder.begin(fewer, fewer=True)
    count, refused = folder.keep(folder.pairs(), [])
    assert (count, [one.record.model for one in refused]) == (8, ["m"] * 8)
    assert folder.records() == [one for one in records if one.model == "n"]
    assert folder.unmatched() == [one for one in records if one.model == "m"]
    assert folder.keep(folder.pairs(), []) == (8, [])  # said once
    shown = run("review", folder.path, "--write", folder.path / "r.csv")
    assert (shown.exit_code, "8 adjudications match no disagreement now" in shown.output) == (0, True), shown.output
    assert str(folder.unmatched_path) in shown.output
    folder.begin(judging)
    assert folder.keep(folder.pairs(), []) == (16, [])
    assert set(folder.records()) == set(records)
    assert folder.unmatched() == []


def test_a_kill_between_two_files_of_adjudications_loses_none(two_models, monkeypatch):
    folder, judging = two_models, two_models.judging()
    records = adjudicate(folder)
    folder.keep(folder.pairs(), records)

    def killed_at(number):
        calls = []

        def dying(path, rows):
            calls.append(path)
            if len(calls) == number:
                raise KeyboardInterrupt
            write_adjudications(path, rows)

        monkeypatch.setattr(judging_dir, "write_adjudications", dying)
        with pytest.raises(KeyboardInterrupt):
            folder.keep(folder.pairs(), [])
        monkeypatch.undo()
        assert {*folder.records(), *folder.unmatched()} == set(records)

    for responses in (judging.responses[1:], judging.responses):
        folder.begin(judging.model_copy(update={"responses": responses}), fewer=True)
        for number in (2, 3):
            killed_at(number)
        folder.keep(folder.pairs(), [])
        assert sorted(one.instance for one in (*folder.records(), *folder.unmatched())) == sorted(
            one.instance for one in records
        )


def test_a_record_that_was_given_anew_after_a_change_counts(two_models):
    folder = two_models
    records = adjudicate(folder)
    stale = [records[0].model_copy(update={"response_hash": "x"}), *records[1:]]
    write(folder.path / "adjudications.jsonl", stale)
    count, refused = folder.keep(folder.pairs(), records[:1])
    assert (count, [one.record for one in refused]) == (16, stale[:1])
    assert folder.unmatched() == stale[:1]


def test_a_folder_that_is_at_work_is_left_alone(two_models, tmp_path):
    folder = two_models
    judges = [{"name": name, "model": name, "endpoints": ["http://127.0.0.1:9/v1"]} for name in ("g", "h")]
    (tmp_path / "judges.yaml").write_text(yaml.safe_dump(judges), encoding="utf-8")

    def begin(place, *more):
        return run(
            "judge", place, "--judges", tmp_path / "judges.yaml", "--variants", tmp_path / "variants.jsonl",
            "--responses", tmp_path / "n.jsonl", *more,
        )  # fmt: skip

    with alone_in(folder.path):
        done = begin(folder.path, "--fewer")
        assert (done.exit_code, "another process is at work here" in done.stderr) == (2, True)
        with pytest.raises(DataError, match="another process"):
            folder.keep(folder.pairs(), [])
    assert len(folder.judging().responses) == 2
    done = begin(folder.path)
    assert (done.exit_code, "say --fewer" in done.stderr) == (2, True)
    done = begin(tmp_path / "m.jsonl")
    assert (done.exit_code, "m.jsonl: cannot be written" in done.stderr) == (2, True)


def test_a_file_of_labels_that_a_judge_is_at_work_on_is_not_replaced(two_models):
    path = file_of(two_models.path, "g")
    with Ledger(path, {}) as ledger:
        with pytest.raises(DataError, match="another process"):
            forget_unverified(path)
        ledger.append("late", {"judgments": []})
    assert '"late"' in path.read_text(encoding="utf-8")
    assert forget_unverified(path) == 0
    with Ledger(path, {}) as ledger:
        assert "late" in ledger


def test_a_pool_without_a_fallback_names_the_option(two_models):
    done = run("calibrate", two_models.path, "--out", two_models.path / "p.jsonl", "--pool", "3:1")
    assert done.exit_code == 2
    assert "--pool: a pool is given" in done.stderr
    assert "--fallback-pooled" in done.stderr


def test_texts_that_a_spreadsheet_changed_are_a_warning(two_models):
    folder, path = two_models, two_models.path / "r.csv"
    run("review", folder.path, "--write", path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [row | {"answer": "a", "response": "44927"} for row in csv.DictReader(file)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    taken = run("review", folder.path, "--read", path)
    assert taken.exit_code == 0, taken.output
    assert taken.stderr.count("warning: ") == taken.stderr.count("is not the text that went out") == len(rows) > 0
    assert len(folder.records()) == len(rows)


def test_two_reviewers_whose_names_give_one_file_are_refused(two_models):
    shown = run("review", two_models.path, "--reviewer", "Ann B.", answers="a\nq\n")
    assert shown.exit_code == 0, shown.output
    other = run("review", two_models.path, "--reviewer", "Ann/B.", answers="a\nq\n")
    assert other.exit_code == 2
    assert "the answers are of reviewer 'Ann B.', not of 'Ann/B.'" in other.stderr


def test_in_the_terminal_and_with_an_earlier_judging(judged):
    folder = judged / "dir"
    unreviewed = run("calibrate", folder, "--out", judged / "p.jsonl")
    assert unreviewed.exit_code == 2
    assert "no disagreement of a stratum is reviewed: model 'm', first passes" in unreviewed.output
    shown = run("review", folder, "--reviewer", "Ann B.", "--margin", 0.5, answers="a\nq\n")
    assert shown.exit_code == 0, shown.output
    assert "1 of 9 disagreements reviewed" in shown.output
    shown = run("review", folder, "--reviewer", "Ann B.", "--margin", 0.5, answers="b\na\n")
    assert "3 of 9 disagreements reviewed (0 earlier)" in shown.output
    records = read_adjudications(folder / "adjudications.jsonl")
    assert [one.reviewer for one in records] == ["Ann B."] * 3
    assert not any(one.matched for one in records)

    (folder / "adjudications.jsonl").rename(judged / "earlier.jsonl")
    changed = records[0].model_copy(update={"response_hash": "x"})
    write(judged / "earlier.jsonl", [changed, *records[1:]])
    taken = run("review", folder, "--earlier", judged / "earlier.jsonl", "--margin", 0.5)
    assert taken.exit_code == 3
    assert "the response has changed since" in taken.stderr
    assert "2 of 9 disagreements reviewed (2 earlier)" in taken.output
    assert all(one.matched for one in read_adjudications(folder / "adjudications.jsonl"))


async def test_single_requirements_are_judged_on_their_own_instructions(tmp_path):
    question = Question(id="q", text="Why is it?", language="en", domain="d", task="t", source="own", licence="CC0-1.0")
    singles = [response(kind="single", position=position, id=f"s{position}") for position in range(3)]
    folder = JudgingDir(tmp_path / "dir")
    folder.begin(
        Judging(
            judges=("g", "h"),
            variants=write(tmp_path / "variants.jsonl", [variant()]),
            responses=(write(tmp_path / "m.jsonl", singles),),
            questions=write(tmp_path / "questions.jsonl", [question]),
        )
    )
    items = list(folder.items())
    assert [one.positions for one in items] == [(0,), (1,), (2,)]
    assert items[1].instruction == "Why is it?\n\nKeep rule 1."
    with pytest.raises(DataError, match="no such file"):
        folder.pairs()
    with pytest.raises(ConfigError, match="seed was 0, is 5"):
        folder.begin(folder.judging().model_copy(update={"seed": 5}))
    with pytest.raises(DataError, match="no folder of a judging"):
        JudgingDir(tmp_path / "none").pairs()


@pytest.mark.parametrize(
    "judges, fault",
    [
        ({}, "no list of two judges"),
        ([{"model": "m", "endpoints": ["http://x/v1"]}], "no list of two judges"),
        ([{"model": "m", "endpoints": ["http://x/v1"]}] * 2, "both judges are called 'm'"),
        ([{"name": "g"}, {}], "a judge has a model"),
        ([{"model": "m", "endpoints": []}, {}], "either endpoints or endpoints_file"),
        ([{"model": "m", "endpoints": ["http://x/v1"], "atempts": 2}, {}], r"did you mean 'attempts'\?"),
        ([{"model": "m", "endpoints": ["http://x/v1"], "attempts": 0}, {}], "attempts is 0"),
        ([{"model": "m", "name": 3, "endpoints": ["http://x/v1"]}, {}], "name is 3"),
    ],
)
def test_judges_that_are_none_are_refused(tmp_path, judges, fault):
    (tmp_path / "judges.yaml").write_text(json.dumps(judges), encoding="utf-8")
    with pytest.raises(ConfigError, match=fault):
        read_judges(tmp_path / "judges.yaml")


def test_a_file_of_judges_that_cannot_be_read(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        read_judges(tmp_path / "none.yaml")

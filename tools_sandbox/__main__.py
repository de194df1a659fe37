"""`python -m tools_sandbox check` looks at this machine; `run FILE --entry f --args JSON` runs one tool; `offer`
lists what tools may use."""

from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import sys
import time

from tools_sandbox.errors import SandboxError
from tools_sandbox.limits import Limits
from tools_sandbox.linter import lint
from tools_sandbox.pool import ToolPool
from tools_sandbox.preload import DEFAULT_PRELOAD
from tools_sandbox.run import Result, Run
from tools_sandbox.signatures import tool_globals

_HONEST = """
def check(text):
    import re
    words = re.findall(r"\\w+", text)
    return [len(words), count_word(text), max(map(len, words))]
"""

# Each must come back as "blocked".
_HOSTILE = {
    "read a file": "open('/etc/passwd').read()",
    "open a socket": "__import__('_socket').socket()",
    "start a process": "os.fork()",
    "send a signal": "os.kill(os.getppid(), 9)",
    "raise a limit": "__import__('resource').prlimit(os.getppid(), 0, (1, 1))",
}
_ATTEMPT = """
import os
def act():
    try:
        return repr(ACT)
    except OSError:
        return "blocked"
"""
_SPIN = "def spin():\n    while True:\n        pass\n"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools_sandbox", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="layers, limits, a hostile sample, runs per second")
    check.add_argument("--workers", type=int, default=2)
    check.add_argument("--require", choices=["seccomp", "full"], default="seccomp")
    check.add_argument("--runs", type=int, default=500, help="how many runs to time (default: 500)")
    run = commands.add_parser("run", help="run one tool and print its result as JSON")
    run.add_argument("file", type=pathlib.Path)
    run.add_argument("--entry", required=True, help="the function to call")
    run.add_argument("--args", default="[]", help='its arguments, a JSON list (default: "[]")')
    run.add_argument("--seed", type=int, default=0)
    commands.add_parser("offer", help="the functions that tools are given, and the modules that they can import")
    options = parser.parse_args(argv)
    try:
        if options.command == "offer":
            return _offer()
        if options.command == "check":
            return _check(options.workers, options.require, options.runs)
        return _run(options.file, options.entry, options.args, options.seed)
    except (SandboxError, OSError, json.JSONDecodeError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2


def _check(workers: int, require: str, runs: int) -> int:
    """Exit code 0 when every hostile sample is held."""
    with ToolPool(workers, require="full" if require == "full" else "seccomp") as pool:
        print("\n".join(pool.report().lines()))
        print("limits", ", ".join(f"{k}={v}" for k, v in dataclasses.asdict(pool.limits).items()))
        held = [_print_sample(name, pool.run(_hostile(code)), "blocked") for name, code in _HOSTILE.items()]
        spun = pool.run(Run(_SPIN, "spin"))
        print(f"  {'spin for ever':<18} {spun.status} after {spun.cpu_ms:.0f} ms of CPU")
        print(f"{_speed(pool, runs):.0f} runs/s")
    return 0 if all(held) and spun.status in ("cpu", "wall", "infra") else 1


def _offer() -> int:
    print("\n".join(tool_globals()))
    print("modules:", ", ".join(DEFAULT_PRELOAD))
    return 0


def _hostile(code: str) -> Run:
    return Run(_ATTEMPT.replace("ACT", code), "act")


def _print_sample(name: str, result: Result, wanted: str) -> bool:
    print(f"  {name:<18} {result.value if result.ok else f'{result.status}: {result.error}'}")
    return result.ok and result.value == wanted


def _speed(pool: ToolPool, count: int) -> float:
    runs = [Run(_HONEST, "check", ["the quick brown fox jumps over the lazy dog. " * 20])] * max(count, 1)
    pool.run_many(runs[:20])
    begin = time.perf_counter()
    results = pool.run_many(runs)
    elapsed = time.perf_counter() - begin
    failed = [result for result in results if not result.ok]
    if failed:
        print(f"{len(failed)} honest runs failed, the first with: {failed[0].status}: {failed[0].error}")
    return len(runs) / elapsed


def _run(file: pathlib.Path, entry: str, args: str, seed: int) -> int:
    """Exit code 0 when the status is "ok", 1 for any other."""
    source = file.read_text(encoding="utf-8")
    for finding in lint(source):
        print(f"{file}: {finding}", file=sys.stderr)
    with ToolPool(workers=1, limits=Limits()) as pool:
        result = pool.run(Run(source, entry, json.loads(args), seed))
    text = json.dumps(dataclasses.asdict(result), ensure_ascii=False)
    print(text if text.isprintable() else json.dumps(dataclasses.asdict(result)))  # no words to the terminal itself
    return 0 if result.ok else 1


if __name__ == "__main__":
    sys.exit(main())

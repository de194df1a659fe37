"""Reward one response with the verification service; nothing but Python's standard library is needed.

scopeif serve                                         # in another terminal
python examples/http_client.py                        # the example below
python examples/http_client.py --url http://node7:8000 --data data.jsonl --id en-train-0000 --response "..."
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import time
import urllib.error
import urllib.request
from typing import Any

INSTRUCTION = {
    "id": "example",
    "prompt": "Describe the sea in exactly 2 sentences.",
    "constraints": [
        {
            "text": "Describe the sea in exactly 2 sentences.",
            "scope": "Global(Entire Response)",
            "target": {"primary": "Capacity", "secondary": "Unit Count"},
            "range": "Equality",
            "counting_objects": [{"object": "sentences in the response", "type": "specific"}],
            # With a formal spec the service needs no judge for it.
            "spec": {
                "clauses": [
                    {
                        "object": "sentences in the response",
                        "scope": [],
                        "measure": {"kind": "count", "unit": "sentence"},
                        "range": {"kind": "bounds", "lower": 2, "upper": 2},
                    }
                ]
            },
        }
    ],
}
RESPONSE = "The sea is calm today. Small waves touch the sand. A boat waits."

AWAY = (429, 502, 503, 504)
"""Statuses of a service that is busy, draining or behind a proxy that cannot reach it: ask again."""


class Unverified(Exception):
    """There is no reward. Mask such a sample: it is neither good nor bad, and 0 would say that it is bad."""


def reward(
    url: str,
    instruction: dict[str, Any],
    response: str,
    truncated: bool = False,
    scheme: str = "scopeif",
    patience_s: float = 900.0,
) -> float:
    """The reward of a response.

    Args:
        url: base URL of `scopeif serve`.
        instruction: one row of a data file, with its constraints.
        response: what the model wrote, without its stop token; thinking text may be in it.
        truncated: whether generation ended at the token limit.
        scheme: scopeif, mean_graded, cla or ila.
        patience_s: how long a service that is busy or out of reach is waited for.

    Raises:
        Unverified: the message says why.
        ValueError: the service refuses the request: its token or address is wrong, or the instruction is.
    """
    asked = {"instruction": instruction, "response": response, "truncated": truncated, "scheme": scheme}
    answer = _ask(f"{url}/v1/reward", json.dumps(asked).encode(), patience_s)
    if answer["reward"] is None:
        reasons = sorted({reason for reason in answer["reasons"] if reason})
        raise Unverified(f"unverified because of {', '.join(reasons)}")
    return float(answer["reward"])


def _ask(url: str, body: bytes, patience_s: float) -> dict[str, Any]:
    headers = {"Content-Type": "application/json"}
    if token := os.environ.get("SCOPEIF_TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    end, wait = time.monotonic() + patience_s, 0.5
    while True:
        request = urllib.request.Request(url, body, headers)
        pause = random.uniform(0, wait)
        try:
            with urllib.request.urlopen(request, timeout=1800) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            fault = f"{url}: HTTP {error.code}: {_beginning(error)}"
            if error.code == 413 or (error.code >= 500 and error.code not in AWAY):
                raise Unverified(fault) from None
            if error.code not in AWAY:
                raise ValueError(fault) from None
            asked_for = error.headers.get("Retry-After", "")
            pause += int(asked_for) if asked_for.isdecimal() else 0
        except (
            OSError,
            ValueError,
            http.client.HTTPException,
        ) as error:  # no connection, or half an answer
            fault = f"{url}: {error}"
        if time.monotonic() + pause > end:
            raise Unverified(fault)
        time.sleep(pause)
        wait = min(2 * wait, 30)


def _beginning(error: urllib.error.HTTPError) -> str:
    try:
        return error.read().decode(errors="replace")[:300]
    except (OSError, http.client.HTTPException):
        return "(the connection ended)"


def main() -> None:
    """Print the reward, or why there is none."""
    options = argparse.ArgumentParser(description="Reward one response. Exit code 3: it stayed unverified.")
    options.add_argument("--url", default="http://127.0.0.1:8000", help="the service")
    options.add_argument("--data", help="instructions, JSON Lines; without it the built-in example")
    options.add_argument("--id", help="which instruction of DATA")
    options.add_argument("--response", default=RESPONSE)
    options.add_argument("--patience", type=float, default=60.0, help="seconds to wait for the service")
    given = options.parse_args()
    instruction = INSTRUCTION
    if given.data:
        with open(given.data, encoding="utf-8") as file:
            found = [row for row in map(json.loads, file) if row["id"] == given.id]
        if not found:
            options.error(f"{given.data} has no instruction {given.id!r}")
        instruction = found[0]
    try:
        print(f"reward {reward(given.url, instruction, given.response, patience_s=given.patience):.4f}")
    except Unverified as why:
        print(f"no reward: {why}")
        raise SystemExit(3) from None


if __name__ == "__main__":
    main()

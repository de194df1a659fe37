"""How a constraint's tool ended, read from its logged outcome: ok, or the sandbox's word for what went wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_FAILED = re.compile(r"The tool computed nothing \((\w+)")
_DETAIL = re.compile(r"(\w+): ")


def tool_status(constraint: Mapping[str, Any]) -> str | None:
    """``ok``, the status of `tools_sandbox.Result`, or ``ambiguous``; None where no tool ran.

    A judged constraint tells it in the evidence that the judge was shown, a compiled one in its detail.
    """
    if not constraint["tool_source"]:
        return None
    if failed := _FAILED.match(constraint["evidence"]):
        return failed[1]
    if constraint["reason"] == "infrastructure":
        return "infra"
    if constraint["reason"] == "ambiguous":
        return "ambiguous"
    if constraint["reason"] == "tool":
        detail = _DETAIL.match(constraint["detail"])
        return detail[1] if detail else "error"
    return "ok"

"""Every hostile tool is held in a pool of an ordinary user, too."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hostile_suite import BUSY, CASES, Case

from tools_sandbox.namespaces import NOBODY

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")


@pytest.fixture(scope="session")
def findings(attack_a_pool: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    return attack_a_pool(as_nobody=True)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_hostile_tool_is_held(findings: dict[str, Any], case: Case) -> None:
    if findings["wrong"][case.name] == BUSY:
        pytest.skip(BUSY)
    assert findings["wrong"][case.name] == ""


def test_it_was_nobody(findings: dict[str, Any]) -> None:
    assert findings["uid"] == NOBODY
    assert {"seccomp", "nobody"} <= set(findings["layers"])

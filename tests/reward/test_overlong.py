"""The soft over-long penalty is linear over the last tokens before the cap, and off by default."""

import pytest

from scopeif.reward import overlong_penalty


@pytest.mark.parametrize(
    "tokens, soft, lost",
    [(0, 20, 0), (80, 20, 0), (81, 20, 0.025), (90, 20, 0.25), (100, 20, 0.5), (100, 0, 0), (100, 100, 0.5)],
)
def test_the_penalty(tokens, soft, lost):
    assert overlong_penalty(tokens, 100, soft, 0.5) == pytest.approx(lost)

"""Which weights generated each token of a response: in an overlapped run a response may span two versions.

The version of weights is the step after which they were sent to vLLM; step N updates version N - 1.

    [[6, 120], [7, 31]]     120 tokens by the weights of step 6, then 31 by those of step 7
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

import torch
from verl.workers.rollout.llm_server import FullyAsyncLLMServerClient, LLMServerClient

FIELD = "policy_versions"
"""Where a response's versions lie in verl's `extra_fields`, and in the rollout log."""
_LOG_PROBS = ("rollout_log_probs", "old_log_probs")

Versions = Sequence[Sequence[int]]

_attempts: ContextVar[list[list[int]] | None] = ContextVar("attempts", default=None)


class _Attempts(LLMServerClient):  # type: ignore[misc]
    """Notes the version and the tokens of each request to vLLM, between verl's resuming client and its plain one."""

    async def generate(self, request_id: str, **arguments: Any) -> Any:
        output = await super().generate(request_id, **arguments)
        noted = _attempts.get()
        if noted is not None and output.token_ids:
            version = int(output.extra_fields["global_steps"])
            if noted and noted[-1][0] == version:
                noted[-1][1] += len(output.token_ids)
            else:
                noted.append([version, len(output.token_ids)])
        return output


class VersionedClient(FullyAsyncLLMServerClient, _Attempts):  # type: ignore[misc]
    """verl's client that goes on with interrupted responses, which keeps only the first and the last version.

    Can go when verl (workers/rollout/llm_server.py) says which tokens are of which version.
    """

    async def generate(self, request_id: str, **arguments: Any) -> Any:
        noted: list[list[int]] = []
        token = _attempts.set(noted)
        try:
            output = await super().generate(request_id, **arguments)
        finally:
            _attempts.reset(token)
        output.extra_fields[FIELD] = noted
        return output


def version_metrics(versions: Sequence[Versions], current: int) -> dict[str, float]:
    """How far the samples of a step are behind the weights that it updates.

    Args:
        versions: of each response.
        current: version of the weights before the update.
    """
    tokens = [(current - version, count) for response in versions for version, count in response]
    total = sum(count for _, count in tokens)
    if not total:
        return {}
    return {
        "overlap/lag_mean": sum(lag * count for lag, count in tokens) / total,
        "overlap/lag_max": float(max(lag for lag, _ in tokens)),
        "overlap/older_token_frac": sum(count for lag, count in tokens if lag) / total,
        "overlap/mixed_sample_frac": sum(len(response) > 1 for response in versions) / len(versions),
    }


def current_agreement(
    versions: Sequence[Versions], columns: Mapping[str, Sequence[torch.Tensor]], current: int
) -> dict[str, float]:
    """Correlation of vLLM's and the actor's probabilities of the tokens that the current weights generated.

    Over all tokens it mixes what a lag does with what is wrong: here low means that weights did not arrive.

    Args:
        versions: of each response.
        columns: `rollout_log_probs` and `old_log_probs` of each response, over its tokens.
        current: version of the weights that `old_log_probs` are of.

    Returns:
        Nothing where fewer than two tokens are of these weights.
    """
    rollout, actor = (torch.cat(list(_of_version(versions, columns[name], current))).exp() for name in _LOG_PROBS)
    if rollout.numel() < 2:
        return {}
    correlation = float(torch.corrcoef(torch.stack([rollout.double(), actor.double()]))[0, 1])
    return {"overlap/current_probs_pearson_corr": correlation}


def _of_version(versions: Sequence[Versions], rows: Sequence[torch.Tensor], wanted: int) -> Iterator[torch.Tensor]:
    yield torch.zeros(0)
    for response, row in zip(versions, rows, strict=True):
        each = [version for version, count in response for _ in range(count)][: len(row)]
        yield row[: len(each)][torch.tensor(each, dtype=torch.int64) == wanted].to(torch.float32)

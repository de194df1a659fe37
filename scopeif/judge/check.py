"""Whether the endpoints are up and serve the judge model, before a run depends on it."""

from __future__ import annotations

import asyncio
import difflib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from scopeif.judge.endpoint import Endpoint
from scopeif.judge.failures import TRANSPORT, classify
from scopeif.judge.messages import JudgeAnswer
from scopeif.judge.settings import Kind

_IDENTITY = ("id", "root", "revision", "created", "owned_by", "max_model_len")
_SAME = ("root", "revision", "max_model_len")


@dataclass(frozen=True)
class EndpointReport:
    """What one endpoint says; `card` is its list entry of the model, `fault` is None when it can be used."""

    url: str
    models: tuple[str, ...] = ()
    card: dict[str, Any] | None = None
    fault: str | None = None


@dataclass(frozen=True)
class JudgeReport:
    """What all endpoints say."""

    model: str
    endpoints: tuple[EndpointReport, ...]

    @property
    def faults(self) -> list[str]:
        """Everything that should be mended, each with its endpoint."""
        faults = [f"{one.url}: {one.fault}" for one in self.endpoints if one.fault is not None]
        if not self.endpoints:
            faults.append("the list of endpoints is empty")
        cards = [(one.url, one.card) for one in self.endpoints if one.card is not None]
        for url, card in cards[1:]:
            for name in _SAME:
                first_url, first = cards[0]
                if card.get(name) != first.get(name):
                    faults.append(
                        f"{url}: {name} of {self.model} is {card.get(name)!r}, at {first_url} {first.get(name)!r}"
                    )
        return faults

    @property
    def identity(self) -> dict[str, Any] | None:
        """What the model list says of the model: name, root, revision and the like, where given."""
        return next(
            ({name: one.card[name] for name in _IDENTITY if name in one.card} for one in self.endpoints if one.card),
            None,
        )


@dataclass(frozen=True)
class ProbeReport:
    """How a few calls at once went: wall time, the answers, and why others are missing."""

    seconds: float
    answers: tuple[JudgeAnswer, ...]
    faults: tuple[str, ...]

    @property
    def slowest_s(self) -> float:
        """Seconds of the slowest answer; 0 when there is none."""
        return max((answer.seconds for answer in self.answers), default=0.0)


async def check_endpoints(endpoints: Sequence[Endpoint], model: str) -> JudgeReport:
    """Ask all endpoints for their models at once; faults are reported, not raised."""
    return JudgeReport(model, tuple(await asyncio.gather(*(_check(one, model) for one in endpoints))))


async def _check(endpoint: Endpoint, model: str) -> EndpointReport:
    try:
        raw = await endpoint.models()
    except TRANSPORT as error:
        failure = classify(error)
        hint = "; its URL should end as the server wants it, mostly in /v1" if failure.status == 404 else ""
        return EndpointReport(endpoint.url, fault=f"{failure.detail}{hint}")
    try:
        cards = {card["id"]: card for card in json.loads(raw)["data"]}
    except (ValueError, LookupError, TypeError) as error:
        return EndpointReport(endpoint.url, fault=f"its model list cannot be read ({type(error).__name__})")
    if model in cards:
        return EndpointReport(endpoint.url, tuple(cards), cards[model], _no_room(cards[model], endpoint))
    near = difflib.get_close_matches(model, list(cards), n=1, cutoff=0.3)
    served = f"it serves {', '.join(cards) or 'none'}"
    return EndpointReport(
        endpoint.url,
        tuple(cards),
        fault=f"no model {model!r}" + (f", did you mean {near[0]!r}?" if near else f"; {served}"),
    )


def _no_room(card: dict[str, Any], endpoint: Endpoint) -> str | None:
    """A server refuses a call whose longest answer fills the model's context, however short the prompt is."""
    sampling, context = endpoint.settings.sampling, card.get("max_model_len")
    answers = max(sampling.of(kind).max_tokens or 0 for kind in get_args(Kind))
    if not isinstance(context, int) or answers < context:
        return None
    return f"answers of {answers} tokens leave no room for a prompt in its {context}: lower judge.sampling"

"""The chat-completions protocol: the exact bytes of a request, and the reading of a response."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from scopeif.judge.messages import JudgeAnswer, JudgeRequest
from scopeif.judge.settings import JudgeSettings
from scopeif.measure import MEASURE_VERSION


def request_body(settings: JudgeSettings, request: JudgeRequest) -> bytes:
    """The JSON body of a request; equal requests give equal bytes. Lone surrogates, which are no text, become "?"."""
    body: dict[str, Any] = {
        **settings.extra_body,
        "model": settings.model,
        "messages": list(request.messages),
        "temperature": settings.sampling.temperature(request.kind, request.attempt),
    }
    if (cap := settings.sampling.of(request.kind).max_tokens) is not None:
        body["max_tokens"] = cap
    if settings.reasoning_effort is not None:
        body["reasoning_effort"] = settings.reasoning_effort
    text = json.dumps(body, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", errors="replace")


def request_key(body: bytes, attempt: int) -> bytes:
    """What makes a request the same as another: its bytes, the attempt and the measuring rules of this version."""
    digest = hashlib.sha256(f"{MEASURE_VERSION} {attempt} ".encode())
    digest.update(body)
    return digest.digest()


def read_completion(raw: bytes, endpoint: str, seconds: float) -> JudgeAnswer:
    """The answer in a response body.

    Raises:
        ValueError: the body is no chat completion.
    """
    try:
        body = json.loads(raw)
        choice = body["choices"][0]
        message = choice["message"]
        text, reasoning = _text(message.get("content")), _text(message.get("reasoning_content"))
        reasoning = reasoning or _text(message.get("reasoning"))
        usage = body.get("usage") or {}
        details = usage.get("prompt_tokens_details") or {}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        shown = raw[:200].decode(errors="replace")
        raise ValueError(f"no chat completion ({type(error).__name__}): {shown!r}") from None
    return JudgeAnswer(
        text=text,
        reasoning=reasoning,
        finish_reason=str(choice.get("finish_reason") or ""),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        cached_tokens=_count(details.get("cached_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        seconds=seconds,
        endpoint=endpoint,
        model=str(body.get("model") or ""),
    )


def _text(content: Any) -> str:
    """A content as text: null is empty, a list of parts is joined."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part.get("type") in {"text", "output_text"})


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0

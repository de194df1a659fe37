"""The policy's folder and tokenizer: complete, with a chat template, think tags that survive, and tokens that stop."""

from __future__ import annotations

from collections.abc import Iterator

from scopeif.checks.finding import Finding, fault, ok, warning
from scopeif.checks.subject import Subject
from scopeif.training.policies import ensure_policy, is_builtin, is_complete, stop_token_ids

_TAGS = ("<think>", "</think>")
_PROBE = [{"role": "user", "content": "Hello"}]


def check_policy(subject: Subject) -> Iterator[Finding]:
    """Whether the folder holds a model; one that ScopeIF knows how to build is built."""
    folder = subject.policy
    if is_complete(folder):
        yield ok("policy", f"{folder} holds config, tokenizer and weights")
    elif is_builtin(folder):
        ensure_policy(str(folder), lambda _: None)  # as a run would; the checks after this one look into it
        yield ok("policy", f"{folder} has been built")
    else:
        fix = "hf download Qwen/Qwen3-8B --local-dir models/qwen3-8b, or the like, where a hub is reachable"
        yield fault("policy", f"{folder} is not a complete model folder", fix)


def check_thinking(subject: Subject) -> Iterator[Finding]:
    """Whether the thinking mode is what the chat template does, and the tags come back from the tokenizer."""
    tokenizer, thinking = subject.tokenizer, subject.settings.thinking
    texts = {
        mode: tokenizer.apply_chat_template(_PROBE, tokenize=False, add_generation_prompt=True, enable_thinking=mode)
        for mode in (True, False)
    }
    known = texts[True] != texts[False]
    lost = [
        tag for tag in _TAGS if tag not in tokenizer.decode(tokenizer.encode(f"a {tag} b", add_special_tokens=False))
    ]
    if lost:
        yield fault("thinking", f"the tokenizer loses {' and '.join(lost)}", "take a tokenizer that keeps them as text")
    elif thinking and not known:
        fix = "thinking=off, unless the model thinks without being told"
        yield warning("thinking", "on, and this chat template knows no thinking mode", fix)
    else:
        does = "switches it" if known else "knows no such mode"
        yield ok("thinking", f"{'on' if thinking else 'off'}; the chat template {does}")


def check_stop_tokens(subject: Subject) -> Iterator[Finding]:
    """Whether a response can end."""
    ids = stop_token_ids(subject.policy)
    tokenizer = subject.tokenizer
    names = ", ".join(f"{tokenizer.convert_ids_to_tokens(one)!r} ({one})" for one in sorted(ids)[:4])
    more = f" and {len(ids) - 4} more" if len(ids) > 4 else ""
    yield ok("stop tokens", f"{names}{more}")
    end = tokenizer.eos_token_id
    if end is not None and end not in ids:
        fix = "name it in eos_token_id of generation_config.json if the chat template ends turns with it"
        yield warning("stop tokens", f"the tokenizer's own {tokenizer.eos_token!r} ({end}) is none of the model's", fix)

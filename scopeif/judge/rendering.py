"""Prompts for the judge: the rules of a kind of call from a file, then the material in the order of a layout."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

from scopeif.constraints.models import Constraint, Instruction
from tools_sandbox import tool_globals

PromptKind = Literal[
    "tool_design", "judgment", "llm_only", "static_tool", "rule", "batch_tool_design", "batch_judgment"
]
Layout = Literal["paper", "prefix"]
"""`paper`: instruction, constraint, evidence, response, objects. `prefix`: instruction and response first, so that all
constraints of a response share the longest possible prefix, which inference servers cache."""

MODULES = (
    "re, json, csv, string, unicodedata, textwrap, difflib, collections, itertools, functools, math, statistics, "
    "fractions, decimal, datetime, calendar, html, xml.etree.ElementTree, hashlib, base64"
)
_FUNCTIONS = ("count_word", "split_sentences", "blocks", "Block")
_PLACEHOLDER = re.compile(r"\{(modules|functions)\}")
_MARK = re.compile(r"\[\s*the (?:start|end) of", re.IGNORECASE)
NO_EVIDENCE = "None"


def render(
    kind: PromptKind,
    layout: Layout,
    instruction: Instruction,
    constraint: Constraint,
    answer: str | None,
    evidence: str = "",
) -> str:
    """The prompt of one call.

    Args:
        answer: the response without its thinking; None for the kinds that do not see it (`static_tool`, `rule`).
        evidence: what a tool computed, for `judgment`.
    """
    material = {
        "User Instruction": _conversation(instruction),
        "Constraint": constraint.text,
        "Reference Information": (evidence or NO_EVIDENCE) if kind == "judgment" else None,
        "Response": answer,
        "Counting Object List": objects(constraint),
    }
    order: Sequence[str] = tuple(material)
    if layout == "prefix":
        order = ("User Instruction", "Response", "Constraint", "Reference Information", "Counting Object List")
    blocks = [_block(name, text) for name in order if (text := material[name]) is not None]
    return "\n\n".join([rules(kind), *blocks])


def render_batch(
    kind: Literal["batch_tool_design", "batch_judgment"],
    instruction: Instruction,
    answer: str,
    evidence: Sequence[str] | None = None,
) -> str:
    """The prompt of one call about all constraints of a response.

    Args:
        evidence: what the tool of each constraint computed, for `batch_judgment`.
    """
    blocks = [_block("User Instruction", _conversation(instruction)), _block("Response", answer)]
    for index, constraint in enumerate(instruction.constraints):
        parts = [constraint.text, objects(constraint)]
        if evidence is not None:
            parts.append(f"Reference information: {evidence[index] or NO_EVIDENCE}")
        blocks.append(_block(f"Constraint {index + 1}", "\n".join(parts)))
    return "\n\n".join([rules(kind), *blocks])


@cache
def rules(kind: PromptKind) -> str:
    """The rules of a kind of call, filled in."""
    text = files("scopeif.judge").joinpath("prompts", f"{kind}.txt").read_text(encoding="utf-8").strip()
    functions = [f"   - {line}" for line in tool_globals() if re.split(r"[( ]", line)[0] in _FUNCTIONS]
    fillings = {"modules": MODULES, "functions": "\n".join(functions)}
    return _PLACEHOLDER.sub(lambda match: fillings[match[1]], text)


def objects(constraint: Constraint) -> str:
    """The list of counting objects as the judge reads it."""
    return json.dumps(
        [{"Counting Object": one.object, "Type": one.type.capitalize()} for one in constraint.counting_objects],
        ensure_ascii=False,
        indent=1,
    )


def _conversation(instruction: Instruction) -> str:
    messages = instruction.chat()
    if len(messages) == 1:
        return messages[0]["content"]
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in messages)


def _block(name: str, text: str) -> str:
    """A piece of the material between marks; text that has such marks itself gets marks that it cannot know."""
    tag = f" #{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}" if _MARK.search(text) else ""
    return f"[The Start of the {name}{tag}]\n{text}\n[The End of the {name}{tag}]"

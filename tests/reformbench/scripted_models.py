"""Models for whole constructions: one script that plays the writer, the checker, the reviewer and those that answer.

What it says depends on the request alone, so that two runs that ask the same get the same.
"""

import hashlib
import json
import re

from scopeif.reformbench.catalog.features import catalog
from scopeif.reformbench.catalog.templates import instantiate, measurable
from scopeif.reformbench.judging.third_opinion import opinion
from tests.judge.server import Reply

REQUIREMENT = " Answer in bullet points."
STUBBORN = "hydrofoils"
"""A question whose requirement the writer never takes out."""
VAGUE, UNCLEAR, IMPOSSIBLE = "heat pump", "Lisbon", "海水"
"""Questions whose instructions are vague at first, whose criteria are unclear, whose requirements nobody can meet."""
WITNESS = "A plain sentence that answers the question."
KINDS = {
    "remove": "You prepare questions",
    "removal_check": "Formatting requirements were taken out",
    "residual": "Look for formatting requirements",
    "core": "Say which of the formatting labels",
    "open": "Describe how a response",
    "normalise": "Formatting features were found",
    "suit": "An assistant will be asked",
    "compose": "Write the instruction",
    "compose_check": "An instruction was made",
    "witness": "Answer the instruction below",
    "verify": "An answer was written",
    "clarify": "An answer was tried",
}
"""How the prompt of each kind of call begins; what begins otherwise is to be answered."""


def features():
    """Features that the witness lacks as far as that can be measured, so that it may be forbidden to have them."""
    forbidden = {
        one.id: [instantiate(one.id, "forbid", {}, language) for language in ("en", "zh")] for one in catalog().features
    }
    return [id_ for id_, both in forbidden.items() if all(opinion(one, WITNESS) != 0 for one in both)]


def kind_of(request):
    """What a request is for."""
    text = request["messages"][0]["content"]
    found = [kind for kind, begin in KINDS.items() if text.startswith(begin)]
    return found[0] if found else "answer"


def key_of(request):
    """The content of a request, hashed."""
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()


def part(text, name):
    """What stands between the lines of a part of a prompt."""
    return re.search(rf"=== {name} (\w+) ===\n(.*?)\n=== end of {name} \1 ===", text, re.DOTALL)[2]


def script(request):
    """The answer to a request."""
    said = globals()[f"_{kind_of(request)}"](request["messages"][0]["content"], request)
    return said if isinstance(said, Reply) else Reply(said if isinstance(said, str) else json.dumps(said))


def _remove(text, request):
    question = part(text, "question")
    kept = question if STUBBORN in question else question.replace(REQUIREMENT, "")
    return {"question": kept, "removed": [REQUIREMENT] if kept != question else []}


def _removal_check(text, request):
    return {"task_preserved": True, "constraints_removed": True, "reason": ""}


def _residual(text, request):
    found = [line.removeprefix("- ") for line in part(text, "found by rules").splitlines() if line.startswith("- ")]
    return {"residual": found}


def _core(text, request):
    response = part(text, "response")
    if "- " in response and len(request["messages"]) == 1:
        return {"present": [{"label": "bulletlist", "evidence": "-"}]}  # no such label: it is asked again
    labels = ["bullet_list", "closing_summary"] if "- " in response else ["spaced_paragraphs", "inline_code"]
    return {"present": [{"label": label, "evidence": response[:10]} for label in labels]}


def _open(text, request):
    names = ("lists", "waves", f"tone {len(part(text, 'response'))}")
    return {"features": [{"name": name, "description": "d", "evidence": "e"} for name in names]}


def _normalise(text, request):
    rows = [("composite", ["bullet_list", "nested_list"]), ("uncovered", []), ("not_format", [])]
    mappings = [
        {"number": n, "mapping": mapping, "features": names} for n, (mapping, names) in enumerate(rows, start=1)
    ]
    return {"mappings": mappings}


def _suit(text, request):
    """Features that no spec measures: a scripted witness satisfies any criterion that only a model looks at."""
    return {"features": [one.id for one in catalog().features if not measurable(one.id, "require")]}


def _compose(text, request):
    question = part(text, "question")
    demands = re.findall(r"^Requirement \d: (.*)$", part(text, "requirements"), re.MULTILINE)
    again = " Please." if "What was wrong with it: requirement 2: too vague" in text else ""
    return {"instruction": f"{question}\n\n{' '.join(demands)}{again}"}


def _compose_check(text, request):
    """The first instruction of every variant of one question is vague."""
    included = VAGUE not in text or "Please." in text
    return "Here it is:\n" + json.dumps(
        {"task_preserved": True, "included": [True, included, True], "compatible": True, "reason": "too vague"}
    )


def _witness(text, request):
    return WITNESS


def _verify(text, request):
    """One question's variants are met once their criteria are clear, another's never."""
    labels = [{"number": n, "evidence": "seen", "label": 1} for n in (1, 2, 3)]
    if IMPOSSIBLE in text or (UNCLEAR in text and "A heading counts" not in text):
        labels[1] |= {"label": 0, "evidence": "not seen"}
    return {"labels": labels}


def _clarify(text, request):
    clear = IMPOSSIBLE in text
    return {"clarifications": [] if clear else [{"number": 2, "text": "A heading counts whatever its level."}]}


def _answer(text, request):
    if request["seed"] == 1:
        return Reply("Some points:\n- one\n- two\n\nIn short, both.", completion_tokens=12)
    return Reply("<think>hm</think>\n\nFirst paragraph.\n\nSecond par", finish_reason="length", completion_tokens=9)

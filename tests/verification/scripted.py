"""A judge that answers from a script, for exact verifications."""

import json

from scopeif.judge.messages import JudgeAnswer

YES, NO = "[[The response satisfies the constraint]]", "[[The response does not satisfy the constraint]]"


def tool(code, **arguments):
    """A tool design as a judge writes it."""
    items = [{"Parameter Name": name, "Parameter Value": value} for name, value in arguments.items()]
    return (
        f"[The Start of Auxiliary Verification Tool]\n```python\n{code}\n```\n"
        "[The End of Auxiliary Verification Tool]\n"
        f"[The Start of Input Parameters]\n```json\n{json.dumps(items)}\n```\n[The End of Input Parameters]"
    )


NO_TOOL = "[The Start of Auxiliary Verification Tool]\nNone\n[The End of Auxiliary Verification Tool]"


def judgment(*records, verdict=YES):
    """A judgment as a judge writes it; records are (lower, upper, actual)."""
    items = [
        {"Counting Object": f"object {n}", "Permissible Bounds": [lower, upper], "Actual Value": actual}
        for n, (lower, upper, actual) in enumerate(records)
    ]
    return f"Constraint: c\nAnalysis: a\nConclusion: {verdict}\nCounting Results:\n```json\n{json.dumps(items)}\n```"


class ScriptedJudge:
    """Answers each kind of call with its texts in turn, the last one for ever; an exception is raised.

    `requests` are what it was asked, `kept` what was remembered.
    """

    def __init__(self, **scripts):
        self.scripts = {kind: list(texts) if isinstance(texts, list) else [texts] for kind, texts in scripts.items()}
        self.requests, self.kept = [], []

    async def ask(self, request):
        self.requests.append(request)
        texts = self.scripts[request.kind]
        said = texts.pop(0) if len(texts) > 1 else texts[0]
        if isinstance(said, Exception):
            raise said
        text, finish_reason = said if isinstance(said, tuple) else (said, "stop")
        return JudgeAnswer(
            text=text, reasoning="", finish_reason=finish_reason, prompt_tokens=100, cached_tokens=40,
            completion_tokens=10, seconds=0.5, endpoint="http://judge", model="scripted", from_cache=False,
        )  # fmt: skip

    def keep(self, request, answer):
        self.kept.append((request, answer))

    def asked(self, kind):
        return [request.messages for request in self.requests if request.kind == kind]

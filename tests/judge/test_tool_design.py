"""Tool designs: code and arguments, each argument the response's own text."""

import json

import pytest

from scopeif.errors import JudgeFormatError
from scopeif.judge.parsing import NoTool, ToolDesign, parse_tool_design
from scopeif.judge.spans import Span, locate

RESPONSE = "# Trip\n\nFirst day: we walk.\nSecond day:  “rest”,\tand eat.\n\nThird day: we walk.\n"
CODE = """def count_days(text):
    import re
    return [{"Description": "days", "Computed Result": len(re.findall("day", text))}]"""


def parameter(name, value, **more):
    return {"Parameter Name": name, "Format": "str", "Parameter Description": "d", "Parameter Value": value, **more}


def design(code=CODE, *parameters, fence="```"):
    body = json.dumps(parameters, ensure_ascii=False)
    return (
        f"[The Start of Auxiliary Verification Tool]\n{fence}python\n{code}\n{fence}\n"
        "[The End of Auxiliary Verification Tool]\n\n"
        f"[The Start of Input Parameters]\n```json\n{body}\n```\n[The End of Input Parameters]"
    )


def test_a_design_in_the_asked_format():
    parsed = parse_tool_design(design(CODE, parameter("text", "ALL")), RESPONSE)
    assert parsed == ToolDesign(CODE, "count_days", (Span(0, len(RESPONSE), RESPONSE),))


@pytest.mark.parametrize(
    "text",
    [
        "[The Start of Auxiliary Verification Tool]\nNone\n[The End of Auxiliary Verification Tool]\n"
        "[The Start of Input Parameters]\nNone\n[The End of Input Parameters]",
        "[The Start of Auxiliary Verification Tool]\n```python\nNone\n```\n[The End of Auxiliary Verification Tool]",
        "<think>def f(): pass</think>[The Start of Auxiliary Verification Tool]\n**None**",
        "None",
    ],
)
def test_no_tool_is_a_legal_answer(text):
    assert parse_tool_design(text, RESPONSE) == NoTool()


def test_the_response_that_reads_all():
    assert parse_tool_design(design(CODE, parameter("text", "ALL")), "ALL").arguments == (Span(0, 3, "ALL"),)


@pytest.mark.parametrize(
    "copied, start, text",
    [
        ("First day: we walk.", 8, "First day: we walk."),
        ("First day:   we\nwalk.", 8, "First day: we walk."),
        ('Second day: "rest", and eat.', 28, "Second day:  “rest”,\tand eat."),
        ("  # Trip  ", 0, "# Trip"),
        ("walk.\\nSecond day", 22, "walk.\nSecond day"),
        ("", 0, ""),
        (" ALL ", 0, RESPONSE),
    ],
)
def test_arguments_are_the_responses_own_text(copied, start, text):
    (span,) = parse_tool_design(design(CODE, parameter("text", copied)), RESPONSE).arguments
    assert span == Span(start, start + len(text), text)
    assert RESPONSE[span.start : span.end] == text


def test_items_of_a_list_that_repeat_are_successive_places():
    (spans,) = parse_tool_design(design(CODE, parameter("text", ["we walk.", "we walk.", "Trip"])), RESPONSE).arguments
    assert [span.start for span in spans] == [19, RESPONSE.rfind("we walk."), 2]


def test_arguments_come_in_the_order_of_the_function():
    code = "def f(first, second='x', third=''):\n    return []"
    swapped = design(code, parameter("second", "Second"), parameter("first", "First"))
    assert [span.text for span in parse_tool_design(swapped, RESPONSE).arguments] == ["First", "Second"]


def test_code_with_fences_of_its_own():
    code = (
        'def f(text):\n    mark = """\n```\n"""\n    return [{"Description": "n", "Computed Result": text.count(mark)}]'
    )
    assert parse_tool_design(design(code, parameter("text", "ALL")), RESPONSE).source == code
    assert parse_tool_design(design(CODE, parameter("text", "ALL"), fence="````"), RESPONSE).source == CODE


def test_a_private_helper_is_no_entry():
    code = "def _clean(s):\n    return s\n\ndef f(text):\n    return [_clean(text)]"
    assert parse_tool_design(design(code, parameter("text", "ALL")), RESPONSE).entry == "f"


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "empty"),
        ("<think>def f(): pass", "never closed"),
        ("I would count the days.", "neither"),
        (design("def f(text:\n    return []", parameter("text", "ALL")), "no Python in line 1"),
        (design("x = 1", parameter("text", "ALL")), "no public function"),
        (design("def f(a):\n    return []\n\ndef g(b):\n    return []", parameter("c", "ALL")), "several functions"),
        (design(CODE, parameter("text", "Fourth day")), "not in the response: 'Fourth day'"),
        (design(CODE, parameter("text", "First day: we run.")), "not in the response"),
        (design(CODE, parameter("text", 7)), "give text"),
        (design(CODE, parameter("text", ["First", 7])), "give text"),
        (design(CODE, parameter("text", {"a": "First"})), "give text"),
        (design(CODE, parameter("words", "First")), "no parameter words"),
        (design(CODE), "no value is given for the parameter text"),
        (design(CODE, parameter("text", "First"), parameter("text", "Second")), "is given twice"),
        (design("def f(*texts):\n    return []", parameter("texts", ["First"])), "plain parameters"),
        (
            design("def f(a, b='', c=''):\n    return []", parameter("a", "First"), parameter("c", "Trip")),
            "every parameter",
        ),
        (design(CODE, parameter("text", "ALL")).replace("}]", "}"), "cannot be read"),
    ],
)
def test_designs_that_are_refused_say_why(text, said):
    with pytest.raises(JudgeFormatError, match=said.replace("(", r"\(")):
        parse_tool_design(text, RESPONSE)


def test_locate_is_linear_on_hostile_text():
    assert locate("a b" * 20_000 + "c", "a  b" * 20_000) is None

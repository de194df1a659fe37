"""Units and blocks: what is found, where it stands, and what holds for any text."""

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tools_sandbox.text import Ambiguous, Segment, blocks, count, list_depth, units
from tools_sandbox.units import UNITS, read

FOUND = [
    ("table_row", "| h | k |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", ["| 1 | 2 |", "| 3 | 4 |"]),
    ("table_cell", "| h | k |\n|---|---|\n| a\\|b | 2 |", ["h", "k", "a\\|b", "2"]),
    ("table", "text\n\n| h |\n|---|\n| 1 |\n\nafter", ["| h |\n|---|\n| 1 |"]),
    ("list_item", "• a\n• b\n1. c\n2) d", ["a", "b", "c", "d"]),
    ("list_item", "**Plan**\n* one\n* two", ["one", "two"]),
    ("list_item", "Intro：\n一、背景\n（2）方法\n① x", ["背景", "方法", "x"]),
    ("list_item", "3、5、7是质数。\n\n一、二、三，开始。", []),
    ("list_item", "- [x] done\n- [ ] open", ["done", "open"]),
    ("list_item", "- a\n  - b", ["a\n  - b", "b"]),
    ("list", "- a\n  - b\n\ntext\n\n1. c", ["- a\n  - b", "1. c"]),
    ("highlight", "**a *b*** and _c_ and **d**", ["a *b*", "c", "d"]),
    ("highlight", "* apples\n* pears *", []),
    ("highlight", "`*code*` and snake_case_name", []),
    ("placeholder", "[] see [docs](http://a.b) and [name]", ["[name]"]),
    ("placeholder", "a[i] [1] [2-3] [^note] `[code]` [your name]\n- [x] task", ["[your name]"]),
    ("placeholder", "尊敬的[姓名]：数组a[i]和【标题】", ["[姓名]"]),
    ("placeholder", "[shown][r] [gone]\n\n[r]: http://x.y", ["[gone]"]),
    ("paragraph", "One.\n \t\nTwo.\n\n\n\nThree.", ["One.", "Two.", "Three."]),
    ("paragraph", "# T\n\nText.\n\n- item\n\n> quoted\n\n***\n\n```\nx\n```", ["Text.", "quoted"]),
    ("paragraph", "One.\n\n   * * *\n\nTwo.\n\n  ___\n\nThree.", ["One.", "Two.", "Three."]),
    ("paragraph", "**Heading-like**\n\nText.", ["Text."]),
    ("paragraph", "    indented text", ["indented text"]),
    ("heading", "# One #\n\nTwo\n---\n\n## Three", ["One", "Two", "Three"]),
    ("section", "# A\nx\n\n## A1\ny\n\n# B\nz", ["# A\nx\n\n## A1\ny", "# B\nz"]),
    ("section", "# Title\n\nintro\n\n## A\nx\n\n## B\ny", ["## A\nx", "## B\ny"]),
    ("line", "one\n\n  two \n***", ["one", "two", "***"]),
    ("code_block", "```py\nx = 1\ny\n```\n\n~~~\n~~~", ["x = 1\ny", ""]),
    ("quote", "> a\n>> b\n\ntext\n\n> c", ["a\n>> b", "c"]),
    ("json_pair", '{"a": 1, "b": {"c": 2}}', ['"a": 1', '"b": {"c": 2}']),
    ("json_value", 'Here:\n```json\n{"a": 1}\n```', ['{"a": 1}']),
    ("json_value", "no JSON", []),
    ("json_value", "[1, [2]]", ["[1, [2]]"]),
    ("response", "  all of it\n", ["all of it"]),
    ("word", "One, two.", ["One", "two"]),
    ("sentence", "> One. Two.\n> Three.", ["One.", "Two.", "Three."]),
    ("character", "ab", ["a", "b"]),
]


@pytest.mark.parametrize("unit,text,expected", FOUND)
def test_units_found(unit: str, text: str, expected: list[str]) -> None:
    assert [segment.text for segment in units(unit, text)] == expected
    assert count(unit, text) == len(expected)


def test_every_unit_is_covered() -> None:
    assert {unit for unit, _, _ in FOUND} == set(UNITS)


def test_units_inside_a_unit() -> None:
    text = "- a\n  - b\n  - c\n- d"
    (whole_list,) = units("list", text)
    outer = units("list_item", text)[0]
    assert count("list_item", text) == 4
    assert count("list_item", text, whole_list) == 2
    assert [segment.text for segment in units("list_item", text, outer)] == ["b", "c"]
    assert [segment.text for segment in units("list", text, whole_list)] == ["- b\n  - c"]


def test_json_members_are_those_of_the_value_at_hand() -> None:
    text = '[{"a": 1}, {"b": {"c": [2, 3]}}]'
    (array,) = units("json_value", text)
    first, second = units("json_value", text, array)
    assert [segment.text for segment in units("json_pair", text, array)] == ['"a": 1', '"b": {"c": [2, 3]}']
    (pair,) = units("json_pair", text, second)
    assert [segment.text for segment in units("json_pair", text, pair)] == ['"c": [2, 3]']
    assert first.text == '{"a": 1}'
    (mixed,) = units("json_value", '["x", 2, null, [3]]')
    assert [segment.text for segment in units("json_value", '["x", 2, null, [3]]', mixed)] == [
        '"x"',
        "2",
        "null",
        "[3]",
    ]


@pytest.mark.parametrize("text", ["One here.\nTwo here.", "# Title\nOne here.\nTwo here!", "一句。\n两句。"])
def test_sentences_on_lines_without_blank_line_are_ambiguous_paragraphs(text: str) -> None:
    with pytest.raises(Ambiguous):
        count("paragraph", text)


@pytest.mark.parametrize("text", ["One here.\nTwo here.\n\nThree.", "One here\ngoes on.", "- One.\n- Two."])
def test_paragraphs_that_are_clear(text: str) -> None:
    assert count("paragraph", text) >= 0


def test_unknown_unit_has_a_hint() -> None:
    with pytest.raises(ValueError, match="did you mean 'sentence'"):
        units("sentense", "text")


@pytest.mark.parametrize(
    "text,expected",
    [("no list", 0), ("- a\n- b", 1), ("- a\n  - b\n    1. c\n- d", 3), ("1. a\n   • b", 2), ("> - a", 1)],
)
def test_list_depth(text: str, expected: int) -> None:
    assert list_depth(text) == expected


def test_blocks_tell_level_and_info() -> None:
    text = "## Title\n\n1. a\n   - b\n\n| h | k |\n|---|---|\n| 1 | 2 |\n\n```JSON x\n{}\n```\n\n***"
    found = [(block.kind, block.level, block.info) for block in blocks(text)]
    assert found == [
        ("heading", 2, ""),
        ("list", 1, "ordered"),
        ("list_item", 1, "ordered"),
        ("list", 2, "bullet"),
        ("list_item", 2, "bullet"),
        ("table", 2, ""),
        ("table_row", 0, "header"),
        ("table_cell", 0, "header"),
        ("table_cell", 0, "header"),
        ("table_row", 0, "body"),
        ("table_cell", 0, "body"),
        ("table_cell", 0, "body"),
        ("code_block", 0, "json"),
        ("divider", 0, ""),
    ]


def test_offsets_are_those_of_the_original() -> None:
    text = "\ufeff\r\n> - one\r\n>   two.\r\n\r\nThree.\r\n"
    (item,) = units("list_item", text)
    assert text[item.start : item.end] == item.text == "one\r\n>   two."
    assert units("sentence", text)[-1] == Segment(text.index("Three"), text.index("Three") + 6, "Three.")


# -- any text ----------------------------------------------------------------------------------------------------

PIECES = st.sampled_from([
    "word", "Word", "我", "你好", ".", "。", "! ", "? ", " ", "  ", "\n", "\n\n", "\r\n", "\r", "\t", "- ",
    "* ", "1. ", "> ", "# ",
    "## ", "---", "***", "```", "~~~", "`", "*", "**", "_", "[", "]", "(", ")", "](", "[x] ", "| ", "|-|",
    "\n|---|---|\n", "{", "}",
    '"a": ', "1", ",", "• ", "一、", "①", '"', "“", "”", "…", "<b>", "<!--", "-->", "&amp;", "\\", "\x00",
    "\ufeff", "\u200b", "\u0301",
    "😀", "http://a.b/c", "a@b.c", "[r]: x\n", "=", "\u2028", "\x0b", "\x0c", "\x85", "\u3000", "\xa0",
    "    ", "[name]",
])  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=30).map("".join))


def found(unit: str, text: str) -> list[Segment] | None:
    try:
        return units(unit, text)
    except Ambiguous:
        return None


@given(TEXTS)
@example("> ```\n> a\n```\r\n")
@example("\x00- a\r\r\n- b")
def test_offsets_are_exact_in_any_text(text: str) -> None:
    for unit in UNITS:
        for segment in found(unit, text) or []:
            assert 0 <= segment.start <= segment.end <= len(text)
            assert text[segment.start : segment.end] == segment.text
    for block in blocks(text):
        assert text[block.start : block.end] == block.text


@given(TEXTS)
def test_units_come_in_order_and_do_not_overlap(text: str) -> None:
    for unit in set(UNITS) - {"list_item"}:
        segments = found(unit, text) or []
        for left, right in pairwise(segments):
            assert left.end <= right.start


@given(TEXTS)
def test_blocks_and_marks_hold_all_that_is_written(text: str) -> None:
    """What stands in no block is white space, Markdown marks, or the text of a line that is like a heading."""
    document = read(text)
    source = document.source.text
    held = bytearray(len(source))
    spans = [(node.start, node.end) for node in document.markdown.nodes] + document.markdown.silent
    spans += [(run.place(0), run.end_index(len(run.content))) for run in document.markdown.inlines]
    for start, end in spans:
        held[start:end] = b"x" * (end - start)
    rest = "".join(char for char, mark in zip(source, held, strict=True) if not mark)
    assert not re.search(r"[^\W\d]", rest)


@given(TEXTS)
def test_line_ends_do_not_matter(text: str) -> None:
    unix = text.replace("\r\n", "\n").replace("\r", "\n")
    windows = unix.replace("\n", "\r\n")
    for unit in UNITS:
        one, other = found(unit, unix), found(unit, windows)
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            assert [segment.text for segment in one] == [segment.text.replace("\r\n", "\n") for segment in other]


@given(TEXTS)
def test_units_inside_a_segment_lie_inside_it(text: str) -> None:
    for outer in ("section", "list", "list_item", "quote", "paragraph", "table"):
        for segment in found(outer, text) or []:
            for inner in ("word", "sentence", "line", "list_item", "character"):
                try:
                    inside = units(inner, text, segment)
                    assert count(inner, text, segment) == len(inside)
                except Ambiguous:
                    continue
                assert all(segment.start <= unit.start and unit.end <= segment.end for unit in inside)


@given(TEXTS)
def test_sentences_hold_only_what_lies_between_them_and_marks(text: str) -> None:
    sentences = found("sentence", text) or []
    assert all(re.search(r"\S", segment.text) for segment in sentences)

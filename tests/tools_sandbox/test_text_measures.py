"""Small measures: keywords, classes, patterns, JSON, order."""

import pytest

from tools_sandbox.text import (
    Ambiguous,
    class_count,
    count_string,
    divided,
    ends_with,
    is_chained,
    is_sorted,
    is_valid,
    json_depth,
    letter_case,
    pick,
    relative_bounds,
    repeated,
    spells,
    starts_with,
    under_heading,
    units,
    wrapped,
)


@pytest.mark.parametrize(
    "text,keyword,expected",
    [
        ("She wore a badge.", "bad", 0),
        ("_apple_ and apple-pie, Apple's pineapple", "apple", 3),
        ("使用AI技术，AIR", "AI", 1),
        ("使用技术", "技术", 1),
        ("C++ costs $5, not $50.", "$5", 1),
        ("C++ costs $5, not $50.", "C++", 1),
        ("#sun #sea #sky #sand", "#", 4),
        ("Wow! Great!", "!", 2),
        ("don’t", "don't", 1),
        ("happy\n birthday", "happy birthday", 1),
        ("haha haha haha", "haha haha", 1),
        ("cafe\u0301", "caf\u00e9", 1),
        ("cafe\u0301", "cafe", 0),
        ("ap\u200bple", "apple", 1),
        ("ＡＩ", "AI", 1),
        ("миру мир", "мир", 1),
        ("나는", "나", 1),
        ("", "a", 0),
        ("a、b", "a", 1),
        ("The “sea”, (sea) and *sea*", "sea", 3),
        ("seaside, sea2 and 2sea", "sea", 0),
        ("我爱大海大海", "大海", 2),
        ("哈哈哈", "哈哈", 1),
    ],
)
def test_keywords(text: str, keyword: str, expected: int) -> None:
    assert count_string(text, keyword) == expected


def test_keyword_options() -> None:
    assert count_string("Tide tide TIDE", "tide", case_sensitive=True) == 1
    assert count_string("a banana", "a", whole_word=False) == 4
    assert count_string("aaaa", "aa", whole_word=False) == 2


@pytest.mark.parametrize(
    "text,name,expected",
    [
        ("你好，世界、a,b", "comma", 2),
        ("Wow！ Great!", "exclamation_mark", 2),
        ("What？ No?!", "question_mark", 2),
        ("1２³ 45", "digit", 4),
        ("ABc Ｄ é", "uppercase_letter", 3),
        ("ABc é", "lowercase_letter", 2),
        ("a, b. “c” 。", "punctuation_mark", 5),
        ("👨‍👩‍👧 🇨🇳 1️⃣ ❤️ 😀😀 ✓", "emoji", 6),
    ],
)
def test_classes(text: str, name: str, expected: int) -> None:
    assert class_count(text, name) == expected


@pytest.mark.parametrize(
    "text,by,expected",
    [
        ("“Good night.”", "double_quotes", True),
        ('"Good night."', "double_quotes", True),
        ("「晚安」", "double_quotes", True),
        ('"', "double_quotes", False),
        ('""', "double_quotes", False),
        ('"Yes" and "no"', "double_quotes", False),
        ('"He said "hi" to me."', "double_quotes", True),
        ("“Yes” and “no”", "double_quotes", False),
        ("（好）", "parentheses", True),
        ("(a) (b)", "parentheses", False),
        ("((a) (b))", "parentheses", True),
        ("[x]", "square_brackets", True),
        ("<<x>>", "angle_brackets", True),
    ],
)
def test_wrapped(text: str, by: str, expected: bool) -> None:
    assert wrapped(text, by) is expected


@pytest.mark.parametrize(
    "text,case,expected",
    [
        ("Every Word Is Title Case Here", "upper", False),
        ("HELLO WORLD 😀", "upper", True),
        ("hello 世界", "lower", True),
        ("123", "upper", False),
        ("世界", "upper", True),
    ],
)
def test_letter_case(text: str, case: str, expected: bool) -> None:
    assert letter_case(text, case) is expected


@pytest.mark.parametrize(
    "text,expected",
    [
        ('{"a": 1}', True),
        ('```JsOn\n{"a": 1}\n```', True),
        ("[1, 2.5e3, null]", True),
        ("42", True),
        ('{"t": NaN}', False),
        ("[Infinity]", False),
        ('{"a": {"b": -Infinity}}', False),
        ("[1,]", False),
        ("{'a': 1}", False),
        ('{"a": 1, "a": 2}', False),
        ('{"a": 1} // comment', False),
        ('{"a": 1} {"b": 2}', False),
        ("```json\n{}\n```\n```json\n{}\n```", False),
        ("[" * 100_000, False),
        ("1" * 10_000, True),
        ("", False),
    ],
)
def test_json(text: str, expected: bool) -> None:
    assert is_valid(text, "json") is expected


def test_json_kinds_and_fence() -> None:
    assert is_valid('{"a": 1}', "json_object")
    assert not is_valid("[1]", "json_object")
    assert is_valid("[1]", "json_array")
    assert not is_valid("```json\n{}\n```", "json", fence=False)


@pytest.mark.parametrize("text,expected", [("{}", 1), ('{"a": [1, {"b": "]["}]}', 3), ("1", 0), ("[", 0)])
def test_json_depth(text: str, expected: int) -> None:
    assert json_depth(text) == expected


@pytest.mark.parametrize(
    "text,expected",
    [("a,b\n1,2", True), ('a,b\n"x,y",2', True), ("a\nb", False), ("a,b\n1", False), ("", False)],
)
def test_csv(text: str, expected: bool) -> None:
    assert is_valid(text, "csv") is expected


@pytest.mark.parametrize(
    "text,mark,expected",
    [
        ("This is ***very*** important.", "***", 1),
        ("One.\r\n***  \r\nTwo.\r\n ***\r\nThree.", "***", 3),
        ("***\nOne.\n***\nTwo.\n***", "***", 2),
        ("One.\n---\nTwo.", "---", 2),
        ("One.\n* * *\nTwo.\n---\nStill two.", "***", 2),
        ("```\na\n***\nb\n```", "***", 1),
        ("", "***", 0),
    ],
)
def test_divided(text: str, mark: str, expected: int) -> None:
    assert divided(text, mark) == expected


@pytest.mark.parametrize(
    "text,kind,expected",
    [
        ("a: 1\nb: [2]", "yaml", True),
        ("```yaml\n- a\n```", "yaml", True),
        ("just text", "yaml", False),
        ("a: [", "yaml", False),
        ("a: !made_up 1", "yaml", False),
        ("a: !!bool x", "yaml", False),
        ("a: 2026-99-99", "yaml", False),
        ("[" * 100_000, "yaml", False),
        ("-5", "integer", True),
        ("5.0", "integer", False),
        ("1,000", "integer", False),
        ("3.50", "decimal", True),
        ("3", "decimal", False),
        ("2026-02-28", "date", True),
        ('"2026-02-28"', "date", True),
        ("2026-02-30", "date", False),
        ("28.2.2026", "date", False),
    ],
)
def test_other_formats(text: str, kind: str, expected: bool) -> None:
    assert is_valid(text, kind) is expected


def test_start_and_end() -> None:
    assert starts_with("  Question 1", "Question")
    assert not starts_with("question", "Question")
    assert ends_with("…HAPPY birthday\n", "happy birthday", case_sensitive=False)
    assert starts_with("I am", "I ")
    assert not starts_with("It is", "I ")
    assert not ends_with("weekend", " end")


@pytest.mark.parametrize(
    "texts,expected",
    [([], 0), (["a"], 0), (["a", "A", "b"], 1), (["a  b", "a\nb", "a b"], 2), (["café", "cafe"], 0)],
)
def test_repetitions(texts: list[str], expected: int) -> None:
    assert repeated(texts) == expected


def test_sections_of_a_heading() -> None:
    text = "# Notes\none\n## Notes\ntwo\n# Other\nthree"
    lines = {line.text: under_heading(text, line, "notes") for line in units("line", text)}
    assert lines == {"# Notes": False, "one": True, "## Notes": True, "two": True, "# Other": False, "three": False}


@pytest.mark.parametrize(
    "texts,descending,expected",
    [
        (["apple", "Banana", "**cherry**"], False, True),
        (["b", "a"], False, False),
        (["b", "a", "a"], True, True),
        (["Eagle", "Élan", "fox"], False, True),
    ],
)
def test_alphabetical_order(texts: list[str], descending: bool, expected: bool) -> None:
    assert is_sorted(texts, descending) is expected


def test_chinese_has_no_alphabetical_order() -> None:
    with pytest.raises(Ambiguous):
        is_sorted(["北京", "上海"])


@pytest.mark.parametrize(
    "texts,expected",
    [
        (["The sea is blue.", "Blue is the sky."], True),
        (["The sea is blue.", "Green is the sky."], False),
        (["我来", "来吧"], True),
        (["!!!", "red is red"], False),
    ],
)
def test_chains(texts: list[str], expected: bool) -> None:
    assert is_chained(texts) is expected


@pytest.mark.parametrize(
    "texts,string,expected",
    [(["Come", "- all", "**to**"], "CAT", True), (["Come", "all"], "CAT", False), (["我", "们"], "我们", True)],
)
def test_acrostics(texts: list[str], string: str, expected: bool) -> None:
    assert spells(texts, string) is expected


def test_pick() -> None:
    assert pick("abc", 1) == ["a"]
    assert pick("abc", -1) == ["c"]
    assert pick("abc", 4) == pick("abc", -4) == []


@pytest.mark.parametrize(
    "arguments,expected",
    [
        ((3, "more"), [4, None]),
        ((3, "fewer"), [None, 2]),
        ((3, "at_least"), [3, None]),
        ((3, "at_most"), [None, 3]),
        ((3, "equal", 2, 1), [7, 7]),
        ((3, "more", 1.5), [5, None]),
        ((3, "fewer", 1.5), [None, 4]),
        ((3, "equal", 1.5), [4.5, 4.5]),
        ((3, "equal", 1.5, 0, "floor"), [4, 4]),
        ((3, "equal", 1.5, 0, "ceil"), [5, 5]),
        ((3, "equal", 1.5, 0, "nearest"), [5, 5]),
        ((10, "fewer", 1.1), [None, 10]),
    ],
)
def test_relations(arguments: tuple[int, str], expected: list[float | None]) -> None:
    assert relative_bounds(*arguments) == expected

"""Words and characters: the measuring rules as a table of texts and numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_sandbox.text import Ambiguous, count, count_word, units

WORDS = [
    # a run that holds a letter or number
    ("don't re-enter the mother-in-law's house", 5),
    ("don’t stop", 2),
    ("It cost $1,234.50 on 3.14.", 5),
    ("C++ and C# & more", 4),
    ("+++ --- *** !!!", 0),
    ("2010–2015", 1),
    ("well-known and/or", 2),
    ("½ cup, 2² = 4", 4),
    # separators
    ("one\ttwo\r\nthree", 3),
    ("one\u00a0two\u3000three\u2009four", 4),
    ("word--word", 2),
    ("word---word", 2),
    ("word—word―word", 3),
    ("wait…what...now", 3),
    ("a|b", 2),
    ("Hello,world", 2),
    ("one;two:three!four?five", 5),
    ("at 5,then 6", 4),
    ("word(s)", 2),
    ('say"hello"now', 3),
    ("f(2)", 1),
    ("12:30, 1：30 and 3．14", 4),
    ("<b>bold</b> and<br>new", 3),
    ("It works.It does.", 4),
    ("Node.js and ASP.NET", 3),
    # URLs and e-mail addresses
    ("mail a_b@c.de or https://x.y/z?q=1", 4),
    ("see (https://x.y/a,b;c!d?e:f) now", 3),
    ("看https://x.y/z。好", 3),
    # a separator of each kind that the rules name
    *((f"one{mark}two", 2) for mark in " \u00a0\u3000\u2009\t\n—―…|，。、；：！？,;:!?"),
    *((f"one{mark}two", 2) for mark in ("--", "---", "..", "...", "……", "<br>", "<!-- x -->", "“", ")", "[", "》")),
    *((f"one{mark}two", 1) for mark in "-‐–/_&'’+"),
    *((f"1{mark}2", 1) for mark in ".,:．，："),
    # Han: each ideograph; what stands between them
    ("我不是程序员", 6),
    ("一二三四五 six seven eight", 8),
    ("你好，世界。", 4),
    ("使用AI技术", 5),
    ("2010年", 2),
    ("\U00020000\uf900\u3400", 3),
    ("人々", 2),
    # other scripts
    ("привет мир", 2),
    ("こんにちは 世界", 3),
    ("カタカナ", 1),
    ("한국어를 공부합니다", 2),
    ("Ｈｅｌｌｏ，ｗｏｒｌｄ", 2),
    # zero width and combining
    ("e\u0301tude no\u0308el", 2),
    ("\ufeffzero\u200bwidth word\u200d", 2),
    ("soft\u00adhyphen", 1),
    *((f"ze{mark}ro", 1) for mark in "\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\U000e0101"),
    ("ＡＢＣ１２ ａｂ", 2),
    # Markdown
    ("# Title\n- item one\n* item two", 5),
    ("1. one\n2) two\n99. three", 3),
    ("100. one", 2),
    ("12.\nnext", 2),
    ("- [ ] task\n- [x] done", 2),
    ("> quoted\n> text", 2),
    *((f"{mark} item", 1) for mark in ("-", "*", "+", "#", "######", ">", "• ", "- [ ]", "12.", "3)")),
    ("> 1. quoted item", 2),
    ("```python\nx = 1\n```", 2),
    ("```\n1. x\n```", 2),
    ("~~~ js\ny\n~~~", 1),
    ("[docs](http://a.b/c) here", 2),
    ("![alt text](img.png)", 2),
    ("[a][r]\n\n[r]: http://x.y", 1),
    ("| a | b |\n|---|---|\n| 1 | 2 |", 4),
    ("1️⃣ one", 1),
    ("① one\n• two\n（1）three\n一、四", 4),
    # nothing
    ("", 0),
    (" \n\t ", 0),
]


@pytest.mark.parametrize("text,expected", WORDS)
def test_count_word(text: str, expected: int) -> None:
    assert count_word(text) == expected, [segment.text for segment in units("word", text)]


@pytest.mark.parametrize("text", ["สวัสดีครับ", "ສະບາຍດີ", "សួស្តី", "မြန်မာ", "hello สวัสดี"])
def test_scripts_without_spaces_are_ambiguous(text: str) -> None:
    with pytest.raises(Ambiguous):
        count_word(text)


def test_a_unit_without_them_is_not() -> None:
    text = "Two words.\n\nสวัสดี"
    first = units("paragraph", text)[0]
    assert count("word", text, first) == 2


def test_words_are_reported_without_the_punctuation_around_them() -> None:
    words = [segment.text for segment in units("word", 'alpha, "beta"; **target** (gamma). $5 C++')]
    assert words == ["alpha", "beta", "target", "gamma", "$5", "C++"]


@pytest.mark.parametrize("text,expected", [("👨‍👩‍👧", 5), ("a b", 3), ("  a\r\nb ", 3), ("", 0), ("\ufeffa", 1)])
def test_characters_are_code_points(text: str, expected: int) -> None:
    assert count("character", text) == expected
    assert len(units("character", text)) == expected


@given(st.lists(st.sampled_from(["apple", "don't", "1,234.5", "x-y", "naïve", "re_use"]), min_size=1, max_size=30))
def test_words_apart_are_counted_one_by_one(words: list[str]) -> None:
    assert count_word(" ".join(words)) == len(words)


@given(st.text(alphabet="我你他是不程序员", max_size=30))
def test_han_are_counted_one_by_one(text: str) -> None:
    assert count_word(text) == len(text)

"""Sentences: the measuring rules as a table of texts and the sentences that they hold."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_sandbox.text import count, split_sentences

COUNTS = [
    # ends and closers
    ("One. Two! Three?", 3),
    ("你好。今天很热！我们走吗？", 3),
    ("Stop! (Really.) Now.", 3),
    ("**Stop.** Go on.", 2),
    ("What?! No!!! OK...", 3),
    ("Hi!! 😀 How are you? 😀", 2),
    ("Hi!😀 How are you?", 2),
    ("版本2.我们开始。", 2),
    ("こんにちは。さようなら。", 2),
    ("你好。Hello there.", 2),
    # no ends
    ("Dr. Smith met Mrs. Li vs. Mr. Wu.", 1),
    ("Use fruit, e.g. apples, i.e. red ones. Stop.", 2),
    ("Smith et al. wrote it. Yes.", 2),
    ("I met Al. He left.", 2),
    ("Version 2.0.1 costs 3.50 today. Good.", 2),
    ("See https://a.io/c?x=1. Done.", 2),
    ("Mail a.b@c.de! Now.", 2),
    ("Use `a. B` here. Done.", 2),
    ("See Fig. 3 and No. 5. Done.", 2),
    ("J. K. Rowling wrote it.", 1),
    ("John F. Kennedy spoke.", 1),
    ("With Priya K. Sharma we spoke.", 1),
    ("It was written by J. Smith. Good.", 2),
    ("We met with A. Jones and B. Clark today.", 1),
    ("Choose A and B. Choose well.", 2),
    ("He got a grade of B. Try harder.", 2),
    ("Take vitamins A and C. Drink water.", 2),
    ("I saw J. Smith. He left.", 2),
    ("1. First. 2. Second.", 2),
    ("What is new? 5. That is all.", 3),
    ("A．苹果 B．香蕉", 1),
    ("See Fig. A. Ver. 2.0 is out.", 2),
    ("我是Dr. Wang的学生。", 1),
    ("请走No. 6号门。", 1),
    ("我是J. K. Rowling的读者。", 1),
    ("Model wears size M. Fits well.", 2),
    ("Vitamin C. Take daily.", 2),
    ("He left (for good. Really.) and slept.", 2),
    ("Wait... what? Well... I think so.", 3),
    ("他走了……然后回来。", 1),
    ("He paused...\nThen left.", 2),
    *((f"See {name} Smith there.", 1) for name in ("Dr.", "Mr.", "Mrs.", "Ms.", "Prof.", "e.g.", "i.e.", "vs.", "cf.")),
    *((f"It ends here{mark} Then more.", 2) for mark in (".", "!", "?", "?!", "!!!", '."', ".)", ".”", ".**", ".[1]")),
    *((f"到此为止{mark}再来", 2) for mark in ("。", "！", "？", "。”", "！）", "．")),
    # abbreviations that can close
    ("He lives in the U.S. She left.", 2),
    ("The U.S. Army came.", 1),
    ("Apples, pears, etc. The end.", 2),
    ("At 5 p.m. Monday we go.", 1),
    ("Acme Inc. But why?", 2),
    ("Made by Acme Inc.", 1),
    # missing space
    ("It works.It does.", 2),
    ("Is it?Yes it is.", 2),
    ("Node.js works. ASP.NET too.", 2),
    ("the file.A", 1),
    # quotes
    ("“这是对的。”他说。", 1),
    ("“好。”我知道了。", 2),
    ("他说：“你好。我走了。”", 2),
    ('"I came. I saw." He left.', 3),
    ("“I came. I saw.” he said.", 2),
    ('"Stop!" John said.', 1),
    ('He said "stop." She left. Why?', 3),
    ('"I came." "I said no." He left.', 3),
    # pieces without a mark
    ("No mark here", 1),
    ("One here. A trailing piece", 2),
    ("A soft\nbreak goes on", 1),
    ("> a quote without a mark", 1),
    ("- item", 0),
    ("- One. two", 2),
    ("1. First item. Second sentence.", 2),
    # not prose
    ("# Title\nOne here. Two here.\n- item", 2),
    ("# A heading. With stops.", 0),
    ("**A bold line**\n\nText.", 1),
    ("**A bold line**\nText.", 1),
    ("**A bold sentence.**", 1),
    ("| a. | b. |\n|---|---|\n| One. | Two. |", 0),
    ("```\nOne. Two.\n```", 0),
    ("", 0),
    (" \n\t ", 0),
]


@pytest.mark.parametrize("text,expected", COUNTS)
def test_sentences(text: str, expected: int) -> None:
    assert len(split_sentences(text)) == expected, split_sentences(text)
    assert count("sentence", text) == expected


def test_where_sentences_part() -> None:
    text = 'He said "stop." She left (at 3.15 p.m. sharp). Why?  '
    assert split_sentences(text) == ['He said "stop."', "She left (at 3.15 p.m. sharp).", "Why?"]


def test_marks_between_sentences_belong_to_the_one_before() -> None:
    assert split_sentences("He left. — Then? !!! Yes.") == ["He left.", "— Then? !!!", "Yes."]


PIECES = st.sampled_from([
    "A", "b", "I", "Dr", "e.g", "U.S", "said", "说", "我", "你", ".", "...", "!", "?", "。", "！", "…", " ",
    "  ", "\n", '"', "“", "”", "(",
    ")", "，", ",", "3", "3.5", "😀", "http://x.y/z", "a@b.c", "é", "\u3000",
])  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join))
def test_joined_sentences_hold_every_character_of_a_paragraph(text: str) -> None:
    prose = "Start " + re.sub(r"\n+", "\n", text).strip()
    joined = "".join(split_sentences(prose))
    assert re.sub(r"\s", "", joined) == re.sub(r"\s", "", prose)

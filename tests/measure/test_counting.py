"""`scopeif.measure.count` and `units`: the same as inside the sandbox, with this package's errors."""

import pytest

from scopeif.errors import AmbiguousResponse, ScopeIFError, SpecError
from scopeif.measure import MEASURE_VERSION, count, units

COUNTS = [
    ("word", "étude nöel", 2),
    ("word", "mail a_b@c.de or https://x.y/z?q=1", 4),
    ("word", "一二三四五 six seven eight", 8),
    ("character", "👨‍👩‍👧", 5),
    ("sentence", '"I came. I saw." He left.', 3),
    ("paragraph", "One.\n \t\nTwo.\n\n\n\nThree.", 3),
    ("list_item", "• a\n• b\n1. c\n2) d", 4),
    ("table_row", "| h | k |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", 2),
    ("placeholder", "[] see [docs](http://a.b) and [name]", 1),
]


@pytest.mark.parametrize("unit,text,expected", COUNTS)
def test_count(unit: str, text: str, expected: int) -> None:
    assert count(unit, text) == expected
    assert len(units(unit, text)) == expected


def test_segments_stand_where_they_say() -> None:
    text = "One here.\r\n\r\nTwo here."
    assert [(s.start, s.end, s.text) for s in units("paragraph", text)] == [(0, 9, "One here."), (13, 22, "Two here.")]


def test_unknown_unit() -> None:
    with pytest.raises(SpecError, match="did you mean 'paragraph'"):
        count("paragraf", "text")
    with pytest.raises(ValueError, match="use one of"):
        units("zzz", "text")


def test_ambiguous_is_an_error_of_this_package() -> None:
    with pytest.raises(AmbiguousResponse):
        count("paragraph", "One.\nTwo.")
    assert issubclass(AmbiguousResponse, ScopeIFError)


def test_version() -> None:
    assert MEASURE_VERSION == 2

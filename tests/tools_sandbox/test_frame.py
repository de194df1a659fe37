from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_sandbox.errors import BadFrame, FrameTooLarge
from tools_sandbox.frame import MAX_DEPTH, FrameReader, pack, parse

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**300), 10**300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('ab"\\[{'), inner, max_size=4),
    max_leaves=20,
)


def depth(value: object) -> int:
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 0


@given(JSON.filter(lambda value: depth(value) <= MAX_DEPTH))
def test_json_comes_back_unchanged(value: object) -> None:
    assert parse(json.dumps(value).encode()) == value
    assert parse(json.dumps(value, ensure_ascii=False).encode()) == value


@given(st.binary(max_size=300) | st.text('[]{}"\\,:0123456789eE+-.aNIu', max_size=300).map(str.encode))
def test_any_bytes_give_a_strict_value_or_a_bad_frame(body: bytes) -> None:
    try:
        value = parse(body)
    except BadFrame:
        return
    json.dumps(value, allow_nan=False).encode()
    assert depth(value) <= MAX_DEPTH


@given(st.binary(max_size=200), st.binary(max_size=50), st.lists(st.integers(1, 7), min_size=1))
def test_the_reader_takes_the_first_frame_however_it_is_cut(body: bytes, after: bytes, cuts: list[int]) -> None:
    stream = pack(body) + after
    reader = FrameReader(limit=200)
    position = turn = 0
    done = False
    while position < len(stream):
        step = cuts[turn % len(cuts)]
        done = reader.feed(stream[position : position + step])
        position, turn = position + step, turn + 1
        assert done == (position >= 4 + len(body))
    assert done
    assert reader.body == body


@given(st.integers(0, 2**32 - 1), st.integers(0, 1000))
def test_the_announced_length_is_held_against_the_limit(size: int, limit: int) -> None:
    reader = FrameReader(limit)
    header = size.to_bytes(4, "little")
    if size > limit:
        with pytest.raises(FrameTooLarge):
            reader.feed(header)
    else:
        assert reader.feed(header) == (size == 0)
        if size:
            with pytest.raises(BadFrame):
                _ = reader.body


@pytest.mark.parametrize(
    "body, reason",
    [
        (b"", "not JSON"),
        (b"[1", "not JSON"),
        (b"1 2", "not JSON"),
        (b"[NaN]", "NaN"),
        (b"[-Infinity]", "-Infinity"),
        (b"[1e999]", "finite"),
        (b"[" + b"9" * 309 + b"]", "309 digits"),
        (b"[-" + b"9" * 309 + b"]", "309 digits"),
        (b'["\xff"]', "utf-8"),
        (b'["\\ud800"]', "surrogate"),
        (b'{"a": 1, "a": 2}', "repeats a key"),
        (b"[" * 33 + b"]" * 33, "nested"),
        (b'{"a":' * 33 + b"1" + b"}" * 33, "nested"),
        (b"[" * 60000, "nested"),
        (b"\xef\xbb\xbf[1]", "not JSON"),
    ],
)
def test_what_is_refused_and_why(body: bytes, reason: str) -> None:
    with pytest.raises(BadFrame, match=reason.replace("(", r"\(")):
        parse(body)


@pytest.mark.parametrize("number", [10**308 - 1, 1 - 10**308, 5e-324, -0.0, 1.7976931348623157e308])
def test_the_largest_and_smallest_numbers_pass(number: float) -> None:
    assert parse(json.dumps([number]).encode()) == [number]


def test_brackets_in_strings_are_no_depth() -> None:
    assert parse(json.dumps(["[{" * 100, '"[' * 50, "\\" * 9]).encode()) == ["[{" * 100, '"[' * 50, "\\" * 9]


@pytest.mark.parametrize("unit", [b'"', b'\\"', b'"\\', b"\\", b'["', b'[\\"'])
def test_hostile_quotes_take_linear_time(unit: bytes) -> None:
    body = b'[["' + unit * (65000 // len(unit)) + b"\\"
    with pytest.raises(BadFrame):
        parse(body)  # a quadratic scan would meet the test's time limit

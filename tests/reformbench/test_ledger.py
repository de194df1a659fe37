"""Ledgers: what survives a kill, and what they refuse."""

import codecs
import json
import os
import resource
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopeif.errors import ConfigError, DataError
from scopeif.reformbench import ledger as ledger_module
from scopeif.reformbench.ledger import Ledger, alone_in, held

GIVEN = {"model": "judge", "sampling": {"temperature": 0.0}, "files": ("a", "b")}


def _filled(path, rows):
    with Ledger(path, GIVEN) as ledger:
        for key, row in rows.items():
            ledger.append(key, row)
    return path


def test_rows_come_back_by_key_in_their_order(tmp_path):
    rows = {"b": {"text": "二\n行"}, "a": {"text": "one", "n": 1}, "c": {}}
    path = _filled(tmp_path / "deep" / "calls.jsonl", rows)
    with Ledger(path, GIVEN) as ledger:
        assert list(ledger) == ["b", "a", "c"]
        assert {key: ledger[key] for key in ledger} == rows
        assert len(ledger) == 3
        assert "d" not in ledger


_ROWS = st.dictionaries(st.text(min_size=1), st.fixed_dictionaries({"text": st.text()}), min_size=1, max_size=5)


@given(rows=_ROWS, data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_file_cut_anywhere_keeps_its_whole_rows_and_goes_on(rows, data, tmp_path_factory):
    path = _filled(tmp_path_factory.mktemp("cut") / "calls.jsonl", rows)
    content = path.read_bytes()
    ends = [place for place, byte in enumerate(content) if byte == ord("\n")]
    cut = data.draw(st.integers(0, len(content)))
    path.write_bytes(content[:cut])
    whole = [key for key, end in zip(rows, ends[1:], strict=True) if cut >= end]  # the line feed itself may be missing
    with Ledger(path, GIVEN) as ledger:
        assert list(ledger) == whole
        for key, row in rows.items():
            if key not in ledger:
                ledger.append(key, row)
    assert path.read_bytes() == content


def test_other_settings_are_refused_with_what_differs(tmp_path):
    path = _filled(tmp_path / "calls.jsonl", {"a": {}})
    other = {"model": "judge", "sampling": {"temperature": 0.5, "top_p": 1}, "files": ("a",)}
    with pytest.raises(ConfigError) as caught:
        Ledger(path, other)
    message = str(caught.value)
    assert 'files was ["a", "b"], is ["a"]' in message
    assert "sampling.temperature was 0.0, is 0.5" in message
    assert "sampling.top_p was not there, is 1" in message
    assert "model" not in message.splitlines()[0].replace(str(tmp_path), "")
    with Ledger(path, GIVEN) as ledger:  # and nothing happened to the file
        assert "a" in ledger


@pytest.mark.parametrize(
    "content,line",
    [(b'{"key": "a"}\n', 1), (b"[1]\n", 1), (None, 3)],
)
def test_what_is_no_ledger_is_refused_with_its_line(content, line, tmp_path):
    path = _filled(tmp_path / "calls.jsonl", {"a": {}, "b": {}})
    if content is None:
        lines = path.read_bytes().splitlines(keepends=True)
        content = b"".join([*lines[:2], b"{broken\n", lines[2]])
    path.write_bytes(content)
    with pytest.raises(DataError, match=rf"calls\.jsonl:{line}"):
        Ledger(path, GIVEN)


def test_a_key_is_written_once(tmp_path):
    with Ledger(tmp_path / "calls.jsonl", GIVEN) as ledger:
        ledger.append("a", {"text": "x"})
        with pytest.raises(DataError, match="'a' is there already"):
            ledger.append("a", {"text": "y"})
        with pytest.raises(DataError):
            ledger.append("b", {"key": "z"})
    assert [json.loads(line).get("key") for line in (tmp_path / "calls.jsonl").read_text().splitlines()] == [None, "a"]


def test_a_file_is_held_by_one_process(tmp_path):
    with Ledger(tmp_path / "calls.jsonl", GIVEN) as ledger:
        with pytest.raises(DataError, match="another process"):
            Ledger(tmp_path / "calls.jsonl", GIVEN)
        ledger.append("a", {})
    _filled(tmp_path / "calls.jsonl", {"b": {}})


def test_a_folder_is_held_by_one_process(tmp_path):
    with alone_in(tmp_path / "out"), pytest.raises(DataError, match="another process"), alone_in(tmp_path / "out"):
        pass
    with alone_in(tmp_path / "out"):
        pass


@contextmanager
def disk_with_room_for(size):
    """No file of this process grows beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_row_that_does_not_fit_the_disk_is_an_error_and_leaves_no_trace(tmp_path):
    path = _filled(tmp_path / "calls.jsonl", {"a": {"text": "x"}})
    content = path.read_bytes()
    with Ledger(path, GIVEN) as ledger:
        with disk_with_room_for(len(content) + 9):
            with pytest.raises(DataError, match="cannot be written") as caught:
                ledger.append("b", {"text": "y" * 100})
            assert caught.value.place == str(path)
        assert "b" not in ledger
        assert path.read_bytes() == content  # not even the nine bytes that fitted
        ledger.append("b", {"text": "z"})
        assert ledger["b"] == {"text": "z"}
    with Ledger(path, GIVEN) as ledger:
        assert list(ledger) == ["a", "b"]


def test_a_file_is_closed_though_the_disk_refuses(tmp_path, monkeypatch):
    ledger = Ledger(tmp_path / "calls.jsonl", GIVEN)

    def refuse(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(DataError, match="No space left"):
        ledger.close()
    monkeypatch.undo()
    _filled(tmp_path / "calls.jsonl", {"a": {}})  # nobody holds it


def test_a_place_that_cannot_be_written_is_an_error_of_ours(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "calls.jsonl", tmp_path):
        with pytest.raises(DataError, match="cannot be written") as caught:
            Ledger(path, GIVEN)
        assert caught.value.place == str(path)
    for folder in (tmp_path / "file", tmp_path / "file" / "out"):
        with pytest.raises(DataError, match="cannot be written"), alone_in(folder):
            pass
    with pytest.raises(DataError, match="cannot be written"), held(tmp_path / "none" / "lock", tmp_path):
        pass


@pytest.mark.parametrize("rows", [{}, {"a": {}}])
def test_a_file_with_a_byte_order_mark_is_refused_and_not_begun_anew(rows, tmp_path):
    path = _filled(tmp_path / "calls.jsonl", rows)
    marked = codecs.BOM_UTF8 + path.read_bytes()
    for content in (marked, marked.rstrip(b"\n")):
        path.write_bytes(content)
        with pytest.raises(DataError, match="byte order mark"):
            Ledger(path, GIVEN)
        assert path.read_bytes() == content


def test_a_file_that_was_replaced_while_it_was_opened_is_not_appended_to(tmp_path, monkeypatch):
    path = _filled(tmp_path / "calls.jsonl", {"a": {}})
    lock = ledger_module.fcntl.flock

    def late(file, how):
        path.rename(tmp_path / "old")
        (tmp_path / "old").unlink()
        lock(file, how)

    monkeypatch.setattr(ledger_module.fcntl, "flock", late)
    with pytest.raises(DataError, match="another process"):
        Ledger(path, GIVEN)

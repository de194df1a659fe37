"""The review set with earlier records, the review file in both forms, and the terminal reviewer."""

import csv
import io
import json
import os
import pty
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from scopeif.errors import DataError, InvalidInputError
from scopeif.reformbench.adjudication.adjudication import Adjudication, adjudicated, review_set
from scopeif.reformbench.adjudication.review_file import COLUMNS, read_review, row_of, write_review
from scopeif.reformbench.adjudication.review_item import ReviewItem
from scopeif.reformbench.adjudication.reviewer import Answers, pressed_key, review
from scopeif.reformbench.adjudication.sampling import sample_size
from scopeif.reformbench.adjudication.spreadsheet import one_feed, read_csv, write_csv
from scopeif.reformbench.judging.prompt import Assessed
from tests.reformbench.labelled import item, items_of, judgment, pair, response, variant

POPULATION = [
    *(pair(1, 0, number) for number in range(30)),
    *(pair(0, 1, number) for number in range(30, 40)),
    *(pair(1, 0, number, 1) for number in range(3)),
    *(pair(1, 1, number, 2) for number in range(20)),
    *(pair(None, 1, number, 2) for number in range(20, 25)),
    *(pair(1, 0, number, 0, "n") for number in range(2)),
]
ITEMS = items_of(POPULATION)


@pytest.fixture(scope="module")
def chosen():
    return review_set(POPULATION, ITEMS, seed=3, margin=0.2)


def test_the_review_covers_every_stratum_of_every_model(chosen):
    assert [(*row.stratum[:3], row.size, row.matched, row.drawn) for row in chosen.table] == [
        ("m", "first_passes", "lists", 30, 0, 11),
        ("m", "first_passes", "structure", 3, 0, 1),
        ("m", "second_passes", "lists", 10, 0, 4),
        ("n", "first_passes", "lists", 2, 0, 2),
    ]
    assert sample_size(43, margin=0.2) == 11 + 1 + 4
    assert len({one.id for one in chosen.drawn}) == len(chosen.drawn) == 18
    assert {one.pair.stratum for one in chosen.drawn} == {row.stratum for row in chosen.table}
    assert chosen.drawn == review_set(POPULATION[::-1], ITEMS, seed=3, margin=0.2).drawn
    assert chosen.drawn != review_set(POPULATION, ITEMS, seed=4, margin=0.2).drawn


def test_judges_and_model_are_blinded(chosen):
    sides = {one.judge("a") for one in chosen.drawn}
    assert sides == {"first", "second"}
    for one in chosen.drawn:
        assert {one.judge("a"), one.judge("b")} == {"first", "second"}
        own = one.pair.first if one.judge("a") == "first" else one.pair.second
        assert (one.a.label, one.a.evidence) == (own.label, own.evidence)
        assert one.pair.instance.response not in row_of(one).model_dump_json()


def test_a_response_that_is_missing_or_another_is_an_error():
    with pytest.raises(DataError, match="1 responses with a disagreement are not given, such as 'm-v0'"):
        review_set([pair(1, 0)], [])
    with pytest.raises(InvalidInputError, match="another text"):
        review_set([pair(1, 0)], [item("v0", text="changed")])
    with pytest.raises(InvalidInputError, match="do not disagree"):
        ReviewItem(pair(1, 1), item("v0"), 0)


# -- Earlier records ---------------------------------------------------------------------------------------------


def test_earlier_records_that_match_are_taken_first_and_flagged(chosen):
    earlier = [adjudicated(one, "a", "ann") for one in chosen.drawn]
    again = review_set(POPULATION, ITEMS, earlier, seed=9, margin=0.2)
    assert again.drawn == ()
    assert [one.instance for one in again.matched] == [one.instance for one in earlier]
    assert all(one.matched for one in again.matched)
    assert not any(one.matched for one in earlier)
    assert [row.matched for row in again.table] == [row.drawn for row in chosen.table]
    more = review_set(POPULATION, ITEMS, earlier, seed=9, margin=0.1)
    assert more.drawn
    assert not {one.instance for one in more.matched} & {one.pair.instance for one in more.drawn}


@pytest.mark.parametrize(
    "changes, reason",
    [
        ({"instruction_hash": "x"}, "the instruction has changed"),
        ({"requirement_hash": "x"}, "the requirement has changed"),
        ({"response_hash": "x"}, "the response has changed"),
        ({"variant": "v99"}, "unknown"),
        ({"category": "closing"}, "its stratum was model 'm', first passes, category 'closing', forbid"),
        ({"direction": "second_passes", "label": 0}, "its stratum was model 'm', second passes"),
        ({"first": "k"}, "the judges were 'k' and 'h', and are 'g' and 'h'"),
    ],
)
def test_earlier_records_that_do_not_match_are_refused_with_the_reason(changes, reason):
    record = adjudicated(ReviewItem(pair(1, 0), item("v0"), 0), "a")
    record = record.model_copy(update={"chosen": "first", "label": 1} | changes)
    found = review_set([pair(1, 0)], [item("v0")], [record])
    assert (found.matched, len(found.drawn)) == ((), 1)
    assert reason in found.refused[0].reason


def test_a_second_record_of_an_instance_is_refused():
    of = ReviewItem(pair(1, 0), item("v0"), 0)
    found = review_set([pair(1, 0)], [item("v0")], [adjudicated(of, "a"), adjudicated(of, "b"), adjudicated(of, "a")])
    assert len(found.matched) == 1
    assert [one.reason.rpartition(", and ")[2] for one in found.refused] == ["says otherwise", "says the same"]


def test_a_record_whose_label_is_not_that_of_its_judge_is_none():
    record = adjudicated(ReviewItem(pair(1, 0), item("v0"), 0), "a")
    with pytest.raises(ValueError, match="label of the"):
        Adjudication.model_validate({**record.model_dump(), "label": 1 - record.label})


# -- The file ----------------------------------------------------------------------------------------------------


def answered(path, answers):
    """Fill in answers by id in a file of either form, as a spreadsheet program would write it."""
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        path.write_text("".join(json.dumps(row | answers.get(row["id"], {})) + "\n" for row in rows), encoding="utf-8")
        return
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter=";", quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(row | answers.get(row["id"], {}) for row in rows)


@pytest.mark.parametrize("name", ["review.csv", "review.jsonl"])
def test_a_review_comes_back(tmp_path, chosen, name):
    path = tmp_path / name
    write_review(path, chosen.drawn)
    first, second, third, *rest = chosen.drawn
    answered(path, {first.id: {"answer": "a", "reviewer": "ann", "note": "=1+1"}, second.id: {"answer": " B "}})
    found = read_review(path, chosen.drawn)
    assert found.faults == ()
    assert [one.instance for one in found.records] == [first.pair.instance, second.pair.instance]
    assert [one.label for one in found.records] == [first.a.label, second.b.label]
    assert [one.chosen for one in found.records] == [first.judge("a"), second.judge("b")]
    assert (found.records[0].reviewer, found.records[0].note) == ("ann", "=1+1")
    assert found.open == (third, *rest)


@pytest.mark.parametrize("name", ["review.csv", "review.jsonl"])
def test_every_fault_of_a_file_is_reported_with_its_line(tmp_path, chosen, name):
    path = tmp_path / name
    items = chosen.drawn[:7]
    write_review(path, items)
    one, two, three, four, five, six, seven = items
    answered(path, {
        one.id: {"answer": "c"},
        two.id: {"answer": "a", "response": "shortened", "evidence_a": "1900-01-07"},
        three.id: {"answer": "a", "hash": "0" * 64},
        four.id: {"answer": "a", "id": "item-unknown"},
        five.id: {"answer": "a"},
        six.id: {"answer": "b", "id": five.id},
        seven.id: {"response": "of an open item"},
    })  # fmt: skip
    found = read_review(path, items)
    said = [str(fault) for fault in found.faults]
    places = [fault.place for fault in found.faults]
    assert len(said) == 4
    assert "answer 'c' of" in said[0]
    assert "shown with other texts" in said[1]
    assert "'item-unknown' is unknown" in said[2]
    assert "stands twice, first in" in said[3]
    first = 2 if name.endswith("csv") else 1
    assert places == [f"{path}:{first + row}" for row in (0, 2, 3, 5)]
    assert [one.instance for one in found.records] == [two.pair.instance]  # identity and hash tie it to the item
    warned = [(one.place, one.message.partition(" of ")[0]) for one in found.warnings]
    assert warned == [(f"{path}:{first + 1}", "response"), (f"{path}:{first + 1}", "evidence_a")]
    assert "is not the text that went out" in found.warnings[0].message
    assert found.open == tuple(each for each in items if each != two)


def test_rows_that_cannot_be_read_are_faults_beside_the_others(tmp_path, chosen):
    path = tmp_path / "review.jsonl"
    good = row_of(chosen.drawn[0], "a").model_dump_json(include={"id", "hash", "answer"})
    path.write_text(f'{good}\nnonsense\n{{"id": "x", "hash": "y", "anser": "a"}}\n', encoding="utf-8")
    found = read_review(path, chosen.drawn)
    assert len(found.records) == 1
    assert [fault.place for fault in found.faults] == [f"{path}:2", f"{path}:3"]
    assert found.faults[1].message == "anser: unknown field (did you mean 'answer'?)"
    (tmp_path / "x.csv").write_text("id,hash\n1,2\n", encoding="utf-8")
    with pytest.raises(DataError, match="columns answer, reviewer"):
        read_review(tmp_path / "x.csv", chosen.drawn)
    with pytest.raises(DataError, match="cannot be read"):
        read_review(tmp_path / "none.csv", chosen.drawn)


def item_with(text, evidence="e"):
    of = variant("v0")
    both = pair(1, 0)
    labels = [judgment(name, label, both.instance, text) for name, label in (("g", 1), ("h", 0))]
    labels = [one.model_copy(update={"evidence": evidence}) for one in labels]
    again = type(both)(both.instance, both.requirement, *labels)
    return ReviewItem(again, Assessed(of, response("v0", text=text), of.instruction), 0)


@pytest.mark.parametrize("name", ["review.csv", "review.jsonl"])
@settings(deadline=None, max_examples=60)
@given(text=st.text(), evidence=st.text(alphabet="=+-@'＝\r\n\t ,;\"a"))
def test_any_text_goes_out_and_comes_back(tmp_path_factory, name, text, evidence):
    path = tmp_path_factory.mktemp("review") / name
    of = item_with(text, evidence)
    write_review(path, [of])
    found = read_review(path, [of])
    assert (found.faults, found.open) == ((), (of,))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.text(alphabet="=+-@'＝\r\n\t ,;\"ab"), st.text()), max_size=4))
def test_no_cell_of_a_table_is_a_formula(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("table") / "t.csv"
    write_csv(path, ("one", "two", "three"), ({"one": one, "two": two, "three": "x"} for one, two in rows))
    with path.open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not any(cell.lstrip().startswith(("=", "+", "-", "@", "＝")) for cell in cells)
    back = [(line.cells["one"], line.cells["two"]) for line in read_csv(path, ("one", "two"))]
    assert back == [(one_feed(one), one_feed(two)) for one, two in rows]


@pytest.mark.parametrize(
    "text",
    ["007", "1/2", "3.10", "1e5", "12E34", "TRUE", "false", "2024-01-01", " 5 May", "May 5, 2024", "5-Jan", "12:30 PM",
     "50%", "$5", "(5)", "1,000", "１２", "2024年1月1日", "3月5日"],
)  # fmt: skip
def test_what_a_spreadsheet_would_change_goes_out_as_a_text(text, tmp_path):
    write_csv(tmp_path / "t.csv", ("one", "two"), [{"one": text, "two": "plain"}])
    with (tmp_path / "t.csv").open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file))[1] == [f"'{text}", "plain"]
    assert next(read_csv(tmp_path / "t.csv", ("one",))).cells == {"one": text}


@pytest.mark.parametrize("text", ["satisfied", "item-3f2a", "5 apples", "12ab34", "May", "3 marbles", "It is 5 May."])
def test_what_a_spreadsheet_leaves_alone_goes_out_as_it_is(text, tmp_path):
    write_csv(tmp_path / "t.csv", ("one",), [{"one": text}])
    assert (tmp_path / "t.csv").read_text(encoding="utf-8-sig").splitlines()[1] == text


def test_a_text_that_is_longer_than_a_cell_is_refused(tmp_path):
    for text in ("w" * 32_767, "\U0001f600" * 16_383):
        write_review(tmp_path / "long.csv", [item_with(text)])
        assert read_review(tmp_path / "long.csv", [item_with(text)]).warnings == ()
    before = (tmp_path / "long.csv").read_bytes()
    for text in ("w" * 32_768, "'" + "w" * 32_766, "\U0001f600" * 16_384):
        with pytest.raises(DataError, match="response of row 1 has 32,768 characters") as caught:
            write_review(tmp_path / "long.csv", [item_with(text)])
        assert ".jsonl" in caught.value.fix
        write_review(tmp_path / "long.jsonl", [item_with(text)])
        assert read_review(tmp_path / "long.jsonl", [item_with(text)]).faults == ()
    assert (tmp_path / "long.csv").read_bytes() == before


def test_long_cells_and_crooked_tables(tmp_path):
    with (tmp_path / "long.csv").open("w", encoding="utf-8") as file:
        file.write(f"one\n{'word ' * 40_000}\n")
    assert len(next(read_csv(tmp_path / "long.csv", ("one",))).cells["one"]) == 200_000
    (tmp_path / "short.csv").write_text("one,two\n1\n", encoding="utf-8")
    with pytest.raises(DataError, match="1 cells, the head 2"):
        list(read_csv(tmp_path / "short.csv", ("one", "two")))
    (tmp_path / "latin.csv").write_bytes("one,two\n1,é\n".encode("latin-1"))
    with pytest.raises(DataError, match="not UTF-8"):
        list(read_csv(tmp_path / "latin.csv", ("one", "two")))


# -- The terminal ------------------------------------------------------------------------------------------------


def reviewing(items, path, keys):
    waiting = list(keys)
    out = io.StringIO()
    done = review(items, path, "ann", Console(file=out, width=100), lambda: waiting.pop(0) if waiting else "")
    return done, out.getvalue()


def test_a_reviewer_answers_skips_undoes_and_goes_on_later(tmp_path, chosen):
    path, items = tmp_path / "ann.jsonl", chosen.drawn[:4]
    done, shown = reviewing(items, path, "xuasbuBq")
    assert "'x' is no key" in shown
    assert "there is nothing to undo" in shown
    assert done == (2, 4)
    found = read_review(path, items)
    # a for the first, the second skipped, the third b, taken back, b again
    assert [(one.instance, one.chosen) for one in found.records] == [
        (items[0].pair.instance, items[0].judge("a")),
        (items[2].pair.instance, items[2].judge("b")),
    ]
    done, shown = reviewing(items, path, "ab")
    assert done == (4, 4)
    assert "3 of 4" in shown
    found = read_review(path, items)
    assert (found.open, found.faults) == ((), ())
    assert {one.reviewer for one in found.records} == {"ann"}
    assert reviewing(items, path, "")[0] == (4, 4)


def test_every_answer_is_on_the_disk_at_once(tmp_path, chosen):
    path = tmp_path / "ann.jsonl"
    held = []

    def key():
        held.append(len(Answers(path, chosen.drawn)))
        return "a" if len(held) < 4 else "q"

    review(chosen.drawn, path, console=Console(file=io.StringIO()), read_key=key)
    assert held == [0, 1, 2, 3]


def test_answers_to_another_review_are_not_continued(tmp_path, chosen):
    path = tmp_path / "ann.jsonl"
    reviewing(chosen.drawn, path, "aq")
    with pytest.raises(DataError, match="no answer to item"):
        reviewing([item_with("Another text.")], path, "q")


def test_one_terminal_at_a_time_answers_into_a_file(tmp_path, chosen):
    path, items = tmp_path / "ann.jsonl", chosen.drawn[:3]
    told = []

    def key():
        if not told:
            with pytest.raises(DataError, match="another process is at work here") as caught:
                reviewing(items, path, "bbb")
            told.append(caught.value.place)
        return "a"

    assert review(items, path, "ann", Console(file=io.StringIO()), key) == (3, 3)
    assert told == [str(path)]
    assert {row["answer"] for row in map(json.loads, path.read_text(encoding="utf-8").splitlines())} == {"a"}
    assert reviewing(items, path, "")[0] == (3, 3)


def test_a_response_cannot_steer_the_terminal(tmp_path):
    _, shown = reviewing([item_with("[bold]loud[/bold] \x1b[2J\x1b]0;title\x07 \u202egnol")], tmp_path / "a", "q")
    assert "[bold]loud[/bold]" in shown
    assert not set("\x1b\x07\u202e") & set(shown)


@pytest.mark.timeout(30)
def test_an_arrow_key_is_no_answer(monkeypatch):
    ours, theirs = pty.openpty()
    pressed = threading.Event()

    def press():
        while not pressed.wait(0.02):  # what is typed before the terminal is set up is dropped
            os.write(ours, b"\x1b[A")

    with os.fdopen(ours, "wb", buffering=0), os.fdopen(theirs, "r", encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        typing = threading.Thread(target=press)
        typing.start()
        try:
            key = pressed_key()
        finally:
            pressed.set()
            typing.join()
    assert key.startswith("\x1b[A")
    assert key.lower() not in ("a", "b", "q", "")


def test_without_a_terminal_a_line_is_a_key(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("b and more\n\n"))
    assert [pressed_key() for _ in range(3)] == ["b", " ", ""]

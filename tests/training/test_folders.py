"""A folder is replaced as a whole, wherever the process is killed."""

import pytest

from scopeif.training.folders import folder_bytes, put_in_place, restore, staging


class Killed(BaseException):
    pass


def built(folder, text):
    folder.mkdir()
    (folder / "text").write_text(text)
    return folder


@pytest.mark.parametrize("moves", [0, 1])
def test_a_kill_between_the_moves(tmp_path, monkeypatch, moves):
    target = built(tmp_path / "best", "old")
    staged = built(staging(target), "new")
    rename, done = type(target).rename, []

    def rename_or_die(self, to):
        if len(done) == moves:
            raise Killed
        done.append(to)
        return rename(self, to)

    monkeypatch.setattr(type(target), "rename", rename_or_die)
    with pytest.raises(Killed):
        put_in_place(staged, target)
    monkeypatch.undo()
    restore(target)
    assert (target / "text").read_text() == "old"
    put_in_place(built(staging(target), "newer"), target)
    assert (target / "text").read_text() == "newer"
    assert [path.name for path in tmp_path.iterdir()] == ["best"]


def test_a_kill_while_the_old_one_is_deleted(tmp_path):
    target = built(tmp_path / "best", "new")
    built(tmp_path / ".best.replaced", "old")
    restore(target)
    assert [path.name for path in tmp_path.iterdir()] == ["best"]
    assert (target / "text").read_text() == "new"


def test_a_file_under_two_names_counts_once(tmp_path):
    built(tmp_path / "a", "four")
    (tmp_path / "b").hardlink_to(tmp_path / "a" / "text")
    assert folder_bytes(tmp_path) == 4

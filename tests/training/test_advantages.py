"""Which samples may teach."""

from scopeif.training.advantages import Trajectory, shuffled_within_groups, teaching_keys


def rows(*described):
    return [Trajectory(key, verified, padding) for key, verified, padding in described]


def test_all_verified_all_teach():
    batch = rows(("a_0_0", True, False), ("a_1_0", True, False), ("b_0_0", True, False), ("b_1_0", True, False))
    assert teaching_keys(batch, 2) == ["a_0_0", "a_1_0", "b_0_0", "b_1_0"]


def test_unverified_leaves_its_siblings():
    batch = rows(("a_0_0", True, False), ("a_1_0", False, False), ("a_2_0", True, False))
    assert teaching_keys(batch, 2) == ["a_0_0", "a_2_0"]


def test_lone_survivor_does_not_teach():
    batch = rows(("a_0_0", True, False), ("a_1_0", False, False), ("b_0_0", True, False), ("b_1_0", True, False))
    assert teaching_keys(batch, 2) == ["b_0_0", "b_1_0"]


def test_two_outputs_of_one_session_are_one_sample():
    batch = rows(("a_0_0", True, False), ("a_0_1", True, False), ("a_1_0", False, False))
    assert teaching_keys(batch, 2) == []


def test_padding_rows_stay_whatever_they_hold():
    batch = rows(("a_0_0", False, False), ("pad-x_0_0", False, True))
    assert teaching_keys(batch, 2) == ["pad-x_0_0"]


def test_a_group_name_may_hold_underscores():
    batch = rows(("u_1_0_0", True, False), ("u_1_1_0", True, False), ("u_2_0_0", True, False))
    assert teaching_keys(batch, 2) == ["u_1_0_0", "u_1_1_0"]


def test_shuffle_stays_within_the_group_and_is_a_permutation():
    batch = rows(*((f"g{g}_{i}_0", True, False) for g in range(5) for i in range(8)))
    source = shuffled_within_groups(batch, seed=3)
    assert sorted(source) == list(range(40))
    assert all(batch[i].group == batch[source[i]].group for i in range(40))
    assert source != list(range(40))
    assert source == shuffled_within_groups(batch, seed=3)
    assert source != shuffled_within_groups(batch, seed=4)

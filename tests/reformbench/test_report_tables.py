"""The tables of a report, row by row against numbers computed by hand (see `report_folder`)."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopeif.errors import InvalidInputError
from scopeif.reformbench.report.benchmark_tables import table_a9, table_a10, table_a11, table_a12
from scopeif.reformbench.report.difficulty_tables import table_combinations, table_selection
from scopeif.reformbench.report.judging_tables import table_a3, table_third_opinion
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.provenance import provenance
from scopeif.reformbench.report.rank_table import table_ranks
from scopeif.reformbench.report.score_tables import table_2, table_a2
from scopeif.reformbench.report.settings_tables import table_a13, table_a14
from scopeif.reformbench.report.study_tables import table_3, table_4, table_a4, table_prompting
from scopeif.reformbench.report.table import Bold, Table, fenced, grid, percent, plain, points, quoted
from scopeif.reformbench.report.target_matrix import matrices, most_telling
from scopeif.reformbench.report.task_tables import table_a5, table_a6, table_a7, table_a8
from scopeif.reformbench.report.worked_example import examples
from scopeif.reformbench.scoring.bootstrap import Resampling
from tests.reformbench.report_folder import ALPHA, BETA, whole
from tests.reformbench.scored import made, relabelled


@pytest.fixture(scope="module")
def material(tmp_path_factory):
    path = tmp_path_factory.mktemp("benchmark")
    whole(path)
    return Material.of(path, how=Resampling(50))


def columns(table, *names):
    """Some columns of the values."""
    places = [list(table.data_head).index(name) for name in names]
    return [tuple(row[place] for place in places) for row in table.data]


def test_scores_stand_beside_their_intervals(material):
    table = table_2(material)
    assert table.head[:3] == ["Model", "TCPR", "95 % interval"]
    assert [[row[0], *row[1::2]] for row in table.rows] == [
        [ALPHA, "75.00", "27.78", "50.00", "33.33", "0.00"],
        [BETA, "62.50", "—", "50.00", "—", "—"],
    ]
    assert [row[4] for row in table.rows] == ["[27.78, 27.78]", "—"]
    assert columns(table, "model", "tcpr", "emcr", "k3", "k1_eligible_units", "k2_eligible_units") == [
        (ALPHA, 0.75, pytest.approx(5 / 18), 0.0, 2, 3),
        (BETA, 0.625, None, None, 1, 0),
    ]
    assert "24 labels (21 agreed, 2 reviewed, 1 estimated by stratum)" in table.notes[0]


def test_violations_spread_over_one_variant_of_every_failed_unit(material):
    assert table_a2(material).rows == [[ALPHA, "1.00", "1.00", "1.00"], [BETA, "1.00", "—", "—"]]


def test_tasks_stand_by_their_mean(material):
    assert table_a5(material).rows == [
        ["Concept explanation", "1", "3", "75.00", "—", "Org/alpha: 27.78"],
        ["Code generation", "1", "1", "50.00", "—", "—"],
    ]
    six = table_a6(material)
    assert six.rows[0] == [ALPHA, "TCPR", "66.67", "100.00"]
    assert [isinstance(cell, Bold) for cell in six.rows[0]] == [False, False, False, True]
    assert six.rows[-2:] == [
        ["Mean across 2 models", "TCPR", "75.00", "50.00"],
        ["Mean across 2 models", "EMCR", "—", "—"],
    ]
    assert table_a7(material).rows == [[ALPHA, "2 / 3 / 1", "0 / 0 / 0"], [BETA, "1 / 0 / 0", "0 / 0 / 0"]]
    assert table_a8(material).rows == [
        [ALPHA, "2", "2", "2 (2.50)", "3 (2.67)", "1 (3.00)"],
        [BETA, "2", "0", "1 (2.00)", "0 (—)", "0 (—)"],
    ]


def test_the_judges_and_their_reviewers(material):
    assert table_a3(material).rows == [
        [ALPHA, "100.00", "0", "0", "0 (—)", "0 (—)", "0"],
        [BETA, "75.00", "3", "2", "1 (50.00)", "1 (50.00)", "0"],
        ["Total", "87.50", "3", "2", "1 (50.00)", "1 (50.00)", "0"],
    ]
    table = table_third_opinion(material)
    # of 24 labels the two about a call to action have no spec
    assert [row[:3] for row in table.rows] == [["g", "(all)", "22"], ["h", "(all)", "22"]]
    headings = [row for row in table.data if row[:3] == ["g", "section_headings", "require"]]
    # g passes three of the four that the response, with one heading, violates
    assert headings == [["g", "section_headings", "require", 4, 0, 3, 0, 1, 0.25, 0.0]]


def test_composition_separates_opposed_from_aligned(material):
    table = table_3(material)
    # one of twelve separate labels is estimated by the pool, at 3 : 1, among the five aligned ones
    assert [row[:5] for row in table.rows] == [
        [ALPHA, "All-pass (%)", "93.75", "75.00", "-18.75"],
        [ALPHA, "Target pass, baseline-opposed (%)", "100.00", "85.71", "-14.29"],
        [ALPHA, "Target pass, baseline-aligned (%)", "95.00", "100.00", "+5.00"],
        [ALPHA, "Group gap (pp)", "+5.00", "-14.29", "-19.29"],
    ]
    assert "4 instructions, 7 baseline-opposed and 5 baseline-aligned targets" in table.notes[0]
    assert "12 labels (11 agreed, 1 estimated by the pool) for single responses" in table.notes[1]


def test_prompting_and_coverage(material):
    assert [row[:5] for row in table_prompting(material).rows][:2] == [
        [ALPHA, "TCPR", "75.00", "93.75", "+18.75"],
        [ALPHA, "EMCR", "27.78", "100.00", "+72.22"],
    ]
    (gamma, pooled) = table_4(material).rows
    assert gamma[:3] == ["gamma", "66.67", "3/66"]
    assert pooled == ["Pooled", *gamma[1:]]
    assert table_a4(material).rows[0] == ["gamma", "4", "1", "3", "2", "1", "66.67"]


def test_the_benchmark_itself(material):
    assert table_a9(material).rows == [["Nature", "0", "1", "1"], ["Software", "1", "0", "1"], ["Total", "1", "1", "2"]]
    assert table_a10(material).rows == [["own", "CC0-1.0", "2"]]
    assert [row for row in table_a11(material).rows if row[1:] != ["0", "0"]] == [
        ["1", "1", "5"],
        ["2", "0", "2"],
        ["3", "1", "1"],
        ["Total", "2", "8"],
    ]
    catalog = table_a12(material)
    assert len(catalog.rows) == 66
    counts = dict(zip([row[0] for row in catalog.data], columns(catalog, "require", "forbid"), strict=True))
    assert (counts["bullet_list"], counts["section_headings"], counts["code_block"]) == ((0, 3), (2, 0), (0, 2))
    assert sum(map(sum, counts.values())) == 12
    assert ["Checklist †", "0", "1"] in [[row[1], *row[3:]] for row in catalog.rows]


def test_settings_and_workload(material):
    assert table_a13(material).rows[0] == [ALPHA, "0", "1", "0", "Enabled", "65,536", "32,768", "1", "0"]
    assert table_a14(material).rows == [
        ["Main generations", "8", "2 models"],
        ["Unconstrained baseline generations", "0", "—"],
        ["Coverage generations", "0", "—"],
        ["Single-constraint generations", "12", "1 model"],
        ["Prompting generations", "4", "1 model"],
        ["All generations", "24", "—"],
        ["Judge g", "—", "model g-1, reasoning_effort high"],
        ["Judge h", "—", "model h-1, reasoning_effort high"],
    ]


def test_the_matrix_of_the_worked_example(material):
    alpha, beta = material.evaluated
    table = most_telling(matrices(alpha)).table()
    assert table.head == ["Variant", "a", "b", "c", "Other passes"]
    assert table.rows == [["v1", "1", "1", "1", "—"], ["v2", "1", "0", "—", "1"], ["v3", "1", "—", "—", "2"]]
    assert table.notes == [
        "a: forbid bullet_list; b: require section_headings; c: forbid call_to_action.",
        "Units of K=1: {a}: 1, {b}: 0.",
        "Units of K=2: {a,c}: 1, {a,b}: 0, {b,c}: 0.",
        "Units of K=3: {a,b,c}: 0.",
    ]
    of_beta = matrices(beta)[0].table()
    assert of_beta.rows == [["v1", "1", "2"], ["v2", "0.50", "2"], ["v3", "—", "3"]]
    assert [BETA, "q1", "v2", "section_headings", "require", "opposed", 0.5, "stratum"] in of_beta.data


def test_provenance_counts_the_labels_behind_every_number(material):
    table = provenance(material)
    found = {tuple(row[:5]): tuple(row[5:]) for row in table.data}
    assert found["2, A2", BETA, "variant", "all", "tcpr"] == (9, 2, 1, 0, 0, 0, 12)
    assert found["2, A2", BETA, "variant", "all", "k1"] == (0, 1, 1, 0, 0, 0, 2)
    assert found["2, A2", ALPHA, "variant", "all", "k1"] == (5, 0, 0, 0, 0, 0, 5)
    assert found["2, A2", ALPHA, "variant", "all", "emcr"] == (6, 0, 0, 0, 0, 0, 6)
    assert found["A5, A6, Fig. 3", BETA, "variant", "code_generation", "tcpr"] == (2, 1, 0, 0, 0, 0, 3)
    assert found["3", ALPHA, "single", "all", "aligned"] == (4, 0, 0, 1, 0, 0, 5)
    assert found["Fig. 4", ALPHA, "variant-meta_prompt", "all", "tcpr"] == (11, 0, 0, 1, 0, 0, 12)
    assert all(sum(counts[:-1]) == counts[-1] for counts in found.values())


def test_worked_examples_show_agreement_and_an_estimate(material):
    agreed, estimated = examples(material)
    assert (agreed.item.variant.id, estimated.item.variant.id) == ("v1", "v2")
    text = estimated.markdown()
    assert "1 | ## Salt" in text
    assert "````text" in text
    assert "- Judge g: pass. g saw &lt;b>\\|&lt;/b> and \\*stars\\* on two lines" in text
    assert "- Judge h: fail" in text
    assert "- Measured: fail" in text
    assert "0.5000 (mean of the reviewed labels of its stratum (Eq. 7)" in text
    named = examples(material, ["v4"])
    assert [one.item.response.model for one in named] == [ALPHA, BETA]
    assert "0.0000 (the label that a reviewer found better supported" in named[1].markdown()


def test_ranks_and_combinations(material):
    assert table_ranks(material).rows == [[ALPHA, "75.00", "1", "27.78", "1"], [BETA, "62.50", "2", "—", "—"]]
    table = table_combinations(material, min_variants=1, limit=1)
    assert table.rows[0][1] == "25.00"  # v2: alpha 0, beta 1/2
    assert table.data[0][:3] == ["forbid bullet_list", "forbid code_block", "require section_headings"]
    assert table_combinations(material).rows == []


def test_selection_shows_both_sets():
    one = made(model="a")
    candidates = {"a": one, "b": relabelled(one, seed=1, chance=0.5, model="b")}
    table = table_selection(candidates, 100)
    assert [(row[0], row[1]) for row in table.rows] == [("a", "TCPR"), ("b", "TCPR"), ("a", "EMCR"), ("b", "EMCR")]
    assert {row[-1] for row in table.rows} != {"100.00"}


def test_values_come_back_from_csv(material):
    for make in (table_2, table_a6, table_a12, provenance, table_third_opinion):
        table = make(material)
        head, *rows = csv.reader(io.StringIO(table.csv()))
        assert head == list(table.data_head)
        assert len(rows) == len(table.data)
        for row, values in zip(rows, table.data, strict=True):
            read = [None if cell == "" else type(value)(cell) for cell, value in zip(row, values, strict=True)]
            assert read == list(values)


@settings(deadline=None)
@given(st.lists(st.text(max_size=30), min_size=2, max_size=4))
def test_no_text_breaks_a_row(cells):
    lines = grid(["head"] * len(cells), [cells]).splitlines()
    assert len(lines) == 3
    assert {unescaped_pipes(line) for line in lines} == {len(cells) + 1}


def unescaped_pipes(line):
    """Cells are split where a pipe has an even number of backslashes before it."""
    return sum(
        character == "|" and (len(line[:at]) - len(line[:at].rstrip("\\"))) % 2 == 0
        for at, character in enumerate(line)
    )


@settings(deadline=None)
@given(st.text(alphabet="`a\n ", max_size=30))
def test_no_text_ends_its_fence(text):
    lines = fenced(text).splitlines()
    fence = lines[-1]
    assert set(fence) == {"`"}
    assert not any(line.strip().startswith(fence) for line in lines[1:-1])


def test_cells_that_are_none_and_cells_that_could_run():
    assert (percent(None), percent(0.0), points(-0.0605)) == ("—", "0.00", "-6.05")
    assert quoted("[x](http://y) `a_b`\n# c") == "\\[x\\](http://y) \\`a\\_b\\` \\# c"
    assert plain("a|b\\|c & <i>") == "a\\|b\\\\\\|c &amp; &lt;i>"
    table = Table("t", "T", ("a",), [("x",)], ("a", "b"), [("=SUM(A1)", -0.5)])
    assert table.csv() == "a,b\n'=SUM(A1),-0.5\n"
    with pytest.raises(InvalidInputError, match="a row has 1 cells, the head 2"):
        Table("t", "T", ("a", "b"), [("x",)], ("a",), [])

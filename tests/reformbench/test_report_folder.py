"""A report's folder: whole, with parts missing, and with figures."""

import csv
import json
import re
import sys

import pytest
import typer
from typer.testing import CliRunner

from scopeif.errors import DataError
from scopeif.reformbench.benchmark_dir import BenchmarkDir
from scopeif.reformbench.calibration.file import read_calibrated, write_calibrated
from scopeif.reformbench.commands.score import report, score, studies
from scopeif.reformbench.report.canvas import Figure
from scopeif.reformbench.report.contents import CHAPTERS, made
from scopeif.reformbench.report.judging_tables import table_a3
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.score_tables import table_2
from scopeif.reformbench.report.table import Absent
from scopeif.reformbench.report.task_tables import table_a8
from scopeif.reformbench.report.writing import composed, write_report
from scopeif.reformbench.scoring.bootstrap import Resampling
from tests.reformbench.report_folder import ALPHA, BETA, LABELS, REVIEWS, benchmark, judge, whole
from tests.reformbench.test_report_tables import unescaped_pipes

FAST = Resampling(20)
app = typer.Typer()
app.command()(score)
app.command()(report)
app.add_typer(studies, name="studies")


@pytest.fixture
def drawn():
    """For tests that draw figures; the others do without."""
    return pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def _undrawn(request, monkeypatch):
    if "drawn" not in request.fixturenames:
        monkeypatch.setitem(sys.modules, "matplotlib", None)


def run(*arguments):
    return CliRunner().invoke(app, [str(one) for one in arguments])


def absences(path):
    return {one.title: one for one in composed(Material.of(path, how=FAST)).absent}


def broken_rows(text):
    """Lines of Markdown tables that have another number of cells than their head."""
    text = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", text, flags=re.S | re.M)
    counts = [[unescaped_pipes(line) for line in block] for block in _blocks(text.splitlines())]
    return [block for block in counts if len(set(block)) > 1]


def _blocks(lines):
    block = []
    for line in [*lines, ""]:
        if line.startswith("|"):
            block.append(line)
        elif block:
            yield block
            block = []


def test_a_whole_report(tmp_path, drawn):
    whole(tmp_path / "b")
    written = write_report(Material.of(tmp_path / "b", how=FAST), tmp_path / "out")
    assert written.absent == []
    again = write_report(Material.of(tmp_path / "b", how=FAST), tmp_path / "again")
    assert again.files == written.files  # figures too, on one machine
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "## Missing\n\nNothing." in text
    assert broken_rows(text) == []
    assert "| Org/alpha | TCPR | 66.67 | **100.00** |" in text
    for name in re.findall(r"\]\(([^)]+)\)", text):
        assert (tmp_path / "out" / name).stat().st_size > 10, name
    for path in (tmp_path / "out").glob("*.csv"):
        head, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
        assert {len(row) for row in rows} <= {len(head)}, path
    matrices = (tmp_path / "out" / "target_matrices" / "Org_alpha.md").read_text(encoding="utf-8")
    assert broken_rows(matrices) == []
    assert matrices.count("### Question") == 2


def test_figures_have_their_panels_and_hold_their_numbers(tmp_path, drawn):
    whole(tmp_path)
    material = Material.of(tmp_path, how=FAST)
    parts = [made(part, material) for chapter in CHAPTERS.values() for part in chapter]
    figures = {one.name: one for one in parts if isinstance(one, Figure)}
    panels = {"fig_3": 3, "fig_ranks": 1, "fig_levels": 3, "fig_4": 2}  # the colour bar is one
    said = {"fig_3": "27.8", "fig_ranks": "27.78  Org/alpha", "fig_levels": "33.33 (n=3)", "fig_4": "+72.22"}
    assert figures.keys() == panels.keys()
    for name, figure in figures.items():
        canvas = figure.draw()
        assert len(canvas.axes) == panels[name]
        texts = [text.get_text() for axes in canvas.axes for text in axes.texts]
        assert any(said[name] in text for text in texts), texts
        files = figure.files()
        assert files["png"].startswith(b"\x89PNG")
        assert b"</svg>" in files["svg"]
        assert min(map(len, files.values())) > 8_000
    images = [axes.images[0] for axes in figures["fig_3"].draw().axes if axes.images]
    assert [image.get_clim() for image in images] == [(0, 100), (0, 100)]


def test_without_matplotlib_the_figures_are_missing_and_nothing_else(tmp_path):
    whole(tmp_path)
    written = composed(Material.of(tmp_path, how=FAST))
    assert {one.name for one in written.absent} == {"fig_3", "fig_4", "fig_ranks", "fig_levels"}
    assert {one.fix for one in written.absent} == {"pip install 'scopeif[report]'"}
    assert not any(name.endswith((".png", ".svg")) for name in written.files)


def test_nothing_but_a_benchmark(tmp_path):
    path = tmp_path / "b"
    benchmark(path, models=())
    missing = absences(path)
    assert missing["Table 2 (TCPR, EMCR and its levels)"].fix.startswith(
        f"scopeif reformbench answer {path} --kind variant"
    )
    assert "scopeif reformbench answer" in missing["Table 3 (composition)"].fix
    assert "Worked examples (A.11)" in missing
    assert "Table A1 (targets and variants by question)" in missing
    assert not any(title.startswith(("Table A9", "Table A10", "Table A11", "Table A12")) for title in missing)
    text = "".join(composed(Material.of(path, how=FAST)).text)
    assert "No model is evaluated yet." in text
    assert broken_rows(text) == []
    benchmark(path)
    assert "scopeif reformbench judge" in absences(path)["Table 2 (TCPR, EMCR and its levels)"].fix
    with pytest.raises(DataError, match="no such file"):
        composed(Material.of(tmp_path / "none"))


def test_judged_and_not_calibrated(tmp_path):
    benchmark(tmp_path)
    judge(tmp_path, LABELS, rules=())
    missing = absences(tmp_path)
    fix = (
        f"scopeif reformbench calibrate {tmp_path}/judging/variant --out {tmp_path}/judging/variant/probabilities.jsonl"
    )
    assert missing["Table 2 (TCPR, EMCR and its levels)"].fix == fix


def test_one_model_without_adjudication(tmp_path, drawn):
    benchmark(tmp_path / "b", models=(ALPHA,))
    judge(tmp_path / "b", {ALPHA: LABELS[ALPHA]}, rules=("probabilities",))
    written = write_report(Material.of(tmp_path / "b", how=FAST), tmp_path / "out")
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "| Org/alpha | 100.00 | 0 | 0 | 0 (—) | 0 (—) | 0 |" in text
    assert "1 evaluated model: Org/alpha." in text
    assert {one.name for one in written.absent} == {"table_3", "fig_4", "table_4", "table_a4"}
    assert "over 1 model: —" in text
    assert text.count("### Variant ") == 1  # nothing is disputed


def test_a_disputed_stratum_without_review_is_estimated_by_the_pool(tmp_path):
    benchmark(tmp_path)
    judge(tmp_path, LABELS, reviews={(BETA, "v4", 0): "first"}, rules=("probabilities",), fallback="pooled")
    table = table_2(Material.of(tmp_path, how=FAST))
    assert "stratified, else pooled 1:0" in table.notes[0]


def test_adjudications_after_the_calibration_are_told(tmp_path):
    benchmark(tmp_path)
    judge(tmp_path, LABELS, reviews={(BETA, "v4", 0): "second"})
    folder = tmp_path / "judging" / "variant"
    before = (folder / "probabilities.jsonl").read_bytes()
    judge(tmp_path, LABELS, reviews=REVIEWS)
    assert len(table_a3(Material.of(tmp_path)).notes) == 1
    (folder / "probabilities.jsonl").write_bytes(before)
    told = table_a3(Material.of(tmp_path, how=FAST)).notes[1]
    assert told.startswith("1 adjudication not in the probabilities yet: scopeif reformbench calibrate")


def test_a_model_without_eligible_units(tmp_path, drawn):
    benchmark(tmp_path, models=(BETA,))
    path = BenchmarkDir(tmp_path).file_of("baselines", BETA)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows[0]["features"] = ["section_headings"]  # now nothing opposes the baseline of q1
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    judge(tmp_path, {BETA: LABELS[BETA]}, reviews=REVIEWS)
    material = Material.of(tmp_path, how=FAST)
    assert table_2(material).rows[0][3:] == ["—"] * 8
    assert table_a8(material).rows == [[BETA, "2", "1", "0 (—)", "0 (—)", "0 (—)"]]
    written = composed(material)
    assert {one.name for one in written.absent} == {"table_3", "fig_4", "table_4", "table_a4"}
    assert "0.00" not in next(text for text in written.text if "Table A2" in text)


def test_a_question_without_baseline_counts_for_compliance_alone(tmp_path):
    benchmark(tmp_path)
    judge(tmp_path, LABELS, reviews=REVIEWS)
    BenchmarkDir(tmp_path).file_of("baselines", ALPHA).unlink()
    material = Material.of(tmp_path, how=FAST)
    assert [row[1:4:2] for row in table_2(material).rows] == [["75.00", "—"], ["62.50", "—"]]
    assert table_a8(material).rows[0] == [ALPHA, "0", "—", "0 (—)", "0 (—)", "0 (—)"]
    absent = absences(tmp_path)["EMCR of Org/alpha in part"]
    assert absent.why == "2 of 2 questions have no baseline and no unit"
    assert absent.fix == f"scopeif reformbench annotate {tmp_path} Org/alpha --annotator ANNOTATOR.yaml"


def test_unverified_labels_are_left_out_and_counted(tmp_path):
    benchmark(tmp_path, models=(ALPHA,))
    judge(tmp_path, {ALPHA: {**LABELS[ALPHA], "v3": ((None, 1), (1, 1), (1, 1))}})
    material = Material.of(tmp_path, how=FAST)
    table = table_2(material)
    assert table.rows[0][1] == "66.67"  # of three variants
    assert "1 requirements are unverified; 1 of 4 variants and 4 units that hold them are left out" in table.notes[1]
    assert "unverified" in "".join(composed(material).text)
    refused = run("score", tmp_path)
    assert (refused.exit_code, "--exclude-unverified" in refused.output) == (2, True)
    assert run("score", tmp_path, "--exclude-unverified", "--resamples", 20).exit_code == 0


def test_a_model_that_is_judged_in_part_is_named_and_left_out(tmp_path):
    benchmark(tmp_path)
    judge(tmp_path, LABELS, reviews=REVIEWS)
    path = tmp_path / "judging" / "variant" / "probabilities.jsonl"
    found = read_calibrated(path)
    kept = {key: one for key, one in found.probabilities.items() if key.model == ALPHA or key.variant != "v4"}
    write_calibrated(path, type(found)(found.calibration, kept, found.estimates))
    absent = absences(tmp_path)[f"Model {BETA}"]
    assert "3 requirements have no entry" in absent.why
    assert f"--responses {tmp_path}/responses/variant/beta.jsonl" in absent.fix
    assert [one.model for one in Material.of(tmp_path, how=FAST).evaluated] == [ALPHA]
    scored = run("score", tmp_path, "--resamples", 20)
    assert (scored.exit_code, "left out: Model beta" in scored.output) == (3, True)


def test_studies_of_other_calibrations_are_refused(tmp_path):
    whole(tmp_path)
    path = tmp_path / "judging" / "single" / "pooled.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("pooled 3:1", "pooled 2:1"), encoding="utf-8")
    assert "different calibrations" in absences(tmp_path)["Table 3 (composition)"].why


def test_files_of_an_earlier_report_do_not_stay(tmp_path):
    whole(tmp_path / "b")
    out = tmp_path / "out"
    write_report(Material.of(tmp_path / "b", how=FAST), out)
    (out / "own.csv").write_text("mine", encoding="utf-8")
    assert (out / "table_3.csv").exists()
    (tmp_path / "b" / "judging" / "single" / "pooled.jsonl").unlink()
    write_report(Material.of(tmp_path / "b", how=FAST), out)
    assert not (out / "table_3.csv").exists()
    assert (out / "own.csv").exists()


def test_an_absent_part_is_one_line():
    line = Absent("x", "Table 3", "there is\nno | file", "scopeif reformbench answer").markdown()
    assert line == "- Missing: **Table 3**: there is no \\| file. To have it: `scopeif reformbench answer`"


def test_the_commands(tmp_path):
    whole(tmp_path / "b")
    shown = run("score", tmp_path / "b", "--resamples", 20)
    assert shown.exit_code == 0, shown.output
    assert "| Org/alpha | 75.00 |" in shown.output
    data = json.loads(run("score", tmp_path / "b", "--json", "--resamples", 20).output)
    assert data["models"][BETA]["emcr"] is None
    assert data["models"][ALPHA]["levels"]["2"]["eligible_units"] == 3
    assert data["models"][ALPHA]["intervals"]["tcpr"]["clusters"] == 2
    written = run("report", tmp_path / "b", "--out", tmp_path / "out", "--example", "v4", "--resamples", 20)
    assert written.exit_code == 3, written.output  # the figures
    assert "### Variant v4, beta" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    for study, said in (
        ("composition", "| Org/alpha | Group gap (pp) |"),
        ("prompting", "| Org/alpha | K=3 | 0.00 | 100.00 |"),
        ("coverage", "| gamma | 66.67 |"),
        ("combinations", "4 distinct combinations by target"),
    ):
        fewer = () if study == "coverage" else ("--resamples", 20)
        done = run("studies", study, tmp_path / "b", "--csv", tmp_path / "study.csv", *fewer)
        assert (done.exit_code, said in done.output) == (0, True), done.output
        assert (tmp_path / "study.csv").stat().st_size > 20
    probabilities = tmp_path / "b" / "judging" / "variant" / "probabilities.jsonl"
    selected = run(
        *("studies", "selection", tmp_path / "b", "--candidates", tmp_path / "b" / "variants.jsonl"),
        *("--probabilities", probabilities, "--retain", 2),
    )
    assert (selected.exit_code, "| Org/alpha | TCPR | 75.00 |" in selected.output) == (0, True), selected.output
    for arguments, said in (
        (("score", tmp_path / "none"), "there is no such folder"),
        (("report", tmp_path / "b", "--out", tmp_path / "out", "--example", "v9"), "variant 'v9' is unknown"),
    ):
        refused = run(*arguments)
        assert (refused.exit_code, said in refused.output) == (2, True), refused.output

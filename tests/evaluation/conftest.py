"""IFEval's checkers with a sentence splitter of our own: NLTK's is fetched, not shipped."""

import pytest

from scopeif.evaluation.ifeval import IFEvalChecker

SPLITTER = {
    "abbrev_types.txt": "mr\ndr\n",
    "collocations.tab": "",
    "ortho_context.tab": "",
    "sent_starters.txt": "",
}


@pytest.fixture(scope="session")
def checker(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nltk_data")
    model = folder / "tokenizers" / "punkt_tab" / "english"
    model.mkdir(parents=True)
    for name, content in SPLITTER.items():
        (model / name).write_text(content)
    return IFEvalChecker(folder)

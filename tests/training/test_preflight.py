"""A machine that cannot hold the run is refused before anything loads, with what is needed and present."""

import pytest

from scopeif.errors import ResourceError, SandboxIsolationError
from scopeif.training.preflight import check_machine
from scopeif.training.settings import Settings


def settings(tmp_path, **run):
    return Settings(thinking=False, run={"name": "x", "root": str(tmp_path / "not" / "there"), **run})


def test_a_sufficient_machine_passes(tmp_path):
    check_machine(settings(tmp_path, min_memory_gb=0.1, min_disk_gb=0.001))


def test_too_little_memory(tmp_path):
    with pytest.raises(ResourceError, match=r"needs 9e\+06 GiB of free memory, \d+\.\d GiB are free") as caught:
        check_machine(settings(tmp_path, min_memory_gb=9e6))
    assert caught.value.place == "run.min_memory_gb"


def test_too_little_disk(tmp_path):
    with pytest.raises(ResourceError, match=r"needs 9e\+06 GiB of free disk") as caught:
        check_machine(settings(tmp_path, min_disk_gb=9e6))
    assert "run.root" in caught.value.fix


def test_a_sandbox_that_cannot_isolate(tmp_path, monkeypatch):
    import tools_sandbox

    def unavailable(*_, **__):
        raise tools_sandbox.SandboxUnavailable("seccomp", "Function not implemented", "use a newer kernel")

    monkeypatch.setattr(tools_sandbox.ToolPool, "__init__", unavailable)
    with pytest.raises(SandboxIsolationError, match="seccomp") as caught:
        check_machine(settings(tmp_path))
    assert "tools_sandbox check" in caught.value.fix

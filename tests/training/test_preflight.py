"""A machine that cannot hold the run is refused before anything loads, with what is needed and present."""

import pytest

from scopeif.errors import ConfigError, ResourceError, SandboxIsolationError
from scopeif.training.own_ray import JOB_NODES
from scopeif.training.preflight import check_machine, require_disk, require_job_nodes
from scopeif.training.settings import Settings


def settings(tmp_path, **run):
    return Settings(thinking=False, run={"name": "x", "root": str(tmp_path / "not" / "there"), **run})


def test_a_sufficient_machine_passes(tmp_path):
    check_machine(settings(tmp_path, min_memory_gb=0.1))


def test_too_little_memory(tmp_path):
    with pytest.raises(ResourceError, match=r"needs 9e\+06 GiB of free memory, \d+\.\d GiB are free") as caught:
        check_machine(settings(tmp_path, min_memory_gb=9e6))
    assert caught.value.place == "run.min_memory_gb"


def test_too_little_disk(tmp_path):
    with pytest.raises(ResourceError, match=r"needs 9e\+06 GiB of disk .*, \d+\.\d GiB are free") as caught:
        require_disk(tmp_path / "not" / "there", 9e6)
    assert "run.root" in caught.value.fix


def test_what_a_resumed_run_has_written_counts_as_free(tmp_path):
    require_disk(tmp_path, 9e6, held_bytes=int(9e6) << 30)
    with pytest.raises(ResourceError, match=r"it holds 1\.0 GiB"):
        require_disk(tmp_path, 9e6, held_bytes=1 << 30)


def test_a_job_of_more_nodes_than_the_run_uses_is_refused(monkeypatch):
    require_job_nodes(1)
    monkeypatch.setenv(JOB_NODES, "2")
    require_job_nodes(2)
    with pytest.raises(ConfigError, match="trains on 1, the job has 2") as caught:
        require_job_nodes(1)
    assert "trainer.nnodes=2" in caught.value.fix


def test_a_sandbox_that_cannot_isolate(tmp_path, monkeypatch):
    import tools_sandbox

    def unavailable(*_, **__):
        raise tools_sandbox.SandboxUnavailable("seccomp", "Function not implemented", "use a newer kernel")

    monkeypatch.setattr(tools_sandbox.ToolPool, "__init__", unavailable)
    with pytest.raises(SandboxIsolationError, match="seccomp") as caught:
        check_machine(settings(tmp_path))
    assert "tools_sandbox check" in caught.value.fix

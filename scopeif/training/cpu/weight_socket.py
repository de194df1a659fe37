"""The socket through which weights go to vLLM. Standard library only: vLLM's workers load it before verl."""

import os


def own_socket(handle: str) -> str:
    """verl's weight socket, moved into the run's temporary folder.

    verl names it by Ray's job id, which is the same in every run that starts its own Ray: two runs on a node would
    send each other their weights. In a cluster that the run joined, and that gives no folder, job ids differ.
    """
    if "SCOPEIF_RUN_FOLDER" not in os.environ:
        return handle
    return f"ipc://{os.environ['SCOPEIF_RUN_FOLDER']}/{handle.rpartition('/')[2]}"

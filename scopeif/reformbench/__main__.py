"""`python -m scopeif.reformbench COMMAND`."""

from scopeif.reformbench.app import app

app(prog_name="python -m scopeif.reformbench")

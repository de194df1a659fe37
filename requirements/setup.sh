#!/usr/bin/env bash
# Make .venv ready: the CPU build of torch, the pinned stack, then this package in place.
#
# `make setup` passes the stamp to leave behind. It is written last, so that a set-up that broke off is continued.
set -euo pipefail
cd "$(dirname "$0")/.."
stamp=$1

fail() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}
usable() { "$1" -c 'import sys; sys.exit(sys.version_info[:2] not in {(3, 11), (3, 12)})' 2>/dev/null; }
step() { printf '\n==> setup %s (%d s so far)\n' "$1" "$SECONDS"; }

[ "$(uname -sm)" = "Linux x86_64" ] || fail "the CPU stack is pinned for Linux on x86_64, this is $(uname -sm)"

if [ -x .venv/bin/python ] && ! usable .venv/bin/python; then
    fail ".venv is not of Python 3.11 or 3.12" "remove it (make clean) and repeat"
fi
if ! .venv/bin/python -m pip --version > /dev/null 2>&1; then
    python=
    candidates=(python3.11 python3.12 python3)
    if [ -n "${PYTHON:-}" ]; then candidates=("$PYTHON"); fi
    for candidate in "${candidates[@]}"; do
        if usable "$candidate"; then
            python=$candidate
            break
        fi
    done
    [ -n "$python" ] || fail "no Python 3.11 or 3.12 (tried: ${candidates[*]})" \
        "install one, or name it: make setup PYTHON=/path/to/python3.11"
    "$python" -c 'import ensurepip, venv' 2>/dev/null || fail "$python has no venv module" \
        "install it (Debian and Ubuntu: apt install python3.11-venv), or name another: make setup PYTHON=..."
    step "1/4: .venv with $("$python" --version)"
    "$python" -m venv .venv
fi
rm -f .venv/.scopeif-*

pip=(.venv/bin/python -m pip --disable-pip-version-check)
.venv/bin/python -c 'import sys, pip; sys.exit(int(pip.__version__.split(".")[0]) < 22)' || fail \
    "pip in .venv is too old (22 or newer is needed)" ".venv/bin/python -m pip install --upgrade pip, and repeat"

sources=()
if [ -n "${TORCH_INDEX:-}" ]; then sources+=(--extra-index-url "$TORCH_INDEX"); fi
if [ -n "${TORCH_WHEELS:-}" ]; then sources+=(--find-links "$TORCH_WHEELS"); fi

torch=$(grep '^torch==' requirements/cpu.lock)+cpu
step "2/4: $torch"
"${pip[@]}" install --no-deps "${sources[@]}" "$torch" || fail "could not install $torch" \
    "if it was not found, say where it is: make setup TORCH_INDEX=<PyTorch's CPU index> or TORCH_WHEELS=<folder>"

step "3/4: the $(grep -c == requirements/cpu.lock) packages of requirements/cpu.lock"
"${pip[@]}" install --no-deps -r requirements/cpu.lock

step "4/4: scopeif itself"
"${pip[@]}" install --no-deps --no-build-isolation -e .

touch "$stamp"
step "done"

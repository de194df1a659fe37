#!/usr/bin/env bash
# Resolve requirements/cpu.in into requirements/cpu.lock for Linux on x86_64, Python 3.11 and 3.12.
#
# A version in the present lock stays unless the inputs rule it out; arguments go to `uv pip compile`, so
# `make lock ARGS=--upgrade` moves all and `make lock ARGS="--upgrade-package ray"` moves one.
# The CPU build of torch is looked for in the index TORCH_INDEX, in the folder TORCH_WHEELS, or where pip looks.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet uv==0.13.9

# uv does not read pip's settings.
wheels=${TORCH_WHEELS:-${PIP_FIND_LINKS:-$("$work/venv/bin/pip" config get global.find-links 2>/dev/null || true)}}
sources=()
for folder in $wheels; do sources+=(--find-links "$folder"); done
if [ -n "${TORCH_INDEX:-}" ]; then
    sources+=(--index "$TORCH_INDEX" --index-strategy unsafe-best-match)  # as pip: the best of all indexes
fi

if [ -f requirements/cpu.lock ]; then cp requirements/cpu.lock "$work/cpu.lock"; fi
"$work/venv/bin/uv" pip compile requirements/cpu.in \
    --overrides requirements/cpu.overrides --output-file "$work/cpu.lock" "${sources[@]}" \
    --python "$work/venv/bin/python" --python-version 3.11 --python-platform x86_64-manylinux_2_28 \
    --no-python-downloads --no-emit-package scopeif --no-annotate --custom-compile-command "make lock" --quiet "$@"

# The build's name is left out: `make setup` asks for the CPU build by itself, and every other tool reads the plain pin.
sed -e 's/^\(torch==[^+]*\)+cpu$/\1/' -e '/^$/,$d' "$work/cpu.lock" > "$work/plain.lock"
mv "$work/plain.lock" requirements/cpu.lock
echo "requirements/cpu.lock: $(grep -c == requirements/cpu.lock) packages"

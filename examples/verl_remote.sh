#!/usr/bin/env bash
# Train with verl while a verification service of its own process verifies the rollouts.
#
#   examples/verl_remote.sh                                     the recipe "smoke"
#   examples/verl_remote.sh recipe=tiny run.name=first          any recipe, any config keys
#
# The service may as well run elsewhere, several of them behind several URLs:
#   scopeif serve --host 0.0.0.0 --verifier tgv --model openai/gpt-oss-120b --endpoint http://node7:8000/v1
#   python -m scopeif.train recipe=... verification=remote 'verification.remote.urls=[http://node8:8000,http://node9:8000]'
#
# What stays unverified has no reward: it is masked, as with a verifier in the trainer itself.
set -euo pipefail
port=${PORT:-8000}

python -m scopeif.serve --port "$port" &
service=$!
trap 'kill "$service" 2>/dev/null; wait "$service" || true' EXIT
until curl --silent --fail --output /dev/null "http://127.0.0.1:$port/readyz"; do
    kill -0 "$service" 2>/dev/null || { echo "the service ended before it was ready" >&2; exit 1; }
    sleep 1
done

python -m scopeif.train "${@:-recipe=smoke}" verification=remote "verification.remote.urls=[http://127.0.0.1:$port]"

#!/usr/bin/env bash
# Install the workbench of this checkout into an environment of its own, for the later steps.
set -euo pipefail
home="$RUNNER_TEMP/workbench"
python3 -m venv "$home"
"$home/bin/pip" install --quiet "$GITHUB_ACTION_PATH/../../.."
echo "$home/bin" >>"$GITHUB_PATH"

#!/usr/bin/env bash
# Report misses and the findings in fixtures, and keep the logs. Exits with 1 if there are any.
#
#   LOGS      logs of the suite: a name or pattern a line
#   FIXTURES  the fixtures folder, or nothing
#   STRICT    "true": warnings in fixtures count
#   ARTIFACT  name of the artifact, for the summary
#   FOLDER    folder that becomes the artifact
set -o pipefail

misses=(workbench misses)
validate=(workbench validate --format github)
mkdir -p "$FOLDER"
kept=0
files=()
IFS= # a pattern is expanded, and a name with spaces stays whole
while IFS= read -r log; do
    [[ -n $log ]] || continue
    misses+=("$log")
    for file in $log; do
        [[ -f $file ]] || continue
        # run.log is a second name of the newest run's log: each request counts once.
        for other in "${files[@]}"; do
            [[ $file -ef $other ]] && continue 2
        done
        files+=("$file")
        kept=$((kept + 1))
        case $file in
            *.gz) cp "$file" "$FOLDER/$kept-${file##*/}" ;;
            *) gzip --stdout "$file" >"$FOLDER/$kept-${file##*/}.gz" ;;
        esac
    done
done <<<"$LOGS"
if [[ -n $FIXTURES ]]; then
    misses+=(--fixtures "$FIXTURES")
    validate+=("$FIXTURES")
fi
[[ $STRICT == true ]] && validate+=(--strict)

code=0
listed=$("${misses[@]}" --fail 2>&1) || code=$?
if "${misses[@]}" --format json >"$FOLDER/misses.json" 2>/dev/null; then
    missing=$("${misses[@]}" --open --format json 2>/dev/null |
        python3 -c 'import json, sys; print(len(json.load(sys.stdin)))')
    echo "missing=$missing" >>"$GITHUB_OUTPUT"
fi

# Texts of requests are no commands to the runner.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '::stop-commands::%s\n%s\n::%s::\n' "$token" "$listed" "$token"

{
    printf '### Requests without a fixture\n\n````text\n'
    head -n 500 <<<"$listed"
    printf '````\n\n'
    if [[ $code -ne 0 && -n $ARTIFACT ]]; then
        echo "To answer them, unpack the artifact $ARTIFACT and open its logs:"
        echo
        echo "    workbench --log '*.log.gz'"
    fi
} >>"$GITHUB_STEP_SUMMARY"

# The annotations are for the runner, the counts for the summary, too.
exec 3>&1
counts=$("${validate[@]}" 2>&1 >&3) || code=$?
echo "$counts" >&2
printf '### Findings in fixtures\n\n````text\n%s\n````\n' "$counts" >>"$GITHUB_STEP_SUMMARY"
exit "$code"

#!/bin/sh
# Encodes column 3 (text format) of Fixtures/golden.tsv as column 2's message with protoc and puts the bytes in
# column 4, the origin in column 5. Rows with another origin than protoc stay as they are: they come from elsewhere.
# A new row needs its first three columns only. Needs protoc 3.15 or newer (Debian: protobuf-compiler).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
protocol=$here/../../Protocol
fixtures=$here/Fixtures/golden.tsv
origin=$(protoc --version | sed 's/^libprotoc/protoc/')
tab=$(printf '\t')
whole=$fixtures.new
trap 'rm -f "$whole"' EXIT
while IFS= read -r line; do
    case $line in
    '#'* | '') printf '%s\n' "$line" && continue ;;
    esac
    name=$(printf '%s' "$line" | cut -f 1)
    message=$(printf '%s' "$line" | cut -f 2)
    text=$(printf '%s' "$line" | cut -f 3)
    case $(printf '%s' "$line" | cut -f 5) in
    '' | protoc*)
        hex=$(printf '%s' "$text" | protoc -I "$protocol" --encode="$message" "$protocol"/*.proto |
            od -An -v -tx1 | tr -d ' \n')
        printf '%s\n' "$name$tab$message$tab$text$tab$hex$tab$origin"
        ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$fixtures" >"$whole"
mv "$whole" "$fixtures"

#!/bin/sh
# Runs the tests: builds with warnings as errors under the address and undefined-behavior
# sanitizers in build-test/, and runs everything there; then builds the release in build/ and runs on
# it what sanitizers keep from being seen (memory, sizes, installing).
#
#   ./test.sh             everything but the long soaks: under ten minutes
#   ./test.sh --long      the fuzzers and soaks for long too
#   ./test.sh NAME ...    only these tests (see: meson test -C build-test --list)
set -eu
cd "$(dirname "$0")"
. .ci/packages.sh
need_packages "$test_packages"

REDO_TEST_LONG=0
if [ "${1:-}" = --long ]; then
    REDO_TEST_LONG=1
    shift
fi
export REDO_TEST_LONG
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1"
export ASAN_OPTIONS="detect_leaks=1:strict_string_checks=1"
unset REDO_SOCKET REDO_SESSION

setup() { # folder, options
    folder=$1
    shift
    if [ ! -f "$folder/build.ninja" ]; then
        meson setup "$@" "$folder"
    fi
    ninja -C "$folder"
}

setup build-test --buildtype=debugoptimized -Dwerror=true -Db_sanitize=address,undefined \
    -Db_lundef=false
setup build --buildtype=release

failed=0
meson test -C build-test --no-rebuild --print-errorlogs "$@" || failed=1
if [ $# -eq 0 ]; then
    meson test -C build --no-rebuild --print-errorlogs --suite release || failed=1
fi

# The two summaries above, once more in a line.
release_log=""
[ $# -gt 0 ] || release_log=build/meson-logs/testlog.txt
ok=$(awk '/^Ok:/ { n += $2 } END { print n + 0 }' build-test/meson-logs/testlog.txt $release_log)
bad=$(awk '/^(Fail|Timeout|Unexpected Pass):/ { n += $NF } END { print n + 0 }' \
    build-test/meson-logs/testlog.txt $release_log)
echo "$ok passed, $bad failed"
exit $failed

#!/bin/sh
# Runs the tests: builds with warnings as errors under the address and undefined-behavior
# sanitizers in build-test/, and runs everything there; then builds the release in build/ and runs on
# it what sanitizers keep from being seen (memory, sizes, installing).
#
#   ./test.sh             everything but the long soaks: under ten minutes
#   ./test.sh --long      the fuzzers and soaks for long too
#   ./test.sh NAME ...    only these tests; a wrong name tells which there are
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

# Those named, each in the build in which it runs.
release=$(meson test -C build --no-rebuild --list | sed -n 's|^redod:release / ||p')
sanitized=$(meson test -C build-test --no-rebuild --list | sed -n 's|^redod:[^/]* / ||p')
in_build="" in_build_test="" unknown=""
is_one_of() { # name, names a line
    printf '%s\n' "$2" | grep -qxF -e "$1"
}
for name in "$@"; do
    if is_one_of "$name" "$release"; then
        in_build="$in_build $name"
    elif is_one_of "$name" "$sanitized"; then
        in_build_test="$in_build_test $name"
    else
        unknown="$unknown '$name'"
    fi
done
if [ -n "$unknown" ]; then
    echo "test.sh: no test has the name$unknown; all that have one:" >&2
    printf '%s\n' "$sanitized" "$release" | sort -u | tr '\n' ' ' | fold -s -w 78 | sed 's/^/    /' >&2
    echo >&2
    exit 2
fi

failed=0
logs=""
run() { # folder, what to run: nothing for all
    folder=$1
    shift
    log=$folder/meson-logs/testlog.txt
    rm -f "$log"
    meson test -C "$folder" --no-rebuild --print-errorlogs "$@" || failed=1
    logs="$logs $log"
}
# shellcheck disable=SC2086
if [ $# -eq 0 ]; then
    run build-test
    run build --suite release
else
    [ -z "$in_build_test" ] || run build-test $in_build_test
    [ -z "$in_build" ] || run build $in_build
fi

# The summaries above, once more in a line.
summary() { # which lines, as a pattern
    # shellcheck disable=SC2086
    cat $logs 2>/dev/null | awk "/^($1):/ { n += \$NF } END { print n + 0 }"
}
echo "$(summary Ok) passed, $(summary 'Fail|Timeout|Unexpected Pass') failed"
exit $failed

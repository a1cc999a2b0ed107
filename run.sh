#!/bin/sh
# Builds redod and runs it.
#
#   ./run.sh              builds, and starts the daemon in the foreground, on the default socket
#   ./run.sh build        builds only: build/server/redod, build/client/redoctl and the examples
#   ./run.sh demo         two programs play one game between them, over a private daemon
#   ./run.sh OPTION ...   as without, with options for the daemon (see ./run.sh --help)
set -eu
cd "$(dirname "$0")"
. .ci/packages.sh

build() {
    need_packages "$build_packages"
    if [ ! -f build/build.ninja ]; then
        meson setup --buildtype=release build >build.log 2>&1 || {
            cat build.log >&2
            rm -f build.log
            exit 1
        }
        rm -f build.log
    fi
    ninja -C build >&2
}

case "${1:-}" in
build)
    build
    ;;
demo)
    need_packages "python3 python3-msgpack"
    build
    exec client/examples/demo.sh build
    ;;
*)
    build
    case " $* " in *" --help "* | *" --version "*) ;; *)
        echo "The daemon says below where it listens. In other terminals:" >&2
        echo "    build/client/redoctl list              # what it keeps" >&2
        echo "    build/client/examples/sokoban          # a game to play on it" >&2
        echo "    build/client/redoctl watch sokoban-1   # the same, as it happens" >&2
        ;;
    esac
    exec build/server/redod --foreground "$@"
    ;;
esac

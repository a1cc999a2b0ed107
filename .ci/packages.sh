# What redod is built with and tested with on Debian, and getting it. Sourced by run.sh and test.sh.

build_packages="gcc pkg-config meson ninja-build libuv1-dev libmsgpack-dev libxxhash-dev
    libsqlite3-dev libjansson-dev zlib1g-dev libncurses-dev"
test_packages="$build_packages check python3 python3-msgpack procps
    luajit lua5.4 lua-luv lua-mpack graphviz gnubg"

# Installs what is missing of the packages named, where that may be done; else says how and exits.
need_packages() {
    if ! command -v dpkg-query >/dev/null 2>&1; then
        # Not Debian: meson says what it does not find.
        return 0
    fi
    missing=""
    for package in $1; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            missing="$missing $package"
    done
    [ -z "$missing" ] && return 0
    sudo=""
    if [ "$(id -u)" -ne 0 ]; then
        if sudo -n true 2>/dev/null; then
            sudo="sudo -n"
        else
            echo "These packages are missing; install them with:" >&2
            echo "    sudo apt-get install$missing" >&2
            exit 1
        fi
    fi
    echo "Installing$missing" >&2
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2 || true
    # shellcheck disable=SC2086
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $missing >/dev/null || {
        echo "apt-get could not install:$missing" >&2
        exit 1
    }
}

#!/bin/sh
# Two frontends, one in C and one in Python, play a level between them over a private daemon: Ann and
# Bob are at one place, and Bob goes on where Ann stopped; then Ann plays with a cursor of her own. The
# daemon is killed and started again in between. Then the history is shown, and both must have seen
# the same.
#
#   demo.sh BUILD     the folder in which redod was built
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
daemon=
finish() {
    status=$?
    [ -z "$daemon" ] || { kill "$daemon" && wait "$daemon"; } 2>/dev/null || true
    rm -rf "$folder"
    exit $status
}
trap finish EXIT
trap 'exit 1' INT TERM

export REDO_SOCKET="$folder/socket"
unset REDO_SESSION
start_daemon() {
    "$build/server/redod" --socket "$REDO_SOCKET" --store "$folder/store" --log-level warn &
    daemon=$!
    tries=0
    until "$build/client/redoctl" list >/dev/null 2>&1; do
        kill -0 "$daemon" 2>/dev/null && [ $tries -lt 200 ] || { echo "the daemon did not start" >&2; exit 1; }
        tries=$((tries + 1))
        sleep 0.05
    done
}
start_daemon

in_c() { # what is said of it, options
    echo "--- $1"
    shift
    "$build/client/examples/sokoban" --level 1 --session demo "$@"
}
in_python() {
    echo "--- $1"
    shift
    /usr/bin/python3 "$here/sokoban.py" --level 1 --session demo "$@"
}

# Level 1, in 33 moves: dlUrrrdLullddrUluRuulDrddrruLdlUU
in_c 'Ann, in C, looks around, and takes two moves back' --name ann --play 'dlrl<<'
in_python 'Bob, in Python, goes on where she is' --name bob --play 'UrrrdLullddrUluRuulD'
in_c 'Ann plays the whole way, two steps too many, with a cursor of her own' \
    --name ann --cursor ann --play 'dlrlUrrrdLullddrUluRuulDrddrruLdlUU'

echo "--- the daemon is killed, and started again"
kill -KILL "$daemon"
wait "$daemon" 2>/dev/null || true
start_daemon
"$build/client/redoctl" call getcursors '["demo"]'

in_python 'Bob is where he was, and plays on: the same board as hers, sooner' \
    --name bob --play 'rddrruLdlUU'
in_c 'Ann takes the best solution known, from the start' --name ann --cursor ann --play '0!'

echo "--- the history"
"$build/client/redoctl" tree demo --labels 0=l,1=u,2=r,3=d,4=L,5=U,6=R,7=D --color never
echo "--- the best solution"
"$build/client/redoctl" solution demo --moves --labels 0=l,1=u,2=r,3=d,4=L,5=U,6=R,7=D

"$build/client/examples/sokoban" --level 1 --session demo --print >"$folder/c"
/usr/bin/python3 "$here/sokoban.py" --level 1 --session demo --print >"$folder/python"
if ! cmp "$folder/c" "$folder/python"; then
    echo "the two frontends saw different histories" >&2
    exit 1
fi
echo "--- both frontends saw the same history of $(wc -l <"$folder/c") positions"

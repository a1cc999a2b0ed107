#!/bin/sh
# Two frontends, one in C and one in Python, play a level between them over a private daemon: they
# explore, undo, come back to positions that are known, find a shorter way and solve it. Then the
# history is shown, and both must have seen the same.
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
"$build/server/redod" --socket "$REDO_SOCKET" --store memory --log-level warn &
daemon=$!
tries=0
until [ -S "$REDO_SOCKET" ]; do
    kill -0 "$daemon" 2>/dev/null && [ $tries -lt 200 ] || { echo "the daemon did not start" >&2; exit 1; }
    tries=$((tries + 1))
    sleep 0.05
done

in_c() {
    echo "--- the C frontend plays $1"
    "$build/client/examples/sokoban" --level 1 --session demo --play "$1"
}
in_python() {
    echo "--- the Python frontend plays $1"
    /usr/bin/python3 "$here/sokoban.py" --level 1 --session demo --play "$1"
}

# Level 1, in 33 moves: dlUrrrdLullddrUluRuulDrddrruLdlUU
in_c 'dlrl<<'                                    # looks around, and takes two moves back
in_python 'dlUrrrdLullddrUluRuulD'               # most of the way, another player
in_c 'dlrlUrrrdLullddrUluRuulDrddrruLdlUU'       # the whole way, with two steps too many
in_python 'dlUrrrdLullddrUluRuulDrddrruLdlUU'    # without them: the same positions, sooner
in_c '!'                                         # to the end of the best solution known

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

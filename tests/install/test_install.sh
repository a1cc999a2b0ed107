#!/bin/sh
# Installs into a folder, and builds a program against what is there with pkg-config alone: in process,
# and against the daemon that was installed.
set -eu
source=$1 build=$2 cc=$3
folder=$(mktemp -d)
daemon=
finish() {
    [ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT

DESTDIR="$folder/root" meson install -C "$build" --no-rebuild --quiet
prefix=$(cd "$folder/root" && find . -name redo-client.pc | head -n 1)
pc="$folder/root/${prefix%/redo-client.pc}"
lib=${pc%/pkgconfig}
export PKG_CONFIG_PATH="$pc" PKG_CONFIG_SYSROOT_DIR="$folder/root"

sed -n '/example: tour.c/,/^```$/p' "$source/README.md" | sed '1,2d;$d' >"$folder/tour.c"
expected="position 4 after 2 moves: the same as position 2"

for library in redo redo-client; do
    # shellcheck disable=SC2046
    $cc "$folder/tour.c" -o "$folder/tour-$library" $(pkg-config --cflags --libs "$library")
done
[ "$(LD_LIBRARY_PATH="$lib" "$folder/tour-redo")" = "$expected" ]
echo "ok a program builds against the installed redo.pc and runs"

cat >"$folder/count.c" <<'EOF'
#include <stdio.h>
#include <string.h>
#include <redo_sgf.h>

int main(void)
{
    char const *text = "(;GM[1];B[aa](;W[bb])(;W[cc]))";
    redo_sgf_reader *reader = redo_sgf_reader_open_bytes(text, strlen(text), NULL);
    redo_sgf_game *game;
    redo_sgf_node *root, *node;
    int count = 0;
    if (redo_sgf_reader_next(reader, &game) != REDO_OK)
        return 1;
    root = redo_sgf_game_root(game);
    for (node = root; node; node = redo_sgf_node_after(node, root))
        count++;
    printf("%d nodes\n", count);
    redo_sgf_game_free(game);
    redo_sgf_reader_close(reader);
    return 0;
}
EOF
# shellcheck disable=SC2046
$cc "$folder/count.c" -o "$folder/count" $(pkg-config --cflags --libs redo-sgf)
[ "$(LD_LIBRARY_PATH="$lib" "$folder/count")" = "4 nodes" ]
echo "ok a program builds against the installed redo-sgf.pc and runs"

cat >"$folder/pgn.c" <<'EOS'
#include <stdio.h>
#include <string.h>
#include <redo_pgn.h>

int main(void)
{
    char const *text = "1. e4 (1. d4 d5) e5 *";
    redo_pgn_reader *reader = redo_pgn_reader_open_bytes(text, strlen(text), NULL);
    redo_pgn_game *game;
    redo_pgn_node *root, *node;
    int count = 0;
    if (redo_pgn_reader_next(reader, &game) != REDO_OK)
        return 1;
    root = redo_pgn_game_root(game);
    for (node = root; node; node = redo_pgn_node_after(node, root))
        count++;
    printf("%d nodes\n", count);
    redo_pgn_game_free(game);
    redo_pgn_reader_close(reader);
    return 0;
}
EOF
cat >"$folder/mat.c" <<'EOS'
#include <stdio.h>
#include <redo_mat.h>

int main(void)
{
    redo_mat_match *match = redo_mat_match_new();
    if (!match)
        return 1;
    redo_mat_set_length(match, 4);
    printf("%ld nodes\n", redo_mat_length(match));
    redo_mat_match_free(match);
    return 0;
}
EOF
for format in pgn mat; do
    # shellcheck disable=SC2046
    $cc "$folder/$format.c" -o "$folder/$format" $(pkg-config --cflags --libs "redo-$format")
    [ "$(LD_LIBRARY_PATH="$lib" "$folder/$format")" = "4 nodes" ]
    echo "ok a program builds against the installed redo-$format.pc and runs"
done

redod=$(find "$folder/root" -name redod -type f | head -n 1)
"$redod" --socket "$folder/socket" --store memory &
daemon=$!
i=0
while [ ! -S "$folder/socket" ]; do
    i=$((i + 1))
    [ $i -lt 600 ] || exit 1
    sleep 0.1
done
[ "$(REDO_SOCKET="$folder/socket" LD_LIBRARY_PATH="$lib" "$folder/tour-redo-client")" = "$expected" ]
echo "ok a program builds against the installed redo-client.pc and runs"

examples=$(dirname "$(find "$folder/root" -name sokoban.c)")
# shellcheck disable=SC2046
(cd "$examples" && $cc -o "$folder/sokoban" sokoban.c board.c draw.c game.c look.c options.c screen.c tell.c \
    $(pkg-config --cflags --libs redo-client ncursesw))
cp "$examples/levels.xsb" "$folder"
said=$(LD_LIBRARY_PATH="$lib" "$folder/sokoban" --socket "$folder/socket" --session s --play d | tail -n 1)
[ "$said" = "not solved" ]
echo "ok the installed example builds as its first lines say and plays"
echo "4 passed, 0 failed"

/* Does what records_model.py says, a line an operation, and tells after each what there is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/redo_record.h"

#define WORDS 32

/* Of the engine, not of redo.h: the bytes that bring a subtree back. */
#include "core/session.h"
#include "core/subtree.h"
#include "core/turn.h"

static redo_session *session;

static struct {
    void *data;
    size_t size;
    uint32_t parent;
} kept;

static redo_position *position_at(char const *word)
{
    return redo_getposition(session, (uint32_t)strtoul(word, NULL, 10));
}

/* move:text:analysis */
static redo_candidate item_of(char *word, redo_analysis *analysis, redo_analysis const **given)
{
    char *text = strchr(word, ':') + 1, *letter = strchr(text, ':') + 1;
    redo_candidate c = {.hasmove = *word != ':', .move = atoi(word)};
    letter[-1] = '\0';
    c.text = *text ? text : NULL;
    c.textsize = strlen(text);
    c.analysed = *letter == '*' ? redo_analysis_shared
                 : *letter      ? redo_analysis_own
                                : redo_analysis_none;
    *analysis = (redo_analysis){.kind = letter, .kindsize = strlen(letter), .equity = *letter};
    *given = c.analysed == redo_analysis_own ? analysis : NULL;
    return c;
}

/* ---- what there is ------------------------------------------------------------------------ */

static void print_properties(redo_position *p, enum redo_of of, uint32_t id)
{
    char const *name;
    size_t size;
    for (unsigned i = 0; (name = redo_getpositionpropertyname(p, of, id, i, &size)); i++) {
        char const *value = redo_getpositionproperty(p, of, id, name, &size);
        printf("%s%s=%.*s", i ? "," : "", name, (int)size, value);
    }
}

static void print_list(redo_position *p, enum redo_of list)
{
    redo_candidate c;
    redo_analysis a;
    for (unsigned i = 0; redo_getcandidate(p, list, i, &c); i++) {
        printf("%s%u:", i ? "|" : "", c.id);
        if (c.hasmove)
            printf("%d", c.move);
        printf(":%s:", c.text ? c.text : "");
        if (c.analysed == redo_analysis_shared)
            putchar('*');
        else if (redo_getanalysis(p, list, c.id, &a))
            printf("%s", a.kind);
        putchar(':');
        print_properties(p, list, c.id);
        putchar(':');
        if (c.leads)
            printf("%u", redo_getpositionid(c.leads));
    }
}

static void print_position(redo_position *p)
{
    uint32_t id = 0;
    if (p->prev)
        printf("; %u %u ", redo_getpositionid(p), redo_getpositionid(p->prev));
    else
        printf("; %u None ", redo_getpositionid(p));
    print_properties(p, redo_of_position, 0);
    putchar(' ');
    print_properties(p, redo_of_branch, 0);
    enum redo_choice choice = redo_getchoice(p, &id);
    printf(" %d,%u %u ", choice, id, redo_getdecided(p));
    print_list(p, redo_of_candidate);
    putchar(' ');
    print_list(p, redo_of_decision);
    putchar(' ');
    for (redo_position *at = redo_getfirstalternate(p); at;) {
        printf("%u", redo_getpositionid(at));
        if ((at = redo_getnextalternate(at)))
            putchar(',');
    }
}

/* ---- operations --------------------------------------------------------------------------- */

static int told(redo_position *p, int *value)
{
    if (p)
        *value = (int)redo_getpositionid(p);
    return p ? REDO_OK : redo_lasterror();
}

static int drop(redo_position *p, int *value)
{
    if (p->prev) {
        free(kept.data);
        kept.data = NULL;
        subtree_capture(history_of(p), node_of(p), &kept.data, &kept.size);
        kept.parent = redo_getpositionid(p->prev);
    }
    *value = redo_dropsubtree(session, p);
    return redo_lasterror();
}

static int restore(int *value)
{
    redo_operation op = {.kind = REDO_OP_RESTORE,
                         .position = kept.parent,
                         .state = kept.data,
                         .statesize = kept.size};
    redo_result r;
    int rc = redo_apply(session, &op, &r);
    *value = rc ? 0 : r.value;
    return rc;
}

static int add_items(redo_position *p, char **word, int count, int *value)
{
    redo_candidate items[WORDS];
    redo_analysis analyses[WORDS];
    redo_analysis const *given[WORDS];
    uint32_t ids[WORDS];
    int n = count - 4;
    redo_position *again = p;
    for (int i = 0; i < n; i++)
        items[i] = item_of(word[4 + i], &analyses[i], &given[i]);
    enum redo_of list = (enum redo_of)atoi(word[2]);
    if (!n) { /* which tells no ids */
        redo_operation op = {.kind = REDO_OP_RECORD,
                             .position = redo_getpositionid(again),
                             .move = list,
                             .value = redo_edit_add,
                             .state = "\0",
                             .statesize = 1};
        redo_result r;
        int rc = redo_apply(session, &op, &r);
        *value = r.value;
        return rc;
    }
    int rc =
        redo_addcandidates(session, p, list, (unsigned)atoi(word[3]), items, given, (size_t)n, ids);
    for (int i = 0; !rc && i < n; i++)
        if (ids[i] != ids[0] + (uint32_t)i)
            abort();
    *value = rc ? 0 : (int)ids[0];
    return rc;
}

static int set_item(redo_position *p, char **word)
{
    redo_analysis analysis;
    redo_analysis const *given;
    redo_candidate c = item_of(word[5], &analysis, &given);
    return redo_setcandidate(session, p, (enum redo_of)atoi(word[2]), (uint32_t)atoi(word[3]),
                             (unsigned)atoi(word[4]), &c, given);
}

static int with_ids(redo_position *p, char **word, int count, int *value)
{
    uint32_t ids[WORDS];
    for (int i = 3; i < count; i++)
        ids[i - 3] = (uint32_t)atoi(word[i]);
    enum redo_of list = (enum redo_of)atoi(word[2]);
    if (word[0][0] == 'o')
        return redo_ordercandidates(session, p, list, ids, (size_t)count - 3);
    int rc = redo_dropcandidates(session, p, list, ids, (size_t)count - 3);
    *value = rc ? 0 : count - 3;
    return rc;
}

static int set_property(redo_position *p, char **word)
{
    int none = strcmp(word[5], "-") == 0;
    return redo_setpositionproperty(session, p, (enum redo_of)atoi(word[2]),
                                    (uint32_t)atoi(word[3]), word[4], none ? NULL : word[5],
                                    none ? 0 : strlen(word[5]));
}

static int copy_record(redo_position *p, redo_position *from)
{
    size_t size;
    if (!from)
        return redo_lasterror();
    void const *record = redo_getrecord(from, &size);
    void *copy = malloc(size + 1);
    memcpy(copy, record ? record : "", size);
    int rc = redo_setrecord(session, p, copy, size);
    free(copy);
    return rc;
}

static int play_to(redo_position *p, char **word, int *value)
{
    int none = strcmp(word[4], "-") == 0;
    struct turn_item items[2] = {
        {.op = {.kind = REDO_OP_PLAY,
                .position = redo_getpositionid(p),
                .move = atoi(word[2]),
                .source = (uint32_t)atoi(word[3]),
                .state = none ? NULL : word[4],
                .statesize = none ? 0 : 2}},
        {.op = {.kind = REDO_OP_CURSOR,
                .name = "c",
                .namesize = 1,
                .source = strcmp(word[5], "-") ? (uint32_t)atoi(word[5]) : REDO_NOPOSITION},
         .after = 1}};
    void *data;
    redo_operation op = {.kind = REDO_OP_TURN};
    redo_result r;
    if (turn_write(items, 2, &data, &op.statesize))
        abort();
    op.state = data;
    int rc = redo_apply(session, &op, &r);
    free(data);
    *value = rc ? 0 : (int)r.position;
    return rc;
}

static int run(char **word, int count, int *value)
{
    char const *name = word[0];
    if (strcmp(name, "restore") == 0)
        return restore(value);
    redo_position *p = position_at(word[1]);
    if (!p)
        return redo_lasterror();
    if (strcmp(name, "add") == 0)
        return told(redo_addposition(session, p, atoi(word[2]), word[3], 0, redo_nocheck), value);
    if (strcmp(name, "drop") == 0)
        return drop(p, value);
    if (strcmp(name, "property") == 0)
        return set_property(p, word);
    if (strcmp(name, "items") == 0)
        return add_items(p, word, count, value);
    if (strcmp(name, "set") == 0)
        return set_item(p, word);
    if (strcmp(name, "dropitems") == 0 || strcmp(name, "order") == 0)
        return with_ids(p, word, count, value);
    if (strcmp(name, "choose") == 0)
        return redo_choose(session, p, (enum redo_choice)atoi(word[2]), (uint32_t)atoi(word[3]));
    if (strcmp(name, "decide") == 0)
        return redo_decide(session, p, (unsigned)atoi(word[2]));
    if (strcmp(name, "copy") == 0)
        return copy_record(p, position_at(word[2]));
    if (strcmp(name, "play") == 0)
        return told(redo_playcandidate(session, p, (enum redo_of)atoi(word[2]),
                                       (uint32_t)atoi(word[3]), *word[4] == '-' ? NULL : word[4], 2,
                                       0, redo_nocheck),
                    value);
    if (strcmp(name, "playto") == 0)
        return play_to(p, word, value);
    int move = atoi(word[3]);
    return told(redo_addalternate(session, p, strcmp(word[3], "-") ? &move : NULL, word[2]), value);
}

/* As dumped and loaded: what follows has to be the same. */
static void reload(void)
{
    void *data;
    size_t size;
    if (redo_dump(session, &data, &size))
        abort();
    redo_endsession(session);
    session = redo_load(data, size);
    free(data);
    if (!session)
        abort();
}

int main(void)
{
    char line[8192];
    session = redo_beginsession("a0", 2, 1);
    for (int lines = 1; fgets(line, sizeof line, stdin); lines++) {
        char *word[WORDS], *rest = line;
        int count = 0, value = 0;
        while (count < WORDS && (word[count] = strtok_r(rest, " \n", &rest)))
            count++;
        if (!count)
            continue;
        int rc = run(word, count, &value);
        redo_position *cursor = redo_getcursor(session, "c");
        printf("%d %d ", rc, value);
        if (cursor)
            printf("%u", redo_getpositionid(cursor));
        else
            fputs("None", stdout);
        for (uint32_t i = 0; i < session->history->next; i++) {
            struct node *n;
            if (!history_find(session->history, i, &n))
                print_position(&n->p);
        }
        putchar('\n');
        if (lines % 10 == 0)
            reload();
    }
    redo_endsession(session);
    free(kept.data);
    return 0;
}

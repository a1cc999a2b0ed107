/* watch: one line an operation, as they happen. */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "client/ctl/ctl.h"
#include "client/ctl/kinds.h"
#include "client/ctl/text.h"
#include "core/redo_record.h"
#include "core/turn.h"

#define STATE_BYTES 32 /* of a state that are printed */
#define TURN_ITEMS 20  /* of a turn that are */

struct watch {
    int64_t count;   /* operations to print; 0: no end */
    int64_t printed; /* so far */
    bool by_change;  /* the session is told by change: adds have turns, not states */
    bool deleted;    /* the session has ended */
    bool lost;       /* something came that is not understood */
};

static void print_state(redo_operation const *op)
{
    fputs(" state=", stdout);
    text_print_hex(stdout, op->state, op->statesize, STATE_BYTES);
}

/* What an add brings: a state, or how many lines of which kinds. */
static void print_brought(redo_operation const *op, bool by_change)
{
    if (!by_change) {
        print_state(op);
        return;
    }
    fputs(" lines=[", stdout);
    kinds_print_turn(stdout, op->state, op->statesize);
    putchar(']');
}

static void print_cursor(redo_operation const *op)
{
    static struct {
        char const *method, *step;
    } const names[] = {
        [redo_step_goto] = {"setcursor", NULL},
        [redo_step_undo] = {"undo", NULL},
        [redo_step_redo] = {"redo", NULL},
        [redo_step_move] = {"redo", NULL},
        [redo_step_branchback] = {"movecursor", "branchback"},
        [redo_step_branchforth] = {"movecursor", "branchforth"},
        [redo_step_better] = {"movecursor", "better"},
        [redo_step_solution] = {"movecursor", "solution"},
        [redo_step_undomine] = {"undo", "mine"},
        [redo_step_drop] = {"dropcursor", NULL},
    };
    bool known = op->value >= 0 && op->value <= redo_step_drop;
    printf("%s cursor=", known ? names[op->value].method : "movecursor");
    text_print(stdout, op->name, op->namesize);
    if (!known || names[op->value].step)
        printf(" step=%s", known ? names[op->value].step : "?");
    if (op->value == redo_step_goto)
        printf(" position=%u", op->position);
    else if (op->value == redo_step_move)
        printf(" move=%d", op->move);
    else if (op->value == redo_step_undo || op->value == redo_step_redo ||
             op->value == redo_step_undomine || op->value == redo_step_solution)
        printf(" n=%d", op->move);
}

/* Where an item of a turn goes on from: a position, or an item before it, as in addpositions. */
static void print_base(struct turn_item const *item)
{
    if (item->after)
        printf("-%u", item->after);
    else
        printf("%u", item->op.position);
}

static char const *name_of(int of)
{
    static char const *const names[] = {"position", "branch", "candidate", "decision"};
    return of >= redo_of_position && of <= redo_of_decision ? names[of] : "?";
}

static void print_play(redo_operation const *op)
{
    printf("playcandidate position=%u %s=%u endpoint=%d check=%d", op->position, name_of(op->move),
           op->source, op->endpoint, op->value);
}

/* prev:move=state of each item, and the cursor that moves to one of them. */
static void print_turn(redo_operation const *op, bool by_change)
{
    struct turn_item *items;
    uint32_t count, printed = 0;

    if (turn_read(op->state, op->statesize, &items, &count)) {
        printf("addpositions bytes=%zu", op->statesize);
        return;
    }
    bool cursor = items[count - 1].op.kind == REDO_OP_CURSOR;
    uint32_t adds = count - cursor;
    if (items[0].op.kind == REDO_OP_PLAY)
        print_play(&items[printed++].op);
    else
        printf("addpositions %u", adds);
    for (; printed < adds && printed < TURN_ITEMS; printed++) {
        redo_operation const *add = &items[printed].op;
        fputs(" [prev=", stdout);
        print_base(&items[printed]);
        printf(" move=%d endpoint=%d check=%d", add->move, add->endpoint, add->value);
        print_brought(add, by_change);
        putchar(']');
    }
    if (printed < adds)
        fputs(" ...", stdout);
    if (cursor) {
        fputs(" cursor=", stdout);
        text_print(stdout, items[adds].op.name, items[adds].op.namesize);
    }
    free(items);
}

/* A turn that is told line by line, at a cursor. */
static void print_entry(redo_operation const *op)
{
    bool begins = op->kind == REDO_OP_NEWUNDO;
    fputs(begins ? "newundo cursor=" : "addundo cursor=", stdout);
    text_print(stdout, op->name, op->namesize);
    if (begins && (op->value & redo_entry_move))
        printf(" move=%d", op->move);
    if (begins && (op->value & redo_entry_drop))
        fputs(" drop", stdout);
    if (begins && op->endpoint)
        printf(" endpoint=%d", op->endpoint);
    if (!begins) {
        fputs(" line=", stdout);
        kinds_print_value(stdout, op->state, op->statesize);
    }
}

/* How many, the place, and which. */
static void print_games(redo_operation const *op)
{
    static char const *const names[] = {"addgames", "dropgames", "ordergames"};
    size_t count = op->statesize / 8, shown = count < 16 ? count : 16;

    fputs(op->value >= 0 && op->value <= 2 ? names[op->value] : "", stdout);
    if (op->source != REDO_NOPOSITION)
        printf(" at=%u", op->source);
    for (size_t i = 0; i < shown; i++) {
        uint64_t id = 0;
        for (int k = 0; k < 8; k++)
            id |= (uint64_t)((unsigned char const *)op->state)[i * 8 + (size_t)k] << 8 * k;
        printf("%s%" PRIu64, i ? "," : " sessions=", id);
    }
    if (shown < count)
        printf(" ... (%zu)", count);
}

/* What an analyst does with a position. */
static void print_record(redo_operation const *op)
{
    char const *of = name_of(op->move);
    switch (op->value) {
    case redo_edit_property:
        printf("setpositionproperty%s position=%u", op->statesize ? "" : " (taken away)",
               op->position);
        if (op->move != redo_of_position)
            printf(" %s", of);
        if (op->source)
            printf("=%u", op->source);
        fputs(" name=", stdout);
        text_print(stdout, op->name, op->namesize);
        break;
    case redo_edit_add:
        printf("addcandidates position=%u list=%s", op->position, of);
        break;
    case redo_edit_set:
        printf("setcandidate position=%u %s=%u", op->position, of, op->source);
        break;
    case redo_edit_drop:
        printf("dropcandidates position=%u list=%s", op->position, of);
        break;
    case redo_edit_order:
        printf("ordercandidates position=%u list=%s", op->position, of);
        break;
    case redo_edit_choose:
        printf("choose position=%u", op->position);
        if (op->source && op->source != REDO_NOPOSITION)
            printf(" candidate=%u", op->source);
        else
            fputs(op->source ? " none" : " open", stdout);
        break;
    case redo_edit_decide:
        printf("decide position=%u count=%u", op->position, op->source);
        break;
    default:
        printf("setrecord%s position=%u", op->statesize ? "" : " (taken away)", op->position);
        break;
    }
}

/* The method that makes such operations, and its params. */
static void print_operation(redo_operation const *op, bool by_change)
{
    switch (op->kind) {
    case REDO_OP_ADD:
        printf("%s prev=%u move=%d endpoint=%d check=%d", by_change ? "addchanges" : "addposition",
               op->position, op->move, op->endpoint, op->value);
        print_brought(op, by_change);
        break;
    case REDO_OP_NEXT:
        printf("getnextposition position=%u move=%d", op->position, op->move);
        break;
    case REDO_OP_DROP:
        printf("dropposition position=%u", op->position);
        break;
    case REDO_OP_GRAFT:
        printf("setgraftbehavior grafting=%d", op->value);
        break;
    case REDO_OP_UPDATE:
        printf("updatesavedstate position=%u", op->position);
        print_state(op);
        break;
    case REDO_OP_SETBETTER:
        printf("setbetterfields");
        break;
    case REDO_OP_CYCLE:
        printf("suppresscycle position=%u prunelimit=%d", op->position, op->value);
        print_state(op);
        break;
    case REDO_OP_DUPLICATE:
        printf("duplicatepath dest=%u source=%u", op->position, op->source);
        break;
    case REDO_OP_PROPERTY:
        fputs(op->statesize ? "setproperty name=" : "setproperty (taken away) name=", stdout);
        text_print(stdout, op->name, op->namesize);
        break;
    case REDO_OP_DROPTREE:
        printf("dropsubtree position=%u", op->position);
        break;
    case REDO_OP_RESTORE:
        printf("restoresubtree position=%u", op->position);
        break;
    case REDO_OP_CURSOR:
        print_cursor(op);
        break;
    case REDO_OP_TURN:
        print_turn(op, by_change);
        break;
    case REDO_OP_CLEAR:
        printf("clearsessionchanged");
        break;
    case REDO_OP_NEWUNDO:
    case REDO_OP_ADDUNDO:
        print_entry(op);
        break;
    case REDO_OP_RECORD:
        print_record(op);
        break;
    case REDO_OP_PLAY:
        print_play(op);
        break;
    case REDO_OP_ALTERNATE:
        printf("addalternate position=%u", op->position);
        if (op->value)
            printf(" move=%d", op->move);
        break;
    case REDO_OP_GAMES:
        print_games(op);
        break;
    }
}

/* What came of it. */
static void print_effects(redo_operation const *op, msgpack_object const *effects)
{
    msgpack_object const *new = map_get(effects, "new"), *grafted = map_get(effects, "grafted");
    msgpack_object const *made = map_get(effects, "made");
    struct position p;
    int64_t from, to;

    if (op->kind != REDO_OP_UPDATE && position_read(map_get(effects, "position"), &p)) {
        printf(" -> %u", p.number);
        if (new &&new->type == MSGPACK_OBJECT_BOOLEAN &&new->via.boolean)
            fputs(" new", stdout);
        position_print_marks(&p, false, stdout);
    }
    if (integer_read(map_get(grafted, "from"), 0, UINT32_MAX, &from) &&
        integer_read(map_get(grafted, "to"), 0, UINT32_MAX, &to))
        printf(" grafted=%" PRId64 "->%" PRId64, from, to);
    if (made && made->type == MSGPACK_OBJECT_ARRAY && made->via.array.size == 2 &&
        integer_read(&made->via.array.ptr[0], 0, UINT32_MAX, &from) &&
        integer_read(&made->via.array.ptr[1], 1, UINT32_MAX, &to) &&
        (to > 1 || op->kind == REDO_OP_DUPLICATE))
        printf(" made=%" PRId64 "..%" PRId64, from, from + to - 1);
    if (integer_read(map_get(effects, "dropped"), 1, UINT32_MAX, &from) &&
        op->kind == REDO_OP_CYCLE)
        printf(" dropped=%" PRId64, from);
}

static bool print_event(msgpack_object_array const *params, bool by_change)
{
    redo_operation op;
    int64_t sequence;

    if (params->size < 3 || !integer_read(&params->ptr[1], 0, INT64_MAX, &sequence) ||
        params->ptr[2].type != MSGPACK_OBJECT_BIN)
        return false;
    msgpack_object_bin const *bytes = &params->ptr[2].via.bin;
    printf("%" PRId64 " ", sequence);
    if (redo_operation_decode(bytes->ptr, bytes->size, &op)) {
        print_operation(&op, by_change);
        if (params->size > 3)
            print_effects(&op, &params->ptr[3]);
    } else { /* of a newer daemon */
        fputs("operation ", stdout);
        text_print_hex(stdout, bytes->ptr, bytes->size, STATE_BYTES);
    }
    putchar('\n');
    fflush(stdout);
    return true;
}

static void notified(void *data, struct message const *m)
{
    struct watch *w = data;

    if (w->deleted || w->lost || (w->count > 0 && w->printed >= w->count))
        return;
    if (m->method_size == 12 && memcmp(m->method, "sessionended", 12) == 0)
        w->deleted = true;
    if (m->method_size != 9 || memcmp(m->method, "operation", 9) != 0)
        return;
    w->lost = !print_event(&m->params, w->by_change);
    w->printed++;
}

/* Attaches to the session; the snapshot is of no use here and is given back unread. */
static int attach(struct ctl *ctl, struct watch *w, char const *name)
{
    msgpack_object result;
    int64_t sequence, snapshot;

    if (!ctl_pack_name(ctl_request(ctl, "attach", 1), name))
        return EXIT_USAGE;
    int status = ctl_result(ctl, &result);
    if (status != CLI_GO)
        return status;
    if (!integer_read(map_get(&result, "sequence"), 0, INT64_MAX, &sequence) ||
        !integer_read(map_get(&result, "snapshot"), 0, INT64_MAX, &snapshot))
        return ctl_fail_shape(ctl);
    w->by_change = session_by_change(&result);

    struct buffer *b = ctl_request(ctl, "readsnapshot", 3);
    ctl_pack_name(b, name);
    pack_int(b, snapshot);
    pack_int(b, 0);
    status = ctl_result(ctl, &result);
    if (status == CLI_GO)
        cli_complain("watching %s from operation %" PRId64 " on", name, sequence + 1);
    return status;
}

/* Waits for events until there is a reason to end. */
static int watch_on(struct ctl *ctl, struct watch *w, int signals)
{
    struct pollfd waits[] = {{.fd = ctl->c.fd, .events = POLLIN},
                             {.fd = signals, .events = POLLIN}};

    for (;;) {
        int code = connection_step(&ctl->c, 0);
        if (w->lost)
            return ctl_fail_shape(ctl);
        if (w->deleted) {
            cli_complain("the session was deleted");
            return EXIT_GOOD;
        }
        if (ferror(stdout) || (w->count > 0 && w->printed >= w->count))
            return EXIT_GOOD;
        if (code == REDO_ECLOSED) {
            cli_complain("the daemon at %s has stopped, or has ended the connection; "
                         "its log says which",
                         ctl->path);
            return EXIT_BAD;
        }
        if (code != REDO_OK)
            return ctl_fail(ctl, code, NULL);
        poll(waits, 2, -1);
        if (waits[1].revents)
            return EXIT_GOOD;
    }
}

static int watch(struct ctl *ctl, struct cli_command const *cli, int argc, char **argv)
{
    struct watch w = {.count = 0};
    struct cli_option const options[] = {{.name = "count",
                                          .type = CLI_NUMBER,
                                          .value = &w.count,
                                          .argument = "N",
                                          .help = "end after N operations",
                                          .least = 1,
                                          .most = INT64_MAX},
                                         COMMON_OPTIONS(ctl)};
    sigset_t set;

    int status = cli_parse(cli, options, false, &argc, argv);
    if (status == CLI_GO)
        status = ctl_connect(ctl);
    if (status != CLI_GO)
        return status;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    int signals = signalfd(-1, &set, SFD_CLOEXEC);
    if (signals < 0 || sigprocmask(SIG_BLOCK, &set, NULL) < 0) {
        cli_complain("can not wait for signals");
        return EXIT_BAD;
    }
    ctl->c.notified = notified;
    ctl->c.data = &w;
    status = attach(ctl, &w, argv[0]);
    if (status == CLI_GO) {
        ctl->method = "watch";
        status = watch_on(ctl, &w, signals);
    }
    close(signals);
    return status;
}

struct command const command_watch = {
    {.name = "watch",
     .params = "NAME",
     .least = 1,
     .most = 1,
     .summary = "prints each operation on a session as it happens",
     .help =
         "A line an operation: its number in the session's sequence, the method that makes such\n"
         "operations with its params, and what came of it:\n"
         "\n"
         "  12 addposition prev=3 move=2 endpoint=0 check=1 state=0a00 -> 7 new [5]\n"
         "\n"
         "  -> 7            the position it was about, with `new` if it was made, and "
         "marks:\n" MARKS_HELP "  grafted=5->7    the branches of 5 were taken over by 7\n"
         "  made=8..10      positions made by copying a path\n"
         "  dropped=2       positions dropped by suppresscycle\n"
         "\n"
         "Of a session told by change, the lines of a turn by kind:\n"
         "\n"
         "  12 addchanges prev=3 move=2 endpoint=0 check=1 lines=[update 3 remove 1] -> 7 new\n"
         "\n"
         "Ends on SIGINT or SIGTERM, or when the session is deleted.\n"},
    watch};

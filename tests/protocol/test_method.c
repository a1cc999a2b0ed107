/* method.h and signature.h: what of a call reaches its handler, and how the rest is refused. */
#include "tests/protocol/bytes.h"

#include "protocol/frame.h"
#include "protocol/method.h"

static struct methods methods;
static msgpack_zone zone;

static void setup(void)
{
    ck_assert(methods_init(&methods));
    msgpack_zone_init(&zone, 1024);
}

static void teardown(void)
{
    msgpack_zone_destroy(&zone);
}

static struct bytes bytes;
static struct args args;
static struct error error;

/* Checks params, an array in hex, for a method. */
static int check(enum method_symbol symbol, char const *text)
{
    msgpack_object object;
    size_t offset = 0;
    bytes = hex(text);
    ck_assert_int_eq(msgpack_unpack((char *)bytes.data, bytes.size, &offset, &zone, &object),
                     MSGPACK_UNPACK_SUCCESS);
    memset(&args, 0xaa, sizeof args);
    int code = method_check(&methods, symbol, &object.via.array, &args, &error);
    if (code != REDO_OK)
        ck_assert_int_eq(error.code, code);
    return code;
}

static void assert_detail(char const *name, char const *text)
{
    for (unsigned i = 0; i < error.count; i++) {
        if (strcmp(error.detail[i].name, name) == 0) {
            ck_assert_uint_eq(error.detail[i].size, strlen(text));
            ck_assert_mem_eq(error.detail[i].text, text, strlen(text));
            return;
        }
    }
    ck_abort_msg("no detail %s", name);
}

static void assert_detail_int(char const *name, int64_t value)
{
    for (unsigned i = 0; i < error.count; i++) {
        if (strcmp(error.detail[i].name, name) == 0) {
            ck_assert_ptr_null(error.detail[i].text);
            ck_assert_int_eq(error.detail[i].integer, value);
            return;
        }
    }
    ck_abort_msg("no detail %s", name);
}

START_TEST(every_method_is_found_by_its_name)
{
    for (int i = 0; i < METHOD_COUNT; i++) {
        char const *name = method_table[i].name;
        ck_assert_int_eq(method_find(&methods, name, strlen(name)), i);
    }
}
END_TEST

START_TEST(other_names_are_no_methods)
{
    char const *const names[] = {"", "a", "addpositio", "addposition ", "ADDPOSITION", "nvim_ui"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_int_eq(method_find(&methods, names[i], strlen(names[i])), METHOD_NONE);
    ck_assert_int_eq(method_find(&methods, "attach\0", 7), METHOD_NONE);
    char huge[4096];
    memset(huge, 'a', sizeof huge);
    ck_assert_int_eq(method_find(&methods, huge, sizeof huge), METHOD_NONE);
}
END_TEST

START_TEST(values_come_by_position_with_their_types)
{
    ck_assert_int_eq(check(METHOD_ADDPOSITION, "96 a1's' 07 ff c4 02 ff00 00 01"), REDO_OK);
    ck_assert_int_eq(args.param[0].type, PARAM_SESSION);
    ck_assert(args.param[0].present && args.param[0].named);
    ck_assert_mem_eq(args.param[0].bytes.data, "s", 1);
    ck_assert_int_eq(args.param[1].integer, 7);
    ck_assert_int_eq(args.param[2].integer, -1);
    ck_assert_uint_eq(args.param[3].bytes.size, 2);
    ck_assert_mem_eq(args.param[3].bytes.data, "\xff\0", 2);
    ck_assert_int_eq(args.param[5].integer, 1);
    ck_assert(!args_option(&args, "strict")->present);
}
END_TEST

START_TEST(a_session_may_be_told_by_its_handle)
{
    ck_assert_int_eq(check(METHOD_GETSESSION, "91 cf 001fffffffffffff"), REDO_OK);
    ck_assert(!args.param[0].named);
    ck_assert_int_eq(args.param[0].integer, (INT64_C(1) << 53) - 1);
    ck_assert_int_eq(check(METHOD_GETSESSION, "91 ff"), REDO_ENOSESSION);
    ck_assert_int_eq(check(METHOD_GETSESSION, "91 cf 0020000000000000"), REDO_ENOSESSION);
}
END_TEST

START_TEST(options_come_by_name)
{
    ck_assert_int_eq(check(METHOD_GETPATH, "93 01 02 82 a6'states' c3 a5'limit' 09"), REDO_OK);
    ck_assert(args_flag(&args, "states", false));
    ck_assert_int_eq(args_integer(&args, "limit", 1), 9);
    ck_assert(!args_option(&args, "offset")->present);
    ck_assert_int_eq(args_integer(&args, "offset", -5), -5);
}
END_TEST

START_TEST(no_options_an_empty_map_an_empty_array_and_nil_are_the_same)
{
    char const *const calls[] = {"92 01 02", "93 01 02 80", "93 01 02 90", "93 01 02 c0"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        ck_assert_int_eq(check(METHOD_GETPATH, calls[i]), REDO_OK);
        ck_assert(!args_option(&args, "states")->present);
        ck_assert(!args_option(&args, "limit")->present);
    }
}
END_TEST

START_TEST(an_option_that_is_nil_is_absent)
{
    ck_assert_int_eq(check(METHOD_LISTSESSIONS, "91 81 a5'after' c0"), REDO_OK);
    ck_assert(!args_option(&args, "after")->present);
}
END_TEST

START_TEST(an_unknown_option_is_refused)
{
    ck_assert_int_eq(check(METHOD_GETPATH, "93 01 02 81 a5'state' c3"), REDO_EOPTION);
    assert_detail("option", "state");
    ck_assert_str_eq(error.message, "getpath has no option state");
    ck_assert_int_eq(check(METHOD_GETPATH, "93 01 02 81 a0 c3"), REDO_EOPTION);
    assert_detail("option", "");
}
END_TEST

START_TEST(an_option_that_has_no_name_is_refused)
{
    ck_assert_int_eq(check(METHOD_GETPATH, "93 01 02 81 01 c3"), REDO_EOPTION);
    ck_assert_str_eq(error.message, "getpath takes options by name, and got a key of type int");
    assert_detail("expected", "str");
    assert_detail("given", "int");
    ck_assert_int_eq(check(METHOD_GETPATH, "93 01 02 81 81 01 02 c3"), REDO_EOPTION);
    assert_detail("given", "map");
}
END_TEST

START_TEST(an_option_given_twice_is_refused)
{
    ck_assert_int_eq(check(METHOD_GETPATH, "93 01 02 82 a5'limit' 01 a5'limit' 01"), REDO_EOPTION);
    assert_detail("option", "limit");
    ck_assert_int_eq(check(METHOD_GETPATH, "93 01 02 82 a5'limit' c0 a5'limit' 01"), REDO_EOPTION);
}
END_TEST

START_TEST(an_option_of_the_wrong_type_is_refused_by_its_name)
{
    ck_assert_int_eq(check(METHOD_GETPATH, "93 01 02 81 a5'limit' a1'9'"), REDO_ETYPE);
    assert_detail("param", "limit");
    assert_detail_int("index", 2);
    assert_detail("expected", "count");
    assert_detail("given", "str");
}
END_TEST

START_TEST(options_that_are_no_map_are_refused)
{
    ck_assert_int_eq(check(METHOD_GETPATH, "93 01 02 91 01"), REDO_ETYPE);
    ck_assert_int_eq(check(METHOD_GETPATH, "93 01 02 c3"), REDO_ETYPE);
    assert_detail("expected", "map");
    assert_detail_int("index", 2);
}
END_TEST

START_TEST(the_wrong_number_of_params_is_refused)
{
    ck_assert_int_eq(check(METHOD_GETSAVEDSTATE, "91 01"), REDO_EPARAMS);
    assert_detail_int("expected", 2);
    assert_detail_int("given", 1);
    ck_assert_int_eq(check(METHOD_GETSAVEDSTATE, "93 01 02 80"), REDO_EPARAMS);
    ck_assert_int_eq(check(METHOD_SERVER_PING, "90"), REDO_OK);
    ck_assert_int_eq(check(METHOD_SERVER_PING, "91 c0"), REDO_EPARAMS);
    ck_assert_int_eq(check(METHOD_GETPATH, "94 01 02 80 80"), REDO_EPARAMS);
    ck_assert_int_eq(check(METHOD_GETPATH, "91 01"), REDO_EPARAMS);
}
END_TEST

START_TEST(a_float_is_no_integer)
{
    ck_assert_int_eq(check(METHOD_GETSAVEDSTATE, "92 01 ca 40000000"), REDO_ETYPE);
    assert_detail("given", "float");
    assert_detail("param", "position");
    assert_detail_int("index", 1);
    ck_assert_int_eq(check(METHOD_GETSAVEDSTATE, "92 01 cb 4000000000000000"), REDO_ETYPE);
    ck_assert_int_eq(check(METHOD_SETGRAFTBEHAVIOR, "92 01 cb 4000000000000000"), REDO_ETYPE);
}
END_TEST

START_TEST(an_int_has_32_bits)
{
    ck_assert_int_eq(check(METHOD_SETGRAFTBEHAVIOR, "92 01 ce 7fffffff"), REDO_OK);
    ck_assert_int_eq(args.param[1].integer, INT32_MAX);
    ck_assert_int_eq(check(METHOD_SETGRAFTBEHAVIOR, "92 01 d2 80000000"), REDO_OK);
    ck_assert_int_eq(args.param[1].integer, INT32_MIN);
    ck_assert_int_eq(check(METHOD_SETGRAFTBEHAVIOR, "92 01 ce 80000000"), REDO_ERANGE);
    ck_assert_int_eq(check(METHOD_SETGRAFTBEHAVIOR, "92 01 d3 ffffffff7fffffff"), REDO_ERANGE);
    ck_assert_int_eq(check(METHOD_SETGRAFTBEHAVIOR, "92 01 cf ffffffffffffffff"), REDO_ERANGE);
    assert_detail("param", "grafting");
    assert_detail("expected", "int");
}
END_TEST

START_TEST(a_position_is_below_the_number_that_none_has)
{
    ck_assert_int_eq(check(METHOD_GETSAVEDSTATE, "92 01 ce fffffffe"), REDO_OK);
    ck_assert_int_eq(args.param[1].integer, INT64_C(0xfffffffe));
    ck_assert_int_eq(check(METHOD_GETSAVEDSTATE, "92 01 ce ffffffff"), REDO_EPOSITION);
    ck_assert_int_eq(check(METHOD_GETSAVEDSTATE, "92 01 ff"), REDO_EPOSITION);
    ck_assert_int_eq(check(METHOD_GETSAVEDSTATE, "92 01 c0"), REDO_ETYPE);
}
END_TEST

START_TEST(a_size_has_53_bits_and_no_sign)
{
    ck_assert_int_eq(check(METHOD_READSNAPSHOT, "93 01 00 cf 001fffffffffffff"), REDO_OK);
    ck_assert_int_eq(check(METHOD_READSNAPSHOT, "93 01 00 cf 0020000000000000"), REDO_ERANGE);
    ck_assert_int_eq(check(METHOD_READSNAPSHOT, "93 01 00 ff"), REDO_ERANGE);
    ck_assert_int_eq(check(METHOD_READSNAPSHOT, "93 01 00 00"), REDO_OK);
}
END_TEST

START_TEST(a_count_is_at_least_1)
{
    ck_assert_int_eq(check(METHOD_LISTSESSIONS, "91 81 a5'limit' 01"), REDO_OK);
    ck_assert_int_eq(check(METHOD_LISTSESSIONS, "91 81 a5'limit' cf 001fffffffffffff"), REDO_OK);
    ck_assert_int_eq(check(METHOD_LISTSESSIONS, "91 81 a5'limit' 00"), REDO_ERANGE);
    assert_detail("param", "limit");
    assert_detail("expected", "count");
    ck_assert_str_eq(error.message, "listsessions: limit must be an integer, 1 to 2^53-1");
    ck_assert_int_eq(check(METHOD_LISTSESSIONS, "91 81 a5'limit' ff"), REDO_ERANGE);
    ck_assert_int_eq(check(METHOD_LISTSESSIONS, "91 81 a5'limit' cf 0020000000000000"),
                     REDO_ERANGE);
}
END_TEST

START_TEST(bytes_may_come_as_str_whatever_they_are)
{
    ck_assert_int_eq(check(METHOD_APPLY, "92 01 a2'op'"), REDO_OK);
    ck_assert_mem_eq(args.param[1].bytes.data, "op", 2);
    ck_assert_int_eq(check(METHOD_APPLY, "92 01 a3 ff00c3"), REDO_OK);
    ck_assert_uint_eq(args.param[1].bytes.size, 3);
    ck_assert_mem_eq(args.param[1].bytes.data, "\xff\0\xc3", 3);
}
END_TEST

START_TEST(text_may_come_as_bin)
{
    ck_assert_int_eq(check(METHOD_OPENSESSION, "91 c4 02 c3a9"), REDO_OK);
    ck_assert_mem_eq(args.param[0].bytes.data, "\xc3\xa9", 2);
    ck_assert_int_eq(check(METHOD_GETSESSION, "91 c4 01 's'"), REDO_OK);
    ck_assert(args.param[0].named);
    ck_assert_mem_eq(args.param[0].bytes.data, "s", 1);
    ck_assert_int_eq(check(METHOD_GETPATH, "93 01 02 81 c4 05 'limit' 09"), REDO_OK);
    ck_assert_int_eq(args_integer(&args, "limit", 1), 9);
}
END_TEST

START_TEST(text_that_is_not_utf8_is_refused_by_the_name_of_the_param)
{
    ck_assert_int_eq(check(METHOD_OPENSESSION, "91 a1 ff"), REDO_EUTF8);
    assert_detail("param", "name");
    assert_detail_int("index", 0);
    assert_detail("expected", "str");
    ck_assert_str_eq(error.message, "opensession: name is not valid UTF-8");
    ck_assert_int_eq(check(METHOD_OPENSESSION, "91 c4 01 ff"), REDO_EUTF8);
    ck_assert_int_eq(check(METHOD_GETPATH, "92 a1 ff 02"), REDO_EUTF8);
    assert_detail("param", "session");
    ck_assert_int_eq(check(METHOD_GETPATH, "92 c4 02 'a' c3 02"), REDO_EUTF8);
    ck_assert_int_eq(check(METHOD_LISTSESSIONS, "91 81 a6'prefix' a1 ff"), REDO_EUTF8);
    assert_detail("param", "prefix");
    ck_assert_int_eq(check(METHOD_GETPATH, "93 01 02 81 a1 ff c0"), REDO_EUTF8);
    assert_detail("param", "options");
    assert_detail_int("index", 2);
    ck_assert_int_eq(check(METHOD_GETPATH, "93 01 02 81 c4 01 ff c0"), REDO_EUTF8);
}
END_TEST

START_TEST(a_str_anywhere_in_a_value_of_any_type_must_be_utf8)
{
    char const *const good[] = {"c0",
                                "a0",
                                "a2 c3a9",
                                "c4 01 ff",
                                "90",
                                "80",
                                "92 93 a1'a' c4 01 ff 01 81 a1'k' 92 a1'b' c0",
                                "82 c4 01 ff 01 91 01 a1'x'"};
    char const *const bad[] = {"a1 ff",          "91 a1 ff",
                               "81 a1 ff 01",    "81 01 a1 ff",
                               "93 90 80 a1 ff", "92 91 91 91 90 a1 c3",
                               "81 91 a1 ff c0", "92 82 01 02 03 81 04 92 05 a2 c080 06"};
    char text[200];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "93 01 a1'n' %s", good[i]);
        ck_assert_msg(check(METHOD_SETPROPERTY, text) == REDO_OK, "%s", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "93 01 a1'n' %s", bad[i]);
        ck_assert_msg(check(METHOD_SETPROPERTY, text) == REDO_EUTF8, "%s", bad[i]);
        assert_detail("param", "value");
        assert_detail_int("index", 2);
    }
}
END_TEST

START_TEST(a_value_of_any_type_is_looked_at_as_deep_as_a_frame_can_be)
{
    msgpack_object nested[FRAME_DEPTH_MAX + 2];
    struct arg arg;

    nested[0] = (msgpack_object){.type = MSGPACK_OBJECT_STR, .via.str = {1, "\xff"}};
    for (size_t i = 1; i < FRAME_DEPTH_MAX + 2; i++)
        nested[i] =
            (msgpack_object){.type = MSGPACK_OBJECT_ARRAY, .via.array = {1, &nested[i - 1]}};
    for (size_t i = 0; i <= FRAME_DEPTH_MAX; i++)
        ck_assert_int_eq(arg_read(PARAM_ANY, &nested[i], &arg), REDO_EUTF8);
    ck_assert_int_eq(arg_read(PARAM_ANY, &nested[FRAME_DEPTH_MAX + 1], &arg), REDO_ETOOBIG);
}
END_TEST

START_TEST(a_bool_is_no_number)
{
    ck_assert_int_eq(check(METHOD_ATTACH, "92 01 81 a7'effects' c2"), REDO_OK);
    ck_assert(args_option(&args, "effects")->present);
    ck_assert(!args_flag(&args, "effects", true));
    ck_assert_int_eq(check(METHOD_ATTACH, "92 01 81 a7'effects' 01"), REDO_ETYPE);
    ck_assert_int_eq(check(METHOD_SETGRAFTBEHAVIOR, "92 01 c3"), REDO_ETYPE);
}
END_TEST

START_TEST(bytes_that_may_be_nil_are_bytes_or_are_not_there)
{
    ck_assert_int_eq(check(METHOD_LOADSESSION, "91 c4 02 ff 00"), REDO_OK);
    ck_assert(args.param[0].present);
    ck_assert_uint_eq(args.param[0].bytes.size, 2);
    ck_assert_int_eq(check(METHOD_LOADSESSION, "91 a0"), REDO_OK);
    ck_assert(args.param[0].present);
    ck_assert_int_eq(check(METHOD_LOADSESSION, "91 c0"), REDO_OK);
    ck_assert(!args.param[0].present);
    ck_assert_uint_eq(args.param[0].bytes.size, 0);
    ck_assert_int_eq(check(METHOD_LOADSESSION, "91 05"), REDO_ETYPE);
}
END_TEST

START_TEST(an_array_is_handed_on_and_its_items_can_be_read)
{
    struct arg arg;
    ck_assert_int_eq(check(METHOD_ADDPOSITIONS, "92 01 92 05 a1'x'"), REDO_OK);
    ck_assert_uint_eq(args.param[1].array.size, 2);
    msgpack_object const *items = args.param[1].array.ptr;
    ck_assert_int_eq(arg_read(PARAM_INT, &items[0], &arg), REDO_OK);
    ck_assert_int_eq(arg.integer, 5);
    ck_assert_int_eq(arg_read(PARAM_INT, &items[1], &arg), REDO_ETYPE);
    ck_assert_int_eq(arg_read(PARAM_BIN, &items[1], &arg), REDO_OK);
    ck_assert_int_eq(check(METHOD_ADDPOSITIONS, "92 01 80"), REDO_ETYPE);
}
END_TEST

START_TEST(a_refusal_can_be_packed_as_it_is)
{
    struct buffer b;
    buffer_init(&b);
    ck_assert_int_eq(check(METHOD_OPENSESSION, "91 05"), REDO_ETYPE);
    error_pack(&error, false, &b);
    assert_bytes(&b, "93 16 d9 2a 'opensession takes name as str, and got int' 84"
                     "a5'param' a4'name' a5'index' 00"
                     "a8'expected' a3'str' a5'given' a3'int'");
    buffer_free(&b);
}
END_TEST

START_TEST(a_signature_is_read)
{
    struct signature s;
    ck_assert(signature_parse(&s, "session:session n:int {limit:size  states:bool}"));
    ck_assert_uint_eq(s.param_count, 2);
    ck_assert_uint_eq(s.option_count, 2);
    ck_assert(s.takes_options);
    ck_assert_int_eq(s.param[1].type, PARAM_INT);
    ck_assert_uint_eq(s.option[1].size, 6);
    ck_assert_mem_eq(s.option[1].name, "states", 6);
    ck_assert(signature_parse(&s, ""));
    ck_assert(!s.takes_options);
}
END_TEST

START_TEST(a_wrong_signature_is_told)
{
    char const *const wrong[] = {"a",
                                 "a:",
                                 ":int",
                                 "a:integer",
                                 "{a:int",
                                 "a:int}",
                                 "{{a:int}}",
                                 "{a:int} b:int",
                                 "{} {}",
                                 "a:int:int",
                                 "a:int b:int c:int d:int e:int f:int g:int h:int i:int"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct signature s;
        ck_assert_msg(!signature_parse(&s, wrong[i]), "%s", wrong[i]);
    }
}
END_TEST

int main(void)
{
    TTest const *tests[] = {
        every_method_is_found_by_its_name,
        other_names_are_no_methods,
        values_come_by_position_with_their_types,
        a_session_may_be_told_by_its_handle,
        options_come_by_name,
        no_options_an_empty_map_an_empty_array_and_nil_are_the_same,
        an_option_that_is_nil_is_absent,
        an_unknown_option_is_refused,
        an_option_that_has_no_name_is_refused,
        an_option_given_twice_is_refused,
        an_option_of_the_wrong_type_is_refused_by_its_name,
        options_that_are_no_map_are_refused,
        the_wrong_number_of_params_is_refused,
        a_float_is_no_integer,
        an_int_has_32_bits,
        a_position_is_below_the_number_that_none_has,
        a_size_has_53_bits_and_no_sign,
        a_count_is_at_least_1,
        bytes_may_come_as_str_whatever_they_are,
        text_may_come_as_bin,
        text_that_is_not_utf8_is_refused_by_the_name_of_the_param,
        a_str_anywhere_in_a_value_of_any_type_must_be_utf8,
        a_value_of_any_type_is_looked_at_as_deep_as_a_frame_can_be,
        a_bool_is_no_number,
        bytes_that_may_be_nil_are_bytes_or_are_not_there,
        an_array_is_handed_on_and_its_items_can_be_read,
        a_refusal_can_be_packed_as_it_is,
        a_signature_is_read,
        a_wrong_signature_is_told,
    };
    Suite *suite = suite_create("method");
    TCase *tcase = tcase_create("method");

    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}

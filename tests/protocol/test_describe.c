/* describe.h: what server.info says, read back. */
#include "tests/protocol/bytes.h"

#include "protocol/describe.h"

static struct methods methods;
static struct buffer info;
static msgpack_zone zone;
static msgpack_object object;

static void setup(void)
{
    ck_assert(methods_init(&methods));
    buffer_init(&info);
    msgpack_zone_init(&zone, 8192);
    struct describe_limit more[] = {{"connections", 7}};
    describe_pack(&methods, "1.2.3", &FRAME_LIMITS_DEFAULT, more, 1, 0, &info);
    ck_assert(!info.failed);
    size_t offset = 0;
    ck_assert_int_eq(msgpack_unpack(info.data, info.size, &offset, &zone, &object),
                     MSGPACK_UNPACK_SUCCESS);
    ck_assert_uint_eq(offset, info.size);
}

static void teardown(void)
{
    msgpack_zone_destroy(&zone);
    buffer_free(&info);
}

static msgpack_object get(msgpack_object map, char const *key)
{
    ck_assert_int_eq(map.type, MSGPACK_OBJECT_MAP);
    for (uint32_t i = 0; i < map.via.map.size; i++) {
        msgpack_object_kv *kv = &map.via.map.ptr[i];
        if (kv->key.via.str.size == strlen(key) &&
            memcmp(kv->key.via.str.ptr, key, strlen(key)) == 0)
            return kv->val;
    }
    ck_abort_msg("no key %s", key);
    return map;
}

static void assert_str(msgpack_object o, char const *text)
{
    ck_assert_int_eq(o.type, MSGPACK_OBJECT_STR);
    ck_assert_uint_eq(o.via.str.size, strlen(text));
    ck_assert_mem_eq(o.via.str.ptr, text, strlen(text));
}

/* The item of an array of maps that has this name. */
static msgpack_object find(msgpack_object array, char const *name)
{
    for (uint32_t i = 0; i < array.via.array.size; i++) {
        msgpack_object o = get(array.via.array.ptr[i], "name");
        if (o.via.str.size == strlen(name) && memcmp(o.via.str.ptr, name, strlen(name)) == 0)
            return array.via.array.ptr[i];
    }
    ck_abort_msg("no %s", name);
    return array;
}

START_TEST(it_is_one_whole_message_within_the_limits)
{
    struct frame f = scan(FRAME_LIMITS_DEFAULT, info.data, info.size);
    ck_assert_int_eq(f.status, FRAME_COMPLETE);
    ck_assert_uint_eq(f.at, info.size);
    ck_assert_uint_eq(f.flags, 0);
}
END_TEST

START_TEST(it_names_the_server)
{
    assert_str(get(object, "server"), "redod");
    assert_str(get(object, "version"), "1.2.3");
}
END_TEST

START_TEST(methods_tell_their_params_and_options)
{
    ck_assert_uint_eq(get(object, "methods").via.array.size, METHOD_COUNT);
    msgpack_object add = find(get(object, "methods"), "addposition");
    ck_assert_uint_eq(get(add, "params").via.array.size, 6);
    assert_str(get(find(get(add, "params"), "prev"), "type"), "position");
    assert_str(get(find(get(add, "params"), "state"), "type"), "bin");
    ck_assert_uint_eq(get(add, "options").via.array.size, 5);
    assert_str(get(find(get(add, "options"), "strict"), "type"), "bool");
    assert_str(get(find(get(add, "options"), "durable"), "type"), "bool");
    assert_str(get(find(get(add, "options"), "key"), "type"), "bin");
    msgpack_object set = find(get(object, "methods"), "setproperty");
    assert_str(get(find(get(set, "params"), "value"), "type"), "any");
}
END_TEST

START_TEST(events_tell_their_params)
{
    msgpack_object event = find(get(object, "events"), "operation");
    ck_assert_uint_eq(get(event, "params").via.array.size, 5);
    assert_str(get(find(get(event, "params"), "session"), "type"), "handle");
    assert_str(get(find(get(event, "params"), "operation"), "type"), "bin");
    event = find(get(object, "events"), "error");
    ck_assert_uint_eq(get(event, "params").via.array.size, 3);
    assert_str(get(find(get(event, "params"), "code"), "type"), "int");
}
END_TEST

START_TEST(errors_tell_code_name_and_text)
{
    msgpack_object e = find(get(object, "errors"), "REDO_EDROPPED");
    ck_assert_uint_eq(get(e, "code").via.u64, 4);
    assert_str(get(e, "text"), "the position has been dropped");
}
END_TEST

START_TEST(shapes_are_told)
{
    ck_assert_uint_eq(get(object, "shapes").via.array.size, shape_count);
    find(get(object, "shapes"), "POSITION");
}
END_TEST

START_TEST(limits_are_told)
{
    msgpack_object limits = get(object, "limits");
    ck_assert_uint_eq(get(limits, "bytes").via.u64, 64 * 1024 * 1024);
    ck_assert_uint_eq(get(limits, "items").via.u64, 1000000);
    ck_assert_uint_eq(get(limits, "depth").via.u64, 32);
    ck_assert_uint_eq(get(limits, "state").via.u64, 16 * 1024 * 1024);
    ck_assert_uint_eq(get(limits, "connections").via.u64, 7);
}
END_TEST

START_TEST(the_reference_names_every_method_event_and_error)
{
    struct buffer b;
    buffer_init(&b);
    reference_write(&methods, &b);
    buffer_append(&b, "", 1);
    ck_assert_ptr_eq(strstr(b.data, REFERENCE_BEGIN), b.data);
    for (int i = 0; i < METHOD_COUNT; i++)
        ck_assert_ptr_nonnull(strstr(b.data, method_table[i].name));
    for (int i = 0; i < EVENT_COUNT; i++)
        ck_assert_ptr_nonnull(strstr(b.data, event_table[i].name));
    ck_assert_ptr_nonnull(strstr(b.data, "| 4 | `REDO_EDROPPED` |"));
    ck_assert_str_eq(strstr(b.data, REFERENCE_END), REFERENCE_END);
    buffer_free(&b);
}
END_TEST

int main(void)
{
    TTest const *tests[] = {
        it_is_one_whole_message_within_the_limits,
        it_names_the_server,
        methods_tell_their_params_and_options,
        events_tell_their_params,
        errors_tell_code_name_and_text,
        shapes_are_told,
        limits_are_told,
        the_reference_names_every_method_event_and_error,
    };
    Suite *suite = suite_create("describe");
    TCase *tcase = tcase_create("describe");

    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}

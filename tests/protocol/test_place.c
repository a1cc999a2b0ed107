/* Default places, for every kind of environment. */
#include <check.h>
#include <string.h>

#include "core/redo_error.h"
#include "protocol/place.h"

static struct place_environment const user = {
    .uid = 1000, .runtime_dir = "/run/user/1000", .state_home = "/state", .home = "/home/ann"};
static struct place_environment const bare_user = {.uid = 1000, .home = "/home/ann"};
static struct place_environment const root = {.uid = 0, .home = "/root"};
static struct place_environment const relative = {
    .uid = 1000, .runtime_dir = "run", .state_home = "", .home = "/home/ann"};
static struct place_environment const nobody = {.uid = 1000};

static char path[300];

static char const *socket_of(struct place_environment const *environment)
{
    ck_assert_int_eq(place_socket(environment, path, sizeof path), REDO_OK);
    return path;
}

static char const *store_of(struct place_environment const *environment)
{
    ck_assert_int_eq(place_store(environment, path, sizeof path), REDO_OK);
    return path;
}

START_TEST(user_has_them_where_xdg_says)
{
    ck_assert_str_eq(socket_of(&user), "/run/user/1000/redod/redod.sock");
    ck_assert_str_eq(store_of(&user), "/state/redod");
}
END_TEST

START_TEST(user_without_xdg_has_them_at_home)
{
    ck_assert_str_eq(socket_of(&bare_user), "/home/ann/.local/state/redod/redod.sock");
    ck_assert_str_eq(store_of(&bare_user), "/home/ann/.local/state/redod");
}
END_TEST

START_TEST(root_has_them_where_the_system_has)
{
    ck_assert_str_eq(socket_of(&root), "/run/redod/redod.sock");
    ck_assert_str_eq(store_of(&root), "/var/lib/redod");
}
END_TEST

START_TEST(relative_and_empty_variables_do_not_count)
{
    ck_assert_str_eq(socket_of(&relative), "/home/ann/.local/state/redod/redod.sock");
    ck_assert_str_eq(store_of(&relative), "/home/ann/.local/state/redod");
}
END_TEST

START_TEST(without_any_variable_there_is_none)
{
    ck_assert_int_eq(place_socket(&nobody, path, sizeof path), REDO_ENAME);
    ck_assert_str_eq(path, "");
    ck_assert_int_eq(place_store(&nobody, path, sizeof path), REDO_ENAME);
}
END_TEST

START_TEST(socket_path_of_107_bytes_is_good_and_of_108_is_too_long)
{
    char folder[120];
    struct place_environment environment = {.uid = 1000, .runtime_dir = folder};
    size_t rest = strlen("/redod/redod.sock");

    memset(folder, 'x', sizeof folder);
    folder[0] = '/';
    folder[107 - rest] = '\0';
    ck_assert_uint_eq(strlen(socket_of(&environment)), 107);
    folder[107 - rest] = 'x';
    folder[108 - rest] = '\0';
    ck_assert_int_eq(place_socket(&environment, path, sizeof path), REDO_ERANGE);
    ck_assert_str_eq(path, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("place");
    TCase *tests = tcase_create("place");

    suite_add_tcase(suite, tests);
    tcase_add_test(tests, user_has_them_where_xdg_says);
    tcase_add_test(tests, user_without_xdg_has_them_at_home);
    tcase_add_test(tests, root_has_them_where_the_system_has);
    tcase_add_test(tests, relative_and_empty_variables_do_not_count);
    tcase_add_test(tests, without_any_variable_there_is_none);
    tcase_add_test(tests, socket_path_of_107_bytes_is_good_and_of_108_is_too_long);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

/* The main() of a program of unit tests: one file, one list of tests. */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>

static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}

static inline int run_tests(char const *name, TTest const *const *tests, size_t count,
                            double seconds)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    if (seconds > 0)
        tcase_set_timeout(tcase, seconds);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}

/* With so many seconds for each test. */
#define TEST_MAIN_SLOW(name, seconds, ...)                                    \
    int main(void)                                                            \
    {                                                                         \
        TTest const *tests[] = {__VA_ARGS__};                                 \
        return run_tests(name, tests, sizeof tests / sizeof *tests, seconds); \
    }

#define TEST_MAIN(name, ...) TEST_MAIN_SLOW(name, 0, __VA_ARGS__)

#endif

/* The use cases of the Redo Library's document: in the structs, and as the example program draws
 * them. Positions have the numbers that they have there.
 *
 * WALKTHROUGH is the program, CASES the folder of cases. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redo.h"
#include "tests/suite.h"

static redo_session *session;

static redo_position *at(uint32_t number)
{
    redo_position *p = redo_getposition(session, number);
    ck_assert_ptr_nonnull(p);
    return p;
}

/* Acts from a position; the new one has the next number, and the state that is given. */
static void act(uint32_t from, char action, char state)
{
    uint32_t number = (uint32_t)redo_getsessionsize(session);
    redo_position *p = redo_addposition(session, at(from), action, &state, 0, redo_check);
    ck_assert_uint_eq(redo_getpositionid(p), number);
}

/* Up to the last of the document's actions, which leads to the state of position 2 again. */
static void play(int grafting)
{
    session = redo_beginsession("0", 1, 0);
    redo_setgraftbehavior(session, grafting);
    act(0, 'A', '1');
    act(1, 'A', '2');
    act(2, 'B', '3');
    act(2, 'C', '4');
    act(3, 'B', '5');
    act(0, 'B', '6');
    act(6, 'C', '7');
    act(6, 'B', '8');
    act(8, 'B', '1');
    ck_assert_ptr_eq(at(9)->better, at(1));
    ck_assert_ptr_null(at(1)->better);
    act(0, 'C', '2');
}

START_TEST(a_longer_way_to_position_1_has_it_as_its_better)
{
    play(redo_nograft);
    ck_assert_uint_eq(at(9)->movecount, 3);
    ck_assert_ptr_eq(at(9)->better, at(1));
    redo_endsession(session);
}
END_TEST

START_TEST(without_grafting_position_2_keeps_its_branches)
{
    play(redo_nograft);
    ck_assert_ptr_eq(at(2)->better, at(10));
    ck_assert_uint_eq(at(2)->nextcount, 2);
    ck_assert_ptr_eq(at(3)->prev, at(2));
    ck_assert_ptr_eq(at(4)->prev, at(2));
    ck_assert_uint_eq(at(10)->nextcount, 0);
    redo_endsession(session);
}
END_TEST

START_TEST(with_grafting_position_10_takes_them_over)
{
    play(redo_graft);
    ck_assert_ptr_eq(at(2)->better, at(10));
    ck_assert_uint_eq(at(2)->nextcount, 0);
    ck_assert_ptr_eq(at(3)->prev, at(10));
    ck_assert_ptr_eq(at(4)->prev, at(10));
    ck_assert_ptr_eq(at(5)->prev, at(3));
    ck_assert_uint_eq(at(5)->movecount, 3);
    ck_assert_uint_eq(at(10)->nextcount, 2);
    redo_endsession(session);
}
END_TEST

static size_t read_all(FILE *file, char *text, size_t cap)
{
    ck_assert_ptr_nonnull(file);
    size_t size = fread(text, 1, cap - 1, file);
    text[size] = '\0';
    return size;
}

START_TEST(the_example_draws_the_diagrams_of_the_document)
{
    static char drawn[10000], expected[10000];
    char path[4000];
    char const *program = getenv("WALKTHROUGH"), *cases = getenv("CASES");
    ck_assert_msg(program && cases, "WALKTHROUGH and CASES are not set");
    FILE *out = popen(program, "r");
    read_all(out, drawn, sizeof drawn);
    ck_assert_int_eq(pclose(out), 0);
    snprintf(path, sizeof path, "%s/walkthrough.txt", cases);
    FILE *file = fopen(path, "r");
    read_all(file, expected, sizeof expected);
    fclose(file);
    char *diagrams = expected; /* after the lines that name their source */
    while (*diagrams == '#' || *diagrams == '\n')
        diagrams = strchr(diagrams, '\n') + 1;
    ck_assert_str_eq(drawn, diagrams);
}
END_TEST

TEST_MAIN("walkthrough", a_longer_way_to_position_1_has_it_as_its_better,
          without_grafting_position_2_keeps_its_branches, with_grafting_position_10_takes_them_over,
          the_example_draws_the_diagrams_of_the_document)

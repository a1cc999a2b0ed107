/* A parser of one line, for text that this program brings itself. */
#include "protocol/signature.h"

#include <string.h>

static struct {
    char const *name, *text;
} const types[] = {
#define TYPE(symbol, name, text) {name, text},
    PARAM_TYPES(TYPE)
#undef TYPE
};

char const *param_type_name(enum param_type type)
{
    return types[type].name;
}

char const *param_type_text(enum param_type type)
{
    return types[type].text;
}

/* One `name:type`; returns what follows it, NULL if it is none. */
static char const *parse_param(char const *text, struct param *p)
{
    size_t name = strcspn(text, ":{} ");
    if (name == 0 || text[name] != ':')
        return NULL;
    char const *word = text + name + 1;
    size_t size = strcspn(word, ":{} ");
    for (unsigned i = 0; i < PARAM_TYPE_COUNT; i++) {
        if (strlen(types[i].name) == size && memcmp(types[i].name, word, size) == 0) {
            *p = (struct param){text, name, (enum param_type)i};
            return word + size;
        }
    }
    return NULL;
}

bool signature_parse(struct signature *s, char const *text)
{
    bool inside = false;

    *s = (struct signature){0};
    for (;;) {
        text += strspn(text, " ");
        if (*text == '\0')
            return !inside;
        if (*text == '{') {
            if (s->takes_options)
                return false;
            s->takes_options = inside = true;
            text++;
        } else if (*text == '}') {
            text += 1 + strspn(text + 1, " ");
            return inside && *text == '\0';
        } else if (inside) {
            if (s->option_count == SIGNATURE_OPTIONS_MAX)
                return false;
            text = parse_param(text, &s->option[s->option_count++]);
        } else {
            if (s->param_count == SIGNATURE_PARAMS_MAX)
                return false;
            text = parse_param(text, &s->param[s->param_count++]);
        }
        if (!text)
            return false;
    }
}

#include "server/leaving.h"

#include <stdlib.h>
#include <string.h>

#include "server/gateway.h"
#include "server/job.h"

/* ---- what goes while a job reads --------------------------------------------------------- */

static size_t place_of_id(uint64_t id)
{
    return id & (GATEWAY_DEPARTED - 1);
}

#define ANY_OWNER UINT64_MAX

static size_t place_of_name(char const *name, size_t size, uint64_t owner)
{
    uint32_t hash = 2166136261u ^ (uint32_t)(owner ^ owner >> 32); /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return (hash ^ hash >> 16) & (GATEWAY_DEPARTED - 1);
}

void rooms_departed(struct gateway *gateway, uint64_t id, char const *name, size_t size,
                    uint32_t owner)
{
    gateway->departed[place_of_id(id)] = ++gateway->departures;
    if (size) {
        gateway->departed[place_of_name(name, size, owner)] = gateway->departures;
        gateway->departed[place_of_name(name, size, ANY_OWNER)] = gateway->departures;
    }
}

bool rooms_departed_since(struct job const *job, uint64_t id)
{
    return job->gateway->departed[place_of_id(id)] > job->departures;
}

bool rooms_name_departed_since(struct job const *job, char const *name, size_t size, uint32_t owner)
{
    return job->gateway->departed[place_of_name(name, size, owner)] > job->departures;
}

bool rooms_stale(struct job const *job)
{
    struct gateway const *gateway = job->gateway;
    if (gateway->turned > job->departures)
        return true;
    uint64_t owner = job->anyone ? ANY_OWNER : job->owner;
    if (job->named &&
        gateway->departed[place_of_name(job->name.data, job->name.size, owner)] > job->departures)
        return true;
    uint64_t id = job->named ? job->info.id : job->id;
    return id && rooms_departed_since(job, id);
}

/* ---- what is not on disk yet ------------------------------------------------------------- */

static bool is_leaving(struct leaving const *l, uint64_t id)
{
    size_t low = 0, high = l->game_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->games[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return l->id == id || (low < l->game_count && l->games[low] == id);
}

uint64_t rooms_leaving(struct gateway const *gateway, uint64_t id)
{
    for (size_t i = 0; i < gateway->leaving_count; i++)
        if (is_leaving(&gateway->leaving[i], id))
            return gateway->leaving[i].number;
    return 0;
}

int rooms_leave(struct gateway *gateway, uint64_t id, enum leaving_how how)
{
    return rooms_leave_match(gateway, id, how, NULL, 0);
}

int rooms_leave_match(struct gateway *gateway, uint64_t id, enum leaving_how how,
                      uint64_t const *games, size_t count)
{
    uint64_t *copy = count ? malloc(count * sizeof *copy) : NULL;
    if (count && !copy)
        return REDO_ENOMEM;
    if (count)
        memcpy(copy, games, count * sizeof *copy);
    if (gateway->leaving_count == gateway->leaving_cap) {
        size_t cap = gateway->leaving_cap ? gateway->leaving_cap * 2 : 8;
        struct leaving *grown = realloc(gateway->leaving, cap * sizeof *grown);
        if (!grown) {
            free(copy);
            return REDO_ENOMEM;
        }
        gateway->leaving = grown;
        gateway->leaving_cap = cap;
    }
    gateway->leaving[gateway->leaving_count++] =
        (struct leaving){.id = id,
                         .number = gateway->committer.number,
                         .how = how,
                         .games = copy,
                         .game_count = count};
    return REDO_OK;
}

void rooms_forget_leaving(struct gateway *gateway)
{
    for (size_t i = 0; i < gateway->leaving_count; i++)
        free(gateway->leaving[i].games);
    gateway->leaving_count = 0;
}

void rooms_return(struct gateway *gateway)
{
    gateway->returning = gateway->committer.number;
    gateway->turned = ++gateway->departures;
}

/* It is gone, on disk too. */
static void left(struct gateway *gateway, uint64_t id, enum leaving_how how)
{
    /* A job may have read the store just before this was on disk. */
    rooms_departed(gateway, id, NULL, 0, 0);
    if (how == LEAVING_TO_TRASH)
        usage_trash(&gateway->usage, id);
    else if (how == LEAVING_FOR_EVER)
        usage_leave(&gateway->usage, id);
}

void rooms_left(struct gateway *gateway, uint64_t number)
{
    size_t kept = 0;
    for (size_t i = 0; i < gateway->leaving_count; i++) {
        struct leaving *l = &gateway->leaving[i];
        if (l->number > number) {
            gateway->leaving[kept++] = *l;
            continue;
        }
        left(gateway, l->id, l->how);
        for (size_t k = 0; k < l->game_count; k++)
            left(gateway, l->games[k], l->how);
        free(l->games);
    }
    gateway->leaving_count = kept;
}

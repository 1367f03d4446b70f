/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "score.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "team.h"

/* ---- A block as bytes ------------------------------------------------------------------------ */

/* In front of the row numbers, scores, values of labels, and the texts of a block: labels, ids, and
 * columns that are carried. Processes of
 * one program on machines of one kind talk to each other here, so numbers stay as they are. */
typedef struct block_head {
    uint64_t n_rows, text_bytes;
    uint64_t has_labels, has_ids, n_carried;
} block_head;

static void append(team_bytes *bytes, size_t *used, const void *more, size_t size) {
    if (*used + size > bytes->size) {
        bytes->size = 2 * (*used + size);
        bytes->bytes = must_resize(bytes->bytes, bytes->size, 1);
    }
    memcpy((char *)bytes->bytes + *used, more, size);
    *used += size;
}

static void append_texts(team_bytes *bytes, size_t *used, const char *const *texts, size_t count) {
    for (size_t i = 0; texts && i < count; i++) {
        append(bytes, used, texts[i], strlen(texts[i]) + 1);
    }
}

static size_t pack_block(const cli_scoring *scoring, team_bytes *bytes) {
    const frocc_block *block = &scoring->block;
    size_t used = 0, n = block->rows.n_rows, texts;
    block_head head = {n, 0, block->labels != NULL, scoring->data.has_ids, block->n_carried};
    append(bytes, &used, &head, sizeof head);
    append(bytes, &used, block->row_numbers, n * sizeof *block->row_numbers);
    append(bytes, &used, scoring->scores, n * sizeof *scoring->scores);
    if (head.has_labels) {
        append(bytes, &used, block->label_values, n * sizeof *block->label_values);
    }
    texts = used;
    append_texts(bytes, &used, block->labels, n);
    append_texts(bytes, &used, head.has_ids ? block->ids : NULL, n);
    append_texts(bytes, &used, block->carried, n * block->n_carried);
    head.text_bytes = used - texts;
    memcpy(bytes->bytes, &head, sizeof head);
    return used;
}

/* Texts one behind the other become a list. */
static const char **list_texts(const char **list, const char **at, size_t count) {
    list = must_resize(list, count, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        list[i] = *at;
        *at += strlen(*at) + 1;
    }
    return list;
}

/* The block lies in the bytes, which must stay. */
static void unpack_block(const team_bytes *bytes, cli_scoring *scoring) {
    static const char **labels, **ids, **carried;
    const char *at = bytes->bytes;
    block_head head;
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    const size_t n = (size_t)head.n_rows;
    scoring->block = (frocc_block){.struct_size = sizeof scoring->block};
    scoring->block.rows.n_rows = n;
    scoring->block.row_numbers = (const uint64_t *)(const void *)at;
    at += n * sizeof(uint64_t);
    if (n > scoring->capacity) {
        scoring->capacity = n;
        scoring->scores = must_resize(scoring->scores, n, sizeof *scoring->scores);
    }
    memcpy(scoring->scores, at, n * sizeof(double));
    at += n * sizeof(double);
    if (head.has_labels) {
        scoring->block.label_values = (const double *)(const void *)at;
        at += n * sizeof(double);
        scoring->block.labels = labels = list_texts(labels, &at, n);
    }
    if (head.has_ids) {
        scoring->block.ids = ids = list_texts(ids, &at, n);
    }
    if (head.n_carried) {
        scoring->block.n_carried = (size_t)head.n_carried;
        scoring->block.carried = carried = list_texts(carried, &at, n * (size_t)head.n_carried);
    }
}

/* ---- Results that wait ----------------------------------------------------------------------- */

static _Noreturn void die_of_file(const char *what) {
    die(EXIT_FAILED,
        "the temporary file of results cannot be %s: %s; set TMPDIR to a folder with room", what,
        strerror(errno));
}

/* Without a name, so that nothing is left of it. */
static FILE *open_temporary(void) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/frocc-mpi-XXXXXX", folder && *folder ? folder : "/tmp");
    int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w+b");
    if (!file) {
        die_of_file("made");
    }
    unlink(path);
    return file;
}

static void put(FILE *file, const void *bytes, size_t size) {
    if (fwrite(bytes, 1, size, file) != size) {
        die_of_file("written");
    }
}

static void get(FILE *file, void *bytes, size_t size) {
    if (fread(bytes, 1, size, file) != size) {
        die_of_file("read");
    }
}

/* ---- Rows that were learnt ------------------------------------------------------------------- */

/* Goes to the first behind the last block, which alone can tell what all have met together. */
static void send_met(const cli_scoring *scoring) {
    size_t count = 0;
    check(frocc_scorer_copy_met(scoring->scorer, NULL, 0, &count), NULL);
    uint64_t *met = must_allocate(count, sizeof *met);
    check(frocc_scorer_copy_met(scoring->scorer, met, count, &count), NULL);
    team_send(met, count * sizeof *met);
    free(met);
}

static void receive_met(int from, team_bytes *room, cli_scoring *scoring) {
    const size_t count = team_receive(from, room) / sizeof(uint64_t);
    if (count > 0) {
        check(frocc_scorer_add_met(scoring->scorer, room->bytes, count, &scoring->learnt), NULL);
    }
}

/* ---- Scores, and who waits for them ---------------------------------------------------------- */

void score_for_the_first(const cli_arguments *arguments, bool asks_if_learnt) {
    cli_scoring scoring;
    team_bytes room = {NULL, 0};
    uint64_t size;
    scoring_open(arguments, arguments->operands[0], arguments->operands + 1,
                 arguments->n_operands - 1, 1, LABEL_IF_GIVEN, &scoring);
    FILE *file = open_temporary();
    while (scoring_next(&scoring)) {
        if (asks_if_learnt) {
            scoring_meet(&scoring);
        }
        size = pack_block(&scoring, &room);
        put(file, &size, sizeof size);
        put(file, room.bytes, (size_t)size);
    }
    size = 0;
    put(file, &size, sizeof size);
    if (fflush(file) || fseek(file, 0, SEEK_SET)) {
        die_of_file("written");
    }
    team_agree();
    team_stream();
    for (get(file, &size, sizeof size); size > 0; get(file, &size, sizeof size)) {
        get(file, room.bytes, (size_t)size); /* there was room for each of them */
        team_send(room.bytes, (size_t)size);
    }
    team_send(NULL, 0);
    if (asks_if_learnt) {
        send_met(&scoring);
    } else {
        team_send(NULL, 0);
    }
    fclose(file);
    free(room.bytes);
    scoring_close(&scoring);
}

bool score_next_elsewhere(cli_scoring *scoring) {
    static team_bytes room;
    static int from;
    if (from == 0) {
        team_agree();
        team_stream();
        from = 1;
    }
    for (; from < team_size(); from++) {
        if (team_receive(from, &room) > 0) {
            unpack_block(&room, scoring);
            return true;
        }
        receive_met(from, &room, scoring);
    }
    return false;
}

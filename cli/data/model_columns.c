/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns are chosen when a model is fitted. Saying the same again later does no harm; what cannot
 * be had any more is refused. */
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "data/data.h"

/* What is wrong with naming a column in an option; NULL where nothing is. */
typedef const char *(*fault_of)(const frocc_column_info *info);

static const char *fault_of_use(const frocc_column_info *info) {
    return info->is_feature ? NULL : "the model does not read this column";
}

static const char *fault_of_drop(const frocc_column_info *info) {
    return info->is_feature ? "the model reads this column" : NULL;
}

static const char *fault_of_categorical(const frocc_column_info *info) {
    return info->kind == FROCC_COLUMN_CATEGORY || info->kind == FROCC_COLUMN_TRUTH ||
                   !info->is_feature
               ? NULL
               : "the model has numbers or times there";
}

static const char *fault_of_time(const frocc_column_info *info) {
    return info->has_seconds || !info->is_feature ? NULL
                                                  : "the model does not have the time itself";
}

static bool find_column(const frocc_schema *schema, const char *name, frocc_column_info *info) {
    for (size_t i = 0; i < frocc_schema_columns(schema); i++) {
        *info = (frocc_column_info){.struct_size = sizeof *info};
        check(frocc_schema_column(schema, i, info), NULL);
        if (info->name && !strcmp(info->name, name)) {
            return true;
        }
    }
    return false;
}

static bool is_listed(const text_list *list, const char *name) {
    for (size_t i = 0; i < list->count; i++) {
        if (!strcmp(list->items[i], name)) {
            return true;
        }
    }
    return false;
}

/* Numbers and ranges of columns are of the file, whose columns may be in another order. */
static bool all_are_names(const text_list *list, const frocc_schema *schema) {
    frocc_column_info info;
    for (size_t i = 0; i < list->count; i++) {
        const char *item = list->items[i];
        if (!find_column(schema, item, &info) && !item[strspn(item, "0123456789-")]) {
            return false;
        }
    }
    return true;
}

static void refuse_unlisted(const text_list *list, const frocc_schema *schema) {
    for (size_t i = 0; i < frocc_schema_columns(schema); i++) {
        frocc_column_info info = {.struct_size = sizeof info};
        check(frocc_schema_column(schema, i, &info), NULL);
        if (info.is_feature && info.name && !is_listed(list, info.name)) {
            die(EXIT_MISUSE,
                "--use: the model reads column '%s', too; columns are chosen when it is fitted",
                info.name);
        }
    }
}

void refuse_other_columns(const cli_arguments *arguments, const frocc_schema *schema) {
    static const struct {
        const char *option;
        fault_of fault;
    } options[] = {{"use", fault_of_use},
                   {"drop", fault_of_drop},
                   {"categorical", fault_of_categorical},
                   {"time", fault_of_time}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *option = options[i].option;
        text_list list = split_commas(argument_text(arguments, option));
        for (size_t j = 0; j < list.count && all_are_names(&list, schema); j++) {
            frocc_column_info info;
            const bool found = find_column(schema, list.items[j], &info);
            const char *fault = found                    ? options[i].fault(&info)
                                : strcmp(option, "drop") ? "the model has no such column"
                                                         : NULL;
            if (fault) {
                die(EXIT_MISUSE, "--%s %s: %s; columns are chosen when it is fitted", option,
                    list.items[j], fault);
            }
        }
        if (!i && list.count && all_are_names(&list, schema)) {
            refuse_unlisted(&list, schema);
        }
        free_list(&list);
    }
}

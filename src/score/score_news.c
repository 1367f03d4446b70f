/* SPDX-License-Identifier: BSD-3-Clause */
/* Codes that no training row had, by column: O(columns of codes) a row. */
#include "base/arithmetic.h"
#include "base/status.h"
#include "model/model.h"

frocc_status frocc_model_count_news(const frocc_model *model, const frocc_rows *rows,
                                    uint64_t *news) {
    FROCC_OWN_ARITHMETIC;
    FROCC_REQUIRE(model);
    FROCC_REQUIRE(rows);
    FROCC_REQUIRE(news);
    const frocc__columns *columns = &model->frame->columns;
    FROCC_TRY(frocc__rows_check(rows, columns->n_inputs));
    if (model->evidence.codes.alone == NULL)
        return FROCC_OK; /* it judges no codes */
    for (size_t r = 0; r < rows->n_rows; r++)
        for (size_t k = 0; k < columns->n_codes; k++) {
            const uint32_t code = frocc__code_at(rows, r, columns->known[k].feature);
            news[columns->known[k].feature] +=
                frocc__tally_rows(&model->evidence.codes.codes.tallies[k], code) == 0;
        }
    return FROCC_OK;
}

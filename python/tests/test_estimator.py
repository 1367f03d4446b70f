# SPDX-License-Identifier: BSD-3-Clause
"""What the estimator promises about the method: equal bits, whatever the way to the model."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import frocc
from frocc import FROCC, CalibrationWarning, DataError
from frocc._rows import RowView


def model(**params):
    return FROCC.paper(**{"directions": 120, **params})


def test_training_rows_are_normal(X):
    fitted = model().fit(X)
    assert (fitted.score_samples(X) == 1.0).all()
    assert (fitted.predict(X) == 1).all()
    with pytest.warns(UserWarning, match="knows the rows"):
        assert (fitted.fit_predict(X) == 1).all()


def test_scores_are_the_share_of_intervals_that_hold_the_projection(X, queries):
    fitted = model(scaling="standard").fit(X)
    scaled = ((queries - fitted.shift_) / fitted.scale_).astype(np.float32)
    projected = scaled.astype(np.float64) @ fitted.directions_.T.astype(np.float64)
    inside = np.zeros(projected.shape, bool)
    for i, ends in enumerate(fitted.intervals_):
        for lower, upper in ends.astype(np.float64):
            inside[:, i] |= (projected[:, i] >= lower) & (projected[:, i] <= upper)
    # Rounding can only matter at the end of an interval.
    assert np.abs(inside.mean(axis=1) - fitted.score_samples(queries)).max() <= 1 / 120
    assert fitted.score_samples(queries).min() < 0.9


@pytest.mark.parametrize("params", [
    {"fpr": 0.1}, {"threshold": 0.9}, {"score_method": "agreement"},
    {"score_method": "agreement", "threshold": 0.9},
], ids=str)  # fmt: skip
def test_decision_is_score_less_offset(X, queries, params):
    fitted = FROCC(directions=120, **params).fit(X)
    scores = fitted.score_samples(queries)
    assert np.array_equal(fitted.decision_function(queries), scores - fitted.offset_)
    assert np.array_equal(fitted.predict(queries), np.where(scores >= fitted.offset_, 1, -1))
    if "fpr" not in params:
        assert fitted.offset_ == params.get("threshold", 1.0)


def test_counts_are_of_agreement(X, queries):
    fitted = model().fit(X)
    assert np.array_equal(fitted.agreement(queries), fitted.score_samples(queries))
    close = FROCC(directions=20).fit(X)
    for question in (close.agreement, lambda rows: close.grid_scores(rows, [1], [0.1])):
        with pytest.raises(NotImplementedError, match="agreement"):
            question(queries)


@pytest.mark.parametrize("fpr", [0.02, 0.1, 0.3])
def test_fpr_is_the_share_of_false_alarms(fpr):
    rng = np.random.default_rng(5)
    fitted = FROCC(directions=120, fpr=fpr).fit(rng.normal(size=(4000, 10)))
    alarms = (fitted.predict(rng.normal(size=(8000, 10))) == -1).mean()
    assert 0.4 * fpr <= alarms <= 1.2 * fpr


def test_fpr_leaves_the_scores_alone(X, queries):
    plain = FROCC(directions=120, threshold=1.0).fit(X)
    calibrated = FROCC(directions=120, fpr=0.1).fit(X)
    assert np.array_equal(plain.score_samples(queries), calibrated.score_samples(queries))
    assert calibrated.offset_ < plain.offset_


def test_a_threshold_takes_the_place_of_the_usual_rate(X, queries):
    for params in ({"threshold": 0.5}, {"threshold": 0.5, "fpr": 0.0}):
        fitted = FROCC(directions=60, **params).fit(X)
        assert fitted.offset_ == 0.5 and fitted.info_["fpr"] == 0.0
        assert np.array_equal(fitted.p_values(queries), FROCC(directions=60).fit(X).p_values(queries))
    assert FROCC(directions=60, fpr=0.0).fit(X).offset_ == 1.0


def test_contamination_is_of_the_training_rows(rng):
    normal, odd = rng.normal(size=(900, 5)), rng.uniform(-6, 6, size=(100, 5))
    fresh = rng.uniform(-6, 6, size=(500, 5))
    mixed, likely = np.vstack([normal, odd]), rng.normal(size=(500, 5))
    separates = {}
    for contamination in (0.0, 0.1):
        fitted = FROCC(contamination=contamination).fit(mixed)
        assert fitted.info_["contamination"] == contamination
        scores = fitted.score_samples(np.vstack([likely, fresh]))
        separates[contamination] = roc_auc_score(np.repeat([1, 0], 500), scores)
    assert separates[0.1] > separates[0.0] > 0.9


def test_decontaminate_is_a_fit(X):
    fitted = FROCC(directions=60).fit(X)
    for contamination in (0.1, 0.5, 0.0):
        other = fitted.decontaminate(contamination)
        expected = FROCC(directions=60, contamination=contamination).fit(X)
        assert other.to_bytes() == expected.to_bytes() and other.contamination == contamination
        assert other.decontaminate(0.0).to_bytes() == fitted.to_bytes()
    with pytest.raises(ValueError, match="contamination"):
        fitted.decontaminate(0.6)
    with pytest.raises(NotImplementedError, match="agreement"):
        model().fit(X).decontaminate(0.1)
    with pytest.raises(NotImplementedError, match="sealed model can only score"):
        fitted.seal().decontaminate(0.1)


def test_trees_see_all_directions(X, queries):
    fitted = FROCC(directions=60, trees=4).fit(X)
    assert fitted.info_["n_trees"] == 4 and fitted.info_["n_directions"] == 60
    coarse = FROCC(directions=60, trees=4, epsilon=0.01).fit(X)
    assert fitted.coarsen(0.01).to_bytes() == coarse.to_bytes()
    with pytest.raises(NotImplementedError, match="trees cannot be truncated.* or with trees 0"):
        fitted.truncate(30)
    plain = FROCC(directions=60, trees=0).fit(X)
    assert not np.array_equal(plain.score_samples(queries), fitted.score_samples(queries))
    assert plain.truncate(30).info_["n_directions"] == 30
    assert FROCC.paper().trees == 0
    assert FROCC(directions=60, score_method="agreement").fit(X).info_["n_trees"] == 0


def test_trees_take_a_pass_of_their_own(X):
    params = {"directions": 20, "scaling": "none", "family": "gaussian"}
    with pytest.raises(ValueError, match="trees.*only once"):
        FROCC(**params).fit_stream(iter(np.array_split(X, 3)))
    streamed = FROCC(trees=0, **params).fit_stream(iter(np.array_split(X, 3)))
    assert streamed.to_bytes() == FROCC(trees=0, **params).fit(X).to_bytes()


def test_agreement_has_no_rate(X):
    for fpr in (0.1, 0.5):
        with pytest.raises(ValueError, match="fpr.*agreement.*threshold"):
            model(fpr=fpr).fit(X)
    fitted = FROCC(directions=120, score_method="agreement").fit(X)
    assert fitted.offset_ == 1.0 and fitted.info_["calibration_rows"] == 0


@pytest.mark.parametrize("scaling", ["none", "standard", "minmax"])
def test_order_threads_and_dtype_change_nothing(X, scaling, rng):
    X = X.astype(np.float32)
    expected = model(scaling=scaling).fit(X).to_bytes()
    for other in (X[rng.permutation(len(X))], X.astype(np.float64), np.asfortranarray(X)):
        for n_jobs in (1, 2, -1):
            assert model(scaling=scaling, n_jobs=n_jobs).fit(other).to_bytes() == expected


#: In a frame that is not learnt, so that parts are in the same one.
CLOSE = {"score_method": "closeness", "epsilon": 2**-12, "fpr": 0.1}


@pytest.mark.parametrize("params", [{}, CLOSE], ids=["agreement", "closeness"])
def test_partial_fit_and_stream_give_the_model_of_one_fit(X, params):
    whole, parts = model(**params).fit(X), model(**params)
    for part in np.array_split(X, 7):
        parts.partial_fit(part)
    streamed = model(**params).fit_stream(np.array_split(X, 7))
    assert parts.to_bytes() == streamed.to_bytes() == whole.to_bytes()
    assert parts.n_samples_seen_ == len(X)


@pytest.mark.parametrize("params", [{}, CLOSE], ids=["agreement", "closeness"])
def test_merge(X, params):
    a, b, c = (model(**params).fit(part) for part in np.array_split(X, 3))
    expected = model(**params).fit(X).to_bytes()
    for merged in (a + b + c, a.merge(b, c), c + (a + b), sum([a, b, c])):
        assert merged.to_bytes() == expected
    assert a.n_samples_seen_ == 200  # and a is as it was


def test_merge_refuses_other_frames(X):
    a = model().fit(X)
    with pytest.raises(ValueError, match="frame"):
        a + model(random_state=1).fit(X)
    with pytest.raises(ValueError, match="epsilon"):
        a + model(epsilon=0.2).fit(X)
    with pytest.raises(ValueError, match="score"):
        a + model(score_method="closeness").fit(X)
    with pytest.raises(TypeError):
        a + 1
    with pytest.raises(TypeError, match="merges"):
        a.merge(X)


def test_coarsen_and_truncate_are_fits(X):
    fine = model(epsilon=0.01).fit(X)
    coarse, short = fine.coarsen(0.2), fine.truncate(50)
    assert coarse.to_bytes() == model(epsilon=0.2).fit(X).to_bytes()
    assert short.to_bytes() == model(epsilon=0.01, directions=50).fit(X).to_bytes()
    assert coarse.epsilon == 0.2 and short.directions == 50
    with pytest.raises(ValueError, match="epsilon"):
        coarse.coarsen(0.1)
    with pytest.raises(ValueError, match="directions"):
        fine.truncate(121)


def test_coarsen_and_truncate_are_fits_of_closeness(X):
    fine = model(**CLOSE).fit(X)
    for coarser in (2**-12, 0.01, 0.25):
        expected = model(**{**CLOSE, "epsilon": coarser}).fit(X)
        assert fine.coarsen(coarser).to_bytes() == expected.to_bytes()
    assert fine.truncate(50).to_bytes() == model(directions=50, **CLOSE).fit(X).to_bytes()
    with pytest.raises(ValueError, match="epsilon"):
        fine.coarsen(0.5)


def test_grid_scores_are_those_of_all_the_models(X, queries):
    fine = model(epsilon=0.01).fit(X)
    ms, epsilons = [1, 7, 120], [0.01, 0.05, 1.0]
    grid = fine.grid_scores(queries, ms, epsilons)
    for e, epsilon in enumerate(epsilons):
        for k, m in enumerate(ms):
            one = fine.coarsen(epsilon).truncate(m)
            assert np.array_equal(grid[:, e, k], one.score_samples(queries))
    for bad in ([0], [121], [7, 1], [1.5]):
        with pytest.raises(ValueError, match="directions|ms"):
            fine.grid_scores(queries, bad, epsilons)
    with pytest.raises(ValueError, match="epsilons"):
        fine.grid_scores(queries, ms, [0.001])


@pytest.mark.parametrize("params", [
    {"kernel": "rbf", "gamma": 0.5}, {"kernel": "poly", "degree": 2, "coef0": 1.0},
    {"kernel": "sigmoid"}, {"epsilon": 1.0}, {"random_state": 2**64 - 1},
])  # fmt: skip
def test_parameters_reach_the_model(X, queries, params):
    fitted = model(**params).fit(X)
    info = fitted.info_
    assert info["n_directions"] == 120
    for name in ("degree", "coef0", "gamma"):
        if name in params:
            assert info[name] == params[name]
    if "random_state" in params:
        assert fitted.seed_ == params["random_state"]
    assert not np.array_equal(fitted.score_samples(queries), model().fit(X).score_samples(queries))


def test_given_scaling_and_directions(X, queries):
    fitted = model(scaling="standard").fit(X)
    given = model(scaling=(fitted.shift_, fitted.scale_), family=fitted.directions_).fit(X)
    assert np.array_equal(given.score_samples(queries), fitted.score_samples(queries))
    assert given.truncate(10).fit(X).directions_.shape == (10, 5)
    with pytest.raises(ValueError, match="shape"):
        model(family=np.ones((3, 4))).fit(X)
    with pytest.raises(ValueError, match="shape"):
        model(scaling=(np.zeros(4), np.ones(4))).fit(X)


def test_random_state(X):
    assert model(random_state=None).fit(X).seed_ != model(random_state=None).fit(X).seed_
    seeds = [model(random_state=np.random.RandomState(3)).fit(X).seed_ for _ in range(2)]
    assert seeds[0] == seeds[1]


@pytest.fixture
def mixed(X, rng):
    """Rows of which the last two are odd."""
    return np.vstack([X, 8 + rng.normal(size=(1, 5)), -8 + rng.normal(size=(1, 5))])


def test_training_rows_are_scored_as_if_they_had_not_been_there(mixed):
    fitted = FROCC(directions=64).fit(mixed)
    scores = fitted.score_left_out(mixed)
    assert set(np.argsort(scores)[:2]) == {600, 601}
    assert (fitted.score_samples(mixed[600:]) > scores[600:]).all()
    assert np.array_equal(fitted.score_left_out(mixed[::-1][:50]), scores[::-1][:50])
    with pytest.raises(DataError, match="^row 3 .* not among those.*score_samples") as caught:
        fitted.score_left_out(np.vstack([mixed[:3], mixed[:1] + 100]))
    assert (caught.value.row, caught.value.column) == (3, None)
    for without in (fitted.seal(), model().fit(mixed)):
        with pytest.raises(NotImplementedError, match="left out"):
            without.score_left_out(mixed)
    with pytest.raises(ValueError, match="one row"), pytest.warns(CalibrationWarning):
        FROCC().fit_predict(mixed[:1])


def test_fit_predict_judges_the_rows_of_a_table(mixed):
    labels = FROCC(directions=64, contamination=0.05).fit_predict(mixed)
    assert labels.tolist().count(-1) == 31  # 5 % of 602 rows
    assert labels[600:].tolist() == [-1, -1]
    plain = FROCC(directions=64)
    labels = plain.fit_predict(mixed)
    assert labels[600:].tolist() == [-1, -1] and 2 <= labels.tolist().count(-1) <= 20
    lowest = plain.score_left_out(mixed) <= plain.offset_  # one calibrates at the threshold itself
    assert np.array_equal(labels == -1, lowest)
    assert plain.to_bytes() == FROCC(directions=64).fit(mixed).to_bytes()


def test_fit_predict_of_a_frame_with_texts(mixed, rng):
    frame = pd.DataFrame(mixed, columns=list("abcde")).assign(kind=rng.choice(["u", "v"], 602))
    frame.loc[7, "kind"] = "w"
    labels = FROCC(contamination=0.01).fit_predict(frame)
    assert (labels[[7, 600, 601]] == -1).all()


def test_explain_names_the_planted_feature(X, rng):
    fitted = model(directions=500, scaling="standard").fit(X * [1, 10, 100, 1, 1])
    planted = rng.integers(0, 5, 40)
    sign = rng.choice([-1.0, 1.0], 40)
    rows = rng.normal(size=(40, 5)) * 0.5
    rows[np.arange(40), planted] = 7.0 * sign
    explanations = fitted.explain(rows * [1, 10, 100, 1, 1])
    first = [why.top(1)[0] for why in explanations]
    assert np.mean([name == f"x{j}" for (name, _), j in zip(first, planted)]) >= 0.95
    assert np.mean([np.sign(size) == s for (_, size), s in zip(first, sign)]) >= 0.95


def test_explain_agrees_with_scores(X, queries):
    fitted = model().fit(X)
    for why, score in zip(fitted.explain(queries[-20:]), fitted.score_samples(queries[-20:])):
        assert why.score == score
        assert len(why.directions) == round((1 - score) * 120)
        assert (np.diff(np.abs(why.distances)) <= 0).all()
    # A move against the distance puts the projection at the edge of an interval.
    why = fitted.explain(queries[-1:])[0]
    projected = fitted._model.frame.project(RowView(queries[-1:]))[0]
    for i, distance in zip(why.directions, why.distances):
        ends = fitted.intervals_[i]
        assert np.abs(ends - (projected[i] - distance)).min() < 1e-5
    inside = fitted.explain(X[:1])[0]
    assert inside.score == 1.0 and inside.top() == [] and len(inside.directions) == 0


@pytest.mark.parametrize("params", [{}, {"scaling": "standard"}, {"kernel": "rbf"}])
def test_a_better_value_gains_what_is_said(X, queries, params):
    fitted = FROCC(directions=100, **params).fit(X)
    row = queries[-1:]
    why = fitted.explain(row)[0]
    assert (why.gain >= 0).all() and why.gain.max() > 0
    for j in np.flatnonzero(why.gain > 0):
        changed = row.copy()
        changed[0, j] = why.better[j]
        rise = fitted.score_samples(changed)[0] - why.score
        # A step that ends just inside an interval may, rounded, end just outside.
        if "kernel" not in params:
            assert rise == pytest.approx(why.gain[j], abs=2.5 / 100)
    assert np.array_equal(why.excess, row[0] - why.better)


def test_attributes(X):
    fitted = model(scaling="minmax").fit(X)
    assert fitted.directions_.shape == (120, 5)
    assert np.allclose(np.linalg.norm(fitted.directions_, axis=1), 1, atol=1e-6)
    assert np.allclose(fitted.shift_, X.min(axis=0))
    assert len(fitted.intervals_) == 120
    assert fitted.n_features_in_ == 5
    assert sum(len(ends) for ends in fitted.intervals_) == fitted.info_["n_intervals"]
    assert not hasattr(model(), "offset_")


# ---- Sealed models ------------------------------------------------------------------------------


def answers(fitted, rows):
    asked = (fitted.score_samples, fitted.p_values, fitted.decision_function, fitted.predict)
    return [ask(rows) for ask in asked] + [why.gain for why in fitted.explain(rows[-3:])]


def test_a_sealed_model_answers_alike_and_is_smaller(X, queries, tmp_path):
    fitted = FROCC(directions=120, fpr=0.05).fit(X)
    sealed = fitted.seal()
    left_out = 4 * X.shape[1] * fitted.info_["calibration_rows"]  # the rows that calibrate
    assert len(sealed.to_bytes()) + left_out < len(fitted.to_bytes())
    sealed.save(tmp_path / "small.frocc")
    for other in (sealed, sealed.seal(), FROCC.load(tmp_path / "small.frocc")):
        assert other.info_["is_sealed"] and other.to_bytes() == sealed.to_bytes()
        for ours, theirs in zip(answers(other, queries), answers(fitted, queries), strict=True):
            assert np.array_equal(ours, theirs)
        for ours, theirs in zip(other.intervals_, fitted.intervals_, strict=True):
            assert np.array_equal(ours, theirs)
    assert not fitted.info_["is_sealed"]  # and it is as it was


def test_a_sealed_model_can_only_score(X):
    fitted = model(**CLOSE).fit(X)
    sealed = fitted.seal()
    before = sealed.to_bytes()
    for attempt in (
        lambda: sealed.partial_fit(X), lambda: sealed + fitted, lambda: fitted + sealed,
        lambda: sealed.coarsen(0.1), lambda: sealed.truncate(3),
    ):  # fmt: skip
        with pytest.raises(NotImplementedError, match="sealed model can only score"):
            attempt()
    assert sealed.to_bytes() == before
    assert sealed.fit(X).to_bytes() == fitted.to_bytes()  # a new fit is a new model


def test_agreement_is_sealed_by_copying(X):
    fitted = model().fit(X[:300])
    sealed = fitted.seal()
    assert sealed.to_bytes() == fitted.to_bytes() and not sealed.info_["is_sealed"]
    assert sealed.partial_fit(X[300:]).to_bytes() == model().fit(X).to_bytes()


# ---- The defaults, and calibrated decisions -----------------------------------------------------


@pytest.mark.parametrize("params", [
    {}, {"fpr": 0.05}, {"scaling": "whiten"}, {"contamination": 0.05},
])  # fmt: skip
def test_defaults_give_the_same_bits_in_any_order_and_split(X, rng, params):
    expected = FROCC(directions=64, **params).fit(X).to_bytes()
    assert FROCC(directions=64, n_jobs=2, **params).fit(X[::-1]).to_bytes() == expected
    assert FROCC(directions=64, **params).fit_stream(np.array_split(X, 5)).to_bytes() == expected
    shuffled = X[rng.permutation(len(X))]
    frame = FROCC(directions=64, **params).fit(shuffled[:1])  # another frame: other bytes
    assert frame.partial_fit(shuffled[1:]).to_bytes() != expected


def test_parts_in_one_frame_merge(X):
    first = FROCC(directions=64).fit(X[:300])
    shift = {"family": first.directions_, "scaling": "none", "trees": 0}
    a, b = (FROCC(directions=64, **shift).fit(part) for part in (X[:300], X[300:]))
    assert (a + b).to_bytes() == FROCC(directions=64, **shift).fit(X).to_bytes()


@pytest.mark.parametrize("params", [
    {}, CLOSE, {"contamination": 0.1}, {"contamination": 0.1, "trees": 0},
], ids=["default", "not scaled", "contamination", "contamination, no trees"])  # fmt: skip
def test_p_values_are_valid(params):
    rng = np.random.default_rng(11)
    params = {**params, "directions": 128, "fpr": 0.05}
    fitted = FROCC(**params).fit(rng.normal(size=(3000, 8)))
    fresh = rng.normal(size=(4000, 8))
    p = fitted.p_values(fresh)
    assert p.min() > 0.0 and p.max() <= 1.0
    # No row is odd: a share told is too large by itself, and rates by no more.
    assert_rates(p, params.get("contamination", 0.0))
    assert np.array_equal(fitted.predict(fresh) == -1, p <= 0.05)
    assert np.array_equal(fitted.decision_function(fresh) < 0, p <= 0.05)


@pytest.mark.parametrize("trees", [24, 0])
@pytest.mark.parametrize("share", [0.02, 0.1])
def test_p_values_are_valid_where_rows_are_odd(share, trees):
    rng = np.random.default_rng(11)
    rows = rng.normal(size=(3000, 8))
    rows[: int(3000 * share)] *= 4
    fitted = FROCC(directions=128, trees=trees, contamination=share, fpr=0.05).fit(rows)
    p = fitted.p_values(rng.normal(size=(4000, 8)))
    assert_rates(p)
    odd = fitted.p_values(4 * rng.normal(size=(1000, 8)))
    assert (odd <= 0.05).mean() > 0.9


def assert_rates(p, too_large=0.0):
    """No more rows are below a rate than it says."""
    for a in (0.01, 0.05, 0.1, 0.5):
        # Four deviations: of the fresh rows, and of the 1,024 that calibrate.
        deviation = np.sqrt(a * (1 - a) * (1 / len(p) + 1 / 1024))
        assert (p <= a).mean() <= a + too_large + 4 * deviation


def test_p_values_need_calibration(X):
    for without in (model(), FROCC(directions=120, calibration=0)):
        with pytest.raises(NotImplementedError, match="calibrat"):
            without.fit(X).p_values(X)
    assert (FROCC(directions=120, calibration=100).fit(X).p_values(X) > 0).all()


@pytest.mark.parametrize("d", [5, 20])
def test_explain_names_the_planted_feature_by_default(d):
    rng = np.random.default_rng(d)
    mix = np.eye(d) + 0.4 * rng.normal(size=(d, d))
    X = rng.normal(size=(3000, d)) @ mix
    rows = rng.normal(size=(100, d)) @ mix
    planted = rng.integers(0, d, 100)
    rows[np.arange(100), planted] += 6 * X.std(axis=0)[planted]
    first = [why.top(1)[0] for why in FROCC().fit(X).explain(rows)]
    right = [name == f"x{j}" and size > 0 for (name, size), j in zip(first, planted)]
    assert np.mean(right) >= 0.95


# ---- Few rows, low rates -------------------------------------------------------------------------


def test_few_rows_are_told_of_and_wild_ones_found():
    rng = np.random.default_rng(5)
    for n in (5, 30, 100, 150):
        X = rng.normal(size=(n, 4))
        with pytest.warns(frocc.CalibrationWarning, match="too few for fpr=0.01"):
            fitted = FROCC(directions=64).fit(X)
        assert np.isfinite(fitted.offset_) and -10 < fitted.offset_ <= 1
        wild = np.vstack([X[0], X[1]])
        wild[:, 2] = [1e8, -1e8]
        assert (fitted.predict(wild) == -1).all() and (fitted.predict(X) == 1).all()
        assert (fitted.decision_function(wild) < 0).all()


def test_the_advice_about_few_rows_works():
    X = np.random.default_rng(5).normal(size=(250, 4))
    with pytest.warns(frocc.CalibrationWarning, match="about 250 rows") as caught:
        FROCC(directions=64).fit(X[:100])
    assert len(caught) == 1
    rate = float(str(caught[0].message).partition("ask for fpr=")[2].split()[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FROCC(directions=64).fit(X)
        FROCC(directions=64, fpr=rate).fit(X[:100])


def test_a_low_rate_takes_more_rows():
    X = np.random.default_rng(6).normal(size=(6000, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = FROCC(directions=32, fpr=0.0005).fit(X)
    assert fitted.info_["calibration_rows"] == 2000
    assert fitted.predict([[0.0, 0.0, 1e6]]) == -1
    with pytest.warns(frocc.CalibrationWarning, match="calibration=2000"):
        FROCC(directions=32, fpr=0.0005, calibration=100).fit(X)


@pytest.mark.parametrize("n", [100, 150, 200, 400])
def test_one_wild_row_of_few_is_found(n):
    """Also where it is one of the rows that calibrate: it is not compared with itself."""
    for wild in range(8):
        X = np.random.default_rng(8).normal(size=(n, 3))
        X[wild] = 1e9
        detector = FROCC(directions=32, random_state=wild, fpr=0.02)
        labels = detector.fit_predict(X)
        assert labels[wild] == -1 and (labels == -1).sum() <= 0.06 * n
        usual = detector.score_left_out(X) < detector.offset_
        assert ((labels == -1) >= usual).all()


def test_equal_rows_calibrate_nothing_and_that_is_said():
    for calibration in ("auto", 100):
        with pytest.warns(frocc.CalibrationWarning, match="; fit more rows that differ$"):
            fitted = FROCC(directions=32, calibration=calibration).fit([[1.0, 2.0, 3.0]] * 300)
    (why,) = fitted.explain([[1.0, 2.0, 9.0]])
    assert why.top() == [("x2", 6.0)] and list(why.better) == [1.0, 2.0, 3.0]


def test_decisions_and_scores_agree_where_rows_are_few():
    X = np.random.default_rng(7).normal(size=(60, 3))
    X[3] = 1e12  # a wild row among few sets no standard
    for random_state in range(6):
        with pytest.warns(frocc.CalibrationWarning):
            fitted = FROCC(directions=32, random_state=random_state).fit(X[:, :2])
        rows = np.array([[X[0, 0], 1e14], [0.0, 0.0]])
        assert fitted.predict(rows)[0] == -1
        assert ((fitted.decision_function(rows) < 0) == (fitted.predict(rows) == -1)).all()

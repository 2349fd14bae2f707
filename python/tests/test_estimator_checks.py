"""scikit-learn's own checks, for the predictor and the selector that each estimator is. `monte_carlo` may fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from needlenet import NeedleClassifier, NeedleRegressor


def monte_carlo(estimator):
    """Weighted and repeated tables have null draws of the same law, but not the same draws.

    So lambda_QUT differs by its Monte Carlo error; `test_outcomes.py` compares both at one lambda.
    """
    if isinstance(estimator, NeedleRegressor) and estimator.penalty != "l1":
        return {
            f"check_sample_weight_equivalence_on_{kind}_data": "lambda_QUT has a Monte Carlo error"
            for kind in ("dense", "sparse")
        }
    return {}


@parametrize_with_checks(
    [NeedleRegressor(), NeedleClassifier(), NeedleClassifier(link="logit")], expected_failed_checks=monte_carlo
)
def test_scikit_learn(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [NeedleRegressor(hidden=None), NeedleClassifier(hidden=None), NeedleRegressor(penalty="l1")],
    expected_failed_checks=monte_carlo,
)
def test_scikit_learn_on_the_linear_model_and_the_lasso(estimator, check):
    check(estimator)

"""scikit-learn's own checks, for the predictor and the selector that each estimator is. No failure is expected."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from needlenet import NeedleClassifier, NeedleRegressor


@parametrize_with_checks([NeedleRegressor(), NeedleClassifier(), NeedleClassifier(link="logit")])
def test_scikit_learn(estimator, check):
    check(estimator)


@parametrize_with_checks([NeedleRegressor(hidden=None), NeedleClassifier(hidden=None), NeedleRegressor(penalty="l1")])
def test_scikit_learn_on_the_linear_model_and_the_lasso(estimator, check):
    check(estimator)

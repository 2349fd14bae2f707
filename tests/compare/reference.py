"""Values and gradients of survival and counts by statsmodels, for the tests of the learner (`src/tests/reference.rs`).

python tests/compare/reference.py    # needs statsmodels; writes the file that the tests read

The derivative by each output is the score of a regression on the identity matrix: one parameter for each sample.
"""

import json
from pathlib import Path

import numpy as np
from statsmodels.discrete.discrete_model import Poisson
from statsmodels.duration.hazard_regression import PHReg
from statsmodels.genmod.families import Poisson as Family

FILE = Path(__file__).resolve().parents[2] / "crates/needlenet/tests/stored/reference.json"
SAMPLES = 60


def survival(ties: str, tied: bool, strata: bool, seed: int) -> dict:
    """The partial likelihood at random outputs beside an offset."""
    rng = np.random.default_rng(seed)
    output, offset = 1.5 * rng.normal(size=SAMPLES), rng.normal(size=SAMPLES)
    times = rng.exponential(np.exp(-output))
    times = np.ceil(2 * times) if tied else times
    events = rng.random(SAMPLES) < 0.6
    stratum = rng.integers(0, 3, SAMPLES) if strata else np.zeros(SAMPLES, dtype=int)
    model = PHReg(times, np.eye(SAMPLES), status=events.astype(int), strata=stratum, offset=offset, ties=ties)
    return dict(
        kind="survival",
        ties=ties,
        output=output.tolist(),
        offset=offset.tolist(),
        times=times.tolist(),
        events=events.tolist(),
        strata=stratum.tolist(),
        loss=-model.loglike(output),
        gradient=(-model.score(output)).tolist(),
    )


def counts(seed: int) -> dict:
    """Half the Poisson deviance at random outputs beside an offset."""
    rng = np.random.default_rng(seed)
    output, offset = rng.normal(size=SAMPLES), rng.normal(size=SAMPLES)
    y = rng.poisson(np.exp(output + offset)).astype(float)
    model = Poisson(y, np.eye(SAMPLES), offset=offset)
    return dict(
        kind="counts",
        output=output.tolist(),
        offset=offset.tolist(),
        counts=y.tolist(),
        loss=Family().deviance(y, np.exp(output + offset)) / 2,
        gradient=(-model.score(output)).tolist(),
    )


cases = [
    survival(ties, tied, strata, 7 + at)
    for at, (ties, tied, strata) in enumerate(
        (ties, tied, strata) for ties in ("breslow", "efron") for tied in (False, True) for strata in (False, True)
    )
]
FILE.write_text("[\n" + ",\n".join(json.dumps(case) for case in [*cases, counts(1), counts(2)]) + "\n]\n")

"""Which genes matter? On a table of your own: `python genes.py FILE.csv TARGET`.

Each row is a sample, each column a gene, and one column, the target, is what is to be explained: a number, or the name
of a class. Without arguments the script makes a table of its own, with two genes that decide and many that do not.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from needlenet import NeedleClassifier, NeedleRegressor, plot, stability


def made_up_genes(path: Path) -> None:
    """60 patients and 400 genes in groups that rise and fall together, as genes do."""
    random = np.random.default_rng(4)
    groups = np.repeat(random.normal(size=(60, 40)), 10, axis=1)
    expression = 8 + 0.6 * groups + random.normal(size=(60, 400))
    risk = 2.5 * (expression[:, 17] - 8) - 2.5 * (expression[:, 230] - 8)
    table = pd.DataFrame(expression.round(3), columns=[f"gene{j:03}" for j in range(400)])
    table["diagnosis"] = np.where(risk + random.logistic(size=60) > 0, "tumour", "healthy")
    table.to_csv(path, index=False)


def main(words: list[str]) -> None:
    picture = Path(words.pop() if words and words[-1].endswith(".png") else "genes.png")
    if not words:
        words = [str(picture.with_name("genes.csv")), "diagnosis"]
        made_up_genes(Path(words[0]))
    file, target = words
    table = pd.read_csv(file)
    X, y = table.drop(columns=target).select_dtypes("number"), table[target]
    # text is classes; numbers are a quantity
    model = NeedleRegressor() if pd.api.types.is_numeric_dtype(y) else NeedleClassifier()
    model.fit(X, y)
    print(model.summary())

    # one fit is one answer: how often does half of the samples give the same?
    result = stability(model, X, y, n_resamples=20)
    print("\nselected from half of the samples:")
    print(result.to_frame().head(10).to_string(index=False))

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(14, 4), layout="constrained")
    plot.null_distribution(model, ax=left)
    plot.effects(model, ax=middle)
    result.plot(ax=right, most=12)
    figure.savefig(picture, dpi=110)
    print(f"\npicture: {picture}")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Write the files of this folder; ``python sample_runs/digits_classes/make.py`` does it anew (scikit-learn 1.9.1)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import metrics
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

HERE = Path(__file__).parent
MODELS = {
    "gnb": GaussianNB(var_smoothing=1e-2),
    "logreg_c001": make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=2000)),
}
INK = ("light", "medium", "heavy")


def main() -> None:
    """Predict every image by models of the other folds, and let scikit-learn say what comes of it."""
    images, digit = load_digits(return_X_y=True)
    names = np.array([f"D{number}" for number in digit])
    ink = images.sum(axis=1)
    group = np.array(INK)[np.digitize(ink, np.quantile(ink, (1 / 3, 2 / 3)))]
    split = StratifiedKFold(5, shuffle=True, random_state=0)
    fold = np.zeros(len(digit), dtype=int)
    for number, (_, test) in enumerate(split.split(images, digit), 1):
        fold[test] = number
    frames, expected = [], {}
    for system, model in MODELS.items():
        p = cross_val_predict(model, images, digit, cv=split, method="predict_proba").round(5)
        columns = {f"prob_D{number}": p[:, number] for number in range(10)}
        ids = [f"i{number:04}" for number in range(len(digit))]
        about = {"image": ids, "system": system, "fold": fold, "ink": group, "true_class": names}
        frames.append(pd.DataFrame({**about, **columns}))
        predicted = p.argmax(axis=1)
        for one in INK:
            own = group == one
            y, said = digit[own], predicted[own]
            expected[f"{system}|ink={one}"] = {
                "n": int(own.sum()),
                "accuracy[argmax]": metrics.accuracy_score(y, said),
                "recall[macro:argmax]": metrics.balanced_accuracy_score(y, said),
                "precision[macro:argmax]": metrics.precision_score(y, said, average="macro"),
                "f1[macro:argmax]": metrics.f1_score(y, said, average="macro"),
                "auroc[macro:ovr]": np.mean([metrics.roc_auc_score(y == c, p[own][:, c]) for c in range(10)]),
                "recall[argmax]@class=D8": metrics.recall_score(y, said, labels=[8], average="macro"),
            }
    table = pd.concat(frames).to_csv(index=False, lineterminator="\n")
    (HERE / "predictions.csv.gz").write_bytes(gzip.compress(table.encode(), mtime=0))
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

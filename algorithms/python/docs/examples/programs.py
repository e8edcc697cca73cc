"""Move a model to the programs and back.

What `save` writes the programs read, and `raddle.load` reads what they write. Without the program on the search path the
model is only saved and loaded.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile

import pandas as pd
from sklearn.datasets import load_diabetes

import raddle
from raddle.lasso import Lasso

X, y = load_diabetes(return_X_y=True, as_frame=True)
model = Lasso(alpha=1.0).fit(X, y)
program = shutil.which("lasso", path=os.environ.get("RADDLE_BIN", os.environ.get("PATH", "")))
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    model.save(folder / "model")
    loaded = raddle.load(folder / "model")
    print("the same model:", loaded.digest_ == model.digest_)
    table = pd.DataFrame({"y": y, "age": X["age"], "bmi": X["bmi"], "ward": ["east", "west", "north"] * 147 + ["east"]})
    table.to_csv(folder / "table.csv", index=False)
    if program:
        lines = [program, "fit", folder / "table.csv", "--lambda", "1", "--out", folder / "run", "--quiet"]
        subprocess.run(lines, check=True, capture_output=True)
        theirs = raddle.load(folder / "run")
        print("features of the program's model:", list(theirs.feature_names_in_))
        print("a text column is encoded as there:", theirs.preprocess(table).shape)
        print("predictions from the table:", theirs.predict(table)[:3].round(1))
shown = [model]

"""Tables in shards: a folder or a Dask array, in this process, on two workers of Dask, on Ray.

The fit is that of the table in memory.
"""

import json
import os
import signal

import dask.array as da
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dask.distributed import Client, LocalCluster

from needlenet import NeedleClassifier, NeedleCounts, NeedleRegressor, NeedleSurvival, Shards, _needlenet, _shards
from needlenet._shards import InFolder
from needlenet._workers import answered

# more inputs than are searched, so that most of them stay in the shards
N, P = 60, 4600
PLAIN = {"hidden": None, "n_draws": 200}


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(3).normal(size=(N, P))


def numbers(X):
    return 3 * X[:, 7] - 4 * X[:, 4500] + 0.1 * np.sin(np.arange(N))


@pytest.fixture(scope="module")
def in_memory(X):
    return NeedleRegressor(**PLAIN).fit(X, numbers(X))


def cuts(count):
    return np.linspace(0, P, count + 1).astype(int)


def as_dask(X, count):
    return da.from_array(X, chunks=(N, tuple(np.diff(cuts(count)).tolist())))


def as_folder(path, X, count):
    path.mkdir()
    shards = []
    for at, (first, last) in enumerate(zip(cuts(count)[:-1], cuts(count)[1:], strict=True)):
        file = path / f"{at:05}.npy"
        np.save(file, np.asfortranarray(X[:, first:last]))
        names = [f"g{j}" for j in range(first, last)]
        shards.append({"file": file.name, "names": names, "bytes": file.stat().st_size})
    manifest = {"version": 1, "n_samples": N, "samples": "samples.csv", "shards": shards}
    (path / "shards.json").write_text(json.dumps(manifest))
    return path


def assert_same(model, expected):
    np.testing.assert_array_equal(model.support_, expected.support_)
    assert model.support_[[7, 4500]].all()
    assert model.lambda_qut_ == expected.lambda_qut_
    assert model.lambda_zero_ == expected.lambda_zero_
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-9)
    assert model.kkt_violation_ <= 1e-6


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.mark.parametrize("count", [1, 2, 7])
def test_shards_in_this_process_have_the_fit_of_the_table_in_memory(X, in_memory, tmp_path, count):
    assert_same(NeedleRegressor(**PLAIN).fit(as_dask(X, count), numbers(X)), in_memory)
    folder = Shards(as_folder(tmp_path / "folder", X, count))
    model = NeedleRegressor(**PLAIN).fit(folder, numbers(X))
    assert_same(model, in_memory)
    assert set(model.selected_features_) >= {"g7", "g4500"}


@pytest.mark.parametrize("count", [1, 2, 7])
def test_shards_on_two_workers_of_dask_have_the_fit_of_the_table_in_memory(X, in_memory, tmp_path, client, count):
    assert len(client.nthreads()) == 2
    array = Shards(as_dask(X, count), on=client)
    assert_same(NeedleRegressor(**PLAIN).fit(array, numbers(X)), in_memory)
    folder = Shards(as_folder(tmp_path / "folder", X, count), on=client)
    assert_same(NeedleRegressor(**PLAIN).fit(folder, numbers(X)), in_memory)


def test_an_array_of_dask_is_on_the_current_client(X, client):
    with client.as_current():
        shards = Shards(as_dask(X, 2))
    assert shards._on is client


def test_every_outcome_has_the_fit_of_the_table_in_memory(X, client):
    risk = 1.5 * X[:, 7] - 1.5 * X[:, 4500]
    cases = [
        (NeedleClassifier(**PLAIN), np.where(risk > 0, "b", "a")),
        (NeedleCounts(**PLAIN), np.round(np.exp(risk))),
        (NeedleSurvival(**PLAIN), np.column_stack([np.exp(-risk), np.arange(N) % 4 != 0])),
    ]
    for estimator, y in cases:
        expected = estimator.fit(X, y)
        support, threshold, objective = expected.support_, expected.lambda_qut_, expected.objective_
        assert support.any()
        shards = Shards(as_dask(X, 3), on=client)
        model = estimator.fit(shards, y)
        np.testing.assert_array_equal(model.support_, support)
        assert model.lambda_qut_ == threshold
        assert model.objective_ == pytest.approx(objective, rel=1e-9)
        np.testing.assert_array_equal(model.predict(shards), model.predict(X))


def test_weights_offset_and_inputs_always_in_reach_the_shards(X, client):
    how = {"sample_weight": 1.0 + np.arange(N) % 2, "offset": 0.1 * np.cos(np.arange(N))}
    estimator = NeedleRegressor(**PLAIN, always_in=[30, 4400])
    expected = estimator.fit(X, numbers(X), **how)
    support, objective = expected.support_, expected.objective_
    model = estimator.fit(Shards(as_dask(X, 3), on=client), numbers(X), **how)
    np.testing.assert_array_equal(model.support_, support)
    assert model.objective_ == pytest.approx(objective, rel=1e-9)
    assert [needle.index for needle in model.always_] == [30, 4400]


class Killing:
    """Carries the messages of shards, and kills a worker when the second pass has begun."""

    def __init__(self, shards, kill):
        self.names, self.parts, self.carry, self.kill, self.passes = shards.names, shards.parts, shards.ask, kill, 0

    def __call__(self, tasks, threads):
        self.passes += 1
        for step, item in enumerate(self.carry(tasks, threads)):
            if self.passes == 2 and step == 0:
                self.kill()
            yield item


def test_a_fit_outlives_a_worker_of_dask(X, in_memory, client, monkeypatch):
    workers = client.run(os.getpid)
    shards = Shards(as_dask(X, 7), on=client)
    killing = Killing(shards, lambda: os.kill(next(iter(workers.values())), signal.SIGKILL))
    monkeypatch.setattr(shards, "ask", killing)
    model = NeedleRegressor(**PLAIN).fit(shards, numbers(X))
    assert killing.passes >= 3
    assert_same(model, in_memory)
    assert [note for note in model.notes_ if f"the worker {next(iter(workers))} of Dask was lost" in note]


def test_predictions_read_the_needles_only(X, in_memory, tmp_path):
    for table in (as_dask(X, 2), Shards(as_folder(tmp_path / "folder", X, 2))):
        np.testing.assert_array_equal(in_memory.predict(table), in_memory.predict(X))
        np.testing.assert_array_equal(in_memory.transform(table), in_memory.transform(X))
    with pytest.raises(ValueError, match="X has 100 features"):
        in_memory.predict(as_dask(X, 1)[:, :100])


def test_cells_that_are_not_aligned_are_read(X, in_memory):
    # as they may lie in a message from another machine
    apart = np.frombuffer(b"0" + X.tobytes(), dtype=np.float64, offset=1).reshape(X.shape)
    assert not apart.flags.aligned
    assert_same(NeedleRegressor(**PLAIN).fit(apart, numbers(X)), in_memory)


def test_rows_in_several_chunks_are_brought_together(X, in_memory):
    assert_same(NeedleRegressor(**PLAIN).fit(da.from_array(X, chunks=(20, 1000)), numbers(X)), in_memory)


def test_bad_shards_are_told_with_their_name(X, tmp_path, client):
    y = numbers(X)
    broken = X.copy()
    broken[5, 3000] = np.nan
    for on in (None, client):
        with pytest.raises(ValueError, match=r'shard "chunk 1": .*row 6, column "x3001": NaN'):
            NeedleRegressor(**PLAIN).fit(Shards(as_dask(broken, 2), on=on), y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        NeedleRegressor(**PLAIN).fit(as_dask(X, 2), y[:-1])
    with pytest.raises(ValueError, match="missing does not work with a table in shards"):
        NeedleRegressor(**PLAIN, missing="mean").fit(as_dask(X, 2), y)
    with pytest.raises(TypeError, match="list is no table in shards"):
        Shards([X])
    folder = as_folder(tmp_path / "folder", X, 2)
    (folder / "00001.npy").unlink()
    with pytest.raises(ValueError, match="00001.npy"):
        Shards(folder)


def as_arrow(path, X, names):
    """A folder of a Parquet and an Arrow file."""
    path.mkdir()
    half = len(names) // 2
    entries = []
    for file, part in (("a.parquet", slice(None, half)), ("b.arrow", slice(half, None))):
        columns = {name: pa.array(X[:, at]) for at, name in list(enumerate(names))[part]}
        if file == "a.parquet":
            pq.write_table(pa.table(columns), path / file, row_group_size=25)
        else:
            with pa.ipc.new_file(path / file, pa.table(columns).schema) as writer:
                writer.write_table(pa.table(columns), max_chunksize=25)
        entries.append({"file": file, "bytes": (path / file).stat().st_size})
    manifest = {"version": 1, "n_samples": len(X), "samples": "samples.csv", "shards": entries}
    (path / "shards.json").write_text(json.dumps(manifest))
    return path


def test_parquet_and_arrow_files_are_shards(X, in_memory, tmp_path, client):
    names = [f"g{at}" for at in range(P)]
    folder = as_arrow(tmp_path / "folder", X, names)
    assert Shards(folder).feature_names == names
    for on in (None, client):
        assert_same(NeedleRegressor(**PLAIN).fit(Shards(folder, on=on), numbers(X)), in_memory)
    np.testing.assert_array_equal(in_memory.predict(Shards(folder)), in_memory.predict(X))
    broken = X.copy()
    broken[5, 4000] = np.nan
    with pytest.raises(ValueError, match=r'b\.arrow": row 6, column "g4000": NaN'):
        NeedleRegressor(**PLAIN).fit(Shards(as_arrow(tmp_path / "broken", broken, names)), numbers(X))
    pq.write_table(pa.table({"kind": ["a"] * N}), folder / "a.parquet")
    manifest = json.loads((folder / "shards.json").read_text())
    manifest["shards"][0]["bytes"] = (folder / "a.parquet").stat().st_size
    (folder / "shards.json").write_text(json.dumps(manifest))
    with pytest.raises(ValueError, match='a.parquet: the column "kind" holds values of type string'):
        Shards(folder)


class Stopping:
    """Carries the messages of shards, counts them, and stops the fit after so many answers."""

    def __init__(self, shards, answers):
        self.carry, self.left, self.asked = shards.ask, answers, 0

    def __call__(self, tasks, threads):
        self.asked += len(tasks)
        for item in self.carry(tasks, threads):
            if self.left == 0:
                raise KeyboardInterrupt
            self.left -= item is not None
            yield item


@pytest.mark.parametrize("where", ["folder", "array", "dask", "ray"])
def test_a_fit_that_was_stopped_goes_on_from_the_finished_shards(X, in_memory, tmp_path, request, monkeypatch, where):
    book = tmp_path / "book"
    folder = as_folder(tmp_path / "folder", X, 7)
    # a cluster is started for its own case only
    cluster = request.getfixturevalue({"dask": "client", "ray": "ray"}[where]) if where in ("dask", "ray") else None
    on = "ray" if where == "ray" else cluster

    def fit(answers, y):
        table = folder if where in ("folder", "ray") else as_dask(X, 7)
        shards = Shards(table, on=on, resume=book)
        stopping = Stopping(shards, answers)
        monkeypatch.setattr(shards, "ask", stopping)
        return NeedleRegressor(**PLAIN).fit(shards, y), stopping.asked

    whole, asked = fit(10**6, numbers(X))
    assert_same(whole, in_memory)
    assert not book.exists()
    # in the second pass, after three of its seven shards
    with pytest.raises(KeyboardInterrupt):
        fit(10, numbers(X))
    resumed, rest = fit(10**6, numbers(X))
    assert_same(resumed, in_memory)
    assert rest == asked - 10
    assert resumed.notes_ == [f"going on from 10 answers of shards that a fit left in {book}"]
    assert not book.exists()
    # the answers for another outcome are of no use
    with pytest.raises(KeyboardInterrupt):
        fit(10, numbers(X))
    assert fit(10**6, -2 * numbers(X) ** 3)[1] >= asked


def test_an_answer_may_take_half_of_the_free_memory(X, in_memory, tmp_path, monkeypatch):
    folder = as_folder(tmp_path / "folder", X, 2)
    given = []

    class Noting(InFolder):
        def answer(self, task, memory, threads):
            given.append(memory)
            return super().answer(task, memory, threads)

    monkeypatch.setattr(_shards, "InFolder", Noting)
    monkeypatch.setattr(_needlenet, "half_of_free_memory", lambda: 4096 * (os.cpu_count() or 1))
    assert_same(NeedleRegressor(**PLAIN).fit(Shards(folder), numbers(X)), in_memory)
    assert set(given) == {4096 * (os.cpu_count() or 1)}
    given.clear()

    class Part:
        """A shard that tells what it was given."""

        def answer(self, task, memory, threads):
            return memory, threads

    # a worker has its core's part
    assert answered(Part(), b"", None) == (4096, 1)
    assert_same(NeedleRegressor(**PLAIN).fit(Shards(folder, memory=10**6), numbers(X)), in_memory)
    assert set(given) == {10**6}


@pytest.fixture(scope="module")
def ray():
    import ray

    with ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False):
        yield ray


def test_shards_on_ray_have_the_fit_of_the_table_in_memory(X, in_memory, tmp_path, ray):
    folder = Shards(as_folder(tmp_path / "folder", X, 7), on="ray")
    assert_same(NeedleRegressor(**PLAIN).fit(folder, numbers(X)), in_memory)
    array = Shards(as_dask(X, 2), on="ray")
    assert_same(NeedleRegressor(**PLAIN).fit(array, numbers(X)), in_memory)


def test_a_fit_outlives_a_worker_of_ray(X, in_memory, tmp_path, ray, monkeypatch):
    marks = tmp_path / "marks"
    marks.mkdir()

    class Dying(InFolder):
        """A shard whose second answer ends its process."""

        def answer(self, task, memory, threads):
            if self.at == 3:
                (marks / str(len(list(marks.iterdir())))).touch()
                if len(list(marks.iterdir())) == 2:
                    os.kill(os.getpid(), signal.SIGKILL)
            return InFolder(self.path, self.at).answer(task, memory, threads)

    monkeypatch.setattr(_shards, "InFolder", Dying)
    folder = Shards(as_folder(tmp_path / "folder", X, 7), on="ray")
    model = NeedleRegressor(**PLAIN).fit(folder, numbers(X))
    assert len(list(marks.iterdir())) > 2
    assert_same(model, in_memory)
    assert model.notes_ == ["a worker of Ray was lost at shard 3: others answer for its shards; the result is the same"]

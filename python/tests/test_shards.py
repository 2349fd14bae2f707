"""Tables in shards: on a real Dask cluster of two processes, from files, and here; the fit is that of the table in memory."""

import json
import os
import signal
import threading
import time

import numpy as np
import pytest

from needlenet import NeedleClassifier, NeedleRegressor
from needlenet._shards import LocalShards

# more inputs than are searched, so that most are seen by the certificate only
N, P = 80, 4500
CHOICES = {"hidden": None, "n_draws": 300}


@pytest.fixture(scope="module")
def wide():
    random = np.random.default_rng(5)
    X = random.normal(size=(N, P))
    return X, 3 * X[:, 10] - 4 * X[:, 4400] + 0.3 * random.normal(size=N)


@pytest.fixture(scope="module")
def memory(wide):
    return NeedleRegressor(**CHOICES).fit(*wide)


def assert_same(shards, memory):
    assert shards.get_support(indices=True).tolist() == memory.get_support(indices=True).tolist() == [10, 4400]
    assert shards.lambda_qut_ == memory.lambda_qut_
    assert shards.objective_ == pytest.approx(memory.objective_, rel=1e-9)
    assert shards.kkt_violation_ <= 1e-6


def test_blocks_here_have_the_fit_of_the_whole_table(wide, memory):
    X, y = wide
    for count in (1, 3):
        blocks = np.array_split(X, count, axis=1)
        shards = LocalShards(blocks, [f"block {at}" for at in range(count)])
        assert_same(NeedleRegressor(**CHOICES).fit(shards, y), memory)


def test_classes_and_weights_of_blocks(wide):
    X, y = wide
    labels, weights = np.where(y > 0, "ill", "well"), np.tile([1.0, 2.0], N // 2)
    shards = LocalShards(np.array_split(X, 2, axis=1), ["first", "second"])
    one = NeedleClassifier(**CHOICES).fit(shards, labels, sample_weight=weights)
    other = NeedleClassifier(**CHOICES).fit(X, labels, sample_weight=weights)
    assert one.lambda_qut_ == other.lambda_qut_
    assert one.get_support(indices=True).tolist() == other.get_support(indices=True).tolist()
    assert one.predict(X).tolist() == other.predict(X).tolist()


def test_a_folder_of_arrays_is_fitted_where_it_lies(wide, memory, tmp_path):
    X, y = wide
    shards = []
    for at, block in enumerate(np.array_split(X, 2, axis=1)):
        file = tmp_path / f"{at}.npy"
        np.save(file, np.asfortranarray(block))
        start = at * P // 2
        names = [f"g{start + j}" for j in range(block.shape[1])]
        shards.append({"file": file.name, "names": names, "bytes": file.stat().st_size})
    manifest = {"version": 1, "n_samples": N, "samples": "none.csv", "shards": shards}
    (tmp_path / "shards.json").write_text(json.dumps(manifest))
    model = NeedleRegressor(**CHOICES).fit(tmp_path, y)
    assert_same(model, memory)
    assert sorted(model.selected_features_) == ["g10", "g4400"]
    (tmp_path / "1.npy").write_bytes(b"cut off")
    with pytest.raises(ValueError, match=r"1\.npy"):
        NeedleRegressor(**CHOICES).fit(tmp_path, y)


def test_a_cell_that_is_no_number_is_told_with_its_block(wide):
    X, y = wide
    bad = X.copy()
    bad[3, 4000] = np.nan
    shards = LocalShards(np.array_split(bad, 3, axis=1), ["first", "second", "third"])
    with pytest.raises(ValueError, match='shard "third": row 4, column "x4001"'):
        NeedleRegressor(**CHOICES).fit(shards, y)


def test_blocks_of_another_length_are_refused(wide):
    X, _ = wide
    with pytest.raises(ValueError, match="second: 79 samples"):
        LocalShards([X[:, :10], X[1:, 10:]], ["first", "second"])


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_a_dask_array_has_the_fit_of_the_whole_table(wide, memory, cluster):
    array = pytest.importorskip("dask.array")
    X, y = wide
    model = NeedleRegressor(**CHOICES).fit(array.from_array(X, chunks=(N, 1000)), y)
    assert_same(model, memory)
    assert model.predict(array.from_array(X, chunks=(N, 1000))).tolist() == memory.predict(X).tolist()


def test_a_fit_survives_a_worker_that_dies(wide, memory, cluster):
    array = pytest.importorskip("dask.array")
    X, y = wide
    pids = list(cluster.run(os.getpid).values())

    def kill():
        time.sleep(0.5)
        os.kill(pids[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    with pytest.warns(RuntimeWarning, match="lost 1 of 2 workers"):
        killer.start()
        model = NeedleRegressor(hidden=None, n_draws=3000).fit(array.from_array(X, chunks=(N, 500)), y)
    killer.join()
    assert model.get_support(indices=True).tolist() == memory.get_support(indices=True).tolist()
    assert model.lambda_qut_ == NeedleRegressor(hidden=None, n_draws=3000).fit(X, y).lambda_qut_


def test_blocks_of_ray_have_the_fit_of_the_whole_table(wide, memory):
    ray = pytest.importorskip("ray")
    from needlenet._shards import RayShards

    X, y = wide
    with ray.init(num_cpus=2, include_dashboard=False):
        blocks = [ray.put(block) for block in np.array_split(X, 3, axis=1)]
        assert_same(NeedleRegressor(**CHOICES).fit(RayShards(blocks), y), memory)

"""The speed guard of `make bench QUICK=1` marks what lost more than a third of its speed, and nothing else."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import guard  # noqa: E402


def rows(work: str, ours: list[float], theirs: list[float]) -> list[list]:
    return [[work, "ours, s", at, value] for at, value in enumerate(ours)] + [
        [work, "yardstick, s", at, value] for at, value in enumerate(theirs)
    ]


def test_a_ratio_is_the_median_over_repeats_of_ours_over_the_yardstick():
    raw = rows("fit", [1.0, 3.0, 8.0], [1.0, 2.0, 2.0]) + [["fit", "peak, MB", 0, "5"]]
    assert guard.ratios(raw) == {"fit": 1.5}


def test_what_lost_more_than_a_third_of_its_speed_has_fallen():
    before = {"same": 1.0, "slower": 1.0, "much slower": 1.0, "gone": 1.0}
    lines, fallen = guard.compare(before, {"same": 1.0, "slower": 1.49, "much slower": 1.51, "new": 9.0})
    assert fallen == ["much slower"]
    assert [line.endswith("FALLEN") for line in lines] == [False, False, True]


def test_the_committed_run_has_a_ratio_for_the_works_that_the_guard_times():
    stored = guard.stored(ROOT / "docs/results/bench")
    for work in ("forward product 500 x 50 x 40", "activation", "iteration", "fit design N, s = 8"):
        assert 0 < stored[work] < 10, work

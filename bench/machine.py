"""What the figures were measured on: processor, threads, versions; no names of machines."""

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_info


def describe(program: Path) -> dict[str, str]:
    cpu = next(
        (line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown"
    )
    flags = next((line for line in open("/proc/cpuinfo") if line.startswith("flags")), "").split()
    memory = next(int(line.split()[1]) for line in open("/proc/meminfo") if line.startswith("MemTotal"))
    blas = next(pool for pool in threadpool_info() if "numpy.libs" in pool["filepath"])
    commit = output("git", "-C", Path(__file__).parent, "rev-parse", "--short", "HEAD")
    packages = ["numpy", "scikit-learn", "lassonet", "torch"]
    return {
        "processor": f"{cpu}, {os.cpu_count()} threads, {', '.join(flag for flag in ('avx2', 'avx512f') if flag in flags)}",
        "memory": f"{memory / 1e6:.0f} GB",
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "yardsticks": ", ".join(f"{name} {version(name)}" for name in packages),
        "BLAS of NumPy": f"{blas['internal_api']} {blas['version']}, {blas['architecture']}",
        "ours": f"{output(program, '--version')}, commit {commit or 'unknown'}",
    }


def output(*command: str | Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

"""What this installation runs on."""

from __future__ import annotations

import platform

from linsep import kernels
from linsep.kernels.threads import available_threads


def configuration() -> dict[str, str]:
    """Variant of the kernels, threads, versions, BLAS."""
    from importlib.metadata import version

    from threadpoolctl import threadpool_info

    blas = [
        f"{lib['internal_api']} {lib.get('version')} ({lib.get('architecture', 'unknown')})"
        for lib in threadpool_info()
        if lib["user_api"] == "blas"
    ]
    return {
        "linsep": version("linsep"),
        "kernels": f"{kernels.isa} (of {', '.join(kernels.available())}; LINSEP_ISA forces one)",
        "threads": f"{available_threads()} (OMP_NUM_THREADS and n_jobs bound them)",
        "python": f"{platform.python_version()} on {platform.machine()}",
        **{name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
        "blas": "; ".join(blas) or "not found",
    }


def show_config() -> None:
    """Print the variant of the kernels, threads, versions and BLAS: what a bug report needs."""
    for name, text in configuration().items():
        print(f"{name:<13}{text}")

"""Run a command on workers that SLURM starts, each in a job of its own.

    python on_slurm.py --jobs 20 -- study kingsburg --games 1000000 --output results
    python on_slurm.py --show-job

Run it on a machine that the jobs can reach, such as the login node; it starts the scheduler. What a job asks for is in
`slurm.yaml`. Needs `pip install 'kingsburg[fast,cluster]' dask-jobqueue`, where the jobs find it, too. A job that ends
early costs its pieces in work, which another plays again; SLURM starts no new one, so ask for `--time` enough.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml
from dask_jobqueue import SLURMCluster

OPTIONS = Path(__file__).with_name("slurm.yaml")


def create_cluster(options: dict[str, Any]) -> Any:
    """Start a scheduler whose workers SLURM starts."""
    return SLURMCluster(python=sys.executable, **options)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="*", help="such as: study kingsburg --games 1000000 --output results")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--options", type=Path, default=OPTIONS, metavar="FILE", help="what a job asks for")
    parser.add_argument("--show-job", action="store_true", help="print the script of a job instead")
    wanted = parser.parse_args()
    with create_cluster(yaml.safe_load(wanted.options.read_text(encoding="utf-8"))) as cluster:
        if wanted.show_job:
            print(cluster.job_script())
            return 0
        cluster.scale(jobs=wanted.jobs)
        program = [sys.executable, "-m", "edict", *wanted.command]
        return subprocess.run([*program, "--cluster", cluster.scheduler_address], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

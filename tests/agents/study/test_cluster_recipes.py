"""The recipes in `examples/clusters`: results at a URL, a job of SLURM, and the manifest for Kubernetes."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import yaml

fsspec = pytest.importorskip("fsspec", reason="fsspec comes with Dask, an extra that is not installed here")


@pytest.fixture
def recipes(root: Path) -> Path:
    return root / "examples" / "clusters"


def load_recipe(path: Path) -> Any:
    """Import a recipe, which is no module of a package."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_kingsburg(*command: str) -> subprocess.CompletedProcess[str]:
    result = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=200)
    assert result.returncode == 0, result.stderr
    return result


# --- results at a URL ------------------------------------------------------------------------------------


def check_round_trip(recipe: Any, url: str, folder: Path) -> None:
    """Check that what is stored at a URL is fetched again, and that a later copy replaces it."""
    before, after = folder / "before", folder / "after"
    before.mkdir()
    after.mkdir()
    assert not recipe.fetch_results(url, after)
    for content in ("one\n", "one\ntwo\n"):
        (before / recipe.GAMES).write_text(content)
        recipe.store_results(before, url)
    assert recipe.fetch_results(url, after)
    assert (after / recipe.GAMES).read_text() == "one\ntwo\n"


@pytest.mark.parametrize("scheme", ["memory", "file"])
def test_stored_results_are_fetched_again(scheme: str, recipes: Path, tmp_path: Path) -> None:
    check_round_trip(load_recipe(recipes / "stored_run.py"), f"{scheme}://{tmp_path.as_posix()}/stored", tmp_path)


def test_results_are_stored_in_an_object_store(recipes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = pytest.importorskip("moto.server", reason="moto, which stands in for S3, is not installed")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    store = server.ThreadedMotoServer(port=0)
    store.start()
    try:
        host, port = store.get_host_and_port()
        for name, value in {"KEY": "testing", "SECRET": "testing", "ENDPOINT_URL": f"http://{host}:{port}"}.items():
            monkeypatch.setenv(f"FSSPEC_S3_{name}", value)
        fsspec.config.set_conf_env(fsspec.config.conf)
        fsspec.filesystem("s3").mkdir("studies")
        check_round_trip(load_recipe(recipes / "stored_run.py"), "s3://studies/first", tmp_path)
    finally:
        store.stop()


@pytest.mark.slow
def test_run_continued_from_a_url_equals_a_local_one_to_the_byte(recipes: Path, tmp_path: Path) -> None:
    stored, local = tmp_path / "stored", tmp_path / "local"
    study = ["study", "pig", "--bots", "random", "--seed", "1", "--workers", "1", "--games"]
    for games in ("300", "800"):  # the second run begins in another folder
        run_kingsburg(str(recipes / "stored_run.py"), stored.as_uri(), "--", *study, games)
    assert len((stored / "games.jsonl").read_text().splitlines()) > 2
    run_kingsburg("-m", "edict", *study, "800", "--output", str(local))
    for name in ("study.json", "study.csv", "study.html"):
        assert (stored / name).read_bytes() == (local / name).read_bytes()


# --- where workers come from -----------------------------------------------------------------------------


def test_job_of_slurm_starts_as_many_workers_as_it_has_processors(recipes: Path) -> None:
    options = yaml.safe_load((recipes / "slurm.yaml").read_text())
    assert options["cores"] == options["processes"]  # a worker plays on one processor
    pytest.importorskip("dask_jobqueue", reason="dask-jobqueue is not installed")
    with load_recipe(recipes / "on_slurm.py").create_cluster(options) as slurm:
        script = slurm.job_script()
    assert f"#SBATCH --cpus-per-task={options['cores']}\n" in script
    assert f"--nthreads 1 --memory-limit 0.93GiB --nworkers {options['processes']} " in script
    assert slurm.scheduler_address in script and f"-t {options['walltime']}\n" in script


def test_manifest_for_kubernetes_names_its_own_scheduler_and_image(recipes: Path) -> None:
    dask, job = yaml.safe_load_all((recipes / "kubernetes.yaml").read_text())
    assert (dask["apiVersion"], dask["kind"], job["kind"]) == ("kubernetes.dask.org/v1", "DaskCluster", "Job")
    name, scheduler = dask["metadata"]["name"], dask["spec"]["scheduler"]
    assert scheduler["service"]["selector"] == {"dask.org/cluster-name": name, "dask.org/component": "scheduler"}
    ports = {port["name"]: port["containerPort"] for port in scheduler["spec"]["containers"][0]["ports"]}
    assert {port["targetPort"]: port["port"] for port in scheduler["service"]["ports"]} == ports
    specs = [dask["spec"]["worker"]["spec"], scheduler["spec"], job["spec"]["template"]["spec"]]
    worker, starter, study = (container for spec in specs for container in spec["containers"])
    assert worker["args"][:2] == ["dask", "worker"] and starter["args"][:2] == ["dask", "scheduler"]
    assert worker["resources"]["limits"]["cpu"] == worker["args"][worker["args"].index("--nthreads") + 1]
    assert study["args"][-2:] == ["--cluster", f"tcp://{name}-scheduler:{ports['tcp-comm']}"]
    image = next(line for line in (recipes / "Dockerfile").read_text().splitlines() if "docker build" in line)
    assert {worker["image"], starter["image"], study["image"]} == {image.split()[-2]}
    assert study["command"][1] == "/stored_run.py" and "COPY stored_run.py /" in (recipes / "Dockerfile").read_text()

"""A real editor on the language server: Neovim is told of a mistake, fixes it, completes and renames."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from calling import COMMAND, environment
from workshop import GAME, MODULE, fair

NEOVIM = shutil.which("nvim")


@pytest.mark.xdist_group("lsp")
@pytest.mark.skipif(NEOVIM is None, reason="Neovim is not installed (nvim)")
def test_neovim_completes_fixes_and_renames(tmp_path: Path) -> None:
    folder = fair(tmp_path / "workshop")
    module = folder / "forge" / "forge.edict"
    module.write_text(MODULE.replace("gain 1 cloth", "gain 1 clot"), encoding="utf-8")
    given = {
        "MODULE": str(module), "ROOT": str(folder), "SERVER": json.dumps([*COMMAND, "lsp"]),
        "FOUND": str(tmp_path / "found.json"), "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state"),
    }  # fmt: skip
    script = Path(__file__).parent / "neovim.lua"
    done = subprocess.run(
        [str(NEOVIM), "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {script}"],
        cwd=folder, env=environment(tmp_path, **given), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=240,
    )  # fmt: skip
    assert (tmp_path / "found.json").is_file(), done.stderr
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert "error" not in found, found["error"]
    assert found["mistake"].startswith("nothing is called `clot`") and "did you mean `cloth`?" in found["mistake"]
    assert found["completion"] == ["income"]
    assert module.read_text(encoding="utf-8") == MODULE.replace("bakery", "baker")
    game = (folder / "fair" / "fair.edict").read_text(encoding="utf-8")
    assert game == GAME.replace("bakery", "baker")

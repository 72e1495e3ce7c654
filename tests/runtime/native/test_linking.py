"""The WebAssembly linker, how it is found or reported missing, and custom sections."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from edict.runtime.native import linking


@pytest.fixture(autouse=True)
def without_package(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hide the Python package that ships a linker."""
    monkeypatch.setattr(linking, "find_spec", lambda name: None)
    linking.linker_command.cache_clear()
    yield
    linking.linker_command.cache_clear()


def write_programs(folder: Path, *names: str) -> str:
    for name in names:
        (folder / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return str(folder)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["wasm-ld", "wasm-ld-19"], "wasm-ld"),
        (["wasm-ld-9", "wasm-ld-19", "wasm-ld-14", "wasm-ld-old"], "wasm-ld-19"),
    ],
)
def test_system_linker_is_found(names: list[str], found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", write_programs(tmp_path, *names))
    assert linking.linker_command() == (str(tmp_path / found),)


def test_missing_linker_reports_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", write_programs(tmp_path, "wasm-ld-old"))
    with pytest.raises(linking.LinkError, match=r"pip install .*(page|ziglang).*lld"):
        linking.linker_command()


def test_linker_error_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", write_programs(tmp_path, "wasm-ld"))
    for script, said in (
        ("echo it is too old >&2\nexit 1", "wasm-ld failed: it is too old"),
        ("exit 3", "wasm-ld failed: 3"),
        (None, f"wasm-ld cannot be run: .*{tmp_path}"),
    ):
        (tmp_path / "wasm-ld").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        linking.linker_command()
        if script is None:
            (tmp_path / "wasm-ld").unlink()
        with pytest.raises(linking.LinkError, match=f"^{said}"):
            linking.link_module(b"", ["run"])


def test_linker_receives_object_and_exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{write_programs(tmp_path, 'wasm-ld')}:/usr/bin:/bin")
    script = '#!/bin/sh\nfor one in "$@"; do echo "$one"; done | tee "$8" >/dev/null; cat "$6" >> "$8"\n'
    (tmp_path / "wasm-ld").write_text(script, encoding="utf-8")
    given = linking.link_module(b"the object", ["run", "play"], []).decode().split("\n")
    assert {"--no-entry", "--export=run", "--export=play"} <= set(given) and given[-1] == "the object"


@pytest.mark.parametrize("size", [0, 1, 120, 121, 16_378, 16_379, 3_000_000])
def test_section_length_is_encoded_as_leb128(size: int) -> None:
    """Groups of seven bits, the lowest first, all but the last marked."""
    content = bytes(i % 251 for i in range(size))
    found = linking.add_section(b"module", "name", content)
    assert found[:7] == b"module\0"
    length, at = 0, 7
    while True:
        byte = found[at]
        length |= (byte & 0x7F) << 7 * (at - 7)
        at += 1
        if byte < 0x80:
            break
    assert found[at:] == b"\x04name" + content
    assert length == len(found) - at

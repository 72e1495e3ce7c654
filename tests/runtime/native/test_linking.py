"""What links WebAssembly is found, or what to install is said; and what stands beside code can be read again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from edict.runtime.native import linking


@pytest.fixture(autouse=True)
def without_package(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As where no package of Python's brings one."""
    monkeypatch.setattr(linking, "find_spec", lambda name: None)
    linking.linker.cache_clear()
    yield
    linking.linker.cache_clear()


def with_programs(folder: Path, *names: str) -> str:
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
def test_the_systems_linker_is_found(
    names: list[str], found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", with_programs(tmp_path, *names))
    assert linking.linker() == (str(tmp_path / found),)


def test_without_a_linker_what_to_install_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", with_programs(tmp_path, "wasm-ld-old"))
    with pytest.raises(linking.NotLinked, match=r"pip install .*(page|ziglang).*lld"):
        linking.linker()


def test_what_the_linker_says_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", with_programs(tmp_path, "wasm-ld"))
    for script, said in (
        ("echo it is too old >&2\nexit 1", "wasm-ld failed: it is too old"),
        ("exit 3", "wasm-ld failed: 3"),
        (None, f"wasm-ld cannot be run: .*{tmp_path}"),
    ):
        (tmp_path / "wasm-ld").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        linking.linker()
        if script is None:
            (tmp_path / "wasm-ld").unlink()
        with pytest.raises(linking.NotLinked, match=f"^{said}"):
            linking.linked(b"", ["run"])


def test_the_linker_is_given_an_object_and_what_can_be_had_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{with_programs(tmp_path, 'wasm-ld')}:/usr/bin:/bin")
    script = '#!/bin/sh\nfor one in "$@"; do echo "$one"; done | tee "$8" >/dev/null; cat "$6" >> "$8"\n'
    (tmp_path / "wasm-ld").write_text(script, encoding="utf-8")
    given = linking.linked(b"the object", ["run", "play"], []).decode().split("\n")
    assert {"--no-entry", "--export=run", "--export=play"} <= set(given) and given[-1] == "the object"


@pytest.mark.parametrize("size", [0, 1, 120, 121, 16_378, 16_379, 3_000_000])
def test_a_section_says_how_long_it_is(size: int) -> None:
    """In groups of seven bits, the lowest first, of which all but the last are marked."""
    content = bytes(i % 251 for i in range(size))
    found = linking.with_section(b"module", "name", content)
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

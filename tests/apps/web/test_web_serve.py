"""The command `serve`: its options, its refusals before it serves anything, and games in its store."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.datastructures import URL

import edict
from calling import GAME, make_environment, make_manifest, wait_until, write_files
from edict.apps.cli.commands.serve import PAGES
from edict.apps.web.application import create_application
from edict.apps.web.room_routes import find_shared_address
from edict.apps.web.studio.open_variants import StudioServer
from edict.tools.studio.collection import Collection
from serving import OpenedTable, ServerOnPort, create_client, make_table_form, open_server

Call = Callable[..., "subprocess.CompletedProcess[str]"]
BOT = """
class Raises:
    def __init__(self, seed):
        pass
    def choose(self, view, ask, clock):
        raise KeyError("lost")
"""
LOUD = {
    "module.yaml": make_manifest("loud", requires="[pig]"),
    "loud.edict": 'setting noise "Noise" is 3 from 1 to 9\n',
}
ISLE = {
    "module.yaml": make_manifest("isle", "game"),
    "isle.edict": GAME.replace("sample", "isle").replace("Sample", "Isle"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the game `isle`, the module `loud` and a bot."""
    for name, files in {"isle": ISLE, "loud": LOUD}.items():
        write_files(tmp_path / name, files)
    write_files(tmp_path, {"theirs.py": BOT})
    return tmp_path


def test_serve_starts_with_the_hosts_own_game_bot_and_table(folder: Path, call: Call) -> None:
    game = edict.load("pig").new_game(["Ann", "Ben"], seed=5, journal=folder / "begun.jsonl")
    game.answer(0)
    game.close()
    store, kind = f"sqlite:///{folder / 'tables.sqlite'}", "theirs.py:Raises@2s"
    words = ["./isle", "--bot", kind, "--bot", "learned", "--open", str(folder / "begun.jsonl")]
    server = ServerOnPort.start(store, folder, 0, *words)
    try:
        output = server.output.read_text()
        links = re.findall(rf"{server.base}/(seat|host)/([\w-]+)", output)
        opened = re.search(r"Table ([\w-]+):", output)
        assert opened and [sort for sort, _ in links] == ["host", "seat", "seat", "seat"]
        with server.create_client() as client:
            assert client.get(f"/seat/{links[1][1]}/view.json").json()["seat"] == "Ann"
            assert '<option value="isle" selected>' in client.get("/").text
            assert OpenedTable.open_at(client, "isle", ["person", "greedy"]).find_asked() is not None
            bot_table = OpenedTable.open_at(client, "kuhn-poker", [kind, "learned"])
            wait_until(lambda: bool(bot_table.get_view(bot_table.onlookers)["over"]))
    finally:
        server.stop()
    assert f"the bot {kind} raised KeyError" in server.output.read_text()

    def list_tables(*words: str) -> subprocess.CompletedProcess[str]:
        return call("games", "tables", "--store", store, *words)

    assert opened[1] in (listed := list_tables().stdout) and "Pig" in listed
    assert list_tables(opened[1]).returncode == list_tables("-o", "again.jsonl", opened[1]).returncode == 0
    assert edict.load("pig").replay(folder / "again.jsonl").answers == game.answers
    assert list_tables("-o", "again.jsonl", opened[1]).returncode == 2, "it is there already"
    assert "there is no table" in list_tables("none").stderr


@pytest.fixture
def below(tmp_path: Path) -> Iterator[ServerOnPort]:
    """Return a server that a proxy has at `/games`."""
    server = ServerOnPort.start(f"sqlite:///{tmp_path / 'tables.sqlite'}", tmp_path, 0, "--root-path", "games/")
    yield server
    server.stop()


def test_all_addresses_of_pages_have_the_path_of_the_proxy(below: ServerOnPort, subtests: pytest.Subtests) -> None:
    assert f"{below.base}/games/" in below.output.read_text()
    with create_client(f"{below.base}/games") as client, create_client(below.base) as without_path:
        table = OpenedTable.open_at(client, "pig", ["person", "person"])
        table.play(2)
        assert len(table.given) == 2
        for place in ("/", "/gallery", f"/host/{table.host}", f"/seat/{table.seats[0]}", f"/seat/{table.onlookers}"):
            with subtests.test(place=place):
                page = client.get(place)
                addresses = set(re.findall(r'=["\'](/[^"\'\s]*)["\']', page.text))
                assert page.status_code == 200 and len(addresses) > 3
                assert [address for address in addresses if not address.startswith("/games/")] == []
                files = [address for address in addresses if "/static/" in address]
                assert {without_path.get(file).status_code for file in files} == {200}
                whole = re.findall(r"http://127[\w.:]+(/[^\s\"<]*)", page.text)
                assert [address for address in whole if not address.startswith("/games/")] == []
        taken_off = without_path.get(f"/seat/{table.seats[0]}")
        assert taken_off.status_code == 200 and 'src="/games/static/' in taken_off.text
        assert without_path.get("/gamesome").status_code == 404


def test_links_of_the_host_page_can_be_opened_in_the_network(tmp_path: Path) -> None:
    """The host sits at the server, where it is `localhost`; guests do not."""
    server = ServerOnPort.start(f"sqlite:///{tmp_path / 'tables.sqlite'}", tmp_path, 0, "--host", "0.0.0.0")
    try:
        port = server.port
        shared, is_only_here = find_shared_address(URL(f"http://127.0.0.1:{port}/"))
        with create_client(f"http://127.0.0.1:{port}") as client:
            page = client.post("/tables", data=make_table_form("pig", ["person", "random"]), follow_redirects=True)
        expected = f"http://127.0.0.1:{port}" if is_only_here else shared
        assert f">{expected}/seat/" in page.text
    finally:
        server.stop()


def test_stored_tables_are_listed_without_the_library_of_the_server(tmp_path: Path) -> None:
    code = "import sys; sys.modules['uvicorn'] = None; from edict.apps.cli.main import main; main()"
    store = f"sqlite:///{tmp_path / 'tables.sqlite'}"

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        around = make_environment(tmp_path)
        return subprocess.run([sys.executable, "-c", code, *words], env=around, capture_output=True, text=True)

    assert (listed := run("games", "tables", "--store", store)).returncode == 0, listed.stderr
    assert "uvicorn is not installed" in run("serve", "--store", store).stderr


def test_root_path_is_no_page_of_the_server(call: Call) -> None:
    for path, reason in {"/seat": "pages of its own", "/a b": "is not a path", "https://x/y": "is not a path"}.items():
        done = call("serve", "--no-browser", "--root-path", path)
        assert done.returncode == 2 and reason in done.stderr


def test_first_parts_of_the_servers_addresses_are_known(tmp_path: Path) -> None:
    with open_server(tmp_path) as (serving, _):
        routes = create_application(serving, StudioServer(serving, Collection(tmp_path / "variants"))).routes
        firsts = {str(getattr(route, "path", "")).split("/")[1] for route in routes}
    assert firsts - {""} == PAGES


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["./isle", "--with", "./loud"], "pig"),  # `loud` belongs to another game
        (["./nowhere"], "E0151"),
        (["--with", "./loud"], "pig"),
        (["./isle", "--game", "pig"], "two games given"),
        (["--bot", "theirs.py:Nobody"], "has no `Nobody`"),
        (["--store", "mysql://x/y"], "database"),
    ],
)
def test_serve_refuses_invalid_games_modules_bots_and_stores(
    folder: Path, call: Call, words: list[str], said: str
) -> None:
    store = f"sqlite:///{folder / 'tables.sqlite'}"
    result = call("serve", "--no-browser", "--port", "0", "--store", store, *words)
    assert result.returncode in (1, 2) and said in result.stderr

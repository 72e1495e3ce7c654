"""The commands `index` and `find --index`: a catalogue of modules for any static host."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID

from calling import GAME, make_manifest, run_kingsburg, write_files
from edict.compiler.sources.file_schemas import load_schema
from edict.compiler.sources.json_schema import create_validator
from edict.tools import catalogue_search

HOSTILE = "<script>alert(1)</script>"
FIND = ("find", "--index")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the game `pond`, and over it `mills` and the package `inn`, and their catalogue."""
    house = tmp_path_factory.mktemp("house")
    scene = (
        "game: pond\nscenes:\n  - {name: left, players: [Ann], play: [Ann: Left, Ann: Up], then: {Ann: {coins: 4}}}\n"
    )
    inn = make_manifest(
        "inn", requires='[pond, "mills>=1"]', language="1", engine='">=1.0"', summary=f"An {HOSTILE} inn."
    )
    files = {
        "pond/module.yaml": make_manifest("pond", "game", language="1"),
        "pond/rules.edict": GAME.replace("game sample", "game pond"),
        "mills/module.yaml": make_manifest("mills", requires="[pond]", language="1"),
        "mills/rules.edict": 'card queen "Queen"\n  worth 2\nremove card ace\n',
        "mills/notes.txt": "not for others",
        "mills/scenes/ace.yaml": scene,
        "inn/module.yaml": inn.replace("title: Inn", f"title: Inn {HOSTILE}"),
        "inn/rules.edict": 'card landlord "Landlord"\n  worth 3\n',
    }
    write_files(house, files)
    assert run_kingsburg(house, "new", "inn", "--package").returncode == 0
    project = house / "inn/pyproject.toml"
    authors = '[project]\nauthors = [{name = "Ann \\u001b[31m", email = "ann@example.org"}]\nlicense = {text = "MIT"}'
    project.write_text(project.read_text("utf-8").replace("[project]", authors), "utf-8")
    done = run_kingsburg(house, "index", "-o", "site", "--title", "Our house", "--python", sys.executable)
    assert done.returncode == 0 and done.stdout.endswith("Wrote 3 modules to site/index.html.\n"), done.stderr
    return house


def read_index(folder: Path) -> dict[str, dict[str, object]]:
    """Return the modules of the index in a catalogue by name."""
    return {module["name"]: module for module in json.loads((folder / "index.json").read_text("utf-8"))["modules"]}


# --- writing ---------------------------------------------------------------------------------


def test_index_says_what_modules_change_and_where_their_archives_are(house: Path) -> None:
    document = json.loads((house / "site/index.json").read_text("utf-8"))
    assert list(create_validator(load_schema("index")).iter_errors(document)) == []
    modules = read_index(house / "site")
    assert document["title"] == "Our house" and modules.keys() == {"inn", "mills", "pond"}
    inn, mills = modules["inn"], modules["mills"]
    assert mills["changes"] == ["Queen: Worth 2.", "Ace is removed."]
    assert mills["tried"] == 2 * [{"engine": "1.0.0", "errors": 0, "warnings": 0, "passed": 1, "failed": 0}]
    assert (inn["requires"], inn["engine"], inn["license"]) == (["pond", "mills>=1"], ">=1.0", "MIT")
    assert inn["authors"] == ["Ann \x1b[31m"], "without addresses"
    for module, file in ((inn, "files/edict_inn-1.0.0-py3-none-any.whl"), (mills, "files/mills-1.0.0.zip")):
        content = (house / "site" / file).read_bytes()
        assert module["archive"] == {"file": file, "bytes": len(content), "sha256": sha256(content).hexdigest()}


def test_zip_of_the_catalogue_is_found_where_own_rules_lie(house: Path, tmp_path: Path) -> None:
    shutil.copy(house / "site/files/mills-1.0.0.zip", tmp_path)
    shutil.copytree(house / "pond", tmp_path / "pond")
    done = run_kingsburg(tmp_path, "modules", "--format", "json", EDICT_RULES=str(tmp_path))
    assert "mills" in {module["name"] for module in json.loads(done.stdout)["modules"]}
    assert not list(tmp_path.rglob("notes.txt"))


def test_pages_of_the_catalogue_escape_what_modules_say(house: Path, subtests: pytest.Subtests) -> None:
    for page in (house / "site").rglob("*.html"):
        with subtests.test(page=page.name):
            text = page.read_text("utf-8")
            assert "<script" not in text and "default-src 'none'" in text
    assert "&lt;script&gt;" in (house / "site/modules/inn.html").read_text("utf-8")
    assert "<script" not in (house / "site/modules/inn.svg").read_text("utf-8")
    mills = (house / "site/modules/mills.html").read_text("utf-8")
    assert "Queen" in mills and "Ace (card)" in mills and "1 scene passed under 1.0.0" in mills


def test_catalogue_is_replaced_only_by_force_and_an_archive_by_nothing(house: Path, tmp_path: Path) -> None:
    shutil.copytree(house / "mills", tmp_path / "mills")
    shutil.copytree(house / "pond", tmp_path / "pond")
    assert run_kingsburg(tmp_path, "index", "mills").returncode == 0
    before = (tmp_path / "catalogue/index.json").read_bytes()
    assert "--force" in run_kingsburg(tmp_path, "index", "mills").stderr
    assert run_kingsburg(tmp_path, "index", "mills", "--force").returncode == 0
    assert (tmp_path / "catalogue/index.json").read_bytes() == before, "the same rules give the same bytes"
    write_files(tmp_path, {"mills/rules.edict": 'card queen "Queen"\n  worth 3\n'})
    refused = run_kingsburg(tmp_path, "index", "mills", "--force")
    assert refused.returncode == 2 and "`mills` 1.0.0 is in the catalogue with other content" in refused.stderr
    write_files(tmp_path, {"mills/rules.edict": "card\n"})
    assert run_kingsburg(tmp_path, "index", "mills", "--force").returncode == 1


# --- searching -------------------------------------------------------------------------------


def test_catalogue_is_searched_by_the_words_of_changes(house: Path) -> None:
    found = run_kingsburg(house, *FIND, "site", "landlord").stdout.splitlines()
    assert found[0] == f"inn 1.0.0: Inn {HOSTILE} (module, by Ann ?[31m, MIT)"
    assert "  1.0.0: no errors, 0 scenes passed; 1.0.0: no errors, 0 scenes passed; requires pond and mills>=1" in found
    wheel = house / "site/files/edict_inn-1.0.0-py3-none-any.whl"
    checksum = sha256(wheel.read_bytes()).hexdigest()
    assert (
        found[-1]
        == f"  pip install '{wheel.as_uri()}#sha256={checksum}' --find-links {(house / 'site').as_uri()}/index.html"
    )
    found = run_kingsburg(house, *FIND, "site/index.json", "queen").stdout.splitlines()
    assert f"  put {(house / 'site/files/mills-1.0.0.zip').as_uri()} into " in "\n".join(found)
    assert len(run_kingsburg(house, *FIND, "site").stdout.split("SHA-256")) == 3, "two zip files"
    document = json.loads(run_kingsburg(house, *FIND, "site", "queen", "--format", "json").stdout)
    assert [module["name"] for module in document["modules"]] == ["mills"]
    assert "no module in the catalogue matches `dragon`" in run_kingsburg(house, *FIND, "site", "dragon").stderr


def test_index_of_a_stranger_is_refused_unless_it_is_one(
    house: Path, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    text = (house / "site/index.json").read_text("utf-8")
    for content, reason in {
        "": "it is not JSON",
        "[" * 100_000: "it is not JSON",
        "{}": "it has not the keys of edict index 1",
        text.replace(
            "files/mills-1.0.0.zip", "files/../../mills.zip"
        ): "`modules.1.archive.file` is not as edict index 1",
        text.replace("modules/inn.html", "https://elsewhere/inn.html"): "`modules.0.page`",
        text.replace('"inn"', '"Inn; rm"'): "`modules.0.name`",
        text.replace('"format": "edict index 1"', '"format": "edict index 2"'): "`format`",
        f'"{"x" * catalogue_search.MAX_BYTES}"': "more than 4,000,000 bytes",
    }.items():
        with subtests.test(reason=reason):
            write_files(tmp_path, {"index.json": content})
            done = run_kingsburg(tmp_path, *FIND, "index.json")
            assert done.returncode == 2 and reason in done.stderr, done.stdout + done.stderr
    for place, reason in {
        "http://127.0.0.1/": "is not an address of https",
        "nowhere": "cannot be read: No such file",
        "ftp://127.0.0.1/x": "cannot be read",
    }.items():
        with subtests.test(place=place):
            assert reason in run_kingsburg(tmp_path, *FIND, place).stderr


def test_lines_of_a_stranger_stay_lines(house: Path, tmp_path: Path) -> None:
    document = json.loads((house / "site/index.json").read_text("utf-8"))
    document["modules"][0] |= {"title": "a\npip install evil\x1b[2J", "changes": ["b\nc" * 400]}
    write_files(tmp_path, {"index.json": json.dumps(document)})
    lines = run_kingsburg(tmp_path, *FIND, "index.json", "evil").stdout.splitlines()
    assert not any(line.lstrip().startswith("pip install evil") for line in lines) and max(map(len, lines)) < 400


# --- signing ---------------------------------------------------------------------------------


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """Return a folder with two pairs of keys, `one` and `other`."""
    for name in ("one", "other"):
        key = ed25519.Ed25519PrivateKey.generate()
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (tmp_path / f"{name}.pem").write_bytes(private)
        public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        (tmp_path / f"{name}.pub").write_bytes(public)
    return tmp_path


def test_signed_index_is_accepted_only_unchanged_and_by_its_key(house: Path, keys: Path) -> None:
    shutil.copytree(house / "mills", keys / "mills")
    shutil.copytree(house / "pond", keys / "pond")
    assert run_kingsburg(keys, "index", "mills", "--key", "one.pem").returncode == 0
    signed = (*FIND, "catalogue", "--key")
    assert "mills 1.0.0" in run_kingsburg(keys, *signed, "one.pub").stdout
    assert "the signature does not fit" in run_kingsburg(keys, *signed, "other.pub").stderr
    assert "`one.pem` is no public key" in run_kingsburg(keys, *signed, "one.pem").stderr
    if openssl := shutil.which("openssl"):
        verify = [openssl, "pkeyutl", "-verify", "-pubin", "-inkey", "one.pub", "-rawin", "-in", "catalogue/index.json"]
        subprocess.run([*verify, "-sigfile", "catalogue/index.json.sig"], cwd=keys, check=True, capture_output=True)
    index = keys / "catalogue/index.json"
    text = index.read_text("utf-8")
    index.write_text(text.replace("Queen", "King"), "utf-8")
    assert "the signature does not fit" in run_kingsburg(keys, *signed, "one.pub").stderr
    assert run_kingsburg(keys, "index", "mills", "--force").returncode == 0
    assert not (keys / "catalogue/index.json.sig").exists(), "it would not fit the new index"
    assert "index.json.sig` cannot be read" in run_kingsburg(keys, *signed, "one.pub").stderr


# --- by https --------------------------------------------------------------------------------


class Host(BaseHTTPRequestHandler):
    """A host of catalogues with everything that can go wrong."""

    site = Path()

    def do_GET(self) -> None:
        if self.path == "/redirect/index.json":
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1/index.json")
            self.end_headers()
            return
        self.send_response(404 if self.path.startswith("/nowhere") else 200)
        self.end_headers()
        if self.path == "/slow/index.json":
            for _ in range(20):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.2)
        elif self.path == "/large/index.json":
            self.wfile.write(b" " * (catalogue_search.MAX_BYTES + 1))
        elif self.path.startswith("/site/"):
            self.wfile.write((self.site / self.path.removeprefix("/site/")).read_bytes())

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@contextmanager
def serve(site: Path, folder: Path) -> Iterator[str]:
    """Serve a catalogue by https with a certificate in a folder; yield the address."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "both.pem").write_bytes(certificate.public_bytes(Encoding.PEM) + private)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("SiteHost", (Host,), {"site": site}))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "both.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"https://localhost:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def test_catalogue_is_fetched_by_https_within_limits(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    monkeypatch.setattr(catalogue_search, "TIMEOUT", 2.0)
    with serve(house / "site", tmp_path) as address:
        trusted = {"SSL_CERT_FILE": str(tmp_path / "certificate.pem"), "no_proxy": "localhost"}
        for place in ("site", "site/", "site/index.json"):
            with subtests.test(place=place):
                done = run_kingsburg(tmp_path, *FIND, f"{address}/{place}", "landlord", **trusted)
                assert f"pip install '{address}/site/files/edict_inn" in done.stdout, done.stderr
        for place, reason in {
            "redirect": "`http://127.0.0.1/index.json` is not an address of https",
            "nowhere": "Not Found",
            "large": "more than 4,000,000 bytes",
            "slow": "did not answer within 2 seconds",
        }.items():
            with subtests.test(place=place):
                done = run_kingsburg(tmp_path, *FIND, f"{address}/{place}", **trusted)
                assert done.returncode == 2 and reason in done.stderr, done.stderr
        with subtests.test("a certificate that nobody vouches for"):
            assert "certificate verify failed" in run_kingsburg(tmp_path, *FIND, f"{address}/site").stderr

"""Requests and responses between two browsers, in Node.js over a fake channel."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from edict.apps.page.page_builder import BROWSER_FILES

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
FAKE_CHANNEL = """
class End extends EventTarget {
  readyState = "open"; bufferedAmount = 0;
  send(message) { queueMicrotask(() => this.other.onmessage({ data: message.buffer ?? message })); }
  close() {
    for (const one of [this, this.other]) {
      if (one.readyState === "open") { one.readyState = "closed"; one.dispatchEvent(new Event("close")); }
    }
  }
}
function pair() {
  const [here, there] = [new End(), new End()];
  here.other = there; there.other = here;
  const told = (number, kind, bytes) => here.send(new Uint8Array([0, 0, 0, number, kind, ...bytes]));
  return { here, there, told };
}
const { here, there } = pair();
const words = (value) => new TextEncoder().encode(JSON.stringify(value));
const HEAD = { method: "GET", address: "/seat/x", headers: [["accept", "text/html"]], below: "/with/b", home: "/" };
console.warn = () => {};
"""


def run_in_node(script: str, tmp_path: Path) -> Any:
    """Run a script in Node.js and return the value that it passes to `said`.

    The script can use `Asking`, `Answering` and both ends of a channel, `here` and `there`.
    """
    file = tmp_path / "channel.mjs"
    shutil.copyfile(BROWSER_FILES / "request_channel.js", tmp_path / "request_channel.mjs")
    said_function = "const said = (value) => { console.log(JSON.stringify(value)); process.exit(0); };"
    import_line = 'import { Answering, Asking } from "./request_channel.mjs";'
    file.write_text("\n".join([import_line, FAKE_CHANNEL, said_function, script]), encoding="utf-8")
    process = subprocess.run(["node", str(file)], capture_output=True, text=True, timeout=60, check=False)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def test_concurrent_large_responses_arrive_complete_and_in_order(tmp_path: Path) -> None:
    responses = run_in_node(
        """
        new Answering(there, ({ address, body }, { below }, port) => {
          port.postMessage({ status: 200, headers: [["content-type", below]] });
          for (let at = 0; at < 3; at++) port.postMessage(new Uint8Array(50001).fill(Number(address.slice(1)) + at));
          port.postMessage(new Uint8Array(body ?? []));
          port.postMessage(undefined);
        });
        const asking = new Asking(here), all = {};
        for (const number of [10, 20]) {
          const { port1, port2 } = new MessageChannel(), got = (all[number] = []);
          port1.onmessage = ({ data }) => {
            if (!data) got.done = true;
            else got.push(...(data.status ? [data.headers[0][1]] : data));
            const found = Object.values(all);
            const ends = (one) => [one[0], one.length, one[1], one[50002], one.at(-1)];
            if (found.every((one) => one.done)) said(found.map(ends));
          };
          asking.ask({ ...HEAD, address: `/${number}`, body: new Uint8Array(40000).fill(7) }, port2);
        }
        """,
        tmp_path,
    )
    size = 1 + 3 * 50_001 + 40_000
    assert responses == [["/with/b", size, 10, 11, 7], ["/with/b", size, 20, 21, 7]]


INVALID_MESSAGES = (
    "told(1, 0, [1, 2, 3])",
    "told(1, 0, words(null))",
    "told(1, 0, words({ ...HEAD, address: 5 }))",
    "told(1, 0, words({ ...HEAD, headers: [['a']] }))",
    "told(1, 0, words(HEAD)); told(1, 0, words(HEAD))",
    "told(1, 0, words(HEAD)); told(1, 2, []); told(1, 2, [])",
    "here.send(new Uint8Array(2))",
    "for (let one = 0; one < 65; one++) told(one, 0, words(HEAD))",
    "told(1, 0, words(HEAD)); for (let one = 0; one < 9; one++) told(1, 1, new Uint8Array(16000))",
)


def test_invalid_message_closes_the_channel(tmp_path: Path) -> None:
    senders = ", ".join(
        f"({{ here, told }}) => {{ {message} }}" for message in (*INVALID_MESSAGES, "told(1, 0, words(HEAD))")
    )
    script = f"""
        const ends = [{senders}].map((send) => {{
          const ends = pair();
          new Answering(ends.there, () => {{}});
          send(ends);
          return ends.there;
        }});
        setTimeout(() => said(ends.map((one) => one.readyState)), 50);
        """
    assert run_in_node(script, tmp_path) == [*("closed" for _ in INVALID_MESSAGES), "open"]


def test_leaving_cancels_a_response_and_closing_the_channel_ends_open_ones(tmp_path: Path) -> None:
    outcome = run_in_node(
        """
        const left = [];
        new Answering(there, ({ address }, _, port) => {
          port.on("message", () => left.push(address));
          port.postMessage({ status: 200, headers: [] });
        });
        const asking = new Asking(here);
        const ports = ["/a", "/b"].map((address) => {
          const { port1, port2 } = new MessageChannel();
          asking.ask({ ...HEAD, address, body: null }, port2);
          return port1;
        });
        let ended = false;
        ports[1].onmessage = ({ data }) => (ended ||= !data);
        setTimeout(() => ports[0].postMessage("left"), 30);
        setTimeout(() => here.close(), 90);
        setTimeout(() => said([left, ended]), 150);
        """,
        tmp_path,
    )
    assert outcome == [["/a", "/b"], True]


# --- headers that the guest's service worker accepts ------------------------------------------------------


ALLOWED_HEADERS = [
    ("content-type", "text/html; charset=utf-8"),
    ("content-type", "text/event-stream"),
    ("location", "/game/with/ben/seat/x"),
    ("hx-redirect", "/game/with/ben/seat/x"),
    ("hx-refresh", "true"),
]
FORBIDDEN_HEADERS = [
    ("content-type", "text/javascript"),
    ("content-type", "text/htmlx"),
    ("location", "/game/studio/new"),
    ("location", "/game/with/ben/../../studio"),
    ("location", "/game/with/cat/seat/x"),
    ("location", "http://["),
    ("location", "https://evil.example/"),
    ("location", "//evil.example/game/with/ben/"),
    ("hx-redirect", "javascript:alert(1)"),
    ("set-cookie", "a=b"),
    ("service-worker-allowed", "/"),
    ("clear-site-data", "*"),
    ("content-security-policy", "default-src *"),
]
SERVICE_WORKER_GLOBALS = """
globalThis.registration = { scope: "https://host.example/game/" };
globalThis.location = new URL("https://host.example/game/service_worker.js");
globalThis.addEventListener = () => {};
"""


def test_guest_accepts_only_headers_that_show_the_hosts_table(tmp_path: Path) -> None:
    file = tmp_path / "guarded.js"
    service_worker = (BROWSER_FILES / "service_worker.js").read_text(encoding="utf-8")
    print_headers = (
        f'console.log(JSON.stringify(guarded("with/ben/")({json.dumps(ALLOWED_HEADERS + FORBIDDEN_HEADERS)})));'
    )
    file.write_text(f"{SERVICE_WORKER_GLOBALS}{service_worker}{print_headers}", encoding="utf-8")
    process = subprocess.run(["node", str(file)], capture_output=True, text=True, timeout=60, check=False)
    assert process.returncode == 0, process.stderr
    accepted = [tuple(header) for header in json.loads(process.stdout)]
    assert accepted[: len(ALLOWED_HEADERS)] == ALLOWED_HEADERS and not set(accepted) & set(FORBIDDEN_HEADERS)
    policy = dict(accepted)["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert "connect-src https://host.example/game/with/ben/;" in policy

// "Your turn", told also when no page is open: asked for at a table, and from then on at every table of this browser.
"use strict";
{
  const TABLES = "own tables"; // of the browser's caches: the worker finds there where somebody sits
  const home = new URL("../..", document.currentScript.src).pathname; // of the server, which a proxy may have at a path
  const wish = document.getElementById("notices");
  const wished = () => localStorage.getItem("notices") === "true";
  const able = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

  async function told(key) {
    const worker = await navigator.serviceWorker.register(`${home}notices/worker.js`);
    await active(worker);
    const found = await worker.pushManager.getSubscription();
    if (found && same(found.options.applicationServerKey, key)) return found;
    await found?.unsubscribe(); // made for keys that this server has no more
    return worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  }
  async function active({ active, installing, waiting }) {
    const begun = installing ?? waiting;
    if (!active && begun) await new Promise((done) => (begun.onstatechange = () => begun.state === "activated" && done()));
  }
  const base64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const same = (buffer, key) => buffer !== null && base64(buffer) === key;

  async function tell(key) {
    const subscription = await told(key);
    const { endpoint, keys } = subscription.toJSON();
    const { pathname } = location;
    await (await caches.open(TABLES)).put(`/notices/${wish.dataset.table}`, new Response(pathname));
    const sent = await fetch(`${pathname}/notices`, { method: "POST", body: new URLSearchParams({ endpoint, ...keys }) });
    if (!sent.ok) throw new Error(await sent.text());
  }
  async function tellNothing() {
    const worker = await navigator.serviceWorker.getRegistration(`${home}notices/worker.js`);
    await (await worker?.pushManager.getSubscription())?.unsubscribe(); // the server learns of it when it next sends
    await caches.delete(TABLES);
  }
  async function change(key) {
    localStorage.setItem("notices", String(wish.checked));
    say("");
    try {
      if (!wish.checked) await tellNothing();
      else if ((await Notification.requestPermission()) !== "granted") refuse(wish.dataset.denied);
      else await tell(key);
    } catch {
      refuse(wish.dataset.failed);
    }
  }
  function refuse(why) {
    wish.checked = false;
    localStorage.setItem("notices", "false");
    say(why);
  }
  function say(text) {
    document.getElementById("notices-said").textContent = text;
  }
  // Whoever looks at the table knows.
  async function putAway() {
    if (document.hidden) return;
    const worker = await navigator.serviceWorker.getRegistration(`${home}notices/worker.js`);
    for (const one of (await worker?.getNotifications({ tag: wish.dataset.table })) ?? []) one.close();
  }
  async function offer() {
    const key = await (await fetch(`${home}notices/key`)).text();
    if (!key) return;
    wish.checked = wished() && Notification.permission === "granted";
    wish.closest("[hidden]").hidden = false;
    wish.addEventListener("change", () => change(key));
    document.addEventListener("visibilitychange", putAway);
    if (wish.checked) {
      await tell(key);
      await putAway();
    }
  }
  if (wish && able && self === top) offer().catch(() => {}); // it is offered again with the next page
}

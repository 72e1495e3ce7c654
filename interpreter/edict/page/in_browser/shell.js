// The window around the application: begins it in a worker, unless another window has it already, and shows it in a
// frame. The window stays while pages in the frame come and go, and with it the worker.
const BASE = new URL(".", location.href).pathname;
const by = (id) => document.getElementById(id);
let worker = null;

function say(text) {
  by("stage").textContent = text;
}
function fail(text) {
  by("stage").textContent = text;
  by("progress").hidden = true;
}

// --- where one is: the frame's address stands behind # in the window's --------------------------------------------------

const wanted = () => (location.hash.startsWith("#/") ? location.hash.slice(1) : location.hash.startsWith("#game=") ? `/${location.hash}` : "/");
const shown = (place) => place.pathname.slice(BASE.length - 1) + place.search + place.hash;

// A link may hold a variant: its zip file, behind #variant=. It becomes one of this browser's own.
async function opened() {
  const letters = /^#variant=([\w-]+)$/.exec(location.hash)?.[1];
  if (!letters) return;
  const bytes = Uint8Array.from(atob(letters.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
  const form = new FormData();
  form.set("from", "zip");
  form.set("name", "");
  form.set("zip", new File([bytes], "variant.zip", { type: "application/zip" }));
  const found = await fetch(`${BASE}studio/new`, { method: "POST", body: form });
  const page = new URL(found.url);
  history.replaceState(null, "", `${BASE}#${found.redirected ? shown(page) : "/studio"}`);
}

async function show() {
  await opened();
  const frame = by("application");
  if (!frame.hidden) return;
  frame.addEventListener("load", () => {
    by("beginning").hidden = true;
    frame.hidden = false;
    const { location: place, title } = frame.contentWindow.document;
    if (!place.pathname.startsWith(BASE)) return;
    document.title = title;
    history.replaceState(null, "", shown(place) === "/" ? BASE : `${BASE}#${shown(place)}`);
    frame.contentWindow.focus();
  });
  addEventListener("hashchange", async () => {
    await opened();
    if (wanted() !== shown(frame.contentWindow.location)) frame.contentWindow.location.replace(BASE.slice(0, -1) + wanted());
  });
  frame.src = BASE.slice(0, -1) + wanted();
}

// --- the worker ----------------------------------------------------------------------------------------------------------

function begin() {
  return new Promise((ready) => {
    worker = new Worker(`${BASE}worker.js`, { type: "module", name: "application" });
    worker.onmessage = ({ data }) => {
      if (data.stage) say(by("stage").dataset[data.stage]);
      if (data.failed) fail(`${by("stage").dataset.failed} ${data.failed}`);
      if (data.ready) ready();
    };
    worker.onerror = (event) => fail(`${by("stage").dataset.failed} ${event.message ?? ""}`);
  });
}

navigator.serviceWorker?.addEventListener("message", ({ data, ports: [port] }) => {
  if (worker) worker.postMessage({ ...data, port }, [port]);
  else port.postMessage("not here");
});

async function controlled() {
  await navigator.serviceWorker.register(`${BASE}service_worker.js`, { scope: BASE });
  await navigator.serviceWorker.ready;
  if (navigator.serviceWorker.controller) return;
  await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done, { once: true }));
}

async function main() {
  if (!("serviceWorker" in navigator)) return fail(by("stage").dataset.insecure);
  try {
    say(by("stage").dataset.fetching);
    await controlled();
  } catch (problem) {
    return fail(`${by("stage").dataset.failed} ${problem.message}`);
  }
  navigator.serviceWorker.startMessages();
  const elsewhere = await navigator.locks.request(`edict ${BASE}`, { ifAvailable: true }, async (lock) => {
    if (!lock) return true;
    await begin();
    await show();
    return new Promise(() => {}); // as long as the window is there
  });
  if (!elsewhere) return undefined;
  await show();
  return navigator.locks.request(`edict ${BASE}`, async () => {
    await begin(); // the other window was closed
    return new Promise(() => {});
  });
}

navigator.storage?.persist?.();
main();

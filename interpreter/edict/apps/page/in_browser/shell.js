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
  const { bytesOf } = await import("./invitation_codes.js");
  const form = new FormData();
  form.set("from", "zip");
  form.set("name", "");
  form.set("zip", new File([bytesOf(letters)], "variant.zip", { type: "application/zip" }));
  const found = await fetch(`${BASE}studio/new`, { method: "POST", body: form });
  const page = new URL(found.url);
  history.replaceState(null, "", `${BASE}#${found.redirected ? shown(page) : "/studio"}`);
}

async function show() {
  await opened();
  const frame = by("application");
  if (!frame.hidden) return;
  frame.addEventListener("load", () => {
    if (frame.contentDocument?.querySelector("meta[name=away]")) return away();
    showOnly(frame);
    const { location: place, title } = frame.contentWindow.document;
    if (!place.pathname.startsWith(BASE)) return;
    guest?.at(shown(place));
    if (localStorage.getItem(`guests of ${BASE}`) && worker) people();
    document.title = title;
    history.replaceState(null, "", shown(place) === "/" ? BASE : `${BASE}#${shown(place)}`);
    frame.contentWindow.focus();
  });
  addEventListener("hashchange", async () => {
    if (JOINING.test(location.hash) || !frame.isConnected) return;
    await opened();
    await invited();
    if (wanted() !== shown(frame.contentWindow.location)) frame.contentWindow.location.replace(BASE.slice(0, -1) + wanted());
  });
  frame.src = BASE.slice(0, -1) + wanted();
}

// --- people at other browsers: who is invited to tables here, and whose table this window shows ---------------------------

const JOINING = /^#join=([\w-]*)$/;
const ELSEWHERE = "/with/"; // before the address of what lies at somebody else's
let guest = null; // this window's connection to them
let hosting = null;
const own = {
  base: BASE,
  worker: () => worker,
  language: () => by("application").contentDocument?.documentElement.lang ?? "",
  show: showOnly,
  end: () => by("application").remove(), // its pages would ask for news for ever
  async go(place) {
    await own.controlled;
    history.replaceState(null, "", `${BASE}#${place}`);
    await show();
  },
};

addEventListener("hashchange", () => JOINING.test(location.hash) && location.reload()); // an invitation opened in this window

function showOnly(one) {
  for (const other of [by("beginning"), by("application"), by("joining")]) if (other) other.hidden = other !== one;
}

async function away() {
  const { away } = await import("./joining.js");
  await away(own);
}

function people() {
  return (hosting ??= import("./hosting.js").then((found) => found.hosting(own)));
}

// A page asks to invite somebody by a link to #invite= in this window.
async function invited() {
  if (!location.hash.startsWith("#invite=")) return;
  const asked = new URLSearchParams(location.hash.slice(1));
  history.replaceState(null, "", `${BASE}#${shown(by("application").contentWindow.location)}`);
  await (await people()).invite(asked.get("invite"), asked.get("for") ?? "");
}

// Whether this window is a guest's, at somebody else's table.
async function joined() {
  const letters = JOINING.exec(location.hash)?.[1];
  if (letters === undefined && !wanted().startsWith(ELSEWHERE)) return false;
  own.controlled = controlled();
  if (letters !== undefined) {
    const { join } = await import("./joining.js");
    guest = await join(own, letters);
  } else {
    await own.controlled;
    const found = await fetch(BASE.slice(0, -1) + wanted()); // another window of this browser may be connected
    await (found.ok ? show() : away());
  }
  return true;
}

// --- the worker ----------------------------------------------------------------------------------------------------------

function begin() {
  return new Promise((ready) => {
    worker = new Worker(`${BASE}worker.js`, { type: "module", name: "application" });
    worker.onmessage = ({ data }) => {
      if (data.stage) say(by("stage").dataset[data.stage]);
      if (data.failed) fail(`${by("stage").dataset.failed} ${data.failed}`);
      if (data.ready) {
        ready();
        navigator.serviceWorker.controller?.postMessage("fetch all");
      }
    };
    worker.onerror = (event) => fail(`${by("stage").dataset.failed} ${event.message ?? ""}`);
  });
}

navigator.serviceWorker?.addEventListener("message", ({ data, ports: [port] }) => {
  const elsewhere = data.address.startsWith(ELSEWHERE);
  if (worker && !elsewhere) worker.postMessage({ ...data, port }, [port]);
  else if (!elsewhere || !guest?.ask(data, port)) port.postMessage("not here");
});

async function controlled() {
  await navigator.serviceWorker.register(`${BASE}service_worker.js`, { scope: BASE });
  await navigator.serviceWorker.ready;
  if (navigator.serviceWorker.controller) return;
  await new Promise((done) => navigator.serviceWorker.addEventListener("controllerchange", done, { once: true }));
}

async function main() {
  if (!("serviceWorker" in navigator)) return fail(by("stage").dataset.insecure);
  navigator.serviceWorker.startMessages();
  try {
    if (await joined()) return undefined;
    say(by("stage").dataset.fetching);
    await controlled();
  } catch (problem) {
    return fail(`${by("stage").dataset.failed} ${problem.message}`);
  }
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

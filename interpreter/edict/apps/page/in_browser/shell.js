// The window around the application: begins it in a worker, unless another window has it already, and shows it in a
// frame. The window stays while pages in the frame come and go, and with it the worker.
const BASE = new URL(".", location.href).pathname;
const by = (id) => document.getElementById(id);
let worker = null;
let ready = false; // whether the application answers, here or in another window

function say(text) {
  by("stage").textContent = text;
}
function fail(text) {
  by("stage").textContent = text;
  by("progress").hidden = true;
}

// --- where one is: the frame's address stands behind # in the window's --------------------------------------------------

const wanted = () => (location.hash.startsWith("#/") ? location.hash.slice(1) : location.hash.startsWith("#game=") ? `/${location.hash}` : "/");
const PREPARED = /^\/(start|gallery)\.[\w-]+\.html$/; // pages that are there before the application
const START = /^\/(\?language=[\w-]+)?$/; // the application's own start page, which has no covers
const shown = (place) => {
  const path = place.pathname.slice(BASE.length - 1);
  const [, name] = PREPARED.exec(path) ?? [];
  return (name ? `/${name === "start" ? "" : name}` : path) + place.search + place.hash;
};

// The start page in the language that was last read here, or that the browser asks for.
function startPage() {
  const languages = by("application").dataset.languages.split(" ");
  const asked = [localStorage.getItem(`language of ${BASE}`) ?? "", ...navigator.languages];
  const spoken = asked.map((language) => languages.find((code) => code === language || language.startsWith(`${code}-`))).find(Boolean);
  return `${BASE}start.${spoken ?? languages[0]}.html`;
}
const address = (place) => (place === "/" ? startPage() : BASE.slice(0, -1) + place);

// What is clicked before the application is there waits for it, the last of it.
let clicked = null;
function hold(page) {
  const wait = (event, again) => {
    if (ready) return;
    event.preventDefault();
    clicked = again;
    for (const one of page.querySelectorAll("[aria-busy]")) one.removeAttribute("aria-busy");
    (event.submitter ?? event.target).setAttribute("aria-busy", "true");
    say(by("stage").dataset.waiting);
  };
  page.addEventListener("submit", (event) => wait(event, () => event.target.requestSubmit(event.submitter)), true);
  page.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (link && !PREPARED.test(link.pathname.slice(BASE.length - 1))) wait(event, () => link.click());
  }, true);
}

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
  if (frame.src) return;
  frame.addEventListener("load", () => {
    const page = frame.contentDocument;
    if (page?.querySelector("meta[name=away]")) return away();
    if (!page?.location.pathname.startsWith(BASE)) return undefined;
    const { location: place, title } = page;
    const path = place.pathname.slice(BASE.length - 1);
    const { lang } = page.documentElement;
    if (lang && ready && !PREPARED.test(path) && !guest) localStorage.setItem(`language of ${BASE}`, lang);
    if (START.test(path + place.search)) return frame.contentWindow.location.replace(startPage());
    if (ready) showOnly(frame);
    else hold(page);
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
    if (wanted() !== shown(frame.contentWindow.location)) frame.contentWindow.location.replace(address(wanted()));
  });
  frame.src = address(wanted());
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
  ready = true; // as soon as the other browser answers
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
  return new Promise((done) => {
    worker = new Worker(`${BASE}worker.js`, { type: "module", name: "application" });
    worker.onmessage = ({ data }) => {
      if (data.stage && !clicked) say(by("stage").dataset[data.stage]);
      if (data.failed) fail(`${by("stage").dataset.failed} ${data.failed}`);
      if (data.ready) {
        done();
        navigator.serviceWorker.controller?.postMessage("fetch all");
      }
    };
    worker.onerror = (event) => fail(`${by("stage").dataset.failed} ${event.message ?? ""}`);
  });
}

// The start page is there before the application.
async function showEarly() {
  if (wanted() !== "/" || /^#\w+=/.test(location.hash)) return;
  document.body.classList.add("early");
  by("application").hidden = false;
  await show();
}

async function showReady() {
  ready = true;
  document.body.classList.remove("early");
  if (!by("application").src) return show();
  showOnly(by("application"));
  return clicked?.();
}

navigator.serviceWorker?.addEventListener("message", ({ data, ports: [port] }) => {
  const elsewhere = data.address.startsWith(ELSEWHERE);
  if (worker && !elsewhere) {
    if (!ready) port.postMessage("coming");
    worker.postMessage({ ...data, port }, [port]);
  } else if (!elsewhere || !guest?.ask(data, port)) port.postMessage("not here");
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
    const begun = begin();
    await showEarly();
    await begun;
    await showReady();
    return new Promise(() => {}); // as long as the window is there
  });
  if (!elsewhere) return undefined;
  await showReady();
  return navigator.locks.request(`edict ${BASE}`, async () => {
    await begin(); // the other window was closed
    return new Promise(() => {});
  });
}

navigator.storage?.persist?.();
main();

// Takes what pages below this folder ask for: files come from the browser's store, the rest from the application in a
// worker of whichever window has it. `FILES` and `RELEASE` stand before this when the page is made.
"use strict";
const SCOPE = new URL(registration.scope).pathname;
const HTML = { "content-type": "text/html; charset=utf-8" };
const SOON = 1000; // milliseconds until a page looks again whether the application is there
const PATIENCE = 60000; // milliseconds in which a window must have said whether it answers

// --- files -------------------------------------------------------------------------------------------------------------

// What is sent packed is unpacked once, here, on whatever host the page lies.
async function fetched(path) {
  const { packed, type } = FILES[path];
  const found = await fetch(SCOPE + path + (packed ? ".gz" : ""), { cache: "no-cache" });
  if (!found.ok) throw new Error(`${path}: ${found.status}`);
  const body = packed ? found.body.pipeThrough(new DecompressionStream("gzip")) : found.body;
  return new Response(body, { headers: { "content-type": type } });
}

async function file(path) {
  const store = await caches.open(RELEASE);
  return (await store.match(SCOPE + path)) ?? (await arrived(store, path));
}

// Each is fetched once, whoever waits for it; the first need not wait until it is kept.
const coming = {};
async function arrived(store, path) {
  if (coming[path]) {
    await coming[path];
    return (await store.match(SCOPE + path)) ?? fetched(path); // the store may be full
  }
  let told;
  coming[path] = new Promise((done) => void (told = done));
  try {
    const found = await fetched(path);
    store.put(SCOPE + path, found.clone()).finally(told);
    return found;
  } catch (problem) {
    told();
    throw problem;
  } finally {
    coming[path].then(() => delete coming[path]);
  }
}

const all = () => Promise.all(Object.keys(FILES).map(file));

// A first visit waits for what it needs, as it needs it, and has the rest fetched later; a newer release comes whole, while
// the older one is still there.
addEventListener("install", (event) => {
  if (registration.active) event.waitUntil(all());
});

addEventListener("message", (event) => {
  if (event.data === "fetch all") event.waitUntil(all());
});

addEventListener("activate", (event) => {
  const mine = (name) => name.startsWith(`${SCOPE} `) && name !== RELEASE; // other pages of this host keep theirs
  const cleared = caches.keys().then((names) => Promise.all(names.filter(mine).map((name) => caches.delete(name))));
  event.waitUntil(cleared.then(() => clients.claim()));
});

// --- the application ---------------------------------------------------------------------------------------------------

async function windows() {
  const all = await clients.matchAll({ type: "window", includeUncontrolled: true });
  return all.filter((one) => one.frameType === "top-level" && new URL(one.url).pathname.startsWith(SCOPE));
}

// Asks one window. Gives its answer, or nothing if it has none. heard: the headers of an answer that hold here.
function asked(client, request, heard) {
  return new Promise((answer) => {
    const { port1, port2 } = new MessageChannel();
    const late = setTimeout(() => answer(null), PATIENCE);
    let stream;
    const body = new ReadableStream({
      start: (controller) => void (stream = controller),
      cancel: () => port1.postMessage("left"),
    });
    port1.onmessage = ({ data }) => {
      clearTimeout(late);
      if (data === "coming") return;
      if (data === "not here") answer(null);
      else if (data === undefined) {
        stream.close(); // Python's None
        answer(null); // if it has not begun
      } else if (data.status) {
        const without = [204, 304].includes(data.status) || (data.status >= 300 && data.status < 400);
        answer(new Response(without ? null : body, { status: data.status, headers: heard(data.headers) }));
      } else stream.enqueue(data);
    };
    client.postMessage(request, [port2]);
  });
}

const WAITING = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="${SOON / 1000}"><title>…</title>`;

async function applied(event, address, heard, otherwise) {
  const { request } = event;
  const body = request.method === "GET" ? null : new Uint8Array(await request.arrayBuffer());
  const headers = [...request.headers];
  if (body) headers.push(["content-length", String(body.length)]);
  const one = { method: request.method, address, headers, body };
  const answers = (await windows()).map((client) => asked(client, one, heard));
  const first = answers.map((answer) => answer.then((found) => found ?? Promise.reject()));
  return Promise.any(first).catch(() => new Response(otherwise, { status: 503, headers: HTML }));
}

const own = (headers) => headers;

// --- tables at somebody else's -------------------------------------------------------------------------------------------

// What lies below `with/…/` a window asks of another browser. That may send anything, so it can do no more here than
// show itself: scripts are this page's own, and nothing outside of that path can be asked for or led to.
const ELSEWHERE = /^(with\/[\w-]+\/)(.*)$/;
const PASSED = ["content-type", "content-disposition", "location", "hx-redirect", "hx-refresh", "retry-after"];
const LEADING = ["location", "hx-redirect"];
const SHOWN = /^(text\/(html|css|plain|event-stream)|application\/(json|jsonl)|image\/svg\+xml)(;|$)/;
const AWAY = `<!doctype html><meta charset="utf-8"><meta name="away"><title>…</title>`;

function led(address, within) {
  return URL.canParse(address, within) && new URL(address, within).href.startsWith(within);
}

function guarded(place) {
  const theirs = SCOPE + place;
  const within = location.origin + theirs;
  const policy = `default-src 'none'; script-src ${within}static/; style-src ${within}; img-src ${within}; font-src ${within}static/; `
    + `connect-src ${within}; form-action ${within}; base-uri 'none'; frame-ancestors 'self'`;
  const holds = ([name, value]) => {
    if (name === "content-type") return SHOWN.test(value);
    return PASSED.includes(name) && (!LEADING.includes(name) || led(value, within));
  };
  return (headers) => [
    ...headers.map(([name, value]) => [name.toLowerCase(), value]).filter(holds),
    ["content-security-policy", policy], ["x-content-type-options", "nosniff"], ["referrer-policy", "no-referrer"],
    ["cross-origin-opener-policy", "same-origin"], ["cache-control", "no-store"],
  ];
}

async function elsewhere(event, path, search) {
  const [, place, inside] = ELSEWHERE.exec(path);
  if (!inside.startsWith("static/")) return applied(event, `/${path}${search}`, guarded(place), AWAY);
  return inside in FILES ? file(inside) : new Response(null, { status: 404 });
}

addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== location.origin || !url.pathname.startsWith(SCOPE)) return;
  const path = decodeURI(url.pathname.slice(SCOPE.length));
  const whole = event.request.mode === "navigate" && event.request.destination === "document";
  if (whole && (path === "" || path === "index.html")) event.respondWith(file("index.html"));
  else if (whole) event.respondWith(Response.redirect(`${SCOPE}#/${path}${url.search}`, 302)); // into the frame
  else if (path in FILES) event.respondWith(file(path));
  else if (ELSEWHERE.test(path)) event.respondWith(elsewhere(event, path, url.search));
  else event.respondWith(applied(event, `/${path}${url.search}`, own, WAITING));
});

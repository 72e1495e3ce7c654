// The guest's side: this window shows a table that somebody else's browser has. What the service worker is asked below
// `with/…/` it asks this window, and this window asks that browser.
import { packed, unpacked } from "./invitation_codes.js";
import { copying, words } from "./meeting_words.js";
import { answered, ended, opened, stunServer } from "./peer_connection.js";
import { Asking } from "./request_channel.js";

const PLACE = /^\/(seat|room)\/[\w-]+$/; // what an invitation may lead to, and where one may sit
const HOST = /^[\w-]{16,40}$/;
const kept = (name) => localStorage.getItem(name);

// The part of the window that speaks to guests. own: the window itself, as `shell.js` describes it.
async function panel(own) {
  const before = document.getElementById("joining");
  const found = before ?? (await words(own.base, "joining", navigator.languages));
  if (!before) copying(found);
  const show = (step) => {
    for (const one of found.querySelectorAll("[data-step]")) one.hidden = one.dataset.step !== step;
    own.show(found);
    found.querySelector(`[data-step="${step}"] :is(button, textarea, a)`)?.focus();
  };
  return { found, by: (name) => found.querySelector(`[name="${name}"]`), show };
}

// An invitation as the link has it. Fails for what is none.
async function invitation(letters) {
  const found = await unpacked(letters);
  const { host, offer, place, stun = "", release } = found;
  if (!HOST.test(host) || typeof offer !== "string" || !PLACE.test(place)) throw new TypeError("no invitation");
  if (stun && stunServer(stun) !== stun) throw new TypeError("no server");
  return { ...found, stun, release };
}

// Takes an invitation (the letters behind #join=). Gives what the window needs, as soon as it has begun to ask.
export async function join(own, letters) {
  const { found, by, show } = await panel(own);
  const guest = new Guest(own, show);
  let invited;
  try {
    invited = await invitation(letters);
  } catch {
    show("broken");
    return guest;
  }
  if (invited.release !== found.dataset.release) {
    show("other-release");
    return guest;
  }
  const { stun } = invited;
  found.querySelector("[data-stun]").hidden = !stun;
  found.querySelector("[data-stun] code").textContent = stun.replace("stun:", "");
  found.querySelector("[data-for]").hidden = !invited.name;
  found.querySelector("[data-for] strong").textContent = invited.name ?? "";
  by("name").value = JSON.parse(kept("own name") ?? '""');
  show("invited");
  found.querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const name = by("name").value.trim();
    if (name) localStorage.setItem("own name", JSON.stringify(name));
    try {
      await guest.connect(invited, async (description) => {
        by("code").value = await packed({ number: invited.number, answer: description, name });
        show("answering");
      });
    } catch {
      show("unreachable");
    }
  });
  return guest;
}

// A window whose address lies at somebody's table, to which it is not connected.
export async function away(own) {
  const { show } = await panel(own);
  show("away");
}

class Guest {
  constructor(own, show) {
    this.own = own;
    this.show = show;
    this.asking = null;
  }

  async connect({ host, offer, place, stun }, shown) {
    const { own } = this;
    const { connection, channel: coming, description } = await answered(offer, stun);
    await shown(description);
    const channel = await coming;
    await opened(connection, channel);
    this.host = host;
    this.asking = new Asking(channel);
    ended(connection, channel).then(() => this.#lost(connection));
    this.show("opening");
    this.leaving = (event) => event.preventDefault(); // the browser asks whether to leave
    addEventListener("beforeunload", this.leaving);
    await own.go(`/with/${host}${kept(this.#seat(host)) ?? place}`);
  }

  #seat = (host) => `seat with ${this.own.base} ${host}`;

  // Whether this window has the table, and asks for what is asked there.
  ask({ address, ...request }, port) {
    if (!this.asking || !address.startsWith(`/with/${this.host}/`)) return false;
    const { base } = this.own;
    const below = `${base}with/${this.host}`;
    this.asking.ask({ ...request, address: address.slice(below.length - base.length + 1), below, home: location.origin + base }, port);
    return true;
  }

  // The frame shows a place of the table: there one sits when one is connected again.
  at(place) {
    const [, host, where] = /^\/with\/([\w-]+)(\/.*)$/.exec(place) ?? [];
    if (host === this.host && PLACE.test(where)) localStorage.setItem(this.#seat(host), where);
  }

  #lost(connection) {
    connection.close();
    this.asking = null;
    removeEventListener("beforeunload", this.leaving);
    this.show("away");
    this.own.end();
  }
}

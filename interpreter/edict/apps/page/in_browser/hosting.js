// The host's side: people at other browsers are invited to the tables of this one, each over a connection of their own,
// and what they ask is asked of the application, as guests.
import { packed, unguessable, unpacked } from "./invitation_codes.js";
import { copying, words } from "./meeting_words.js";
import { ended, offered, opened, stunServer } from "./peer_connection.js";
import { Answering } from "./request_channel.js";

const LONGEST = 100; // letters of a guest's name
const PLACE = /^\/(seat|room)\/[\w-]+$/;

// own: the window, as `shell.js` describes it.
export async function hosting(own) {
  const spoken = own.language();
  const dialog = await words(own.base, "hosting", [spoken, ...navigator.languages]);
  const bar = await words(own.base, "guests", [spoken, ...navigator.languages]);
  return new Hosting(own, dialog, bar);
}

class Hosting {
  constructor(own, dialog, bar) {
    Object.assign(this, { own, dialog, bar, open: null });
    this.people = new Map(this.#remembered().map((one) => [one.id, { ...one, state: "away" }]));
    copying(dialog);
    bar.addEventListener("click", () => dialog.showModal());
    this.field("answer").form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#accept(this.field("answer").value);
    });
    this.field("stun").value = localStorage.getItem(this.#key("stun")) ?? "";
    this.field("stun").addEventListener("change", () => this.#named());
    addEventListener("beforeunload", (event) => {
      if ([...this.people.values()].some((one) => one.state === "here")) event.preventDefault();
    });
    this.#draw();
  }

  field = (name) => this.dialog.querySelector(`[name="${name}"]`);
  said = (name) => this.dialog.dataset[name];
  #key = (what) => `${what} of ${this.own.base}`;

  // --- who was invited: kept, so that they can be invited again -------------------------------------------------------

  #remembered() {
    return JSON.parse(localStorage.getItem(this.#key("guests")) ?? "[]");
  }

  #keep() {
    const list = [...this.people.values()].filter((one) => one.known).map(({ id, name, place }) => ({ id, name, place, known: true }));
    localStorage.setItem(this.#key("guests"), JSON.stringify(list));
  }

  // --- inviting -------------------------------------------------------------------------------------------------------

  // Somebody is invited to a place at a table (`/seat/…`, `/room/…`); name: whom the seat there is for, if that is known.
  async invite(place, name) {
    if (!PLACE.test(place)) return;
    const before = [...this.people.values()].find((one) => one.place === place && place.startsWith("/seat/"));
    const one = before ?? { id: unguessable(), place, name, state: "away", known: false };
    this.people.set(one.id, one);
    if (!this.dialog.open) this.dialog.showModal();
    if (one.state === "away") await this.#link(one);
    else this.#show(one);
  }

  // A new link for somebody; the one they had works no more.
  async #link(one) {
    if (!this.own.worker()) return this.#say("elsewhere");
    this.#say("preparing");
    this.field("link").value = "";
    one.connection?.close();
    const stun = stunServer(this.field("stun").value);
    try {
      Object.assign(one, await offered(stun), { number: unguessable(), state: "invited" });
    } catch {
      return this.#say("unable");
    }
    const { release } = this.dialog.dataset;
    const code = await packed({ host: one.id, number: one.number, offer: one.description, place: one.place, name: one.name, stun, release });
    one.link = `${location.origin}${this.own.base}#join=${code}`;
    this.#show(one);
  }

  #show(one) {
    this.open = one;
    this.field("link").value = one.link ?? "";
    this.field("answer").value = "";
    this.#say("");
    this.#draw();
    this.field("link").focus();
  }

  async #named() {
    const { value } = this.field("stun");
    if (value.trim() && !stunServer(value)) return this.#say("noServer");
    localStorage.setItem(this.#key("stun"), value.trim());
    if (this.open?.state === "invited") await this.#link(this.open); // the link names it
  }

  // --- the answer -----------------------------------------------------------------------------------------------------

  async #accept(text) {
    let found;
    try {
      found = await unpacked(text);
      if (typeof found.answer !== "string") throw new TypeError("no answer");
    } catch {
      return this.#say(/#join=/.test(text) ? "ownLink" : "noCode");
    }
    const one = [...this.people.values()].find(({ number, state }) => state === "invited" && number === found.number);
    if (!one) return this.#say("otherCode");
    if (typeof found.name === "string" && found.name) one.name = found.name.slice(0, LONGEST);
    one.state = "connecting";
    this.#draw();
    this.#say("connecting");
    try {
      await one.accept(found.answer);
      await opened(one.connection, one.channel);
    } catch {
      await this.#link(one);
      return this.#say("unreachable");
    }
    this.#begin(one);
  }

  #begin(one) {
    const { connection, channel } = one;
    Object.assign(one, { state: "here", known: true });
    if (this.open === one) this.open = null;
    new Answering(channel, (request, { below, home }, port) => {
      this.own.worker().postMessage({ ...request, port, guest: [one.id, below, home] }, [port]);
    });
    ended(connection, channel).then(() => this.#lost(one, connection));
    this.#keep();
    this.#draw();
    this.#say("");
    if (this.dialog.open) this.dialog.close();
  }

  #lost(one, connection) {
    connection.close();
    if (one.connection !== connection) return; // there is another already
    one.state = "away";
    this.#draw();
  }

  #forget(one) {
    if (this.open === one) this.open = null;
    one.connection?.close();
    this.people.delete(one.id);
    this.#keep();
    this.#draw();
  }

  // --- what is shown ---------------------------------------------------------------------------------------------------

  #say(name) {
    const status = this.dialog.querySelector("[role=status]");
    status.textContent = name && this.said(name);
  }

  #draw() {
    const all = [...this.people.values()];
    this.dialog.querySelector(".invitation").hidden = this.open === null;
    for (const place of this.dialog.querySelectorAll("[data-name]")) place.textContent = this.open ? this.#name(this.open) : "";
    this.dialog.querySelector(".nobody").hidden = all.length > 0;
    this.dialog.querySelector("ul").replaceChildren(...all.map((one) => this.#line(one)));
    const here = all.filter((one) => one.state === "here").length;
    this.bar.hidden = !all.length;
    this.bar.querySelector("span").textContent = `${here} / ${all.length}`;
    this.bar.classList.toggle("missing", here < all.length);
  }

  #name = (one) => one.name || `${this.said("guest")} ${[...this.people.keys()].indexOf(one.id) + 1}`;

  #line(one) {
    const line = document.createElement("li");
    const button = (text, act) => {
      const made = Object.assign(document.createElement("button"), { type: "button", textContent: text });
      made.setAttribute("aria-label", `${text}: ${this.#name(one)}`);
      made.addEventListener("click", act);
      return made;
    };
    const name = Object.assign(document.createElement("strong"), { textContent: this.#name(one) });
    line.append(name, ` ${this.said(one.state)} `);
    if (one.state === "away") line.append(button(this.said("again"), () => this.#link(one)), " ");
    if (one.state === "invited" && one !== this.open) line.append(button(this.said("show"), () => this.#show(one)), " ");
    line.append(button(this.said("forget"), () => this.#forget(one)));
    return line;
  }
}

// Whether anybody was invited from here before.
export const anybody = (base) => (localStorage.getItem(`guests of ${base}`) ?? "[]") !== "[]";

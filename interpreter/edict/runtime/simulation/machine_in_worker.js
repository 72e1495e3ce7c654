// @ts-check
/**
 * A machine that plays and thinks in a worker of its own. What it is asked is answered in turn.
 *
 *     const bots = await MachineInWorker.load(fetch("machine.wasm"), { program: fetch("kingsburg.wasm") });
 *     const { best } = await bots.search(question, { seconds: 1 });
 *     bots.end();
 */

import { compiled } from "./machine.js";

/** @typedef {import("./machine.js").Numbers} Numbers */
/** @typedef {import("./machine.js").Source} Source */
/** @typedef {import("./machine.js").Tried} Tried */
/** @typedef {{ states: BigInt64Array, asked: BigInt64Array }} Games */

/** As `Machine`, but nothing is answered at once. */
export class MachineInWorker {
  /**
   * @param {Source} machine
   * @param {{ program?: Source, code?: Numbers }} rules
   */
  static async load(machine, { program, code } = {}) {
    const made = new MachineInWorker();
    try {
      const [own, translation] = await Promise.all([compiled(machine), program === undefined ? undefined : compiled(program)]);
      await made.#ask("load", own, { program: translation, code });
    } catch (problem) {
      made.end();
      throw problem;
    }
    return made;
  }

  #worker = new Worker(new URL("./machine_worker.js", import.meta.url), { type: "module" });
  /** @type {Map<number, { resolve: (found: any) => void, reject: (problem: Error) => void }>} */ #waiting = new Map();
  #asked = 0;
  #ended = "";

  constructor() {
    this.#worker.addEventListener("message", ({ data: { id, found, problem } }) => {
      const one = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (problem === undefined) one?.resolve(found);
      else one?.reject(new Error(problem));
    });
    this.#worker.addEventListener("error", (event) => this.end(event.message || "the worker cannot be loaded"));
  }

  /**
   * @param {string} does
   * @param {...unknown} given
   * @returns {Promise<any>}
   */
  #ask(does, ...given) {
    if (this.#ended) return Promise.reject(new Error(this.#ended));
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, does, given });
    });
  }

  /**
   * Think about a question: so many tries, or so many seconds; less, unless the whole is wanted, once the choice is settled.
   * @param {Numbers} question
   * @param {{ seconds?: number, tries?: number, whole?: boolean }} budget
   * @returns {Promise<{ best: number, done: number, found: Tried[] }>}
   */
  search(question, budget = {}) {
    return this.#ask("search", question, budget);
  }

  /**
   * @param {Numbers} state
   * @param {Numbers} plan
   * @param {bigint} seed
   * @param {number} number
   * @returns {Promise<number>}
   */
  choose(state, plan, seed, number) {
    return this.#ask("choose", state, plan, seed, number);
  }

  /**
   * @param {Numbers} state
   * @param {Numbers} plan
   * @returns {Promise<BigInt64Array>}
   */
  values(state, plan) {
    return this.#ask("values", state, plan);
  }

  /**
   * @param {Numbers} initial
   * @param {Numbers} plan
   * @param {BigInt64Array | BigUint64Array} seeds
   * @returns {Promise<Games>}
   */
  games(initial, plan, seeds) {
    return this.#ask("games", initial, plan, seeds);
  }

  /**
   * @param {Numbers} initial
   * @param {BigInt64Array | BigUint64Array} seeds
   * @returns {Promise<Games>}
   */
  randomGames(initial, seeds) {
    return this.#ask("randomGames", initial, seeds);
  }

  /** Stop whatever it does, at once, for instance because it takes too long; what was asked gets no answer. */
  end(reason = "the machine was stopped") {
    this.#ended = reason;
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(new Error(reason));
    this.#waiting.clear();
  }
}

// @ts-check
/**
 * A worker in which a machine plays and thinks, so that a page stays awake; `machine_in_worker.js` asks it.
 *
 * A message is `{ id, does, given }`, the answer `{ id, found }` or `{ id, problem }`.
 */

import { Machine } from "./machine.js";

/** @type {Machine} */ let machine;

/** @type {Record<string, (...given: any[]) => unknown>} */
const DOES = {
  async load(source, rules) {
    machine = await Machine.load(source, rules);
  },
  search(question, { seconds = 1, tries = 0, whole = false }) {
    const search = machine.search(question);
    try {
      if (!tries) search.thinkFor(seconds, whole);
      else if (whole) search.think(tries);
      else search.thinkUntil(tries);
      return { best: search.best(), done: search.done, found: search.found() };
    } finally {
      search.close();
    }
  },
  choose: (...given) => machine.choose(.../** @type {Parameters<Machine["choose"]>} */ (given)),
  values: (...given) => machine.values(.../** @type {Parameters<Machine["values"]>} */ (given)),
  games: (...given) => machine.games(.../** @type {Parameters<Machine["games"]>} */ (given)),
  randomGames: (...given) => machine.randomGames(.../** @type {Parameters<Machine["randomGames"]>} */ (given)),
};

addEventListener("message", async ({ data: { id, does, given } }) => {
  try {
    postMessage({ id, found: await DOES[does](...given) });
  } catch (problem) {
    postMessage({ id, problem: problem instanceof Error ? problem.message : String(problem) });
  }
});

/**
 * Asked through standard input, this lets `machine.js` do what the tests ask, one thing after another.
 *
 *     node machine_in_node.mjs FOLDER [--program FILE] [--code FILE]
 *
 * What is asked and what is answered is a line of JSON, and then the rows it names, all numbers of 64 bits.
 */

import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { program: { type: "string" }, code: { type: "string" } },
});
const [folder] = positionals;
const { Machine } = await import(pathToFileURL(`${folder}/machine.js`).href);
const machine = await Machine.load(fs.readFileSync(`${folder}/machine.wasm`), {
  program: values.program && fs.readFileSync(values.program),
  code: values.code && fs.readFileSync(values.code),
});

function read(size) {
  const found = Buffer.alloc(size);
  for (let at = 0; at < size; ) {
    let got = 0;
    try {
      got = fs.readSync(0, found, at, size - at, null);
    } catch (problem) {
      if (problem.code !== "EAGAIN") throw problem;
      continue;
    }
    if (got === 0) process.exit(0); // nobody asks any more
    at += got;
  }
  return found;
}

function readLine() {
  const size = Number(read(12).toString());
  return JSON.parse(read(size).toString());
}

function write(answer, rows = []) {
  const text = Buffer.from(JSON.stringify(answer, (_, value) => (typeof value === "bigint" ? String(value) : value)));
  const parts = [Buffer.from(String(text.length).padStart(12)), text, ...rows.map((row) => Buffer.from(row.buffer, row.byteOffset, row.byteLength))];
  const whole = Buffer.concat(parts);
  for (let at = 0; at < whole.length; ) {
    try {
      at += fs.writeSync(1, whole, at);
    } catch (problem) {
      if (problem.code !== "EAGAIN") throw problem;
    }
  }
}

/** The rows named, as they come in. */
function numbers(size) {
  const bytes = read(size * 8);
  return new BigInt64Array(bytes.buffer, bytes.byteOffset, size);
}

const DOES = {
  /** Any of the machine's functions; its rows come back. */
  call({ name, given }) {
    const handed = given.map((one) =>
      Array.isArray(one) ? machine.rows(...one).set(numbers(one[0] * one[1])) : one === "code" ? machine.code : typeof one === "string" ? BigInt(one) : one,
    );
    const result = machine.call(name, ...handed);
    const rows = handed.filter((one, i) => Array.isArray(given[i]));
    write({ result }, rows.map((row) => row.copy()));
    rows.forEach((row) => row.free());
  },

  /** Games of draws, a question at a time: for each how many questions, and a sum of every cell after every answer. */
  trace({ width, plan, seeds }) {
    const initial = numbers(width);
    const [orders, s, log] = [machine.row(numbers(plan)), machine.rows(1, width), machine.rows(1, 1)];
    const room = machine.rows(machine.at.ROOM, width);
    const answers = seeds.map((seed) => {
      s.set(initial);
      let [asked, sum] = [0, 0];
      const { ASKING, ANSWER } = machine.at;
      for (;;) {
        const status = Number(machine.call("batches.step", machine.code, s, log));
        const halves = new Int32Array(machine.memory.buffer, s.address, 2 * width);
        for (let i = 0; i < halves.length; i++) sum = (Math.imul(sum, 31) + halves[i]) | 0;
        if (status !== ASKING) return [asked, sum, status];
        asked += 1;
        s.cells[ANSWER] = BigInt(machine.call("policies.choose", machine.code, s, orders, room, BigInt(seed), asked));
      }
    });
    [orders, s, log, room].forEach((row) => row.free());
    write({ answers });
  },

  /** A search, as a page does it. */
  search({ size, tries, seconds, whole }) {
    const search = machine.search(numbers(size));
    if (seconds) search.thinkFor(seconds, whole);
    else if (whole) search.think(tries);
    else search.thinkUntil(tries);
    write({ found: search.found(), best: search.best(), done: search.done });
    search.close();
  },

  /** Whole games, as a page plays them. */
  games({ width, plan, seeds }) {
    const [initial, orders] = [numbers(width), numbers(plan)];
    const { states, asked } = plan ? machine.games(initial, orders, numbers(seeds)) : machine.randomGames(initial, numbers(seeds));
    write({}, [states, asked]);
  },

  /** What a policy thinks of a question, and takes. */
  values({ width, plan, seed, number }) {
    const [state, orders] = [numbers(width), numbers(plan)];
    const values = machine.values(state, orders);
    write({ chosen: machine.choose(state, orders, BigInt(seed), number), size: values.length }, [values]);
  },
};

/** What a page's Python asks for, with addresses. */
Object.assign(DOES, {
  code: () => write({ found: machine.code.address }),
  allocate: ({ numbers }) => write({ found: machine.allocate(numbers) }),
  discard: ({ address, numbers }) => machine.discard(address, numbers),
  read: ({ address, numbers }) => write({}, [machine.read(address, numbers)]),
  write: ({ address, numbers: size }) => machine.write(address, read(size)),
  work: ({ name, given }) => write({ found: machine.work(name, given.map((one) => (typeof one === "string" ? BigInt(one) : one))) ?? null }),
});

for (;;) {
  const { does, ...asked } = readLine();
  DOES[does](asked);
}

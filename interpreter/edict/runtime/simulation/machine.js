// @ts-check
/**
 * The machine in a page, a worker or Node: WebAssembly that plays programs, and the rows it plays on.
 *
 *     const machine = await Machine.load(fetch("machine.wasm"), { program: fetch("kingsburg.wasm") });
 *     const { states, asked } = machine.randomGames(initial, seeds);
 *     const search = machine.search(question);          // what `Question.packed` gave
 *     search.thinkFor(1);
 *     const option = search.best();
 *
 * All numbers are whole ones of 64 bits (BigInt); they come and go as typed arrays, or as bytes, the lowest first. A
 * state, a plan, a program's code is such a row. What is wrong with a row is not looked at: whoever makes it answers for
 * it, as in `simulation`.
 */

/** @typedef {BigInt64Array | BigUint64Array | Uint8Array | ArrayBuffer} Numbers a row, as numbers or as bytes */
/** @typedef {WebAssembly.Module | BufferSource | Response | PromiseLike<Response>} Source a file of WebAssembly */
/** @typedef {{ index: number, tries: number, share: number, lead: number }} Tried an option, and the means of its tries */
/**
 * @typedef {object} Description what the machine says of itself
 * @property {Record<string, { parameters: string[], result: string }>} functions
 * @property {Record<string, number>} at where things stand in rows
 * @property {string} version of what it was made by
 * @property {number} start of a program: where it lies in memory
 * @property {number} end and where nothing of it lies any more
 */

const PAGE = 65536;
const CELL = 8;
const SMALLEST = 4; // the power of 2 of the smallest piece of memory
const STACK = 1 << 16; // bytes for a program's calls
const DESCRIPTION = "edict";
const CODE = "program";
const CHUNK = 4; // tries between two looks at the clock
const ROWS = "Sequence[Row]"; // a parameter that is told how many rows there are, and how long

/**
 * @param {Source} source
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compiled(source) {
  const found = await source;
  if (found instanceof WebAssembly.Module) return found;
  if (typeof Response !== "undefined" && found instanceof Response) {
    if (!found.ok) throw new Error(`${found.url}: ${found.status} ${found.statusText}`);
    return WebAssembly.compile(await found.arrayBuffer());
  }
  return WebAssembly.compile(/** @type {BufferSource} */ (found));
}

/**
 * @param {WebAssembly.Module} module
 * @returns {Description}
 */
function described(module) {
  const [text] = WebAssembly.Module.customSections(module, DESCRIPTION);
  if (!text) throw new TypeError("this WebAssembly is neither the machine nor a program of it");
  return JSON.parse(new TextDecoder().decode(text));
}

/**
 * @param {Numbers} numbers
 * @returns {Uint8Array} the same memory
 */
function bytesOf(numbers) {
  return numbers instanceof ArrayBuffer
    ? new Uint8Array(numbers)
    : new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** A row, or equal rows one behind the other, in the machine's memory, until it is freed. */
export class Row {
  /**
   * @param {Machine} machine
   * @param {number} address
   * @param {number} count how many rows
   * @param {number} width how many numbers in each
   */
  constructor(machine, address, count, width) {
    this.machine = machine;
    this.address = address;
    this.count = count;
    this.width = width;
  }

  /** The numbers where they lie; only good until the machine is asked for anything. */
  get cells() {
    return new BigInt64Array(this.machine.memory.buffer, this.address, this.count * this.width);
  }

  /** Likewise, for rows of real numbers. */
  get reals() {
    return new Float64Array(this.machine.memory.buffer, this.address, this.count * this.width);
  }

  /** The numbers, to keep. */
  copy() {
    return this.cells.slice();
  }

  /** @param {Numbers} numbers as many, or fewer */
  set(numbers) {
    const bytes = bytesOf(numbers);
    const room = this.count * this.width * CELL;
    if (bytes.length > room) throw new RangeError(`${bytes.length} bytes do not fit into ${room}`);
    new Uint8Array(this.machine.memory.buffer, this.address, room).set(bytes);
    return this;
  }

  free() {
    this.machine.release(this);
  }
}

/** A program in WebAssembly: its games, and whoever thinks about them. It plays in a memory of its own. */
export class Machine {
  /**
   * @param {Source} machine `machine.wasm`
   * @param {{ program?: Source, code?: Numbers }} rules a program that was translated, or its code alone as data
   */
  static async load(machine, { program, code } = {}) {
    const [own, translation] = await Promise.all([compiled(machine), program === undefined ? null : compiled(program)]);
    const instance = await WebAssembly.instantiate(own, { env: { log: Math.log } });
    const made = new Machine(instance, described(own));
    if (translation) await made.#place(translation);
    const numbers = code ?? (translation && WebAssembly.Module.customSections(translation, CODE)[0]);
    if (!numbers) throw new TypeError("neither a program nor its code was given");
    made.#take(numbers);
    return made;
  }

  /** @type {Record<string, any>} */ #exports;
  /** @type {Record<string, any> | null} */ #translation = null;
  /** @type {number} where memory begins that nobody has had */ #end;
  /** @type {Map<number, number[]>} what was freed, by the power of 2 of its size */ #free = new Map();
  /** @type {Row} */ #program;

  /**
   * @param {WebAssembly.Instance} instance
   * @param {Description} description
   */
  constructor(instance, description) {
    this.#exports = instance.exports;
    this.description = description;
    this.at = description.at;
    this.#end = Number(this.#exports.__heap_base.value);
    this.#program = new Row(this, 0, 0, 0);
  }

  /** @returns {WebAssembly.Memory} */
  get memory() {
    return this.#exports.memory;
  }

  /** Whether the program plays by its translation; else the machine reads it as data. */
  get translated() {
    return this.#translation !== null;
  }

  /** The code of the program, as the machine's functions take it. */
  get code() {
    return this.#program;
  }

  /** @param {WebAssembly.Module} module the translation, to lie behind what is the machine's own */
  async #place(module) {
    const { version, start, end } = described(module);
    if (version !== this.description.version) {
      throw new Error("the machine and the program were made by different versions; make the page again");
    }
    if (start === undefined) throw new TypeError("this is the machine itself, not a program of it");
    if (this.#end > start) throw new Error("the machine leaves no room for a program");
    this.#reach(end);
    const { exports } = await WebAssembly.instantiate(module, { env: { memory: this.memory } });
    this.#translation = exports;
    this.#end = end;
    const stack = this.rows(1, STACK / CELL);
    this.#translation.__stack_pointer.value = stack.address + STACK;
  }

  /** @param {Numbers} code */
  #take(code) {
    const { HEAD, RUN, PLAY } = this.at;
    const bytes = bytesOf(code);
    const whole = this.rows(1, HEAD + bytes.length / CELL);
    this.#program = new Row(this, whole.address + HEAD * CELL, 1, bytes.length / CELL).set(bytes);
    if (!this.#translation) return;
    const table = this.#exports.__indirect_function_table;
    const first = table.grow(2);
    const cells = whole.cells;
    for (const [number, place, name] of /** @type {const} */ ([[0, RUN, "run"], [1, PLAY, "play"]])) {
      table.set(first + number, this.#translation[name]);
      cells[HEAD + place] = BigInt(first + number);
    }
  }

  /** @param {number} end have memory up to here */
  #reach(end) {
    const missing = end - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
  }

  // --- memory

  /**
   * Equal rows, all 0.
   * @param {number} count
   * @param {number} width
   */
  rows(count, width) {
    const power = Math.max(SMALLEST, Math.ceil(Math.log2(count * width * CELL || 1)));
    let address = this.#free.get(power)?.pop();
    if (address === undefined) {
      address = Math.ceil(this.#end / 16) * 16;
      this.#end = address + 2 ** power;
      this.#reach(this.#end);
    }
    const row = new Row(this, address, count, width);
    row.cells.fill(0n);
    return row;
  }

  /** @param {Numbers} numbers a row of these */
  row(numbers) {
    return this.rows(1, bytesOf(numbers).length / CELL).set(numbers);
  }

  /** @param {Row} row not needed any more */
  release(row) {
    const power = Math.max(SMALLEST, Math.ceil(Math.log2(row.count * row.width * CELL || 1)));
    const free = this.#free.get(power) ?? [];
    this.#free.set(power, free);
    free.push(row.address);
  }

  /**
   * What a function gives, with rows of its own that are freed again.
   * @template T
   * @param {(own: (row: Row) => Row) => T} work
   * @returns {T}
   */
  #within(work) {
    /** @type {Row[]} */ const rows = [];
    try {
      return work((row) => (rows.push(row), row));
    } finally {
      for (const row of rows) row.free();
    }
  }

  // --- the machine's own functions

  /**
   * One of the machine's functions, as `simulation.compiled` offers them; see there what they take.
   * @param {string} name `module.function`
   * @param {...(Row | number | bigint)} given
   * @returns {number | bigint | undefined}
   */
  call(name, ...given) {
    const { parameters } = this.description.functions[name];
    if (given.length !== parameters.length) throw new TypeError(`${name} takes ${parameters.length} arguments`);
    /** @type {(number | bigint)[]} */ const handed = [];
    parameters.forEach((kind, i) => {
      const value = given[i];
      if (value instanceof Row) {
        const shape = kind === ROWS ? [value.count, value.width] : [value.count * value.width];
        handed.push(value.address, ...shape.map(BigInt));
      } else {
        handed.push(kind === "float" ? Number(value) : BigInt(value));
      }
    });
    return this.#exports[name](...handed);
  }

  // --- the same for another language, which holds addresses

  /** @param {number} numbers */
  allocate(numbers) {
    return this.rows(1, numbers).address;
  }

  /**
   * @param {number} address
   * @param {number} numbers as many as were allocated
   */
  discard(address, numbers) {
    this.release(new Row(this, address, 1, numbers));
  }

  /**
   * @param {number} address
   * @param {number} numbers
   */
  read(address, numbers) {
    return new Uint8Array(this.memory.buffer, address, numbers * CELL).slice();
  }

  /**
   * @param {number} address
   * @param {Numbers} numbers
   */
  write(address, numbers) {
    new Uint8Array(this.memory.buffer).set(bytesOf(numbers), address);
  }

  /**
   * As `call`; a row is where it lies, how many there are, and how long each is.
   * @param {string} name
   * @param {(number | bigint | [number, number, number])[]} given
   */
  work(name, given) {
    return this.call(name, ...given.map((one) => (Array.isArray(one) ? new Row(this, ...one) : one)));
  }

  // --- games

  /**
   * Games of draws alone, one for each seed: their final states, one behind the other, and how many questions each asked.
   * @param {Numbers} initial
   * @param {BigInt64Array | BigUint64Array} seeds
   */
  randomGames(initial, seeds) {
    return this.#within((own) => {
      const first = own(this.row(initial));
      const ends = own(this.rows(seeds.length, first.width));
      const counts = own(this.rows(1, seeds.length));
      this.call("batches.random_games", this.code, first, own(this.row(seeds)), ends, counts, own(this.rows(1, 1)));
      return { states: ends.copy(), asked: counts.copy() };
    });
  }

  /**
   * Games by a plan, likewise.
   * @param {Numbers} initial
   * @param {Numbers} plan who answers how, as `simulation.plans` writes it
   * @param {BigInt64Array | BigUint64Array} seeds
   */
  games(initial, plan, seeds) {
    return this.#within((own) => {
      const first = own(this.row(initial));
      const ends = own(this.rows(seeds.length, first.width));
      const counts = own(this.rows(1, seeds.length));
      const room = own(this.rows(this.at.ROOM, first.width));
      this.call("batches.games", this.code, first, own(this.row(plan)), own(this.row(seeds)), ends, counts, room);
      return { states: ends.copy(), asked: counts.copy() };
    });
  }

  /**
   * A state played on to the next question, the end or a fault.
   * @param {Numbers} state with its answer
   * @returns {{ state: BigInt64Array, status: number }}
   */
  step(state) {
    return this.#within((own) => {
      const s = own(this.row(state));
      const status = Number(this.call("batches.step", this.code, s, own(this.rows(1, 1))));
      return { state: s.copy(), status };
    });
  }

  /**
   * What the policy of a plan's first seat thinks of each option of a question.
   * @param {Numbers} state
   * @param {Numbers} plan
   */
  values(state, plan) {
    return this.#within((own) => {
      const s = own(this.row(state));
      const room = own(this.rows(this.at.ROOM, s.width));
      this.call("batches.think", this.code, s, own(this.row(plan)), room);
      const first = this.at.VALUES * s.width;
      return room.cells.slice(first, first + Number(s.cells[this.at.OPTIONS]));
    });
  }

  /**
   * The index of the option that whoever is asked takes by a plan; chance draws.
   * @param {Numbers} state
   * @param {Numbers} plan
   * @param {bigint} seed
   * @param {number} number of the question in the game
   */
  choose(state, plan, seed, number) {
    return this.#within((own) => {
      const s = own(this.row(state));
      const room = own(this.rows(this.at.ROOM, s.width));
      return Number(this.call("policies.choose", this.code, s, own(this.row(plan)), room, seed, number));
    });
  }

  /** @param {Numbers} question what a search is about, as `bots.search.Question.packed` gives it */
  search(question) {
    return new Search(this, question);
  }
}

/** One question being thought about; `think` may be called again. */
export class Search {
  /** @type {Row} */ #roots;
  /** @type {Row} */ #first;
  /** @type {Record<string, Row>} */ #rows;
  /** @type {bigint} */ #seed;
  #done = 0;

  /**
   * @param {Machine} machine
   * @param {Numbers} question
   */
  constructor(machine, question) {
    const bytes = bytesOf(question).slice();
    const numbers = new BigInt64Array(bytes.buffer);
    const [seed, worlds, width, plan, form, table, path, options] = numbers.subarray(0, 8);
    let at = 8;
    /** @param {number} count @param {number} wide */
    const next = (count, wide) => {
      at += count * wide;
      return machine.rows(count, wide).set(numbers.subarray(at - count * wide, at));
    };
    this.machine = machine;
    this.#seed = seed;
    this.#roots = next(Number(worlds), Number(width));
    this.#first = new Row(machine, this.#roots.address, 1, this.#roots.width);
    this.options = Number(this.#first.cells[machine.at.OPTIONS]);
    this.#rows = {
      plan: next(1, Number(plan)),
      room: machine.rows(machine.at.ROOM, Number(width)),
      form: next(1, Number(form)),
      keys: machine.rows(1, Number(table)),
      counts: machine.rows(1, Number(table)),
      sums: machine.rows(1, Number(table)),
      worths: machine.rows(1, Number(table)),
      path: machine.rows(1, Number(path)),
      shares: machine.rows(1, Number(options)),
      leads: machine.rows(1, Number(options)),
      tried: machine.rows(1, Number(options)),
    };
  }

  /** How often options were tried. */
  get done() {
    return this.#done;
  }

  /** @param {number} tries so many more */
  think(tries) {
    const { plan, room, form, keys, counts, sums, worths, path, shares, leads } = this.#rows;
    const { code } = this.machine;
    this.machine.call(
      "ismcts.grow", code, this.#roots, plan, room, this.#seed, this.#done, tries, form, keys, counts, sums, worths, path, shares,
      leads,
    );
    this.#done += tries;
    return this;
  }

  /** @param {number} tries so many in all, or fewer, once the choice is settled */
  thinkUntil(tries) {
    while (this.#done < tries && !this.settled(tries - this.#done)) this.think(Math.min(CHUNK, tries - this.#done));
    return this;
  }

  /**
   * Try until so many seconds are over or, unless the whole time is wanted, the choice is settled.
   * @param {number} seconds
   * @param {boolean} whole
   */
  thinkFor(seconds, whole = false) {
    const [begun, before] = [performance.now(), this.#done];
    for (let taken = 0; taken < seconds; ) {
      this.think(CHUNK);
      taken = (performance.now() - begun) / 1000;
      if (!whole && this.settled(((seconds - taken) * (this.#done - before)) / taken)) break;
    }
    return this;
  }

  /** @param {number} left whether so many more tries could not change which option is tried most */
  settled(left) {
    if (left >= this.#done) return false;
    const [first, second = 0] = this.#counted().sort((a, b) => b - a);
    return first - second > left;
  }

  /** How often each option was tried. */
  #counted() {
    const { keys, counts, tried } = this.#rows;
    this.machine.call("ismcts.write_visits", this.#first, keys, counts, tried);
    return [...tried.cells.subarray(0, this.options)].map(Number);
  }

  /** @returns {Tried[]} every option, in its order */
  found() {
    const counted = this.#counted();
    const [shares, leads] = [this.#rows.shares.reals, this.#rows.leads.reals];
    return counted.map((tries, index) => {
      const often = Math.max(1, tries);
      return { index, tries, share: shares[index] / often, lead: leads[index] / often };
    });
  }

  /** The option tried most often, as the better an option looks the more it is tried. */
  best() {
    const order = (/** @type {Tried} */ a, /** @type {Tried} */ b) =>
      b.tries - a.tries || b.share - a.share || b.lead - a.lead || a.index - b.index;
    return this.found().sort(order)[0].index;
  }

  /** Frees what it needed. */
  close() {
    for (const row of [this.#roots, ...Object.values(this.#rows)]) row.free();
  }
}

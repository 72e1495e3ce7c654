// Requests and their answers over one data channel. A message: four bytes with the number of the request, one that says
// what follows, and that. Bodies go in pieces, as a channel takes no large messages.
const [HEAD, BODY, END, LEFT] = [0, 1, 2, 3];
const PIECE = 16000; // bytes of a body in one message
const FULL = 1000000; // bytes that wait to be sent, beyond which the rest waits here
const FRONT = 5;
const MOST = 64; // requests of one guest that are open at once
const LARGEST = 100000; // bytes of a request
const NOTHING = new Uint8Array();

const told = (value) => new TextEncoder().encode(JSON.stringify(value));
const read = (bytes) => JSON.parse(new TextDecoder().decode(bytes));

class Messages {
  // heard: called with a number, what kind it is, and bytes. What it throws ends the channel.
  constructor(channel, heard) {
    this.channel = channel;
    this.last = Promise.resolve();
    channel.binaryType = "arraybuffer";
    channel.bufferedAmountLowThreshold = FULL / 2;
    channel.onmessage = ({ data }) => {
      try {
        heard(new DataView(data).getUint32(0), new Uint8Array(data)[FRONT - 1], new Uint8Array(data, FRONT));
      } catch (problem) {
        console.warn(`The connection was ended: ${problem.message}`);
        channel.close();
      }
    };
  }

  send(number, kind, bytes = NOTHING) {
    const pieces = kind === BODY ? Math.ceil(bytes.length / PIECE) : 1;
    this.last = this.last.then(async () => {
      for (let at = 0; at < pieces; at++) await this.#one(number, kind, kind === BODY ? bytes.subarray(at * PIECE, (at + 1) * PIECE) : bytes);
    });
  }

  async #one(number, kind, bytes) {
    const { channel } = this;
    if (channel.readyState === "open" && channel.bufferedAmount > FULL) {
      await new Promise((done) => ["bufferedamountlow", "close"].forEach((one) => channel.addEventListener(one, done, { once: true })));
    }
    if (channel.readyState !== "open") return; // nobody is there to hear it
    const message = new Uint8Array(FRONT + bytes.length);
    new DataView(message.buffer).setUint32(0, number);
    message[FRONT - 1] = kind;
    message.set(bytes, FRONT);
    channel.send(message);
  }
}

// The side that asks. Answers go to ports, as the application's worker gives them: a head, pieces, then undefined.
export class Asking {
  constructor(channel) {
    this.ports = new Map();
    this.number = 0;
    this.messages = new Messages(channel, (number, kind, bytes) => this.#heard(number, kind, bytes));
    channel.addEventListener("close", () => this.ports.forEach((port) => port.postMessage(undefined)));
  }

  ask({ body, ...head }, port) {
    const number = ++this.number;
    this.ports.set(number, port);
    port.onmessage = () => {
      if (this.ports.delete(number)) this.messages.send(number, LEFT);
    };
    this.messages.send(number, HEAD, told(head));
    if (body) this.messages.send(number, BODY, body);
    this.messages.send(number, END);
  }

  #heard(number, kind, bytes) {
    const port = this.ports.get(number);
    if (!port) return; // who asked has left
    if (kind === HEAD) {
      const { status, headers } = read(bytes);
      if (!Number.isInteger(status) || status < 200 || status > 599 || !pairs(headers)) throw new TypeError("no answer");
      port.postMessage({ status, headers });
    } else if (kind === BODY) port.postMessage(bytes.slice());
    else if (kind === END && this.ports.delete(number)) port.postMessage(undefined);
  }
}

const pairs = (list) => Array.isArray(list) && list.every((one) => one.length === 2 && one.every((word) => typeof word === "string"));

// The side that is asked, by somebody who may send anything: `answer` is given requests and a port each.
export class Answering {
  constructor(channel, answer) {
    this.answer = answer;
    this.open = new Map();
    this.messages = new Messages(channel, (number, kind, bytes) => this.#heard(number, kind, bytes));
    channel.addEventListener("close", () => this.open.forEach((one) => one.port?.postMessage("left")));
  }

  #heard(number, kind, bytes) {
    const one = this.open.get(number);
    if (kind === HEAD) this.#begun(number, read(bytes));
    else if (!one) return; // it was answered meanwhile
    else if (kind === BODY) this.#more(one, bytes);
    else if (kind === END) this.#asked(number, one);
    else if (kind === LEFT) {
      one.port?.postMessage("left");
      this.open.delete(number);
    }
  }

  #begun(number, { method, address, headers, below, home }) {
    const words = [method, address, below, home];
    if (!words.every((one) => typeof one === "string") || !pairs(headers)) throw new TypeError("no request");
    if (this.open.has(number) || this.open.size >= MOST) throw new RangeError("too many requests");
    this.open.set(number, { request: { method, address, headers }, below, home, pieces: [], size: 0 });
  }

  #more(one, bytes) {
    one.size += bytes.length;
    if (one.size > LARGEST || one.port) throw new RangeError("too large a request");
    one.pieces.push(bytes.slice());
  }

  #asked(number, one) {
    if (one.port) throw new TypeError("asked twice");
    const { port1, port2 } = new MessageChannel();
    const body = new Uint8Array(one.size);
    one.pieces.reduce((at, piece) => (body.set(piece, at), at + piece.length), 0);
    one.port = port1;
    port1.onmessage = ({ data }) => {
      if (data?.status) this.messages.send(number, HEAD, told(data));
      else if (data) this.messages.send(number, BODY, data);
      else {
        this.open.delete(number);
        this.messages.send(number, END);
      }
    };
    this.answer({ ...one.request, body: one.size ? body : null }, one, port2);
  }
}

// A connection between two browsers that nobody introduces: each says all about itself in one text, and waits.
const GATHERING = 5000; // milliseconds for finding out how one can be reached
const SILENCE = 15000; // milliseconds without a sign of life, after which a connection is given up

// stun: the address of a server that tells a browser how it is seen from outside; or nothing.
function connection(stun) {
  return new RTCPeerConnection({ iceServers: stun ? [{ urls: stun }] : [] });
}

// What a STUN server is called in full; nothing, if that is no name of one.
export function stunServer(text) {
  const said = text.trim().replace(/^stun:/i, "");
  return /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:]+\](:\d{1,5})?$/i.test(said) ? `stun:${said}` : "";
}

async function described(one) {
  await one.setLocalDescription();
  if (one.iceGatheringState !== "complete") {
    await new Promise((done) => {
      setTimeout(done, GATHERING);
      one.addEventListener("icegatheringstatechange", () => one.iceGatheringState === "complete" && done());
    });
  }
  return one.localDescription.sdp;
}

// The side that invites: `description` goes to the other, whose answer `accept` takes.
export async function offered(stun) {
  const one = connection(stun);
  const channel = one.createDataChannel("requests");
  const description = await described(one);
  return { connection: one, channel, description, accept: (sdp) => one.setRemoteDescription({ type: "answer", sdp }) };
}

// The other side: `description` answers an offer; `channel` is there once the first has taken it.
export async function answered(sdp, stun) {
  const one = connection(stun);
  const channel = new Promise((done) => (one.ondatachannel = (event) => done(event.channel)));
  await one.setRemoteDescription({ type: "offer", sdp });
  return { connection: one, channel, description: await described(one) };
}

// When the channel is open; fails if the two browsers cannot reach each other.
export function opened(one, channel) {
  return new Promise((done, failed) => {
    if (channel.readyState === "open") done();
    channel.addEventListener("open", () => done(), { once: true });
    one.addEventListener("connectionstatechange", () => ["failed", "closed"].includes(one.connectionState) && failed(new Error("unreachable")));
  });
}

// When it has ended: the other has left, or says nothing any more.
export function ended(one, channel) {
  return new Promise((done) => {
    let silent;
    channel.addEventListener("close", () => done(), { once: true });
    one.addEventListener("connectionstatechange", () => {
      clearTimeout(silent);
      if (["failed", "closed"].includes(one.connectionState)) done();
      if (one.connectionState === "disconnected") silent = setTimeout(done, SILENCE);
    });
    addEventListener("pagehide", () => one.close()); // which the other learns at once
  });
}

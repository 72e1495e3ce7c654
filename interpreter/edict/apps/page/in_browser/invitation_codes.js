// What two people send each other so that their browsers find one another, in the letters that addresses may have.
const LONGEST = 20000; // letters that are looked at: an invitation has less than a thousand

export async function packed(value) {
  const squeezed = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return lettersOf(new Uint8Array(await new Response(squeezed).arrayBuffer()));
}

// Fails for what is no code. Spaces, line breaks and quotation marks that came in on the way do no harm.
export async function unpacked(text) {
  const letters = text.replace(/[^\w-]/g, "");
  if (letters.length > LONGEST) throw new RangeError("too long");
  const found = await new Response(new Blob([bytesOf(letters)]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).json();
  if (found === null || typeof found !== "object") throw new TypeError("no code");
  return found;
}

// A name that nobody can guess.
export function unguessable() {
  return lettersOf(crypto.getRandomValues(new Uint8Array(16)));
}

// Bytes in the letters that addresses may have, and back.
function lettersOf(bytes) {
  const letters = btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""));
  return letters.replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}

export function bytesOf(letters) {
  return Uint8Array.from(atob(letters.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
}

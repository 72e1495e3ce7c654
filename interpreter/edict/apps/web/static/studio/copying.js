// Buttons that only a script can offer: they are hidden without one.

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  });
}
// A link that holds the variant: its zip file, in the letters that addresses may have.
const LONGEST = 30000; // characters that browsers, mail and messengers carry
for (const button of document.querySelectorAll("[data-carried]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    const { carried, home } = button.dataset;
    const said = button.nextElementSibling;
    const bytes = new Uint8Array(await (await fetch(carried)).arrayBuffer());
    const letters = btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""));
    const link = `${new URL(home, location.href)}#variant=${letters.replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "")}`;
    if (link.length <= LONGEST) await navigator.clipboard.writeText(link);
    said.textContent = link.length <= LONGEST ? said.dataset.copied : said.dataset.long;
  });
}
for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}

// The clocks of a table run on between two pictures of it. How much is left is the server's to say.
"use strict";
{
  const two = (number) => String(number).padStart(2, "0");
  function face(seconds) {
    const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
    return hours ? `${hours}:${two(minutes % 60)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
  }
  let since = performance.now();
  function tick() {
    const gone = Math.round((performance.now() - since) / 1000);
    for (const one of document.querySelectorAll("[data-left][data-runs]"))
      one.textContent = face(Math.max(0, Number(one.dataset.left) - gone));
  }
  document.addEventListener("shown", () => {
    since = performance.now();
    tick();
  });
  setInterval(tick, 1000);
}

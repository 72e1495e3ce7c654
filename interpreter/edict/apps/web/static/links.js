// Games in links: one that stands in the address is opened; one that is to be sent is copied, or given to an app.
"use strict";
{
  const MARK = "#game=";
  const form = document.getElementById("open-link");

  function open() {
    if (!form || !location.hash.startsWith(MARK)) return;
    form.elements.link.value = location.hash;
    history.replaceState(null, "", location.pathname);
    form.submit();
  }
  addEventListener("hashchange", open);
  open();

  // --- sending: what only a script can do is offered by it, also in what is sent for later ------------------------------

  function offer() {
    for (const one of document.querySelectorAll("[data-copies]")) one.hidden = !navigator.clipboard;
    for (const one of document.querySelectorAll("[data-sends]")) one.hidden = !navigator.share;
  }
  const link = (id) => document.getElementById(id).value ?? document.getElementById(id).textContent;
  document.addEventListener("click", async ({ target }) => {
    const { copies, copied, sends } = target.dataset ?? {};
    if (copies) {
      await navigator.clipboard.writeText(link(copies));
      target.textContent = copied;
    } else if (sends) await navigator.share({ url: link(sends) }).catch(() => {}); // whoever sends may think better of it
  });
  document.addEventListener("htmx:afterSwap", offer);
  offer();
}

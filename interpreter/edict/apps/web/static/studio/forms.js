// Forms that write rules: the server draws them; here they are opened and closed, and told which file is open.
const by = (id) => document.getElementById(id);

function show(shown) {
  by("forms").hidden = !shown;
  by("show-forms").setAttribute("aria-expanded", String(shown));
  if (shown) htmx.ajax("GET", `${document.querySelector("main.studio").dataset.base}/forms`, { target: "#forms" });
  else by("show-forms").focus();
}

export function start(current) {
  if (!by("forms")) return;
  by("show-forms").addEventListener("click", () => show(by("forms").hidden));
  by("forms").addEventListener("click", (event) => event.target.closest("[data-close]") && show(false));
  document.addEventListener("htmx:afterSwap", (event) => event.target.id === "forms" && event.target.querySelector("h2")?.focus());
  document.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.elt.closest("#forms")) event.detail.parameters.file = current();
  });
  if (location.hash === "#forms") show(true);
}

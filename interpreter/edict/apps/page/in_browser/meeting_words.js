// What is said around tables to which browsers are connected: parts of `meeting.html`, which has them in every language.
const LIKE = (language) => (one) => language === one.lang || language.startsWith(`${one.lang}-`);

// A part, in the first of these languages that there is. It is put into the window.
export async function words(base, part, languages) {
  const found = await fetch(`${base}meeting.html`);
  const page = new DOMParser().parseFromString(await found.text(), "text/html");
  const all = [...page.querySelectorAll(`template[data-part="${part}"]`)];
  const spoken = languages.map((language) => all.find(LIKE(language))).find(Boolean) ?? all[0];
  const made = document.importNode(spoken.content, true).firstElementChild;
  made.lang = spoken.lang;
  if (!document.querySelector("link[href$='meeting.css']")) {
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: `${base}meeting.css` }));
  }
  document.body.append(made);
  return made;
}

// Buttons that copy what stands in the field before them, and say so.
export function copying(part) {
  for (const button of part.querySelectorAll("[data-copied]")) {
    button.hidden = !navigator.clipboard;
    const { textContent } = button;
    button.addEventListener("click", async () => {
      const field = button.parentElement.querySelector("input, textarea");
      field.select();
      await navigator.clipboard.writeText(field.value);
      button.textContent = button.dataset.copied;
      setTimeout(() => (button.textContent = textContent), 2000);
    });
  }
}

// The box of questions: adds a line to a strategy, from what the rules name.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-add]");
  if (!button) return;
  const form = button.form;
  const text = form.elements[button.dataset.add];
  const line = `${form.querySelector("[data-verb]").value} ${form.querySelector("[data-what]").value}`;
  const lines = text.value.trimEnd().split("\n").filter(Boolean);
  if (!lines.includes(line)) text.value = [...lines, line].join("\n");
});

// The box of questions: adds a line to a strategy, from what the rules name, and keeps what was entered.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-add]");
  if (!button) return;
  const form = button.form;
  const text = form.elements[button.dataset.add];
  const line = `${form.querySelector("[data-verb]").value} ${form.querySelector("[data-what]").value}`;
  const lines = text.value.trimEnd().split("\n").filter(Boolean);
  if (!lines.includes(line)) text.value = [...lines, line].join("\n");
});

// The forms come anew when the rules have changed, for they name other things then. What is open and entered stays.
const entered = new Map(); // by the title of a question: is it open, and by the name of a field what it says
const listQuestions = (box) => [...box.querySelectorAll("details")].map((one) => [one.querySelector("summary").textContent, one]);
const listFields = (question) =>
  [...question.querySelectorAll("select, input, textarea")].map((one) => [one.name || one.getAttribute("aria-label"), one]);
// What an option says, for its value may be a line of a file, where another number stands after a change.
const describe = (option) => `${option.parentElement.label ?? ""}: ${option.text}`;
const read = (field) => (field.selectedOptions?.length ? describe(field.selectedOptions[0]) : field.value);
document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id !== "questions") return;
  for (const [title, question] of listQuestions(detail.target)) {
    const values = new Map(listFields(question).map(([name, field]) => [name, read(field)]));
    entered.set(title, { open: question.open, values });
  }
});
document.body.addEventListener("htmx:afterSwap", ({ detail }) => {
  if (detail.target.id !== "questions") return;
  for (const [title, question] of listQuestions(detail.target)) {
    const { open, values } = entered.get(title) ?? { open: false, values: new Map() };
    question.open = open;
    for (const [name, field] of listFields(question)) {
      const value = values.get(name);
      const option = [...(field.options ?? [])].find((one) => describe(one) === value);
      if (option) option.selected = true;
      else if (value !== undefined && !field.options) field.value = value;
    }
  }
});

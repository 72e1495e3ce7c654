// Small things that pages are made with.
import { nothing } from "./server.js";

export function make(tag, values = {}) {
  return Object.assign(document.createElement(tag), values);
}

// A function that is called once nobody has called it for so many milliseconds; what was called before it ends, waits.
export function later(pause, deed) {
  let timer = 0;
  let running = Promise.resolve();
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(() => deed(...given)).catch(nothing).catch(console.error);
    }, pause);
  };
}

// Asks for a text until `deed` takes it; null if one does not want to after all. What was begun is not taken back by
// closing the dialog: its outcome is given all the same, and the dialog is free for the next question.
export function prompt(title, label, value, deed) {
  const dialog = document.getElementById("ask");
  const form = dialog.querySelector("form");
  const said = document.getElementById("ask-problem");
  document.getElementById("ask-title").textContent = title;
  document.querySelector("#ask-label span").textContent = label;
  form.answer.value = value;
  said.textContent = "";
  dialog.showModal();
  form.answer.select();
  return new Promise((done, failed) => {
    let asking = true;
    let begun = false;
    const leave = () => {
      asking = false;
      form.removeEventListener("submit", submitted);
      dialog.removeEventListener("close", closed);
    };
    const closed = () => {
      leave();
      if (!begun) done(null);
    };
    const submitted = async (event) => {
      if (!event.submitter?.value) return;
      event.preventDefault();
      if (begun) return;
      begun = true;
      try {
        const found = await deed(form.answer.value.trim());
        if (asking) {
          leave();
          dialog.close();
        }
        done(found);
      } catch (problem) {
        begun = false;
        if (asking) said.textContent = `${problem.message[0].toUpperCase()}${problem.message.slice(1)}.`;
        else failed(problem);
      }
    };
    form.addEventListener("submit", submitted);
    dialog.addEventListener("close", closed);
  });
}

// Whether somebody says yes to what a dialog asks.
export function confirm(id, title) {
  const dialog = document.getElementById(id);
  dialog.querySelector("h2").textContent = title;
  dialog.returnValue = "";
  dialog.showModal();
  dialog.querySelector('button[value=""]').focus(); // an Enter too many deletes nothing
  return new Promise((done) => {
    dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true });
  });
}

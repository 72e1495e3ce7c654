// The variants that were opened in this browser; nobody else knows of them.
const list = document.querySelector("#recent ul");
const known = JSON.parse(localStorage.getItem("variants") ?? "{}");
for (const [path, title] of Object.entries(known).reverse()) {
  const line = document.createElement("li");
  const link = Object.assign(document.createElement("a"), { href: path, textContent: title });
  const forget = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: "Forget" });
  forget.setAttribute("aria-label", `Forget ${title}`);
  forget.addEventListener("click", () => {
    delete known[path];
    localStorage.setItem("variants", JSON.stringify(known));
    line.remove();
  });
  line.append(link, forget);
  list?.append(line);
}
if (list) document.getElementById("recent").hidden = !list.children.length;

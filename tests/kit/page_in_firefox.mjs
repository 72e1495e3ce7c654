/**
 * A page that needs no server, as Firefox opens it, and beside Chromium.
 *
 *     node page_in_firefox.mjs PUPPETEER ADDRESS FIREFOX CHROMIUM
 *
 * Says each thing once it is done, in a line, and ends with what went wrong. Puppeteer is the file to import.
 */

import { pathToFileURL } from "node:url";

const [library, address, firefox, chromium] = process.argv.slice(2);
const { default: puppeteer } = await import(pathToFileURL(library).href);
const PATIENCE = 240000; // milliseconds, on however busy a machine
const SOON = 100; // milliseconds until something is looked for again
const GONE = /detached|context|destroyed|no such|not found/i; // what is said of a page that was replaced meanwhile

async function visitor(browser) {
  const page = await (await browser.createBrowserContext()).newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("dialog", (asked) => asked.accept()); // whether to leave
  return page;
}

// Something in the frame of the application, once it is shown and holds the text. `act` is given it.
async function inside(page, selector, act, text = "") {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await new Promise((done) => setTimeout(done, SOON))) {
    try {
      const frame = page.frames().find((one) => one.parentFrame() === page.mainFrame());
      const found = (await page.$("#application:not([hidden])")) && (await frame?.$(selector));
      if (found && (!text || (await found.evaluate((one) => one.textContent)).includes(text))) return await act?.(found);
    } catch (problem) {
      if (!GONE.test(String(problem))) throw problem;
    }
  }
  throw new Error(`${selector} ${text} was never there: ${page.url()}`);
}

const click = (found) => found.evaluate((one) => one.click());
const fill = (value) => (found) => found.evaluate((one, value) => void (one.value = value), value);

async function plays(page) {
  await page.goto(address);
  await inside(page, "section.begin button.main", click);
  for (let answers = 0; answers < 3; answers++) await inside(page, ".question.yours button[name=answer]:not([disabled])", click);
  const place = page.url();
  await page.reload();
  await inside(page, "form.play");
  if (page.url() !== place) throw new Error(`after a reload at ${page.url()}, not ${place}`);
}

async function writes(page) {
  await page.goto(`${address}#/studio`);
  await page.reload();
  await inside(page, "button ::-p-text(Begin the tutorial)", click);
  await inside(page, "#problems", null, "No problems");
  await inside(page, ">>> .cm-content", (found) => found.click());
  await page.keyboard.down("Control");
  await page.keyboard.press("End");
  await page.keyboard.up("Control");
  await page.keyboard.type("building shed");
  await inside(page, "#problems", null, "the building `shed`");
}

async function invites(host, guest) {
  const told = async (page, selector) => {
    const found = await page.waitForFunction((one) => document.querySelector(one)?.value, {}, selector);
    return found.jsonValue();
  };
  const pressed = async (page, name) => (await page.waitForSelector(`button ::-p-text(${name})`)).click();
  await host.goto(address);
  await inside(host, "form[action$='/rooms'] [name=name]", fill("Ann"));
  await inside(host, "form[action$='/rooms'] button", click);
  await inside(host, "a ::-p-text(Invite somebody)", click);
  await guest.goto(await told(host, "#hosting [name=link]"));
  await pressed(guest, "Make the answer code");
  await fill(await told(guest, "#joining [name=code]"))(await host.$("#hosting [name=answer]"));
  await pressed(host, "Connect");
  await inside(guest, "form [name=name]", fill("Ben"));
  await inside(guest, "form button", click);
  await inside(host, ".guests", null, "Ben");
}

const foxes = await puppeteer.launch({ browser: "firefox", executablePath: firefox });
const others = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox"] });
try {
  const ann = await visitor(foxes);
  await plays(ann);
  console.log("played and reloaded");
  await writes(ann);
  console.log("wrote a rule");
  await invites(await visitor(foxes), await visitor(others));
  console.log("Chromium sat down at Firefox's table");
  await invites(await visitor(others), await visitor(foxes));
  console.log("Firefox sat down at Chromium's table");
} finally {
  await Promise.all([foxes.close(), others.close()]);
}

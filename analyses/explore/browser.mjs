// What the tests of the pages share: Chromium, a page for each test, and what it shows.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, beforeEach } from "node:test";
import { pathToFileURL } from "node:url";

const given = process.argv.slice(2).map((path) => resolve(path));
export const [site, packages, configs, pictures] = given;
const require = createRequire(join(packages, "package.json"));
const puppeteer = require("puppeteer-core");
export const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const gemma = "#system=hf_gemma&set=model.d_model%3D3072&set=token.multiplier%3D1";
const own = mkdtempSync(join(tmpdir(), "explore_test-"));
export const address = (page, fragment = "") => pathToFileURL(join(site, page)).href + fragment;
let browser;
export let page; // of the test that runs
export const complaints = []; // of the pages, whatever test they belong to

before(async () => {
  browser = await puppeteer.launch({
    executablePath: "/usr/bin/chromium",
    userDataDir: join(own, "profile"),
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});
after(async () => {
  await browser.close();
  rmSync(own, { recursive: true, force: true });
});
beforeEach(async () => {
  if (page) await page.close();
  page = await browser.newPage();
  page.on("console", (said) => {
    if (["error", "warn"].includes(said.type())) complaints.push(said.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (asked) => {
    if (!/^(file|data|blob):/.test(asked.url())) complaints.push(`asks ${asked.url()}`);
  });
  await page.setViewport({ width: 1280, height: 900 });
  await page.evaluateOnNewDocument(() => {
    globalThis.copied = [];
    globalThis.sizesRead = [];
    const { text } = Blob.prototype;
    Blob.prototype.text = function () {
      sizesRead.push(this.size);
      return text.call(this);
    };
    if (navigator.clipboard) navigator.clipboard.writeText = async (text) => void copied.push(text);
  });
});

export const settled = () => page.evaluate(() =>
  new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

export async function open(name, fragment = "") {
  await page.goto("about:blank");
  await page.goto(address(name, fragment));
  await page.waitForSelector("#ways td, .rung td, #groups dt, #reason:not([hidden])");
  await settled();
}

/** The cells of the table of ways, each with what the core says for the address. */
export const table = () =>
  page.evaluate(async () => {
    const core = (globalThis.secondCore ??= await embedscaleCore());
    const given = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
    const inputs = given.has("toml")
      ? [{ name: "linked.toml", text: given.get("toml") }]
      : [{ system: given.get("system") ?? "tensor2tensor" }];
    const { ways } = JSON.parse(core.ask("compare", inputs, { set: given.getAll("set") }).text);
    const names = [...document.querySelectorAll("#ways thead th")].map((head) =>
      head.querySelector(".swatch").className.replace("swatch ", ""));
    return [...document.querySelectorAll("#ways tr[data-path]")].flatMap((row) =>
      [...row.querySelectorAll("td")].map((cell, i) => {
        const number = cell.querySelector(".figure");
        return {
          path: row.dataset.path, way: names[i], text: cell.textContent,
          shown: number && Number(number.dataset.value), asked: ways[names[i]][row.dataset.path],
          title: number?.title, link: number?.getAttribute("href"),
        };
      }));
  });

/** The number that a text with three digits stands for. */
export function read(text) {
  const [digits, power] = text.replaceAll(",", "").replace("−", "-").split("·10");
  const lower = (sign) => "-0123456789"["⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(sign)];
  return Number(`${digits}e${power ? [...power].map(lower).join("") : 0}`);
}

export async function showsWhatTheCoreSays() {
  const cells = await table();
  assert.ok(cells.length > 10);
  for (const cell of cells) {
    const at = JSON.stringify(cell);
    assert.equal(cell.shown, cell.asked, at);
    if (cell.asked === null) {
      assert.equal(cell.text, "—", at);
      continue;
    }
    assert.ok(Math.abs(read(cell.text) - cell.asked) <= 0.00501 * Math.abs(cell.asked), at);
    assert.ok(cell.title.startsWith(String(cell.asked)), at);
  }
  const sizes = await page.$$eval("#sizes dd", (all) => all.map((one) => one.textContent));
  return JSON.stringify([sizes, cells.map((cell) => cell.shown)]);
}

export const waits = (time) => new Promise((done) => setTimeout(done, time));
export const fragment = () => page.evaluate(() => location.hash);
export const text = (selector) => page.$eval(selector, (found) => found.textContent);
export const visible = (selector) => page.$eval(selector, (found) => found.checkVisibility());

export const keyed = (field) => async () => {
  await page.focus(`[data-number="${field}"] [type=range]`);
  for (let i = 0; i < 4; ++i) await page.keyboard.press("ArrowRight");
};
export const typed = (selector, value) => async () => {
  await page.click(selector, { count: 3 });
  await page.keyboard.type(value);
  await waits(450); // longer than a pause
};
export const chosen = (selector, value) => () => page.select(selector, value);
export const radio = (value) => () => page.click(`[name=multiplier][value="${value}"]`);
export const focused = () => page.evaluate(() => document.activeElement.id);
export const value = (selector) => page.$eval(selector, (entry) => entry.value);

export async function give(name, content, drop) {
  const path = join(own, name);
  writeFileSync(path, content);
  if (!drop) await (await page.$("#file")).uploadFile(path);
  else
    await page.evaluate((title, words) => {
      const dropped = new DataTransfer();
      dropped.items.add(new File([words], title));
      document.getElementById("drop").dispatchEvent(
        new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
    }, name, content);
  await waits(400);
  await settled();
}

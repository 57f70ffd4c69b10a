// The pages in Chromium, from files: browser_test.mjs SITE PACKAGES CONFIGS [PICTURES]
//   SITE      what bundle.sh and build.sh made
//   PACKAGES  the directory whose node_modules bundle.sh filled
//   CONFIGS   analyses/audit/test/configs
//   PICTURES  where to leave a picture of each page, narrow, wide and dark
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import { changesFor } from "./configuration.js";

const [site, packages, configs, pictures] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(packages, "package.json"));
const puppeteer = require("puppeteer-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const gemma = "#system=hf_gemma&set=model.d_model%3D3072&set=token.multiplier%3D1";
const own = mkdtempSync(join(tmpdir(), "explore_test-"));
const address = (page, fragment = "") => pathToFileURL(join(site, page)).href + fragment;
let browser, page;
const complaints = []; // of the pages, whatever test they belong to

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

const settled = () => page.evaluate(() =>
  new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function open(name, fragment = "") {
  await page.goto("about:blank");
  await page.goto(address(name, fragment));
  await page.waitForSelector("#ways td, .rung td, #groups dt, #reason:not([hidden])");
  await settled();
}

/** The cells of the table of ways, each with what the core says for the address. */
const table = () =>
  page.evaluate(async () => {
    const core = (globalThis.secondCore ??= await embedscaleCore());
    const given = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
    const inputs = given.has("toml")
      ? [{ name: "linked.toml", text: given.get("toml") }]
      : [{ system: given.get("system") ?? core.systems[0] }];
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
function read(text) {
  const [digits, power] = text.replaceAll(",", "").replace("−", "-").split("·10");
  const lower = (sign) => "-0123456789"["⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(sign)];
  return Number(`${digits}e${power ? [...power].map(lower).join("") : 0}`);
}

async function showsWhatTheCoreSays() {
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

const fragment = () => page.evaluate(() => location.hash);
const text = (selector) => page.$eval(selector, (found) => found.textContent);
const visible = (selector) => page.$eval(selector, (found) => found.checkVisibility());

test("numbers, claims and reasons are the core's", async () => {
  await open("explore.html", "#system=hf_gemma");
  await showsWhatTheCoreSays();
  assert.match(await text("#missing"), /position\.kind rotary adds nothing/);
  const cells = (await table()).filter((cell) => cell.shown !== null);
  const linked = cells.filter((cell) => cell.link);
  assert.ok(linked.length > 0.9 * cells.length, "numbers without a claim");
  for (const { link } of linked) assert.match(link, /^\w+\.html#\w+\.\w+$/);
  const decided = await page.evaluate(async () => {
    const core = await embedscaleCore();
    const { text } = core.ask("compare", [{ system: "hf_gemma" }], { set: [] });
    const { decision } = JSON.parse(text);
    return { title: core.verdicts[decision.verdict].title, claims: decision.claims };
  });
  assert.equal(await text("#decision b"), decided.title);
  const claims = await page.$$eval("#decision-claims a", (all) => all.map((a) => a.title));
  assert.deepEqual(claims, decided.claims);
});

const keyed = (field) => async () => {
  await page.focus(`[data-number="${field}"] [type=range]`);
  for (let i = 0; i < 4; ++i) await page.keyboard.press("ArrowRight");
};
const typed = (selector, value) => async () => {
  await page.click(selector, { count: 3 });
  await page.keyboard.type(value);
};
const chosen = (selector, value) => () => page.select(selector, value);
const radio = (value) => () => page.click(`[name=multiplier][value="${value}"]`);
// Each control: in which system, how it is moved, what stands in the address then.
const controls = [
  ["d_model, slider", "tensor2tensor", keyed("model.d_model"), /d_model%3D(?!512)/],
  ["d_model", "tensor2tensor", typed("#width", "1024"), /set=model\.d_model%3D1024/],
  ["σ, slider", "hf_gpt2", keyed("token.standard_deviation"), /token\.standard_deviation%3D/],
  ["σ of another distribution", "marian", typed("#deviation", "0.1"),
    /set=token\.law%3Dnormal&.*set=token\.standard_deviation%3D0\.1/],
  ["multiplier, slider", "tensor2tensor", keyed("token.multiplier"), /token\.multiplier%3D/],
  ["multiplier", "tensor2tensor", typed("#multiplier", "7"), /set=token\.multiplier%3D7/],
  ["multiplier 1", "tensor2tensor", radio("1"), /set=token\.multiplier%3D1$/],
  ["multiplier √d_model", "hf_gpt2", radio("sqrt(d_model)"), /set=token\.multiplier%3Dsqrt/],
  ["positions, learned", "tensor2tensor", chosen("#positions", "learned"), /kind%3Dlearned/],
  ["positions, rotary", "tensor2tensor", chosen("#positions", "rotary"), /kind%3Drotary/],
  ["positions, sinusoidal", "hf_gemma", chosen("#positions", "sinusoidal"), /kind%3Dsinusoidal/],
  ["positions times", "tensor2tensor", typed("#scale", "0.5"), /position\.multiplier%3D0\.5/],
  ["σ of positions", "hf_gpt2", typed("#spread", "0.5"), /position\.standard_deviation%3D0\.5/],
  ["norm", "tensor2tensor", chosen("#norm", "post"), /set=block\.norm%3Dpost/],
  ["no norm", "tensor2tensor", chosen("#norm", "none"), /set=block\.norm%3Dnone/],
  ["norm on the sum", "tensor2tensor", chosen("#embedding-norm", "layer_norm"),
    /set=embedding_norm\.kind%3Dlayer_norm/],
  ["no norm on the sum", "hf_bert", chosen("#embedding-norm", "none"), /_norm\.kind%3D&/],
  ["untied", "nanogpt", chosen("#tied", "false"), /set=output\.tied%3Dfalse/],
  ["tied", "hf_llama", chosen("#tied", "true"), /set=output\.tied%3Dtrue/],
  ["system", "tensor2tensor", chosen("#system", "nanogpt"), /^#system=nanogpt$/],
];
for (const [name, system, move, expected] of controls)
  test(`moves ${name}`, async () => {
    await open("explore.html", `#system=${system}`);
    const first = await showsWhatTheCoreSays();
    await move();
    await settled();
    await new Promise((done) => setTimeout(done, 300)); // the address of a slider follows
    assert.equal(await visible("#refused"), false, await text("#refused"));
    assert.match(await fragment(), expected);
    assert.notEqual(await showsWhatTheCoreSays(), first);
    await page.goBack();
    await settled();
    assert.equal(await showsWhatTheCoreSays(), first);
    await page.goForward();
    await settled();
    assert.match(await fragment(), expected);
    await showsWhatTheCoreSays();
  });

test("no system refuses a choice", async () => {
  await open("explore.html");
  const refused = await page.evaluate(async (source) => {
    const core = await embedscaleCore(), changesFor = (0, eval)(`(${source})`), found = [];
    const choices = [...document.querySelectorAll("[data-choice]")].flatMap((choice) =>
      [...choice.options].map(({ value }) => [choice.dataset.choice, value]));
    for (const path of ["token.standard_deviation", "position.standard_deviation"])
      choices.push([path, "0.25"]);
    for (const system of core.systems) {
      const { fields } = JSON.parse(core.ask("audit", [{ system }], { set: [] }).text);
      for (const [path, value] of choices) {
        if (path.startsWith("position.s") && fields[path].value === "") continue; // has no control
        const set = Object.entries(changesFor(path, value, fields))
          .filter(([, to]) => to !== null).map(([at, to]) => `${at}=${to}`);
        const { exit, text } = core.ask("audit", [{ system }], { set });
        if (exit) found.push(text);
      }
    }
    return found;
  }, changesFor.toString());
  assert.deepEqual(refused, []);
});

test("a choice taken back is no change", async () => {
  await open("explore.html", "#system=tensor2tensor");
  for (const [selector, there, back] of [
    ["#positions", "learned", "sinusoidal"], ["#tied", "false", "true"],
    ["#embedding-norm", "rms_norm", "none"], ["#norm", "none", "pre"]]) {
    await page.select(selector, there);
    await settled();
    await page.select(selector, back);
    await settled();
    assert.equal(await fragment(), "#system=tensor2tensor", selector);
  }
});

test("a value that is refused is told, and leaves the last figures", async () => {
  await open("explore.html", "#system=hf_gpt2");
  const name = await text("#name");
  await typed("#width", "1001")();
  await settled();
  assert.match(await text("#refused"), /model\.heads/);
  assert.equal(await visible("#refused"), true);
  assert.equal(await text("#name"), name);
  await typed("#width", "1536")();
  await settled();
  assert.equal(await visible("#refused"), false);
});

async function give(name, content, drop) {
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
  await new Promise((done) => setTimeout(done, 400));
  await settled();
}
for (const drop of [false, true])
  test(`files that are ${drop ? "dropped" : "chosen"}`, async () => {
    await open("explore.html", "#system=tensor2tensor");
    await give("config.json", readFileSync(join(configs, "gemma.json"), "utf8"), drop);
    assert.match(await fragment(), /^#toml=/);
    assert.equal(await visible("#refused"), false, await text("#refused"));
    const shown = await showsWhatTheCoreSays();
    const link = await fragment();
    await give("bad.toml", "[model]\nd_model = many\n", drop);
    assert.match(await text("#refused"), /^(.*: )?bad\.toml:2/);
    assert.equal(await fragment(), link);
    await give("huge.json", `{"a": "${"x".repeat(2_000_000)}"}`, drop);
    assert.match(await text("#refused"), /huge\.json.*bytes/);
    assert.equal(await page.evaluate(() => sizesRead.length), 2, "a huge file is read");
    assert.equal(await fragment(), link);
    await open("explore.html", link);
    assert.equal(await showsWhatTheCoreSays(), shown);
  });

test("a link shows the same page, and buttons copy it", async () => {
  await open("explore.html", gemma);
  await showsWhatTheCoreSays();
  assert.equal(await text("#name"), "hf_gemma");
  assert.equal(await page.$eval("#multiplier", (entry) => entry.value), "1");
  for (const button of ["#copy-link", "#copy-command", "#copy-toml"]) await page.click(button);
  const [link, command, toml] = await page.evaluate(() => copied);
  assert.equal(link, address("explore.html", gemma));
  assert.equal(command,
    "./dev embedscale compare --system hf_gemma --set model.d_model=3072 --set token.multiplier=1");
  assert.match(toml, /\[model\]/);
  const exit = await page.evaluate(async (copy) => {
    const core = await embedscaleCore();
    return core.ask("audit", [{ name: "copy.toml", text: copy }], { set: [] }).exit;
  }, toml);
  assert.equal(exit, 0);
});

test("each ratio is written at its place", async () => {
  await open("explore.html", "#system=tensor2tensor&set=token.multiplier%3D5");
  const written = await page.$$eval("#ratios text", (all) => all.map((one) => ({
    value: Number(one.textContent), left: one.getBoundingClientRect().left })));
  const values = (await table()).filter(({ path }) => path === "token_to_position");
  const placed = values.map((cell) => written.find(({ value }) => value === Number(cell.text)));
  const one = written.findLast(({ value }) => value === 1);
  const ten = written.find(({ value }) => value === 10);
  for (const { value, left } of placed) {
    const log = (left - 12 - one.left) / (ten.left - one.left);
    assert.ok(Math.abs(log - Math.log10(value)) < 0.06, `${value} at ${log}`);
  }
});

test("marks are named by pointer and keyboard, and are systems to take", async () => {
  await open("explore.html", "#system=tensor2tensor");
  await page.$eval('#ratios a[tabindex="0"]', (mark) => mark.focus());
  await page.keyboard.press("ArrowRight");
  const name = await text("#ratios .tip");
  assert.match(name, /^\w+: [\d.]+$/);
  await page.keyboard.press("Enter");
  await settled();
  assert.equal(await text("#name"), name.split(":")[0]);
  await showsWhatTheCoreSays();
  assert.equal(await page.$$eval("#ratios a", (all) => all.length), await page.evaluate(async () =>
    Object.values((await embedscaleCore()).atlas).filter((one) => one.ratio > 0).length));
});

const parts = {
  "explore.html": [gemma.slice(1), "system=tensor2tensor"],
  "ladder.html": ["sum", "norm", "attention", "block", "systems"],
};
for (const name of Object.keys(parts))
  for (const scheme of ["light", "dark"])
    for (const width of [390, 1280])
      test(`${name}, ${scheme}, ${width} pixels: fits, and axe finds nothing serious`, async () => {
        await page.setViewport({ width, height: 900 });
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        for (const part of parts[name]) {
          await open(name, `#${part}`);
          assert.equal(await visible("[data-live]"), true, await text("#reason"));
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= width, `${part}: ${wide}`);
          const ground = await page.$eval("body", (body) => getComputedStyle(body).backgroundColor);
          assert.equal(Number(ground.match(/\d+/)[0]) < 128, scheme === "dark", ground);
          await page.evaluate(axe);
          const { violations } = await page.evaluate(() => globalThis.axe.run({ preload: false }));
          const serious = violations.filter((one) => ["serious", "critical"].includes(one.impact));
          assert.deepEqual(serious.map((one) => `${one.id}: ${one.nodes[0].html}`), [], part);
          if (!pictures) continue;
          mkdirSync(pictures, { recursive: true });
          const words = [name.replace(".html", ""), part.replace(/system=|&.*/g, "")];
          const title = [...words, width, scheme].join("-");
          await page.screenshot({ path: join(pictures, `${title}.png`), fullPage: true });
        }
      });

for (const name of Object.keys(parts)) {
  test(`${name} reads without WebAssembly`, async () => {
    await page.evaluateOnNewDocument(() => delete globalThis.WebAssembly);
    await open(name);
    assert.match(await text("#reason"), /WebAssembly/);
    assert.equal(await visible("#reason"), true);
    assert.equal(await visible("[data-static]"), true);
    assert.equal(await visible("[data-live]"), false);
  });
  test(`${name} reads without JavaScript`, async () => {
    await page.setJavaScriptEnabled(false);
    await page.goto(address(name));
    assert.equal(await visible("[data-static]"), true);
    assert.equal(await visible("[data-live]"), false);
    assert.match(await text("[data-static]"), /\.\/dev embedscale compare/);
  });
}

test("the ladder has five screens, few words, and equal cells that are equal", async () => {
  await open("ladder.html");
  const rung = () => page.$$eval(".rung", (all) =>
    all.filter((one) => one.checkVisibility()).map((one) => one.id));
  const seen = [];
  for (;;) {
    seen.push(...(await rung()));
    if (await page.$eval("#next", (button) => button.disabled)) break;
    await page.click("#next");
    await settled();
  }
  assert.deepEqual(seen, ["sum", "norm", "attention", "block", "systems"]);
  await page.keyboard.press("ArrowLeft");
  await settled();
  assert.deepEqual(await rung(), ["block"]);
  await page.click("#back");
  await settled();
  assert.deepEqual(await rung(), ["attention"]);
  await page.goBack();
  await settled();
  assert.deepEqual(await rung(), ["block"]);
  const words = await page.$eval("main", (main) => {
    const copy = main.cloneNode(true);
    for (const names of copy.querySelectorAll("#groups dd")) names.remove();
    return copy.innerText.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
  });
  assert.ok(words > 150 && words <= 400, `${words} words`);
});

const lines = () =>
  page.$$eval(".rung:not([hidden]) tbody tr", (rows) => rows.map((row) => ({
    path: row.dataset.path, sign: row.querySelector(".sign").textContent,
    text: [...row.querySelectorAll(".figure")].map((one) => one.textContent),
    value: [...row.querySelectorAll(".figure")].map((one) => Number(one.dataset.value)),
  })));
const equal = { sum: ["token_to_position"], attention: [],
  norm: ["attention_input.rms", "first_layer.entropy"],
  block: ["attention_input.rms", "first_layer.entropy"] };
for (const [rung, same] of Object.entries(equal))
  test(`the ladder's ${rung} is what the core says of up and down`, async () => {
    await open("ladder.html", `#${rung}`);
    const signed = (found) => {
      for (const { text: [a, b], value: [up, down], sign } of found) {
        assert.equal(sign.startsWith("="), a === b);
        const ratio = Math.max(up / down, down / up);
        const told = a === b ? 1 : read(sign.slice(sign.indexOf("×") + 2));
        assert.ok(Math.abs(told - ratio) <= 0.006 * ratio);
      }
    };
    const atRoot = await lines();
    signed(atRoot);
    const shownEqual = atRoot.filter(({ sign }) => sign.startsWith("="));
    assert.deepEqual(shownEqual.map(({ path }) => path), same);
    const set = await page.$eval(`#${rung}`, (found) => found.dataset.set.split(" "));
    const asked = await page.evaluate(async (changes) => {
      const core = await embedscaleCore();
      const options = { set: ["token.multiplier_format=binary64", ...changes] };
      return JSON.parse(core.ask("compare", [{ system: "tensor2tensor" }], options).text).ways;
    }, set);
    for (const { path, value: [up, down] } of atRoot) {
      assert.ok(Math.abs(up - asked.up[path]) <= 1e-8 * up, path);
      assert.ok(Math.abs(down - asked.down[path]) <= 1e-8 * down, path);
    }
    await page.focus("#factor");
    for (let i = 0; i < 6; ++i) await page.keyboard.press("ArrowLeft");
    await settled();
    const moved = await lines();
    signed(moved);
    assert.notDeepEqual(moved.map((line) => line.value), atRoot.map((line) => line.value));
    await page.keyboard.press("Home"); // a factor of 1: nothing is apart
    await settled();
    for (const { sign } of await lines()) assert.ok(sign.startsWith("="));
    await page.click("#root");
    await settled();
    assert.deepEqual(await lines(), atRoot);
  });

test("no page complains or asks a host", () => assert.deepEqual([...new Set(complaints)], []));

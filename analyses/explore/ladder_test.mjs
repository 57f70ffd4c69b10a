// ladder.html: its keys, and what each rung shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { page, settled, open, read, fragment, focused } from "./browser.mjs";

test("the ladder has five screens, few words, and equal cells that are equal", async () => {
  await open("ladder.html");
  const rung = () => page.$$eval(".rung", (all) =>
    all.filter((one) => one.checkVisibility()).map((one) => one.id));
  const seen = [];
  while (seen.length < 9) {
    seen.push(...(await rung()));
    if (await page.$eval("#next", (button) => button.ariaDisabled === "true")) break;
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

test("the ladder takes arrow keys alone, and steps to the heading", async () => {
  await open("ladder.html", "#norm");
  const before = await page.evaluate(() => history.length);
  for (const key of ["a", "Shift", "Tab"]) await page.keyboard.press(key);
  assert.equal(await page.evaluate(() => history.length), before);
  assert.equal(await fragment(), "#norm");
  await page.keyboard.press("ArrowRight");
  await settled();
  assert.equal(await focused(), "attention-title");
  await page.focus("#factor");
  await page.keyboard.press("ArrowRight");
  await settled();
  assert.equal(await fragment(), "#attention");
  await open("ladder.html", "#systems");
  await page.focus("#next");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "next");
  assert.equal(await page.$eval("#next", (one) => `${one.disabled} ${one.ariaDisabled}`),
    "false true");
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
        assert.equal(sign, up === down ? "= equal" : a === b ? "≈ about equal" : sign);
        assert.equal(/^[=≈]/.test(sign), a === b);
        const ratio = Math.max(up / down, down / up);
        const told = a === b ? 1 : read(sign.slice(sign.indexOf("×") + 2));
        assert.ok(Math.abs(told - ratio) <= 0.006 * ratio);
      }
    };
    const atRoot = await lines();
    signed(atRoot);
    const shownEqual = atRoot.filter(({ sign }) => /^[=≈]/.test(sign));
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
    for (const { sign } of await lines()) assert.match(sign, /^=/);
    await page.click("#root");
    await settled();
    assert.deepEqual(await lines(), atRoot);
  });

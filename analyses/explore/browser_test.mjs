// The pages in Chromium, from files: browser_test.mjs SITE PACKAGES CONFIGS [PICTURES]
//   SITE      what bundle.sh and build.sh made
//   PACKAGES  the directory whose node_modules bundle.sh filled
//   CONFIGS   analyses/audit/test/configs
//   PICTURES  where to leave a picture of each page, narrow, wide and dark
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  address, axe, complaints, gemma, open, page, pictures, text, visible,
} from "./browser.mjs";
import "./explore_test.mjs";
import "./ladder_test.mjs";

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

test("no page complains or asks a host", () => assert.deepEqual([...new Set(complaints)], []));

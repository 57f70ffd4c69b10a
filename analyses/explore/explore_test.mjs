// explore.html: each control, refusals, files and links.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  configs, gemma, address, page, settled, open, table, read, showsWhatTheCoreSays,
  waits, fragment, text, visible, keyed, typed, chosen, radio, focused, value, give,
} from "./browser.mjs";
import { changesFor } from "./configuration.js";

test("numbers, claims and reasons are the core's", async () => {
  await open("explore.html", "#system=hf_gemma");
  await showsWhatTheCoreSays();
  assert.match(await text("#missing"), /position\.kind rotary adds nothing/);
  const cells = (await table()).filter((cell) => cell.shown !== null);
  for (const { link, path } of cells) assert.match(link, /^\w+\.html#\w+\.\w+$/, path);
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

// Each control: in which system, how it is moved, what stands in the address then.
const controls = [
  ["d_model, slider", "tensor2tensor", keyed("model.d_model"), /d_model%3D(?!512)/],
  ["d_model", "tensor2tensor", typed("#width", "1024"), /set=model\.d_model%3D1024/],
  ["vocabulary", "hf_bart", typed("#vocabulary", "30522"), /set=model\.vocabulary%3D30522/],
  ["vocabulary, slider", "nanogpt", keyed("model.vocabulary"), /set=model\.vocabulary%3D\d+/],
  ["positions, number", "tensor2tensor", typed("#count", "64"), /set=model\.positions%3D64/],
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
    await waits(300); // the address of a slider follows
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

test("the skip link and other fragments leave the configuration", async () => {
  await open("explore.html", gemma);
  await page.focus(".skip");
  await page.keyboard.press("Enter");
  assert.equal(await focused(), "results");
  assert.equal(await fragment(), gemma);
  await page.evaluate(() => (location.hash = "#ways-title"));
  await settled();
  assert.equal(await text("#not-understood"), "not understood: #ways-title");
  assert.equal(await text("#sizes dd"), (await text('#ways [data-path="token.rms"] .own')));
  assert.match(await text("#name"), /^hf_gemma with/);
  await open("explore.html", "#set=token.multiplier%3D1");
  assert.equal(await text("#name"), "tensor2tensor");
  assert.match(await text("#not-understood"), /^not understood: #set/);
  await open("explore.html");
  assert.equal(await text("#name"), "tensor2tensor");
  assert.equal(await text("#not-understood"), "");
});

for (const system of ["nope", "", "__proto__"])
  test(`a link with the system "${system}" tells, and lets choose`, async () => {
    await page.goto(address("explore.html", `#system=${system}`));
    await page.waitForSelector("#refused:not([hidden])");
    assert.equal(await text("#refused"),
      `there is no system ${system || '""'} in the atlas: choose one`);
    assert.equal(await value("#system"), "");
    assert.equal(await visible("#width"), false);
    await page.select("#system", "nanogpt");
    await settled();
    assert.equal(await visible("#refused"), false);
    assert.equal(await visible("#width"), true);
    assert.equal(await text("#name"), "nanogpt");
    await page.goBack();
    await settled();
    assert.equal(await visible(".verdict"), false);
    await page.click("[type=reset]");
    await settled();
    assert.equal(await fragment(), "#system=tensor2tensor");
    assert.equal(await text("#name"), "tensor2tensor");
  });

test("a link with an unknown field is refused until Reset", async () => {
  await open("explore.html", "#system=hf_gpt2&set=foo%3D1");
  assert.match(await text("#refused"), /no field foo/);
  assert.equal(await text("#name"), "hf_gpt2");
  await keyed("model.d_model")();
  await settled();
  assert.match(await text("#refused"), /no field foo/);
  assert.doesNotMatch(await fragment(), /undefined/);
  await page.click("[type=reset]");
  await settled();
  assert.equal(await visible("#refused"), false);
  await keyed("model.d_model")();
  await settled();
  assert.match(await text("#name"), /with model\.d_model = \d+$/);
});

test("a refusal is seen on a phone, beside its field and in the bar", async () => {
  await page.setViewport({ width: 390, height: 800 });
  await open("explore.html", "#system=hf_gpt2");
  const brief = await text("#brief");
  await typed("#width", "1001")();
  await settled();
  assert.match(await text('[data-number="model.d_model"] .refused'), /model\.heads/);
  assert.match(await text("#brief"), /^Refused: .*model\.heads/);
  await typed("#width", "768")();
  await settled();
  assert.equal(await text("#brief"), brief);
  assert.equal(await visible("#refused-here"), false);
  await give("bad.toml", "[model]\nd_model = many\n", false);
  assert.match(await text("#drop .refused"), /bad\.toml/);
});

test("what is typed counts after a pause, and what is emptied comes back", async () => {
  await open("explore.html", "#system=hf_gpt2");
  await page.evaluate(() => {
    globalThis.refusals = [];
    new MutationObserver(() => refusals.push(document.getElementById("refused").textContent))
      .observe(document.getElementById("refused"), { childList: true });
  });
  await page.click("#width", { count: 3 });
  await page.keyboard.type("1536", { delay: 60 });
  assert.equal(await fragment(), "#system=hf_gpt2");
  await page.keyboard.press("Tab");
  await settled();
  assert.match(await fragment(), /d_model%3D1536$/);
  assert.deepEqual(await page.evaluate(() => refusals.filter(Boolean)), []);
  await page.click("#width", { count: 3 });
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Tab");
  assert.equal(await value("#width"), "1536");
  await radio("")();
  assert.equal(await focused(), "multiplier");
  await page.keyboard.press("Tab");
  assert.equal(await page.$eval("[name=multiplier]:checked", (one) => one.value), "1");
});

test("a vocabulary that is not told is an empty field, and with one there is a loss", async () => {
  await open("explore.html", "#system=gpt2_openai");
  assert.equal(await value("#vocabulary"), "");
  const loss = async () => (await table()).find(({ path }) => path === "output.initial_loss");
  assert.equal((await loss()).text, "—");
  await typed("#vocabulary", "30522")();
  await settled();
  assert.ok((await loss()).shown > Math.log(30522));
});

test("numbers link to audit's claims where it has them, and rows name Xavier", async () => {
  await open("explore.html", "#system=tensor2tensor");
  const claims = await page.evaluate(async () => {
    const core = await embedscaleCore(), of = [{ system: "tensor2tensor" }];
    const [compare, audit] = ["compare", "audit"].map((command) =>
      JSON.parse(core.ask(command, of, { set: [] }).text).claims);
    return { ...compare, ...audit };
  });
  for (const { path, link, shown } of await table())
    if (shown !== null) assert.equal(link.split("#")[1], claims[path], path);
  for (const path of ["input_to_branch", "token_share.after_12"])
    assert.match(await text(`[data-path="residual_stream.${path}"] th`), /\(Xavier\)/);
  assert.match(await text('[data-path="output.own_logit"] td'), /\d/);
});

test("the multiplier's rounding is told with its claims", async () => {
  const told = async (system) => {
    await open("explore.html", `#system=${system}`);
    return text("#rounding");
  };
  assert.equal(await told("hf_gemma"), "multiplier 55.4256… rounded to 55.5, 0.134 % off");
  const links = () => page.$$eval("#rounding a", (all) => all.map((a) => a.hash));
  assert.deepEqual(await links(), ["#precision.rounded_root_d"]);
  assert.match(await told("tensor2tensor"),
    /^multiplier 22\.6274169… rounded to 22\.6274166…, .*; up is m·down to the bit: binary32 no$/);
  assert.equal((await links())[1], "#combination.rounds_identically");
});

test("where nothing is added for the position, no way adds it", async () => {
  await open("explore.html", "#system=hf_gemma");
  const formulas = await page.$$eval("#ways thead small", (all) => all.map((one) => one.textContent));
  assert.deepEqual(formulas, ["as it is", "e′", "e"]);
});

test("a decision that is missing says why", async () => {
  await open("explore.html", "#system=hf_t5");
  assert.match(await text("#decision"), /^The factor: .*: needs model\.positions, which is not told/);
});

test("a phone has the model's own column first", async () => {
  const order = () => page.$$eval("#ways thead th", (all) => all.map((one) => one.className));
  await open("explore.html", "#system=nanogpt");
  assert.notEqual((await order())[0], "own");
  await page.setViewport({ width: 390, height: 800 });
  await settled();
  assert.equal((await order())[0], "own");
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

for (const drop of [false, true])
  test(`files that are ${drop ? "dropped" : "chosen"}`, async () => {
    await open("explore.html", "#system=tensor2tensor");
    await give("config.json", readFileSync(join(configs, "gemma.json"), "utf8"), drop);
    assert.match(await fragment(), /^#toml=.*&file=config\.json$/);
    assert.doesNotMatch(await fragment(), /marks/);
    assert.equal(await visible("#refused"), false, await text("#refused"));
    assert.match(await text("#name"), /^config\.json: gemma/);
    assert.equal(await visible("#side"), false);
    await page.click("#copy-command");
    assert.match(await text("#copied"), /as configuration\.toml/);
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

test("a file's link shows what the file does, and its side is chosen", async () => {
  await open("explore.html");
  const content = readFileSync(join(configs, "whisper.json"), "utf8");
  await give("whisper.json", content, false);
  const says = (side) => page.evaluate(async (text, side) => {
    const core = await embedscaleCore();
    return JSON.parse(core.ask("compare", [{ name: "c.json", text, side }], { set: [] }).text).ways;
  }, content, side);
  const shows = async (side) => {
    const ways = await says(side);
    for (const { way, path, shown } of await table()) assert.equal(shown, ways[way][path], path);
    assert.equal(await text("#name"), `whisper.json: whisper ${side}`);
  };
  await shows("decoder");
  await page.select("#side", "encoder");
  await settled();
  await shows("encoder");
});

test("a link shows the same page, and buttons copy it", async () => {
  await open("explore.html", gemma);
  await showsWhatTheCoreSays();
  assert.equal(await text("#name"), "hf_gemma with model.d_model = 3072, token.multiplier = 1");
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

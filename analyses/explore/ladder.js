// The ladder: one factor, two ways to write the input, and a screen for each rung.
import { element, figure, inNextFrame, shown, standard as system, start } from "./page.js";

const names = {
  "token.rms": "token RMS",
  "position.rms": "position RMS",
  "input.rms": "RMS of the sum",
  "token_to_position": "token over position",
  "first_norm.epsilon_shrinkage": "taken by ε",
  "attention_input.rms": "RMS into attention",
  "first_layer.logit_std_over_keys": "logits, deviation",
  "first_layer.entropy": "entropy, nats",
  "residual_stream.input_to_branch": "stream over branch",
};
const root = "sqrt(d_model)";
const byId = (id) => document.getElementById(id);
const rungs = [...document.querySelectorAll(".rung")];
let core, factors;

/** A way with this factor, which is a number or a formula: what the core has of it. */
function written(way, factor, changes) {
  const scale = way === "up" ? `token.multiplier=${factor}` : `position.multiplier=1/(${factor})`;
  const one = way === "up" ? [] : ["token.multiplier=1"];
  const set = ["token.multiplier_format=binary64", ...one, scale, ...changes];
  const asked = (command) => {
    const { exit, text } = core.ask(command, [{ system }], { set });
    if (exit !== 0) throw new Error(text);
    return JSON.parse(text);
  };
  const compared = asked("compare");
  return { figures: compared.ways.own, claims: { ...compared.claims, ...asked("audit").claims } };
}

function nameOf(path) {
  return names[path] ?? `token's share, blocks: ${path.match(/\d+$/)[0]}`;
}

/** Both values, and between them whether they can be told apart in the digits that are shown. */
function line(path, up, down) {
  const [a, b] = [up.figures[path], down.figures[path]];
  const same = shown(a) === shown(b);
  const [more, less] = Math.abs(a) > Math.abs(b) ? [a, b] : [b, a];
  const [mark, word] = a === b ? ["=", " equal"] : ["≈", " about equal"];
  const sign = same
    ? element("td", { class: "sign same" }, mark, element("span", { class: "unseen" }, word))
    : element("td", { class: "sign apart" },
      "≠ ", element("small", {}, `× ${shown(more / less)}`));
  const bar = (value, way) =>
    element("span", { class: `length ${way}`, style: `width: ${(100 * value) / more}%` });
  const cell = (value, way) =>
    element("td", {}, figure(core, value, up.claims[path]), bar(value, way));
  return element("tr", { "data-path": path, class: same ? "equal" : "unequal" },
    element("th", { scope: "row" }, nameOf(path)), cell(a, "up"), sign, cell(b, "down"));
}

function showFigures(rung) {
  const table = rung.querySelector("table");
  const changes = rung.dataset.set.split(" ");
  const factor = factors[byId("factor").value];
  const up = written("up", factor, changes), down = written("down", factor, changes);
  const head = (way) => element("th", { scope: "col", class: `of-${way}` }, way);
  table.replaceChildren(
    element("thead", {}, element("tr", {}, element("td"), head("up"), element("td"), head("down"))),
    element("tbody", {}, table.dataset.figures.split(/\s+/).map((path) => line(path, up, down))));
}

/** The systems by what reads their sum first; of a field that is not told, nothing is said. */
function showSystems() {
  const { text } = core.ask("audit", core.systems.map((name) => ({ system: name })), { set: [] });
  const onSum = [], without = [], pre = [];
  const groups = {
    "a norm on the sum": onSum, "attention without a norm": without, "a pre-norm block": pre,
  };
  for (const line of text.trim().split("\n")) {
    const { name, fields, missing } = JSON.parse(line);
    const kind = fields["embedding_norm.kind"].value, norm = fields["block.norm"].value;
    const adds = !missing["position.rms"]?.startsWith("does not apply");
    if (adds && kind !== null && norm !== null)
      (kind !== "none" ? onSum : norm === "pre" ? pre : without).push(name);
  }
  byId("groups").replaceChildren(...Object.entries(groups).flatMap(([title, found]) => [
    element("dt", {}, title, element("small", {}, ` ${found.length}`)),
    element("dd", {}, found.flatMap((name) => [
      element("a", { href: `explore.html#system=${encodeURIComponent(name)}` }, name), " "]))]));
}

const current = () => Math.max(0, rungs.findIndex((rung) => `#${rung.id}` === location.hash));

const update = inNextFrame(() => {
  const at = current();
  rungs.forEach((rung, i) => (rung.hidden = i !== at));
  document.querySelectorAll(".rungs a").forEach((link, i) =>
    i === at ? link.setAttribute("aria-current", "step") : link.removeAttribute("aria-current"));
  byId("back").ariaDisabled = at === 0;
  byId("next").ariaDisabled = at === rungs.length - 1;
  byId("place").textContent = `${at + 1} / ${rungs.length}`;
  const chosen = factors[byId("factor").value];
  const told = chosen === root ? `√d_model = ${shown(factors.root)}` : shown(chosen);
  byId("factor-shown").textContent = told;
  byId("factor").setAttribute("aria-valuetext", told);
  byId("factor-field").hidden = !rungs[at].dataset.figures && !rungs[at].querySelector("table");
  if (rungs[at].querySelector("table")) showFigures(rungs[at]);
  else if (!byId("groups").childElementCount) showSystems();
});

function step(by) {
  const next = rungs[current() + by];
  if (next) location.hash = next.id;
}

start((started) => {
  core = started;
  const { rounding } = JSON.parse(core.ask("compare", [{ system }], { set: [] }).text);
  factors = [];
  for (let factor = 1; factor <= 2 * rounding.root.exact; factor *= 2 ** 0.125)
    factors.push(Number(factor.toPrecision(3)));
  const place = factors.findIndex((factor) => factor > rounding.root.exact);
  factors.splice(place, 0, root);
  factors.root = rounding.root.exact;
  byId("factor").max = factors.length - 1;
  byId("factor").value = place;
  byId("factor").addEventListener("input", update);
  byId("root").addEventListener("click", () => ((byId("factor").value = place), update()));
  byId("back").addEventListener("click", () => step(-1));
  byId("next").addEventListener("click", () => step(1));
  addEventListener("hashchange", () => {
    update();
    requestAnimationFrame(() => rungs[current()].querySelector("h2").focus());
  });
  addEventListener("keydown", ({ key, target, altKey, ctrlKey, metaKey, shiftKey }) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (by && !target.matches("input") && !(altKey || ctrlKey || metaKey || shiftKey)) step(by);
  });
  update();
});

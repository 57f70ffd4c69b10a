// "Try your own numbers": what the controls tell is asked of the core, and its answer is shown.
import { Configuration, changesFor } from "./configuration.js";
import { bind } from "./controls.js";
import { bars, ratios, shares } from "./figures.js";
import { claimLink, element, figure, inNextFrame, shown, standard, start, ways } from "./page.js";

const largestFile = 1_000_000; // bytes, as the command has it
const rows = [
  ["token.rms", "token RMS"],
  ["position.rms", "position RMS"],
  ["token_to_position", "token over position"],
  ["input.rms", "input RMS"],
  ["first_norm.epsilon_shrinkage", "taken by the first norm's ε"],
  ["attention_input.rms", "RMS into attention"],
  ["first_layer.logit_std_over_keys", "first logits, deviation"],
  ["first_layer.entropy", "entropy, nats"],
  ["residual_stream.input_to_branch", "input over first branch (Xavier)"],
  ["residual_stream.token_share.after_", "share after blocks (Xavier): "],
  ["output.logit_std", "output logits, deviation"],
  ["output.initial_loss", "loss at the start, nats"],
  ["output.own_logit", "the input token's own logit"],
  ["optimizer.adam_relative_step", "Adam's first step over rate"],
];
const atlasColumns = [
  ["d_model", "d_model"],
  ["multiplier", "multiplier"],
  ["token_rms", "token RMS"],
  ["position_rms", "position RMS"],
  ["ratio", "token over position"],
  ["entropy", "entropy, nats"],
];

let core, configuration, controls;
let own; // the fields without changes, and of which system or file they are
let answer; // the last that was not refused
let changed = null; // the field that was changed last, if the reader did

const byId = (id) => document.getElementById(id);
const widthOf = (place) => Math.max(place.clientWidth, 280);
const systemLink = (name) => `#system=${encodeURIComponent(name)}`;

function asked(command, inputs, options) {
  const { exit, text } = core.ask(command, inputs, options);
  if (exit !== 0) throw new Error(text.trim());
  return command === "toml" ? text : JSON.parse(text.trim().split("\n").at(-1));
}

// --- what is shown

const valueOf = (way, path) => answer.compare.ways[way]?.[path] ?? null;
const claimOf = (path) => answer.audit.claims[path] ?? answer.compare.claims[path];
const depthOf = (path) => Number(path.match(/\d+$/)[0]);

function reasonOf(way, path) {
  const { missing } = answer.compare;
  return missing[`${way} ${path}`] ?? missing[way] ?? "";
}

/** The ways with columns of their own, named by what the configuration is, as in the command. */
function columns() {
  const { root, own: as } = answer.compare.rounding;
  const named = { [root?.rounded]: "up", 1: "unscaled" };
  const is = named[as.rounded];
  return ways
    .filter(({ way }) => answer.compare.ways[way] && (way !== "own" || !is))
    .map((one) => ({ ...one, isOwn: one.way === "own" || one.way === is }));
}

function found(path) {
  const all = columns().map((one) => ({ ...one, value: valueOf(one.way, path) }));
  return all.filter((one) => one.value !== null);
}
const listed = (values) => values.map((one) => `${one.title} ${shown(one.value)}`).join(", ");

/** For readers that do not see it; which kinds of mark it is made of is left out. */
function described(drawn, role, words) {
  for (const part of drawn.querySelectorAll("g")) part.removeAttribute("aria-label");
  drawn.setAttribute("role", role);
  drawn.setAttribute("aria-label", words);
  return drawn;
}

/** A picture with its text, or the reason why there is none. */
function picture(id, path, draw, words) {
  const place = byId(id), values = found(path);
  place.replaceChildren(values.length
    ? described(draw(values, widthOf(place)), "img", words(values))
    : element("p", { class: "absent" }, reasonOf("own", path)));
}

function showRatios() {
  const path = "token_to_position", place = byId("ratios"), values = found(path);
  const focused = document.activeElement?.closest?.("#ratios a")?.getAttribute("href");
  const marks = Object.entries(core.atlas).flatMap(([name, { ratio }]) =>
    ratio > 0 ? [{ name, ratio, href: systemLink(name) }] : []);
  const words = values.length ? listed(values) : reasonOf("own", path);
  place.replaceChildren(
    ...(values.length ? [] : [element("p", { class: "absent" }, words)]),
    described(ratios(values, marks, widthOf(place)), "group", `Token over position: ${words}`));
  rove(place, focused);
}

function showPictures() {
  showRatios();
  // Of equal logits, which the core has no figure for.
  const equal = (field, title) => {
    const count = Number(answer.audit.fields[field].value);
    return count > 0 ? { value: Math.log(count), title } : null;
  };
  const inNats = (id, path, limit, name) =>
    picture(id, path, (values, width) => bars(values, limit, "nats", width),
      (values) => `${name}: ${listed(values)}`);
  inNats("entropy", "first_layer.entropy", equal("model.positions", "ln n"), "Entropy");
  inNats("loss", "output.initial_loss", equal("model.vocabulary", "ln V"), "Loss");
  const depths = Object.keys(answer.compare.ways.own).filter((path) => /token_share/.test(path));
  const curve = (one) => ({
    ...one,
    points: depths.map((path) => ({ depth: depthOf(path), share: valueOf(one.way, path) })),
  });
  const behind = (path) => `behind ${depthOf(path)} blocks ${listed(found(path))}`;
  picture("shares", depths[0], (values, width) => shares(values.map(curve), width),
    () => `The token's share: ${depths.map(behind).join("; ")}`);
}

/** Of the marks, which are links, one is reached by Tab, the next by arrow keys. */
function rove(place, focused) {
  const svg = place.querySelector("svg"), links = [...svg.querySelectorAll("a")];
  const current = links.find((link) => link.getAttribute("href") === focused) ?? links[0];
  for (const part of svg.children) part.ariaHidden = !part.querySelector("a");
  for (const link of links) {
    const mark = link.querySelector("[aria-label]");
    link.setAttribute("aria-label", mark.getAttribute("aria-label"));
    mark.removeAttribute("aria-label");
    link.setAttribute("tabindex", link === current ? 0 : -1);
  }
  if (focused) current.focus();
  const name = element("span", { class: "tip", hidden: true, "aria-hidden": true });
  place.append(name);
  const tell = ({ target }) => {
    const link = target.closest("a");
    name.hidden = !link;
    if (!link) return;
    name.textContent = link.getAttribute("aria-label");
    const mark = link.getBoundingClientRect(), box = place.getBoundingClientRect();
    const left = mark.left - box.left + (mark.width - name.offsetWidth) / 2;
    name.style.left = `${Math.max(0, Math.min(box.width - name.offsetWidth, left))}px`;
    name.style.top = `${mark.top - box.top - 30}px`;
  };
  for (const event of ["pointerover", "focusin"]) svg.addEventListener(event, tell);
  for (const event of ["pointerleave", "focusout"])
    svg.addEventListener(event, () => (name.hidden = true));
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = links.indexOf(event.target.closest("a"));
    if (!step || at < 0) return;
    event.preventDefault();
    const next = links[(at + step + links.length) % links.length];
    links[at].setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  });
}

function showTable() {
  const shownWays = columns();
  if (matchMedia("(max-width: 400px)").matches) shownWays.sort((a, b) => b.isOwn - a.isOwn);
  const paths = rows.flatMap(([path, title]) => path.endsWith("_")
    ? Object.keys(answer.compare.ways.own).filter((one) => one.startsWith(path))
      .map((one) => [one, title + depthOf(one)])
    : [[path, title]]);
  const adds = ["sinusoidal", "learned"].includes(answer.audit.fields["position.kind"].value);
  const head = shownWays.map(({ way, title, formula, isOwn }) =>
    element("th", { scope: "col", class: isOwn && "own" },
      element("span", { class: `swatch ${way}` }), title,
      element("small", {}, isOwn ? "as it is" : adds ? formula : formula.split(" +")[0])));
  const cell = ({ way, isOwn }, path) => {
    const value = valueOf(way, path), why = value === null ? reasonOf(way, path) : null;
    return element("td", { class: isOwn && "own", title: why },
      why === null ? figure(core, value, claimOf(path)) : "—");
  };
  const same = (path) => shownWays.length > 1 && answer.compare.agree.includes(path) &&
    element("span", { class: "same", title: "the same in all ways" }, " =");
  const body = paths.map(([path, title]) =>
    element("tr", { "data-path": path }, element("th", { scope: "row" }, title, same(path)),
      shownWays.map((one) => cell(one, path))));
  byId("ways").replaceChildren(
    element("thead", {}, element("tr", {}, element("td"), head)), element("tbody", {}, body));
  showReasons(paths, shownWays);
}

/** Each reason once, with all that is missing for it. */
function showReasons(paths, shownWays) {
  const reasons = new Map();
  const add = (reason, what) => reasons.set(reason, (reasons.get(reason) ?? new Set()).add(what));
  for (const { way, title } of ways)
    if (!answer.compare.ways[way]) add(reasonOf(way, ""), title);
  for (const [path, title] of paths)
    for (const { way } of shownWays)
      if (valueOf(way, path) === null) add(reasonOf(way, path), title.replace(/ after.*/, ""));
  byId("missing").replaceChildren(...[...reasons].map(([reason, what]) =>
    element("li", {}, element("b", {}, [...what].join(", ")), `: ${reason}`)));
}

/** What rounding does to the multiplier, and to up beside down where there are both. */
function showRounding() {
  const { ways: { down }, claims, rounding: { own: { exact, rounded, ...own } } } = answer.compare;
  const parts = [];
  if (exact !== null && exact !== rounded) {
    // As many digits as tell the two apart.
    const [a, b] = [exact, rounded].map((x) => String(x).padEnd(25, "0"));
    const count = Math.max(7, 1 + [...a].findIndex((digit, i) => digit !== b[i]));
    const cut = (x) => String(x).length > count ? `${String(x).slice(0, count)}…` : x;
    parts.push(`multiplier ${cut(exact)} rounded to ${cut(rounded)}, `,
      figure(core, own.relative_error, claims["rounding.relative_error"],
        `${shown(100 * Math.abs(own.relative_error))} % off`));
  }
  const formats = Object.entries(own.rounds_identically).filter(([, same]) => same !== null);
  if (down && formats.length) {
    const said = formats.map(([format, same]) => `${format} ${same ? "yes" : "no"}`).join(", ");
    parts.push(parts.length ? "; " : "", "up is m·down to the bit: ",
      figure(core, said, claims["rounding.rounds_identically"], said));
  }
  byId("rounding").replaceChildren(...parts);
  byId("rounding").hidden = parts.length === 0;
}

function showSummary() {
  const { compare, audit, file } = answer;
  const changes = [...answer.changes].map(
    ([path, value]) => value === "" ? `no ${path}` : `${path} = ${value}`);
  byId("name").replaceChildren(file ? `${file}: ${audit.name}` : audit.name,
    ...(changes.length > 0 ? [element("small", {}, ` with ${changes.join(", ")}`)] : []));
  const told = new Set();
  const size = (title, path) => {
    const value = valueOf("own", path), why = value === null ? reasonOf("own", path) : null;
    const first = why !== null && !told.has(why); // each reason once
    told.add(why);
    return element("div", {}, element("dt", {}, title), element("dd", { title: why },
      why === null ? figure(core, value, claimOf(path)) : "—",
      first && element("span", { class: "why" }, why)));
  };
  byId("sizes").replaceChildren(...rows.slice(0, 3).map(([path, title]) => size(title, path)));
  showRounding();
  const { verdict, claims, because } = compare.decision;
  const { title, text: why } = core.verdicts[verdict] ?? { title: verdict, text: "" };
  const text = because ?? why; // a reason of this configuration says more
  const ratio = valueOf("own", "token_to_position");
  byId("decision").replaceChildren("The factor: ", element("b", {}, title), text && `: ${text}`);
  byId("decision-claims").replaceChildren(
    ...claims.map((id) => element("li", {}, claimLink(core, id))));
  const brief = ratio === null ? "no ratio" : `ratio ${shown(ratio)}`;
  byId("brief").textContent = `${brief} · ${title}`;
  const without = Object.entries(audit.without_effect);
  byId("without-effect").hidden = without.length === 0;
  byId("without-effect").textContent = `Without effect now: ${without.map(([path, needs]) =>
    `${path} (needs: ${needs})`).join("; ")}`;
}

// Said when the reader pauses, not at each step of a slider.
let speaking;
function speak(text) {
  clearTimeout(speaking);
  speaking = setTimeout(() => (byId("spoken").textContent = text), 400);
}

function show() {
  showSummary();
  showTable();
  showPictures();
  controls.show(answer, own.fields);
  speak(`${answer.audit.name}: ${byId("brief").textContent}`);
}

/** Tells a refusal, "" for none: above the results, beside what it is of, and where these move. */
function refuse(message, field = byId("source")) {
  for (const id of ["refused", "refused-here"]) {
    byId(id).textContent = message;
    byId(id).hidden = message === "";
  }
  field.append(byId("refused-here"));
  byId("results").classList.toggle("stale", message !== "");
  if (message) byId("brief").textContent = `Refused: ${message}`;
  byId("brief").classList.toggle("refusal", message !== "");
}

/** What the core says of the configuration: throws what it refuses. */
function askCore({ inputs, system, toml, file }, changes, options) {
  const compare = asked("compare", inputs, options), audit = asked("audit", inputs, options);
  return { of: system ?? toml, file, changes: new Map(changes), compare, audit };
}

/** Asks and shows. */
const update = inNextFrame(() => {
  const { system, toml, inputs, changes, options } = configuration, of = system ?? toml;
  const before = answer;
  byId("system").value = system ?? "";
  let refusal = "";
  try {
    if (own?.of !== of) {
      own = answer = null;
      if (toml === null && !core.systems.includes(system))
        throw new Error(`there is no system ${system || '""'} in the atlas: choose one`);
      own = { of, fields: asked("audit", inputs, { set: [] }).fields };
    }
    answer = askCore(configuration, changes, options);
  } catch (error) {
    refusal = error.message;
    // Beside a refusal stand the last figures, or those without what was refused.
    if (own && !answer) answer = askCore(configuration, [], { set: [] });
  }
  document.body.classList.toggle("nothing", !answer);
  if (answer && answer !== before) show();
  const field = document.querySelector(`[data-number="${changed}"], [data-choice="${changed}"]`);
  refuse(refusal, field?.closest(".field"));
});

// --- what the reader does

let moved = { control: null, until: 0 }, settling;
/**
 * Keeps the configuration in the address: a new entry of the history, but for a control that is
 * still being moved, whose entry follows it. Browsers refuse many entries a second.
 */
function remember(control) {
  const now = performance.now();
  clearTimeout(settling);
  if (configuration.fragment === location.hash) return;
  if (control === null || control !== moved.control || now > moved.until)
    history.pushState(null, "", configuration.fragment);
  else
    settling = setTimeout(() => history.replaceState(null, "", configuration.fragment), 150);
  moved = { control, until: now + 1000 };
}

function change(path, value, control) {
  changed = path;
  configuration.set(changesFor(path, value, own.fields));
  update();
  remember(control);
}

/** Another configuration; one that the address has already is not remembered once more. */
function take(fragment) {
  const given = new Configuration(fragment);
  const isPlace = !given.isOne && fragment !== "";
  byId("not-understood").textContent = isPlace ? `not understood: ${fragment}` : "";
  if (isPlace && configuration) return;
  configuration = given.isOne ? given : new Configuration(systemLink(standard));
  changed = null;
  byId("side-field").hidden = true;
  controls.forget();
  update();
  if (fragment !== location.hash) remember(null);
}

/** The TOML without its comments and marks, where the core compares it alike without them. */
function shortened(toml) {
  const compared = (text) => asked("compare", [{ name: "configuration.toml", text }], { set: [] });
  const same = (text) => {
    try {
      return JSON.stringify(compared(text)) === JSON.stringify(compared(toml));
    } catch {
      return false;
    }
  };
  const short = toml.replace(/^#.*\n/gm, "").replace(/^\[marks\]\n(?:(?!\[).*\n?)*/m, "");
  return same(short) ? short : toml;
}

const sides = ["decoder", "encoder"];
let opened; // the file that was taken last: its name and text

/** Takes a file. Of an encoder and a decoder in a config.json, the reader may choose the other. */
function takeFile(file, side) {
  const inputs = [{ ...file, side }];
  asked("audit", inputs, { set: [] }); // "toml" does not read a TOML file
  const part = (key, value) => `${key}=${encodeURIComponent(value)}`;
  const toml = shortened(asked("toml", inputs, { set: [] }));
  take(`#${part("toml", toml)}&${part("file", file.name)}`);
  opened = file;
  byId("side").value = side ?? sides[0];
  byId("side-field").hidden = sides.some((one) =>
    core.ask("audit", [{ ...file, side: one }], { set: [] }).exit !== 0);
}

async function open(file) {
  try {
    if (file.size > largestFile)
      throw new Error(`${file.name}: has more than ${shown(largestFile)} bytes, and is not read`);
    takeFile({ name: file.name, text: await file.text() });
  } catch (error) {
    refuse(error.message, byId("drop"));
  }
}

function bindFile() {
  byId("side").addEventListener("input", ({ target }) => takeFile(opened, target.value));
  byId("file").addEventListener("change", ({ target }) => {
    if (target.files.length) open(target.files[0]);
    target.value = "";
  });
  for (const event of ["dragover", "drop"])
    document.addEventListener(event, (drag) => {
      drag.preventDefault();
      if (event === "drop" && drag.dataTransfer.files.length) open(drag.dataTransfer.files[0]);
    });
}

function bindButtons() {
  const copies = {
    "copy-link": () => location.href.replace(/#.*|$/, configuration.fragment),
    "copy-command": () => configuration.command,
    "copy-toml": () => asked("toml", configuration.inputs, configuration.options),
  };
  for (const [id, copy] of Object.entries(copies))
    byId(id).addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(copy());
        byId("copied").textContent = id === "copy-command" && configuration.toml !== null
          ? "Copied. Save what “Copy as TOML” gives as configuration.toml." : "Copied.";
      } catch (error) {
        byId("copied").textContent = error.message;
      }
    });
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  byId("controls").addEventListener("reset", (event) => {
    event.preventDefault();
    if (!own) return take(systemLink(standard));
    configuration.changes.clear();
    changed = null;
    update();
    remember(null);
  });
}

function showAtlas() {
  byId("system").append(...core.systems.map((name) => element("option", { value: name }, name)));
  byId("system").addEventListener("input", ({ target }) => take(systemLink(target.value)));
  const number = (x) => element("td", { title: x }, typeof x === "number" ? shown(x) : "—");
  const lines = Object.entries(core.atlas).map(([name, at]) => element("tr", {},
    element("th", { scope: "row" }, element("a", { href: systemLink(name) }, name)),
    atlasColumns.map(([key]) => number(at[key]))));
  const head = ["system", ...atlasColumns.map(([, title]) => title)].map((one) =>
    element("th", { scope: "col" }, one));
  byId("atlas").append(
    element("thead", {}, element("tr", {}, head)), element("tbody", {}, lines));
}

start((started) => {
  core = started;
  controls = bind(byId("controls"), change);
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the fragment is the configuration
    byId("results").focus();
  });
  bindFile();
  bindButtons();
  showAtlas();
  const fromAddress = () => {
    clearTimeout(settling);
    moved = { control: null, until: 0 };
    take(location.hash);
  };
  addEventListener("popstate", fromAddress);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width && answer) {
      showPictures();
      showTable();
    }
    width = innerWidth;
  });
  fromAddress();
});

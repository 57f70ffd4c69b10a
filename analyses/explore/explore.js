// "Try your own numbers": the controls ask the core, and what it says is shown.
import { bars, ratios, shares } from "./figures.js";
import { Configuration, changesFor } from "./configuration.js";
import { bind } from "./controls.js";
import { claimLink, element, figure, shown, start, ways } from "./page.js";

const largestFile = 1_000_000; // bytes, as the command has it
const byId = (id) => document.getElementById(id);
const widthOf = (place) => Math.max(place.clientWidth, 280);
const rows = [
  ["token.rms", "token RMS"],
  ["position.rms", "position RMS"],
  ["token_to_position", "token over position"],
  ["input.rms", "input RMS"],
  ["first_norm.epsilon_shrinkage", "taken by the first norm's ε"],
  ["attention_input.rms", "RMS into attention"],
  ["first_layer.logit_std_over_keys", "first logits, deviation"],
  ["first_layer.entropy", "entropy, nats"],
  ["residual_stream.input_to_branch", "input over first branch"],
  [/^residual_stream\.token_share\.after_(\d+)$/, "share after blocks: "],
  ["output.logit_std", "output logits, deviation"],
  ["output.initial_loss", "loss at the start, nats"],
  ["optimizer.adam_relative_step", "Adam's first step over rate"],
];

let core, configuration, showControls;
let own; // the fields without changes, and of which system or file they are
let answer; // the last that was not refused

function asked(command, inputs, options) {
  const { exit, text } = core.ask(command, inputs, options);
  if (exit !== 0) throw new Error(text.trim());
  return command === "toml" ? text : JSON.parse(text.trim().split("\n").at(-1));
}

// --- what is shown

function valueOf(way, path) {
  return answer.compare.ways[way]?.[path] ?? null;
}
function claimOf(path) {
  return answer.compare.claims[path] ?? answer.audit.claims[path];
}
function reasonOf(way, path) {
  const { missing } = answer.compare;
  return missing[`${way} ${path}`] ?? missing[way] ?? "";
}

/** The ways with columns of their own, named by what the configuration is, as in the command. */
function columns() {
  const { root, own: as } = answer.compare.rounding;
  const is = as.rounded === null ? null : as.rounded === root?.rounded ? "up" : as.rounded === 1 ? "unscaled" : null;
  return ways
    .filter(({ way }) => answer.compare.ways[way] && (way !== "own" || is === null))
    .map((one) => ({ ...one, isOwn: one.way === is || one.way === "own" }));
}

function found(path) {
  return columns()
    .map((one) => ({ ...one, value: valueOf(one.way, path) }))
    .filter((one) => one.value !== null);
}

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

const listed = (values) => values.map((one) => `${one.title} ${shown(one.value)}`).join(", ");

function showPictures() {
  const atlas = Object.entries(core.atlas)
    .filter(([, at]) => at.ratio > 0)
    .map(([name, at]) => ({ name, ...at }));
  const focused = document.activeElement?.closest?.("#ratios a")?.getAttribute("href");
  const values = found("token_to_position"), place = byId("ratios");
  const words = values.length ? listed(values) : reasonOf("own", "token_to_position");
  place.replaceChildren(...(values.length ? [] : [element("p", { class: "absent" }, words)]),
    described(ratios(values, atlas, widthOf(place)), "group", `Token over position: ${words}`));
  rove(place, focused);
  const equal = (field, title) => {
    const count = Number(answer.audit.fields[field].value);
    return count > 0 ? { value: Math.log(count), title } : null;
  };
  picture("entropy", "first_layer.entropy", (values, width) =>
    bars(values, equal("model.positions", "ln n"), "nats", width), (values) => `Entropy: ${listed(values)}`);
  picture("loss", "output.initial_loss", (values, width) =>
    bars(values, equal("model.vocabulary", "ln V"), "nats", width), (values) => `Loss: ${listed(values)}`);
  const depths = Object.keys(answer.compare.ways.own).filter((path) => path.includes(".token_share."));
  picture("shares", depths[0], (values, width) => {
    const curves = values.map((one) => ({
      ...one,
      points: depths.map((path) => ({ depth: Number(path.match(/\d+$/)[0]), share: valueOf(one.way, path) })),
    }));
    return shares(curves, width);
  }, () => `Token's share, in the table above: ${depths.map((path) => `blocks ${path.match(/\d+$/)[0]}: ${listed(found(path))}`).join("; ")}`);
}

/** Of the marks, which are links, one is reached by Tab, the next by arrow keys. */
function rove(place, focused) {
  for (const part of place.querySelectorAll("svg > g")) part.ariaHidden = !part.querySelector("a");
  const links = [...place.querySelectorAll("a")];
  const current = links.find((link) => link.getAttribute("href") === focused) ?? links[0];
  for (const link of links) {
    const mark = link.querySelector("[aria-label]");
    link.setAttribute("aria-label", mark.getAttribute("aria-label"));
    mark.removeAttribute("aria-label");
    link.setAttribute("tabindex", link === current ? 0 : -1);
  }
  if (focused) current?.focus();
  const name = element("span", { class: "tip", hidden: true, "aria-hidden": true });
  place.append(name);
  const tell = (event) => {
    const link = event.target.closest("a");
    name.hidden = !link;
    if (!link) return;
    const mark = link.getBoundingClientRect(), box = place.getBoundingClientRect();
    name.textContent = link.getAttribute("aria-label");
    name.style.top = `${mark.top - box.top - 30}px`;
    const middle = mark.left - box.left + mark.width / 2 - name.offsetWidth / 2;
    name.style.left = `${Math.max(0, Math.min(box.width - name.offsetWidth, middle))}px`;
  };
  const svg = place.querySelector("svg");
  for (const event of ["pointerover", "focusin"]) svg.addEventListener(event, tell);
  for (const event of ["pointerleave", "focusout"]) svg.addEventListener(event, () => (name.hidden = true));
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
  const shownColumns = columns();
  const paths = rows.flatMap(([path, title]) =>
    typeof path === "string" ? [[path, title]] :
      Object.keys(answer.compare.ways.own).flatMap((one) => (path.test(one) ? [[one, title + one.match(path)[1]]] : [])));
  const head = element("tr", {}, element("td"), shownColumns.map((one) =>
    element("th", { scope: "col", class: one.isOwn && "own" },
      element("span", { class: `swatch ${one.way}` }), one.title, element("small", {}, one.isOwn ? "as it is" : one.formula))));
  const cell = (one, path) => {
    const value = valueOf(one.way, path), marked = one.isOwn && "own";
    if (value !== null) return element("td", { class: marked }, figure(core, value, claimOf(path)));
    return element("td", { class: marked, title: reasonOf(one.way, path) }, "—");
  };
  const body = paths
    .filter(([path]) => path in answer.compare.ways.own)
    .map(([path, title]) => element("tr", { "data-path": path },
      element("th", { scope: "row" }, title, answer.compare.agree.includes(path) && shownColumns.length > 1 ?
        element("span", { class: "same", title: "the same in all ways" }, " =") : null),
      shownColumns.map((one) => cell(one, path))));
  byId("ways").replaceChildren(element("thead", {}, head), element("tbody", {}, body));
  showReasons(paths, shownColumns);
}

/** Each reason once, with all that is missing for it. */
function showReasons(paths, shownColumns) {
  const reasons = new Map();
  const add = (reason, what) => reason && reasons.set(reason, (reasons.get(reason) ?? new Set()).add(what));
  for (const { way, title } of ways) if (!answer.compare.ways[way]) add(reasonOf(way, ""), title);
  for (const [path, title] of paths)
    for (const { way } of shownColumns)
      if (valueOf(way, path) === null) add(reasonOf(way, path), title.replace(/ after blocks: \d+$/, ""));
  const lines = [...reasons].map(([reason, what]) =>
    element("li", {}, element("b", {}, [...what].join(", ")), `: ${reason}`));
  byId("missing").replaceChildren(...(lines.length ? [element("ul", { class: "reasons" }, lines)] : []));
}

function showSummary() {
  const { compare, audit } = answer;
  byId("name").textContent = audit.name;
  const told = new Set();
  const size = (title, path) => {
    const value = valueOf("own", path);
    const why = value === null ? reasonOf("own", path) : "";
    const reason = !told.has(why) && why; // once
    told.add(why);
    return element("div", {}, element("dt", {}, title),
      element("dd", { title: why, "data-path": path }, value === null ? "—" : figure(core, value, claimOf(path)),
        reason ? element("span", { class: "why" }, reason) : null));
  };
  byId("sizes").replaceChildren(size("token RMS", "token.rms"), size("position RMS", "position.rms"),
    size("token over position", "token_to_position"));
  const ratio = valueOf("own", "token_to_position");
  const { verdict, claims } = compare.decision;
  const words = core.verdicts[verdict] ?? { title: verdict, text: "" };
  byId("decision").replaceChildren(element("b", { "data-verdict": verdict }, words.title), words.text && `: ${words.text}`);
  byId("brief").textContent = `${ratio === null ? "no ratio" : `ratio ${shown(ratio)}`} · ${words.title}`;
  byId("decision-claims").replaceChildren(...claims.map((id) => element("li", {}, claimLink(core, id))));
  const without = Object.entries(audit.without_effect).map(([path, needs]) => `${path} (needs: ${needs})`);
  byId("without-effect").hidden = without.length === 0;
  byId("without-effect").textContent = `Without effect now: ${without.join("; ")}`;
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
  showControls(answer, own.fields);
  byId("system").value = configuration.system ?? "";
  const ratio = valueOf("own", "token_to_position");
  speak(`${answer.audit.name}: token over position ${ratio === null ? "is not there" : shown(ratio)}. ` +
    byId("decision").textContent);
}

function refuse(message) {
  byId("refused").textContent = message;
  byId("refused").hidden = message === "";
  byId("results").classList.toggle("stale", message !== "");
  if (message) speak(message);
}

let due = false;
/** Asks and shows once in the next frame, whatever happens until then. */
function update() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    try {
      const { inputs, options } = configuration;
      const of = configuration.system ?? configuration.toml;
      if (own?.of !== of) own = { of, fields: asked("audit", inputs, { set: [] }).fields };
      answer = { compare: asked("compare", inputs, options), audit: asked("audit", inputs, options) };
      refuse("");
    } catch (error) {
      refuse(error.message);
      return;
    }
    show();
  });
}

// --- what the reader does

let moved = { control: null, until: 0 }, settling;
/**
 * Keeps the configuration in the address: a new entry of the history, but for a control that is
 * still being moved, whose entry follows it. Browsers refuse many entries a second.
 */
function remember(control) {
  const now = performance.now();
  clearTimeout(settling);
  if (control === null || control !== moved.control || now > moved.until)
    history.pushState(null, "", configuration.fragment);
  else settling = setTimeout(() => history.replaceState(null, "", configuration.fragment), 150);
  moved = { control, until: now + 1000 };
}

function change(path, value, control) {
  configuration.set(changesFor(path, value, own.fields));
  update();
  remember(control);
}

function take(taken) {
  configuration = new Configuration(taken, core.systems[0]);
  update();
  remember(null);
}

async function open(file) {
  try {
    if (file.size > largestFile)
      throw new Error(`${file.name}: has more than ${shown(largestFile)} bytes, and is not read`);
    const inputs = [{ name: file.name, text: await file.text() }];
    asked("audit", inputs, { set: [] }); // "toml" does not read a TOML file
    const text = asked("toml", inputs, { set: [] });
    take(`toml=${encodeURIComponent(text)}`);
  } catch (error) {
    refuse(error.message);
  }
}

function bindFile() {
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
  const copy = (id, what) =>
    byId(id).addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(what());
        byId("copied").textContent = "Copied.";
      } catch (error) {
        byId("copied").textContent = error.message;
      }
    });
  copy("copy-link", () => location.href.replace(/#.*|$/, configuration.fragment));
  copy("copy-command", () => configuration.command);
  copy("copy-toml", () => asked("toml", configuration.inputs, configuration.options));
}

function showAtlas() {
  const title = (name) => element("option", { value: name }, name);
  byId("system").append(...core.systems.map(title));
  const number = (x) => element("td", { title: x }, typeof x === "number" ? shown(x) : "—");
  const lines = Object.entries(core.atlas).map(([name, at]) =>
    element("tr", {}, element("th", { scope: "row" }, element("a", { href: `#system=${encodeURIComponent(name)}` }, name)),
      number(at.d_model), number(at.multiplier), number(at.token_rms), number(at.position_rms), number(at.ratio), number(at.entropy)));
  const head = ["system", "d_model", "multiplier", "token RMS", "position RMS", "token over position", "entropy, nats"];
  byId("atlas").append(element("thead", {}, element("tr", {}, head.map((one) => element("th", { scope: "col" }, one)))),
    element("tbody", {}, lines));
}

start((started) => {
  core = started;
  const fromAddress = () => {
    clearTimeout(settling);
    moved = { control: null, until: 0 };
    configuration = new Configuration(location.hash, core.systems[0]);
    update();
  };
  showControls = bind(byId("controls"), change);
  byId("system").addEventListener("input", ({ target }) => take(`system=${encodeURIComponent(target.value)}`));
  byId("controls").addEventListener("reset", (event) => {
    event.preventDefault();
    configuration.changes.clear();
    update();
    remember(null);
  });
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  bindFile();
  bindButtons();
  showAtlas();
  addEventListener("popstate", fromAddress);
  let width = innerWidth;
  addEventListener("resize", () => innerWidth !== width && answer && ((width = innerWidth), showPictures()));
  fromAddress();
});

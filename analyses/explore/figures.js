// The pictures: they draw what they are given, and compute nothing but places.
import { axisX, axisY, barX, dot, gridX, gridY, line, plot, ruleX, text } from "@observablehq/plot";
import { shown } from "./page.js";

const colour = (way) => `var(--${way})`;
const style = { fontSize: "13px", fontFamily: "inherit", overflow: "visible" };
const symbol = ({ way, symbol }) => ({ symbol, fill: colour(way), stroke: "var(--paper)" });
const ink = { fill: "currentColor", lineHeight: 1.2 };
const halo = { ...ink, stroke: "var(--paper)", strokeWidth: 4 };
const behind = { dx: 12, textAnchor: "start" };
const right = { frameAnchor: "right", dx: 56 };
const grid = { strokeOpacity: 1, stroke: "var(--grid)" };
const named = (label) => ({ label, labelArrow: "none", labelAnchor: "center" });

// A power of ten, without the zeros of the digits that are shown.
const power = (x) => (x >= 1e-3 && x <= 1e3 ? String(x) : shown(x, 1e-3).replace("1.00·", ""));
const tens = { tickFormat: power };

function powersBetween([from, to]) {
  const least = Math.ceil(Math.log10(from)), most = Math.floor(Math.log10(to));
  const every = Math.max(1, Math.ceil((most - least) / 5));
  const powers = [];
  for (let e = most; e >= least; e -= every) powers.push(Number(`1e${e}`));
  return powers;
}

// Marks that would cover each other stand in a pile.
function piled(marks) {
  const heights = new Map();
  return marks
    .toSorted((a, b) => a.ratio - b.ratio)
    .map((mark) => {
      const place = Math.round(Math.log10(mark.ratio) * 14);
      const height = heights.get(place) ?? 0;
      heights.set(place, height + 1);
      return { ...mark, height };
    });
}

/** The ratio of each way in a line of its own, above the systems of the atlas, which are links. */
export function ratios(found, marks, width) {
  const atlas = piled(marks);
  const rows = found.length;
  const values = [...atlas.map((mark) => mark.ratio), ...found.map((one) => one.value)];
  const domain = [Math.min(...values) / 1.5, Math.max(...values) * 1.5];
  const deepest = 1 + Math.max(...atlas.map((mark) => mark.height));
  const pile = (mark) => rows + 0.6 + mark.height * 0.42;
  const bottom = rows + 0.6 + deepest * 0.42;
  const left = { x: () => domain[0], textAnchor: "end", dx: -10 };
  return plot({
    width,
    height: 46 + (bottom + 0.5) * 26,
    marginLeft: 78,
    marginRight: 16,
    marginTop: 8,
    marginBottom: 38,
    style,
    x: { type: "log", domain },
    y: { domain: [-0.5, bottom], reverse: true, axis: null },
    marks: [
      gridX(powersBetween(domain), grid),
      axisX({ ...named("token RMS / position RMS"), ticks: powersBetween(domain), ...tens }),
      ruleX([1], { stroke: "var(--faint)", strokeDasharray: "4 3" }),
      text(found, { ...left, y: (_, i) => i, text: "title", ...ink }),
      text([rows + 0.6], { ...left, y: (y) => y, text: () => "the atlas", fill: "var(--soft)" }),
      found.map((one, row) => [
        ruleX([one.value], { y1: row, y2: bottom, stroke: colour(one.way), strokeOpacity: 0.35 }),
        dot([one], { x: "value", y: () => row, r: 6.5, ...symbol(one) }),
        text([one.value], { x: Number, y: () => row, text: shown, ...behind, ...halo }),
      ]),
      dot(atlas, {
        x: "ratio",
        y: pile,
        r: 4,
        fill: "var(--mark)",
        fillOpacity: 0.75,
        stroke: "transparent",
        strokeWidth: 6,
        href: "href",
        ariaLabel: (mark) => `${mark.name}: ${shown(mark.ratio)}`,
      }),
    ],
  });
}

/** A bar for each way, its value behind it, and a line at a limit that has a title. */
export function bars(found, limit, label, width) {
  const most = Math.max(limit?.value ?? 0, ...found.map((one) => one.value));
  return plot({
    width,
    height: 60 + found.length * 27,
    marginLeft: 78,
    marginRight: 66,
    marginTop: 22,
    marginBottom: 38,
    style,
    x: { domain: [0, most * 1.04] },
    y: { domain: found.map((one) => one.title), label: null, padding: 0.28 },
    marks: [
      gridX({ ...grid, ticks: 4 }),
      axisX({ ...named(label), ticks: 4 }),
      axisY({ tickSize: 0, fontSize: 13 }),
      barX(found, { x: "value", y: "title", fill: (one) => colour(one.way) }),
      text(found, { ...right, y: "title", text: (one) => shown(one.value), ...ink }),
      limit && ruleX([limit.value], { stroke: "currentColor", strokeDasharray: "4 3" }),
      limit && text([limit], { x: "value", frameAnchor: "top", text: "title", dy: -14, ...ink }),
    ],
  });
}

// Curves that end at one place share their name.
function endings(curves, [least, most]) {
  const ends = [];
  const last = (curve) => curve.points.at(-1);
  for (const curve of curves.toSorted((a, b) => last(b).share - last(a).share)) {
    const above = ends.at(-1), away = Math.log(above?.share / last(curve).share);
    if (away < Math.log(most / least) / 18) above.title += `\n${curve.title}`;
    else ends.push({ ...last(curve), title: curve.title });
  }
  return ends;
}

/** The token's share behind each depth, a curve for each way: each is seen where they coincide. */
export function shares(curves, width) {
  const all = curves.flatMap((curve) => curve.points.map((point) => point.share));
  const depths = curves[0].points.map((point) => point.depth);
  const domain = [Math.min(...all, 0.1) / 1.4, 1];
  const thin = (i) => curves.length - 1 - i;
  const at = { x: "depth", y: "share" };
  return plot({
    width,
    height: 300,
    marginLeft: 56,
    marginRight: 84,
    marginTop: 14,
    marginBottom: 38,
    style,
    x: { type: "log", base: 2 },
    y: { type: "log", domain },
    marks: [
      gridX(depths, grid),
      gridY(powersBetween(domain), grid),
      axisX({ ...named("blocks"), ticks: depths, tickFormat: String }),
      axisY({ ticks: powersBetween(domain), ...tens, label: null }),
      curves.map((curve, i) => [
        line(curve.points, { ...at, stroke: colour(curve.way), strokeWidth: 2 + 1.6 * thin(i) }),
        dot(curve.points, { ...at, r: 4.5 + thin(i), ...symbol(curve) }),
      ]),
      text(endings(curves, domain), { ...at, text: "title", ...behind, ...ink }),
    ],
  });
}

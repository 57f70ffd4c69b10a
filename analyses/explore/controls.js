// The controls: they tell which field shall have which value, and show what the core says it has.
import { shown } from "./page.js";

/** The values of a slider: eight steps an octave, whole multiples of `unit` where there is one. */
function grid(least, most, unit) {
  const values = new Set();
  for (let i = 0, x = least; x <= most * 1.001; x = least * 2 ** (++i / 8))
    values.add(unit ? Math.max(1, Math.round(x / unit)) * unit : Number(x.toPrecision(2)));
  return [...values];
}

function nearest(values, x) {
  const away = values.map((value) => Math.abs(Math.log(value / x)));
  return away.indexOf(Math.min(...away));
}

// What a slider goes through, by its field.
const spans = {
  "model.d_model": [16, 32768],
  "model.vocabulary": [256, 2 ** 20],
  "model.positions": [16, 32768],
  "token.standard_deviation": [2 ** -13, 4],
  "token.multiplier": [2 ** -4, 512],
  "position.multiplier": [2 ** -10, 32],
  "position.standard_deviation": [2 ** -13, 4],
};

const pause = 400; // ms; what is typed is no value before the reader pauses

/**
 * Binds the controls of a form. change(path, value, control) is called for each movement, with the
 * slider or entry where it is one. Returns show(answer, own), which brings the controls up to the
 * answer, and forget(), which drops what was typed and not yet taken.
 */
export function bind(form, change) {
  let latest, typing;
  const numbers = [...form.querySelectorAll("[data-number]")].map((field) => {
    const slider = field.querySelector("[type=range]");
    const entry = field.querySelector("[type=number]");
    const at = { path: field.dataset.number, field, slider, entry, values: [] };
    slider.addEventListener("input", () => change(at.path, at.values[slider.value], slider));
    const take = () => {
      clearTimeout(typing);
      if (entry.value !== "") change(at.path, entry.value, entry);
    };
    entry.addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(take, pause);
    });
    entry.addEventListener("change", take);
    entry.addEventListener("blur", () => {
      if (!latest) return;
      if (entry.value === "") showNumber(at, ...latest);
      if (at.path === "token.multiplier") showMultiplier(multipliers, latest[0].compare.rounding);
    });
    return at;
  });
  const choices = [...form.querySelectorAll("select[data-choice]")];
  for (const choice of choices)
    choice.addEventListener("input", () => change(choice.dataset.choice, choice.value, null));
  const multipliers = [...form.querySelectorAll("[name=multiplier]")];
  for (const radio of multipliers)
    radio.addEventListener("input", () => {
      if (radio.value) change("token.multiplier", radio.value, null);
      else form.querySelector("#multiplier").focus();
    });
  const show = (answer, own) => {
    latest = [answer, own];
    for (const at of numbers) showNumber(at, answer, own);
    for (const choice of choices) showChoice(choice, answer.audit.fields);
    showMultiplier(multipliers, answer.compare.rounding);
  };
  return { show, forget: () => clearTimeout(typing) };
}

// A field that has no effect here has no control; one whose value is not told has an empty one.
function showNumber(at, { compare, audit }, own) {
  const { path, field, slider, entry } = at, { fields } = audit;
  let value = fields[path].value;
  // Of other distributions σ is what the token part has without a multiplier.
  const drawn = path === "token.standard_deviation" && fields["token.law"].value;
  if (drawn && value === "") value = compare.ways.unscaled?.["token.rms"] ?? null;
  field.hidden = value === "";
  const [least, most] = spans[path];
  const heads = Number(fields["model.heads"].value ?? 1) || 1;
  const units = {
    "model.d_model": heads % 2 ? 2 * heads : heads, "model.vocabulary": 1, "model.positions": 1,
  };
  const values = grid(least, most, units[path]);
  const given = Number(own[path].value);
  if (given > 0 && !values.includes(given)) values.push(given);
  values.sort((a, b) => a - b);
  slider.max = values.length - 1;
  const x = value === null ? NaN : Number(value);
  if (x > 0) slider.value = nearest(values, x);
  slider.setAttribute("aria-valuetext", x > 0 ? shown(x) : "not told");
  if (document.activeElement !== entry)
    entry.value = Number.isNaN(x) ? "" : Number(x.toPrecision(6));
  entry.placeholder = value === null ? "not told" : "";
  at.values = values;
}

function showChoice(choice, fields) {
  const { value } = fields[choice.dataset.choice];
  choice.selectedIndex = [...choice.options].findIndex((option) => option.value === value);
}

function showMultiplier(radios, { root, own }) {
  const named = { [root?.exact]: "sqrt(d_model)", 1: "1", null: null };
  const is = own.exact in named ? named[own.exact] : "";
  for (const radio of radios) radio.checked = radio.value === is;
}

// The module against the command: the same bytes for every system, for drawn configurations, for
// all cases of the audit's tests, which are mostly refused, for damaged files and for ports; then
// ten thousand calls.
//
//   core_test.mjs EXPLORE_CORE COMMAND
import assert from "node:assert/strict";
import {execFile} from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import {performance} from "node:perf_hooks";
import {promisify} from "node:util";
import vm from "node:vm";
import zlib from "node:zlib";

const [file, command] = process.argv.slice(2).map((one) => path.resolve(one));
const analyses = path.resolve(import.meta.dirname, "..");
const source = fs.readFileSync(file, "utf8");
const began = performance.now();
vm.runInThisContext(`${source};globalThis.embedscaleCore = embedscaleCore;`);
const core = await embedscaleCore();
core.ask("compare", [{system: "hf_gemma"}]);
const first = performance.now() - began;
const compressed = zlib.gzipSync(source, {level: 9}).length;
console.log(`${Math.round(compressed / 1000)} kB compressed, the first answer after ${Math.round(first)} ms`);
assert(compressed < 600_000, "more than 600 kB");

const texts = Object.fromEntries(core.systems.map((name) => [`${name}.toml`,
  fs.readFileSync(`${analyses}/systems/${name}.toml`, "utf8")]));
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "explore-"));
process.on("exit", () => fs.rmSync(scratch, {recursive: true}));

// What the command prints, its exit code as the module has it: a port that does not keep the
// function exits with 1 and is an answer.
const run = promisify(execFile);
async function commanded({kind, inputs, set, place}) {
  inputs.forEach(({name, text}) => fs.writeFileSync(path.join(scratch, name), text));
  const files = inputs.map(({name, side}) => side ? `${name}:${side}` : name);
  const words = kind === "toml" ? ["audit", "--to-toml", ...files] : [kind, "--json", ...files];
  for (const change of set) words.push("--set", change);
  if (place) words.push("--place", place);
  try {
    return {exit: 0, text: (await run(command, words, {cwd: scratch, maxBuffer: 1 << 26})).stdout};
  } catch (error) {
    if (error.code === 1) return {exit: 0, text: error.stdout};
    return {exit: error.code, text: error.stderr.replace(/^embedscale: /, "").replace(/\n$/, "")};
  }
}
const said = ({kind, inputs, set, place}) => core.ask(kind, inputs, {set, place});
const question = (kind, inputs, set = [], place = "") =>
  ({kind, inputs: inputs.map((one) => typeof one === "string" ? {name: one, text: texts[one]} : one), set, place});

// A generator of numbers that is the same everywhere (xorshift32, Marsaglia 2003).
let state = 20261129;
const draw = (below) => {
  state ^= state << 13, state ^= state >>> 17, state ^= state << 5;
  return (state >>> 0) % below;
};
const one_of = (all) => all[draw(all.length)];

const questions = [];
for (const name of Object.keys(texts)) {
  for (const kind of ["audit", "compare", "toml"]) questions.push(question(kind, [name]));
  questions.push(question("port", [name, one_of(Object.keys(texts))]));
  questions.push(question("port", [name, name], ["to.token.multiplier=1"],
                          one_of(["", "logit_factor", "final_norm", "own_table"])));
}

const values = {
  "model.d_model": () => 2 ** (2 + draw(11)), "model.positions": () => 1 + draw(3000),
  "model.vocabulary": () => 2 + draw(200000), "model.heads": () => 2 ** draw(4),
  "token.multiplier": () => one_of(["sqrt(d_model)", "1", "0", `${draw(1000) / 7}`]),
  "token.multiplier_format": () => one_of(["binary64", "binary32", "binary16", "bfloat16"]),
  "token.law": () => one_of(["normal", "uniform", "truncated_normal", "xavier_uniform", "zeros"]),
  "token.standard_deviation": () => one_of(["d_model^-0.5", "0.02", "1", "-1", `${1 / (1 + draw(90))}`, ""]),
  "position.kind": () => one_of(["sinusoidal", "learned", "rotary", "alibi", "none"]),
  "position.multiplier": () => one_of(["1", "2", "1/3"]),
  "embedding_norm.kind": () => one_of(["layer_norm", "rms_norm", ""]),
  "embedding_norm.epsilon": () => one_of(["1e-5", "0", "1"]),
  "block.norm": () => one_of(["pre", "post", "none"]),
  "block.kind": () => one_of(["layer_norm", "rms_norm"]),
  "block.epsilon": () => one_of(["1e-5", "1e-12", "0", ""]),
  "output.tied": () => one_of(["true", "false", "maybe"]),
  "output.multiplier": () => one_of(["1", "1/sqrt(d_model)"])};
const drawn_changes = () => Array.from({length: 1 + draw(5)}, () => one_of(Object.keys(values)))
  .map((name) => `${name}=${values[name]()}`);
for (let i = 0; i < 200; ++i) {
  const name = one_of(Object.keys(texts)), set = drawn_changes();
  for (const kind of ["audit", "compare", "toml"]) questions.push(question(kind, [name], set));
}

// The cases of the audit's tests: bases, and lines that change one.
const bases = {}, cases = [];
let base;
for (const line of fs.readFileSync(`${analyses}/audit/test/cases.txt`, "utf8").split("\n")) {
  if (line.startsWith("#") || line === "") { base = line === "" ? undefined : base; continue; }
  if (line.startsWith("base ")) bases[base = line.slice(5)] = "";
  else if (base !== undefined) bases[base] += `${line}\n`;
  else if (/^[a-z]/.test(line)) {
    const [name, ...set] = line.split(" ").filter(Boolean);
    cases.push({text: bases[name] ?? texts[`${name}.toml`], set});
  } else if (cases.length > 0) {
    const last = cases.at(-1), rest = line.slice(1);
    if (/^ +\S/.test(line)) last.set = last.set.concat(line.split(" ").filter(Boolean));
    if (line[0] === "@") last.set = last.set.concat(rest);
    if (line[0] === "-") last.text = last.text.replace(`${rest}\n`, "");
    if (line[0] === "+") last.text += `${rest}\n`;
  }
}
for (const {text, set} of cases) questions.push(question("audit", [{name: "f.toml", text}], set));

const configs = fs.readdirSync(`${analyses}/audit/test/configs`).map(
  (name) => ({name, text: fs.readFileSync(`${analyses}/audit/test/configs/${name}`, "utf8")}));
const seeds = fs.readdirSync(`${analyses}/fuzz/seeds`).map(
  (name) => ({name, text: fs.readFileSync(`${analyses}/fuzz/seeds/${name}`, "utf8")}));
for (const one of [...configs, ...seeds]) {
  for (const kind of ["audit", "toml"]) questions.push(question(kind, [one]));
  questions.push(question("compare", [{...one, side: one_of(["encoder", "decoder"])}]));
  for (let i = 0; i < 4; ++i) { // a part is cut out, or another character stands there
    const from = draw(one.text.length), to = from + draw(12);
    const text = one.text.slice(0, from) + one_of(["", "}", "\"", "[", "-", "9", "\u00e9"]) + one.text.slice(to);
    questions.push(question("audit", [{...one, text}]));
  }
}
for (const text of ["", " \n", "x".repeat(1_000_001), "[".repeat(200_000), "\0", "{", "PK\x03\x04"])
  for (const name of ["f.toml", "f.json"]) questions.push(question("audit", [{name, text}]));
for (const set of [["a"], ["=1"], ["token.multiplier=("], ["token.multiplier=1e999"], ["nothing.there=1"],
                   [`token.multiplier=${"(".repeat(400)}1`], ["name=\u0007"]])
  questions.push(question("compare", ["hf_gemma.toml"], set));

const refused = {};
let compared = 0;
for (const one of questions) {
  const expected = await commanded(one), got = said(one);
  assert.deepEqual(got, expected, `${JSON.stringify(one).slice(0, 2000)}`);
  refused[expected.exit] = (refused[expected.exit] ?? 0) + 1;
  ++compared;
}
assert(refused[0] > 800 && refused[2] > 200, `too few of a kind: ${JSON.stringify(refused)}`);
console.log(`${compared} questions, ${refused[2]} of them refused: the command's bytes`);

// Ten thousand calls: no memory beyond that of the first thousand, none that does not end.
const times = [];
let grown;
for (let i = 0; i < 10_000; ++i) {
  const one = questions[i % questions.length], start = performance.now();
  said(one);
  times.push(performance.now() - start);
  if (i === 2 * questions.length) grown = core.memory.buffer.byteLength;
}
assert.equal(core.memory.buffer.byteLength, grown, "memory grows");
times.sort((a, b) => a - b);
console.log(`10,000 calls: median ${times[5000].toFixed(1)} ms, 99 % within ${times[9900].toFixed(1)} ms, ` +
            `the longest ${times.at(-1).toFixed(0)} ms, ${grown / 1e6} MB of memory`);
assert(times.at(-1) < 10_000, "a call takes seconds");

// A change on the page is an audit and a comparison.
const changes = [];
for (const name of core.systems)
  for (const change of ["token.multiplier=3", "token.multiplier=5", "model.positions=700", "model.d_model=768"]) {
    const start = performance.now();
    for (const kind of ["audit", "compare"]) core.ask(kind, [{system: name}], {set: [change]});
    changes.push([performance.now() - start, name, change]);
  }
changes.sort((a, b) => a[0] - b[0]);
const median = changes[changes.length >> 1];
console.log(`a change takes ${median[0].toFixed(1)} ms (median), ${changes.at(-1)[0].toFixed(1)} ms at most ` +
            `(${changes.at(-1).slice(1).join(", ")})`);
assert(median[0] < 30, "a change takes more than 30 ms");

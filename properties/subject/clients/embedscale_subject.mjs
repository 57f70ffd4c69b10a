// Lets `embedscale check` try functions written in JavaScript: one file, to copy beside them.
//
//   import { operation, serve } from "./embedscale_subject.mjs";
//
//   operation("rms_norm", ["binary32"], ({ x, epsilon }) => {
//     const square = x.reduce((sum, value) => sum + value * value, 0) / x.length;
//     return x.map((value) => value / Math.sqrt(square + epsilon));
//   });
//   await serve({ name: "my_model", version: "1.2" });
//
// and then `embedscale check -- node my_model.mjs`. A function gets one object: the arguments and
// arrays of protocol.md by name, and `format`. Arrays are Float64Array for binary64 and int64 and
// Float32Array for the others, row-major, with their `shape`; those of shape [] are numbers. It
// returns a result, an object of results by name, or a promise of either. A result is a number, a
// typed array, nested arrays of numbers, or { data, shape }; it is rounded to the format here, to
// nearest, ties to even. A typed array without `shape` has one dimension. A `Lacking` that is thrown
// tells of a kind or rule that is not there, which is no defect; all else becomes an error answer.
//
// From this import on, console and process.stdout write to standard error, where they do no harm;
// what a native library writes to file descriptor 1 by itself would still break the frames.
import fs from "node:fs";

const MAX_HEADER = 65_536;
const MAX_BODY = 268_435_456;
const SIZES = { binary64: 8, binary32: 4, binary16: 2, bfloat16: 2, int64: 8 };
const operations = new Map();

globalThis.console = new console.Console(process.stderr);
Object.defineProperty(process, "stdout", { get: () => process.stderr });

/** Registers a function as an operation in the formats named. */
export function operation(name, formats, call) {
  const unknown = formats.find((format) => !(format in SIZES) || format === "int64");
  if (unknown || formats.length === 0) throw new TypeError(`operation: no format is ${unknown}`);
  operations.set(name, { formats, call });
}

export class Lacking extends Error {}

/** Answers requests until standard input ends. */
export async function serve({ name = process.argv[1], version } = {}) {
  const first = receive();
  if (first?.header.protocol !== 1)
    throw new Error("embedscale_subject.mjs speaks version 1 of the protocol");
  const formats = [...operations].map(([key, value]) => [key, value.formats]);
  send({ protocol: 1, name, version, operations: Object.fromEntries(formats) });
  for (let message = receive(); message !== null; message = receive()) {
    const { header, body } = message;
    try {
      const { arrays, parts } = pack(await call(header, body), header.format);
      send({ id: header.id, arrays }, parts);
    } catch (error) {
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      if (!(error instanceof Lacking)) console.error(error);
      send({ id: header.id, [error instanceof Lacking ? "lacks" : "error"]: text.slice(0, 2000) });
    }
  }
}

function call(header, body) {
  const { operation: name, format } = header;
  const known = operations.get(name);
  if (!known?.formats.includes(format)) throw new Error(`this subject has no ${name} in ${format}`);
  const inputs = { ...header.arguments, format };
  let at = 0;
  for (const array of header.arrays) {
    const dtype = array.dtype ?? format;
    const values = unpack(body, at, array.shape.reduce((a, b) => a * b, 1), dtype);
    at += SIZES[dtype] * values.length;
    values.shape = array.shape;
    inputs[array.name] = array.shape.length === 0 ? values[0] : values;
  }
  return known.call(inputs);
}

function unpack(body, at, count, dtype) {
  const wide = dtype === "binary64" || dtype === "int64";
  const values = new (wide ? Float64Array : Float32Array)(count);
  const view = new DataView(body.buffer, body.byteOffset + at, count * SIZES[dtype]);
  for (let k = 0; k < count; ++k) {
    if (dtype === "binary64") values[k] = view.getFloat64(8 * k, true);
    else if (dtype === "binary32") values[k] = view.getFloat32(4 * k, true);
    else if (dtype === "binary16") values[k] = fromBinary16(view.getUint16(2 * k, true));
    else if (dtype === "bfloat16") values[k] = fromBits(view.getUint16(2 * k, true) << 16);
    else values[k] = Number(view.getBigInt64(8 * k, true));
  }
  return values;
}

function pack(results, format) {
  const one = typeof results !== "object" || isData(results) || "data" in results;
  const arrays = [];
  const parts = [];
  for (const [name, result] of Object.entries(one ? { out: results } : results)) {
    const data = result?.data ?? result;
    const flat = Array.isArray(data) ? data.flat(Infinity) : isData(data) ? data : [data];
    const shape = result?.shape ?? (isData(data) ? shapeOf(data) : []);
    if (shape.reduce((a, b) => a * b, 1) !== flat.length)
      throw new TypeError(`${name}: ${flat.length} entries are not of shape [${shape}]`);
    const bytes = Buffer.allocUnsafe(flat.length * SIZES[format]);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let k = 0; k < flat.length; ++k) {
      if (typeof flat[k] !== "number") throw new TypeError(`${name}: entry ${k} is no number`);
      if (format === "binary64") view.setFloat64(8 * k, flat[k], true);
      else if (format === "binary32") view.setFloat32(4 * k, flat[k], true);
      else if (format === "binary16") view.setUint16(2 * k, toBinary16(flat[k]), true);
      else view.setUint16(2 * k, toBits(nearest(flat[k], 8, -126)) >>> 16, true);
    }
    arrays.push({ name, dtype: format, shape });
    parts.push(bytes);
  }
  return { arrays, parts };
}

const isData = (value) => Array.isArray(value) || ArrayBuffer.isView(value);
const shapeOf = (value) => (isData(value) ? [value.length, ...shapeOf(value[0])] : []);

// Bits of binary32 and its value, and the exponent of a double.
const scratch = new DataView(new ArrayBuffer(8));
const toBits = (value) => (scratch.setFloat32(0, value), scratch.getUint32(0));
const fromBits = (bits) => (scratch.setInt32(0, bits), scratch.getFloat32(0));
const exponent = (value) =>
  (scratch.setFloat64(0, value), ((scratch.getUint16(0) >>> 4) & 0x7ff) - 1023);

/** A double rounded to a number of digits, fewer below the smallest exponent; its sign stays. */
function nearest(value, digits, smallest) {
  if (value === 0 || !Number.isFinite(value)) return value;
  const place = 2 ** (Math.max(exponent(value), smallest) - digits + 1);
  const magic = 1.5 * 2 ** 52; // beyond it, a double has no digits after the point
  const rounded = (Math.abs(value) / place + magic - magic) * place;
  return value < 0 ? -rounded : rounded;
}

/** A value rounded to a format, for those who compute in one step by step. */
export function rounded(value, format) {
  if (format === "binary16") return fromBinary16(toBinary16(value));
  if (format === "bfloat16") return Math.fround(nearest(value, 8, -126));
  return format === "binary32" ? Math.fround(value) : value;
}

function toBinary16(value) {
  const near = nearest(value, 11, -14);
  const sign = near < 0 || Object.is(near, -0) ? 0x8000 : 0;
  const size = Math.abs(near);
  if (Number.isNaN(size)) return 0x7e00;
  if (size >= 65536) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | (size * 2 ** 24);
  return sign | ((toBits(size) >>> 13) - (112 << 10));
}

function fromBinary16(bits) {
  const [sign, power, digits] = [bits & 0x8000 ? -1 : 1, (bits >>> 10) & 31, bits & 1023];
  if (power === 31) return digits ? NaN : sign * Infinity;
  return sign * (power ? (1024 + digits) * 2 ** (power - 25) : digits * 2 ** -24);
}

function receive() {
  const lengths = read(16);
  if (lengths.length === 0) return null;
  const [header, body] =
    lengths.length === 16 ? [0, 8].map((at) => Number(lengths.readBigUInt64LE(at))) : [Infinity, 0];
  const fits = header <= MAX_HEADER && body <= MAX_BODY;
  const rest = fits ? read(header + body) : Buffer.alloc(0);
  if (rest.length < header + body)
    throw new Error(`a frame that begins by ${lengths.toString("hex")} is no message`);
  return { header: JSON.parse(rest.subarray(0, header)), body: rest.subarray(header) };
}

function send(header, parts = []) {
  const text = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(16);
  lengths.writeBigUInt64LE(BigInt(text.length), 0);
  lengths.writeBigUInt64LE(BigInt(parts.reduce((sum, part) => sum + part.length, 0)), 8);
  let frame = Buffer.concat([lengths, text, ...parts]);
  while (frame.length) frame = frame.subarray(patiently(() => fs.writeSync(1, frame)));
}

/** Bytes of standard input, fewer only at its end. */
function read(size) {
  const bytes = Buffer.allocUnsafe(size);
  let have = 0;
  for (let more = 1; more && have < size; have += more)
    more = patiently(() => fs.readSync(0, bytes, have, size - have));
  return bytes.subarray(0, have);
}

/** What a pipe that does not block answers in the end. */
function patiently(transfer) {
  for (;;) {
    try {
      return transfer();
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

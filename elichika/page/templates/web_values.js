// Texts as numbers, and numbers as what onnxruntime-web takes.
const HALF = typeof Float16Array === "undefined" ? Uint16Array : Float16Array;
const ARRAYS = {
  float16: HALF, float32: Float32Array, float64: Float64Array, bool: Uint8Array,
  int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
};

class Wrong extends Error {}

function whole(dtype) { return dtype.startsWith("int") || dtype.startsWith("uint"); }

const single = new Float32Array(1), bits = new Uint32Array(single.buffer);

/** Returns the bits of the float16 next to a number, the even one of two, where a browser has no float16. */
function halfBits(value) {
  single[0] = value;
  const sign = (bits[0] >>> 16) & 0x8000, far = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (far >= 65520) return sign | 0x7c00;
  if (far < 2 ** -14) return sign | even(far * 2 ** 24);
  const exponent = ((bits[0] >>> 23) & 0xff) - 127;
  return sign | (((exponent + 15) << 10) + even((far / 2 ** exponent - 1) * 1024));
}

function even(value) {
  const below = Math.floor(value), rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2) ? below + 1 : below;
}

function ofHalfBits(half) {
  const sign = half & 0x8000 ? -1 : 1, exponent = (half >>> 10) & 0x1f, part = half & 0x3ff;
  if (exponent === 31) return part ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + part / 1024) * 2 ** (exponent - 15) : (part / 1024) * 2 ** -14);
}

/** Returns a typed array of numbers; one that the type cannot hold is said. */
function typed(one, numbers) {
  const big = one.dtype.endsWith("int64");
  const data = new ARRAYS[one.dtype](numbers.length);
  numbers.forEach((number, at) => {
    if (whole(one.dtype) && !Number.isInteger(number)) throw new Wrong(`${one.name}: ${number} is not a whole number.`);
    data[at] = big ? BigInt(number) : one.dtype === "float16" && HALF === Uint16Array ? halfBits(number) : number;
    if (whole(one.dtype) && Number(data[at]) !== number) throw new Wrong(`${one.name}: ${number} does not fit into ${one.dtype}.`);
  });
  return data;
}

function number(one, text) {
  const found = Number(text.replace(/^([+-]?)inf$/i, "$1Infinity"));
  if (text.trim() === "" || (Number.isNaN(found) && text.toLowerCase() !== "nan")) throw new Wrong(`${one.name}: "${text}" is not a number.`);
  if (whole(one.dtype) && Number.isInteger(found) && !Number.isSafeInteger(found)) throw new Wrong(`${one.name}: ${text} has more digits than a number of a page.`);
  return found;
}

/** Returns the numbers of a tensor; an int that is none of JavaScript's numbers stays what it is. */
function numbersOf(tensor) {
  if (tensor.type === "float16" && tensor.data instanceof Uint16Array) return Array.from(tensor.data, ofHalfBits);
  return Array.from(tensor.data, (value) => (Number.isSafeInteger(Number(value)) || typeof value === "number" ? Number(value) : value));
}

function nested(one, value) {
  if (!Array.isArray(value)) return { dims: [], flat: [number(one, String(value))] };
  const parts = value.map((item) => nested(one, item));
  const dims = parts.length ? parts[0].dims : [];
  if (parts.some((part) => String(part.dims) !== String(dims))) throw new Wrong(`${one.name}: rows have unlike lengths.`);
  return { dims: [value.length, ...dims], flat: parts.flatMap((part) => part.flat) };
}

/** Normal numbers, the same ones each time. */
function* drawn(seed) {
  const next = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  for (;;) yield Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

function filled(one, word, sizes) {
  const dims = sizes.length ? sizes.map((size) => number(one, size)) : one.shape.map((size) => (typeof size === "number" ? size : 1));
  if (dims.some((size) => !Number.isInteger(size) || size < 0)) throw new Wrong(`${one.name}: sizes are whole numbers.`);
  const count = dims.reduce((all, size) => all * size, 1);
  if (count > 2 ** 27) throw new Wrong(`${one.name}: there is no room for ${count} numbers.`);
  const source = drawn(1);
  const flat = Array.from({ length: count }, () => (word === "zeros" ? 0 : source.next().value));
  return { dims, flat: whole(one.dtype) ? flat.map((value) => Math.floor(Math.abs(value) * 3)) : flat };
}

function numbers(one, text) {
  const [first, ...rest] = text.trim().split(/\s+/);
  if (first === "zeros" || first === "random") return filled(one, first, rest);
  if (text.trim().startsWith("[")) {
    let value;
    try { value = JSON.parse(text); } catch { throw new Wrong(`${one.name}: a bracket or a comma is missing.`); }
    return nested(one, value);
  }
  const rows = rowsOf(text, /[\s,;]+/);
  if (one.shape.length === 1) return nested(one, rows.flat());
  if (one.shape.length === 2 && !one.list) return nested(one, text.trim() ? rows : []);
  throw new Wrong(`${one.name}: arrays of ${one.shape.length} axes are written in brackets.`);
}

function rowsOf(text, between) {
  return text.trim().split("\n").map((row) => row.split(between).filter((word) => word));
}

function wordRows(one, text) {
  const known = new Map(one.words.map((word, at) => [word, at]));
  return rowsOf(text, /\s+/).map((row) => row.map((word) => {
    const found = known.get(word) ?? known.get("<unk>");
    if (found === undefined) throw new Wrong(`${one.name}: the vocabulary does not have "${word}".`);
    return found;
  }));
}

function words(one, text) {
  const rows = wordRows(one, text);
  return nested(one, one.shape.length === 1 ? rows.flat() : rows);
}

/** Returns the arrays of a list: a line for each, or brackets with all of them. */
function items(one, text) {
  const all = text.trim();
  if (!all || all === "[]") return [];
  if (all.startsWith("[")) {
    let value;
    try { value = JSON.parse(all); } catch { throw new Wrong(`${one.name}: a bracket or a comma is missing.`); }
    return value.map((item) => nested(one, item));
  }
  if (one.words) {
    const rows = wordRows(one, text);
    return one.shape.length ? rows.map((row) => nested(one, row)) : rows.flat().map((id) => nested(one, id));
  }
  if (one.shape.length === 0) return rowsOf(text, /[\s,;]+/).flat().map((value) => nested(one, value));
  return all.split("\n").map((line) => numbers(one, line));
}

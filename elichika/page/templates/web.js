import * as ort from "./ort.wasm.min.mjs";

const settings = JSON.parse(document.getElementById("settings").textContent);
const ARRAYS = {
  float32: Float32Array, float64: Float64Array, bool: Uint8Array,
  int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
};
const MOST_BARS = 10, MOST_ROWS = 8, MOST_VALUES = 200;
const said = document.getElementById("said"), runButton = document.getElementById("run");

class Wrong extends Error {}

function whole(dtype) { return dtype.startsWith("int") || dtype.startsWith("uint"); }

/** Returns a typed array of numbers; one that the type cannot hold is said. */
function typed(one, numbers) {
  const big = one.dtype.endsWith("int64");
  const data = new ARRAYS[one.dtype](numbers.length);
  numbers.forEach((number, at) => {
    if (whole(one.dtype) && !Number.isInteger(number)) throw new Wrong(`${one.name}: ${number} is not a whole number.`);
    data[at] = big ? BigInt(number) : number;
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
  const rows = text.trim().split("\n").map((row) => row.split(/[\s,;]+/).filter((word) => word));
  if (one.shape.length === 1) return nested(one, rows.flat());
  if (one.shape.length === 2) return nested(one, text.trim() ? rows : []);
  throw new Wrong(`${one.name}: arrays of ${one.shape.length} axes are written in brackets.`);
}

function words(one, text) {
  const known = new Map(one.words.map((word, at) => [word, at]));
  const rows = text.trim().split("\n").map((row) => row.split(/\s+/).filter((word) => word).map((word) => {
    const found = known.get(word) ?? known.get("<unk>");
    if (found === undefined) throw new Wrong(`${one.name}: the vocabulary does not have "${word}".`);
    return found;
  }));
  return nested(one, one.shape.length === 1 ? rows.flat() : rows);
}

/** The pixels of an input: drawn with a pointer or with keys, or those of a file. */
class Pad {
  constructor(one, field) {
    Object.assign(this, { one, field, image: one.image, at: null });
    this.canvas = field.querySelector(".pixels");
    this.over = field.querySelector(".over");
    for (const name of ["height", "width"]) {
      field.querySelector(`.${name}`)?.addEventListener("change", () => this.clear());
    }
    field.querySelector(".clear").addEventListener("click", () => this.clear());
    field.querySelector(".pen").addEventListener("change", () => this.clear());
    field.querySelector(".range").addEventListener("change", () => this.changed());
    field.querySelector(".file").addEventListener("change", (event) => this.load(event.target.files[0]));
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.isTrusted) this.canvas.setPointerCapture(event.pointerId);
      this.at = this.place(event);
      this.stroke(this.at, this.at);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons || !this.at) return;
      const next = this.place(event);
      this.stroke(this.at, next);
      this.at = next;
    });
    this.canvas.addEventListener("pointerup", () => { this.at = null; this.changed(); });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("blur", () => this.mark());
    this.clear();
  }

  get ink() { return Number(this.field.querySelector(".pen").value); }

  size(name) {
    const fixed = this.one.shape[this.image[name]];
    return typeof fixed === "number" ? fixed : Math.max(1, Math.min(2048, Number(this.field.querySelector(`.${name}`).value) || 1));
  }

  clear() {
    this.height = this.size("height");
    this.width = this.size("width");
    this.pixels = new Float32Array(this.height * this.width * 3).fill(1 - this.ink);
    this.pen = [Math.floor(this.height / 2), Math.floor(this.width / 2)];
    this.draw();
    this.changed();
  }

  async load(file) {
    if (!file) return;
    let bitmap;
    try { bitmap = await createImageBitmap(file); } catch { return say(`${file.name} is not an image that this browser reads.`, true); }
    const drawing = new OffscreenCanvas(this.width, this.height).getContext("2d");
    drawing.drawImage(bitmap, 0, 0, this.width, this.height);
    const bytes = drawing.getImageData(0, 0, this.width, this.height).data;
    for (let at = 0; at < this.width * this.height; at++) {
      for (let channel = 0; channel < 3; channel++) {
        const share = bytes[4 * at + 3] / 255;
        this.pixels[3 * at + channel] = (bytes[4 * at + channel] / 255) * share + (1 - this.ink) * (1 - share);
      }
    }
    this.draw();
    this.changed();
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [((event.clientY - box.top) / box.height) * this.height, ((event.clientX - box.left) / box.width) * this.width];
  }

  /** Draws a line whose edge is soft, about a twelfth of the image wide. */
  stroke(from, to) {
    const radius = Math.max(0.75, Math.min(this.height, this.width) / 24);
    for (let y = 0; y < this.height; y++) {
      for (let x = 0; x < this.width; x++) {
        const [dy, dx] = [to[0] - from[0], to[1] - from[1]];
        const long = dy * dy + dx * dx;
        const along = long ? Math.max(0, Math.min(1, ((y + 0.5 - from[0]) * dy + (x + 0.5 - from[1]) * dx) / long)) : 0;
        const far = Math.hypot(y + 0.5 - from[0] - along * dy, x + 0.5 - from[1] - along * dx);
        this.dot(y, x, Math.max(0, Math.min(1, radius + 0.5 - far)));
      }
    }
    this.draw();
  }

  dot(y, x, share) {
    for (let channel = 0; channel < 3; channel++) {
      const at = 3 * (y * this.width + x) + channel;
      this.pixels[at] = this.ink ? Math.max(this.pixels[at], share) : Math.min(this.pixels[at], 1 - share);
    }
  }

  key(event) {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const move = moves[event.key];
    if (move) {
      this.pen = [Math.max(0, Math.min(this.height - 1, this.pen[0] + move[0])), Math.max(0, Math.min(this.width - 1, this.pen[1] + move[1]))];
      if (event.shiftKey) this.dot(...this.pen, 1);
    } else if (event.key === " ") {
      this.dot(...this.pen, 1);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.clear();
    } else return;
    event.preventDefault();
    this.draw();
    this.mark(this.pen);
    if (!move || event.shiftKey) this.changed();
  }

  draw() {
    Object.assign(this.canvas, { width: this.width, height: this.height });
    const drawing = this.canvas.getContext("2d"), image = drawing.createImageData(this.width, this.height);
    for (let at = 0; at < this.width * this.height; at++) {
      const [red, green, blue] = this.pixels.subarray(3 * at, 3 * at + 3);
      const grey = 0.299 * red + 0.587 * green + 0.114 * blue;
      const shown = this.image.channels === 3 ? [red, green, blue] : [grey, grey, grey];
      image.data.set([...shown.map((value) => Math.round(255 * value)), 255], 4 * at);
    }
    drawing.putImageData(image, 0, 0);
    this.mark();
  }

  /** Shows boxes (top, left, bottom, right) over the image, or where the pen of the keyboard is. */
  mark(pen = null, boxes = []) {
    const far = 640 / Math.max(this.width, this.height);
    Object.assign(this.over, { width: this.width * far, height: this.height * far });
    const drawing = this.over.getContext("2d");
    drawing.lineWidth = 4;
    drawing.font = "20px sans-serif";
    drawing.strokeStyle = drawing.fillStyle = "#d9822b";
    if (pen) drawing.strokeRect(pen[1] * far, pen[0] * far, far, far);
    for (const { box: [top, left, bottom, right], text } of boxes) {
      drawing.strokeRect(left * far, top * far, (right - left) * far, (bottom - top) * far);
      drawing.fillText(text, left * far + 4, Math.max(20, top * far - 6));
    }
  }

  changed() { if (ready && !settings.state.length) run(); }

  read() {
    const [low, high] = this.field.querySelector(".range").value.split(" ").map(Number);
    const { height, width, channel, channels } = this.image;
    const dims = this.one.shape.map((size) => (typeof size === "number" ? size : 1));
    dims[height] = this.height;
    dims[width] = this.width;
    const flat = [];
    const count = dims.reduce((all, size) => all * size, 1);
    for (let at = 0; at < count; at++) {
      const place = [];
      for (let axis = dims.length - 1, rest = at; axis >= 0; rest = Math.floor(rest / dims[axis]), axis--) place[axis] = rest % dims[axis];
      const base = 3 * (place[height] * this.width + place[width]);
      const [red, green, blue] = this.pixels.subarray(base, base + 3);
      const value = channels === 3 ? this.pixels[base + place[channel]] : 0.299 * red + 0.587 * green + 0.114 * blue;
      flat.push(whole(this.one.dtype) ? Math.round(low + value * (high - low)) : low + value * (high - low));
    }
    return { dims, flat };
  }
}

function read(one, field, pad) {
  const value = field.querySelector(".value");
  switch (one.form) {
    case "image": return pad.read();
    case "truth": return { dims: [], flat: [value.checked ? 1 : 0] };
    case "number": return { dims: [], flat: [number(one, value.value)] };
    case "words": return words(one, value.value);
    default: return numbers(one, value.value);
  }
}

/** Checks sizes with those of the signature; a name stands for one size in all inputs. */
function check(one, dims, named) {
  if (dims.length !== one.shape.length) throw new Wrong(`${one.name} has ${dims.length} axes here, and needs ${one.shape.length}.`);
  one.shape.forEach((size, axis) => {
    const other = typeof size === "number" ? size : named.get(size);
    if (other !== undefined && size !== "?" && other !== dims[axis]) throw new Wrong(`${one.name} has size ${dims[axis]} on axis ${axis}, and needs ${other}${typeof size === "string" ? ` (${size})` : ""}.`);
    if (typeof size === "string") named.set(size, dims[axis]);
  });
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function short(value) {
  if (typeof value !== "number" || Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 1e-3 && Math.abs(value) < 1e6 ? value.toPrecision(4) : value.toExponential(2);
}

function largest(row) { return row.reduce((most, value) => Math.max(most, value)); }

function softmax(row) {
  const most = largest(row), powers = row.map((value) => Math.exp(value - most));
  const all = powers.reduce((sum, value) => sum + value, 0);
  return powers.map((value) => value / all);
}

function bars(one, dims, flat, asShares) {
  const count = dims[dims.length - 1], rows = count ? flat.length / count : 0, shown = [];
  for (let at = 0; at < Math.min(rows, MOST_ROWS); at++) {
    const given = flat.slice(at * count, (at + 1) * count), row = asShares ? softmax(given) : given;
    const order = row.map((_, index) => index).sort((a, b) => row[b] - row[a] || a - b).slice(0, MOST_BARS);
    const low = Math.min(0, -largest(row.map((value) => -value))), high = Math.max(asShares ? 1 : 0, largest(row)), far = high - low || 1;
    if (rows > 1) shown.push(element("p", "row-title", `row ${at}`));
    order.forEach((index, place) => {
      const line = element("div", place ? "bar-row" : "bar-row first"), track = element("span", "track"), bar = element("i", "");
      bar.style.left = `${(100 * (Math.min(0, row[index]) - low)) / far}%`;
      bar.style.width = `${(100 * Math.abs(row[index])) / far}%`;
      track.append(bar);
      line.append(element("span", "name", one.words[index] ?? String(index)), track, element("span", "", short(row[index])));
      shown.push(line);
    });
    if (count > MOST_BARS) shown.push(element("p", "quiet", `and ${count - MOST_BARS} more`));
  }
  if (rows > MOST_ROWS) shown.push(element("p", "quiet", `and ${rows - MOST_ROWS} more rows`));
  return shown;
}

function text(one, dims, flat) {
  const long = dims[dims.length - 1] || 1, rows = [];
  for (let at = 0; at < flat.length; at += long) rows.push(flat.slice(at, at + long).map((id) => one.words[id] ?? `<${id}>`).join(" "));
  return [element("p", "values", rows.join("\n"))];
}

function plain(one, { dims, data }) {
  const shown = Array.from(data.slice(0, MOST_VALUES), (value) => (one.dtype === "bool" ? Boolean(value) : short(value)));
  const first = shown.join(", "), more = data.length > MOST_VALUES ? `, and ${data.length - MOST_VALUES} more` : "";
  return [element("p", "values mono", (dims.length ? `[${dims.join(", ")}]: ` : "") + first + more)];
}

function values(tensor) { return Array.from(tensor.data, Number); }

/** Draws boxes, with what other outputs say of each: a label, a score. */
function drawBoxes(one, results) {
  const flat = values(results[one.name]), found = [];
  const beside = (kind) => settings.outputs.find((other) => other.beside === kind);
  const label = beside("label"), score = beside("score");
  for (let at = 0; at + 4 <= flat.length; at += 4) {
    const four = flat.slice(at, at + 4), index = at / 4, says = [];
    if (label) { const id = values(results[label.name])[index]; says.push(label.words[id] ?? id); }
    if (score) says.push(short(values(results[score.name])[index]));
    found.push({ box: one.order === "xyxy" ? [four[1], four[0], four[3], four[2]] : four, text: says.join(" ") });
  }
  pads.find((pad) => pad)?.mark(null, found);
}

let ready = false, session = null, calls = 0, state = {}, last = null, busy = false, again = false;
const fields = [...document.querySelectorAll("[data-input]")];
const pads = settings.inputs.map((one, at) => (one.form === "image" ? new Pad(one, fields[at]) : null));

function say(what, wrong = false) {
  said.textContent = what;
  said.classList.toggle("wrong", wrong);
}

function fresh() {
  state = {};
  for (const one of settings.state) {
    const bytes = Uint8Array.from(atob(one.data), (letter) => letter.charCodeAt(0));
    state[one.name] = new ort.Tensor(one.dtype, new ARRAYS[one.dtype](bytes.buffer), one.shape);
  }
  calls = 0;
  counted();
}

function counted() {
  const shown = document.getElementById("calls");
  if (shown) shown.textContent = calls ? `${calls} call${calls === 1 ? "" : "s"} since the start` : "no call yet";
}

/** Says which line of the program fails, where the name of a node tells it. */
function failure(error) {
  const name = /Name:'([^']*)'/.exec(error.message)?.[1] ?? "";
  const check = /^(.*?)\/Check\((.*)\)/s.exec(name);
  if (check) return `The model fails on this input, as the chain does: ${check[2]} (${check[1]})`;
  const place = /([^/]+:\d+)\//.exec(name)?.[1];
  return `The model fails on this input${place ? ` (${place})` : ""}: ${error.message}`;
}

function show(results) {
  last = results;
  settings.outputs.forEach((one, at) => {
    const section = document.querySelector(`[data-output="${at}"]`), tensor = results[one.name];
    const flat = values(tensor), asShares = section.querySelector(".softmax")?.checked;
    const made = one.form === "bars" ? bars(one, tensor.dims, flat, asShares) : one.form === "words" ? text(one, tensor.dims, flat) : plain(one, tensor);
    section.querySelector(".shown").replaceChildren(...made);
    if (one.form === "boxes") drawBoxes(one, results);
  });
}

async function run() {
  if (busy) { again = true; return; }
  busy = true;
  runButton.disabled = true;
  try {
    const named = new Map(), feeds = { ...state };
    settings.inputs.forEach((one, at) => {
      const { dims, flat } = read(one, fields[at], pads[at]);
      check(one, dims, named);
      feeds[one.name] = new ort.Tensor(one.dtype, typed(one, flat), dims);
    });
    const start = performance.now(), results = await session.run(feeds);
    for (const one of settings.state) state[one.name] = results[one.next];
    calls += 1;
    counted();
    show(results);
    say(`${(performance.now() - start).toFixed(1)} ms`);
  } catch (error) {
    say(error instanceof Wrong ? error.message : failure(error), true);
  }
  busy = false;
  runButton.disabled = false;
  if (again) { again = false; await run(); }
}

document.getElementById("form").addEventListener("submit", (event) => { event.preventDefault(); run(); });
document.getElementById("reset")?.addEventListener("click", () => { fresh(); say("The state is what it was at first."); });
for (const box of document.querySelectorAll(".softmax")) box.addEventListener("change", () => { if (last) show(last); });

try {
  say("Loading the model …");
  ort.env.wasm.numThreads = 1;
  session = await ort.InferenceSession.create("model.onnx");
  fresh();
  ready = true;
  runButton.disabled = false;
  document.getElementById("reset")?.removeAttribute("disabled");
  say("Ready.");
} catch (error) {
  say(`The model cannot be loaded: ${error.message}`, true);
}

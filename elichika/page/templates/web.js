// The page: what runs the model, and what shows its results.
const settings = JSON.parse(document.getElementById("settings").textContent);
const MOST_BARS = 10, MOST_ROWS = 8, MOST_VALUES = 200, MOST_ITEMS = 50;
const said = document.getElementById("said"), runButton = document.getElementById("run");

/** Returns the bytes of what a page of one file holds; null where there are files beside it. */
function packed(id) {
  const held = document.getElementById(id);
  if (!held) return null;
  const text = atob(held.textContent), bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  held.remove();
  return bytes;
}

/** Returns onnxruntime-web; it is imported, from the page itself where it is in there. */
async function loaded() {
  const code = packed("runtime"), wasm = packed("wasm");
  const found = await import(code ? URL.createObjectURL(new Blob([code], { type: "text/javascript" })) : "./ort.wasm.bundle.min.mjs");
  found.env.wasm.numThreads = 1;
  if (wasm) found.env.wasm.wasmBinary = wasm.buffer;
  else found.env.wasm.wasmPaths = { wasm: new URL("ort-wasm-simd-threaded.wasm", document.baseURI).href };
  return found;
}

function read(one, field, pad) {
  const value = field.querySelector(".value");
  if (one.list) return one.form === "image" ? [pad.read()] : items(one, value.value);
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

/** Puts the tensors of an input to those that the model is fed with. */
function feed(one, found, named, feeds) {
  if (!one.list) {
    check(one, found.dims, named);
    feeds[one.name] = new ort.Tensor(one.dtype, typed(one, found.flat), found.dims);
    return;
  }
  found.forEach((item) => check(one, item.dims, new Map()));
  const flat = found.flatMap((item) => item.flat), sizes = found.flatMap((item) => item.dims);
  feeds[`${one.name}/flat`] = new ort.Tensor(one.dtype, typed(one, flat), [flat.length]);
  feeds[`${one.name}/sizes`] = new ort.Tensor("int64", BigInt64Array.from(sizes, BigInt), [found.length, one.shape.length]);
}

/** Returns what an output gave: `{ dims, flat }`, of a list one for each array. */
function given(one, results) {
  if (!one.list) return { dims: results[one.name].dims, flat: numbersOf(results[one.name]) };
  const flat = numbersOf(results[`${one.name}/flat`]), sizes = results[`${one.name}/sizes`], all = numbersOf(sizes), rank = one.shape.length;
  let from = 0;
  return Array.from({ length: sizes.dims[0] }, (_, at) => {
    const dims = all.slice(at * rank, (at + 1) * rank), count = dims.reduce((most, size) => most * size, 1);
    from += count;
    return { dims, flat: flat.slice(from - count, from) };
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

function plain(one, dims, flat) {
  const shown = flat.slice(0, MOST_VALUES).map((value) => (one.dtype === "bool" ? Boolean(value) : short(value)));
  const first = shown.join(", "), more = flat.length > MOST_VALUES ? `, and ${flat.length - MOST_VALUES} more` : "";
  return [element("p", "values mono", (dims.length ? `[${dims.join(", ")}]: ` : "") + first + more)];
}

function shownAs(one, { dims, flat }, asShares) {
  if (one.form === "bars") return bars(one, dims, flat, asShares);
  return one.form === "words" ? text(one, dims, flat) : plain(one, dims, flat);
}

function listAs(one, found, asShares) {
  if (!found.length) return [element("p", "quiet", "an empty list")];
  if (!one.shape.length) return shownAs(one, { dims: [found.length], flat: found.map((item) => item.flat[0]) }, false);
  const made = found.slice(0, MOST_ITEMS).flatMap((item, at) => [
    ...(found.length > 1 && one.form !== "words" ? [element("p", "row-title", `item ${at}`)] : []),
    ...shownAs(one, item, asShares),
  ]);
  return found.length > MOST_ITEMS ? [...made, element("p", "quiet", `and ${found.length - MOST_ITEMS} more items`)] : made;
}

/** Draws boxes, with what other outputs say of each: a label, a score, a mask. Of a list, those of the first image. */
function drawBoxes(one, results) {
  const of = (other) => { const found = given(other, results); return other.list ? found[0] ?? { dims: [0], flat: [] } : found; };
  const flat = of(one).flat, found = [];
  const beside = (kind) => { const other = settings.outputs.find((each) => each.beside === kind); return other && { words: other.words, ...of(other) }; };
  const label = beside("label"), score = beside("score"), mask = beside("mask");
  for (let at = 0; at + 4 <= flat.length; at += 4) {
    const four = flat.slice(at, at + 4), index = at / 4, says = [];
    if (label) says.push(label.words[label.flat[index]] ?? label.flat[index]);
    if (score) says.push(short(score.flat[index]));
    found.push({ box: one.order === "xyxy" ? [four[1], four[0], four[3], four[2]] : four, text: says.join(" ") });
  }
  const masks = mask && mask.flat.length ? { dims: mask.dims.slice(-2), flat: mask.flat } : null;
  pads.find((pad) => pad)?.mark(null, found, masks);
}

let ort = null, ready = false, session = null, calls = 0, state = {}, last = null, busy = false, again = false;
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
    const section = document.querySelector(`[data-output="${at}"]`), asShares = section.querySelector(".softmax")?.checked;
    const found = given(one, results), made = one.list ? listAs(one, found, asShares) : shownAs(one, found, asShares);
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
      feed(one, read(one, fields[at], pads[at]), named, feeds);
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
  ort = await loaded();
  session = await ort.InferenceSession.create(packed("model") ?? "model.onnx");
  fresh();
  ready = true;
  runButton.disabled = false;
  document.getElementById("reset")?.removeAttribute("disabled");
  say("Ready.");
} catch (error) {
  say(`The model cannot be loaded: ${error.message}`, true);
}

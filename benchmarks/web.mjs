// Runs the cases of a folder in onnxruntime-web: `node web.mjs FOLDER MODULES DONE`.
//
// The first DONE cases are left out. One line of JSON for each case goes to standard output: its name, and either why it could not be
// loaded, or for each input its outputs or the error.

import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [folder, modules, done] = process.argv.slice(2);
const ort = createRequire(join(resolve(modules), "x.js"))("onnxruntime-web/wasm");
ort.env.wasm.numThreads = 1;
ort.env.logLevel = "fatal";

const ARRAYS = {
  float32: Float32Array, float64: Float64Array, float16: Uint16Array, bool: Uint8Array,
  int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, uint64: BigUint64Array,
};

function decoded(value) {
  if (Array.isArray(value)) throw new Error("the API takes no sequences");
  const bytes = new Uint8Array(Buffer.from(value.data, "base64"));
  return new ort.Tensor(value.dtype, new ARRAYS[value.dtype](bytes.buffer), value.shape);
}

function encoded(tensor) {
  const { data } = tensor;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return { dtype: tensor.type, shape: [...tensor.dims], data: bytes.toString("base64") };
}

async function run(session, feeds) {
  try {
    const given = Object.fromEntries(Object.entries(feeds).map(([k, v]) => [k, decoded(v)]));
    const results = await session.run(given);
    return { outputs: session.outputNames.map((name) => encoded(results[name])) };
  } catch (error) {
    return { error: String(error.message ?? error) };
  }
}

const files = readdirSync(folder).filter((name) => name.endsWith(".json")).sort();
for (const file of files.slice(Number(done))) {
  const stem = file.slice(0, -5);
  const line = { case: stem };
  try {
    const model = readFileSync(join(folder, `${stem}.onnx`));
    const session = await ort.InferenceSession.create(model, { logSeverityLevel: 4 });
    line.runs = [];
    for (const { feeds } of JSON.parse(readFileSync(join(folder, file), "utf8"))) {
      line.runs.push(await run(session, feeds));
    }
    await session.release();
  } catch (error) {
    line.refused = String(error.message ?? error);
  }
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

// Prints what Netron shows of a model, as JSON: `node netron.mjs NETRON FILE`.
//
// NETRON is the folder of Netron's own modules, which read the file here as they do in a browser. Of each graph there are its inputs
// and outputs, and of each node its operator, its name, the names that go in and come out, and its branches and bodies.

import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, file] = process.argv.slice(2);
const imported = (name) => import(pathToFileURL(join(resolve(folder), name)));
const [{ ModelFactoryService }, { BinaryStream }] = await Promise.all([imported("view.js"), imported("base.js")]);

const context = {
  identifier: basename(file),
  stream: new BinaryStream(new Uint8Array(readFileSync(file))),
  entries: new Map(),
  require: (name) => imported(`${name}.js`),
  asset: async (name) => readFileSync(join(folder, name), "utf8"),
  error: (error) => { throw error; },
};
const host = { ...context, event() {}, exception: (error) => { throw error; } };

const names = (list) => list.flatMap(({ value }) => value.map((one) => one.name));
const isGraph = ({ value }) => Array.isArray(value?.nodes);

function shown(graph) {
  return {
    inputs: names(graph.inputs),
    outputs: names(graph.outputs),
    nodes: graph.nodes.map((node) => ({
      type: node.type.name,
      name: node.name,
      inputs: names(node.inputs),
      outputs: names(node.outputs),
      graphs: Object.fromEntries(node.attributes.filter(isGraph).map((one) => [one.name, shown(one.value)])),
    })),
  };
}

const model = await new ModelFactoryService(host).open(context);
const described = Object.fromEntries(
  [...model.modules[0].inputs, ...model.modules[0].outputs].map((one) => [one.name, one.value[0].description]),
);
process.stdout.write(JSON.stringify({ format: model.format, described, graph: shown(model.modules[0]) }));

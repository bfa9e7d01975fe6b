// The order of the frontend's folders, and what breaks it. No exceptions: what two folders need lies below both.

/** @typedef {import("./imports.mjs").Import} Import */
/** @typedef {{ file: string, line: number, rule: "order" | "cycle" | "package", message: string, next: string }} Fault */

/** From top to bottom: a folder imports from its own layer and from those below. */
export const LAYERS = [
  { name: "app", folders: ["", "app"] },
  { name: "pages", folders: ["pages"] },
  { name: "features", folders: null }, // every folder that is not named here
  { name: "shared", folders: ["live", "session", "capabilities", "states"] },
  { name: "api", folders: ["api"] },
  { name: "ui", folders: ["ui"] },
  { name: "lib", folders: ["lib", "styles"] },
];
const FEATURES = LAYERS.findIndex(({ folders }) => folders === null);

/** What generic layers must not know: routes, queries, the API. */
const FOREIGN = /^(@tanstack\/react-(router|query)|openapi-fetch)$/;

/** From 0 for the uppermost. @param {string} folder */
export function layerOf(folder) {
  const top = folder.split("/", 1)[0] ?? "";
  const found = LAYERS.findIndex(({ folders }) => folders?.includes(top));
  return found === -1 ? FEATURES : found;
}

/** @param {readonly Import[]} imports @returns {Fault[]} */
export function faultsOf(imports) {
  const downward = imports.filter((one) => upward(one).length === 0);
  const cycles = cyclesOf(downward).flatMap(closing);
  // Many cycles share an import: it is said once, with the first of them.
  const once = new Map(cycles.reverse().map((fault) => [`${fault.file}:${fault.line}`, fault]));
  return [...imports.flatMap(upward), ...imports.flatMap(foreign), ...once.values()];
}

/** @param {Import} one @returns {Fault[]} */
function upward({ file, line, from, to, name }) {
  if (to === null || layerOf(to) >= layerOf(from)) return [];
  const message = `${titled(from)} imports "${name}" of ${titled(to)}, which lies above it`;
  const next = `move what both need to ${titled(from)} or below, or have the caller hand it in`;
  return [{ file, line, rule: "order", message, next }];
}

/** @param {Import} one @returns {Fault[]} */
function foreign({ file, line, from, to, name }) {
  const layer = LAYERS[layerOf(from)]?.name;
  if (to !== null || !FOREIGN.test(name) || (layer !== "ui" && layer !== "lib")) return [];
  const message = `${titled(from)} imports "${name}": generic parts know neither routes nor queries`;
  return [{ file, line, rule: "package", message, next: "have the caller hand in what is shown, or move the part up" }];
}

/** @param {string} folder */
function titled(folder) {
  return `${folder || "src"} (${LAYERS[layerOf(folder)]?.name})`;
}

/** Imports between folders: by folder, by what it imports from. @param {readonly Import[]} imports */
export function edgesOf(imports) {
  /** @type {Map<string, Map<string, Import[]>>} */
  const edges = new Map();
  for (const one of imports) {
    if (one.to === null || one.to === one.from) continue;
    const own = edges.get(one.from) ?? new Map();
    edges.set(one.from, own.set(one.to, [...(own.get(one.to) ?? []), one]));
  }
  return edges;
}

/**
 * One shortest cycle through each edge that closes one, each cycle once: [["plans", "fleet"], ...].
 * @param {readonly Import[]} imports
 */
export function cyclesOf(imports) {
  const edges = edgesOf(imports);
  /** @type {Map<string, Import[][]>} */
  const cycles = new Map();
  for (const [from, own] of edges) {
    for (const to of own.keys()) {
      const back = pathOf(edges, to, from);
      if (!back) continue;
      const folders = [from, ...back.slice(0, -1)];
      const steps = folders.map((each, at) => edges.get(each)?.get(folders[(at + 1) % folders.length] ?? "") ?? []);
      const key = [...folders].sort().join();
      if (!cycles.has(key)) cycles.set(key, steps);
    }
  }
  return [...cycles.values()];
}

/** The shortest way along imports, both ends included. @param {ReturnType<typeof edgesOf>} edges @param {string} from @param {string} to */
function pathOf(edges, from, to) {
  /** @type {Map<string, string | null>} */
  const before = new Map([[from, null]]);
  for (const folder of before.keys()) {
    if (folder === to) return walked(before, to);
    for (const next of edges.get(folder)?.keys() ?? []) if (!before.has(next)) before.set(next, folder);
  }
  return null;
}

/** @param {Map<string, string | null>} before @param {string} end */
function walked(before, end) {
  const way = [end];
  for (let at = before.get(end); at != null; at = before.get(at)) way.unshift(at);
  return way;
}

/** The imports of a cycle's weakest step: the least work to cut. @param {Import[][]} steps @returns {Fault[]} */
function closing(steps) {
  const [weakest = []] = [...steps].sort((a, b) => a.length - b.length);
  const names = steps.map(([first]) => first?.from || "src");
  const message = `${[...names, names[0]].join(" -> ")} is a cycle`;
  return weakest.map(({ file, line, name, from, to }) => ({
    file,
    line,
    rule: "cycle",
    message: `${message}; "${name}" is one of the fewest imports in it`,
    next: `move what it names below ${from || "src"} and ${to}`,
  }));
}

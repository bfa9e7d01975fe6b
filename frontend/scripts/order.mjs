// Fails where a folder of src imports what lies above it, or stands in a cycle; with --graph it prints who imports whom.
import { fileURLToPath } from "node:url";
import { readImports } from "./order/imports.mjs";
import { cyclesOf, edgesOf, faultsOf, LAYERS, layerOf } from "./order/rules.mjs";

const imports = readImports(fileURLToPath(new URL("../src", import.meta.url)));
if (process.argv.includes("--graph")) graph();
else lint();

function lint() {
  const faults = faultsOf(imports);
  for (const { file, line, rule, message, next } of faults) {
    console.error(`src/${file}:${line} ${rule}: ${message}.\n    Next: ${next}.`);
  }
  if (faults.length > 0) {
    console.error(
      `\n${faults.length} imports break the order of folders: see frontend/README.md, "Who may import whom"`,
    );
    process.exit(1);
  }
  console.log("every folder imports downwards, none in a cycle");
}

function graph() {
  const edges = edgesOf(imports);
  const folders = [...new Set(imports.map(({ from }) => from))].sort(
    (a, b) => layerOf(a) - layerOf(b) || (a < b ? -1 : 1),
  );
  LAYERS.forEach(({ name }, layer) => {
    console.log(name);
    for (const folder of folders.filter((each) => layerOf(each) === layer)) {
      const to = [...(edges.get(folder) ?? [])].map(([other, all]) => `${other} ${all.length}`).sort();
      console.log(`  ${folder || "src"} -> ${to.join(", ") || "nothing"}`);
    }
  });
  const cycles = cyclesOf(imports);
  const within = new Set(cycles.flatMap((steps) => steps.map(([first]) => first?.from)));
  console.log(`${folders.length} folders, ${within.size} of them in ${cycles.length} cycles`);
  for (const steps of cycles) {
    console.log(
      `  ${steps.map(([first, ...rest]) => `${first?.from || "src"} -${rest.length + 1}->`).join(" ")} ${steps[0]?.[0]?.from || "src"}`,
    );
  }
}

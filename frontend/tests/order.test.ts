// @vitest-environment node
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readImports } from "../scripts/order/imports.mjs";
import { faultsOf, LAYERS, layerOf } from "../scripts/order/rules.mjs";

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true });
});

/** What is said of a tree of these files. */
function faults(files: Record<string, string>) {
  const root = mkdtempSync(path.join(tmpdir(), "order-"));
  made.push(root);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
  return faultsOf(readImports(root));
}

const where = (files: Record<string, string>) => faults(files).map(({ file, line, rule }) => `${file}:${line} ${rule}`);

describe("the order of folders", () => {
  it("lets every layer import those below it, and itself", () => {
    const files = {
      "main.tsx": 'import "@/app/routes";\nimport "@/styles/base.css";\n',
      "pages/fleet.tsx": 'import { Map } from "@/fleet/map";\nimport { Row } from "./row";\n',
      "fleet/map.tsx": 'import { useQuery } from "@tanstack/react-query";\nimport { live } from "@/live/store";\n',
      "live/store.ts": 'import type { Host } from "@/api/types";\n',
      "ui/table.tsx": 'import { figure } from "@/lib/format";\nimport { Button } from "react-aria-components";\n',
    };
    expect(faults(files)).toEqual([]);
  });

  it("catches an import of what lies above, at its line, and says what to do", () => {
    const text = '/** Keys. */\n\nimport { useEffect } from "react";\nimport { isPlainKey } from "@/app/shell";\n';
    expect(faults({ "fleet/layer-keys.ts": text })).toEqual([
      {
        file: "fleet/layer-keys.ts",
        line: 4,
        rule: "order",
        message: 'fleet (features) imports "@/app/shell" of app (app), which lies above it',
        next: "move what both need to fleet (features) or below, or have the caller hand it in",
      },
    ]);
  });

  it("sees types, re-exports, imports at run time, relative names and workers, and no text that looks like one", () => {
    expect(
      where({
        "lib/a.ts": 'import type { Host } from "@/api/types";\n',
        "lib/b.ts": 'export { Button } from "../ui/button";\n',
        "lib/c.ts": 'export const late = () => import("@/pages/fleet");\n',
        "lib/d.ts": 'export type Host = import("@/api/types").Host;\n',
        "ui/deep/e.ts": 'new Worker(new URL("../../live/worker.ts", import.meta.url));\n',
        "lib/f.ts": "// import { Button } from '@/ui/button';\nexport const text = `import '@/ui/button'`;\n",
      }),
    ).toEqual(["lib/a.ts:1 order", "lib/b.ts:1 order", "lib/c.ts:1 order", "lib/d.ts:1 order", "ui/deep/e.ts:1 order"]);
  });

  it("counts a folder that nobody named as a feature", () => {
    expect(LAYERS[layerOf("bandwidth/classes")]?.name).toBe("features");
    expect(where({ "bandwidth/table.tsx": 'import { Plan } from "@/pages/plan";\n' })).toHaveLength(1);
  });

  it("keeps routes and queries out of generic parts", () => {
    expect(where({ "ui/link.tsx": 'import { Link } from "@tanstack/react-router";\n' })).toEqual([
      "ui/link.tsx:1 package",
    ]);
  });
});

describe("a cycle of folders", () => {
  it("is found whatever its length, and named where the fewest imports cut it", () => {
    const found = faults({
      "fleet/a.ts": 'import "@/plans/a";\nimport "@/plans/b";\n',
      "plans/a.ts": 'import "@/chains/a";\n\nimport "@/chains/b";\n',
      "chains/a.ts": '\nimport "@/fleet/a";\n',
      "fleet/c.ts": 'import "@/pages/a";\n',
      "pages/a.ts": 'import "@/plans/a";\n',
    });
    // What goes upwards is said as that alone, not as each cycle that it closes as well.
    expect(found.map(({ file, line, rule }) => `${file}:${line} ${rule}`)).toEqual([
      "fleet/c.ts:1 order",
      "chains/a.ts:2 cycle",
    ]);
    expect(found[1]?.message).toContain("chains -> fleet -> plans -> chains is a cycle");
  });

  it("is none where files of one folder import each other, and one where a folder within does", () => {
    const mutual = { "fleet/a.ts": 'import "./b";\n', "fleet/b.ts": 'import "./a";\n' };
    expect(faults(mutual)).toEqual([]);
    expect(where({ "fleet/a.ts": 'import "./map/b";\n', "fleet/map/b.ts": 'import "../a";\n' })).toHaveLength(1);
  });
});

it("holds for the console itself, which is not empty", () => {
  const imports = readImports(path.resolve(import.meta.dirname, "../src"));
  expect(imports.length).toBeGreaterThan(1000);
  expect(faultsOf(imports)).toEqual([]);
});

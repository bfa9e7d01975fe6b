import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const backend = process.env.SEXTANT_URL ?? "http://127.0.0.1:8480";

/** Tests of logic that asks the browser: what it keeps, where it is, how wide its window is. */
const WITH_A_WINDOW = ["draft", "fleet", "history", "load", "store", "theme"].map((name) => `tests/${name}.test.ts`);

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  // Scenario files of studies are shipped as the page's examples.
  server: { proxy: { "/api": backend }, fs: { allow: [".", "../examples"] } },
  build: {
    outDir: "dist",
    sourcemap: true,
    target: "es2023",
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: "vendor", test: /node_modules/ }],
        },
      },
    },
  },
  worker: { format: "es" },
  test: {
    // Ends what hangs; a busy machine is no mistake of the code.
    testTimeout: 60_000,
    // A process for each file would take most of the time. What draws has a document, and its setup gives each file
    // modules of its own; all else needs neither.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: "drawn",
          environment: "happy-dom",
          include: ["tests/**/*.test.tsx", ...WITH_A_WINDOW],
          setupFiles: ["tests/setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "computed",
          environment: "node",
          include: ["tests/**/*.test.ts"],
          exclude: WITH_A_WINDOW,
        },
      },
    ],
  },
});

import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const backend = process.env.SEXTANT_URL ?? "http://127.0.0.1:8480";

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
    environment: "happy-dom",
    include: ["tests/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup.ts"],
    // Ends what hangs; a busy machine is no mistake of the code.
    testTimeout: 60_000,
  },
});

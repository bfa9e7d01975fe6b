import { defineConfig } from "@playwright/test";

/** Flags that Debian's chromium needs where there is neither a GPU nor a network. */
const CHROMIUM_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** One real installation for all stories, hence one worker; files run in the order of their numbers. */
export default defineConfig({
  testDir: ".",
  projects: [
    { name: "stories", testMatch: "stories/*.spec.ts" },
    { name: "faults", testMatch: "faults/*.spec.ts", timeout: 120_000 },
  ],
  outputDir: "test-results/artefacts",
  globalSetup: "./support/global-setup.ts",
  workers: 1,
  fullyParallel: false,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  reporter: [["list"], ["json", { outputFile: "test-results/results.json" }]],
  use: {
    browserName: "chromium",
    viewport: { width: 1440, height: 900 },
    launchOptions: { executablePath: process.env.SEXTANT_CHROMIUM ?? "/usr/bin/chromium", args: CHROMIUM_ARGS },
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
    actionTimeout: 15_000,
  },
});

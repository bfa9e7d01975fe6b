import { defineConfig } from "@playwright/test";
import { RESULTS } from "./support/installation.ts";

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

/**
 * Stories whose pages and plans matter, not when packets go: they may run on installations of their own beside the
 * others. SEXTANT_E2E_PART: `pages` (these), `packets` (all others); unset: all.
 */
const PAGES = new RegExp(
  `stories/(${[
    "02-plans",
    "03-bad-input",
    "05-accessibility",
    "06-pictures",
    "08-compare",
    "10-artefacts",
    "13-simulated",
    "15-study",
    "17-group-files",
    "18-frame",
    "19-secrets",
    "21-team",
    "23-history",
    "22-alerts",
    "24-drift",
    "25-anti-affinity",
    "27-numasfp",
    "28-coco",
    "31-two-hosts",
    "36-school",
  ].join("|")})\\.spec\\.ts$`,
);
const part = process.env.SEXTANT_E2E_PART;

/** One installation at a time, hence one worker; the files of one run in the order of their numbers. */
export default defineConfig({
  testDir: "./stories",
  testMatch: part === "pages" ? PAGES : "*.spec.ts",
  testIgnore: part === "packets" ? PAGES : [],
  outputDir: `${RESULTS}/artefacts`,
  workers: 1,
  fullyParallel: false,
  retries: 0,
  // They end what hangs; a busy machine is no mistake of the code.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: true,
  reporter: [["list"], ["json", { outputFile: `${RESULTS}/results.json` }]],
  use: {
    browserName: "chromium",
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      executablePath: process.env.SEXTANT_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
      args: CHROMIUM_ARGS,
    },
    screenshot: "only-on-failure",
    // A trace films every story, those that pass too; SEXTANT_E2E_TRACE=1 asks for it where one is looked into.
    trace: process.env.SEXTANT_E2E_TRACE === "1" ? "retain-on-failure" : "off",
    actionTimeout: 30_000,
  },
});

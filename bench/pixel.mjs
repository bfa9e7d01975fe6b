/**
 * From an agent's sample to the pixel: opens the fleet page in a real browser and prints, as JSON, how many
 * milliseconds after its `taken_at` each batch was on the screen. Agent and browser share this machine's clock.
 *
 * A batch counts as painted in the first frame after its arrival in which the heat map changed cells
 * (`sextantPaint`, kept by the page itself).
 *
 *     node bench/pixel.mjs URL PASSWORD SECONDS
 */
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(import.meta.dirname, "../e2e/package.json"));
const { chromium } = require("@playwright/test");
const [url, password, seconds] = process.argv.slice(2);

const browser = await chromium.launch({
  executablePath: process.env.SEXTANT_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(url);
  await page.getByLabel("Username").fill("admin");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByTestId("heat-map").waitFor();
  process.stdout.write(JSON.stringify(await page.evaluate(watch, Number(seconds) * 1000)));
} finally {
  await browser.close();
}

/** Runs in the page. */
async function watch(milliseconds) {
  const paints = [];
  let seen = new Set(globalThis.sextantPaint.last);
  const look = () => {
    const last = globalThis.sextantPaint.last;
    if (last.some((paint) => paint.cells > 0 && !seen.has(paint))) paints.push(Date.now());
    seen = new Set(last);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);

  const batches = [];
  const abort = new AbortController();
  const end = setTimeout(() => abort.abort(), milliseconds);
  try {
    const stream = await fetch("/api/v1/events", { headers: { Accept: "text/event-stream" }, signal: abort.signal });
    const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
      const lines = text.split("\n");
      text = lines.pop();
      for (const line of lines.filter((one) => one.startsWith("data:"))) {
        const event = JSON.parse(line.slice(5));
        if (event.event === "telemetry") batches.push({ taken: Date.parse(event.batch.taken_at), arrived: Date.now() });
      }
    }
  } catch (cause) {
    if (!abort.signal.aborted) throw cause;
  }
  clearTimeout(end);
  // The page's own stream may be a millisecond ahead of this one.
  return batches
    .map(({ taken, arrived }) => ({ taken, painted: paints.find((at) => at >= arrived - 5) }))
    .filter(({ painted }) => painted !== undefined)
    .map(({ taken, painted }) => painted - taken);
}

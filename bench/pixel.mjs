/**
 * From an agent's sample to the pixel: opens the fleet page in a real browser and prints, as JSON, how many
 * milliseconds after its `taken_at` each batch was on the screen. Agent and browser share this machine's clock.
 *
 * A batch counts as painted in the first frame after its arrival in which the heat map changed cells
 * (`sextantPaint`, kept by the page itself). One that the page drew before the next arrived without any cell looking
 * different has no pixel and is counted apart.
 *
 *     node bench/pixel.mjs URL PASSWORD SECONDS
 */
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(import.meta.dirname, "../e2e/package.json"));
const { chromium } = require("@playwright/test");
const [url, password, seconds] = process.argv.slice(2);

const browser = await chromium.launch({
  executablePath: process.env.SEXTANT_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
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
  const frames = [];
  let seen = new Set(globalThis.sextantPaint.last);
  const look = () => {
    const fresh = globalThis.sextantPaint.last.filter((paint) => !seen.has(paint));
    if (fresh.length > 0) frames.push({ at: Date.now(), changed: fresh.some((paint) => paint.cells > 0) });
    seen = new Set(globalThis.sextantPaint.last);
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

  const delays = [];
  let unchanged = 0;
  // The last batch has no successor to be told apart from, so it is left out.
  for (const [index, { taken, arrived }] of batches.slice(0, -1).entries()) {
    // The page's own stream may be a few milliseconds ahead of this one.
    const after = frames.filter((frame) => frame.at >= arrived - 5);
    const painted = after.find((frame) => frame.changed);
    const drawn = after.some((frame) => frame.at < batches[index + 1].arrived - 5);
    const late = painted === undefined || painted.at >= batches[index + 1].arrived - 5;
    if (late && drawn) unchanged += 1;
    else delays.push((painted?.at ?? Number.POSITIVE_INFINITY) - taken);
  }
  return { delays, unchanged };
}

/**
 * How long a browser takes from an input to the next frame, on the largest pages: clicks, keys, filters, sorting and
 * folds, one after the other. Prints JSON: per page and kind of input how many there were, the longest one, and how much
 * of it the page's own handlers took (milliseconds, by the browser's Event Timing, in steps of 8), and the most CPU time
 * that the page's main thread took from one input to the next, live figures included.
 *
 * INP as web-vitals defines it for a visit of fewer than fifty interactions: the longest of them.
 *
 *     node bench/fleet/interacting.mjs URL USER PASSWORD PATH...
 */
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(import.meta.dirname, "../../e2e/package.json"));
const { chromium } = require("@playwright/test");
const [url, user, password, ...paths] = process.argv.slice(2);
/** After an input, so that what it began has ended and the next one is its own. */
const SETTLE_MS = 400;
const LOADING_MS = 180_000;
/** For what comes after the first figures. */
const QUIET_MS = 2000;
/** Kinds of input: what is clicked, how many of them at most; or keys for what is focused, a filter where there is one. */
const INPUTS = [
  { kind: "choose", click: "main [role=radio], main label:has(input[type=radio])", most: 3 },
  {
    kind: "key",
    focus: "main [data-testid=heat-map], main [data-testid=host-picture], main [tabindex='0']",
    keys: ["ArrowRight", "ArrowDown", "ArrowRight", "Escape"],
  },
  { kind: "sort", click: "main th button.sort", most: 3 },
  {
    kind: "type",
    focus: "main input[type=search], main input[type=text]",
    keys: [..."0042", "Backspace", "Backspace", "Backspace", "Backspace"],
  },
  { kind: "expand", click: "main summary, main [aria-expanded=false]", most: 3 },
  { kind: "find", open: "Control+k", keys: [..."chain-0", "ArrowDown", "Escape", "Escape"] },
  { kind: "click", click: "main canvas, main [data-testid=host-picture], main tbody tr td:first-child", most: 2 },
];
/** A page is there when one of them is. */
const LOADED = "main :is(canvas, tbody tr, [data-testid=host-picture])";

const browser = await chromium.launch({
  executablePath: process.env.SEXTANT_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(watch);
  await page.goto(url);
  await page.getByLabel("Username").fill(user);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("main").waitFor();
  await page.locator(LOADED).first().waitFor({ timeout: LOADING_MS });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const found = [];
  for (const path of paths) {
    await page.goto(url + path);
    await page.locator(LOADED).first().waitFor({ timeout: LOADING_MS });
    await page.waitForTimeout(QUIET_MS);
    found.push({ path, ...(await firstOpening(page, () => cpuMs(devtools))) });
    for (const input of INPUTS) {
      await page.evaluate(() => globalThis.takeInteractions());
      const { done, cpu } = await act(page, input, () => cpuMs(devtools));
      if (done === 0) continue;
      const seen = await page.evaluate(() => globalThis.takeInteractions());
      const worst = seen.reduce((most, one) => (one.duration > most.duration ? one : most), { duration: 0, own: 0 });
      found.push({ path, kind: input.kind, inputs: done, longest: worst.duration, own: worst.own, cpu });
    }
  }
  process.stdout.write(JSON.stringify(found));
} finally {
  await browser.close();
}

/** CPU time of the page's main thread so far. */
async function cpuMs(devtools) {
  const { metrics } = await devtools.send("Performance.getMetrics");
  return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
}

/** From Ctrl-K, which this load of the page has not seen yet, until what it finds is drawn. */
async function firstOpening(page, spent) {
  const drawn = page.evaluate(
    () =>
      new Promise((done) => {
        const look = (pressed) => {
          const there = document.querySelector("[role=dialog] [role=menuitem]");
          const next = there ? () => setTimeout(() => done(performance.now() - pressed)) : () => look(pressed);
          requestAnimationFrame(next);
        };
        addEventListener("keydown", ({ timeStamp }) => look(timeStamp), { capture: true, once: true });
      }),
  );
  await page.waitForTimeout(SETTLE_MS);
  const before = await spent();
  await page.keyboard.press("Control+k");
  const longest = await drawn;
  const cpu = (await spent()) - before;
  await page.keyboard.press("Escape");
  await page.waitForTimeout(SETTLE_MS);
  return { kind: "first Ctrl-K", inputs: 1, longest, own: longest, cpu };
}

/** How many inputs were made, 0 where the page has no place for them; and the most CPU time from one to the next. */
async function act(page, input, spent) {
  let [done, cpu, before] = [0, 0, await spent()];
  const settle = async () => {
    await page.waitForTimeout(SETTLE_MS);
    const now = await spent();
    cpu = Math.max(cpu, now - before);
    before = now;
    done += 1;
  };
  if (input.click) {
    const places = page.locator(input.click).filter({ visible: true });
    const count = Math.min(input.most, await places.count());
    for (let at = 0; at < count && at < (await places.count()); at += 1) {
      await places.nth(at).click({ timeout: 5000, force: true });
      await settle();
    }
    return { done, cpu };
  }
  if (input.focus) {
    const place = page.locator(input.focus).filter({ visible: true }).first();
    if ((await place.count()) === 0) return { done, cpu };
    await place.focus();
  }
  for (const key of [...(input.open ? [input.open] : []), ...input.keys]) {
    await page.keyboard.press(key);
    await settle();
  }
  return { done, cpu };
}

/** Runs in the page, before its own scripts. */
function watch() {
  const interactions = new Map();
  const observer = new PerformanceObserver((list) => {
    for (const { interactionId, duration, processingStart, processingEnd } of list.getEntries()) {
      if (!interactionId) continue;
      const former = interactions.get(interactionId) ?? { duration: 0, own: 0 };
      const own = former.own + processingEnd - processingStart;
      interactions.set(interactionId, { duration: Math.max(former.duration, duration), own });
    }
  });
  observer.observe({ type: "event", durationThreshold: 16, buffered: true });
  globalThis.takeInteractions = () => {
    const seen = [...interactions.values()];
    interactions.clear();
    return seen;
  };
}

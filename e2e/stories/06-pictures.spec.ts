/** Pictures of every page, dark and light, wide and narrow: artefacts of each run, and the README's. */
import { join } from "node:path";
import { apply, call, chain, clear, operationIs, place, store, submit } from "../support/api.ts";
import { delivered, expect, inTheme, test } from "../support/console.ts";
import { ROOT } from "../support/installation.ts";
import { comparedOn, compareOn, twelveHosts } from "../support/study.ts";

const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 900, height: 1000 } };
const PICTURES = "test-results/pictures";
/** Set to take the README's picture anew; otherwise the committed one stays. */
const ANEW = process.env.SEXTANT_E2E_PICTURES === "1";

let routes: Record<string, string> = {};

test.beforeAll(async () => {
  await clear();
  await place({
    ...chain("edge", ["router", "firewall", "basic-monitor"]),
    traffic: { rate_mpps: 0.1, packet_bytes: 128 },
    slo: { min_throughput_mpps: 0.05, max_p95_ms: 500 },
  });
  await place({ ...chain("lab", ["simple-forward"]), traffic: { rate_mpps: 0.2, packet_bytes: 64 } });
  const started = await apply(await submit(chain("branch-office", ["firewall", "router"])));
  const operation = await operationIs(started.body.id, "COMPLETED");
  const moving = await call<{ id: number }>("POST", "/plans", {
    intent: { kind: "migrate", nf_id: "edge.firewall", host: "edge-1", core: 0 },
  });
  const study = await comparedOn(await compareOn(twelveHosts(), ["exact", "octans_extended", "node_balance"]));
  await store("edge.routes", "routes", "192.168.0.0/16 7\n");
  await store("edge.routes", "routes", "192.168.0.0/16 8\n");
  await store("perimeter.rules", "rules", '{"action": "deny", "dst": "192.168.7.0/24"}\n');
  const crowd = await submit(chain("crowd", Array<string>(12).fill("router")));
  routes = {
    fleet: "/",
    "fleet-pinned": "/?pin=edge-1%2F1%2F0",
    "fleet-table": "/?view=table",
    host: "/hosts/edge-1",
    "host-pinned": "/hosts/edge-1?pin=1%2F0",
    "host-table": "/hosts/edge-1?view=table",
    chains: "/chains",
    "chain-new": "/chains/new",
    chain: "/chains/edge",
    plans: "/plans",
    "plan-move": `/plans/${moving.body.id}`,
    "plan-no-room": `/plans/${crowd}`,
    compare: "/plans/compare",
    comparison: `/comparisons/${study.id}`,
    "plan-study": `/plans/${study.plans[0]?.plan_id}`,
    artefacts: "/artefacts",
    operations: "/operations",
    operation: `/operations/${operation.id}`,
  };
});

test("every page, in four looks", async ({ page }) => {
  test.setTimeout(600_000);
  await page.goto("/chains");
  await expect.poll(() => delivered(page, "edge")).toBeGreaterThan(0);
  for (const [name, route] of Object.entries(routes)) {
    await page.goto(route);
    await expect(page.getByText(/^live · /)).toBeVisible();
    await expect(page.getByText(/^Loading/)).toHaveCount(0);
    for (const theme of ["dark", "light"] as const) {
      await inTheme(page, theme);
      for (const [size, viewport] of Object.entries(SIZES)) {
        await page.setViewportSize(viewport);
        await page.screenshot({ path: join(PICTURES, `${name}-${theme}-${size}.png`) });
        if (ANEW && name === "fleet-pinned" && theme === "dark" && size === "wide") {
          await page.screenshot({ path: join(ROOT, "docs/images/fleet.png") });
        }
      }
    }
  }
});

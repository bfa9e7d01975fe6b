/** Fault points of the backend (docs/guides/faults.md): stop a process exactly there, do harm, and let it go on. */
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { installation } from "./installation.ts";

/** Also named by SEXTANT_FAULT_FILE of every process, see installation.ts. */
export const FAULT_FILE = "faults.json";

const file = () => join(installation().data, FAULT_FILE);

export function arm(faults: Record<string, { action: "kill" | "pause" | "raise"; times: number }>): void {
  disarm();
  writeFileSync(`${file()}.armed`, JSON.stringify(faults));
  renameSync(`${file()}.armed`, file());
}

export async function reached(point: string): Promise<void> {
  await expect.poll(() => existsSync(`${file()}.${point}.reached`), { timeout: 60_000, intervals: [20] }).toBe(true);
}

export function letGo(point: string): void {
  writeFileSync(`${file()}.${point}.go`, "");
}

/** No fault from here on; whoever is paused goes on. */
export function disarm(): void {
  const { data } = installation();
  for (const name of readdirSync(data)) {
    if (name.startsWith(`${FAULT_FILE}.`) && name.endsWith(".reached")) {
      const point = name.slice(FAULT_FILE.length + 1, -".reached".length);
      letGo(point);
      rmSync(join(data, name), { force: true });
    }
  }
  rmSync(file(), { force: true });
}

/** Forgets old pauses: a `.go` that lies there would let the next pause pass at once. */
export function forget(): void {
  const { data } = installation();
  for (const name of readdirSync(data)) {
    if (name.startsWith(FAULT_FILE)) rmSync(join(data, name), { force: true });
  }
}

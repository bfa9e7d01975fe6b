/** A yesterday for the fleet of the stories (seed_history.py). */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installation, ROOT } from "./installation.ts";

/** An hour of history of yesterday, from 12:00 UTC on; the chain loses half of its packets from the moment that comes back. */
export function seedYesterday(chain: string): Date {
  const { database_url } = JSON.parse(readFileSync(join(installation().data, "run.json"), "utf8"));
  const python = join(ROOT, ".venv/bin/python");
  const began = execFileSync(python, ["e2e/support/seed_history.py", database_url, chain], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return new Date(began.trim());
}

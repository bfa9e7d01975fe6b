/** The `sextant` command, as an operator of this machine runs it: it finds address and token in the data folder. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { installation, ROOT } from "./installation.ts";

export interface Done {
  status: number;
  stdout: string;
  stderr: string;
}

export function sextant(args: string[], change: Record<string, string> = {}, stdin = ""): Promise<Done> {
  const { SEXTANT_URL: _url, SEXTANT_TOKEN: _token, ...inherited } = process.env;
  const env = { ...inherited, SEXTANT_DATA_DIR: installation().data, ...change };
  return new Promise((resolve, reject) => {
    const child = spawn(join(ROOT, ".venv/bin/sextant"), args, { env, cwd: ROOT, timeout: 60_000 });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (status) => resolve({ status: status ?? -1, stdout, stderr }));
    child.stdin.end(stdin);
  });
}

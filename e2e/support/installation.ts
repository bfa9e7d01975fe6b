/** One real installation of Sextant, started as an operator would: `make up DETACH=1`. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");
const MARK = "SEXTANT_INSTALLATION";

/** Where logs and pictures of this part's stories go, from e2e/. */
export const RESULTS = ["test-results", process.env.SEXTANT_E2E_PART].filter(Boolean).join("/");

export interface Installation {
  data: string;
  id: string;
  url: string;
  token: string;
  password: string;
  hostId: string;
}

/** Data folder of the installation that runs. */
let running: string | undefined;

/** `simulatedHosts`: beside this machine; stories of this machine alone have none, which leaves them its cores. Nor are
 * there hosts of measured packets, and nothing is measured of NF types at the start: that would take the cores that
 * stories count on. `more`: variables of make, of which the last of a name counts. */
export function start(simulatedHosts = 0, ...more: string[]): Installation {
  const data = mkdtempSync(join(tmpdir(), "sextant-e2e-"));
  running = data;
  try {
    const quiet = ["SEXTANT_LAB_HOSTS=0", "SEXTANT_FIRST_PROFILES=0"];
    make(data, "up", "DETACH=1", `SEXTANT_DEMO_HOSTS=${simulatedHosts}`, ...quiet, ...more);
  } catch (cause) {
    stop(data);
    throw cause;
  }
  return installation();
}

/** The one that runs. */
export function installation(): Installation {
  if (running === undefined) {
    throw new Error("no installation: take `test` of support/console.ts, which starts one");
  }
  const data = running;
  const run = JSON.parse(readFileSync(join(data, "run.json"), "utf8"));
  const cli = JSON.parse(readFileSync(join(data, "cli.json"), "utf8"));
  const password = readFileSync(join(data, "admin-password"), "utf8").trim();
  return { data, id: run.id, url: cli.url, token: cli.token, password, hostId: run.host_id };
}

/** Ends everything; throws if a process of the installation is left. */
export function stop(data: string): void {
  let id: string | undefined;
  try {
    id = JSON.parse(readFileSync(join(data, "run.json"), "utf8")).id;
  } catch {
    // it never got so far as to have an id
  }
  make(data, "down");
  // After a story that failed the next installation is started by another worker: this one's logs stay.
  const log = join(ROOT, "e2e", RESULTS, "log", process.env.TEST_WORKER_INDEX ?? "");
  cpSync(join(data, "log"), log, { recursive: true, force: true });
  const left = id === undefined ? [] : processesOf(id);
  if (left.length > 0) {
    throw new Error(`left after make down: ${left.map((one) => `${one.pid} ${one.program}`).join(", ")}`);
  }
  rmSync(data, { recursive: true, force: true });
}

export interface Process {
  pid: number;
  program: string;
}

/** Living processes that carry the installation's mark; zombies have no environment and do not count. */
export function processesOf(id: string): Process[] {
  const mark = `${MARK}=${id}`;
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const marked = readFileSync(`/proc/${entry}/environ`, "latin1").split("\0").includes(mark);
        return marked ? [{ pid: Number(entry), program: executable(entry) }] : [];
      } catch {
        return []; // gone, or somebody else's
      }
    });
}

/** The kernel appends " (deleted)" to a binary that was rebuilt in the meantime. */
function executable(pid: string): string {
  return readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, "");
}

function make(data: string, ...targets: string[]): void {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    SEXTANT_DATA_DIR: data,
    SEXTANT_PORT: "0",
    SEXTANT_HOST_ID: "edge-1",
    SEXTANT_FAULT_FILE: join(data, "faults.json"),
  };
  delete env.MAKEFLAGS;
  delete env[MARK];
  execFileSync("make", ["--no-print-directory", ...targets], { cwd: ROOT, env, stdio: "inherit", timeout: 300_000 });
}

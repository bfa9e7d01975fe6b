/** The processes of the installation by what they do, and what the kernel says of them. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { installation, processesOf, ROOT } from "./installation.ts";

export type Role = "worker" | "planner" | "agent" | "runner" | "postgres" | "valkey" | "console" | "fleet";

const ARGUMENTS: Partial<Record<Role, string[]>> = {
  worker: ["sextant_worker", "operate", "profile", "study", "control"],
  planner: ["sextant_worker", "plan"],
  agent: ["sextant_agent", "serve"],
  console: ["sextant_backend", "console"],
  fleet: ["sextant_backend", "fleet"],
  runner: ["--nonce"],
};

/** The process of a role that the others of its kind were forked from; undefined while there is none. */
export function pidOf(role: Role): number | undefined {
  const { id, data } = installation();
  const pids =
    role === "postgres" || role === "valkey"
      ? servers(data, role === "postgres" ? "postgres" : "valkey-server")
      : processesOf(id)
          .map(({ pid }) => pid)
          .filter((pid) => (ARGUMENTS[role] ?? []).every((word) => commandLine(pid).includes(word)));
  return pids.find((pid) => !pids.includes(parentOf(pid) ?? 0));
}

/** Those whose command line has all of these words; a program may be named without its folder. */
export function pidsWith(...words: string[]): number[] {
  return processesOf(installation().id)
    .map(({ pid }) => pid)
    .filter((pid) =>
      words.every((word) => commandLine(pid).some((part) => part === word || part.endsWith(`/${word}`))),
    );
}

/** kill -9, and wait until that very process is gone. */
export async function kill(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  await expect.poll(() => alive(pid), { timeout: 5_000, intervals: [20] }).toBe(false);
}

/** Whether it runs; a zombie does not. */
export function alive(pid: number): boolean {
  const state = stat(pid)?.[0];
  return state !== undefined && !"ZX".includes(state);
}

/** The CPUs its threads may run on, as the kernel lists them. */
export function affinity(pid: number): string[] {
  return [...new Set(readdirSync(`/proc/${pid}/task`).map((task) => cpusAllowed(`/proc/${pid}/task/${task}/status`)))];
}

/** `make up` gives supervisord's socket to nobody but its owner; the command needs a configuration that names it. */
export function supervisorctl(...args: string[]): void {
  const { data } = installation();
  const { sockets } = JSON.parse(readFileSync(join(data, "run.json"), "utf8"));
  const conf = join(data, "supervisorctl.conf");
  writeFileSync(conf, `[supervisorctl]\nserverurl=unix://${join(sockets, "supervisor.sock")}\n`);
  const python = join(ROOT, ".venv/bin/python");
  execFileSync(python, ["-m", "supervisor.supervisorctl", "-c", conf, ...args], { stdio: "pipe" });
}

export function cpusAllowed(path: string): string {
  return /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync(path, "utf8"))?.[1] ?? "";
}

export function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split(/[\0 ]/); // a title that a process gave itself has spaces
  } catch {
    return [];
  }
}

function parentOf(pid: number): number | undefined {
  const parent = stat(pid)?.[1];
  return parent === undefined ? undefined : Number(parent);
}

/** State letter and what follows it in /proc/PID/stat. */
function stat(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(")").at(-1)?.trim().split(" ");
  } catch {
    return undefined;
  }
}

/** The servers overwrite their environment: known by binary and by the folder they work in. */
function servers(data: string, binary: string): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        const works = readlinkSync(`/proc/${entry}/cwd`);
        return readlinkSync(`/proc/${entry}/exe`).endsWith(`/${binary}`) && works.startsWith(data);
      } catch {
        return false;
      }
    })
    .map(Number)
    .filter(alive);
}

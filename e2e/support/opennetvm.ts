/** A host with OpenNetVM beside this machine's own: an agent over programs that behave as OpenNetVM's
 * (agent/tests/onvm_double), with one port of 0.1 Mpps and one manager that lets NFs share this machine's CPUs.
 *
 * Where SEXTANT_ONVM_HOME names a true OpenNetVM it is that one, with the variables of agent/tests/test_opennetvm_true.py;
 * the port that SEXTANT_ONVM_EAL describes must give packets of IP, or the firewall drops all of them, and take two
 * queues to send by: --no-pci --vdev=net_pcap0,rx_pcap=ip.pcap,infinite_rx=1,tx_pcap=/dev/null,tx_pcap=/dev/null */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ROOT } from "./installation.ts";
import { alive, commandLine, cpusAllowed } from "./processes.ts";

/** Ten times as fast as OpenNetVM, a tenth of the packets: 10,000 in each of the ten periods of a second. */
const SETTINGS = { time: 0.1, runtime_dir: null, packets_per_second: { "0": 10_000 } };
export const PORT = "west-0";
const PATIENCE_MS = 60_000;
/** Of the flags by which a shared manager wakes its NFs. */
const KEYS = { first: 1230, last: 1357 };

/** What a true one needs; undefined: the double. */
const TRUE_HOME = process.env.SEXTANT_ONVM_HOME;
const TRUE_HUGE = process.env.SEXTANT_ONVM_HUGE ?? "/dev/hugepages";
const TRUE_MEMORY_MB = process.env.SEXTANT_ONVM_MEMORY_MB ?? "512";
const TRUE_EAL = (process.env.SEXTANT_ONVM_EAL ?? "--no-pci --vdev=net_null0").split(" ");

export interface OpenNetVmHost {
  folder: string;
  prefix: string;
  /** Of its huge pages. */
  huge: string;
  /** Of the double: holds the turn of those who have a shared manager on this machine. */
  turn?: ChildProcess;
  agent?: ChildProcess;
}

/** The installation and its description; no agent yet. */
export async function makeHost(): Promise<OpenNetVmHost> {
  const folder = mkdtempSync(join(tmpdir(), "sextant-e2e-onvm-"));
  const manager = `e2e${process.pid}`;
  const home = TRUE_HOME ?? join(folder, "home");
  const huge = TRUE_HOME === undefined ? join(home, "huge") : TRUE_HUGE;
  const host: OpenNetVmHost = { folder, prefix: `sextant-${manager}`, huge };
  try {
    if (TRUE_HOME === undefined) {
      host.turn = spawn(python(), ["-m", "onvm_double", home, JSON.stringify(SETTINGS)], {
        cwd: join(ROOT, "agent/tests"),
        stdio: ["pipe", "pipe", "inherit"],
      });
      await printed(host.turn, "ready");
    }
    writeFileSync(join(folder, "opennetvm.toml"), description(home, host, manager));
  } catch (cause) {
    await endHost(host);
    throw cause;
  }
  return host;
}

/** Runs the command that the console shows, as the host's operator would. */
export async function enrol(host: OpenNetVmHost, command: string): Promise<string> {
  const env = { ...environment(host), SEXTANT_AGENT_LISTEN: `127.0.0.1:${await freePort()}` };
  return execFileSync("bash", ["-c", command], { env, encoding: "utf8", timeout: PATIENCE_MS });
}

export function startAgent(host: OpenNetVmHost): void {
  const log = openSync(join(host.folder, "agent.log"), "a");
  const command = join(ROOT, ".venv/bin/sextant-agent");
  host.agent = spawn(command, ["serve"], { env: environment(host), stdio: ["ignore", log, log] });
  closeSync(log);
}

export interface Program {
  pid: number;
  /** Of its binary: `onvm_mgr`, `firewall`. */
  name: string;
}

/** Those of its prefix that live now, the manager's and NFs'. */
export function programs({ prefix }: OpenNetVmHost): Program[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map((entry) => ({ pid: Number(entry), words: commandLine(Number(entry)) }))
    .filter(({ pid, words }) => words.includes(`--file-prefix=${prefix}`) && alive(pid))
    .map(({ pid, words }) => ({ pid, name: basename(words[0] ?? "") }));
}

/** The CPU of an NF's packet thread: the last that it created. */
export function packetCpu(pid: number): string {
  const last = Math.max(...readdirSync(`/proc/${pid}/task`).map(Number));
  return cpusAllowed(`/proc/${pid}/task/${last}/status`);
}

/** What its processes share, or left: files of its prefix, semaphores and System V keys of the shared manager. */
export function shared({ folder, prefix, huge }: OpenNetVmHost): string[] {
  const places = [join(folder, "runtime/dpdk"), huge].filter((place) => existsSync(place));
  const files = places.flatMap((place) => readdirSync(place)).filter((name) => name.startsWith(prefix));
  const semaphores = readdirSync("/dev/shm").filter((name) => name.startsWith("sem.MProc_Client_"));
  const keys = readFileSync("/proc/sysvipc/shm", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/)[0] ?? "")
    .filter((key) => Number(key) >= KEYS.first && Number(key) <= KEYS.last);
  return [...files, ...semaphores, ...keys];
}

/** Ends whatever is left, the folder too. */
export async function endHost(host: OpenNetVmHost): Promise<void> {
  for (const child of [host.agent, host.turn]) {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }
  for (const { pid } of programs(host)) process.kill(pid, "SIGKILL");
  rmSync(host.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

export function agentLog({ folder }: OpenNetVmHost): string {
  return readFileSync(join(folder, "agent.log"), "utf8");
}

function description(home: string, { folder, huge }: OpenNetVmHost, manager: string): string {
  const [memory, eal] =
    TRUE_HOME === undefined ? ["128", ["--no-pci", "--vdev=net_null0"]] : [TRUE_MEMORY_MB, TRUE_EAL];
  return `home = "${home}"
huge_dir = "${huge}"
runtime_dir = "${folder}/runtime/dpdk"

[[manager]]
name = "${manager}"
port = "${PORT}"
node = 0
cpus = [0, 0, 0, 0]
nf_cpus = [0, 1]
shared = true
memory_mb = ${memory}
eal = ${JSON.stringify(eal)}
`;
}

function environment({ folder }: OpenNetVmHost): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("SEXTANT_"));
  return {
    ...Object.fromEntries(inherited),
    PATH: `${join(ROOT, ".venv/bin")}:${process.env.PATH}`,
    SEXTANT_AGENT_DRIVER: "opennetvm",
    SEXTANT_AGENT_OPENNETVM: join(folder, "opennetvm.toml"),
    SEXTANT_AGENT_PKI_DIR: join(folder, "pki"),
    SEXTANT_AGENT_STATE_DIR: join(folder, "state"),
  };
}

function python(): string {
  return join(ROOT, ".venv/bin/python");
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function printed(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.on("data", (chunk) => {
      if (chunk.toString().includes(word)) resolve();
    });
    child.once("exit", (status) => reject(new Error(`ended with status ${status} before it was ${word}`)));
    child.once("error", reject);
  });
}

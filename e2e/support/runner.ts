/** What the runner itself says over its control socket (docs/contracts/runner.md): the ground truth of a story. */
import { readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { installation } from "./installation.ts";

export interface RunnerNf {
  nf: string;
  chain: string;
  pid: number;
  state: string;
  core: number;
  starts: number;
  drops: number;
  filtered: number;
  /** Figures of its type. */
  details: Record<string, unknown>;
}

/** Counters are cumulative since the chain was added. */
export interface RunnerChain {
  chain: string;
  offered: number;
  sent: number;
  delivered: number;
  misordered: number;
  damaged: number;
}

export interface RunnerState {
  chains: RunnerChain[];
  nfs: RunnerNf[];
}

export async function query(): Promise<RunnerState> {
  const { data, hostId } = installation();
  const { socket } = JSON.parse(readFileSync(join(data, "agent", hostId, "runner.json"), "utf8"));
  const answer = await ask(socket, { id: 1, op: "query" });
  if (answer.ok !== true) throw new Error(`runner: ${JSON.stringify(answer)}`);
  return answer as unknown as RunnerState;
}

function ask(path: string, request: object): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = createConnection(path, () => socket.write(`${JSON.stringify(request)}\n`));
    socket.setTimeout(5_000, () => socket.destroy(new Error("the runner does not answer")));
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the runner hung up")));
    socket.on("data", (chunk) => {
      text += chunk.toString();
      if (text.includes("\n")) {
        resolve(JSON.parse(text));
        socket.end();
      }
    });
  });
}

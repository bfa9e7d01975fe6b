/** Sends a file's bytes. XMLHttpRequest, because `fetch` does not report progress. */

import { writeHeaders } from "./client";
import { networkProblem, ProblemError, plainProblem, problemOf } from "./problem";
import type { Artefact, FileKind } from "./types";

export interface Upload {
  /** The stored artefact; `created` is false where its bytes were there already. Throws ProblemError. */
  readonly done: Promise<{ artefact: Artefact; created: boolean }>;
  readonly cancel: () => void;
}

export function uploadArtefact(file: Blob, name: string, kind: FileKind, onProgress: (share: number) => void): Upload {
  const request = new XMLHttpRequest();
  const done = new Promise<{ artefact: Artefact; created: boolean }>((resolve, reject) => {
    const fail = (cause: Error) => reject(new ProblemError(networkProblem(cause)));
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onerror = () => fail(new Error("The connection was lost"));
    request.ontimeout = () => fail(new Error("The connection timed out"));
    request.onabort = () => reject(new ProblemError(plainProblem("cancelled", "The upload was cancelled", "")));
    request.onload = () => {
      const response = new Response(null, { status: request.status });
      if (!response.ok) reject(new ProblemError(problemOf(parsed(request.responseText), response)));
      else resolve({ artefact: parsed(request.responseText) as Artefact, created: request.status === 201 });
    };
  });
  const query = new URLSearchParams({ name, kind });
  request.open("POST", `/api/v1/artefacts?${query}`);
  for (const [header, value] of Object.entries(writeHeaders("POST"))) request.setRequestHeader(header, value);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.send(file);
  return { done, cancel: () => request.abort() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

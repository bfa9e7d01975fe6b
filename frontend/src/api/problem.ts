/** RFC 9457 problems as errors: one error type from the backend's service to the sentence beside the field. */

import type { FieldError, Problem } from "./types";

export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail || problem.title);
    this.name = "ProblemError";
    this.problem = problem;
  }

  /** "stale-plan" of "urn:sextant:problem:stale-plan". */
  get kind(): string {
    return problemKind(this.problem);
  }
}

export function problemKind(problem: Problem): string {
  return problem.type.split(":").at(-1) ?? problem.type;
}

/** Any answer that is not a success, as a problem: also a proxy's HTML and an empty body. */
export function problemOf(body: unknown, response: Response): Problem {
  if (typeof body === "object" && body !== null && "title" in body && "type" in body) {
    return { errors: [], next_actions: [], ...body, status: response.status } as unknown as Problem;
  }
  return plainProblem(
    "unexpected-answer",
    `The console answered ${response.status}`,
    "The answer has an unknown format. The console may be starting, or a proxy answered for it.",
    response.status,
  );
}

/** A failure without an answer: the request did not reach the console. */
export function networkProblem(cause: unknown): Problem {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return plainProblem(
    "no-answer",
    "The console did not answer",
    `${detail}. It is not known whether anything changed.`,
    0,
    [
      { label: "Check that the console runs", command: "make status" },
      { label: "Of containers", command: "docker compose ps" },
    ],
  );
}

export function plainProblem(
  kind: string,
  title: string,
  detail: string,
  status = 0,
  next: Problem["next_actions"] = [],
): Problem {
  return {
    type: `urn:sextant:problem:${kind}`,
    title,
    status,
    detail,
    errors: [],
    next_actions: next,
    instance: null,
    request_id: null,
    difference: null,
  };
}

/** Any thrown value as a problem. */
export function asProblem(error: unknown): Problem {
  return error instanceof ProblemError ? error.problem : networkProblem(error);
}

/** The message of a field, by its path in the body. */
export function fieldMessages(errors: readonly FieldError[]): (field: string) => string | undefined {
  return (field) => {
    const own = errors.filter((error) => error.field === field);
    return own.length > 0 ? own.map((error) => error.message).join(" ") : undefined;
  };
}

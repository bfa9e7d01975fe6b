/** A page that cannot be loaded, or that breaks, in the frame: the way to the others stays. */

import type { ReactNode } from "react";
import { ProblemError, plainProblem } from "@/api/problem";
import { Button } from "@/ui/button";
import { ProblemNote } from "@/ui/problem-note";

/** As browsers say that a page's file cannot be had: the console is away, or was upgraded since. */
const NOT_LOADED = /dynamically imported module|importing a module script/i;

export function PageError({ error }: { error: unknown }): ReactNode {
  const message = error instanceof Error ? error.message : String(error);
  const problem =
    error instanceof ProblemError
      ? error.problem
      : NOT_LOADED.test(message)
        ? plainProblem(
            "page-not-loaded",
            "This page could not be loaded",
            `${message}. The console may be down or was just updated.`,
            0,
            [{ label: "Check that the console runs, then load the page again", command: "make status" }],
          )
        : plainProblem(
            "page-failed",
            "This page failed",
            `${message}. This is a defect of Sextant's page; nothing was changed by it. The command line shows the same.`,
          );
  return (
    <main className="page" id="page" tabIndex={-1}>
      <ProblemNote problem={problem}>
        <div className="row-actions">
          <Button onClick={() => location.reload()}>Load again</Button>
        </div>
      </ProblemNote>
    </main>
  );
}

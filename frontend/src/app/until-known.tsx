/** The one place for "not known yet": no page is drawn before the first snapshot, so none can state what is unknown. */

import type { ReactNode } from "react";
import { live, useLinkStatus, useLive } from "@/live/store";
import { Button } from "@/ui/button";

export function UntilKnown({ children }: { children: ReactNode }): ReactNode {
  const known = useLive((state) => state.ready);
  return known ? children : <Connecting />;
}

/** Bars where a page's title, its facts and its parts will stand. */
function Connecting(): ReactNode {
  const broken = useLinkStatus() === "broken";
  return (
    <main className="page" id="page" tabIndex={-1} aria-busy="true">
      <div className="title" aria-hidden="true">
        <i className="skeleton name" />
        <i className="skeleton facts" />
      </div>
      {broken ? (
        <div className="empty" role="status">
          The event stream of the console is not reachable, so the present state of the fleet is unknown. Retrying
          automatically; <code className="command">make status</code> shows whether the console runs.
          <div className="actions">
            <Button onClick={() => live.retry()}>Retry now</Button>
          </div>
        </div>
      ) : (
        <p className="empty late" role="status">
          Connecting to the console
        </p>
      )}
      <div className="skeletons" aria-hidden="true">
        <i className="skeleton" />
        <i className="skeleton" />
        <i className="skeleton" />
      </div>
    </main>
  );
}

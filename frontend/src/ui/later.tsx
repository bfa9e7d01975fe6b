/** What stands further down a page. It is drawn once the rest is there, in pieces between which the browser answers
 * presses and paints frames: a page that is drawn whole holds both up. */

import { type ReactNode, useDeferredValue } from "react";

export function Later({ children }: { children: ReactNode }): ReactNode {
  return useDeferredValue(true, false) ? children : null;
}

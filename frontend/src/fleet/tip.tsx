/** What lies under the pointer or the focus, line by line, beside it. */

import type { ReactNode } from "react";

export function Tip({ lines, x, y }: { lines: readonly string[]; x: number; y: number }): ReactNode {
  const left = Math.max(4, Math.min(x + 14, window.innerWidth - 316));
  const below = y + 24 + lines.length * 16 + 14 < window.innerHeight;
  const style = below ? { left, top: y + 18 } : { left, bottom: window.innerHeight - y + 10 };
  return (
    <div className="tip" role="tooltip" style={style}>
      {lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
    </div>
  );
}

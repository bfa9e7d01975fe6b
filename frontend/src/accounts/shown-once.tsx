/** A password or token that no later answer shows. */

import type { ReactNode } from "react";
import { CopyButton } from "@/ui/copy-button";

export function ShownOnce({ what, secret }: { what: string; secret: string }): ReactNode {
  return (
    <p role="status">
      {what}, shown once: <code className="command">{secret}</code> <CopyButton text={secret} label="Copy" />
    </p>
  );
}

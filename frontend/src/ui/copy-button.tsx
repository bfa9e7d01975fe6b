/** Copies a text and says so in its own label. Works without a secure context, where there is no clipboard API. */

import { type ReactNode, useEffect, useState } from "react";

/** `curl`: the same as a request of the API, copied by a button beside. */
export function CopyButton(props: { text: string; label?: string; curl?: string }): ReactNode {
  const { text, label = "Copy as CLI", curl } = props;
  if (curl === undefined) return <Copy text={text} label={label} />;
  return (
    <>
      <Copy text={text} label={label} />
      <Copy text={curl} label="Copy as curl" />
    </>
  );
}

function Copy({ text, label }: { text: string; label: string }): ReactNode {
  const [state, setState] = useState<"idle" | "copied" | "refused">("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const shown = { idle: label, copied: "Copied", refused: "Not allowed here" }[state];
  return (
    <button
      type="button"
      className="btn quiet small"
      title={text.length < 200 ? text : undefined}
      onClick={() => copy(text).then((done) => setState(done ? "copied" : "refused"))}
    >
      {shown}
    </button>
  );
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** Where figures come from, and what each point is. */

import type { ReactNode } from "react";
import type { History } from "@/api/types";
import { duration } from "@/lib/format";
import { Mark } from "@/ui/marks";
import { originsOf } from "./points";

export function HistoryNote({ history }: { history: History }): ReactNode {
  const origins = originsOf(history);
  const { step_s } = history;
  return (
    <>
      {origins.map((origin) => (
        <Mark key={origin} origin={origin} />
      ))}
      {origins.length > 0 && `${origins.join(" and ")}, `}mean, least and most of every{" "}
      {step_s < 60 ? `${step_s} s` : duration(step_s)}
    </>
  );
}

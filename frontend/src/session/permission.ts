/** Why a button that changes the fleet is disabled: the role, or a picture too old to act on. */

import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "@/api/queries";
import { useStaleReason } from "@/live/freshness";

export function actReason(role: string | undefined, staleReason: string | null): string | null {
  if (role !== "operator" && role !== "admin") {
    return `Needs the role operator. You are ${role ?? "not signed in"}.`;
  }
  return staleReason;
}

export function useActReason(): string | null {
  const { data } = useQuery(sessionQuery);
  return actReason(data?.role, useStaleReason());
}

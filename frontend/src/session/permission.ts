/** Why a button is disabled: the permission that the role lacks, or a picture too old to act on. */

import { useQuery } from "@tanstack/react-query";
import { PERMISSIONS_OF } from "@/api/permissions.gen";
import { sessionQuery } from "@/api/queries";
import type { Role } from "@/api/types";
import { useStaleReason } from "@/live/freshness";

export const ROLES = ["viewer", "operator", "admin"] as const satisfies readonly Role[];
export type Permission = (typeof PERMISSIONS_OF)["admin"][number];

export function mayRole(role: Role | undefined, permission: Permission): boolean {
  return role !== undefined && (PERMISSIONS_OF[role] as readonly Permission[]).includes(permission);
}

/** What the role lacks; null where it may. */
export function roleReason(role: Role | undefined, permission: Permission): string | null {
  if (mayRole(role, permission)) return null;
  const least = ROLES.find((one) => mayRole(one, permission));
  return `Needs the role ${least ?? "admin"}. You are ${role ?? "not signed in"}.`;
}

export function actReason(role: Role | undefined, permission: Permission, staleReason: string | null): string | null {
  return roleReason(role, permission) ?? staleReason;
}

/** For what acts on the fleet as it is shown. */
export function useActReason(permission: Permission): string | null {
  const { data } = useQuery(sessionQuery);
  return actReason(data?.role, permission, useStaleReason());
}

/** For what does not depend on the state of the fleet. */
export function useRoleReason(permission: Permission): string | null {
  const { data } = useQuery(sessionQuery);
  return roleReason(data?.role, permission);
}

/** Users, and one's own account, as command lines. */

import type { Role } from "@/api/types";
import { shellWord } from "./shell-word";

export const accountsCli = {
  users: () => "sextant users list",
  createUser: (name: string, role: Role) => `sextant users create ${shellWord(name)} --role ${role}`,
  setRole: (name: string, role: Role) => `sextant users role ${name} ${role}`,
  disableUser: (name: string) => `sextant users disable ${name}`,
  enableUser: (name: string) => `sextant users enable ${name}`,
  resetPassword: (name: string) => `sextant users reset-password ${name}`,
  sessions: () => "sextant account sessions",
  endSession: (id: number) => `sextant account end-session ${id}`,
  changePassword: () => "sextant account password",
  tokens: () => "sextant tokens list",
  createToken: (name: string, role: Role, days: string) =>
    `sextant tokens create ${shellWord(name)} --role ${role} --days ${shellWord(days)}`,
  revokeToken: (id: number) => `sextant tokens revoke ${id}`,
} as const;

/** Times of a maintenance window that is asked for, and the command that asks for the same. */

import { describe, expect, it } from "vitest";
import { timesOf } from "@/automation/window-times";
import { cli } from "@/session/cli";

const NOON = Date.UTC(2026, 10, 26, 12);

describe("a maintenance window", () => {
  it("begins now where no time is given, and ends so many hours later", () => {
    expect(timesOf("", "2", NOON)).toEqual({ startsAt: null, endsAt: "2026-11-26T14:00:00.000Z" });
  });

  it("begins at a local time, and is over a day later", () => {
    const from = new Date(2026, 10, 27, 9, 30);
    expect(timesOf("2026-11-27T09:30", "24", NOON)).toEqual({
      startsAt: from.toISOString(),
      endsAt: new Date(from.getTime() + 86_400_000).toISOString(),
    });
  });

  it("is not asked for with a time that cannot be read", () => {
    expect(timesOf("tomorrow", "2", NOON)).toBeNull();
  });

  it("is the same by the command", () => {
    expect(cli.planWindow("edge-1", null, "2h", "new memory")).toBe(
      "sextant maintenance plan --host edge-1 --until 2h --reason 'new memory'",
    );
    expect(cli.planWindow(null, "2026-11-27T08:30:00.000Z", "2026-11-27T10:30:00.000Z", "x")).toBe(
      "sextant maintenance plan --from 2026-11-27T08:30:00.000Z --until 2026-11-27T10:30:00.000Z --reason x",
    );
  });
});

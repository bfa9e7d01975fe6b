import { render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { act } from "react";
import { describe, expect, it, vi } from "vitest";
import { live } from "@/live/store";
import { ChainsPage } from "@/pages/chains";
import { chain, snapshot } from "./fixtures";

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <span>{children}</span>,
}));

describe("a page before the first snapshot", () => {
  it("counts nothing, as nobody has told it yet", () => {
    render(<ChainsPage />);
    expect(screen.getByText("Loading chains")).toBeTruthy();
    expect(screen.queryByText("0")).toBeNull();
    act(() => live.receive({ type: "events", events: [snapshot({ chains: [chain("web"), chain("voice")] })] }));
    expect(screen.getByText("2").parentElement?.textContent).toBe("2 chains");
  });
});

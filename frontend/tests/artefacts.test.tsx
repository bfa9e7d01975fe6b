import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { type ReactNode, useState } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { artefactChoicesQuery, sessionQuery } from "@/api/queries";
import type { Artefact, NfType, Session } from "@/api/types";
import { ArtefactsTable } from "@/artefacts/artefacts-table";
import { artefactName, isArtefactName, kindByEnding, kindOfSetting } from "@/artefacts/files";
import { UploadList } from "@/artefacts/upload-list";
import { useUploads } from "@/artefacts/uploads";
import type { DraftNf } from "@/chains/draft";
import { NfEditor } from "@/chains/nf-editor";
import { settingOf, withSetting } from "@/nf-types/config";

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <span>{children}</span>,
}));
/** Nothing else is stored than what a test puts into the queries' cache. */
vi.mock("@/api/client", async (original) => ({
  ...(await original<typeof import("@/api/client")>()),
  api: { GET: async () => ({ data: { items: [], next: null }, response: new Response() }) },
}));
vi.mock("@/live/freshness", () => ({ useStaleReason: () => null }));

const artefact = (name: string, version: number, part: Partial<Artefact> = {}): Artefact => ({
  digest: `sha256:${name.charCodeAt(0).toString(16).repeat(31)}0${version}`,
  name,
  version,
  kind: "routes",
  size_bytes: 1200,
  created_at: "2026-11-20T10:00:00Z",
  created_by: "ada",
  uses: 0,
  used_by: [],
  nf_types: [],
  ...part,
});

function withClient(children: ReactNode, role: "operator" | "viewer" = "operator", stored: Artefact[] = []): ReactNode {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const session: Session = {
    username: "ops-1",
    role,
    csrf_token: "t",
    expires_at: "2026-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryData<Session | null>(sessionQuery.queryKey, session);
  client.setQueryData(artefactChoicesQuery("routes").queryKey, { items: stored, next: null });
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}

async function expectAccessible(element: Element): Promise<void> {
  const found = await axe.run(element, { rules: { region: { enabled: false }, "color-contrast": { enabled: false } } });
  expect(found.violations.map((violation) => violation.id)).toEqual([]);
}

/** A console that answers uploads when it is told to. */
class Wire {
  static all: Wire[] = [];
  readonly upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {};
  readonly headers: Record<string, string> = {};
  method = "";
  url = "";
  status = 0;
  responseText = "";
  sent: unknown;
  onload?: () => void;
  onabort?: () => void;
  onerror?: () => void;
  constructor() {
    Wire.all.push(this);
  }
  open(method: string, url: string): void {
    Object.assign(this, { method, url });
  }
  setRequestHeader(name: string, value: string): void {
    this.headers[name] = value;
  }
  send(content: unknown): void {
    this.sent = content;
  }
  abort(): void {
    this.onabort?.();
  }
  answer(status: number, answer: unknown): void {
    Object.assign(this, { status, responseText: typeof answer === "string" ? answer : JSON.stringify(answer) });
    this.onload?.();
  }
}

const wire = (): Wire => Wire.all.at(-1) as Wire;

vi.setConfig({ testTimeout: 30_000 });

beforeEach(() => {
  Wire.all = [];
  vi.stubGlobal("XMLHttpRequest", Wire);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe("a file on this computer", () => {
  it("has a kind by its ending, and a name that an artefact may have", () => {
    expect(["web.patterns", "day.PCAP", "a.rules", "routes", "a.txt", "x"].map(kindByEnding)).toEqual([
      "patterns",
      "pcap",
      "rules",
      "routes",
      null,
      null,
    ]);
    const names = {
      "my rules (2).txt": "my-rules-2-.txt",
      "../.hidden": "hidden",
      "Straße.pcap": "Stra-e.pcap",
      "?": "file",
    };
    for (const [file, name] of Object.entries(names)) {
      expect(artefactName(file)).toBe(name);
      expect(isArtefactName(name)).toBe(true);
    }
    expect(artefactName("x".repeat(300))).toHaveLength(120);
  });

  it("fits the setting that is called after its kind", () => {
    expect(["routes_file", "patterns_file", "pcap", "routes", "log_file", "_file"].map(kindOfSetting)).toEqual([
      "routes",
      "patterns",
      "pcap",
      null,
      null,
      null,
    ]);
  });
});

describe("a setting in a configuration's text", () => {
  it("is set, changed and left to its default; what else is there stays", () => {
    const first = withSetting("", "routes_file", "sha256:a");
    expect(JSON.parse(first)).toEqual({ routes_file: "sha256:a" });
    const second = withSetting('{"seed": 2}', "routes_file", "sha256:a");
    expect(JSON.parse(second)).toEqual({ seed: 2, routes_file: "sha256:a" });
    expect(JSON.parse(withSetting(second, "routes_file", null))).toEqual({ seed: 2 });
    expect(withSetting(first, "routes_file", null)).toBe("");
  });

  it("is not touched while the text is no JSON object", () => {
    for (const broken of ['{"seed": ', "[1]", "7"]) {
      expect(withSetting(broken, "routes_file", "sha256:a")).toBe(broken);
      expect(settingOf(broken, "routes_file")).toBeUndefined();
    }
    expect(settingOf("", "routes_file")).toBeNull();
    expect(settingOf('{"routes_file": "sha256:a"}', "routes_file")).toBe("sha256:a");
  });
});

describe("uploads", () => {
  function Uploads({ kind = null }: { kind?: "routes" | null }): ReactNode {
    const uploads = useUploads(kind);
    return (
      <>
        <button type="button" onClick={() => uploads.add([new File(["10.0.0.0/8 1"], "edge.routes")])}>
          add
        </button>
        <button type="button" onClick={() => uploads.add([new File(["x"], "notes.txt")])}>
          add other
        </button>
        <UploadList uploads={uploads} />
      </>
    );
  }

  it("show how far they are and how they ended", async () => {
    const { container } = render(withClient(<Uploads />));
    await userEvent.click(screen.getByRole("button", { name: "add" }));
    expect(wire().url).toBe("/api/v1/artefacts?name=edge.routes&kind=routes");
    expect(Object.keys(wire().headers)).toContain("Idempotency-Key");
    wire().upload.onprogress?.({ loaded: 30, total: 120 });
    await waitFor(() => expect(screen.getByText("25 %")).toBeDefined());
    expect(screen.getByRole("progressbar", { name: "Upload of edge.routes" })).toBeDefined();
    await expectAccessible(container);
    wire().answer(201, artefact("edge.routes", 2));
    expect(await screen.findByText("edge.routes is stored as version 2.")).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByRole("list", { name: "Uploads" })).toBeNull();
  });

  it("say when the bytes were there already", async () => {
    render(withClient(<Uploads />));
    await userEvent.click(screen.getByRole("button", { name: "add" }));
    wire().answer(200, artefact("other.routes", 1));
    expect(await screen.findByText("This file is already stored: other.routes version 1.")).toBeDefined();
  });

  it("can be cancelled, and leave nothing behind", async () => {
    render(withClient(<Uploads />));
    await userEvent.click(screen.getByRole("button", { name: "add" }));
    const abort = vi.spyOn(wire(), "abort");
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    expect(abort).toHaveBeenCalledOnce();
    expect(screen.queryByRole("list", { name: "Uploads" })).toBeNull();
  });

  it("show why they were refused, and can be sent again", async () => {
    render(withClient(<Uploads />));
    await userEvent.click(screen.getByRole("button", { name: "add" }));
    wire().answer(422, {
      type: "urn:sextant:problem:validation",
      title: "The request has fields that do not fit",
      detail: "edge.routes is no file of kind routes: line 7: byte 0xff at column 1 is not UTF-8",
      errors: [7, 9].map((line) => ({ field: "body", message: `line ${line}: byte 0xff at column 1 is not UTF-8` })),
      next_actions: [],
    });
    expect(await screen.findByText("edge.routes was not stored: the request has fields that do not fit")).toBeDefined();
    expect(screen.getByText(/line 9: byte 0xff/)).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "Retry" }));
    wire().answer(201, artefact("edge.routes", 1));
    expect(await screen.findByText("edge.routes is stored as version 1.")).toBeDefined();
    expect(Wire.all).toHaveLength(2);
  });

  it("report an answer that is no problem description, and a broken connection", async () => {
    render(withClient(<Uploads />));
    await userEvent.click(screen.getByRole("button", { name: "add" }));
    wire().answer(502, "<html>");
    expect(await screen.findByText("edge.routes was not stored: the console answered 502")).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "Retry" }));
    wire().onerror?.();
    expect(await screen.findByText("edge.routes was not stored: the console did not answer")).toBeDefined();
  });

  it("ask for the kind where the file name's ending does not say it", async () => {
    render(withClient(<Uploads />));
    await userEvent.click(screen.getByRole("button", { name: "add other" }));
    expect(Wire.all).toHaveLength(0);
    const send = screen.getByRole("button", { name: "Upload" });
    expect(send.getAttribute("aria-disabled")).toBe("true");
    await userEvent.click(screen.getByRole("button", { name: /Kind/ }));
    await userEvent.click(screen.getByRole("option", { name: /rules/ }));
    await userEvent.click(screen.getByRole("button", { name: "Upload" }));
    expect(wire().url).toBe("/api/v1/artefacts?name=notes.txt&kind=rules");
  });
});

describe("the table of artefacts", () => {
  it("deletes what no chain names, and says of the others who does", async () => {
    const used = artefact("web.routes", 1, { uses: 21, used_by: ["mail", "web", "x", "y", "z"] });
    render(
      withClient(<ArtefactsTable artefacts={[used, artefact("old.routes", 3)]} sort={undefined} onSort={vi.fn()} />),
    );
    const [first, second] = screen.getAllByRole("button", { name: /^Delete/ });
    expect(first?.getAttribute("aria-disabled")).toBe("true");
    expect(screen.getByText(/Used by mail, web, x, y, z and 16 more/)).toBeDefined();
    expect(screen.getByText(/and 17 more$/)).toBeDefined();
    await userEvent.click(second as HTMLElement);
    expect(await screen.findByRole("alertdialog", { name: "Delete old.routes version 3" })).toBeDefined();
  });

  it("lets a viewer download and nothing more", () => {
    const { container } = render(
      withClient(<ArtefactsTable artefacts={[artefact("a.routes", 1)]} sort={undefined} onSort={vi.fn()} />, "viewer"),
    );
    expect(screen.getByText("Needs the role operator. You are viewer.")).toBeDefined();
    const link = container.querySelector("a[download]");
    expect(link?.getAttribute("href")).toBe(`/api/v1/artefacts/${artefact("a.routes", 1).digest}/content`);
  });
});

describe("a file in an NF's editor", () => {
  const router: NfType = {
    name: "router",
    version: 2,
    short_name: "router",
    summary: "",
    library: "rte_lpm",
    config_schema: { properties: { routes_file: { type: ["string", "null"], default: null } } },
    artefacts: [{ name: "routes_file", description: "One route a line", max_bytes: 1000 }],
    implementation: null,
  };
  const small = artefact("small.routes", 1, { size_bytes: 900 });
  const large = artefact("large.routes", 1, { size_bytes: 2000 });

  function Editor({ config = "", error }: { config?: string; error?: string }): ReactNode {
    const [nf, setNf] = useState<DraftNf>({
      key: "1",
      type: "router",
      name: "router",
      config,
      cpuShare: "",
      cpuQuota: "",
    });
    return (
      <NfEditor
        nf={nf}
        index={0}
        count={1}
        type={router}
        errors={error ? [{ field: "nfs.0.config.routes_file", message: error }] : []}
        onChange={setNf}
        onMove={() => undefined}
        onRemove={() => undefined}
      />
    );
  }
  const configuration = () => (screen.getByLabelText("Configuration") as HTMLTextAreaElement).value;

  it("is chosen among those that fit, and written into the configuration", async () => {
    const { container } = render(withClient(<Editor config={'{"seed": 2}'} />, "operator", [large, small]));
    await expectAccessible(container);
    await userEvent.click(screen.getByRole("button", { name: /routes_file/ }));
    expect(screen.getByRole("option", { name: /large.routes/ }).getAttribute("aria-disabled")).toBe("true");
    await userEvent.click(screen.getByRole("option", { name: /small.routes version 1/ }));
    expect(JSON.parse(configuration())).toEqual({ seed: 2, routes_file: small.digest });
    await userEvent.click(screen.getByRole("button", { name: /routes_file/ }));
    await userEvent.click(screen.getByRole("option", { name: "none" }));
    expect(JSON.parse(configuration())).toEqual({ seed: 2 });
  });

  it("is uploaded in place, and named by its digest", async () => {
    const { container } = render(withClient(<Editor />, "operator", []));
    const input = container.querySelector("input[type=file]") as HTMLInputElement;
    await userEvent.upload(input, new File(["10.0.0.0/8 1"], "my list.txt"));
    expect(wire().url).toBe("/api/v1/artefacts?name=my-list.txt&kind=routes");
    wire().answer(201, artefact("my-list.txt", 1));
    await waitFor(() => expect(configuration()).toContain(artefact("my-list.txt", 1).digest));
  });

  it("has what is wrong with it beside it", () => {
    render(withClient(<Editor error="no artefact sha256:1 is stored" />, "operator", []));
    expect(screen.getByRole("alert").textContent).toBe("no artefact sha256:1 is stored");
  });

  it("waits while the configuration is no JSON object", () => {
    render(withClient(<Editor config="{" error="does not match" />, "operator", []));
    expect(screen.getByText(/Files can be chosen once/)).toBeDefined();
    expect(screen.queryByRole("button", { name: /routes_file/ })).toBeNull();
    expect(screen.getByText(/does not match/)).toBeDefined();
  });
});

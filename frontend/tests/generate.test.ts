// @vitest-environment node
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { generateAlgorithms } from "../scripts/generate/algorithms.mjs";
import { generate } from "../scripts/generate/types.mjs";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "types-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Makes the types of a document with one schema; whether they were written, and what they are. */
async function typesOf(name: string) {
  const [source, target] = [path.join(folder, "openapi.json"), path.join(folder, "schema.gen.ts")];
  const schemas = { [name]: { type: "object", required: ["id"], properties: { id: { type: "integer" } } } };
  const document = { openapi: "3.1.0", info: { title: "t", version: "1" }, paths: {}, components: { schemas } };
  writeFileSync(source, JSON.stringify(document));
  const written = await generate(source, target);
  return { written, text: readFileSync(target, "utf8") };
}

it("makes the types of a fresh clone, and leaves nothing else there", async () => {
  const { written, text } = await typesOf("Host");
  expect(written).toBe(true);
  expect(text).toMatch(/^\/\/ Generated .* Do not edit\.\n/);
  expect(text).toMatch(/Host: \{\s+id: number;/);
  expect(readdirSync(folder).sort()).toEqual(["openapi.json", "schema.gen.ts"]);
});

it("makes them again where the document is another, and only there", async () => {
  await typesOf("Host");
  expect((await typesOf("Host")).written).toBe(false);
  const { written, text } = await typesOf("Chain");
  expect([written, text.includes("Chain: {"), text.includes("Host: {")]).toEqual([true, true, false]);
});

it("makes a module of what the document declares of algorithms", () => {
  const [source, target] = [path.join(folder, "openapi.json"), path.join(folder, "algorithms.gen.ts")];
  const declared = [{ name: "best_fit", summary: "the fullest node that has room", offered: true }];
  writeFileSync(source, JSON.stringify({ components: { schemas: { Algorithm: { "x-algorithms": declared } } } }));
  expect(generateAlgorithms(source, target)).toBe(true);
  expect(generateAlgorithms(source, target)).toBe(false);
  expect(readFileSync(target, "utf8")).toContain('"name": "best_fit"');
});

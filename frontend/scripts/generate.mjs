// Writes src/api/*.gen.ts, which are not committed, from docs/openapi.json; a moment where they were made from the same.
// SEXTANT_OPENAPI names another document.
import { fileURLToPath } from "node:url";
import { generateAlgorithms } from "./generate/algorithms.mjs";
import { generatePermissions } from "./generate/permissions.mjs";
import { generate } from "./generate/types.mjs";

const source = process.env.SEXTANT_OPENAPI ?? fileURLToPath(new URL("../../docs/openapi.json", import.meta.url));
/** @param {string} name */
const target = (name) => fileURLToPath(new URL(`../src/api/${name}`, import.meta.url));

if (generateAlgorithms(source, target("algorithms.gen.ts"))) console.log("src/api/algorithms.gen.ts written");
if (generatePermissions(source, target("permissions.gen.ts"))) console.log("src/api/permissions.gen.ts written");
if (await generate(source, target("schema.gen.ts"))) console.log("src/api/schema.gen.ts written");

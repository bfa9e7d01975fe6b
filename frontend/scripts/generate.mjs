// Writes src/api/schema.gen.ts, which is not committed, from docs/openapi.json; a moment where it was made from the same.
// SEXTANT_OPENAPI names another document.
import { fileURLToPath } from "node:url";
import { generate } from "./generate/types.mjs";

const source = process.env.SEXTANT_OPENAPI ?? fileURLToPath(new URL("../../docs/openapi.json", import.meta.url));
const target = fileURLToPath(new URL("../src/api/schema.gen.ts", import.meta.url));

if (await generate(source, target)) console.log("src/api/schema.gen.ts written");

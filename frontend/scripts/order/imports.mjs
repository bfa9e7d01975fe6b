// Every import of a source tree, by TypeScript's own parser: also of types, re-exports, import() and workers' files.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/**
 * @typedef {object} Import
 * @property {string} file path within the tree, "fleet/legend.tsx"
 * @property {number} line from 1
 * @property {string} from folder of the file; "" for the tree's own
 * @property {string | null} to folder of what is imported; null for a package, or a file outside of the tree
 * @property {string} name as it is written: "@/fleet/layers", "react"
 */

/** @param {string} root @returns {Import[]} */
export function readImports(root) {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .sort()
    .flatMap((file) => importsOf(root, file));
}

/** @param {string} root @param {string} file @returns {Import[]} */
function importsOf(root, file) {
  const from = folderOf(file);
  const text = readFileSync(path.join(root, file), "utf8");
  return namesIn(file, text).map(({ name, line }) => ({ file, line, from, to: target(root, from, name), name }));
}

/** The folder that a name leads to. @param {string} root @param {string} from @param {string} name */
function target(root, from, name) {
  if (!/^(@\/|\.)/.test(name)) return null;
  const at = name.startsWith("@/") ? path.posix.normalize(name.slice(2)) : path.posix.join(from, name);
  if (at.startsWith("..")) return null;
  return statSync(path.join(root, at), { throwIfNoEntry: false })?.isDirectory() ? at : folderOf(at);
}

/** @param {string} file */
function folderOf(file) {
  const folder = path.posix.dirname(file);
  return folder === "." ? "" : folder;
}

/** @param {string} file @param {string} text */
function namesIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  /** @type {{ name: string, line: number }[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const name = importedBy(node);
    if (name && ts.isStringLiteralLike(name)) {
      found.push({ name: name.text, line: source.getLineAndCharacterOfPosition(name.getStart(source)).line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The part of a node that names a module; undefined where it imports nothing. @param {ts.Node} node */
function importedBy(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0];
  return isFileOfModule(node) ? node.arguments?.[0] : undefined;
}

/** `new URL("./worker.ts", import.meta.url)`. @param {ts.Node} node @returns {node is ts.NewExpression} */
function isFileOfModule(node) {
  if (!ts.isNewExpression(node) || !ts.isIdentifier(node.expression) || node.expression.text !== "URL") return false;
  const base = node.arguments?.[1];
  return base !== undefined && ts.isPropertyAccessExpression(base) && ts.isMetaProperty(base.expression);
}

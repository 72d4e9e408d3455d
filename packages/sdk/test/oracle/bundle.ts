// The official JSON Schemas, read at test time from the conformance suite, which is pinned as a development dependency. The suite contains
// one plain object literal per revision and one map that names them by revision. No part of them is copied into this repository, and a part
// that can't be found or read is an error, never a skipped check.

import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { runInNewContext } from 'node:vm';

const packageName = '@modelcontextprotocol/conformance';
const packageVersion = '0.2.0-alpha.12';

/** The revisions the suite carries a schema for. */
export const bundledRevisions = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;

export type BundledRevision = (typeof bundledRevisions)[number];

/** A JSON Schema node as plain data. */
export type Schema = { [keyword: string]: unknown };

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The text of the suite's only module. Throws if the package is missing or not exactly the pinned version, because the schemas decide what
 * is correct.
 */
export function readBundle(manifest = findPackageJSON(packageName, import.meta.url)): string {
  if (manifest === undefined) throw new Error(`${packageName} is not installed; the wire oracle needs its schemas`);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown };
  if (version !== packageVersion) {
    throw new Error(`${packageName} is ${String(version)}, but the wire oracle reads exactly ${packageVersion}`);
  }
  return readFileSync(join(dirname(manifest), 'dist', 'index.js'), 'utf8');
}

/** The schema documents by revision, extracted from the suite's text. Throws if one of the four can't be found or read. */
export function extractSchemas(text: string): Map<BundledRevision, Schema> {
  const names = schemaNames(text);
  const documents = new Map<BundledRevision, Schema>();
  for (const revision of bundledRevisions) {
    const name = names.get(revision);
    if (name === undefined) throw new Error(`${packageName}: no schema is named for ${revision}`);
    documents.set(revision, schemaDocument(text, name));
  }
  return documents;
}

/** Finds the map `{ "2025-03-26": a, …, [b]: c }` and returns revision → variable name. */
function schemaNames(text: string): Map<string, string> {
  const maps = /\{(?:\s*(?:(["'`])\d{4}-\d\d-\d\d\1|\[\s*[\w$]+\s*\])\s*:\s*[A-Za-z_$][\w$]*\s*,?)+\s*\}/g;
  for (const [literal] of text.matchAll(maps)) {
    const names = new Map<string, string>();
    for (const entry of literal.matchAll(/(?:["'`]([\d-]+)["'`]|\[\s*([\w$]+)\s*\])\s*:\s*([\w$]+)/g)) {
      const key = entry[1] ?? dateConstant(text, entry[2] ?? '');
      names.set(key, entry[3] ?? '');
    }
    if (bundledRevisions.every((revision) => names.has(revision))) return names;
  }
  throw new Error(`${packageName}: the map of schemas by revision was not found`);
}

/** The value of a variable that holds a revision, for a computed key of the map. */
function dateConstant(text: string, name: string): string {
  const values = new Set<string>();
  for (const match of text.matchAll(assignment(name, '(["\'`])(\\d{4}-\\d\\d-\\d\\d)\\1'))) values.add(match[2] ?? '');
  const [value] = values;
  if (value === undefined || values.size > 1)
    throw new Error(`${packageName}: can't tell which revision ${name} names`);
  return value;
}

function schemaDocument(text: string, name: string): Schema {
  const found: Schema[] = [];
  for (const match of text.matchAll(assignment(name, '\\{\\s*["\'`]?\\$schema["\'`]?\\s*:'))) {
    const value = evaluate(balanced(text, text.indexOf('{', match.index)), name);
    if (isObject(value) && isObject(definitionsOf(value)?.['JSONRPCMessage'])) found.push(value);
  }
  const [document] = found;
  if (document === undefined || found.length > 1) {
    throw new Error(`${packageName}: found ${found.length} schema documents in the variable ${name}, not one`);
  }
  return document;
}

/** `definitions` of draft-07, `$defs` of 2020-12. */
export function definitionsOf(document: Schema): Schema | undefined {
  const definitions = document['$defs'] ?? document['definitions'];
  return isObject(definitions) ? definitions : undefined;
}

function assignment(name: string, value: string): RegExp {
  return new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\s*=\\s*${value}`, 'g');
}

/** The object literal that starts at `start`, up to its closing brace; braces inside strings don't count. */
function balanced(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"' || character === "'" || character === '`') at = endOfString(text, at);
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return text.slice(start, at + 1);
  }
  throw new Error(`${packageName}: the object literal at ${start} does not end`);
}

function endOfString(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) return at;
  }
  throw new Error(`${packageName}: the string at ${start} does not end`);
}

/** Evaluates a literal in an empty scope: a name, a call or generated code in it is an error. */
function evaluate(literal: string, name: string): unknown {
  const bare = { contextCodeGeneration: { strings: false, wasm: false }, timeout: 5_000 };
  try {
    // Through JSON text the value becomes plain data of this realm.
    return JSON.parse(JSON.stringify(runInNewContext(`(${literal})`, Object.create(null) as object, bare))) as unknown;
  } catch (error) {
    throw new Error(`${packageName}: the schema in the variable ${name} is not a plain literal`, { cause: error });
  }
}

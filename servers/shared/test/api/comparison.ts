// Descriptions that are written by hand are compared with the published ones by a command. What was compared is recorded beside them, so that
// a test can notice a description that has changed since.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { compareOpenApi, type ComparisonOptions } from './compare-openapi.ts';
import type { OpenApi } from './openapi.ts';

/** Why descriptions differ, by a pattern for the lines of differences. */
export type KnownDifferences = readonly (readonly [pattern: RegExp, reason: string])[];

interface ComparisonRecord {
  /** `sha256`: of what it says at the places that were compared. */
  readonly published: {
    readonly title: string;
    readonly version: string;
    readonly sha256: string;
    /** What else has to be known about it. */
    readonly note?: string;
  };
  readonly description: { readonly sha256: string; readonly operations: readonly string[] };
}

interface Published extends OpenApi {
  readonly info: { readonly title: string; readonly version: string };
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function describedIn(document: OpenApi, operations: readonly string[]): ComparisonRecord['description'] {
  return { sha256: hashOf(document), operations };
}

function operationsOf({ paths }: OpenApi): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/** Explains differences. What is not known fails, and so does what is known and no longer there. */
export function explainDifferences(differences: readonly string[], known: KnownDifferences) {
  const counted = known.map(([pattern, reason]) => ({
    pattern,
    reason,
    count: differences.filter((line) => pattern.test(line)).length,
  }));
  const failures = [
    ...differences.filter((line) => !known.some(([pattern]) => pattern.test(line))),
    ...counted.filter(({ count }) => count === 0).map(({ pattern }) => `no difference is like ${String(pattern)}`),
  ];
  return { failures, explained: counted.map(({ reason, count }) => `${count} known: ${reason}`) };
}

export interface ComparisonCommand extends ComparisonOptions {
  readonly document: OpenApi;
  readonly known?: KnownDifferences;
  /** The file that is written if all differences are known. */
  readonly record: URL;
  /** Default: JSON. */
  readonly parse?: (text: string) => unknown;
}

/**
 * Compares a description with the published one in the file that the first argument of the process names. Gives what to say, and sets the exit
 * code.
 */
export function runComparison(command: ComparisonCommand): readonly string[] {
  const { document, known = [], record, parse = JSON.parse, ...options } = command;
  const [file] = process.argv.slice(2);
  if (file === undefined) throw new Error('Name the file with the published description');
  const theirs = parse(readFileSync(file, 'utf8')) as Published;
  const { differences, published, operations } = compareOpenApi(document, theirs, options);
  const { failures, explained } = explainDifferences(differences, known);
  process.exitCode = failures.length === 0 ? 0 : 1;
  if (failures.length === 0) {
    const { title, version } = theirs.info;
    const written: ComparisonRecord = {
      published: { title, version, sha256: hashOf(published) },
      description: describedIn(document, operations),
    };
    writeFileSync(record, `${JSON.stringify(written, null, 2)}\n`);
  }
  return [
    ...explained,
    ...failures.map((line) => `FAIL ${line}`),
    `${operations.length} operations compared: ${failures.length} unknown differences`,
  ];
}

/** Fails if a description has changed since it was compared. */
export function assertCompared(document: OpenApi, record: URL): void {
  const { description } = JSON.parse(readFileSync(record, 'utf8')) as ComparisonRecord;
  assert.deepEqual(
    description,
    describedIn(document, operationsOf(document)),
    'The description has changed: compare it with the published one again (compare-description.ts)',
  );
}

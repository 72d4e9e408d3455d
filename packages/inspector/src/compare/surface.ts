import { isObject } from '@tenon/values/is-object';
import type { ErrorCode } from '../values/error-codes.ts';
import { prettyJson } from '../values/json-text.ts';

/** The version of the format. Newer versions are rejected. */
const SURFACE_VERSION = 1;

type Json = Readonly<Record<string, unknown>>;

/**
 * The definitions of a server, for linting, and for comparison with those of another time or another server. The entries are
 * exactly as the server sent them, including those that no client can use: each may be any JSON.
 */
export interface Surface {
  /** The version of the format. */
  readonly surface: typeof SURFACE_VERSION;
  /** Name, version and other members of the server's own description; may be empty. */
  readonly server: Json;
  /** The revision of the protocol in which it was read. */
  readonly revision: string;
  /** The capabilities that the server declares. */
  readonly capabilities: Json;
  /** The server's instructions for models. */
  readonly instructions?: string;
  /** The entries of `tools/list`. */
  readonly tools: readonly unknown[];
  /** The entries of `resources/list`. */
  readonly resources: readonly unknown[];
  /** The entries of `resources/templates/list`. */
  readonly templates: readonly unknown[];
  /** The entries of `prompts/list`. */
  readonly prompts: readonly unknown[];
}

export const SURFACE_LISTS = ['tools', 'resources', 'templates', 'prompts'] as const;
export type SurfaceList = (typeof SURFACE_LISTS)[number];

/** A surface whose entries are JSON texts, exactly as the server sent them, so that no number loses a digit. */
export interface SurfaceParts extends Omit<Surface, 'surface' | SurfaceList>, Record<SurfaceList, readonly string[]> {}

/** A text is not a surface, or has an unknown version. */
export class SurfaceError extends Error {
  /** Always `SurfaceError`. */
  override readonly name = 'SurfaceError';
  /** Stable: docs/errors.md lists the codes. */
  readonly code: ErrorCode<'SurfaceError'>;
  /** What to do about it. */
  readonly fix: string;

  constructor(code: ErrorCode<'SurfaceError'>, message: string, fix: string) {
    super(message);
    this.code = code;
    this.fix = fix;
  }
}

/** Deeper than any message that clients accept. */
const MAX_DEPTH = 200;
const SAVE_AGAIN = 'Save the surface of the server again.';

/** The text of a surface for saving: JSON with two spaces per level, and every number in its entries as the server sent it. */
export function surfaceText(parts: SurfaceParts): string {
  const { server, revision, capabilities, instructions } = parts;
  const head = JSON.stringify({ surface: SURFACE_VERSION, server, revision, capabilities, instructions });
  const lists = SURFACE_LISTS.map((list) => `"${list}":[${parts[list].join(',')}]`);
  return `${prettyJson(`${head.slice(0, -1)},${lists.join(',')}}`)}\n`;
}

/**
 * Reads the text of `surfaceText`. Throws a `SurfaceError` that says what is wrong.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { readSurface } from '@tenon/inspector';
 *
 * const { tools } = readSurface(await readFile('weather.baseline.json', 'utf8'));
 * ```
 */
export function readSurface(text: string): Surface {
  const value = parsed(text);
  const version = value['surface'];
  if (version === undefined)
    throw new SurfaceError('not-a-surface', 'This is not a saved surface: it has no member "surface"', SAVE_AGAIN);
  if (version !== SURFACE_VERSION)
    throw new SurfaceError(
      'newer-surface',
      `This surface has version ${typeof version === 'number' ? version : 'unknown'}; this program knows version ${SURFACE_VERSION}`,
      'Use a newer version of this program.',
    );
  const wrong =
    ['server', 'capabilities'].find((name) => !isObject(value[name])) ??
    SURFACE_LISTS.find((list) => !Array.isArray(value[list])) ??
    (typeof value['revision'] === 'string' ? undefined : 'revision') ??
    (['string', 'undefined'].includes(typeof value['instructions']) ? undefined : 'instructions');
  if (wrong !== undefined) throw new SurfaceError('not-a-surface', `The surface has no usable "${wrong}"`, SAVE_AGAIN);
  if (isDeeper(value, MAX_DEPTH))
    throw new SurfaceError(
      'too-deep',
      `The surface is nested more than ${MAX_DEPTH} levels deep`,
      'No client accepts such an entry.',
    );
  return value as unknown as Surface;
}

function parsed(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SurfaceError('not-a-surface', `This is not a saved surface: ${(error as Error).message}`, SAVE_AGAIN);
  }
  if (isObject(value)) return value;
  throw new SurfaceError('not-a-surface', 'This is not a saved surface: it is not a JSON object', SAVE_AGAIN);
}

/** Checks level by level, because recursion could overflow the stack. */
function isDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    const next: unknown[] = [];
    for (const each of level)
      if (typeof each === 'object' && each !== null) for (const inner of Object.values(each)) next.push(inner);
    level = next;
  }
  return false;
}

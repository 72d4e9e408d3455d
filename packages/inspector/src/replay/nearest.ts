import { CODE } from 'tenon/client';
import type { Scene } from './script.ts';

/** An error that says what the trace does not contain. */
export interface Unknown {
  readonly code: number;
  readonly message: string;
  /** As JSON. */
  readonly data?: string;
}

const MAX_NAMES = 10;
const SHOWN = 300;

/** Every value in a JSON text, with its path. */
function leavesOf(json: string): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (value: unknown, path: string, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 20) found.add(`${path}=${JSON.stringify(value)}`);
    else for (const [name, inner] of Object.entries(value)) walk(inner, `${path}/${name}`, depth + 1);
  };
  walk(JSON.parse(json), '', 0);
  return found;
}

/** The similarity of two sets, from 0 to 1. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const leaf of a) if (b.has(leaf)) both++;
  return both / Math.max(1, a.size + b.size - both);
}

function subjectIn(params: string): unknown {
  // The params of a client may be any JSON.
  const value = JSON.parse(params) as { name?: unknown; uri?: unknown } | null;
  return value?.name ?? value?.uri;
}

function shown(json: string): string {
  return json.length > SHOWN ? `${json.slice(0, SHOWN)}…` : json;
}

/**
 * The error for a request that the trace does not contain, with the nearest recorded one. `written`: returns the params of a line
 * as they were written. `elsewhere`: a sentence that says where the request may be instead.
 */
export function nearestTo(
  scenes: readonly Scene[],
  method: string,
  params: string,
  written: (n: number) => string,
  elsewhere?: string,
): Unknown {
  const own = scenes.filter((scene) => scene.method === method);
  if (own.length === 0) {
    const known = [...new Set(scenes.map((scene) => scene.method))].filter(
      (each) => !each.startsWith('notifications/'),
    );
    return {
      code: CODE.methodNotFound,
      message: `The trace has no ${method.slice(0, 100)}${elsewhere === undefined ? '' : `. ${elsewhere}`}`,
      data: JSON.stringify({ recorded: known.slice(0, MAX_NAMES) }),
    };
  }
  const subject = subjectIn(params);
  const about = own.filter((scene) => scene.subject === subject);
  const leaves = leavesOf(params);
  const [nearest] = (about.length > 0 ? about : own)
    .map((scene) => ({ scene, likeness: likeness(leaves, leavesOf(scene.params)) }))
    .sort((a, b) => b.likeness - a.likeness);
  const { n } = nearest!.scene;
  const recorded = written(n);
  const what = typeof subject === 'string' ? `${method} of ${subject.slice(0, 100)}` : method;
  const how = about.length > 0 ? `${what} with these params` : what;
  return {
    code: CODE.invalidParams,
    message: `The trace has no ${how}. The nearest is line ${n}: ${shown(recorded)}`,
    data: `{"nearest":{"line":${n},"params":${recorded}}}`,
  };
}

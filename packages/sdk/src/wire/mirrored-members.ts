import { isObject } from '../protocol/jsonrpc.ts';
import { META, type Meta } from '../protocol/meta.ts';
import type { MirroredParam } from './param-headers.ts';
import { type Members, repeatedMember } from './repeated-members.ts';

/** Members of the value are not checked. */
const LEAF: Members = new Map();

/** The members of a message that the standard headers repeat, by the parameter that `Mcp-Name` repeats. */
const STANDARD = new Map<string | undefined, Members>();

function standardMembers(source: string | undefined): Members {
  const known = STANDARD.get(source);
  if (known !== undefined) return known;
  const params: Members = new Map([['_meta', new Map([[META.protocolVersion, LEAF]])]]);
  if (source !== undefined) params.set(source, LEAF);
  const members: Members = new Map([
    ['method', LEAF],
    ['params', params],
  ]);
  STANDARD.set(source, members);
  return members;
}

/** Does the text contain this more than `times` times? */
function isMoreThan(text: string, part: string, times: number): boolean {
  let at = -1;
  for (let found = 0; found <= times; found++) if ((at = text.indexOf(part, at + 1)) === -1) return false;
  return true;
}

/**
 * A quick check that passes almost every message. It searches for the ends of names, because the quotes with which they begin are
 * everywhere.
 */
function mayRepeat(text: string, meta: Meta, source: string | undefined): boolean {
  const client = meta[META.clientInfo];
  const others = source === 'name' && isObject(client) && client['name'] !== undefined ? 1 : 0;
  return (
    isMoreThan(text, 'method"', 1) ||
    isMoreThan(text, 'params"', 1) ||
    isMoreThan(text, '_meta"', 1) ||
    isMoreThan(text, 'Version"', 1) ||
    (source !== undefined && isMoreThan(text, `${source}"`, 1 + others)) ||
    // A name may be written with escapes. Most messages have none at all.
    (text.includes('\\') && (text.includes('\\u') || text.includes('\\/')))
  );
}

/** The name of a member that occurs more than once in a message although a standard header repeats it, or a part of it. */
export function repeatedStandardMember(text: string, meta: Meta, source: string | undefined): string | undefined {
  return mayRepeat(text, meta, source) ? repeatedMember(text, standardMembers(source)) : undefined;
}

/** The same for the arguments that headers repeat. */
export function repeatedArgument(text: string, mirrored: readonly MirroredParam[]): string | undefined {
  const args: Members = new Map();
  for (const { path } of mirrored) {
    let members = args;
    for (const name of path) {
      const below: Members = members.get(name) ?? new Map();
      members.set(name, below);
      members = below;
    }
  }
  return repeatedMember(text, new Map([['params', new Map([['arguments', args]])]]));
}

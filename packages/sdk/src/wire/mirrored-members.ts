import { isObject } from '../protocol/jsonrpc.ts';
import { META, type Meta } from '../protocol/meta.ts';
import type { MirroredParam } from './param-headers.ts';
import { type Members, repeatedMember } from './repeated-members.ts';

/** Nothing below a member is looked at. */
const LEAF: Members = new Map();

/** What the standard headers repeat of a message, by the parameter that `Mcp-Name` repeats. */
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

/** Does the text contain this more than so many times? */
function isMoreThan(text: string, part: string, times: number): boolean {
  let at = -1;
  for (let found = 0; found <= times; found++) if ((at = text.indexOf(part, at + 1)) === -1) return false;
  return true;
}

/** A quick look that clears almost every message. The ends of names are looked for: quotes, with which they begin, are everywhere. */
function mayRepeat(text: string, meta: Meta, source: string | undefined): boolean {
  const client = meta[META.clientInfo];
  const others = source === 'name' && isObject(client) && client['name'] !== undefined ? 1 : 0;
  return (
    isMoreThan(text, 'method"', 1) ||
    isMoreThan(text, 'params"', 1) ||
    isMoreThan(text, '_meta"', 1) ||
    isMoreThan(text, 'Version"', 1) ||
    (source !== undefined && isMoreThan(text, `${source}"`, 1 + others)) ||
    // A name may be spelled with escapes.
    text.includes('\\u') ||
    text.includes('\\/')
  );
}

/** The name of a member that a message has more than once although a standard header repeats it, or something in it. */
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

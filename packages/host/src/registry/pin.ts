import type { ToolEntry } from 'tenon/client';
import { canonicalJson } from '@tenon/values/canonical-json';
import type { ServerDescription } from '../values/server-description.ts';
import { sha256 } from '../values/sha256.ts';
import { differenceOf } from './difference.ts';

type Icons = NonNullable<ToolEntry['icons']>;
type Meta = NonNullable<ToolEntry['_meta']>;

/** Keys of trace context in `_meta`: they belong to the message that brought an entry, and differ each time. */
const TRACE_KEYS: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage']);

/** Icons are a set: neither their order nor that of their sizes changes what is shown. */
function pinnedIcons(icons: Icons | undefined): unknown {
  if (icons === undefined || icons.length === 0) return undefined;
  const texts = icons.map((icon) => canonicalJson({ ...icon, sizes: icon.sizes?.toSorted() }));
  return [...new Set(texts)].sort().map((text): unknown => JSON.parse(text));
}

function pinnedMeta(meta: Meta | undefined): unknown {
  const entries = Object.entries(meta ?? {}).filter(([key]) => !TRACE_KEYS.has(key));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/**
 * Everything of a tool that is compared: all that a server lists of it. Members that this program does not know are among it, as the program
 * around a host, a page or a later revision may act on them. Without icons, `_meta` and unknown members it is the text that older versions
 * compared, so what was approved then stays approved.
 */
const pinnedTool = ({ icons, _meta, ...rest }: ToolEntry): string =>
  canonicalJson({ ...rest, icons: pinnedIcons(icons), _meta: pinnedMeta(_meta) });

/** The version is not compared: it changes with each release, and nothing depends on it. */
function pinnedDescription({ server, instructions }: ServerDescription): string {
  const { version: _version, icons, ...rest } = { ...server };
  return canonicalJson({ instructions, server: { ...rest, icons: pinnedIcons(icons) } });
}

/** Every call of a tool asks for its pin. An entry of a list does not change; a list that is read again has other entries. */
const pins = new WeakMap<ToolEntry, string>();

/** What an approval of a tool is for. It changes with everything a server lists of the tool, and not with the order of members. */
export function pinOf(tool: ToolEntry): string {
  const known = pins.get(tool);
  if (known !== undefined) return known;
  const pin = sha256(pinnedTool(tool));
  pins.set(tool, pin);
  return pin;
}

/** What an approval of what a server says of itself is for. */
export const pinOfServer = (description: ServerDescription): string => sha256(pinnedDescription(description));

/** What changed of a tool, as lines for a person. `before`: undefined where what was approved cannot be read any more. */
export const toolDifference = (before: ToolEntry | undefined, after: ToolEntry): string[] =>
  differenceOf(before && pinnedTool(before), pinnedTool(after));

/** The same for what a server says of itself. */
export const serverDifference = (before: ServerDescription | undefined, after: ServerDescription): string[] =>
  differenceOf(before && pinnedDescription(before), pinnedDescription(after));

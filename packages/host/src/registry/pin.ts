import type { ToolEntry } from 'tenon/client';
import { canonicalJson } from '@tenon/values/canonical-json';
import type { ServerDescription } from '../values/server-description.ts';
import { sha256 } from '../values/sha256.ts';
import { differenceOf } from './difference.ts';

type Icons = NonNullable<ToolEntry['icons']>;
type Meta = NonNullable<ToolEntry['_meta']>;

/** Keys of trace context in `_meta`, which belong to the message and differ each time. */
const TRACE_KEYS: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage']);

/** Icons are a set: their order and that of their sizes do not matter. */
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
 * The compared form of a tool: everything that a server lists about it, including unknown members, because the program around a host, a
 * page or a later revision may use them. Without icons, `_meta` and unknown members it equals the form of older versions, so that their
 * approvals stay valid.
 */
function pinnedTool({ icons, _meta, ...rest }: ToolEntry): string {
  return canonicalJson({ ...rest, icons: pinnedIcons(icons), _meta: pinnedMeta(_meta) });
}

/** The version is not compared, because it changes with each release and nothing depends on it. */
function pinnedDescription({ server, instructions }: ServerDescription): string {
  const { version: _version, icons, ...rest } = { ...server };
  return canonicalJson({ instructions, server: { ...rest, icons: pinnedIcons(icons) } });
}

/** A cache, because every call needs the pin of its tool. Entries are immutable; a new list has new entries. */
const pins = new WeakMap<ToolEntry, string>();

/**
 * The pin of a tool, which its approval is bound to. It changes with everything that a server lists about the tool, but not with the order
 * of members.
 */
export function pinOf(tool: ToolEntry): string {
  const known = pins.get(tool);
  if (known !== undefined) return known;
  const pin = sha256(pinnedTool(tool));
  pins.set(tool, pin);
  return pin;
}

/** The pin of a server description, which its approval is bound to. */
export function pinOfServer(description: ServerDescription): string {
  return sha256(pinnedDescription(description));
}

/** The changes of a tool, as lines for a person. `before` is undefined if the approved version can no longer be read. */
export function toolDifference(before: ToolEntry | undefined, after: ToolEntry): string[] {
  return differenceOf(before && pinnedTool(before), pinnedTool(after));
}

/** The changes of a server description, as lines for a person. */
export function serverDifference(before: ServerDescription | undefined, after: ServerDescription): string[] {
  return differenceOf(before && pinnedDescription(before), pinnedDescription(after));
}

// Describes the differences between two recordings.
import { type Exchange, keyOf, type Recording } from './exchange.ts';

/** The differing part of an exchange. */
export type Kind =
  | 'input'
  | 'status'
  | 'header'
  | 'header order'
  | 'end'
  | 'frame count'
  | 'frame order'
  | 'member'
  | 'member order'
  | 'text';

export interface Difference {
  /** The input, transport and revision. */
  readonly key: string;
  readonly input: string;
  readonly transport: string;
  readonly revision: string;
  readonly kind: Kind;
  readonly details: string;
  readonly sent: string;
}

/** All differences, in the order of the first recording. */
export function differencesOf(before: Recording, now: Recording): Difference[] {
  const others = new Map(now.exchanges.map((exchange) => [keyOf(exchange), exchange]));
  const found: Difference[] = [];
  for (const exchange of before.exchanges) {
    const key = keyOf(exchange);
    const other = others.get(key);
    others.delete(key);
    if (other === undefined) found.push(named(exchange, 'input', 'was recorded before, and did not happen now'));
    else for (const [kind, details] of compare(exchange, other)) found.push(named(exchange, kind, details));
  }
  for (const other of others.values()) found.push(named(other, 'input', 'happened now, and did not before'));
  return found;
}

function named(exchange: Exchange, kind: Kind, details: string): Difference {
  const { input, transport, revision, sent } = exchange;
  return { key: keyOf(exchange), input, transport, revision, kind, details, sent };
}

type Finding = readonly [kind: Kind, details: string];

function compare(before: Exchange, now: Exchange): Finding[] {
  const found: Finding[] = [];
  if (before.status !== now.status) found.push(['status', `${String(before.status)} → ${String(now.status)}`]);
  found.push(...compareHeaders(before.headers ?? [], now.headers ?? []));
  if (before.end !== now.end) found.push(['end', `the answer was ${before.end ?? 'open'} → ${now.end ?? 'open'}`]);
  found.push(...compareFrames([before.posted ?? ''], [now.posted ?? '']));
  found.push(...compareFrames(before.frames, now.frames));
  return found;
}

type Fields = NonNullable<Exchange['headers']>;

function compareHeaders(before: Fields, now: Fields): Finding[] {
  const lines = (fields: Fields): string[] => fields.map(([name, value]) => `${name}: ${value}`);
  const [old, fresh] = [lines(before), lines(now)];
  const gone = without(old, fresh).map((line): Finding => ['header', `no more: ${line}`]);
  const added = without(fresh, old).map((line): Finding => ['header', `new: ${line}`]);
  if (gone.length > 0 || added.length > 0) return [...gone, ...added];
  if (old.join('\n') === fresh.join('\n')) return [];
  return [['header order', `${namesOf(before)} → ${namesOf(now)}`]];
}

function namesOf(fields: Fields): string {
  return fields.map(([name]) => name).join(', ');
}

/** The multiset difference of two lists of texts. */
function without(list: readonly string[], other: readonly string[]): string[] {
  const left = [...other];
  return list.filter((text) => {
    const at = left.indexOf(text);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function compareFrames(before: readonly string[], now: readonly string[]): Finding[] {
  if (before.length === now.length && before.every((frame, at) => frame === now[at])) return [];
  const gone = without(before, now);
  const added = without(now, before);
  if (gone.length === 0 && added.length === 0)
    return [['frame order', `${before.map(brief).join(' | ')}  →  ${now.map(brief).join(' | ')}`]];
  const found: Finding[] = [];
  if (before.length !== now.length) found.push(['frame count', `${before.length} → ${now.length}`]);
  const pairs = Math.min(gone.length, added.length);
  for (let at = 0; at < pairs; at++) found.push(...compareTexts(gone[at]!, added[at]!));
  for (const frame of gone.slice(pairs)) found.push(['frame count', `no more: ${brief(frame)}`]);
  for (const frame of added.slice(pairs)) found.push(['frame count', `new: ${brief(frame)}`]);
  return found;
}

function brief(frame: string): string {
  const line = frame.replaceAll('\n', '⏎ ');
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}

/** Compares two corresponding frames: as JSON if both are JSON, else as texts. */
function compareTexts(before: string, now: string): Finding[] {
  const [old, fresh] = [partsOf(before), partsOf(now)];
  if (old === undefined || fresh === undefined || old.around !== fresh.around)
    return [['text', whereTexts(before, now)]];
  const members = [...membersThatDiffer('', old.json, fresh.json)];
  if (members.length > 0) return members.map((details): Finding => ['member', details]);
  return [['member order', whereTexts(before, now)]];
}

/** The JSON of a frame, with the surrounding text of its event. */
function partsOf(frame: string): { readonly json: unknown; readonly around: string } | undefined {
  const at = frame.startsWith('{') || frame.startsWith('[') ? 0 : frame.search(/^data: ?[[{]/m);
  if (at === -1) return undefined;
  const start = frame.indexOf(frame.startsWith('data:', at) ? ':' : frame[at]!, at);
  const text = frame.slice(frame[start] === ':' ? start + 1 : start);
  try {
    return { json: JSON.parse(text) as unknown, around: frame.slice(0, at) };
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function* membersThatDiffer(path: string, before: unknown, now: unknown): Generator<string> {
  if (isObject(before) && isObject(now) && Array.isArray(before) === Array.isArray(now)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
      const at = `${path}/${name}`;
      if (!Object.hasOwn(now, name)) yield `${at}: no more: ${brief(JSON.stringify(before[name]))}`;
      else if (!Object.hasOwn(before, name)) yield `${at}: new: ${brief(JSON.stringify(now[name]))}`;
      else yield* membersThatDiffer(at, before[name], now[name]);
    }
  } else if (JSON.stringify(before) !== JSON.stringify(now)) {
    yield `${path || '/'}: ${brief(JSON.stringify(before))} → ${brief(JSON.stringify(now))}`;
  }
}

/** The position where two texts start to differ. */
function whereTexts(before: string, now: string): string {
  let at = 0;
  while (at < before.length && before[at] === now[at]) at++;
  const around = (text: string): string => brief(text.slice(Math.max(0, at - 40), at + 60));
  return `from character ${at} on: …${around(before)} → …${around(now)}`;
}

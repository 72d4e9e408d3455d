import { explain } from './explain.ts';
import type { Failure } from '../failure/failure.ts';
import { memberText } from '@tenon/inspector/json';
import { collect, type CollectedList, KINDS, type ListKind, offers } from './lists.ts';
import { listingText } from '../terminal/listing-text.ts';
import { oneLine } from '../terminal/printable.ts';
import type { Screen } from '../terminal/screen.ts';
import type { Session } from './session.ts';

interface Part {
  readonly kind: ListKind;
  readonly list: CollectedList | undefined;
  readonly failure: Failure | undefined;
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** Collects one list. Its failure is returned, so that the other lists are still shown. */
async function partOf(session: Session, kind: ListKind): Promise<Part> {
  try {
    return { kind, list: await collect(session, kind), failure: undefined };
  } catch (error) {
    return { kind, list: undefined, failure: explain(error, session.observer) };
  }
}

/** The capabilities as the server wrote them, including those that this client does not know. */
function capabilitiesOf({ client, observer }: Session): string {
  const greeting = observer.resultOf(client.era === 'modern' ? 'server/discover' : 'initialize');
  return (greeting && memberText(greeting, 'capabilities')) ?? JSON.stringify(client.capabilities);
}

function asJson(session: Session, parts: readonly Part[]): string {
  const { client, connectMs } = session;
  const { revision, era, server, instructions } = client;
  const head = JSON.stringify({ revision, era, server, instructions, connectMs: round(connectMs) });
  const lists = parts.filter(({ list }) => list !== undefined);
  const times = Object.fromEntries(lists.map(({ kind, list }) => [kind.key, round(list!.ms)]));
  const failures = parts.filter(({ failure }) => failure !== undefined);
  const problems = failures.map(({ kind, failure }) => ({
    list: kind.key,
    code: failure!.code,
    message: failure!.message,
  }));
  const members = [
    head.slice(1, -1),
    `"capabilities":${capabilitiesOf(session)}`,
    ...lists.map(({ kind, list }) => `"${kind.key}":${list!.json}`),
    `"listMs":${JSON.stringify(times)}`,
    ...(problems.length === 0 ? [] : [`"problems":${JSON.stringify(problems)}`]),
  ];
  return `{${members.join(',')}}`;
}

/** `tools (listChanged), logging` */
function capabilityWords(json: string): string {
  return Object.entries(JSON.parse(json) as Record<string, unknown>)
    .map(([name, value]) => {
      const parts =
        typeof value === 'object' && value !== null ? Object.entries(value).filter(([, set]) => set !== false) : [];
      return oneLine(parts.length === 0 ? name : `${name} (${parts.map(([part]) => part).join(', ')})`, 300);
    })
    .join(', ');
}

function asText(session: Session, parts: readonly Part[], columns: number): string {
  const { client, connectMs } = session;
  const { name = 'a server without a name', version = '', title } = client.server ?? {};
  const lines = [
    `${oneLine(title ?? name, 200)} ${oneLine(version, 60)}${title === undefined ? '' : ` (${oneLine(name, 200)})`}`,
    `revision      ${client.revision} (${client.era}), connected in ${connectMs.toFixed(0)} ms`,
    `capabilities  ${capabilityWords(capabilitiesOf(session)) || 'none'}`,
  ];
  if (client.instructions !== undefined)
    lines.push(
      '',
      'instructions',
      ...client.instructions
        .trimEnd()
        .split('\n')
        .map((line) => `  ${line}`.trimEnd()),
    );
  for (const { kind, list, failure } of parts) {
    if (failure !== undefined) lines.push('', `${kind.name}: ${failure.message}`);
    else
      lines.push(
        '',
        `${kind.name} (${list!.entries.length}, ${list!.ms.toFixed(0)} ms)`,
        listingText(kind.name, list!.entries, columns),
      );
  }
  return lines.filter((line, index) => line !== '' || lines[index - 1] !== '').join('\n');
}

/** The complete summary of a server, with times. */
export async function printSummary(session: Session, screen: Screen): Promise<void> {
  const parts: Part[] = [];
  for (const kind of KINDS) if (offers(session, kind)) parts.push(await partOf(session, kind));
  screen.result({ json: () => asJson(session, parts), text: () => asText(session, parts, screen.columns) });
  const failed = parts.find(({ failure }) => failure !== undefined);
  if (failed !== undefined) throw failed.failure!;
}

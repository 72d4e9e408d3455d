import { type Client, CODE, type ServerCapabilities } from 'tenon/client';
import { memberText } from '@tenon/inspector/json';
import { explain } from './explain.ts';
import { Failure } from '../failure/failure.ts';
import type { Session } from './session.ts';

type Entry = Readonly<Record<string, unknown>>;

/** A list of a server. */
export interface ListKind {
  /** Its name on the command line. */
  readonly name: 'tools' | 'resources' | 'templates' | 'prompts';
  readonly method: string;
  /** The member of the result that holds the entries. */
  readonly key: string;
  readonly needs: keyof ServerCapabilities;
  entries(client: Client, session: Session): AsyncIterable<object>;
}

export const KINDS: readonly ListKind[] = [
  {
    name: 'tools',
    method: 'tools/list',
    key: 'tools',
    needs: 'tools',
    entries: (client, { request }) => client.tools(request),
  },
  {
    name: 'resources',
    method: 'resources/list',
    key: 'resources',
    needs: 'resources',
    entries: (client, { request }) => client.resources(request),
  },
  {
    name: 'templates',
    method: 'resources/templates/list',
    key: 'resourceTemplates',
    needs: 'resources',
    entries: (client, { request }) => client.templates(request),
  },
  {
    name: 'prompts',
    method: 'prompts/list',
    key: 'prompts',
    needs: 'prompts',
    entries: (client, { request }) => client.prompts(request),
  },
];

/** All entries of a list. */
export interface CollectedList {
  readonly entries: readonly Entry[];
  /** The entries as the server wrote them, as one JSON array. Includes malformed entries, which the client leaves out. */
  readonly json: string;
  readonly ms: number;
}

export function offers({ client }: Session, { needs }: ListKind): boolean {
  return client.capabilities[needs] != null;
}

/** The text between the brackets. */
function inside(array: string): string {
  return array.trim().slice(1, -1).trim();
}

/** A server that declares a capability but does not know its list method is at fault. */
function explainedList(error: unknown, { observer }: Session, { method, needs }: ListKind): unknown {
  const failure = explain(error, observer);
  if (failure.details.rpc?.code !== CODE.methodNotFound) return error;
  const fix = `The server declares \`${needs}\`, so it has to answer ${method}.`;
  return new Failure('refused', failure.code, failure.message, { ...failure.details, blame: 'server', fix });
}

export async function collect(session: Session, kind: ListKind): Promise<CollectedList> {
  const { client, observer } = session;
  const started = performance.now();
  const entries: Entry[] = [];
  try {
    for await (const entry of kind.entries(client, session)) entries.push(entry as Entry);
  } catch (error) {
    throw explainedList(error, session, kind);
  }
  const ms = performance.now() - started;
  const pages = observer.pagesOf(kind.method).map((page) => memberText(page, kind.key) ?? '[]');
  const known = pages.length > 0 && pages.every((page) => page.startsWith('['));
  const json = known
    ? `[${pages
        .map(inside)
        .filter((part) => part !== '')
        .join(',')}]`
    : JSON.stringify(entries);
  return { entries, json, ms };
}

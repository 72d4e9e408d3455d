import { type CommandLine } from '../command-line/command-line.ts';
import { wrongScheme } from '../command-line/mistakes.ts';
import { type Failure, usage } from '../failure/failure.ts';
import { nearest } from '@tenon/values/nearest';
import { oneLine } from '../terminal/printable.ts';
import { collect, type CollectedList, KINDS, type ListKind, offers } from '../session/lists.ts';
import { listingText } from '../terminal/listing-text.ts';
import { withServer, type VerbContext } from '../session/session.ts';
import { printSummary } from '../session/summary.ts';

/** The maximum number of server names in a message. */
const MAX_NAMED = 12;

/** The failure for a word that is neither a list nor, apparently, a server. */
async function noSuchList(name: string, line: CommandLine): Promise<Failure> {
  const kinds: readonly string[] = KINDS.map((known) => known.name);
  const { configuredNames } = await import('../inspector/targets.ts');
  const servers = line.target === undefined ? await configuredNames(line).catch(() => []) : [];
  const near = nearest(name, [...kinds, ...servers]);
  const lists = `Lists are ${kinds.join(', ')}.`;
  const named = servers.slice(0, MAX_NAMED).map((server) => oneLine(server, 60));
  const all = named.length === 0 ? lists : `${lists} Servers of the configuration are ${named.join(', ')}.`;
  const what = line.target === undefined ? 'There is neither a list nor a server called' : 'There is no list of';
  return usage(`${what} ${oneLine(name, 100)}`, near === undefined ? all : `Did you mean ${oneLine(near, 60)}?`);
}

async function kindNamed(name: string, line: CommandLine): Promise<ListKind> {
  const kind = KINDS.find((known) => known.name === name);
  if (kind !== undefined) return kind;
  throw (line.target === undefined ? wrongScheme(name) : undefined) ?? (await noSuchList(name, line));
}

/** `tenon list [tools|resources|templates|prompts]` */
export async function list(line: CommandLine, context: VerbContext): Promise<void> {
  const [, name] = line.words;
  const kind = name === undefined ? undefined : await kindNamed(name, line);
  const { screen } = context;
  await withServer(line, context, async (session) => {
    if (kind === undefined) return printSummary(session, screen);
    let found: CollectedList = { entries: [], json: '[]', ms: 0 };
    if (offers(session, kind)) found = await collect(session, kind);
    else screen.warn(`the server does not declare ${kind.needs}, so its list was not requested`);
    screen.result({
      json: () => `{"${kind.key}":${found.json}}`,
      text: () => listingText(kind.name, found.entries, screen.columns),
    });
    return undefined;
  });
}

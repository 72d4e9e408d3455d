import { type CommandLine } from '../command-line/command-line.ts';
import { usage } from '../failure/failure.ts';
import { collect, type Collected, KINDS, type ListKind, offers } from '../session/lists.ts';
import { listingText } from '../terminal/listing-text.ts';
import { withServer, type VerbContext } from '../session/session.ts';
import { printSummary } from '../session/summary.ts';

function kindNamed(name: string): ListKind {
  const kind = KINDS.find((known) => known.name === name);
  if (kind !== undefined) return kind;
  throw usage(`There is no list of ${name}`, `Lists are ${KINDS.map((known) => known.name).join(', ')}.`);
}

/** `tenon list [tools|resources|templates|prompts]` */
export async function list(line: CommandLine, context: VerbContext): Promise<void> {
  const [, name] = line.words;
  const kind = name === undefined ? undefined : kindNamed(name);
  const { screen } = context;
  await withServer(line, context, async (session) => {
    if (kind === undefined) return printSummary(session, screen);
    let found: Collected = { entries: [], json: '[]', ms: 0 };
    if (offers(session, kind)) found = await collect(session, kind);
    else screen.warn(`the server does not declare ${kind.needs}, so its list was not requested`);
    screen.result({
      json: () => `{"${kind.key}":${found.json}}`,
      text: () => listingText(kind.name, found.entries, screen.columns),
    });
    return undefined;
  });
}

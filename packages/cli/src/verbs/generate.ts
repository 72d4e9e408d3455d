import { existsSync } from 'node:fs';
import type { CommandLine } from '../command-line/command-line.ts';
import { isContractFile, type Offer, writeContract } from '../contract/write-contract.ts';
import { Failure, usage } from '../failure/failure.ts';
import { readTextFile, writeReport } from '../failure/file-failures.ts';
import { collect, type CollectedList, KINDS, type ListKind, offers } from '../session/lists.ts';
import { type Session, withServer, type VerbContext } from '../session/session.ts';
import type { Screen } from '../terminal/screen.ts';
import { oneLine } from '../terminal/printable.ts';
import { counted } from '@tenon/values/counted';

/** How many repeated names are reported. */
const MAX_REPORTED = 5;

/**
 * The current content of the file of `--out`; undefined without the option, or if the file does not exist yet. Throws a usage failure if it
 * may not be overwritten.
 */
function readGenerated(line: CommandLine): string | undefined {
  const path = line.value('out');
  const isCheck = line.given.has('check');
  if (path === undefined) {
    if (isCheck) throw usage('--check needs --out', 'tenon generate --check --out=client.ts -- node server.js');
    return undefined;
  }
  if (!isCheck && !existsSync(path)) return undefined;
  // Git may have changed the line endings.
  const text = readTextFile(path).replaceAll('\r\n', '\n');
  if (text === '' || isContractFile(text)) return text;
  throw usage(
    `${path} was not written by tenon generate, so it is not ${isCheck ? 'compared' : 'replaced'}`,
    'Name another file, or delete this one.',
    'not_generated',
  );
}

async function entriesOf(session: Session, name: ListKind['name']): Promise<CollectedList['entries']> {
  const kind = KINDS.find((known) => known.name === name)!;
  return offers(session, kind) ? (await collect(session, kind)).entries : [];
}

async function offerOf(session: Session): Promise<Offer> {
  return {
    server: session.client.server?.name,
    tools: await entriesOf(session, 'tools'),
    prompts: await entriesOf(session, 'prompts'),
    templates: await entriesOf(session, 'templates'),
  };
}

/** The first line of `text` that is not in the other text. */
function firstDifference(text: string, other: string): string {
  const lines = text.split('\n');
  const others = other.split('\n');
  const at = lines.findIndex((line, index) => line !== others[index]);
  return at === -1
    ? `the file goes on after line ${lines.length - 1}`
    : `line ${at + 1} would be: ${oneLine(lines[at]!.trim(), 200)}`;
}

function outdated(path: string, text: string, before: string): Failure {
  return new Failure('check', 'outdated', `${path} is not what the server offers now`, {
    blame: 'unknown',
    evidence: firstDifference(text, before),
    fix: 'Write it again: the same command without --check.',
  });
}

function warnOf({ wider, repeated }: ReturnType<typeof writeContract>, screen: Screen): void {
  for (const name of repeated.slice(0, MAX_REPORTED))
    screen.warn(`the name ${oneLine(name, 100)} is listed several times; the first entry counts`);
  if (wider > 0)
    screen.warn(
      `${counted(wider, 'type')} of the file cannot say all that the schema says; a comment beside each says why`,
    );
}

/** `tenon generate [--out=file.ts]` */
export async function generate(line: CommandLine, context: VerbContext): Promise<void> {
  const [, extra] = line.words;
  if (extra !== undefined)
    throw usage(
      `There is no server called ${oneLine(extra, 100)}`,
      'Names come from --config, or from the .mcp.json of this folder; a command goes after --.',
    );
  const before = readGenerated(line);
  const path = line.value('out');
  const { screen } = context;
  await withServer(line, context, async (session) => {
    const file = writeContract(await offerOf(session));
    warnOf(file, screen);
    if (path === undefined) return screen.result({ json: () => file.text, text: () => file.text });
    if (file.text === before) return undefined;
    if (line.given.has('check')) throw outdated(path, file.text, before ?? '');
    const failure = writeReport(path, file.text);
    if (failure !== undefined) throw failure;
    return screen.aside(`Written to ${path}`);
  });
}

// What `npm start` shows: Tenon's client with three servers over stdio, one of this repository and two nobody here wrote, and the first
// of them again over HTTP, in both eras. Every line is what happened: the revision that was negotiated, what the server offers, calls
// with real arguments, one question to the user.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import {
  type CallToolResult,
  type Client,
  type Command,
  connect,
  type ElicitResult,
  type Question,
  type Revision,
} from 'tenon/client';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const began = performance.now();

/** The file a package names as its command. */
const binOf = (name: string): string => {
  const manifest = require.resolve(`${name}/package.json`);
  const { bin } = require(manifest) as { bin: string | Record<string, string> };
  return join(dirname(manifest), typeof bin === 'string' ? bin : Object.values(bin)[0]!);
};

const say = (text = ''): void => void process.stdout.write(`${text}\n`);
const faint = (text: string): string => styleText('dim', text, { stream: process.stdout });
const strong = (text: string): string => styleText('bold', text, { stream: process.stdout });

/** Text of a peer on one line, control characters visible. */
const line = (text: string, width = 96): string => {
  const flat = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\uFFFD')
    .trim();
  return flat.length > width ? `${flat.slice(0, width - 1)}…` : flat;
};

const took = (since: number): string => faint(`${(performance.now() - since).toFixed(0)} ms`);

const shown = ({ content, structuredContent }: CallToolResult): string => {
  if (structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content
    .map((block) =>
      block.type === 'text' ? block.text : block.type === 'resource_link' ? `→ ${block.uri}` : `[${block.type}]`,
    )
    .join(' ');
};

/** Asks the person at the terminal; where there is none, answers by itself and says so. */
const elicit = async (question: Question): Promise<ElicitResult> => {
  say(`  ${strong('?')} the server asks: ${line(question.message)}`);
  if (!process.stdin.isTTY || !process.stdout.isTTY || process.env['CI'] !== undefined) {
    say(`    ${faint('no terminal to ask at: answered with yes')}`);
    return { action: 'accept', content: { sure: true } };
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question('    yes or no? ');
    return { action: 'accept', content: { sure: /^y/i.test(answer.trim()) } };
  } finally {
    terminal.close();
  }
};

const nameOf = (target: Command | string): string =>
  typeof target === 'string'
    ? target
    : [target.command === process.execPath ? 'node' : target.command, ...(target.args ?? [])]
        .join(' ')
        .replaceAll(root, '.');

/** One server: connects, shows what it is, runs `visit`, closes. */
const meet = async (
  title: string,
  target: Command | string,
  visit: (client: Client, call: Call) => Promise<void>,
  revision?: Revision,
): Promise<void> => {
  say(`\n${strong(title)}  ${faint(nameOf(target))}`);
  const since = performance.now();
  const client = await connect(target, { elicit, ...(revision === undefined ? {} : { revision }) });
  say(
    `  ${client.server?.name ?? 'unnamed'} ${client.server?.version ?? ''}, revision ${strong(client.revision)}, ${took(since)}`,
  );
  say(`  offers ${Object.keys(client.capabilities).join(', ')}`);
  try {
    const tools = await client.tools().all();
    say(`  ${tools.length} tools: ${line(tools.map(({ name }) => name).join(', '), 200)}`);
    await visit(client, (name, args) => callAndShow(client, name, args));
  } finally {
    await client.close();
  }
};

const tenon = join(root, 'packages', 'cli', 'dist', 'tenon.js');
const notes = join(root, 'examples', 'notes', 'server.ts');

/** Serves the notes at a free port, in a process of its own. */
const serveNotes = async (): Promise<{ readonly url: string; readonly child: ChildProcess }> => {
  const child = spawn(process.execPath, [tenon, 'run', notes, '--http', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = /http:\/\/\S+/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`The notes were not served over HTTP: ${said}`)));
  });
  return { url, child };
};

type Call = (name: string, args?: Record<string, unknown>) => Promise<CallToolResult>;

const callAndShow = async (
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<CallToolResult> => {
  const since = performance.now();
  let progress = '';
  const result = await client.result(name, args, {
    onProgress: (at) => (progress = ` (progress ${at.progress}${at.total === undefined ? '' : ` of ${at.total}`})`),
  });
  say(
    `  ${name} ${faint(line(JSON.stringify(args), 60))} ${result.isError === true ? '✗' : '→'} ${line(shown(result))}${progress}  ${took(since)}`,
  );
  if (result.isError === true) throw new Error(`${name} failed: ${line(shown(result), 400)}`);
  return result;
};

const main = async (): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-start-'));
  try {
    await writeFile(join(folder, 'hello.txt'), 'Hello from a file.\n');
    say('Tenon speaks with three MCP servers over stdio, and with one of them over HTTP.');

    await meet(
      'notes (examples/notes)',
      { command: process.execPath, args: [tenon, 'run', notes] },
      async (client, call) => {
        await call('search_notes', { text: 'lisbon' });
        await call('add_note', { title: 'Call', body: 'Call the dentist' });
        const { contents } = await client.read('note:///3');
        say(`  read note:///3 → ${line(contents[0]?.text ?? '')}`);
        const { values } = await client.complete({ prompt: 'tidy' }, 'by', 'to');
        say(`  complete the prompt argument "by" from "to" → ${values.join(', ')}`);
        await call('delete_note', { id: '3' });
      },
    );

    const node = (name: string, ...args: string[]): Command => ({
      command: process.execPath,
      args: [binOf(name), ...args],
      stderr: 'capture',
    });
    await meet(
      'filesystem (@modelcontextprotocol/server-filesystem)',
      node('@modelcontextprotocol/server-filesystem', folder),
      async (_, call) => {
        await call('list_directory', { path: folder });
        await call('read_text_file', { path: join(folder, 'hello.txt') });
        await call('write_file', { path: join(folder, 'note.txt'), content: 'Written through MCP' });
      },
    );

    await meet(
      'everything (@modelcontextprotocol/server-everything)',
      node('@modelcontextprotocol/server-everything', 'stdio'),
      async (client, call) => {
        await call('echo', { message: 'Hello' });
        await call('get-sum', { a: 17, b: 25 });
        await call('trigger-long-running-operation', { duration: 1, steps: 4 });
        const resources = await client.resources().all();
        const prompts = await client.prompts().all();
        say(`  ${resources.length} resources, ${prompts.length} prompts`);
      },
    );

    const { url, child } = await serveNotes();
    try {
      for (const revision of ['2026-07-28', '2025-11-25'] as const) {
        await meet(
          `notes over HTTP, ${revision === '2026-07-28' ? 'stateless' : 'in a session'}`,
          url,
          async (_, call) => {
            await call('search_notes', { text: 'lisbon' });
            const { structuredContent, content } = await call('add_note', { title: revision, body: 'Over HTTP' });
            const added = structuredContent === undefined && content[0]?.type === 'resource_link' ? content[0].uri : '';
            await call('delete_note', { id: added.replace('note:///', '') });
          },
          revision,
        );
      }
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }

    say(
      `\nDone in ${((performance.now() - began) / 1000).toFixed(1)} s. Next: ${strong('npx tenon inspect -- <command>')} and ${strong('npx tenon inspect <url>')} look at any server; README.md shows how to write one.`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

try {
  await main();
} catch (error) {
  process.stderr.write(
    `npm start failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
}

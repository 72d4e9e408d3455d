import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { TraceLine } from '@tenon/inspector/trace';
import { until } from '../../../scripts/lib/until.ts';
import { atRest } from '../../../scripts/lib/at-rest.ts';
import { failureIn, fixture, tenon, TENON } from './run-tenon.ts';
import { linesOf } from './traces.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenon record '));
after(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
function newFile(ending = '.mcptrace'): string {
  return join(folder, `${++count}${ending}`);
}

const node = process.execPath;
function recorded(mode: string, ...rest: readonly string[]): string[] {
  return [node, fixture('recorded.mjs'), mode, ...rest];
}

interface Tapped {
  readonly child: ChildProcess;
  readonly file: string;
  /** The whole stdout so far. */
  stdout(): Buffer;
  stderr(): string;
  /** Resolves when stdout contains this text. */
  says(text: string): Promise<void>;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts `tenon record` as a host would. */
function tapped(
  command: readonly string[],
  options: { file?: string; env?: Record<string, string>; paused?: boolean } = {},
): Tapped {
  const { file = newFile(), env = {}, paused = false } = options;
  const child = spawn(node, [TENON, 'record', '-o', file, '--', ...command], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const out: Buffer[] = [];
  let errors = '';
  if (!paused) child.stdout!.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr!.on('data', (chunk) => (errors += String(chunk)));
  child.stdin!.on('error', () => {});
  after(() => child.kill('SIGKILL'));
  const stdout = (): Buffer => Buffer.concat(out);
  return {
    child,
    file,
    stdout,
    stderr: () => errors,
    async says(text) {
      await until(
        () => stdout().includes(text),
        () => `${text} in ${stdout().toString()}\n${errors}`,
      );
    },
    ended: once(child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    })),
  };
}

/** Waits until the trace contains the exit of the server. */
async function endOf(file: string): Promise<void> {
  await until(() => readFileSync(file, 'utf8').includes('"kind":"exit"'), 'the end of the server');
}

/** One side's stream in the trace, with its lines joined. */
function streamOf(lines: readonly TraceLine[], from: string): string {
  return lines
    .filter((line) => line.from === from && (line.kind === 'message' || line.kind === 'junk'))
    .map(({ text }) => `${text}\n`)
    .join('');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that has exited without being waited for is still in the process table.
    return process.platform !== 'linux' || !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The official server, by the file that npx runs. */
const EVERYTHING = [
  node,
  join(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
    '../dist/index.js',
  ),
  'stdio',
];

test('between the official client and server every byte is forwarded, and is in the trace', async () => {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const { CreateMessageRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const file = newFile();
  const [outer, inner] = [newFile(''), newFile('')];
  const tee = (prefix: string): string[] => [node, fixture('tee.mjs'), prefix];
  const [command, ...args] = [
    ...tee(outer),
    node,
    TENON,
    'record',
    '-q',
    '-o',
    file,
    '--',
    ...tee(inner),
    ...EVERYTHING,
  ];
  const client = new Client({ name: 'a client', version: '1' }, { capabilities: { sampling: {}, roots: {} } });
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'sampled: ü 🎉' },
  }));
  await client.connect(new StdioClientTransport({ command: command!, args, stderr: 'ignore' }));
  const { tools } = await client.listTools();
  assert.ok(tools.length > 5);
  await client.callTool({ name: 'echo', arguments: { message: 'hello \u2028 ü' } });
  await client.callTool({ name: 'trigger-sampling-request', arguments: { prompt: 'x', maxTokens: 5 } });
  await client.listResources();
  await client.close();
  await endOf(file);

  for (const stream of ['in', 'out', 'err'])
    assert.deepEqual(readFileSync(`${inner}.${stream}`), readFileSync(`${outer}.${stream}`), stream);
  const lines = await linesOf(file);
  assert.equal(streamOf(lines, 'client'), readFileSync(`${outer}.in`, 'utf8'));
  assert.equal(streamOf(lines, 'server'), readFileSync(`${outer}.out`, 'utf8'));
  const errors = lines.filter(({ kind }) => kind === 'stderr').map(({ text }) => `${text}\n`);
  assert.equal(errors.join(''), readFileSync(`${outer}.err`, 'utf8'));
  const about = lines[0]!.about!;
  assert.deepEqual([about.name, about.transport, about.recorder], ['tee', 'stdio', 'tap']);
  assert.equal(lines.filter(({ kind }) => kind === 'junk').length, 0);
  assert.match(lines.at(-1)!.text, /^exited with code \d+$|^ended by/);
});

test('lines that are not protocol are forwarded unchanged and labelled', async () => {
  const tap = tapped(recorded('garbage'));
  assert.deepEqual(await tap.ended, { code: 0, signal: null });
  const direct = spawn(node, recorded('garbage').slice(1));
  const chunks: Buffer[] = [];
  direct.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(direct, 'close');
  assert.ok(tap.stdout().equals(Buffer.concat(chunks)));
  const seen = (await linesOf(tap.file))
    .filter(({ kind }) => kind !== 'session' && kind !== 'open')
    .map(({ kind, from = '', text }) => `${kind} ${from}: ${text.replace(/x{9,}/, 'xxx…')}`);
  assert.deepEqual(seen.filter((line) => !line.startsWith('note client')).sort(), [
    'exit server: exited with code 0',
    'junk server: ',
    'junk server: \0\ufffd\ufffd\ufffd',
    'junk server: Server listening',
    'junk server: no end',
    'junk server: {"no":"rpc"}',
    'lost server: A line of more than 10485760 bytes on stdout of the server. It begins: xxx…',
    'message server: {"jsonrpc":"2.0","id":1,"result":{}}\r',
    'message server: {"jsonrpc":"2.0","method":"after"}',
    'message server: {"jsonrpc":"2.0","method":"late"}',
    'note server: This line on stdout of the server is not UTF-8: U+FFFD replaces the unreadable parts',
    'note server: stdout of the server ended here, without a line break',
    'stderr server: and no end',
    'stderr server: and on stderr, in two pieces',
  ]);
});

test('the tap ends like the server: with the same exit code or signal', async () => {
  for (const code of [0, 3, 255]) assert.equal((await tapped(recorded('exit', String(code))).ended).code, code);
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
    const tap = tapped(recorded('dies', signal));
    assert.deepEqual(await tap.ended, { code: null, signal });
    assert.equal((await linesOf(tap.file)).at(-1)!.text, `ended by ${signal}`);
  }
});

test('signals are passed on to the server, which handles them', async () => {
  const tap = tapped(recorded('signals'));
  await tap.says('ready');
  for (const signal of ['SIGUSR2', 'SIGHUP', 'SIGINT', 'SIGINT', 'SIGTERM'] as const) {
    tap.child.kill(signal);
    await tap.says(`"${signal}"`);
  }
  assert.deepEqual(await tap.ended, { code: 7, signal: null });
  assert.equal((await linesOf(tap.file)).at(-1)!.text, 'exited with code 7');
});

test('a server that ignores signals can be ended from the keyboard', async () => {
  const stubborn =
    "for (const s of ['SIGINT', 'SIGTERM']) process.on(s, () => console.log(s)); setInterval(() => {}, 1e3); console.log('up')";
  const tap = tapped([node, '-e', stubborn]);
  await tap.says('up');
  for (let count = 0; count < 3; count++) {
    if (count > 0) await tap.says('SIGINT\n'.repeat(count));
    tap.child.kill('SIGINT');
  }
  assert.deepEqual(await tap.ended, { code: null, signal: 'SIGKILL' });
  assert.match(readFileSync(tap.file, 'utf8'), /again and again/);
});

test('when the server is killed, the tap ends and reports it', async () => {
  const tap = tapped(recorded('stubborn'));
  await tap.says('ready');
  const { pid } = (JSON.parse(tap.stdout().toString()) as { params: { pid: number } }).params;
  process.kill(pid, 'SIGKILL');
  assert.deepEqual(await tap.ended, { code: null, signal: 'SIGKILL' });
  assert.equal((await linesOf(tap.file)).at(-1)!.text, 'ended by SIGKILL');
});

test('secrets of the environment, of arguments and of messages reach the server, and are not in the file', async () => {
  const shown = newFile('.json');
  const secrets = [
    'env-secret-1234',
    'arg-secret-1234',
    'assigned-secret-1234',
    'db-secret-1234',
    'msg-secret-1234',
    'key-secret-1234',
  ];
  const tap = tapped(recorded('shows', shown, '--token', secrets[1]!, `--api-key=${secrets[2]}`), {
    env: { API_TOKEN: secrets[0]!, DATABASE_URL: `postgres://me:${secrets[3]}@localhost/db`, OPENAI_KEY: secrets[5]! },
  });
  await tap.says('log');
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'login',
    params: { password: secrets[4], again: `it is ${secrets[0]}, or ${secrets[5]}` },
  };
  tap.child.stdin!.end(`${JSON.stringify(message)}\n`);
  await tap.ended;
  assert.ok(tap.stdout().includes(JSON.stringify(message)));
  const given = JSON.parse(readFileSync(shown, 'utf8')) as { env: string; args: string[] };
  assert.equal(given.env, secrets[0]);
  assert.equal(given.args[2], secrets[1]);
  const written = readFileSync(tap.file, 'utf8');
  for (const secret of secrets) assert.equal(written.includes(secret), false, secret);
  const lines = await linesOf(tap.file);
  assert.ok(lines.some(({ text, redacted }) => redacted && text.includes('token is [redacted]')));
  if (process.platform !== 'win32') assert.equal(statSync(tap.file).mode & 0o777, 0o600);
});

test('a client that does not read delays the server, not the tap; later everything arrives', async () => {
  const bytes = 160 * 1024 * 1024;
  const tap = tapped(recorded('floods', String(bytes)), { paused: true });
  // Waits until the server stops writing, because its output is not read.
  await atRest(tap.child.pid!);
  if (process.platform === 'linux') {
    const status = readFileSync(`/proc/${tap.child.pid}/status`, 'utf8');
    const rss = Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024;
    assert.ok(rss < 150, `${rss} MB`);
  }
  const hash = createHash('sha256');
  let length = 0;
  tap.child.stdout!.on('data', (chunk: Buffer) => {
    hash.update(chunk);
    length += chunk.length;
  });
  assert.equal((await tap.ended).code, 0);
  assert.ok(length >= bytes);
  assert.ok(tap.stderr().includes(hash.digest('hex')));
});

test('messages sent before a server exits arrive, however late the client reads them', async () => {
  // More than one pipe can hold, but less than all pipes together, so that the server exits before the tap has forwarded everything.
  const sizes = [250, 300, 350, 400].map((size) => size * 1024);
  await Promise.all(
    sizes.map(async (bytes) => {
      const tap = tapped(recorded('floods', String(bytes)), { paused: true });
      await atRest(tap.child.pid!);
      let length = 0;
      tap.child.stdout!.on('data', (chunk: Buffer) => (length += chunk.length));
      assert.equal((await tap.ended).code, 0);
      assert.ok(length >= bytes, `${length} of ${bytes} bytes`);
    }),
  );
});

test('both sides may write at once, even if the pipes are full', async () => {
  const tap = tapped(recorded('echo'));
  const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'm', params: { pad: 'x'.repeat(10_000) } })}\n`;
  for (let at = 0; at < 500; at++) tap.child.stdin!.write(line);
  tap.child.stdin!.end();
  assert.equal((await tap.ended).code, 0);
  assert.equal(tap.stdout().toString(), line.repeat(500));
});

test('a client that closes the pipe is a broken pipe for the server, and the end of its output ends ours', async () => {
  const seen = newFile('.txt');
  const unheard = tapped(recorded('unheard', seen));
  await unheard.says('hello');
  unheard.child.stdout!.destroy();
  assert.equal((await unheard.ended).code, 0);
  assert.equal(readFileSync(seen, 'utf8'), 'EPIPE');

  const end = newFile('.txt');
  const mute = tapped(recorded('mute', end));
  await once(mute.child.stdout!, 'end');
  assert.equal(mute.child.exitCode, null);
  writeFileSync(end, '');
  assert.equal((await mute.ended).code, 0);
});

test('a reader at the end of a shell pipe sees the end, too', { skip: process.platform === 'win32' }, async () => {
  const end = newFile('.txt');
  const words = [node, TENON, 'record', '-q', '-o', newFile(), '--', ...recorded('mute', end)];
  const shell = spawn('sh', ['-c', '"$@" | { cat >/dev/null; echo over; }', 'sh', ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed = once(shell, 'close');
  await once(shell.stdout, 'data');
  // The server keeps running after its last output, and so does the tap.
  assert.equal(shell.exitCode, null);
  writeFileSync(end, '');
  await closed;
});

test('the end of a stdin that is a file or empty is passed on', async () => {
  const input = newFile('.in');
  writeFileSync(input, '{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  for (const from of [input, '/dev/null']) {
    const file = newFile();
    const fd = openSync(from, 'r');
    const child = spawn(
      node,
      [TENON, 'record', '-q', '-o', file, '--', node, '-e', 'process.stdin.pipe(process.stdout)'],
      {
        stdio: [fd, 'pipe', 'inherit'],
        timeout: 100_000,
      },
    );
    closeSync(fd);
    const out: Buffer[] = [];
    child.stdout!.on('data', (chunk: Buffer) => out.push(chunk));
    assert.deepEqual(await once(child, 'close'), [0, null], from);
    assert.equal(Buffer.concat(out).toString(), readFileSync(from, 'utf8'));
    assert.match(readFileSync(file, 'utf8'), /closed the stdin of the server/);
  }
});

test('traces are never overwritten: the next one has a number', async () => {
  const file = newFile();
  for (let at = 0; at < 3; at++) await tapped(recorded('exit', '0'), { file }).ended;
  const named = [file, file.replace('.mcptrace', '-2.mcptrace'), file.replace('.mcptrace', '-3.mcptrace')];
  assert.deepEqual(named.map(existsSync), [true, true, true]);
  const tap = tapped(recorded('exit', '0'), { file });
  await tap.ended;
  assert.match(tap.stderr(), /recording to .*-4\.mcptrace\n/);
});

test('by default the trace is named after the time and the server, in the current folder', async () => {
  const cwd = mkdtempSync(join(folder, 'cwd-'));
  const { code, stdout, stderr } = await tenon(['record', '--', ...recorded('exit', '5')], { cwd });
  assert.equal(code, 5);
  assert.equal(stdout, '');
  assert.match(stderr, /recording to .*[/\\]\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-recorded\.mcptrace\n$/);
});

test('start and write failures are reported on stderr', async () => {
  const nothing = await tenon(['record', '-o', newFile(), '--', 'no-such-program']);
  assert.deepEqual([nothing.code, failureIn(nothing)['code'], nothing.stdout], [4, 'not_started', '']);
  const nowhere = await tenon(['record', '-o', join(folder, 'no', 'x.mcptrace'), '--', ...recorded('exit', '0')]);
  assert.deepEqual([nowhere.code, failureIn(nowhere)['code'], nowhere.stdout], [2, 'not_writable', '']);
  const inFolder = await tenon(['record', '-o', folder, '--', ...recorded('exit', '0')]);
  assert.deepEqual([inFolder.code, failureIn(inFolder)['code'], existsSync(`${folder}-2`)], [2, 'not_writable', false]);
  const url = await tenon(['record', 'http://localhost:1/mcp']);
  assert.equal(url.code, 2);
  assert.match(String(failureIn(url)['fix']), /tenon proxy http/);
});

// These wait for timers of several seconds in the program.
describe('a tap that waits', { concurrency: true }, () => {
  test('when the tap is killed, the server is stopped, and earlier traffic is in the trace', async () => {
    const tap = tapped(recorded('stubborn'));
    await tap.says('ready');
    const { pid } = (JSON.parse(tap.stdout().toString()) as { params: { pid: number } }).params;
    for (let at = 0; at < 50; at++) tap.child.stdin!.write(`{"jsonrpc":"2.0","method":"m${at}"}\n`);
    await tap.says('heard');
    // The trace is flushed before the process ends.
    await until(() => readFileSync(tap.file, 'utf8').includes('"m49'));
    tap.child.kill('SIGKILL');
    await tap.ended;
    assert.ok(isAlive(pid));
    const lines = await linesOf(tap.file);
    assert.ok(lines.some(({ text }) => text.includes('"m49"')));
    await until(() => !isAlive(pid), `the end of ${pid}`);
  });

  test('no child process of the server is left', async () => {
    const tap = tapped(recorded('leaves'));
    assert.deepEqual(await tap.ended, { code: 0, signal: null });
    const { pid } = (JSON.parse(tap.stdout().toString()) as { params: { pid: number } }).params;
    assert.equal(isAlive(pid), false);
  });

  test('an incomplete line is shown while the server hangs', async () => {
    const tap = tapped(recorded('echo'));
    tap.child.stdin!.write('{"jsonrpc":"2.0","method":"ha');
    await tap.says('ha');
    let text = '';
    await until(() => (text = readFileSync(tap.file, 'utf8')).includes('has not ended, on stdout'));
    assert.match(text, /29 bytes of a line that has not ended, on stdin of the server: \{\\"jsonrpc/);
    tap.child.stdin!.end('lf"}\n');
    await tap.ended;
    const lines = await linesOf(tap.file);
    assert.equal(lines.filter(({ kind }) => kind === 'message').length, 2);
  });
});

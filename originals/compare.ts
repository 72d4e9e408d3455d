// Runs the calls of a comparison with our server and with the original.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { type Client, connect, type ConnectOptions } from 'tenon/client';
import { commandOf } from '../servers/shared/test/ways.ts';
import type { ComparedCall, Comparison, Result, Start } from './comparison.ts';
import { differences } from './differences.ts';
import { type Recorder, startRecorder } from './recorder.ts';

/** The outcome of one call. */
export interface Outcome {
  readonly call: ComparedCall;
  /** How the answers differ, or an empty list. */
  readonly answers: readonly string[];
  readonly requests: readonly string[];
  /** Whether both are as the comparison says. */
  readonly isExpected: boolean;
}

const here = import.meta.dirname;
const eras: ConnectOptions['eras'] = { get: () => undefined, set() {}, delete() {} };
/** What the original writes to stderr is not of interest. */
const how: ConnectOptions = { eras, onLog() {} };

function fileOfOriginal(name: string): string {
  const folder = join(here, 'node_modules/@modelcontextprotocol', `server-${name}`);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  const file = join(folder, Object.values(bin)[0]!);
  if (!existsSync(file)) throw new Error(`The original of ${name} is not installed: ${file} is missing.`);
  return file;
}

function openOriginal(
  { name, origins = [] }: Comparison,
  { args = [], env = {} }: Start,
  url: string,
): Promise<Client> {
  const REDIRECT = JSON.stringify(Object.fromEntries(origins.map((origin) => [origin, url])));
  const preload = pathToFileURL(join(here, 'redirect.mjs')).href;
  const command = [`--import=${preload}`, fileOfOriginal(name), ...args];
  return connect({ command: process.execPath, args: command, env: { ...env, REDIRECT } }, how);
}

function openOurs({ name }: Comparison, { args = [], env = {} }: Start): Promise<Client> {
  const [command, ...rest] = commandOf({ name, args });
  return connect({ command, args: rest, env }, how);
}

function textOf({ content }: Result): string {
  return content.map(({ text = '' }) => text).join('\n');
}

function readOurs(result: Result): unknown {
  return result.structuredContent ?? textOf(result);
}

function readOriginalText(result: Result): unknown {
  try {
    return JSON.parse(textOf(result));
  } catch {
    return textOf(result);
  }
}

async function resultOf(client: Client, { name, args }: ComparedCall): Promise<Result> {
  if (name === 'resources/read') return { content: [], structuredContent: await client.read(String(args['uri'])) };
  if (name === 'resources/list')
    return { content: [], structuredContent: { resources: await client.resources().all() } };
  return (await client.result(name, args)) as Result;
}

/** What a call answered, or that it failed: the texts of errors differ. */
async function answerOf(client: Client, call: ComparedCall, read: (result: Result) => unknown): Promise<unknown> {
  const result = await resultOf(client, call).catch(() => undefined);
  return result === undefined || result.isError === true ? 'failed' : read(result);
}

function isAsSaid(found: readonly string[], reason: string | undefined): boolean {
  return found.length > 0 === (reason !== undefined);
}

interface Pair {
  readonly ours: Client;
  readonly original: Client;
}

async function compareCall(
  comparison: Comparison,
  pair: Pair,
  recorder: Recorder | undefined,
  reset: () => unknown,
  call: ComparedCall,
): Promise<Outcome> {
  const { read = readOurs, readOriginal = readOriginalText, leftOut } = comparison;
  await reset();
  const original = await answerOf(pair.original, call, (result) => readOriginal(result, call));
  const sentByOriginal = recorder?.taken();
  await reset();
  const ours = await answerOf(pair.ours, call, (result) => read(result, call));
  const answers = differences(ours, original, leftOut);
  const requests = differences(recorder?.taken(), sentByOriginal, undefined, 'requests');
  return {
    call,
    answers,
    requests,
    isExpected: isAsSaid(answers, call.otherAnswer) && isAsSaid(requests, call.otherRequests),
  };
}

/** Runs all calls of a comparison, one after the other. */
export async function* compare(comparison: Comparison): AsyncGenerator<Outcome> {
  const service = await comparison.start();
  const { rename = (path) => path, leftOutParameters } = comparison;
  const isHttp = service.url.startsWith('http:');
  const recorder = isHttp ? await startRecorder(service.url, rename, leftOutParameters) : undefined;
  const url = recorder?.url ?? service.url;
  try {
    await using original = await openOriginal(comparison, await comparison.original(url), url);
    await using ours = await openOurs(comparison, comparison.ours(url));
    const { calls } = comparison;
    for (const call of typeof calls === 'function' ? calls(url) : calls)
      yield await compareCall(comparison, { ours, original }, recorder, () => service.reset(), call);
  } finally {
    recorder?.stop();
    await service.stop();
  }
}

import { counted } from '@tenon/values/counted';
import type { CDPSession } from 'playwright-core';
import { ToolError } from 'tenon';
import { type Limits, limited } from './limited.ts';

/** How much of a result is returned, in characters of its JSON. */
const MAX_RESULT = 100_000;
/** How long a page may take to show that it is not busy, in milliseconds. */
const ANSWER_MS = 1_000;
/** The browser itself stops a script that keeps the page busy. One that waits for a promise ends this much later, in milliseconds. */
const STOP_MS = 500;

/** The result of a script. */
export interface Evaluated {
  /** As JSON; undefined if there is no value. */
  readonly json: string | undefined;
  /** Whether the JSON was cut. */
  readonly isCut: boolean;
}

type Remote = Awaited<ReturnType<typeof evaluate>>['result'];
type Failure = NonNullable<Awaited<ReturnType<typeof evaluate>>['exceptionDetails']>;

const GROUP = 'tenon';

async function evaluate(page: CDPSession, expression: string, timeoutMs: number) {
  try {
    return await page.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      userGesture: true,
      timeout: timeoutMs,
      objectGroup: GROUP,
    });
  } catch (error) {
    // This is what the browser answers when it has stopped a script.
    if (!/Internal error/.test((error as Error).message)) throw error;
    throw new ToolError(tooLong(timeoutMs), { cause: error });
  }
}

/** Runs in the page, with the value as `this`. The page may have changed JSON.stringify; then `write` does what it should. */
const TO_JSON = String.raw`function (max) {
  const quoted = (text) =>
    '"' + text.replace(/["\\\u0000-\u001f\ud800-\udfff]/g, (one) => '\\u' + one.charCodeAt(0).toString(16).padStart(4, '0')) + '"';
  const write = (given, depth) => {
    if (depth > 100) throw new RangeError('It is nested too deeply');
    const value = typeof given?.toJSON === 'function' ? given.toJSON() : given;
    if (typeof value === 'bigint') throw new TypeError('Do not know how to serialize a BigInt');
    if (typeof value === 'string') return quoted(value);
    if (typeof value === 'number' && !Number.isFinite(value)) return 'null';
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
    if (typeof value !== 'object') return undefined;
    if (Array.isArray(value)) return '[' + value.map((item) => write(item, depth + 1) ?? 'null').join() + ']';
    const members = Object.keys(value).map((key) => [key, write(value[key], depth + 1)]);
    return '{' + members.filter(([, json]) => json !== undefined).map(([key, json]) => quoted(key) + ':' + json).join() + '}';
  };
  const stringify = () => {
    let json, failure;
    try {
      json = JSON.stringify(this, null, 2);
    } catch (error) {
      failure = error;
    }
    if (typeof json === 'string') return json;
    try {
      return write(this, 0);
    } catch (error) {
      throw failure ?? error;
    }
  };
  const json = stringify();
  return json === undefined ? [] : [json.slice(0, max), json.length > max];
}`;

/**
 * Runs a script in the page and returns its completion value, or what its promise resolves to. Rejects with a `ToolError` if it throws, and
 * with the reason of the signal; then it is stopped.
 */
export async function evaluateScript(page: CDPSession, script: string, limits: Limits): Promise<Evaluated> {
  try {
    const { signal, timeoutMs } = limits;
    const late = (): Error => new ToolError(tooLong(timeoutMs));
    return await limited(run(page, script, timeoutMs), { signal, timeoutMs: timeoutMs + STOP_MS }, late);
  } catch (error) {
    await stopScript(page);
    throw error;
  } finally {
    page.send('Runtime.releaseObjectGroup', { objectGroup: GROUP }).catch(() => {});
  }
}

async function run(page: CDPSession, script: string, timeoutMs: number): Promise<Evaluated> {
  let { result, exceptionDetails } = await evaluate(page, script, timeoutMs);
  // Nothing of it has run.
  if (exceptionDetails !== undefined && isFunctionBody(exceptionDetails))
    ({ result, exceptionDetails } = await evaluate(page, `(async () => {${script}\n})()`, timeoutMs));
  if (exceptionDetails !== undefined) throw new ToolError(messageOf(exceptionDetails));
  return toJson(page, result);
}

/** Whether the script would be right as the body of an async function. */
function isFunctionBody({ exception }: Failure): boolean {
  return /^SyntaxError: (?:Illegal return statement|await is only valid)/.test(exception?.description ?? '');
}

function tooLong(timeoutMs: number): string {
  return `it did not end within ${counted(timeoutMs / 1_000, 'second')}`;
}

function messageOf({ text, exception }: Failure): string {
  const description = exception?.description ?? (exception === undefined ? text : JSON.stringify(exception.value));
  return (description ?? text).split('\n    at ')[0]!.slice(0, 2_000);
}

async function toJson(page: CDPSession, value: Remote): Promise<Evaluated> {
  if (value.objectId === undefined) {
    if (value.type === 'undefined') return { json: undefined, isCut: false };
    // What JSON has no number for, such as NaN, is null there.
    const json =
      value.unserializableValue === undefined ? JSON.stringify(value.value) : plain(value.unserializableValue);
    return { json: json.slice(0, MAX_RESULT), isCut: json.length > MAX_RESULT };
  }
  const { result, exceptionDetails } = await page.send('Runtime.callFunctionOn', {
    functionDeclaration: TO_JSON,
    objectId: value.objectId,
    arguments: [{ value: MAX_RESULT }],
    returnByValue: true,
  });
  if (exceptionDetails !== undefined)
    throw new ToolError(`its result cannot be shown as JSON: ${messageOf(exceptionDetails)}`);
  // The page may have changed JSON.stringify.
  const [json, isCut] = Array.isArray(result.value) ? (result.value as unknown[]) : [];
  return typeof json === 'string'
    ? { json: json.slice(0, MAX_RESULT), isCut: isCut === true || json.length > MAX_RESULT }
    : { json: undefined, isCut: false };
}

function plain(unserializable: string): string {
  return unserializable.endsWith('n') ? `"${unserializable.slice(0, -1)}"` : unserializable === '-0' ? '0' : 'null';
}

/** Whether the page runs other scripts. */
export async function isAnswering(page: CDPSession): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, ANSWER_MS, false)));
  const answer = page.send('Runtime.evaluate', { expression: '0' }).then(
    () => true,
    // There is a new document, or none: nothing runs any more.
    () => true,
  );
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** Stops a script that keeps the page busy. In one that is not, the next script would be stopped instead. */
async function stopScript(page: CDPSession): Promise<void> {
  if (await isAnswering(page)) return;
  page.send('Runtime.terminateExecution').catch(() => {});
}

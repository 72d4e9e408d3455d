import { isObject } from '@tenon/values/is-object';
import { oneLine } from '../terminal/printable.ts';

const MAX_ARGUMENTS = 3;
const SIMPLE = /^\w[\w.-]{0,59}$/;

/** Says that no tool was called, and how to check a call. Undefined for a server without tools. */
export function noCallHint([first]: readonly unknown[], target: string): string | undefined {
  if (!isObject(first) || typeof first['name'] !== 'string') return undefined;
  const schema = first['inputSchema'];
  const required = isObject(schema) && Array.isArray(schema['required']) ? schema['required'] : [];
  const names = required.slice(0, MAX_ARGUMENTS).map(String);
  // Other names would have to be quoted for the shell.
  const args = names.every((name) => SIMPLE.test(name)) ? names.map((name) => ` ${name}=…`).join('') : ' …';
  const tool = SIMPLE.test(first['name']) ? first['name'] : '<tool>';
  const call = `tenon call ${tool}${args} -o call.mcptrace ${target}`;
  return `No tool was called, and a fault may concern only some arguments. Try: ${call}, then: tenon check call.mcptrace`;
}

/** The server in such a command: long commands are left out. */
export function targetWords(target: readonly string[] | undefined): string {
  const [first = ''] = target ?? [];
  return /^https?:/i.test(first) ? oneLine(first, 200) : '-- …';
}

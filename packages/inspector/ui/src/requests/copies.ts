import type { ServerView } from '../../../src/api/views.ts';
import type { TraceLine } from '../../../src/trace/line.ts';
import { memberText, memberTexts, valueTextAt } from '../../../src/values/json-text.ts';

/** A word for a POSIX shell. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** The parameters of a request as somebody would write them: what the protocol adds to each is left out. */
export const paramsOf = (text: string): string => {
  const params = memberText(text, 'params') ?? '{}';
  const members = (memberTexts(params) ?? []).filter(([name]) => name !== '_meta');
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
};

/** Empty for a text that is no message. */
export const methodOf = (text: string): string => JSON.parse(memberText(text, 'method') ?? '""') as string;

/** Can it be copied, and sent again? */
export const isRequest = ({ kind, from, text }: TraceLine): boolean => {
  if (kind !== 'message' || from !== 'client') return false;
  try {
    const value = JSON.parse(text) as { method?: unknown; id?: unknown };
    return typeof value.method === 'string' && value.id !== undefined;
  } catch {
    return false;
  }
};

const targetOf = ({ transport, target }: ServerView): string =>
  transport === 'http' ? quoted(target) : `-- ${target}`;

/** The same request with this project's command. */
export const asTenon = ({ text }: TraceLine, server: ServerView): string => {
  const params = paramsOf(text);
  const tool = methodOf(text) === 'tools/call' ? valueTextAt(params, '/name') : undefined;
  if (tool === undefined) return `tenon raw ${quoted(methodOf(text))} ${quoted(params)} ${targetOf(server)}`;
  const args = valueTextAt(params, '/arguments') ?? '{}';
  return `tenon call ${quoted(JSON.parse(tool) as string)} --args ${quoted(args)} ${targetOf(server)}`;
};

/** The same request with curl; undefined where the server is not reached over HTTP. */
export const asCurl = ({ text }: TraceLine, server: ServerView): string | undefined => {
  if (server.transport !== 'http') return undefined;
  const modern = server.era === 'modern';
  const name =
    valueTextAt(memberText(text, 'params') ?? '{}', '/name') ?? valueTextAt(memberText(text, 'params') ?? '{}', '/uri');
  const headers = [
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    ...(server.revision === undefined ? [] : [`mcp-protocol-version: ${server.revision}`]),
    ...(modern ? [`mcp-method: ${methodOf(text)}`] : ['mcp-session-id: <session>']),
    ...(modern && name !== undefined ? [`mcp-name: ${JSON.parse(name) as string}`] : []),
  ];
  return [
    `curl ${quoted(server.target)}`,
    ...headers.map((header) => `-H ${quoted(header)}`),
    `-d ${quoted(text)}`,
  ].join(' \\\n  ');
};

import { type Message, resultFor } from '../message.ts';
import type { Rule } from '../rule.ts';
import { isObject } from '@tenon/values/is-object';
import { bytes, listOf, objectOf, quoted } from '../words.ts';
import { blocksIn } from './blocks.ts';

/** The base64 texts of a message, and their paths. */
function binariesIn(message: Message): readonly (readonly [string, string])[] {
  const found: (readonly [string, string])[] = [];
  const add = (value: unknown, at: string): void => void (typeof value === 'string' && found.push([value, at]));
  for (const { value, at } of blocksIn(message)) {
    const { type, data, resource } = objectOf(value);
    if (type === 'image' || type === 'audio') add(data, `${at}.data`);
    else if (type === 'resource') add(objectOf(resource)['blob'], `${at}.resource.blob`);
  }
  const read = message.kind === 'response' ? resultFor(message, 'resources/read') : undefined;
  listOf(read?.['contents']).forEach((one, index) => add(objectOf(one)['blob'], `contents[${index}].blob`));
  return found;
}

function base64Problem(text: string): string | undefined {
  if (text.startsWith('data:')) return 'begins with "data:": it is a data URL, not only base64';
  const strange = /[^A-Za-z0-9+/=]/.exec(text)?.[0];
  if (strange === '-' || strange === '_') return 'is in the alphabet for URLs (base64url)';
  if (strange !== undefined) return `holds ${quoted(strange)}, which is not base64`;
  if (!/^[^=]*={0,2}$/.test(text)) return 'has "=" in its middle';
  return text.length % 4 === 0
    ? undefined
    : 'has a length that is not a multiple of 4: it was cut off, or its padding is missing';
}

export const base64: Rule = {
  id: 'base64',
  title: 'Binary data is not base64',
  blame: ['server', 'client'],
  severity: ['error'],
  why: 'Whoever encoded it.',
  page: 'tools#image-content',
  watch: (report) => {
    const look = (message: Message): void => {
      if (message.redacted) return;
      for (const [text, at] of binariesIn(message)) {
        const problem = base64Problem(text);
        if (problem === undefined) continue;
        report({
          severity: 'error',
          blame: message.from,
          message: `${at} of the ${message.from} ${problem}`,
          fix: 'Encode the bytes with standard base64 and its padding: Buffer.from(bytes).toString("base64").',
          evidence: [message.n],
          revision: message.revision,
        });
      }
    };
    return { request: look, response: look };
  },
};

/** This fills the context of most models, in characters. */
const BIG_TEXT = 1_000_000;

export const bigText: Rule = {
  id: 'big-text',
  title: 'A tool returned more text than models can use',
  blame: ['server'],
  severity: ['warning'],
  why: 'The server chose how much it returns.',
  page: 'tools#tool-result',
  watch: (report) => ({
    response(response) {
      if (response.size < BIG_TEXT) return;
      const result = resultFor(response, 'tools/call');
      const size = listOf(result?.['content']).reduce<number>((sum, block) => {
        const { text } = objectOf(block);
        return sum + (typeof text === 'string' ? text.length : 0);
      }, 0);
      if (size < BIG_TEXT) return;
      report({
        severity: 'warning',
        blame: 'server',
        message: `The tool ${quoted(response.request?.params['name'])} returned ${bytes(size)} of text, some ${Math.round(size / 4_000)},000 tokens`,
        fix: 'Return a part, pages or a summary, and the whole as a resource link.',
        subject: `tool ${String(response.request?.params['name'])}`,
        evidence: [response.request!.n, response.n],
      });
    },
  }),
};

export const readUri: Rule = {
  id: 'read-uri',
  title: 'A resource other than the requested one was read',
  blame: ['server'],
  severity: ['warning'],
  why: 'The server answers with the contents of the requested URI, or of URIs below it.',
  page: 'resources#reading-resources',
  watch: (report) => ({
    response(response) {
      const { request, n } = response;
      const contents = resultFor(response, 'resources/read')?.['contents'];
      const asked = request?.params['uri'];
      if (!Array.isArray(contents) || typeof asked !== 'string' || response.redacted) return;
      const uris = contents.map((one) => objectOf(one)['uri']);
      if (uris.some((uri) => typeof uri === 'string' && isAbout(uri, asked))) return;
      report({
        severity: 'warning',
        blame: 'server',
        message:
          uris.length === 0
            ? `The server answered ${quoted(asked)} with nothing`
            : `The server answered ${quoted(asked)} with the contents of ${quoted(uris[0])}`,
        fix:
          uris.length === 0
            ? 'Answer an unknown resource with an error, not with empty contents.'
            : 'Put the URI that was asked for into the contents.',
        subject: `resource ${asked.slice(0, 200)}`,
        evidence: [request!.n, n],
      });
    },
  }),
};

/** Returns whether one URI is the other, or below it. Different spellings of a URL are equal. */
function isAbout(uri: string, asked: string): boolean {
  const plain = (text: string): string => {
    try {
      return decodeURI(new URL(text).href).replace(/\/$/, '');
    } catch {
      return text.replace(/\/$/, '');
    }
  };
  return plain(uri) === plain(asked) || plain(uri).startsWith(`${plain(asked)}/`);
}

export const completionSize: Rule = {
  id: 'completion-size',
  title: 'A completion has more than 100 values',
  blame: ['server'],
  severity: ['error'],
  why: 'A server returns at most 100, and says with total and hasMore that there are others.',
  page: 'completion#completion-results',
  watch: (report) => ({
    response(response) {
      const { request, n } = response;
      const completion = resultFor(response, 'completion/complete')?.['completion'];
      if (resultFor(response, 'completion/complete') === undefined) return;
      const values = isObject(completion) ? completion['values'] : undefined;
      if (Array.isArray(values) && values.length <= 100) return;
      report({
        severity: 'error',
        blame: 'server',
        message: Array.isArray(values)
          ? `The server answered completion/complete with ${values.length} values`
          : 'The server answered completion/complete without completion.values',
        fix: 'Return the 100 best, with hasMore: true.',
        evidence: [request!.n, n],
      });
    },
  }),
};

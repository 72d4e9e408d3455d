import { isFrameHeader } from '@tenon/values/framing';
import type { TraceLine } from '../../trace/line.ts';
import type { Report, Rule } from '../rule.ts';
import { quoted } from '../words.ts';
import { noiseOf } from './noise.ts';

/** The limits of a message that is formatted over several lines and reported as a whole. */
const MAX_LINES = 500;
const MAX_CHARACTERS = 256 * 1024;

/** Joins lines that are only together one JSON value. */
function createJoiner(single: (line: TraceLine) => void, joined: (lines: readonly TraceLine[]) => void) {
  let held: TraceLine[] = [];
  let size = 0;

  const give = (): void => {
    const lines = held;
    held = [];
    size = 0;
    for (const line of lines) single(line);
  };

  return {
    take(line: TraceLine): void {
      const text = line.text.trimEnd();
      // Only a bracket alone on its line starts a value over several lines.
      if (held.length === 0 && !/^\s*[[{]$/.test(text)) return single(line);
      held.push(line);
      size += text.length;
      if (held.length > MAX_LINES || size > MAX_CHARACTERS) return give();
      if (!/^[\]}]/.test(text)) return undefined;
      if (!isObjectText(held.map(({ text }) => text).join('\n'))) return give();
      const lines = held;
      held = [];
      size = 0;
      return joined(lines);
    },
    give,
  };
}

function isObjectText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function watchNoise(report: Report) {
  /** A header of the Language Server Protocol was reported. Then the bodies, and the headers behind them, are of the same fault. */
  let framed = false;
  const joiner = createJoiner(
    ({ n, text }) => {
      if (framed && /^\s*\{.*"jsonrpc"|^content-(?:length|type):/is.test(text)) return;
      framed ||= isFrameHeader(text);
      const { what, fix } = noiseOf(text);
      report({
        severity: 'error',
        blame: 'server',
        message: `The server wrote text to stdout that is not a message: ${what}: ${quoted(text, 200)}`,
        fix,
        evidence: [n],
      });
    },
    (lines) => {
      const text = lines.map((line) => line.text.trim()).join(' ');
      const message = /"jsonrpc"/.test(text);
      report({
        severity: 'error',
        blame: 'server',
        message: `The server wrote ${message ? 'a message' : 'JSON'} over ${lines.length} lines: ${quoted(text, 200)}`,
        fix: message
          ? 'Write each message as one line: JSON.stringify(message) without indentation.'
          : 'stdout is for messages only: log to stderr.',
        evidence: lines.slice(0, 20).map(({ n }) => n),
      });
    },
  );
  return joiner;
}

export const stdoutNoise: Rule = {
  id: 'stdout-noise',
  title: 'Text on stdout that is not a message',
  blame: ['server'],
  severity: ['error'],
  why: 'A server must write nothing to its stdout but messages. Many clients drop such lines, some break off.',
  page: 'stdio',
  watch: (report, session) => {
    const joiner = watchNoise(report);
    return {
      line({ line }) {
        if (line.kind === 'junk' && line.from === 'server' && isPipe(session.head?.transport)) joiner.take(line);
        else if (line.kind === 'exit') joiner.give();
      },
      // A valid message in between ends the pending value.
      text({ line }) {
        if (line.from === 'server') joiner.give();
      },
      end: joiner.give,
    };
  },
};

/** A session without a head may have any transport; lines of text occur on pipes. */
function isPipe(transport: string | undefined): boolean {
  return transport !== 'http' && transport !== 'sse';
}

export const stdinNoise: Rule = {
  id: 'stdin-noise',
  title: 'Text from the client that is not a message',
  blame: ['client'],
  severity: ['error'],
  why: 'A client must write nothing to the stdin of a server but messages.',
  page: 'stdio',
  watch: (report) => ({
    line({ line }) {
      if (line.kind !== 'junk' || line.from !== 'client') return;
      const { what } = noiseOf(line.text);
      report({
        severity: 'error',
        blame: 'client',
        message: `The client wrote text that is not a message: ${what}: ${quoted(line.text, 200)}`,
        fix: 'Write each message as one line of JSON, and nothing else.',
        evidence: [line.n],
      });
    },
  }),
};

export const answerNoise: Rule = {
  id: 'answer-noise',
  title: 'An HTTP answer with content that is not a message',
  blame: ['unknown'],
  severity: ['error'],
  why: 'The server may have written it, or a proxy on the way: the text alone does not say.',
  page: 'http',
  watch: (report, session) => ({
    line({ line }) {
      if (line.kind !== 'junk' || line.from === 'client' || isPipe(session.head?.transport)) return;
      const page = /<!doctype html|<html/i.test(line.text.slice(0, 500));
      report({
        severity: 'error',
        blame: 'unknown',
        message: `An answer held ${page ? 'a web page' : 'text'} in place of a message: ${quoted(line.text, 200)}`,
        fix: page
          ? 'Look at the address: is it the one of the MCP endpoint, and does a proxy or a login page stand before it?'
          : 'Look at the answers of the server and of the proxies before it.',
        evidence: [line.n],
      });
    },
  }),
};

export const inputLost: Rule = {
  id: 'input-lost',
  title: 'Input was not kept',
  blame: ['server', 'client', 'unknown'],
  severity: ['warning'],
  why: 'The sender, if it is known. The content is not, because it was longer than the reader accepts, or unreadable.',
  watch: (report) => ({
    line({ line }) {
      if (line.kind !== 'lost') return;
      const { from } = line;
      report({
        severity: 'warning',
        blame: from ?? 'unknown',
        message: `Input ${from === undefined ? '' : `of the ${from} `}was not kept: ${quoted(line.text, 200)}`,
        fix: 'Messages without end, or larger than the reader accepts, are lost: send less at once, by pages or as links.',
        evidence: [line.n],
      });
    },
  }),
};

import type { SessionState } from '../session-state.ts';
import { isModern } from '../revisions.ts';
import type { Rule, Seen } from '../rule.ts';
import { shown } from '../words.ts';
import { eachEnd, linesOf, requestOf, typeOf } from './each.ts';

/** Why the server could not be reached: the system error in words, and what to do. */
const REASONS: readonly (readonly [code: RegExp, what: string, fix: string])[] = [
  [
    /ECONNREFUSED/,
    'nothing listens there',
    'Is the server running, and on this port? Does it listen on this address (127.0.0.1, ::1)?',
  ],
  [/ENOTFOUND/, 'there is no such host', 'Look at the name of the host.'],
  [/EAI_AGAIN/, 'the name of the host could not be looked up', 'Is there a network, and a name server?'],
  [
    /ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|ConnectTimeout/,
    'the host does not answer',
    'Is it the right address? A firewall may drop packets to it.',
  ],
  [
    /EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/,
    'this host is not reachable from here',
    'Look at the network, a VPN and the address.',
  ],
  [/CERT_HAS_EXPIRED|certificate has expired/i, 'its certificate has run out', 'Renew the certificate of the server.'],
  [/CERT_NOT_YET_VALID/, 'its certificate is not valid yet', 'Look at the clocks of both machines.'],
  [
    /SELF_SIGNED_CERT|self.signed certificate/i,
    'its certificate is self-signed',
    'NODE_EXTRA_CA_CERTS names a file with certificates of your own.',
  ],
  [
    /UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT|unable to (?:verify|get)/i,
    'its certificate cannot be verified',
    'Let the server send the whole chain, or name the issuer in NODE_EXTRA_CA_CERTS.',
  ],
  [/ERR_TLS_CERT_ALTNAME_INVALID|altnames/i, 'its certificate is for another name', 'Look at the name of the host.'],
  [
    /EPROTO|wrong version number|ERR_SSL|SSL routines/i,
    'it does not use TLS as expected',
    'Is it http instead of https, or a port of something else?',
  ],
  [
    /HPE_|Parse Error|UND_ERR_SOCKET.*invalid/i,
    'the answer is not HTTP',
    'Look at the port. Is it https instead of http?',
  ],
  [
    /ECONNRESET|socket hang up|other side closed|EPIPE/i,
    'the connection was cut',
    'Look at the log of the server, and of proxies before it.',
  ],
];

function reasonIn(text: string): readonly [what: string, fix: string] {
  const found = REASONS.find(([code]) => code.test(text));
  return found === undefined
    ? ['the connection failed', 'Look at the address and at the network.']
    : [found[1], found[2]];
}

function hasFailed(text: string): boolean {
  return /^failed\b|: failed\b/.test(text);
}

/** Returns whether a line says that a connection failed before there was an answer. */
function failsIn({ line }: Seen, session: SessionState): boolean {
  if (line.kind === 'note') return REASONS.some(([code]) => code.test(line.text)) && !/\bspawn\b/.test(line.text);
  if (line.http?.part !== 'end' || !hasFailed(line.text)) return false;
  return line.kind === 'auth' || (line.kind === 'http' && session.exchanges.of(line)?.answer === undefined);
}

/** Some errors repeat the message of their cause: `failed: no route: no route`. */
function oneReason(text: string): string {
  return text.replace(/: (.+): \1$/s, ': $1');
}

export const unreachable: Rule = {
  id: 'unreachable',
  title: 'The server could not be reached at this address',
  blame: ['transport'],
  severity: ['error'],
  why: 'No message passed, so neither side is to blame, but the connection between them.',
  page: 'http',
  watch: (report, session) => {
    // A client that retries fails only once.
    let reported = '';
    return {
      line(seen) {
        const { line } = seen;
        if (line.http?.part === 'answer') reported = '';
        if (session.head?.transport === 'stdio' || session.head?.recorder === 'server' || !failsIn(seen, session))
          return;
        const [what, fix] = reasonIn(line.text);
        if (reported === what) return;
        reported = what;
        const exchange = line.kind === 'http' ? session.exchanges.of(line) : undefined;
        report({
          severity: 'error',
          blame: 'transport',
          message: `${exchange?.url ?? session.head?.target ?? 'The address'} was not reached: ${what} (${shown(oneReason(line.text), 160)})`,
          fix,
          evidence: exchange === undefined ? [line.n] : linesOf(exchange),
        });
      },
    };
  },
};

export const streamCut: Rule = {
  id: 'stream-cut',
  title: 'An answer ended before it was complete',
  blame: ['transport', 'server'],
  severity: ['warning'],
  why: 'The transport, if the connection failed. The server, if it ended the answer properly and did not send the answer.',
  page: 'http',
  watch: (report, session) => ({
    line: eachEnd(session, (exchange) => {
      const { answer, end, resumable } = exchange;
      const request = requestOf(exchange);
      if (answer === undefined || end === undefined || request?.key === undefined) return;
      if (answer.status < 200 || answer.status > 299 || answer.status === 202) return;
      if (session.waiting.client.get(request.key) !== request || request.cancelledAt !== undefined) return;
      const failed = hasFailed(end.text);
      // A client that left did not want more.
      if (!failed && /\bleft\b|went away/i.test(end.text)) return;
      // Up to 2025-11-25 a stream with ids can be resumed.
      if (resumable && !isModern(request.revision)) return;
      const stream = typeOf(answer.headers) === 'text/event-stream';
      // Anything in it that is not a message is reported separately.
      if (!failed && !stream) return;
      report({
        severity: 'warning',
        blame: failed ? 'transport' : 'server',
        message: failed
          ? `The connection was cut before ${request.method} was answered (${shown(end.text, 160)})`
          : `The server ended the stream before it answered ${request.method}`,
        fix: failed
          ? 'Proxies cut connections that are silent: send comments to keep them alive. Send the request again, with a new id.'
          : 'End a stream after the answer; up to 2025-11-25 give events ids if it is to be taken up again.',
        evidence: [...linesOf(exchange), end.n],
        revision: request.revision,
      });
    }),
  }),
};

import type { Side } from '../../trace/line.ts';
import { keyOf, type Notification, type Request } from '../message.ts';
import { PATIENT } from '../methods.ts';
import { createRecent, type Recent } from '../recent.ts';
import type { Rule } from '../rule.ts';
import { duration, other, shown } from '../words.ts';

const SLOW_MS = 5_000;

/** A period in which a question of the other side was open while a request waited. */
interface QuestionPeriod {
  readonly from: number;
  readonly to: number;
}
const MAX_ASKED = 1_000;

/** The part of a period that was spent waiting for the other side. */
function overlap(asked: readonly QuestionPeriod[], from: number, to: number): number {
  let covered = 0;
  let end = from;
  for (const one of asked.toSorted((a, b) => a.from - b.from)) {
    const begin = Math.max(one.from, end);
    const stop = Math.min(one.to, to);
    if (stop > begin) {
      covered += stop - begin;
      end = stop;
    }
  }
  return covered;
}

export function nameOf({ method, params }: Request): string {
  const name = params['name'] ?? params['uri'];
  return typeof name === 'string' ? `${method} ${shown(name, 60)}` : shown(method, 60);
}

/** A period without any message about a request. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Progress of requests, by side and token: each report is a sign of life. */
function createSigns() {
  const MAX_TOKENS = 10_000;
  const all: Record<Side, Recent<{ readonly request: Request; last: number; longest: Stretch }>> = {
    client: createRecent(MAX_TOKENS),
    server: createRecent(MAX_TOKENS),
  };
  return {
    clear(): void {
      all.client.clear();
      all.server.clear();
    },
    begin(request: Request): void {
      const { from, at, meta } = request;
      const token = keyOf(meta['progressToken']);
      if (token !== undefined) all[from].set(token, { request, last: at, longest: { from: at, to: at } });
    },
    progress({ from, params, at }: Notification): void {
      const known = all[other(from)].get(keyOf(params['progressToken']) ?? '');
      if (known === undefined) return;
      if (at - known.last > known.longest.to - known.longest.from) known.longest = { from: known.last, to: at };
      known.last = at;
    },
    /**
     * The longest silence before the answer to a request. `hasProgress`: progress was reported. Undefined: another request uses its
     * token, too.
     */
    silence(request: Request, from: number, at: number): (Stretch & { readonly hasProgress: boolean }) | undefined {
      const token = keyOf(request.meta['progressToken']);
      if (token === undefined) return { from, to: at, hasProgress: false };
      const known = all[request.from].get(token);
      if (known?.request !== request) return undefined;
      if (known.last === request.at) return { from, to: at, hasProgress: false };
      const { last, longest } = known;
      const end = { from: Math.max(last, from), to: at };
      const before = { from: Math.max(longest.from, from), to: longest.to };
      return { ...(end.to - end.from > before.to - before.from ? end : before), hasProgress: true };
    },
  };
}

/** The requests that begin a session: their answers are needed before anything else. */
const HANDSHAKES: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

function fixFor({ method, meta }: Request): string {
  if (HANDSHAKES.has(method)) return 'Answer at once, and do slow work later: when something first needs it.';
  if (method === 'ping') return 'Answer at once, also while other work is done.';
  const asked = meta['progressToken'] !== undefined;
  const report = asked
    ? 'Report progress, so that no one gives up waiting'
    : 'Progress was not requested: give the request a progressToken, so that no one gives up waiting';
  return method === 'tools/call' ? `${report}, or do the work as a task.` : `${report}.`;
}

export const slowAnswer: Rule = {
  id: 'slow-answer',
  title: 'No message about a request for more than 5 s',
  blame: ['server', 'client'],
  severity: ['info'],
  why: 'Whoever owed the answer, or progress; the client, if the server itself waited for an answer of the client most of the time. The start of a process does not count.',
  page: 'cancellation#timeouts',
  watch: (report, session) => {
    const asked: QuestionPeriod[] = [];
    const signs = createSigns();
    /** A process was started, and has not sent a message yet. */
    let isStarting = false;
    /** The time of the first message of the newest process. */
    let started = 0;
    const heard = ({ from, at }: Pick<Request, 'from' | 'at'>): void => {
      if (from !== 'server' || !isStarting) return;
      isStarting = false;
      started = at;
    };
    return {
      anew: () => signs.clear(),
      line({ line }) {
        if (line.kind === 'open' && session.head?.transport === 'stdio') isStarting = true;
      },
      request(request) {
        heard(request);
        signs.begin(request);
      },
      notification(notification) {
        heard(notification);
        if (notification.method === 'notifications/progress') signs.progress(notification);
      },
      response({ request, at, n, from }) {
        heard({ from, at });
        if (request === undefined) return;
        if (request.from === 'server') {
          asked.push({ from: request.at, to: at });
          if (asked.length > MAX_ASKED) asked.shift();
        }
        if (PATIENT.has(request.method)) return;
        const began = from === 'server' ? Math.max(request.at, started) : request.at;
        const silence = signs.silence(request, began, at);
        if (silence === undefined) return;
        const { from: since, to: until, hasProgress } = silence;
        const silent = until - since;
        if (silent < SLOW_MS) return;
        const meanwhile = from === 'server' ? overlap(asked, since, until) : 0;
        const ofClient = meanwhile > silent / 2;
        report({
          severity: 'info',
          blame: ofClient ? 'client' : from,
          message: `${nameOf(request)} took ${duration(at - began)}${hasProgress ? `, ${duration(silent)} of it without progress` : ''}${
            meanwhile === 0 ? '' : `; ${duration(meanwhile)} of it the server waited for answers of the client`
          }`,
          fix: ofClient ? 'Answer the questions of the server sooner.' : fixFor(request),
          evidence: [request.n, n],
          revision: request.revision,
        });
      },
    };
  },
};

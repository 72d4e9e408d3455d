import type { Side } from '../../trace/line.ts';
import type { Rule } from '../rule.ts';
import { duration, shown } from '../words.ts';

/** More notifications than this in a second are a flood. */
const MANY = 1_000;
const WINDOW_MS = 1_000;
/** The most methods counted separately. */
const MAX_METHODS = 20;

interface Window {
  readonly began: number;
  readonly first: number;
  count: number;
  reported: boolean;
  readonly methods: Map<string, number>;
}

export const flood: Rule = {
  id: 'flood',
  title: 'More than 1,000 notifications in a second',
  blame: ['server', 'client'],
  severity: ['info'],
  why: 'Whoever sent them. A client that freezes because of them is another matter: the trace shows only the sender.',
  page: 'logging#implementation-considerations',
  watch: (report) => {
    const windows: Record<Side, Window | undefined> = { client: undefined, server: undefined };
    return {
      notification({ from, at, n, method }) {
        let window = windows[from];
        if (window === undefined || at - window.began >= WINDOW_MS) {
          // A flood that continues is reported once.
          const goesOn = window !== undefined && window.count > MANY && at - window.began < 2 * WINDOW_MS;
          window = windows[from] = { began: at, first: n, count: 0, reported: goesOn, methods: new Map() };
        }
        window.count++;
        const { methods } = window;
        if (methods.has(method) || methods.size < MAX_METHODS) methods.set(method, (methods.get(method) ?? 0) + 1);
        if (window.reported || window.count <= MANY) return;
        window.reported = true;
        const [most] = [...methods].sort(([, one], [, two]) => two - one);
        report({
          severity: 'info',
          blame: from,
          message: `The ${from} sent ${window.count} notifications in ${duration(Math.max(1, at - window.began))}, most of them ${shown(most![0])}`,
          fix: 'Send fewer: put several into one, report progress a few times a second, log less.',
          evidence: [window.first, n],
        });
      },
    };
  },
};

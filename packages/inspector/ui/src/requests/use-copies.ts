import { useEffect, useMemo, useState } from 'react';
import type { ServerView } from '../../../src/api/views.ts';
import type { TraceLine } from '../../../src/trace/line.ts';
import type { Action } from '../app/palette-state.ts';
import { inertText } from '../parts/inert.ts';
import { api } from '../store/api.ts';
import { useView } from '../store/model.ts';
import { type Task, useTask } from '../store/use-task.ts';
import { asTenon, isRequest, methodOf, REDACTED, subjectOf } from './copies.ts';
import { asCurl, whyNoCurl } from './curl.ts';

/** The line of a request of a client. Undefined: not loaded yet, or something else. */
export function useRequestLine(n: number | undefined): TraceLine | undefined {
  const [line, setLine] = useState<TraceLine>();
  useEffect(() => {
    setLine(undefined);
    if (n === undefined) return undefined;
    const stop = new AbortController();
    api
      .lines({ query: { n: [n] }, signal: stop.signal })
      .then(({ lines }) => setLine(lines[0]))
      .catch(() => undefined);
    return () => stop.abort();
  }, [n]);
  return line !== undefined && isRequest(line) ? line : undefined;
}

export interface Copying {
  /** The last action, in words. */
  readonly note: string;
  readonly keeping: Task<readonly []>;
  readonly acts: readonly Action[];
}

/** The formats in which a request can be copied, and saved. */
export function useCopies(line: TraceLine, server: ServerView): Copying {
  const [note, setNote] = useState('');
  const view = useView();
  const keeping = useTask(async (signal) => {
    const body = { server: server.id, name: subjectOf(line.text) ?? methodOf(line.text), request: line.n };
    const { file, name } = await api.tests({ body, signal });
    setNote(`Saved as the test ${inertText(name, 80)} in ${file}.`);
  });
  const { run } = keeping;
  const { testFile } = view ?? {};
  const acts = useMemo(() => {
    const copy = (what: string, text: string): void => {
      void navigator.clipboard.writeText(text).then(
        () => setNote(`Copied ${what}.${text.includes(REDACTED) ? ` Replace ${REDACTED} by the secret.` : ''}`),
        () => setNote('The browser did not allow copying.'),
      );
    };
    const curl = asCurl(line, server);
    return [
      { id: 'copy-tenon', title: 'Copy as tenon', run: () => copy('the command', asTenon(line, server)) },
      ...(curl === undefined
        ? []
        : [{ id: 'copy-curl', title: 'Copy as curl', run: () => copy('the curl command', curl) }]),
      ...(testFile === undefined ? [] : [{ id: 'keep', title: 'Save as test', run: () => run() }]),
    ];
  }, [line, server, testFile, run]);
  const why = server.status === 'ready' ? (whyNoCurl(server) ?? '') : '';
  return { note: note === '' ? why : note, keeping, acts };
}

import { useEffect, useState } from 'react';
import type { RequestAnswer } from '../../../../src/api/views.ts';
import { memberText } from '../../../../src/values/json-text.ts';
import { api } from '../../store/api.ts';
import type { Offer } from '../../store/lists.ts';
import type { PastCall } from './calls.ts';
import { createdTask } from './task-facts.ts';

/** The id of the task created for a call. Undefined: none. Once the task has ended, `answer` is its result. */
export function useCreatedTask(offer: Offer, call: PastCall | undefined, answer: RequestAnswer): string | undefined {
  const [read, setRead] = useState<{ readonly line: number; readonly id: string | undefined }>();
  const line = call?.task === undefined ? undefined : call.response;
  useEffect(() => {
    if (line === undefined) return;
    const stop = new AbortController();
    api
      .lines({ query: { n: [line] }, signal: stop.signal })
      .then(({ lines }) => setRead({ line, id: createdTask(memberText(lines[0]?.text ?? '{}', 'result')) }))
      .catch(() => undefined);
    return () => stop.abort();
  }, [line]);
  if (offer.kind !== 'tools') return undefined;
  if (line === undefined) return createdTask(answer.result);
  return read?.line === line ? read.id : undefined;
}

import type { ReactNode } from 'react';
import { Choice } from '../../parts/Choice.tsx';
import { createStore, useStore } from '../../store/store.ts';

const OPTIONS = [
  { id: '', label: 'default timeout' },
  { id: '1000', label: '1 s' },
  { id: '10000', label: '10 s' },
  { id: '60000', label: '1 min' },
  { id: '600000', label: '10 min' },
];
const KEY = 'time limit';

const limit = createStore(sessionStorage.getItem(KEY) ?? '');

/** The timeout of requests, in milliseconds. Undefined: the default. */
export function useTimeLimit(): readonly [number | undefined, string] {
  const chosen = useStore(limit, (value) => value);
  return [chosen === '' ? undefined : Number(chosen), chosen];
}

export function TimeLimit(): ReactNode {
  const [, chosen] = useTimeLimit();
  return (
    <Choice
      label="Timeout"
      value={chosen}
      options={OPTIONS}
      onChange={(id) => {
        sessionStorage.setItem(KEY, id);
        limit.set(id);
      }}
    />
  );
}

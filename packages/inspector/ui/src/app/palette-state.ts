import { useEffect } from 'react';
import { createStore, useStore } from '../store/store.ts';

const open = createStore(false);

export function usePaletteOpen(): boolean {
  return useStore(open, (value) => value);
}
export function setPaletteOpen(value: boolean): void {
  open.set(value);
}
export function openPalette(): void {
  open.set(true);
}

/** An action in the palette. */
export interface Action {
  readonly id: string;
  readonly title: string;
  /** Secondary text beside the title. */
  readonly hint?: string;
  readonly keys?: string;
  run(): void;
}

const offered = createStore<ReadonlyMap<object, readonly Action[]>>(new Map());
function flat(all: ReadonlyMap<object, readonly Action[]>): readonly Action[] {
  return [...all.values()].flat();
}

export function useOfferedActions(): readonly Action[] {
  return useStore(offered, flat);
}

/** Offers actions in the palette while the component is mounted. The array must be stable (`useMemo`). */
export function useActions(actions: readonly Action[]): void {
  useEffect(() => {
    const owner = {};
    offered.set((before) => new Map(before).set(owner, actions));
    return () =>
      offered.set((before) => {
        const after = new Map(before);
        after.delete(owner);
        return after;
      });
  }, [actions]);
}

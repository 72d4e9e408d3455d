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

/** Something that the palette can do. */
export interface Action {
  readonly id: string;
  readonly title: string;
  /** What it belongs to, in small. */
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

/** Offers actions in the palette for as long as the component is there. The array must be kept (`useMemo`). */
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

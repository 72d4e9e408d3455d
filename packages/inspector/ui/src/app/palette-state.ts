import { useEffect } from 'react';
import { createStore, useStore } from '../store/store.ts';

const open = createStore(false);

export const usePaletteOpen = (): boolean => useStore(open, (value) => value);
export const setPaletteOpen = (value: boolean): void => open.set(value);
export const openPalette = (): void => open.set(true);

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
const flat = (all: ReadonlyMap<object, readonly Action[]>): readonly Action[] => [...all.values()].flat();

export const useOfferedActions = (): readonly Action[] => useStore(offered, flat);

/** Offers actions in the palette for as long as the component is there. The array must be kept (`useMemo`). */
export const useActions = (actions: readonly Action[]): void => {
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
};

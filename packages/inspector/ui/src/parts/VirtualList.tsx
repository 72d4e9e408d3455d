import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef } from 'react';
import { classes } from './classes.ts';
import css from './virtual.module.css';

export interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  /** Which row is chosen; -1: none. */
  readonly at: number;
  /** Another row is chosen. `final`: by Enter or a press, not on the way with the arrows. */
  readonly onChoose: (at: number, final: boolean) => void;
  readonly row: (at: number) => ReactNode;
  /** All rows have this height, in pixels. */
  readonly rowHeight?: number;
  readonly role?: 'listbox' | 'tree';
  /** Of a tree: how a row is told to readers of the screen. */
  readonly rowProps?: (at: number) => Readonly<Record<string, string | number | boolean | undefined>>;
  /** Keys that mean more here than a list knows. True: done. */
  readonly onKey?: (event: KeyboardEvent, at: number) => boolean;
  readonly empty?: ReactNode;
}

const PAGE = 20;
const ROW_HEIGHT = 26;

/** Where a key leads; undefined: nowhere. */
function target(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowDown') return at + 1;
  if (key === 'ArrowUp') return at < 0 ? count - 1 : at - 1;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if (key === 'PageDown') return at + PAGE;
  return key === 'PageUp' ? at - PAGE : undefined;
}

/** The rows in sight; the one at `at` is scrolled to. */
function useRowsInSight(
  scroller: RefObject<HTMLDivElement | null>,
  { count, at, rowHeight = ROW_HEIGHT }: VirtualListProps,
): Pick<Virtualizer<HTMLDivElement, Element>, 'getVirtualItems' | 'getTotalSize'> {
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  useEffect(() => {
    if (at >= 0 && at < count) virtual.scrollToIndex(at, { align: 'auto' });
  }, [at, count, virtual]);
  return virtual;
}

/** A list of any length: only the rows in sight are there. One stop of the Tab key, the arrows move within. */
export function VirtualList(props: VirtualListProps): ReactNode {
  const { label, count, at, onChoose, row, rowHeight = ROW_HEIGHT, role = 'listbox', rowProps, onKey, empty } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const base = useId();
  const virtual = useRowsInSight(scroller, props);

  const pressed = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || onKey?.(event, at) === true) return;
    const next = target(event.key, at, count);
    if (next !== undefined && count > 0) {
      event.preventDefault();
      onChoose(Math.min(count - 1, Math.max(0, next)), false);
    } else if (event.key === 'Enter' && at >= 0) {
      event.preventDefault();
      onChoose(at, true);
    }
  };

  const rows = virtual.getVirtualItems();
  const active = rows.some(({ index }) => index === at) ? `${base}${at}` : undefined;
  const rowRole = role === 'tree' ? 'treeitem' : 'option';
  return (
    <div ref={scroller} className={css.scroller}>
      {count === 0 && <div className={css.empty}>{empty}</div>}
      <div
        role={role}
        aria-label={label}
        aria-activedescendant={active}
        tabIndex={0}
        className={css.list}
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={pressed}
      >
        {rows.map(({ index, start }) => (
          <div
            key={index}
            id={`${base}${index}`}
            role={rowRole}
            aria-selected={index === at}
            aria-posinset={index + 1}
            aria-setsize={count}
            {...rowProps?.(index)}
            className={classes(css.row, index === at && css.chosen)}
            style={{ height: rowHeight, transform: `translateY(${start}px)` }}
            onClick={() => onChoose(index, true)}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

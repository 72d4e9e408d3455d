import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef } from 'react';
import { classes } from './classes.ts';
import css from './virtual.module.css';

export interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  /** The index of the selected row; -1: none. */
  readonly at: number;
  /** Called when another row is selected. `final`: by Enter or a press, not by an arrow key. */
  readonly onChoose: (at: number, final: boolean) => void;
  readonly row: (at: number) => ReactNode;
  /** The height of every row, in pixels. */
  readonly rowHeight?: number;
  readonly role?: 'listbox' | 'tree';
  /** For a tree: ARIA attributes of a row. */
  readonly rowProps?: (at: number) => Readonly<Record<string, string | number | boolean | undefined>>;
  /** Handles a key before the list does. Returns true if it was handled. */
  readonly onKey?: (event: KeyboardEvent, at: number) => boolean;
  readonly empty?: ReactNode;
}

const PAGE = 20;
const ROW_HEIGHT = 26;

/** The row that a key moves to. Undefined: none. */
function target(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowDown') return at + 1;
  if (key === 'ArrowUp') return at < 0 ? count - 1 : at - 1;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if (key === 'PageDown') return at + PAGE;
  return key === 'PageUp' ? at - PAGE : undefined;
}

/** The visible rows; scrolls to the one at `at`. */
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

/** A list of any length that renders only its visible rows. It is one Tab stop; the arrow keys move within it. */
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

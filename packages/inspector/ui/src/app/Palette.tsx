import { type KeyboardEvent, type ReactNode, useDeferredValue, useEffect, useMemo, useState } from 'react';
import {
  Dialog,
  Input,
  ListBox,
  ListBoxItem,
  Modal,
  ModalOverlay,
  Autocomplete,
  SearchField,
} from 'react-aria-components';
import { inertText } from '../parts/inert.ts';
import { isCommand } from '../parts/keys.ts';
import { type PaletteEntry, usePaletteEntries } from './palette-entries.tsx';
import { setPaletteOpen, usePaletteOpen } from './palette-state.ts';
import { best } from './rank.ts';
import css from './palette.module.css';

/** The most entries shown; typing more narrows them down. */
const SHOWN = 60;

/** Opens with ⌘K or Ctrl-K from anywhere. */
function useKey(): void {
  useEffect(() => {
    const pressed = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !isCommand(event) || event.shiftKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      setPaletteOpen(true);
    };
    addEventListener('keydown', pressed, { capture: true });
    return () => removeEventListener('keydown', pressed, { capture: true });
  }, []);
}

/** The command palette: navigation and actions by typing. */
export function Palette(): ReactNode {
  useKey();
  return (
    <ModalOverlay className={css.overlay!} isOpen={usePaletteOpen()} onOpenChange={setPaletteOpen} isDismissable>
      <Modal className={css.modal!}>
        <Dialog className={css.dialog!} aria-label="Go to a screen or run an action">
          <Finder />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function searchOf({ search }: PaletteEntry): string {
  return search;
}

function Finder(): ReactNode {
  const entries = usePaletteEntries();
  const [typed, setTyped] = useState('');
  const wanted = useDeferredValue(typed);
  const found = useMemo(() => best(entries, searchOf, wanted, SHOWN), [entries, wanted]);
  const choose = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return;
    setPaletteOpen(false);
    entry.run();
  };
  /** Enter may be pressed before the list is rendered: then the best entry for the typed text is chosen. */
  const entered = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed === '') return;
    const isDrawn = wanted === typed && (event.target as HTMLElement).hasAttribute('aria-activedescendant');
    if (isDrawn) return;
    event.preventDefault();
    event.stopPropagation();
    choose(best(entries, searchOf, typed, 1)[0]);
  };
  return (
    <Autocomplete inputValue={typed} onInputChange={setTyped}>
      <div onKeyDownCapture={entered}>
        <SearchField className={css.field!} aria-label="Tool, resource, prompt, screen or action" autoFocus>
          <Input className={css.input!} placeholder="Tool, resource, prompt, screen or action" />
        </SearchField>
      </div>
      {/* The arrow keys move in the list while the focus stays in the input; Tab reaches the list for scrolling. */}
      <div className={css.list} role="group" aria-label="Results" tabIndex={0}>
        <ListBox
          className={css.options!}
          aria-label="Results"
          items={found}
          selectionMode="none"
          onAction={(id) => choose(found.find((entry) => entry.id === id))}
          renderEmptyState={() => <p className={css.empty}>No matches.</p>}
        >
          {(entry) => (
            <ListBoxItem className={css.item!} textValue={inertText(entry.title, 120)}>
              <span className={css.icon}>
                <entry.icon size={14} />
              </span>
              <span className={css.title}>{inertText(entry.title, 120)}</span>
              {entry.about !== undefined && <span className={css.about}>{inertText(entry.about, 120)}</span>}
              <span className={css.hint}>{inertText(entry.hint, 60)}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </div>
      <p className={css.foot}>
        {entries.length > SHOWN && found.length === SHOWN
          ? `The best ${SHOWN} of ${entries.length}. Type to narrow the list.`
          : '↑ ↓ to choose, Enter to go'}
      </p>
    </Autocomplete>
  );
}

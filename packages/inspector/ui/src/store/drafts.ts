import { useCallback, useEffect, useState } from 'react';

// Unsent input, kept in the session storage of the tab, so that a reload loses nothing.

const PREFIX = 'draft ';
/** The longest text saved; longer ones are kept only while the page is open. */
const MAX_LENGTH = 200_000;

function read(key: string): string | undefined {
  return sessionStorage.getItem(PREFIX + key) ?? undefined;
}

function write(key: string, text: string | undefined): void {
  try {
    if (text === undefined || text.length > MAX_LENGTH) sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, text);
  } catch {
    // The session storage is full: the page itself still has the text.
  }
}

/** Unsent input that survives a reload. Undefined: none. The component must use the same `key` for its whole life. */
export function useKept(key: string): readonly [string | undefined, (text: string | undefined) => void] {
  const [text, setText] = useState(() => read(key));
  const keep = useCallback(
    (next: string | undefined) => {
      setText(next);
      write(key, next);
    },
    [key],
  );
  return [text, keep];
}

/** A text that follows `followed` until the user changes it, and again once both are equal. */
export function useFollowing(key: string, followed: string): readonly [string, (text: string | undefined) => void] {
  const [text, keep] = useKept(key);
  const isEqual = text === followed;
  useEffect(() => {
    if (isEqual) keep(undefined);
  }, [isEqual, keep]);
  return [text ?? followed, keep];
}

/** A text that survives a reload. Setting undefined resets it to `first`. The component must use the same `key`. */
export function useDraft(key: string, first: string): readonly [string, (text: string | undefined) => void] {
  const [text, setText] = useState(() => read(key) ?? first);
  const keep = useCallback(
    (next: string | undefined) => {
      setText(next ?? first);
      write(key, next);
    },
    [key, first],
  );
  return [text, keep];
}

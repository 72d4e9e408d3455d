import { type RefObject, useEffect } from 'react';

const AGAIN_MS = 40;

function isGone(element: Element): boolean {
  return !element.isConnected || element.matches(':disabled');
}

function isNowhere(): boolean {
  const { activeElement: at } = document;
  return at === null || at === document.body || isGone(at);
}

/** When the focused element in `place` is removed or disabled, moves the focus to the first match of `instead`. */
export function useFocusKept(place: RefObject<HTMLElement | null>, instead: string): void {
  useEffect(() => {
    const root = place.current;
    if (root === null) return;
    let held: Element | undefined;
    const got = ({ target }: FocusEvent): void => {
      held = target instanceof Element && root.contains(target) ? target : undefined;
    };
    const lost = ({ target }: FocusEvent): void => {
      // Whether the element is being removed is known only a moment later. If the window loses the focus, the element keeps it.
      queueMicrotask(() => {
        if (held === target && document.activeElement !== target && !isGone(target as Element)) held = undefined;
      });
    };
    const observer = new MutationObserver(() => {
      if (held === undefined || !isGone(held)) return;
      held = undefined;
      if (isNowhere()) root.querySelector<HTMLElement>(instead)?.focus();
    });
    document.addEventListener('focusin', got);
    document.addEventListener('focusout', lost);
    observer.observe(root, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled'] });
    return () => {
      document.removeEventListener('focusin', got);
      document.removeEventListener('focusout', lost);
      observer.disconnect();
    };
  }, [place, instead]);
}

function screen(): HTMLElement | null {
  return document.querySelector('#main');
}

/** Restores the focus when something closes: to the previous element, otherwise to the screen. */
export function giveFocusBack(to: Element | null): void {
  const target = to instanceof HTMLElement && to !== document.body && !isGone(to) ? to : screen();
  target?.focus();
}

/** Moves the focus to the screen, after a closing dialog has restored it. */
export function focusScreenSoon(): void {
  setTimeout(() => {
    if (document.querySelector('[role=dialog]') !== null) return focusScreenSoon();
    const main = screen();
    if (main !== null && !main.contains(document.activeElement)) main.focus();
  }, AGAIN_MS);
}

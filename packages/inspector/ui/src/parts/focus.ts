import { type RefObject, useEffect } from 'react';

const AGAIN_MS = 40;

function isGone(element: Element): boolean {
  return !element.isConnected || element.matches(':disabled');
}

function isNowhere(): boolean {
  const { activeElement: at } = document;
  return at === null || at === document.body || isGone(at);
}

/** When what has the focus in a place goes away or is disabled, the first that `instead` finds in the place has it. */
export function useFocusKept(place: RefObject<HTMLElement | null>, instead: string): void {
  useEffect(() => {
    const root = place.current;
    if (root === null) return;
    let held: Element | undefined;
    const got = ({ target }: FocusEvent): void => {
      held = target instanceof Element && root.contains(target) ? target : undefined;
    };
    const lost = ({ target }: FocusEvent): void => {
      // Whether it is on its way out of the page is seen a moment later. Who leaves the page comes back to it.
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

/** For what closes: the focus goes where it was before, or else to the screen. */
export function giveFocusBack(to: Element | null): void {
  const target = to instanceof HTMLElement && to !== document.body && !isGone(to) ? to : screen();
  target?.focus();
}

/** The focus goes to the screen, once the dialog that closes has given it back. */
export function focusScreenSoon(): void {
  setTimeout(() => {
    if (document.querySelector('[role=dialog]') !== null) return focusScreenSoon();
    const main = screen();
    if (main !== null && !main.contains(document.activeElement)) main.focus();
  }, AGAIN_MS);
}

import { useEffect } from 'react';
import { isCommand } from '../../parts/keys.ts';

/** Ctrl-Enter, and ⌘-Enter on a Mac, sends wherever the focus is, but not from a dialog. */
export function useSendKey(send: (() => void) | undefined): void {
  useEffect(() => {
    if (send === undefined) return;
    const pressed = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !isCommand(event) || event.shiftKey || event.repeat) return;
      if (document.querySelector('[role=dialog]') !== null) return;
      // A question of the server has the same key for its answer.
      if (event.target instanceof Element && event.target.closest('[data-question]') !== null) return;
      event.preventDefault();
      event.stopPropagation();
      send();
    };
    addEventListener('keydown', pressed, { capture: true });
    return () => removeEventListener('keydown', pressed, { capture: true });
  }, [send]);
}

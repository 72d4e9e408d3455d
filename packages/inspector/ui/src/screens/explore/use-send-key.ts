import { useEffect } from 'react';
import { isCommand } from '../../parts/keys.ts';

/** Ctrl-Enter, or ⌘-Enter on a Mac, sends wherever the focus is, except from a dialog. */
export function useSendKey(send: (() => void) | undefined): void {
  useEffect(() => {
    if (send === undefined) return;
    const pressed = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !isCommand(event) || event.shiftKey || event.repeat) return;
      if (document.querySelector('[role=dialog]') !== null) return;
      // In a question of the server, the same key sends its answer.
      if (event.target instanceof Element && event.target.closest('[data-question]') !== null) return;
      event.preventDefault();
      event.stopPropagation();
      send();
    };
    addEventListener('keydown', pressed, { capture: true });
    return () => removeEventListener('keydown', pressed, { capture: true });
  }, [send]);
}

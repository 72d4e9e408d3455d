import type { RunEvent } from '@tenon/host';

/** Tells of each event whether it is the end of a run in which the model said nothing at last. */
export const watchSilence = () => {
  let isSilent = true;
  return (event: RunEvent): boolean => {
    if (event.type === 'step') isSilent = true;
    if (event.type === 'text' && event.text.trim() !== '') isSilent = false;
    return event.type === 'end' && event.end === 'done' && isSilent;
  };
};

export const SILENCE = 'The model said nothing.';

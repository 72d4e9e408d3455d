import type { RunEvent } from '@tenon/host';

/** Returns a function that takes every event of a run, and returns true at the end if the model's last step had no text. */
export function detectEmptyAnswer() {
  let isEmptyAnswer = true;
  return (event: RunEvent): boolean => {
    if (event.type === 'step') isEmptyAnswer = true;
    if (event.type === 'text' && event.text.trim() !== '') isEmptyAnswer = false;
    return event.type === 'end' && event.end === 'done' && isEmptyAnswer;
  };
}

export const EMPTY_ANSWER = 'The model gave no answer.';

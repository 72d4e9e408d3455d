/** Answers are sent when this many characters have gathered, even if others are still missing. */
const MOST_GATHERED = 1024 * 1024;

/**
 * Gathers the answers to the messages of a batch and sends them as one array when all are there; as several arrays when they are
 * large (2025-03-26, Batching: answers may come as an array).
 */
export const batchReply = (messages: number, send: (text: string) => void): ((text: string | undefined) => void) => {
  let texts: string[] = [];
  let characters = 0;
  let open = messages;
  const flush = (): void => {
    if (texts.length > 0) send(`[${texts.join()}]`);
    texts = [];
    characters = 0;
  };
  return (text) => {
    open--;
    if (text !== undefined) {
      // Before it is added: two answers that each fit into a text need not fit into one.
      if (characters + text.length > MOST_GATHERED) flush();
      texts.push(text);
      characters += text.length;
    }
    if (open === 0) flush();
  };
};

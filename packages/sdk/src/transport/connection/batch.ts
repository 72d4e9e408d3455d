/** Gathers the answers to the messages of a batch and sends them as one array when all are there (2025-03-26, Batching). */
export const batchReply = (messages: number, send: (text: string) => void): ((text: string | undefined) => void) => {
  const texts: string[] = [];
  let open = messages;
  return (text) => {
    if (text !== undefined) texts.push(text);
    if (--open === 0 && texts.length > 0) send(`[${texts.join()}]`);
  };
};

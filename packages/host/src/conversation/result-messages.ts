import type { FilePart, ModelMessage, ToolModelMessage } from 'ai';
import type { CallOutcome } from './calls.ts';
import type { ResolvedOptions } from './run-options.ts';
import { outputOf, readResult } from './tool-result.ts';
import type { Image } from './tool-result.ts';
import { STUCK_NOTE } from './loop-detector.ts';
import { IMAGES_FOLLOW, imagesOf } from './result-images.ts';

/** The messages with the results for the model. Images that tool results cannot hold follow in a user message. */
export function resultMessages(
  answered: readonly CallOutcome[],
  { resultCharacters, traits: { resultImages } }: ResolvedOptions,
  warnStuck: boolean,
): ModelMessage[] {
  const followUps: { readonly tool: string; readonly images: readonly Image[] }[] = [];
  const content = answered.map(({ call, result }, index): ToolModelMessage['content'][number] => {
    const read = readResult(result, resultCharacters, resultImages !== 'none');
    const noted =
      warnStuck && index === answered.length - 1 ? { ...read, text: `${read.text}\n\n${STUCK_NOTE}`.trim() } : read;
    const images = resultImages === 'message' ? read.images : [];
    if (images.length > 0) followUps.push({ tool: call.tool, images });
    const shown =
      images.length > 0 ? { ...noted, text: `${noted.text}\n\n${IMAGES_FOLLOW}`.trim(), images: [] } : noted;
    return { type: 'tool-result', toolCallId: call.id, toolName: call.tool, output: outputOf(shown) };
  });
  const messages: ModelMessage[] = [{ role: 'tool', content }];
  if (followUps.length > 0) messages.push({ role: 'user', content: followUps.flatMap(imageParts) });
  return messages;
}

function imageParts({ tool, images }: { readonly tool: string; readonly images: readonly Image[] }) {
  return [
    { type: 'text' as const, text: imagesOf(tool) },
    ...images.map(({ data, mediaType }): FilePart => ({ type: 'file', mediaType, data: { type: 'data', data } })),
  ];
}

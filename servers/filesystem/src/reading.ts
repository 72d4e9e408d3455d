import { pathToFileURL } from 'node:url';
import { audio, embed, image, link, reply, text, tool } from 'tenon';
import { z } from 'zod';
import { type AccessOptions, type Opened, withFile } from './access.ts';
import { CONTENT, MAX_RESULT_LENGTH, shown } from './answer.ts';
import { type WrapHandler, path, READS } from './tool-handler.ts';
import { AccessError, type Folders } from '../../shared/folders.ts';
import { mediaTypeOf } from './media.ts';
import { uriOf } from './text-resource.ts';
import { firstLines, lastLines, MAX_BYTES, type Part, partOf } from './text.ts';
import { readWhole } from './read-whole.ts';

const MAX_MEDIA_BYTES = 5 * 1024 * 1024;
const lines = z.int().min(1).max(1_000_000);
const READ = z.object({
  path,
  tail: lines.optional().describe('If provided, returns only the last N lines of the file'),
  head: lines.optional().describe('If provided, returns only the first N lines of the file'),
});

/** The first part of a file, small enough to fit into the result after JSON escaping. */
async function beginning(file: Opened, asked: string): Promise<Part> {
  for (let most = MAX_BYTES; ; most = Math.floor(most / 4)) {
    const part = await partOf(file, asked, 0, most);
    if (JSON.stringify(part.text).length <= MAX_RESULT_LENGTH || most < 1_024) return part;
  }
}

/** Tools that read files. */
export function readingTools(handler: WrapHandler, access: AccessOptions) {
  const readText = async (
    { path: asked, head, tail }: { path: string; head?: number | undefined; tail?: number | undefined },
    found: Folders,
  ) => {
    if (head !== undefined && tail !== undefined)
      throw new AccessError('Cannot specify both head and tail parameters simultaneously');
    return withFile(found, asked, access, async (file) => {
      if (head !== undefined) return shown(await firstLines(file, asked, head));
      if (tail !== undefined) return shown(await lastLines(file, asked, tail));
      const { text: content, next } = await beginning(file, asked);
      if (next === undefined) return shown(content);
      const more = link(uriOf(file.real, next), 'The next part', {
        mimeType: 'text/plain',
        size: file.stats.size - next,
        description: `The file has ${file.stats.size} bytes; these were the first ${next}`,
      });
      return reply({ content: [text(content), more], structuredContent: { content } });
    });
  };

  return {
    read_file: tool(
      {
        title: 'Read File (Deprecated)',
        description: 'Read the contents of a file as text. DEPRECATED: Use read_text_file instead.',
        input: READ,
        output: CONTENT,
        ...READS,
      },
      handler(readText),
    ),
    read_text_file: tool(
      {
        title: 'Read Text File',
        description: `Read the contents of a file as text in UTF-8. Use 'head' for the first N lines, 'tail' for the last N lines. For a file of more than ${MAX_BYTES} bytes, returns the first part with a link to the next one. Only works within allowed directories.`,
        input: READ,
        output: CONTENT,
        ...READS,
      },
      handler(readText),
    ),
    read_media_file: tool(
      {
        title: 'Read Media File',
        description:
          'Read a file and return it as a base64-encoded content block with its MIME type. Image and audio files are returned as image/audio content; any other file as an embedded resource. Only works within allowed directories.',
        input: z.object({ path }),
        ...READS,
      },
      handler(async ({ path: asked }, found) =>
        withFile(found, asked, access, async (file) => {
          if (file.stats.size > MAX_MEDIA_BYTES)
            throw new AccessError(`${asked} has ${file.stats.size} bytes; the maximum is ${MAX_MEDIA_BYTES}`);
          const bytes = new Uint8Array(await file.handle.readFile());
          const type = mediaTypeOf(file.real);
          // No structured content, because it would repeat the bytes.
          return type.startsWith('image/')
            ? image(bytes, type)
            : type.startsWith('audio/')
              ? audio(bytes, type)
              : embed(pathToFileURL(file.real).href, bytes, { mimeType: type });
        }),
      ),
    ),
    read_multiple_files: tool(
      {
        title: 'Read Multiple Files',
        description:
          "Read the contents of several files at once. Each is returned with its path; those that cannot be read don't stop the others. Only works within allowed directories.",
        input: z.object({ paths: z.array(path).min(1).max(100) }),
        output: CONTENT,
        ...READS,
      },
      handler(async ({ paths }, found) => {
        const parts: string[] = [];
        let bytes = 0;
        for (const asked of paths) {
          const part = await withFile(found, asked, access, (file) => readWhole(file, asked)).then(
            (content) => `${asked}:\n${content}\n`,
            (error: Error) => `${asked}: Error - ${error.message}`,
          );
          bytes += JSON.stringify(part).length;
          parts.push(
            bytes > MAX_RESULT_LENGTH - 100_000
              ? `${asked}: Error - the files are too large together: request fewer`
              : part,
          );
        }
        return shown(parts.join('\n---\n'));
      }),
    ),
  };
}

import { type Context, contents, ProtocolError, resource } from 'tenon';

export type Kind = 'Text' | 'Blob';
export const KINDS: readonly Kind[] = ['Text', 'Blob'];

export const dynamicUri = (kind: Kind, id: number): string => `demo://resource/dynamic/${kind.toLowerCase()}/${id}`;

/** What a dynamic resource has in it. */
export const dynamicContents = (kind: Kind, id: number) => {
  const what = kind === 'Text' ? 'plaintext resource' : 'base64 blob';
  const said = `Resource ${id}: This is a ${what} created at ${new Date().toLocaleTimeString()}`;
  return contents(dynamicUri(kind, id), kind === 'Text' ? said : Buffer.from(said), { mimeType: 'text/plain' });
};

/** The number in a text; undefined when it is none that a resource has. */
export const idIn = (text: unknown): number | undefined => {
  const id = Number(text);
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
};

export const completeId = (typed: string): string[] => (idIn(typed) === undefined ? [] : [typed]);

const dynamic = (
  kind: Kind,
  mimeType: string,
  onRead: (uri: string, ctx: Pick<Context, 'principal' | 'session'>) => void,
) =>
  resource(
    {
      name: `Dynamic ${kind} Resource`,
      description: `A ${kind === 'Text' ? 'plaintext' : 'binary'} resource made of the {resourceId}, which is a positive integer.`,
      mimeType,
      complete: { resourceId: completeId },
    },
    ({ resourceId }, ctx) => {
      const id = idIn(resourceId);
      if (id === undefined)
        throw new ProtocolError(-32_602, `\`resourceId\` is a positive integer, not ${String(resourceId)}`);
      onRead(dynamicUri(kind, id), ctx);
      return dynamicContents(kind, id);
    },
  );

export const dynamicResources = (onRead: (uri: string, ctx: Pick<Context, 'principal' | 'session'>) => void) => ({
  'demo://resource/dynamic/text/{resourceId}': dynamic('Text', 'text/plain', onRead),
  'demo://resource/dynamic/blob/{resourceId}': dynamic('Blob', 'application/octet-stream', onRead),
});

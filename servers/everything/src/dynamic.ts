import { type Context, contents, ProtocolError, resource } from 'tenon';

export type Kind = 'Text' | 'Blob';
export const KINDS: readonly Kind[] = ['Text', 'Blob'];

export function dynamicUri(kind: Kind, id: number): string {
  return `demo://resource/dynamic/${kind.toLowerCase()}/${id}`;
}

/** The contents of a dynamic resource. */
export function dynamicContents(kind: Kind, id: number) {
  const what = kind === 'Text' ? 'plaintext resource' : 'base64 blob';
  const text = `Resource ${id}: This is a ${what} created at ${new Date().toLocaleTimeString()}`;
  return contents(dynamicUri(kind, id), kind === 'Text' ? text : Buffer.from(text), { mimeType: 'text/plain' });
}

/** Parses the id of a resource; undefined if it is not a positive integer. */
export function idIn(text: unknown): number | undefined {
  const id = Number(text);
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

export function completeId(typed: string): string[] {
  return idIn(typed) === undefined ? [] : [typed];
}

function dynamic(
  kind: Kind,
  mimeType: string,
  onRead: (uri: string, ctx: Pick<Context, 'principal' | 'session'>) => void,
) {
  return resource(
    {
      name: `Dynamic ${kind} Resource`,
      description: `A ${kind === 'Text' ? 'plaintext' : 'binary'} resource generated from the {resourceId}, a positive integer.`,
      mimeType,
      complete: { resourceId: completeId },
    },
    ({ resourceId }, ctx) => {
      const id = idIn(resourceId);
      if (id === undefined)
        throw new ProtocolError(-32_602, `\`resourceId\` must be a positive integer, not ${String(resourceId)}`);
      onRead(dynamicUri(kind, id), ctx);
      return dynamicContents(kind, id);
    },
  );
}

export function dynamicResources(onRead: (uri: string, ctx: Pick<Context, 'principal' | 'session'>) => void) {
  return {
    'demo://resource/dynamic/text/{resourceId}': dynamic('Text', 'text/plain', onRead),
    'demo://resource/dynamic/blob/{resourceId}': dynamic('Blob', 'application/octet-stream', onRead),
  };
}

// The documents of Google have no bytes of their own: they are converted ("Export MIME types for Google Workspace documents").

const PREFIX = 'application/vnd.google-apps.';
const FORMATS: ReadonlyMap<string, string> = new Map([
  [`${PREFIX}document`, 'text/markdown'],
  [`${PREFIX}spreadsheet`, 'text/csv'],
  [`${PREFIX}presentation`, 'text/plain'],
  [`${PREFIX}drawing`, 'image/png'],
]);
/** For all others, in this order. */
const PREFERRED = ['text/plain', `${PREFIX}script+json`, 'application/pdf'];

/** Whether a file is a document of Google, a folder or a shortcut. */
export function isOfGoogle(mimeType: string): boolean {
  return mimeType.startsWith(PREFIX);
}

/** The format in which a document of Google is read; undefined if Google does not convert it. `offered`: the formats that Google offers. */
export function exportFormatOf(mimeType: string, offered: readonly string[]): string | undefined {
  return FORMATS.get(mimeType) ?? PREFERRED.find((format) => offered.includes(format)) ?? offered[0];
}

/** The type of what is read for a file of this type; undefined if it is not known in advance. */
export function contentTypeOf(mimeType: string): string | undefined {
  return isOfGoogle(mimeType) ? FORMATS.get(mimeType) : mimeType;
}

/** Whether a type is that of text. */
export function isText(mimeType: string): boolean {
  return /^(?:text\/.+|application\/(?:json|xml|yaml|x-yaml|javascript|x-sh|sql|toml)|.+\+(?:json|xml|yaml))$/.test(
    mimeType.replace(/;.*/, '').trim().toLowerCase(),
  );
}

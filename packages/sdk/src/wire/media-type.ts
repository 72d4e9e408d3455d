/** The type of nearly every message. */
const JSON_TYPE = 'application/json';

/** The media type of a `Content-Type` value, in lower case and without its parameters (RFC 9110, section 8.3.1). */
export function mediaTypeOf(contentType: string): string {
  if (contentType === JSON_TYPE) return contentType;
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

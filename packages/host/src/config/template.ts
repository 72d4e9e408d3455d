/** A variable in a text of a configuration. */
export type Reference =
  /** An environment variable: `${NAME}`, `${NAME:-default}`, `${env:NAME}`. */
  | { readonly kind: 'machine'; readonly name: string; readonly fallback?: string }
  /** An input of a person: `${input:id}`. */
  | { readonly kind: 'input'; readonly name: string }
  /** A folder or separator: `${workspaceFolder}` and similar. */
  | { readonly kind: 'place'; readonly name: PlaceName; readonly fallback?: string }
  /** An unknown reference. */
  | { readonly kind: 'unknown'; readonly name: string; readonly why: string };

const PLACES = ['userHome', 'workspaceFolder', 'workspaceFolderBasename', 'pathSeparator', '/'] as const;

export type PlaceName = (typeof PLACES)[number];

function referenceOf(inside: string): Reference {
  if (inside.startsWith('input:')) return { kind: 'input', name: inside.slice('input:'.length) };
  const [whole, ...defaults] = inside.split(':-');
  const fallback = defaults.length === 0 ? {} : { fallback: defaults.join(':-') };
  const unknown = (why: string): Reference => ({ kind: 'unknown', name: inside, why });
  if (fallback.fallback?.includes('${') === true) return unknown('A default cannot contain variables.');
  const place = PLACES.find((name) => name === whole);
  if (place !== undefined) return { kind: 'place', name: place, ...fallback };
  const [, explicit] = /^env:([^\s:=]+)$/.exec(whole!) ?? [];
  if (explicit !== undefined) return { kind: 'machine', name: explicit, ...fallback };
  return /^[A-Za-z_]\w*$/.test(whole!)
    ? { kind: 'machine', name: whole!, ...fallback }
    : unknown('It can be ${NAME}, ${NAME:-default}, ${env:NAME}, ${input:id}, ${userHome} or ${workspaceFolder}.');
}

/**
 * Splits a text into its variables and the text around them. Not with a regular expression, which would start again at each unclosed `${`.
 */
function piecesOf(text: string): (string | Reference)[] {
  const pieces: (string | Reference)[] = [];
  let from = 0;
  for (;;) {
    const open = text.indexOf('${', from);
    const close = open === -1 ? -1 : text.indexOf('}', open);
    if (close === -1) return [...pieces, text.slice(from)];
    pieces.push(text.slice(from, open), referenceOf(text.slice(open + 2, close)));
    from = close + 1;
  }
}

/** The variables of a text, in order. A `$` without braces is an ordinary character. */
export function referencesIn(text: string): Reference[] {
  return piecesOf(text).filter((piece) => typeof piece !== 'string');
}

/** Replaces each variable of a text. Inserted values are not expanded again. */
export function replaceReferences(text: string, valueOf: (reference: Reference) => string): string {
  return piecesOf(text)
    .map((piece) => (typeof piece === 'string' ? piece : valueOf(piece)))
    .join('');
}
